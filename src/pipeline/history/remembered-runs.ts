import { UserError } from '../../core/errors.js'
import {
  countBilled,
  sumSubmitted,
  toMicros,
  type BilledCount,
  type KindSubmissions,
  type Money,
} from '../../core/money.js'
import { readScope, type LookupKind } from '../../core/lookup-state.js'
import { isPendingStatus } from '../answers/published-state.js'
import { matchRows, noRow } from './match-rows.js'
import {
  getSubmissions,
  type HistoryReader,
  type PublishedOutput,
  type RememberedRun,
  type ScopeSubmissions,
} from './run-record.js'

/** Two runs whose outputs are compared. */
export interface RunPair {
  readonly older: RememberedRun
  readonly newer: RememberedRun
}

const listed = { hint: 'enrich runs lists them' }

/**
 * Selects the runs to compare. `12`: run 12 and its baseline; `12..15`: run 12 and run 15; `12..`: run 12 and the last
 * one of the same input; `null`: the last run that has a baseline, with it. `runs` are ordered newest first. Throws
 * USAGE_INVALID, RUN_NOT_FOUND, RUN_OUTPUT_UNKNOWN and RUNS_NOT_COMPARABLE.
 */
export function chooseRuns(asked: string | null, runs: readonly RememberedRun[]): RunPair {
  const [, first, dots, second] = /^(\d{1,9})?(\.\.)?(\d{1,9})?$/.exec(asked ?? '') ?? []
  const isRun = first !== undefined || second !== undefined
  if (asked !== null && (!isRun || (dots === undefined && second !== undefined))) {
    throw new UserError('USAGE_INVALID', `${JSON.stringify(asked)} does not name runs`, {
      hint: 'a run is a number: enrich diff 12, or enrich diff 12..15; enrich runs lists them',
    })
  }
  if (first === undefined || dots === undefined) {
    const newer = second ?? first
    return withBaseline(
      newer === undefined ? findLastCompared(runs) : findPublishedRun(Number(newer), runs),
      runs,
    )
  }
  const older = findPublishedRun(Number(first), runs)
  const newer =
    second === undefined
      ? findLastPublished(runs.filter(({ series }) => series === older.series))
      : findPublishedRun(Number(second), runs)
  return assertComparable({ older, newer })
}

/** The last run may be the first one of another input and have no baseline. */
const findLastCompared = (runs: readonly RememberedRun[]): RememberedRun =>
  runs.find(({ isPublished, baseline }) => isPublished && baseline !== null) ?? findLastPublished(runs)

function findLastPublished(runs: readonly RememberedRun[]): RememberedRun {
  const last = runs.find(({ isPublished }) => isPublished)
  if (last !== undefined) return last
  throw new UserError('RUN_NOT_FOUND', 'no stored run has an output', {
    hint: 'run twice, then compare: enrich companies.csv -o out.parquet',
  })
}

function findPublishedRun(number: number, runs: readonly RememberedRun[]): RememberedRun {
  const run = runs.find((one) => one.number === number)
  if (run === undefined) throw new UserError('RUN_NOT_FOUND', `there is no run ${number}`, listed)
  if (run.isPublished) return run
  const wrote = (run.record?.figures ?? null) !== null
  throw new UserError(
    'RUN_OUTPUT_UNKNOWN',
    wrote ? `the output of run ${number} is no longer stored` : `run ${number} wrote no output`,
    wrote ? { hint: 'history.keep sets how many outputs are stored; enrich runs lists the runs' } : listed,
  )
}

function withBaseline(newer: RememberedRun, runs: readonly RememberedRun[]): RunPair {
  if (newer.baseline === null) throw createNoBaselineError(newer, runs)
  return { newer, older: findPublishedRun(newer.baseline, runs) }
}

function createNoBaselineError({ number, series }: RememberedRun, runs: readonly RememberedRun[]): UserError {
  const hasEarlier = runs.some((run) => run.series === series && run.isPublished && run.number < number)
  return hasEarlier
    ? new UserError('RUN_OUTPUT_UNKNOWN', `run ${number} was not compared with the run before it`, {
        hint: `name a run with the same --row-key: enrich diff N..${number}; enrich runs lists the runs`,
      })
    : new UserError(
        'RUN_OUTPUT_UNKNOWN',
        `run ${number} is the first of its input: there is no earlier output to compare with`,
        { hint: 'run again, or name two runs: enrich diff 12..15' },
      )
}

function assertComparable(pair: RunPair): RunPair {
  const { older, newer } = pair
  if (older.series === newer.series) return pair
  throw new UserError(
    'RUNS_NOT_COMPARABLE',
    `run ${older.number} belongs to ${older.series}, and run ${newer.number} to ${newer.series}`,
    { hint: 'compare runs of the same input or --job; enrich runs lists them' },
  )
}

/** Sums over everything that a checkpoint knows. */
export interface CheckpointTotals {
  readonly runCount: number
  /** Submissions that were accepted, or may have been. */
  readonly submittedCount: number
  /** Accepted submissions that a hosted service bills. */
  readonly billedCount: number
  /** Whether fewer may be billed. */
  readonly isBilledAtMost: BilledCount['isMost']
  /** Submissions that a hosted service may have billed in addition. */
  readonly uncertainCount: number
  /** One sum for each currency; empty if no price is known. */
  readonly costs: readonly TotalCost[]
}

interface TotalCost {
  readonly currency: string | null
  /** Cost of the stored runs, and of their lost submissions that were reconciled later; in units of the currency. */
  readonly cost: number
  /** Lookups in this cost. Fewer than are billed if some were submitted without a known price. */
  readonly lookupCount: number
}

/** Adds up the figures of all stored runs and of all submissions in the checkpoint. */
export function sumRuns(
  runs: readonly RememberedRun[],
  submissions: readonly ScopeSubmissions[],
): CheckpointTotals {
  const priced: Record<string, true> = {}
  const costs = new Map<string | null, { micros: number; lookupCount: number }>()
  for (const { record } of runs) {
    const money = record?.money ?? null
    if (money === null) continue
    const sum = costs.get(money.currency) ?? { micros: 0, lookupCount: 0 }
    costs.set(money.currency, sum)
    sum.micros += toMicros(money.cost)
    for (const [kind, { count, unitPrice }] of Object.entries(money.byKind)) {
      if (unitPrice === 0) continue
      sum.lookupCount += count
      priced[kind] = true
    }
  }
  const hosted = submissions.filter(({ scope }) => isHosted(scope))
  for (const { kind, money, count } of listReconciled(runs, hosted)) {
    const sum = costs.get(money.currency)
    const unitPrice = money.byKind[kind]?.unitPrice ?? 0
    if (sum === undefined || unitPrice === 0) continue
    sum.micros += count * toMicros(unitPrice)
    sum.lookupCount += count
  }
  const { count: billedCount, uncertainCount, isMost } = countBilled(hosted, priced)
  const scopes = new Set(runs.map(({ record }) => record?.scope))
  // A registry that answers first gets lookups that no run counts as submitted.
  const isOfRun = ({ scope }: ScopeSubmissions) => isHosted(scope) || scopes.has(readScope(scope).base)
  return {
    runCount: runs.length,
    submittedCount: sumSubmitted(submissions.filter(isOfRun)),
    billedCount,
    isBilledAtMost: isMost,
    uncertainCount,
    costs: [...costs].map(([currency, { micros, lookupCount }]) => ({
      currency,
      cost: micros / 1_000_000,
      lookupCount,
    })),
  }
}

interface Reconciled {
  readonly kind: LookupKind
  readonly money: Money
  readonly count: number
}

/** Lists the submissions that a run counted as lost, and that the checkpoint counts as billed without a later run. */
function listReconciled(
  runs: readonly RememberedRun[],
  hosted: readonly ScopeSubmissions[],
): readonly Reconciled[] {
  const all = runs.flatMap(({ record }) =>
    record?.service === 'hosted'
      ? getSubmissions(record).map((one) => ({ ...one, money: record.money }))
      : [],
  )
  return [...new Set(hosted.map(({ kind }) => kind))].flatMap((kind) => {
    const now = sumCounts(hosted.filter((one) => one.kind === kind))
    const counted = all.filter((one) => one.kind === kind)
    const { submittedCount, billedCount, uncertainCount } = sumCounts(counted)
    // A run also bills what an earlier one lost, if it learns of it.
    const foundCount = billedCount + uncertainCount - submittedCount
    let left = Math.min(now.billedCount - billedCount, uncertainCount - foundCount - now.uncertainCount)
    return counted.flatMap(({ money, uncertainCount: lostCount }) => {
      const count = Math.max(0, Math.min(left, lostCount))
      left -= count
      return count === 0 || money === null ? [] : [{ kind, money, count }]
    })
  })
}

const sumCounts = (submissions: readonly KindSubmissions[]): Omit<KindSubmissions, 'kind'> => ({
  submittedCount: sumSubmitted(submissions),
  billedCount: submissions.reduce((sum, { billedCount }) => sum + billedCount, 0),
  uncertainCount: submissions.reduce((sum, { uncertainCount }) => sum + uncertainCount, 0),
})

/** The embedded service is free. */
const isHosted = (scope: string): boolean => !scope.startsWith('embedded:')

/** The facts of a run that decide how much of it is kept. */
export interface KeepableRun {
  readonly number: number
  readonly hasOutput: boolean
  readonly isPublished: boolean
}

/** If a run was killed after it published, the next one is compared with its baseline. */
const outputsMin = 2
/** Records are kept for this many times as many runs as outputs. */
const recordsTimes = 10

/**
 * Chooses the runs of a series, given newest first, whose output is deleted, and those that are deleted whole. Nothing
 * is deleted until there are 10 % more than `runsMax`, so that few runs pay for the clean-up.
 */
export function selectRunsToPrune(
  runs: readonly KeepableRun[],
  runsMax: number,
): { readonly withoutOutput: ReadonlySet<number>; readonly gone: ReadonlySet<number> } {
  const outputsMax = Math.max(runsMax, outputsMin)
  const published = runs.filter(({ hasOutput, isPublished }) => hasOutput && isPublished)
  const newest = published[0]?.number ?? 0
  const isDue = published.length > outputsMax + Math.floor(runsMax / 10)
  const kept = new Set(published.slice(0, outputsMax).map(({ number }) => number))
  // An output stored by a run that was killed before publishing is never used once a newer one is published.
  const isForgotten = ({ number, hasOutput }: KeepableRun) =>
    hasOutput && number < newest && !kept.has(number)
  const gone = runs.slice(outputsMax * recordsTimes).map(({ number }) => number)
  return {
    withoutOutput: new Set(isDue ? runs.filter(isForgotten).map(({ number }) => number) : []),
    gone: new Set(isDue || runs.length > outputsMax * recordsTimes * 1.1 ? gone : []),
  }
}

/** The facts of a run that decide its use as a baseline. */
export type ComparableRun = Pick<
  RememberedRun,
  'number' | 'series' | 'endedAtMs' | 'isPublished' | 'baseline'
>

/**
 * Chooses the baseline of a run from all runs, newest first, or returns `null`. If the previous run published and
 * did not end, it may not have reported its changes: the new run takes its baseline, and reports them again.
 */
export function chooseBaseline(
  runs: readonly ComparableRun[],
  run: { number: number; series: string },
): number | null {
  const earlier = runs.filter(
    ({ number, series, isPublished }) => isPublished && series === run.series && number < run.number,
  )
  const newest = earlier[0]
  if (newest === undefined || newest.endedAtMs !== null) return newest?.number ?? null
  return earlier.some(({ number }) => number === newest.baseline) ? newest.baseline : null
}

/** Runs of a checkpoint, and their outputs. */
export type Outputs = Pick<HistoryReader, 'runs' | 'published'>

/**
 * Returns a run's output as later ones are compared with it: each pending row takes the entry of the same row in the
 * baseline, in the baseline's baseline, and so on. Rows that never had an answer stay pending. Returns `null` if the
 * output is no longer stored. `baseline` is for a run that was killed before it stored its own. Rejects with
 * CHECKPOINT_DAMAGED.
 */
export async function readSettledOutput(
  history: Outputs,
  run: number,
  baseline: number | null = null,
): Promise<PublishedOutput | null> {
  const output = await history.published(run)
  if (output === null) return null
  const pending = new Set(await output.numbersOf(isPendingStatus))
  const rows = output.rows.slice()
  const open = new Set<number>()
  for (const [row, entry] of rows.entries()) if (pending.has(entry)) open.add(row)
  if (open.size === 0) return output
  const settled = { ...output, rows }
  for await (const before of readEarlierOutputs(history, run, baseline)) {
    for (const entry of await before.numbersOf(isPendingStatus)) pending.add(entry)
    const { changed } = await matchRows(before, settled)
    for (const [at, row] of changed.newer.entries()) {
      if (!open.has(row)) continue
      const olderRow = changed.older[at] ?? noRow
      const entry = olderRow === noRow ? undefined : before.rows[olderRow]
      if (entry !== undefined) rows[row] = entry
      if (entry === undefined || !pending.has(entry)) open.delete(row)
    }
    // An output without pending rows was compared unchanged.
    if (open.size === 0 || !before.rows.some((entry) => pending.has(entry))) break
  }
  return settled
}

/** Yields the baseline of a run, the baseline of that run, and so on. */
async function* readEarlierOutputs(
  history: Outputs,
  run: number,
  first: number | null,
): AsyncGenerator<PublishedOutput> {
  const baselines = new Map((await history.runs()).map(({ number, baseline }) => [number, baseline]))
  let number = baselines.get(run) ?? first
  for (; number !== null; number = baselines.get(number) ?? null) {
    const output = await history.published(number)
    if (output === null) return
    yield output
  }
}
