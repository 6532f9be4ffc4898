import type { Alarm } from './alarms.js'
import type { ChangeCounts } from './change-kinds.js'
import type { Money } from './money.js'
import type { RunSummary } from './run-summary.js'

/** Of the form below; one that is not known is listed, and not read. */
export const runRecordVersion = 1

/** What a run had done by a moment; counts since it began, of all kinds together. */
export interface TimelinePoint {
  readonly elapsedMs: number
  readonly submissions: number
  readonly polls: number
  readonly answered: number
  /** Requests that the service answered with 429. */
  readonly rateLimited: number
}

/** Rows of one group, by what became of them. */
export interface GroupFigures {
  /** A country's code, or a value of the chosen column; null where rows have none. */
  readonly value: string | null
  readonly rowCount: number
  readonly matchedCount: number
}

/** Counts over the rows of a published output. */
export interface OutputFigures {
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
  /** 101 counts, of confidence 0 to 100; rows without one are in none. */
  readonly rowsByConfidence: readonly number[]
  /** By the country of the answer, or else of what was asked; the largest first. */
  readonly byCountry: readonly GroupFigures[]
  /** By the column that `report.by` names. */
  readonly byColumn: { readonly column: string; readonly groups: readonly GroupFigures[] } | null
}

/** What is kept of a run, as JSON. Nothing of it is secret. */
export interface RunRecord {
  readonly version: typeof runRecordVersion
  /** Of the program. */
  readonly program: string
  /** As it was typed, without what is secret. */
  readonly command: string
  readonly service: 'hosted' | 'embedded'
  /** The base URL, or the edition of the registry. */
  readonly scope: string
  readonly input: {
    readonly paths: readonly string[]
    readonly format: string
    /** Over the bytes of its files; null where they were not read to the end. */
    readonly sha256: string | null
  }
  readonly settings: Readonly<Record<string, unknown>>
  /** Null where the run ended by an error, or did not end. */
  readonly summary: RunSummary | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly money: Money | null
  /** Of a run without a summary, as the checkpoint has it when the record is read; never stored. */
  readonly submittedCount?: number
  /** Null where no output was published. */
  readonly figures: OutputFigures | null
  /** Counts over the rows that a run without an output knew at its end; left out where nothing shows them. */
  readonly knownFigures?: OutputFigures
  readonly timeline: readonly TimelinePoint[]
  /** Against the output of `baseline`; null where there was none. */
  readonly changes: { readonly baseline: number; readonly counts: ChangeCounts } | null
  readonly alarms: readonly Alarm[]
}

/** A picture has no room for more. */
const pointsMax = 240

export interface Timeline {
  add(point: TimelinePoint): void
  /** In order; the newest is always among them. */
  points(): readonly TimelinePoint[]
}

/** What a run had done by moments that are evenly apart: half as many of them whenever there are too many. */
export function createTimeline(): Timeline {
  let kept: TimelinePoint[] = []
  let newest: TimelinePoint | null = null
  /** Of so many points that come, one is kept. */
  let every = 1
  let count = 0
  return {
    add: (point) => {
      newest = point
      if (count++ % every !== 0) return
      kept.push(point)
      // One place is the newest one's.
      if (kept.length < pointsMax) return
      kept = kept.filter((_, index) => index % 2 === 0)
      every *= 2
    },
    points: () => (newest === null || kept.at(-1) === newest ? kept : [...kept, newest]),
  }
}
