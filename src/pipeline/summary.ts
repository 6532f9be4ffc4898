import type { LookupPlan } from './rules/lookup-state.js'
import type { Stop } from './rules/stop.js'
import type { RowCounts } from './output/answer-lines.js'
import type { RowIndex } from './input/row-index.js'
import type { PublishReport } from './output/publish.js'
import type { Tally } from './tally.js'
import { billedOf, stageFactsOf, type KindRun } from './kind-run.js'
import { moneyOf, type Money, type Prices } from './rules/money.js'
import type { StageFacts } from './rules/stage-facts.js'

/** What a run came to. Rows are rows of the input; everything else counts distinct lookups. */
export interface RunSummary {
  /** What the embedded service bills is counted like a hosted one's, and costs nothing. */
  service: 'hosted' | 'embedded'
  /** Null: nothing is left to wait for. */
  stop: Stop | null
  /** Files written, in the order of their publishing; none when the run stopped early without `partial`. */
  outputPaths: readonly string[]
  rowCount: number
  invalidRowCount: number
  lookupCount: number
  /** Answered before this run began. */
  cachedCount: number
  /** Submissions that were accepted, each billed. */
  billedCount: number
  /** Uncertain ones whose run a webhook named: they are uncertain no more. */
  claimedCount: number
  /** May have been billed; held, and never submitted again unless told to. */
  uncertainCount: number
  /** Runs that ended without a result; they were paid for. */
  failedCount: number
  /** Lookups that the service will not take as they are; they cost nothing. */
  rejectedCount: number
  /** Without a final answer: not submitted, running, or parked. */
  pendingCount: number
  pollCount: number
  answeredCount: number
  pollsPerResult: number | null
  rateLimitedCount: number
  /** Answers that belonged to another lookup than was asked for; none was written. */
  misdirectedCount: number
  /** Lookups to which such an answer came last, and that have none of their own yet. */
  heldCount: number
  /** Submissions for which the service named the run of another one; they are uncertain. */
  contestedCount: number
  /** Answers that differ from the first one of their run, which stands. */
  contradictionCount: number
  /** Webhooks taken from the inbox, by what became of them. */
  deliveries: Readonly<{ taken: number; unclaimed: number; quarantined: number }>
  /** Rows by what became of them, when an output was written. */
  rowsByStatus: Readonly<Record<string, number>>
  /** Lookups answered in this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** What answers held outside the interface, with how often: kept, and never fatal. */
  schemaDeviations: Readonly<Record<string, number>>
  basisLineCount: number
  /** Each kind that was asked besides resolutions. */
  stages: readonly StageFacts[]
  /** Null where nobody pays, or no price is known. */
  money: Money | null
  notes: readonly string[]
  elapsedMs: number
  submissionsPerMinute: number
}

export interface SummaryFacts {
  service: RunSummary['service']
  stop: Stop | null
  plan: Readonly<Record<LookupPlan, number>>
  tally: Tally
  /** Besides resolutions. */
  stages: readonly KindRun[]
  prices: Prices | null
  index: RowIndex
  rows: RowCounts
  report: PublishReport | null
  notes: readonly string[]
  elapsedMs: number
  /** Of which submitting and polling took. */
  askingMs: number
}

export function summarise(facts: SummaryFacts): RunSummary {
  const { stop, plan, tally, index, report } = facts
  const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const cachedCount = plan.answered
  const failedCount = plan.failed + (tally.outcomes.get('failed') ?? 0)
  const rejectedCount = plan.invalid + tally.rejected
  const uncertainCount = Math.max(0, plan.uncertain + tally.lost - tally.claimed)
  const billed = [billedOf({ kind: 'resolution', tally }), ...facts.stages.map(billedOf)]
  return {
    service: facts.service,
    stop,
    outputPaths: report?.paths ?? [],
    rowCount: index.rowCount,
    invalidRowCount: index.invalidCount,
    lookupCount,
    cachedCount,
    billedCount: tally.accepted,
    claimedCount: tally.claimed,
    uncertainCount,
    failedCount,
    rejectedCount,
    pendingCount: lookupCount - cachedCount - plan.failed - rejectedCount - uncertainCount - tally.answered,
    pollCount: tally.polls,
    answeredCount: tally.answered,
    pollsPerResult: tally.answered === 0 ? null : tally.polls / tally.answered,
    rateLimitedCount: tally.rateLimited,
    misdirectedCount: tally.misdirected,
    heldCount: tally.held.size,
    contestedCount: tally.contested,
    contradictionCount: tally.contradictions,
    deliveries: { ...tally.deliveries },
    rowsByStatus: Object.fromEntries(facts.rows),
    outcomes: Object.fromEntries(tally.outcomes),
    schemaDeviations: Object.fromEntries(tally.schemaDeviations),
    basisLineCount: report?.basisLineCount ?? 0,
    stages: facts.stages.map(stageFactsOf),
    money: facts.prices === null ? null : moneyOf(facts.prices, billed),
    notes: [...facts.notes, ...notesOf(tally)],
    elapsedMs: facts.elapsedMs,
    submissionsPerMinute: facts.askingMs > 0 ? tally.submissions / (facts.askingMs / 60_000) : 0,
  }
}

function notesOf({ webhookRefusal, contradictions, deliveries, ...tally }: Tally): string[] {
  return [
    ...(tally.misdirected === 0
      ? []
      : [
          `ALARM: ${tally.misdirected} answers belonged to other lookups: none was written, each was asked for again; ` +
            `${tally.held.size} lookups are still held (does a cache or a proxy mix answers up?)`,
        ]),
    ...(tally.contested === 0
      ? []
      : [
          `ALARM: the service named one run for several submissions, ${tally.contested} times; ` +
            'only what an answer proves to be its own was written, the rest is uncertain',
        ]),
    ...(webhookRefusal === null
      ? []
      : [`the service does not take the webhook URL (${webhookRefusal}): the answers were polled`]),
    ...(contradictions === 0
      ? []
      : [`ALARM: ${contradictions} runs were answered twice, differently; the first answer stands`]),
    ...(deliveries.quarantined === 0
      ? []
      : [
          `${deliveries.quarantined} webhooks contradict themselves or what is known: in quarantine, not used`,
        ]),
  ]
}

/** Rows and lookups without a final outcome of the service: the run ends with exit code 3. */
export function needsAttention(summary: RunSummary): boolean {
  const { invalidRowCount, rejectedCount, failedCount, uncertainCount, pendingCount, stages } = summary
  const openOf = (
    facts: Pick<StageFacts, 'rejectedCount' | 'failedCount' | 'uncertainCount' | 'pendingCount'>,
  ) => facts.rejectedCount + facts.failedCount + facts.uncertainCount + facts.pendingCount
  const own = openOf({ rejectedCount, failedCount, uncertainCount, pendingCount })
  return stages.reduce((sum, stage) => sum + openOf(stage), invalidRowCount + own) > 0
}
