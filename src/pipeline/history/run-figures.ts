import { createEmptyPlan, type LookupPlan } from '../../core/lookup-state.js'
import { findEndReason, isBudgetEnd, type BudgetEnd, type Stop } from '../scheduler/scheduling.js'
import type { ReviewCounts } from '../../core/decisions.js'
import type { RowIndex } from '../input/ingest.js'
import type { AnsweredRows } from '../output/output.js'
import {
  countAccepted,
  countSubmissions,
  countUnsubmitted,
  createTally,
  toStageFacts,
  type Tally,
  type KindRun,
} from './tally.js'
import { calculateMoney, type Prices } from '../../core/money.js'
import type { JobSpending } from '../scheduler/scheduler.js'
import type { FirstFigures } from '../answers/first-rule.js'
import type { RunSummary } from './run-summary.js'

export {
  estimateEtaMs,
  type PlannedLookups,
  type Progress,
  type RunEvent,
  type RunObserver,
  getExitCode,
  type RunSummary,
  type StageFacts,
  type TimelinePoint,
} from './run-summary.js'
export { calculateMoneySoFar, watchProgress } from './progress-watch.js'
export { createTimeline, type Timeline } from './run-record.js'
export { createTally, type KindRun, type Tally } from './tally.js'

interface SummaryFacts {
  readonly service: { readonly service: RunSummary['service']; readonly isDemo?: boolean | undefined }
  readonly lookups: LookupFacts
  readonly tally: Tally
  readonly index: Pick<RowIndex, 'rowCount' | 'invalidCount'>
  readonly rows: RowFacts
  /** Null if nothing is billed or no price is known. */
  readonly prices: Prices | null
  readonly notes: readonly string[]
  readonly elapsedMs: number
}

export interface LookupFacts {
  /** The plan of this process, with what other processes have settled. */
  readonly plan: Readonly<Record<LookupPlan, number>>
  /** Lookups by domain, which are not in `plan`. */
  readonly domainCount: number
  /** Kinds in addition to resolutions. */
  readonly stages: readonly KindRun[]
  /** Null: nothing is left to wait for. */
  readonly stop: Stop | null
  /** Submissions of the job at its stop, and whether the next run starts a new count. */
  readonly job: { readonly spent: JobSpending; readonly startsAnew: boolean } | null
  /** Time spent submitting and polling. */
  readonly askingMs: number
}

/** The rows of a run: those of its output, and those written or read for a report. */
interface RowFacts {
  readonly written:
    | (Pick<AnsweredRows, 'rowCounts'> & { readonly report: Awaited<ReturnType<AnsweredRows['publish']>> })
    | null
  readonly known: { readonly review: ReviewCounts; readonly first: FirstFigures | null } | null
}

/** Summarizes a run whose rows are written; the alarms are missing. */
export function buildSummary(facts: SummaryFacts): RunSummary {
  const { service, lookups, tally, index, rows, prices } = facts
  const { stop, plan, domainCount, askingMs } = lookups
  const { report = null, rowCounts = [] } = rows.written ?? {}
  const { review = null, first = null } = rows.known ?? {}
  const nameCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const cachedCount = plan.answered
  const stages = lookups.stages.map(toStageFacts)
  const failedCount = plan.failed + (tally.outcomes.get('failed') ?? 0)
  const rejectedCount = plan.invalid + tally.rejected
  const uncertainCount = Math.max(0, plan.uncertain + tally.lost - tally.claimed)
  const submissions = [{ kind: 'resolution', tally } as const, ...lookups.stages].map(countSubmissions)
  return {
    service: service.service,
    isDemo: service.isDemo === true,
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
    rowsByStatus: Object.fromEntries(rowCounts),
    review,
    ...(first === null ? {} : { first }),
    outcomes: Object.fromEntries(tally.outcomes),
    schemaDeviations: Object.fromEntries(tally.schemaDeviations),
    basisLineCount: report?.basisLineCount ?? 0,
    stages,
    money: prices === null ? null : calculateMoney(prices, submissions),
    alarms: [],
    notes: [...facts.notes, ...buildNotes(tally)],
    elapsedMs: facts.elapsedMs,
    submissionsPerMinute: askingMs > 0 ? tally.submissions / (askingMs / 60_000) : 0,
  }
}

/** Returns the state of the budget that ended the run; `null` if none did. */
function findBudgetEnd({ service, lookups, tally, prices }: SummaryFacts): BudgetEnd | null {
  const { plan, domainCount, stop, job, stages } = lookups
  const ended = findEndReason({ stop, stages: stages.map(toStageFacts) })
  if (ended === null || !isBudgetEnd(ended.stop) || job === null) return null
  const all: readonly Pick<KindRun, 'kind' | 'plan' | 'tally'>[] = [
    { kind: 'resolution', plan, tally },
    ...stages,
  ]
  // A limit on lookups covers the rows, or one kind; a cost limit covers every kind with a price.
  const isOfRows = ended.stop.kind === 'lookups_max' && ended.kind === 'resolution'
  const isCounted = ({ kind }: Pick<KindRun, 'kind'>) => {
    if (ended.stop.kind === 'cost_max') return (prices?.byKind[kind] ?? 0) > 0
    if (!isOfRows) return kind === ended.kind
    return kind === 'resolution' || (kind === 'domain' && domainCount > 0)
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
    isBilled: service.service === 'hosted',
    startsAnew: job.startsAnew,
    currency: prices?.currency ?? null,
  }
}

/** Summary of a run without any lookups. */
export const createEmptySummary = (service: RunSummary['service']): RunSummary =>
  buildSummary({
    service: { service },
    lookups: { plan: createEmptyPlan(), domainCount: 0, stages: [], stop: null, job: null, askingMs: 0 },
    tally: createTally().tally,
    index: { rowCount: 0, invalidCount: 0 },
    rows: { written: null, known: null },
    prices: null,
    notes: [],
    elapsedMs: 0,
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
