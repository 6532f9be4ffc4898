import type { ChangeCounts, Alarm } from '../../core/alarms.js'
import { linePositions, sliceLine } from '../answers/joined-line.js'
import {
  calculateMoney,
  countBilled,
  listSubmissions,
  sumSubmitted,
  toMicros,
  type KindSubmissions,
  type Money,
  type Prices,
} from '../../core/money.js'
import type { LookupColumns, LookupRule } from '../input/ingest.js'
import type { RunSummary, TimelinePoint } from './run-summary.js'

/** Version of this format; records of other versions are listed, but not read. */
export const runRecordVersion = 1

export interface GroupFigures {
  /** A country code, or a value of the chosen column; null for rows without one. */
  readonly value: string | null
  readonly rowCount: number
  readonly matchedCount: number
  /** Rows without a company; missing in groups by a column, and in records of older versions. */
  readonly unmatchedCount?: number
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

type RecordedColumns = LookupColumns & Pick<LookupRule, 'identifierUse'>

/** The stored record of a run, as JSON. Contains no secrets. */
export interface RunRecord {
  readonly version: typeof runRecordVersion
  readonly program: string
  /** The command line without secrets. */
  readonly command: string
  readonly service: 'hosted' | 'embedded'
  /** The base URL, or the edition of the registry. */
  readonly scope: string
  readonly input: {
    readonly paths: readonly string[]
    readonly format: string
    /** Null unless it is a CSV; missing in records of older versions. */
    readonly delimiter?: string | null
    /** Columns of the lookups; missing in records of older versions. */
    readonly lookup?: RecordedColumns
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

/** A run in the list of `enrich runs`. */
export interface RememberedRun {
  /** From 1, across all runs of the checkpoint. Users refer to runs by it. */
  readonly number: number
  /** The job's name, or else the input's paths. Only outputs of one series are compared. */
  readonly series: string
  readonly startedAtMs: number
  /** `null` if the run is active or was killed. */
  readonly endedAtMs: number | null
  readonly exitCode: number | null
  /** Whether its output is stored and can be compared. */
  readonly isPublished: boolean
  /** Number of the run it was compared with. */
  readonly baseline: number | null
  /** `null` if an unknown version wrote it. */
  readonly record: RunRecord | null
  /** Whether its process is alive; absent if unknown. */
  readonly isGoingOn?: boolean
}

interface AskedList {
  /** Its input as the user named it. */
  readonly paths: readonly string[] | undefined
  readonly scope: string
  readonly columns: RecordedColumns
}

/**
 * Returns the newest run with an output that looked up this list with these columns at this service, else one of an
 * older version, which did not record its columns; null without one. `runs` are ordered newest first.
 */
export function findRunOfLookups(
  runs: readonly RememberedRun[],
  { paths, scope, columns }: AskedList,
): RememberedRun | null {
  const ofList = runs.filter(
    ({ record }) =>
      record?.scope === scope &&
      JSON.stringify(record.input.paths) === JSON.stringify(paths) &&
      (record.summary?.outputPaths.length ?? 0) > 0,
  )
  const wanted = formatLookupColumns(columns)
  const isOfColumns = ({ record }: RememberedRun) =>
    record?.input.lookup !== undefined && formatLookupColumns(record.input.lookup) === wanted
  return ofList.find(isOfColumns) ?? ofList.find(({ record }) => record?.input.lookup === undefined) ?? null
}

const formatLookupColumns = (columns: RecordedColumns) => {
  const { name, location, context, identifiers, identifierUse, country = null } = columns
  return JSON.stringify([name, location, context, Object.entries(identifiers).sort(), identifierUse, country])
}

/** A row of a published output. Equal rows share one entry. */
export interface PublishedEntry {
  /** Identifies the row across runs, in 16 bytes: derived from its first lookup's key, or from the user's key. */
  readonly address: Uint8Array
  readonly rowKey: string | null
  /** As looked up, without identifiers; `null` for invalid rows. */
  readonly name: string | null
  /** The result; see `renderPublishedState`. */
  readonly state: string
}

export interface PublishedOutput {
  readonly run: number
  /** Entry number of each row, in order. Equal numbers mean equal entries, also across runs. */
  readonly rows: Uint32Array
  /** Reads entries by number, in the given order. */
  entries(numbers: Iterable<number>): AsyncIterable<readonly [number: number, entry: PublishedEntry]>
  /** Returns the numbers of entries whose status is wanted; may have those of other outputs in addition. */
  numbersOf(isWanted: (status: string) => boolean): Promise<Iterable<number>>
}

/** Submissions of one kind at one service. */
export interface ScopeSubmissions extends KindSubmissions {
  /** The base URL of the service, or the edition of the registry. */
  readonly scope: string
}

/** Reads the runs of a checkpoint, in a file or on a server, without a lock. Rejects with CHECKPOINT_*. */
export interface HistoryReader {
  /** Newest first. */
  runs(): Promise<readonly RememberedRun[]>
  /** Returns all submissions that were, or may have been, billed, by kind and service. */
  submissions(): Promise<readonly ScopeSubmissions[]>
  /** Returns `null` if the run's output is no longer stored. */
  published(run: number): Promise<PublishedOutput | null>
}

/** The history of a checkpoint that was opened to read it. */
export interface OpenHistory extends HistoryReader {
  close(): void | Promise<void>
}

/** Adds the checkpoint's submissions to a run without a summary, which was killed or failed. */
export function withSubmissions(record: RunRecord, submissions: readonly KindSubmissions[]): RunRecord {
  if (sumSubmitted(submissions) === 0) return record
  const { money } = record
  return {
    ...record,
    submissions,
    money: money === null ? null : calculateMoney(toPrices(money), submissions),
  }
}

function toPrices({ currency, byKind }: Money): Prices {
  const prices = Object.entries(byKind).map(([kind, { unitPrice }]) => [kind, toMicros(unitPrice)])
  return { currency, byKind: Object.fromEntries(prices) as Prices['byKind'] }
}

/** Returns the input and output files of a run, which no other output may overwrite. */
export const listRunFiles = ({ number, record }: RememberedRun): { path: string; what: string }[] => [
  ...(record?.input.paths ?? []).map((path) => ({ path, what: `the input of run ${number},` })),
  ...(record?.summary?.outputPaths ?? []).map((path) => ({ path, what: `the output of run ${number},` })),
]

/** Returns the submissions of a run by kind; for a run without a summary, those in the checkpoint, if any. */
export const getSubmissions = ({ summary, submissions = [] }: RunRecord): readonly KindSubmissions[] =>
  summary === null ? submissions : listSubmissions(summary)

/** Returns the billed submissions of a run. The embedded service is free. */
export const getBilled = (record: RunRecord): ReturnType<typeof countBilled> =>
  countBilled(record.service === 'embedded' ? [] : getSubmissions(record), record.money?.byKind)

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

const unmatchedStatuses: ReadonlySet<string> = new Set(['no_match', 'not_found'])

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] }

export function calculateFigures(counted: Iterable<CountedRows>): OutputFigures {
  const statuses = new Map<string, number>()
  const countries = new Map<string | null, Omit<Required<Writable<GroupFigures>>, 'value'>>()
  const rowsByConfidence = new Array<number>(101).fill(0)
  let total = 0
  for (const { status, confidence, country, rowCount } of counted) {
    total += rowCount
    statuses.set(status, (statuses.get(status) ?? 0) + rowCount)
    if (confidence !== null) rowsByConfidence[confidence] = (rowsByConfidence[confidence] ?? 0) + rowCount
    const group = countries.get(country) ?? { rowCount: 0, matchedCount: 0, unmatchedCount: 0 }
    group.rowCount += rowCount
    if (status === 'matched') group.matchedCount += rowCount
    // A row that a reviewer decided has no confidence, and needs no register.
    if (unmatchedStatuses.has(status) && confidence !== null) group.unmatchedCount += rowCount
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
