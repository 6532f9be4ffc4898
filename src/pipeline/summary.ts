import { createEmptyPlan, type LookupPlan } from './lookups/lookup-state.js'
import { findEndReason, isBudgetEnd, type BudgetEnd, type Stop } from './figures/stop.js'
import type { RowCounts } from './output/answer-lines.js'
import { RowIndex } from './input/row-index.js'
import type { PublishReport } from './output/publish.js'
import {
  countAccepted,
  countSubmissions,
  countUnsubmitted,
  toStageFacts,
  type Tally,
  type KindRun,
} from './tally.js'
import { calculateMoney, type Prices } from './figures/money.js'
import type { JobSpending } from './scheduler/budgets.js'
import type { FirstFigures } from './figures/first-figures.js'
import type { ReviewCounts, RunSummary } from './figures/run-summary.js'

export type { RunSummary } from './figures/run-summary.js'

export interface SummaryFacts {
  service: RunSummary['service']
  isDemo?: boolean | undefined
  stop: Stop | null
  /** Submissions of the job at its stop, and whether the next run starts a new count. */
  job: { readonly spent: JobSpending; readonly startsAnew: boolean } | null
  plan: Readonly<Record<LookupPlan, number>>
  /** Lookups by domain, which are not in `plan`. */
  domainCount: number
  tally: Tally
  /** Kinds in addition to resolutions. */
  stages: readonly KindRun[]
  prices: Prices | null
  index: RowIndex
  rows: RowCounts
  review: ReviewCounts | null
  first: FirstFigures | null
  report: PublishReport | null
  notes: readonly string[]
  elapsedMs: number
  /** Time spent submitting and polling. */
  askingMs: number
}

export function buildSummary(facts: SummaryFacts): RunSummary {
  const { stop, plan, tally, index, report, domainCount } = facts
  const nameCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const cachedCount = plan.answered
  const stages = facts.stages.map(toStageFacts)
  const failedCount = plan.failed + (tally.outcomes.get('failed') ?? 0)
  const rejectedCount = plan.invalid + tally.rejected
  const uncertainCount = Math.max(0, plan.uncertain + tally.lost - tally.claimed)
  const submissions = [{ kind: 'resolution', tally } as const, ...facts.stages].map(countSubmissions)
  return {
    service: facts.service,
    isDemo: facts.isDemo === true,
    stop,
    budgetEnd: findBudgetEnd(facts),
    outputPaths: report?.paths ?? [],
    rowCount: index.rowCount,
    invalidRowCount: index.invalidCount,
    lookupCount: nameCount + domainCount,
    domainCount,
    cachedCount,
    decidedCount: stages.reduce((sum, stage) => sum + stage.decidedCount, plan.decided),
    billedCount: Math.max(0, countAccepted(tally)),
    submissions,
    claimedCount: tally.claimed,
    uncertainCount,
    failedCount,
    rejectedCount,
    pendingCount:
      nameCount - cachedCount - plan.decided - plan.failed - rejectedCount - uncertainCount - tally.answered,
    pollCount: tally.polls,
    answeredCount: tally.answered,
    pollsPerResult: tally.answered === 0 ? null : tally.polls / tally.answered,
    rateLimitedCount: tally.rateLimited,
    misdirectedCount: tally.misdirected,
    heldCount: tally.held.size,
    contradictionCount: tally.contradictions,
    deliveries: { ...tally.deliveries },
    rowsByStatus: Object.fromEntries(facts.rows),
    review: facts.review,
    ...(facts.first === null ? {} : { first: facts.first }),
    outcomes: Object.fromEntries(tally.outcomes),
    schemaDeviations: Object.fromEntries(tally.schemaDeviations),
    basisLineCount: report?.basisLineCount ?? 0,
    stages,
    money: facts.prices === null ? null : calculateMoney(facts.prices, submissions),
    alarms: [],
    notes: [...facts.notes, ...buildNotes(tally)],
    elapsedMs: facts.elapsedMs,
    submissionsPerMinute: facts.askingMs > 0 ? tally.submissions / (facts.askingMs / 60_000) : 0,
  }
}

/** Returns the state of the budget that ended the run; `null` if none did. */
function findBudgetEnd({ service, stop, job, prices, ...facts }: SummaryFacts): BudgetEnd | null {
  const ended = findEndReason({ stop, stages: facts.stages.map(toStageFacts) })
  if (ended === null || !isBudgetEnd(ended.stop) || job === null) return null
  const all: readonly Pick<KindRun, 'kind' | 'plan' | 'tally'>[] = [
    { kind: 'resolution', plan: facts.plan, tally: facts.tally },
    ...facts.stages,
  ]
  // A limit on lookups covers the rows, or one kind; a cost limit covers every kind with a price.
  const isOfRows = ended.stop.kind === 'lookups_max' && ended.kind === 'resolution'
  const isCounted = ({ kind }: Pick<KindRun, 'kind'>) => {
    if (ended.stop.kind === 'cost_max') return (prices?.byKind[kind] ?? 0) > 0
    if (!isOfRows) return kind === ended.kind
    return kind === 'resolution' || (kind === 'domain' && facts.domainCount > 0)
  }
  const counted = all.filter(isCounted)
  const calculateCost = (count: (one: (typeof all)[number]) => number): number | null => {
    if (prices === null) return null
    const kinds = counted.map((one) => ({ kind: one.kind, billedCount: count(one), uncertainCount: 0 }))
    return calculateMoney(prices, kinds).cost
  }
  const sum = (count: (one: (typeof all)[number]) => number) =>
    counted.reduce((total, one) => total + count(one), 0)
  const countOwn = (one: (typeof all)[number]) => countSubmissions(one).submittedCount
  const countSpent = ({ kind }: Pick<KindRun, 'kind'>) => job.spent.byKind.get(kind) ?? 0
  return {
    leftCount: sum(countUnsubmitted),
    leftCost: calculateCost(countUnsubmitted),
    spentCount: isOfRows ? job.spent.byRows : sum(countSpent),
    spentCost: calculateCost(countSpent),
    ownCount: sum(countOwn),
    ownCost: calculateCost(countOwn),
    isBilled: service === 'hosted',
    startsAnew: job.startsAnew,
    currency: prices?.currency ?? null,
  }
}

/** Summary of a run without any lookups. */
export const createEmptySummary = (service: RunSummary['service'], tally: Tally): RunSummary =>
  buildSummary({
    service,
    stop: null,
    job: null,
    tally,
    domainCount: 0,
    stages: [],
    prices: null,
    index: new RowIndex(),
    plan: createEmptyPlan(),
    rows: new Map(),
    review: null,
    first: null,
    report: null,
    notes: [],
    elapsedMs: 0,
    askingMs: 0,
  })

function buildNotes({ webhookRefusal, contradictions, deliveries, ...tally }: Tally): string[] {
  return [
    ...(tally.misdirected === 0
      ? []
      : [
          `ALARM: ${tally.misdirected} answers belonged to other lookups: none was written, each was requested again; ` +
            `${tally.held.size} lookups are still held (check whether a cache or a proxy mixes answers up)`,
        ]),
    ...(webhookRefusal === null
      ? []
      : [`the service refuses the webhook URL (${webhookRefusal}): the answers were polled`]),
    ...(contradictions === 0
      ? []
      : [
          `ALARM: ${contradictions} runs were answered twice with different answers; the first answer is kept`,
        ]),
    ...(deliveries.quarantined === 0
      ? []
      : [`${deliveries.quarantined} webhooks are inconsistent: they are quarantined and not used`]),
  ]
}
