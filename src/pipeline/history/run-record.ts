import type { ChangeCounts, Alarm } from './alarms.js'
import { linePositions, sliceLine } from '../answers/joined-line.js'
import type { KindSubmissions, Money } from '../../core/money.js'
import type { RunSummary } from './run-summary.js'

/** Version of this format; records of other versions are listed, but not read. */
export const runRecordVersion = 1

/** Counts of a run at a moment, since its start, over all kinds. */
export interface TimelinePoint {
  readonly elapsedMs: number
  readonly submissions: number
  readonly polls: number
  readonly answered: number
  /** Requests answered with 429. */
  readonly rateLimited: number
}

/** Rows of one group, by outcome. */
export interface GroupFigures {
  /** A country code, or a value of the chosen column; null for rows without one. */
  readonly value: string | null
  readonly rowCount: number
  readonly matchedCount: number
}

/** Counts over the rows of a published output. */
export interface OutputFigures {
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
  /** 101 counts, for confidence 0 to 100; rows without a confidence are not counted. */
  readonly rowsByConfidence: readonly number[]
  /** Groups by country of the answer, else of the row; the largest first. */
  readonly byCountry: readonly GroupFigures[]
  /** Groups by the column that `report.by` names. */
  readonly byColumn: { readonly column: string; readonly groups: readonly GroupFigures[] } | null
}

/** The stored record of a run, as JSON. Contains no secrets. */
export interface RunRecord {
  readonly version: typeof runRecordVersion
  /** Version of the program. */
  readonly program: string
  /** The command line without secrets. */
  readonly command: string
  readonly service: 'hosted' | 'embedded'
  /** The base URL, or the edition of the registry. */
  readonly scope: string
  readonly input: {
    readonly paths: readonly string[]
    readonly format: string
    /** Hash of the bytes of its files; null if they were not read completely. */
    readonly sha256: string | null
    /** Hash of the names and sizes of its files; missing in records of older versions. */
    readonly list?: string
  }
  readonly settings: Readonly<Record<string, unknown>>
  /** Null if the run ended with an error, or did not end. */
  readonly summary: RunSummary | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly money: Money | null
  /** For a run without a summary, read from the checkpoint; never stored. */
  readonly submissions?: readonly KindSubmissions[]
  /** Null if no output was published. */
  readonly figures: OutputFigures | null
  /** Counts over the known rows of a run without an output; omitted if not used. */
  readonly knownFigures?: OutputFigures
  readonly timeline: readonly TimelinePoint[]
  /** Changes since the output of `baseline`; null without a baseline. */
  readonly changes: { readonly baseline: number; readonly counts: ChangeCounts } | null
  readonly alarms: readonly Alarm[]
}

/** A chart has no room for more. */
const pointsMax = 240

export interface Timeline {
  add(point: TimelinePoint): void
  /** In order, always with the newest point. */
  points(): readonly TimelinePoint[]
}

/** Creates a timeline of evenly spaced points; it drops every second point when it is full. */
export function createTimeline(): Timeline {
  let kept: TimelinePoint[] = []
  let newest: TimelinePoint | null = null
  /** One of this many points is kept. */
  let every = 1
  let count = 0
  return {
    add: (point) => {
      newest = point
      if (count++ % every !== 0) return
      kept.push(point)
      // One place is reserved for the newest point.
      if (kept.length < pointsMax) return
      kept = kept.filter((_, index) => index % 2 === 0)
      every *= 2
    },
    points: () => (newest === null || kept.at(-1) === newest ? kept : [...kept, newest]),
  }
}

/** Counted values of an answer line. */
interface Counted {
  readonly status: string
  /** 0 to 100. */
  readonly confidence: number | null
  /** Country code in upper case. */
  readonly country: string | null
}

const findPosition = (name: string): number => linePositions.get(name) ?? 0
const positions = {
  status: findPosition('status'),
  confidence: findPosition('confidence'),
  country: findPosition('country_code'),
}

export function readCountedValues(line: string): Counted {
  const values = sliceLine(line)
  const parseValue = (position: number) => JSON.parse(values[position] ?? 'null') as unknown
  const status = parseValue(positions.status)
  const confidence = parseValue(positions.confidence)
  const country = parseValue(positions.country)
  return {
    status: typeof status === 'string' ? status.toLowerCase() : 'failed',
    confidence:
      typeof confidence === 'number' && confidence >= 0 && confidence <= 100 ? Math.round(confidence) : null,
    country: typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
  }
}

/** Number of rows with the same counted values. */
interface CountedRows extends Counted {
  readonly rowCount: number
}

export function calculateFigures(counted: Iterable<CountedRows>): OutputFigures {
  const statuses = new Map<string, number>()
  const countries = new Map<string | null, { rowCount: number; matchedCount: number }>()
  const rowsByConfidence = new Array<number>(101).fill(0)
  let total = 0
  for (const { status, confidence, country, rowCount } of counted) {
    total += rowCount
    statuses.set(status, (statuses.get(status) ?? 0) + rowCount)
    if (confidence !== null) rowsByConfidence[confidence] = (rowsByConfidence[confidence] ?? 0) + rowCount
    const group = countries.get(country) ?? { rowCount: 0, matchedCount: 0 }
    group.rowCount += rowCount
    if (status === 'matched') group.matchedCount += rowCount
    countries.set(country, group)
  }
  const byCountry: GroupFigures[] = [...countries].map(([value, group]) => ({ value, ...group }))
  byCountry.sort((a, b) => b.rowCount - a.rowCount || ((a.value ?? '~') < (b.value ?? '~') ? -1 : 1))
  return {
    rowCount: total,
    rowsByStatus: Object.fromEntries(statuses),
    rowsByConfidence,
    byCountry,
    byColumn: null,
  }
}
