import type { ReviewCounts } from '../../core/decisions.js'
import type { Alarm, ChangeCounts } from '../../core/alarms.js'
import type { FirstFigures } from '../answers/first-rule.js'
import type { KindSubmissions, Money } from '../../core/money.js'
import { type BudgetEnd, type Stop, findEndReason, explainStop } from '../scheduler/scheduling.js'
import type { LookupKind, LookupPlan } from '../../core/lookup-state.js'
import { errorCodes, type ExitCode } from '../../core/errors.js'
import type { ColumnReport } from '../input/ingest.js'
import type { PlannedSpending } from '../../core/planned-spending.js'

/**
 * Events of a run. A `notice` is one sentence for the user; a warning is also reported if only warnings are shown.
 * `spending` is `null` if nothing is billed.
 */
export type RunEvent =
  /** `isAlarm`: also shown where only alarms are. */
  | { type: 'notice'; text: string; isWarning?: true; isAlarm?: true }
  | ({ type: 'columns' } & ColumnReport)
  | ({ type: 'planned'; rowCount: number; spending: PlannedSpending | null } & PlannedLookups)
  | { type: 'progress'; progress: Progress }
  | { type: 'publishing'; path: string }
  | { type: 'finished'; summary: RunSummary }

/** Distinct lookups of the rows, and their plan; without lookups that follow from answers. */
export interface PlannedLookups {
  readonly lookupCount: number
  /** Lookups by domain instead of a name. */
  readonly domainCount: number
  readonly plan: Readonly<Record<LookupPlan, number>>
}

export type RunObserver = (event: RunEvent) => void

/** Counts of a run at a moment, since its start, over all kinds. */
export interface TimelinePoint {
  readonly elapsedMs: number
  readonly submissions: number
  readonly polls: number
  readonly answered: number
  /** Requests answered with 429. */
  readonly rateLimited: number
}

/** A snapshot of a run, for displays and programs. Counts are of distinct lookups. */
export interface Progress {
  lookups: number
  /** Lookups with a final answer, including those from earlier runs. */
  done: number
  running: number
  /** Already answered when the run started. */
  cached: number
  /** Decided by reviewers. */
  decided: number
  failed: number
  uncertain: number
  /** Still to be submitted by this run, within its budget. */
  toSubmit: number
  /** Lookups left for the next run: beyond the budget, or after a stop such as a 402. */
  heldBack: number
  /** Requests in the last minute, and their limits; null if unlimited. */
  submissionsPerMinute: number
  pollsPerMinute: number
  submitLimit: number | null
  pollLimit: number | null
  elapsedMs: number
  etaMs: number | null
  /** Answers of this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** Counts of this run so far, over all kinds of lookups. */
  sofar: Readonly<TimelinePoint>
  /**
   * Time until an answer is possible, by the delay of the first poll; 0 once it is due. Null if answers have arrived or
   * may arrive at any time, or if none is expected.
   */
  firstAnswersInMs: number | null
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Cost so far; null if nothing is billed or no price is known. */
  money: Money | null
  /** Budget of --max-cost in units of the currency, including earlier processes; `null` without one. */
  budget: { readonly costMax: number; readonly spent: number } | null
}

export interface TimeLeftFacts {
  /** Lookups that this run may still submit, and open runs. */
  toSubmit: number
  running: number
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  inFlightRunsMax: number
  /** Average polls per answer so far; 1 if unknown. */
  pollsPerAnswer: number
  /** Probable duration of a run submitted now, and probable time until all open runs end; `null` if unknown. */
  runs: { readonly runMs: number; readonly leftMs: number } | null
  /** Answers per millisecond in the last minute; 0 if none. */
  answersPerMs: number
}

/**
 * Estimates the time left. With limits: the time to submit and poll the rest, and the duration of the last run. Without
 * a limit on polls: the rate of the last minute. Null if there is no basis for an estimate.
 */
export function estimateEtaMs(facts: TimeLeftFacts): number | null {
  const { toSubmit, running, submissionsPerWindow, pollsPerWindow, windowMs, runs } = facts
  const open = toSubmit + running
  if (open === 0) return 0
  const submitMs = submissionsPerWindow === null ? 0 : (toSubmit / submissionsPerWindow) * windowMs
  if (pollsPerWindow === null) {
    if (facts.answersPerMs > 0) return Math.max(submitMs, open / facts.answersPerMs)
    return submitMs === 0 ? null : submitMs
  }
  const pollMs = ((open * Math.max(1, facts.pollsPerAnswer)) / pollsPerWindow) * windowMs
  if (runs === null) return Math.max(submitMs, pollMs)
  // Above the limit of runs in flight, a lookup waits for a run to end.
  const waiting = Math.max(0, toSubmit - Math.max(0, facts.inFlightRunsMax - running))
  const roomMs = (waiting / facts.inFlightRunsMax) * runs.runMs
  const lastMs = toSubmit === 0 ? runs.leftMs : Math.max(submitMs, roomMs) + runs.runMs
  return Math.max(pollMs, lastMs)
}

/** Results of one kind of lookups so far, in counts. */
export interface StageFacts {
  readonly kind: LookupKind
  readonly lookupCount: number
  readonly cachedCount: number
  /** Lookups of rows that reviewers decided. */
  readonly decidedCount: number
  /** Accepted requests that start something; for domains, each is billed. */
  readonly askedCount: number
  readonly answeredCount: number
  readonly failedCount: number
  readonly rejectedCount: number
  readonly uncertainCount: number
  readonly pendingCount: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly stop: Stop | null
}

/** Results of a run. Rows are rows of the input; all other counts are of distinct lookups. */
export interface RunSummary {
  /** Lookups of the embedded service are counted in the same way, and cost nothing. */
  service: 'hosted' | 'embedded'
  /** Whether the small registry in the package answered. Missing in records of earlier versions. */
  isDemo?: boolean
  /** Null: nothing is left to wait for. */
  stop: Stop | null
  /** `null` unless the user's budget ended the run; missing in records of earlier versions. */
  budgetEnd?: BudgetEnd | null
  /** Files written, in order; empty if the run stopped early without `partial`. */
  outputPaths: readonly string[]
  rowCount: number
  invalidRowCount: number
  lookupCount: number
  /** Lookups by domain instead of a name: their results are in `stages`, not in the counts here. */
  domainCount: number
  /** Answered before this run started. */
  cachedCount: number
  /** Decided by reviewers, including lookups by domain: not submitted and not billed. */
  decidedCount: number
  /** Accepted submissions of lookups by name, each billed. `submissions` has all kinds, and lost ones. */
  billedCount: number
  /** Submissions of this run by kind. Missing in records of earlier versions: see `listSubmissions` in money.ts. */
  submissions?: readonly KindSubmissions[]
  /** Lost submissions over all kinds, in records of earlier versions only. */
  lostCount?: number
  /** Uncertain lookups whose run a webhook named: no longer uncertain. */
  claimedCount: number
  /** May have been billed; submitted again only at the user's request. */
  uncertainCount: number
  /** Runs that ended without a result; they were billed. */
  failedCount: number
  /** Lookups that the service rejected as invalid; they cost nothing. */
  rejectedCount: number
  /** Without a final answer: not submitted, running, or left for the next run. */
  pendingCount: number
  pollCount: number
  answeredCount: number
  pollsPerResult: number | null
  rateLimitedCount: number
  /** Responses that belong to another lookup; none was written. */
  misdirectedCount: number
  /** Lookups whose last answer was another lookup's, and that have no answer yet. */
  heldCount: number
  /** Answers that differ from the first one of their run, which is kept. */
  contradictionCount: number
  /** Webhooks from the inbox, by result. */
  deliveries: Readonly<{ taken: number; unclaimed: number; quarantined: number }>
  /** Rows by outcome, if an output was written. */
  rowsByStatus: Readonly<Record<string, number>>
  /** Open reviews; null if answers were not read (no output and no report). Missing in records of earlier versions. */
  review?: ReviewCounts | null
  /** Rows without a company, by country (`null`: unknown). Only with a registry of the user's, if there are any. */
  unmatchedByCountry?: readonly { readonly country: string | null; readonly rowCount: number }[]
  /** Missing unless an own registry answered first. */
  first?: FirstFigures
  /** Lookups answered in this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** Deviations of answers from the contract, with counts; never an error. */
  schemaDeviations: Readonly<Record<string, number>>
  basisLineCount: number
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Null if nothing is billed or no price is known. */
  money: Money | null
  /** Changes since the previous output, by kind; missing without one. */
  changes?: ChangeCounts
  /** Conditions of --fail-on that were met. */
  alarms: readonly Alarm[]
  notes: readonly string[]
  elapsedMs: number
  submissionsPerMinute: number
}

/**
 * Whether a lookup failed, was refused, is uncertain or pending: the run ends with exit code 3. Rows without a usable
 * name do not count: their outcome `invalid_input` is final.
 */
export function needsAttention(summary: RunSummary): boolean {
  const { rejectedCount, failedCount, uncertainCount, pendingCount, stages } = summary
  const countOpen = (
    facts: Pick<StageFacts, 'rejectedCount' | 'failedCount' | 'uncertainCount' | 'pendingCount'>,
  ) => facts.rejectedCount + facts.failedCount + facts.uncertainCount + facts.pendingCount
  const own = countOpen({ rejectedCount, failedCount, uncertainCount, pendingCount })
  return stages.reduce((sum, stage) => sum + countOpen(stage), own) > 0
}

/**
 * Returns the exit code for a summary; `interrupted` is that of the signal, if any. The stop reason takes precedence
 * over alarms, and alarms over rows that need attention.
 */
export function getExitCode(summary: RunSummary, interrupted: ExitCode): ExitCode {
  const ended = findEndReason(summary)
  if (ended !== null) {
    const explained = explainStop(ended)
    return explained === null ? interrupted : errorCodes[explained.code]
  }
  if (summary.alarms.length > 0) return 6
  return needsAttention(summary) ? 3 : 0
}
