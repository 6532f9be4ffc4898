import type { LookupKind } from '../lookups/lookup-kind.js'
import type { RunRecord } from '../figures/run-record.js'
import { UserError } from '../../core/errors.js'
import { microsOfUnits, moneyOf, type Money, type Prices } from '../figures/money.js'

/** A run as `enrich runs` lists it. */
export interface RememberedRun {
  /** From 1, over all runs of the checkpoint; what users name it by. */
  readonly number: number
  /** Outputs of one series are compared: the name of the job, or else the paths of the input. */
  readonly series: string
  readonly startedAtMs: number
  /** Null: it goes on, or was killed. */
  readonly endedAtMs: number | null
  readonly exitCode: number | null
  /** Whether its output is remembered, and can be compared. */
  readonly isPublished: boolean
  /** The run whose output it was compared with. */
  readonly baseline: number | null
  /** Null where it was written by a version that is not known. */
  readonly record: RunRecord | null
  /** Whether its process lives; left out where that is not known of a run. */
  readonly isGoingOn?: boolean
}

/** A row of a published output; rows that are alike in all of this share one entry. */
export interface PublishedEntry {
  /** What the row is known by from run to run: the key of its first question, or the user's own, as 16 bytes. */
  readonly address: Uint8Array
  readonly rowKey: string | null
  /** As it was asked; null where the row asks for nothing. */
  readonly name: string | null
  /** What became of it, as `publishedStateOf` gives it. */
  readonly state: string
}

/** The output of one run, as it is remembered. */
export interface PublishedOutput {
  readonly run: number
  /** The number of the entry of each row, in order. Equal numbers of two runs are equal entries. */
  readonly rows: Uint32Array
  /** Entries by their number, in the order given. */
  entries(numbers: Iterable<number>): Iterable<readonly [number: number, entry: PublishedEntry]>
  /** The numbers of entries, of this output and of others, whose rows have a status that is wanted. */
  numbersOf(isWanted: (status: string) => boolean): Iterable<number>
}

/** What two runs published, to be compared, or what one did. */
export interface WantedOutputs {
  readonly newer: number
  /** Null: only the newer one is read. */
  readonly older: number | null
  /** Of which statuses all rows of the newer one are read; of none if left out. */
  readonly isListed?: (status: string) => boolean
}

/** What a checkpoint knows of its runs; read without a lock. */
export interface HistoryReader {
  /** The newest first. */
  runs(): readonly RememberedRun[]
  /** Null where the output of the run is not remembered. */
  published(run: number): PublishedOutput | null
  close(): void
}

/** Submissions of one kind in the checkpoint. */
export interface KindSubmissions {
  readonly kind: LookupKind
  /** The base URL of the service, or the edition of the registry. */
  readonly scope: string
  readonly acceptedCount: number
  /** May have been billed: the answer was lost. */
  readonly uncertainCount: number
}

/** The same, wherever the checkpoint is. */
export interface KnownHistory extends HistoryReader {
  /** All submissions that were billed, or may have been, by kind and service. */
  submissions(): readonly KindSubmissions[]
  /** What these runs published can be read, as far as they differ, once it resolves. Rejects with CHECKPOINT_*. */
  fetch(wanted: WantedOutputs): Promise<void>
}

/** Two runs whose outputs are compared. */
export interface RunPair {
  readonly older: RememberedRun
  readonly newer: RememberedRun
}

const listed = { hint: 'enrich runs lists them' }

/**
 * `12`: run 12 against the output that it was compared with; `12..15`: run 15 against run 12; `12..`: the last of the
 * same input against run 12; null: the last run that was compared with any. `runs` has the newest first.
 * Throws USAGE_INVALID, RUN_NOT_FOUND, RUN_OUTPUT_UNKNOWN, RUNS_NOT_COMPARABLE.
 */
export function chooseRuns(asked: string | null, runs: readonly RememberedRun[]): RunPair {
  const [, first, dots, second] = /^(\d{1,9})?(\.\.)?(\d{1,9})?$/.exec(asked ?? '') ?? []
  const isRun = first !== undefined || second !== undefined
  if (asked !== null && (!isRun || (dots === undefined && second !== undefined))) {
    throw new UserError('USAGE_INVALID', `${JSON.stringify(asked)} names no runs`, {
      hint: 'a run is a number: enrich diff 12, or enrich diff 12..15; enrich runs lists them',
    })
  }
  if (first === undefined || dots === undefined) {
    const newer = second ?? first
    return withBaseline(newer === undefined ? lastCompared(runs) : publishedRun(Number(newer), runs), runs)
  }
  const older = publishedRun(Number(first), runs)
  const newer =
    second === undefined
      ? lastOf(runs.filter(({ series }) => series === older.series))
      : publishedRun(Number(second), runs)
  return comparable({ older, newer })
}

/** The first run of another input that came after it was compared with none. */
const lastCompared = (runs: readonly RememberedRun[]): RememberedRun =>
  runs.find(({ isPublished, baseline }) => isPublished && baseline !== null) ?? lastOf(runs)

function lastOf(runs: readonly RememberedRun[]): RememberedRun {
  const last = runs.find(({ isPublished }) => isPublished)
  if (last !== undefined) return last
  throw new UserError('RUN_NOT_FOUND', 'no run is remembered that wrote an output', {
    hint: 'run twice, then compare: enrich companies.csv -o out.parquet',
  })
}

function publishedRun(number: number, runs: readonly RememberedRun[]): RememberedRun {
  const run = runs.find((one) => one.number === number)
  if (run === undefined) throw new UserError('RUN_NOT_FOUND', `there is no run ${number}`, listed)
  if (run.isPublished) return run
  const wrote = (run.record?.figures ?? null) !== null
  throw new UserError(
    'RUN_OUTPUT_UNKNOWN',
    wrote ? `what run ${number} wrote is no longer remembered` : `run ${number} wrote no output`,
    wrote ? { hint: 'history.keep says of how many runs it is; enrich runs lists them' } : listed,
  )
}

function withBaseline(newer: RememberedRun, runs: readonly RememberedRun[]): RunPair {
  if (newer.baseline === null) {
    throw new UserError(
      'RUN_OUTPUT_UNKNOWN',
      `run ${newer.number} is the first of its input: there is no output before it to compare with`,
      { hint: 'run again, or name two runs: enrich diff 12..15' },
    )
  }
  return { newer, older: publishedRun(newer.baseline, runs) }
}

function comparable(pair: RunPair): RunPair {
  const { older, newer } = pair
  if (older.series === newer.series) return pair
  throw new UserError(
    'RUNS_NOT_COMPARABLE',
    `run ${older.number} is of ${older.series}, and run ${newer.number} of ${newer.series}`,
    { hint: 'outputs of one input, or of one --job, are compared; enrich runs lists them' },
  )
}

/** A run that was killed, or ended by an error, has no summary: the checkpoint knows what it submitted. */
export function withSubmissions(record: RunRecord, submissions: readonly KindSubmissions[]): RunRecord {
  const submittedCount = countSubmitted(submissions)
  if (submittedCount === 0) return record
  return {
    ...record,
    submittedCount,
    money: record.money === null ? null : moneyOf(pricesOfMoney(record.money), submissions.map(toBilled)),
  }
}

const toBilled = ({ kind, acceptedCount, uncertainCount }: KindSubmissions) => ({
  kind,
  billedCount: acceptedCount,
  uncertainCount,
})

const countSubmitted = (submissions: readonly KindSubmissions[]): number =>
  submissions.reduce((sum, { acceptedCount, uncertainCount }) => sum + acceptedCount + uncertainCount, 0)

function pricesOfMoney({ currency, byKind }: Money): Prices {
  const prices = Object.entries(byKind).map(([kind, { unitPrice }]) => [kind, microsOfUnits(unitPrice)])
  return { currency, byKind: Object.fromEntries(prices) as Prices['byKind'] }
}

/** Submissions of a run, of all kinds; `undefined` if unknown. */
export function countSubmittedByRun(record: RunRecord): number | undefined {
  const { summary } = record
  if (summary === null) return record.submittedCount
  const accepted = summary.stages.reduce((sum, { askedCount }) => sum + askedCount, summary.billedCount)
  return accepted + (summary.lostCount ?? 0)
}

/** Sums over everything that a checkpoint knows. */
export interface CheckpointTotals {
  readonly runCount: number
  /** Submissions that were accepted, or may have been. */
  readonly submittedCount: number
  /** Accepted submissions that a hosted service bills. */
  readonly billedCount: number
  /** Submissions that a hosted service may have billed in addition. */
  readonly uncertainCount: number
  /** By currency; empty if no price is known. */
  readonly costs: readonly TotalCost[]
}

interface TotalCost {
  readonly currency: string | null
  /** In units of the currency: cost of the runs that are remembered. */
  readonly cost: number
  /** Lookups in this cost. Fewer than are billed if some were submitted without a known price. */
  readonly lookupCount: number
}

/** `runs`: all that are remembered. `submissions`: all that the checkpoint knows. */
export function addUpRuns(
  runs: readonly RememberedRun[],
  submissions: readonly KindSubmissions[],
): CheckpointTotals {
  const priced = new Set<string>(['resolution', 'domain'])
  const costs = new Map<string | null, { micros: number; lookupCount: number }>()
  for (const { record } of runs) {
    const money = record?.money ?? null
    if (money === null) continue
    const sum = costs.get(money.currency) ?? { micros: 0, lookupCount: 0 }
    costs.set(money.currency, sum)
    sum.micros += microsOfUnits(money.cost)
    for (const [kind, { count, unitPrice }] of Object.entries(money.byKind)) {
      if (unitPrice === 0) continue
      sum.lookupCount += count
      priced.add(kind)
    }
  }
  const billed = submissions.filter(({ kind, scope }) => priced.has(kind) && isHosted(scope))
  return {
    runCount: runs.length,
    submittedCount: countSubmitted(submissions),
    billedCount: billed.reduce((sum, { acceptedCount }) => sum + acceptedCount, 0),
    uncertainCount: billed.reduce((sum, { uncertainCount }) => sum + uncertainCount, 0),
    costs: [...costs].map(([currency, { micros, lookupCount }]) => ({
      currency,
      cost: micros / 1_000_000,
      lookupCount,
    })),
  }
}

/** The embedded service bills nobody. */
const isHosted = (scope: string): boolean => !scope.startsWith('embedded:')
