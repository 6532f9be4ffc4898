import { nothingPlanned, type LookupPlan } from './rules/lookup-state.js'
import type { Stop } from './rules/stop.js'
import type { RowCounts } from './output/answer-lines.js'
import { RowIndex } from './input/row-index.js'
import type { PublishReport } from './output/publish.js'
import type { Tally } from './tally.js'
import { billedOf, stageFactsOf, type KindRun } from './kind-run.js'
import { moneyOf, type Prices } from './rules/money.js'
import type { RunSummary } from './rules/run-summary.js'

export type { RunSummary } from './rules/run-summary.js'

export interface SummaryFacts {
  service: RunSummary['service']
  stop: Stop | null
  plan: Readonly<Record<LookupPlan, number>>
  /** Asked by a domain: not in `plan`. */
  domainCount: number
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
  const { stop, plan, tally, index, report, domainCount } = facts
  const nameCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const cachedCount = plan.answered
  const stages = facts.stages.map(stageFactsOf)
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
    lookupCount: nameCount + domainCount,
    domainCount,
    cachedCount,
    decidedCount: stages.reduce((sum, stage) => sum + stage.decidedCount, plan.decided),
    billedCount: tally.accepted,
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
    contestedCount: tally.contested,
    contradictionCount: tally.contradictions,
    deliveries: { ...tally.deliveries },
    rowsByStatus: Object.fromEntries(facts.rows),
    outcomes: Object.fromEntries(tally.outcomes),
    schemaDeviations: Object.fromEntries(tally.schemaDeviations),
    basisLineCount: report?.basisLineCount ?? 0,
    stages,
    money: facts.prices === null ? null : moneyOf(facts.prices, billed),
    alarms: [],
    notes: [...facts.notes, ...notesOf(tally)],
    elapsedMs: facts.elapsedMs,
    submissionsPerMinute: facts.askingMs > 0 ? tally.submissions / (facts.askingMs / 60_000) : 0,
  }
}

/** Of a run that asked nobody anything. */
export const summaryOfNothing = (service: RunSummary['service'], tally: Tally): RunSummary =>
  summarise({
    ...{ service, stop: null, tally, domainCount: 0, stages: [], prices: null, index: new RowIndex() },
    plan: nothingPlanned(),
    ...{ rows: new Map(), report: null, notes: [], elapsedMs: 0, askingMs: 0 },
  })

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
