import { microsOfUnits, moneyOf, type Money, type Prices } from '../rules/money.js'
import type { RunRecord } from '../rules/run-record.js'
import type { KindSubmissions, RememberedRun } from './history.js'

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
