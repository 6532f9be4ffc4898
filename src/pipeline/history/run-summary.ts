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
 * Events of a run.
 */
export type RunEvent =
  | NoticeEvent
  | ({ type: 'columns' } & ColumnReport)
  | PlannedEvent
  | { type: 'progress'; progress: Progress }
  | PublishingEvent
  | { type: 'finished'; summary: RunSummary }

interface NoticeEvent {
  type: 'notice'
  /** One sentence for the user. */
  text: string
  /** Also shown if only warnings are; otherwise absent. */
  isWarning?: true
  /** Also shown if only alarms are; otherwise absent. */
  isAlarm?: true
}

interface PlannedEvent extends PlannedLookups {
  type: 'planned'
  /** Rows of the input. */
  rowCount: number
  /** Cost of the run; `null` if nothing is billed, as with the embedded service. */
  spending: PlannedSpending | null
}

interface PublishingEvent {
  type: 'publishing'
  /** File or address that is written now; `-` for standard output. */
  path: string
}

/** Distinct lookups of the rows, and their plan; without lookups that follow from answers. */
export interface PlannedLookups {
  /** Lookups by name and by domain; equal rows share one. */
  readonly lookupCount: number
  /** Lookups by domain instead of a name. */
  readonly domainCount: number
  /**
   * Lookups by name: to `submit`, running and to `poll`, `answered` before, `decided` by a reviewer, `invalid` (rejected
   * by the service), `uncertain` (may have been billed), and `failed` (billed, without a result).
   */
  readonly plan: Readonly<Record<LookupPlan, number>>
}

export type RunObserver = (event: RunEvent) => void

/** Counts of a run at a moment, since its start, over all kinds. */
export interface TimelinePoint {
  /** Milliseconds since the start of the run. */
  readonly elapsedMs: number
  /** Requests that submit a lookup, accepted or not. */
  readonly submissions: number
  /** Requests for the state of a submitted lookup. */
  readonly polls: number
  /** Lookups that were answered. */
  readonly answered: number
  /** Requests answered with 429. */
  readonly rateLimited: number
}

/** A snapshot of a run, for displays and programs. Counts are of distinct lookups. */
export interface Progress {
  /** Lookups of the input by name; lookups by domain and stages are in `stages`. */
  lookups: number
  /** Lookups with a final answer, including those from earlier runs. */
  done: number
  /** Submitted lookups that wait for their answer. */
  running: number
  /** Already answered when the run started. */
  cached: number
  /** Decided by reviewers. */
  decided: number
  /** Lookups that ended without a result, or that the service refused. */
  failed: number
  /** Lookups that may have been billed, and have no answer. */
  uncertain: number
  /** Still to be submitted by this run, within its budget. */
  toSubmit: number
  /** Lookups left for the next run: beyond the budget, or after a stop such as a 402. */
  heldBack: number
  /** Submissions in the last minute. */
  submissionsPerMinute: number
  /** Polls in the last minute. */
  pollsPerMinute: number
  /** Most submissions a minute; `null` if unlimited. */
  submitLimit: number | null
  /** Most polls a minute; `null` if unlimited. */
  pollLimit: number | null
  /** Milliseconds since the start of the run. */
  elapsedMs: number
  /** Estimate of the milliseconds left; `null` if unknown. */
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
  /** Budget of --max-cost in units of the currency: `costMax`, and `spent` including earlier processes; `null` without one. */
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

/** Results of one kind of lookups so far, in counts of lookups. The embedded service counts in the same way. */
export interface StageFacts {
  readonly kind: LookupKind
  /** Lookups of this kind that are known so far; answers may add more. */
  readonly lookupCount: number
  /** Answered before this run. */
  readonly cachedCount: number
  /** Lookups of rows that reviewers decided. */
  readonly decidedCount: number
  /** Accepted requests of this run; for domains, each is billed, except by the embedded service. */
  readonly askedCount: number
  /** Answered in this run. */
  readonly answeredCount: number
  /** Ended without a result. */
  readonly failedCount: number
  /** Refused by the service; not billed. */
  readonly rejectedCount: number
  /** May have been billed, and have no answer. */
  readonly uncertainCount: number
  /** Without a final answer yet. */
  readonly pendingCount: number
  /** Lookups answered in this run, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Why this kind stopped early; `null` if it did not. */
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
  /** Rows of the input. */
  rowCount: number
  /** Rows without a usable name, number or domain; not looked up and not billed. */
  invalidRowCount: number
  /** Lookups by name and by domain; equal rows share one. */
  lookupCount: number
  /** Lookups by domain instead of a name: their results are in `stages`, not in the counts here. */
  domainCount: number
  /** Answered before this run started. */
  cachedCount: number
  /** Decided by reviewers, including lookups by domain: not submitted and not billed. */
  decidedCount: number
  /**
   * Submissions of lookups by name that the service accepted in this run, each billed. The embedded service counts them
   * too, and bills nothing. `submissions` has all kinds, and lost ones.
   */
  billedCount: number
  /** Submissions of this run by kind. Missing in records of earlier versions: see `listSubmissions` in money.ts. */
  submissions?: readonly KindSubmissions[]
  /** Lost submissions over all kinds, in records of earlier versions only. */
  lostCount?: number
  /** Uncertain lookups by name whose run a webhook named in this run: no longer uncertain. 0 without webhooks. */
  claimedCount: number
  /** May have been billed; submitted again only at the user's request. */
  uncertainCount: number
  /** Runs that ended without a result; they were billed. */
  failedCount: number
  /** Lookups that the service rejected as invalid; they cost nothing. */
  rejectedCount: number
  /** Without a final answer: not submitted, running, or left for the next run. */
  pendingCount: number
  /** Requests of this run for the state of a submitted lookup by name. */
  pollCount: number
  /** Lookups by name that were answered in this run. */
  answeredCount: number
  /** Polls for each answer, on average; `null` without an answer. */
  pollsPerResult: number | null
  /** Requests for lookups by name that the service answered with 429. */
  rateLimitedCount: number
  /** Responses for another lookup than the requested one; none was written. */
  misdirectedCount: number
  /** Lookups whose last response was for another lookup, and that have no answer yet. */
  heldCount: number
  /** Second answers of a service to one submission that differ from the first, which is kept. */
  contradictionCount: number
  /**
   * Webhooks that this run handled: `taken` (for a lookup of this checkpoint), `unclaimed` (for no lookup of it), and
   * `quarantined` (inconsistent, and not used). All are 0 without webhooks.
   */
  deliveries: Readonly<{ taken: number; unclaimed: number; quarantined: number }>
  /** Rows by outcome; empty if no output was written. */
  rowsByStatus: Readonly<Record<string, number>>
  /** Open reviews; null if answers were not read (no output and no report). Missing in records of earlier versions. */
  review?: ReviewCounts | null
  /** Rows without a company: `rowCount` by `country` (`null`: unknown). Missing without any, with a hosted service, and with the demo registry. */
  unmatchedByCountry?: readonly { readonly country: string | null; readonly rowCount: number }[]
  /** Missing unless an own registry answered first. */
  first?: FirstFigures
  /** Lookups answered in this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** Counts of the deviations of answers from the documented form, by deviation; empty without any, and never an error. */
  schemaDeviations: Readonly<Record<string, number>>
  /** Lines written to the basis file, which has the evidence of each value; 0 without such a file. */
  basisLineCount: number
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Null if nothing is billed or no price is known. */
  money: Money | null
  /** Changes since the previous output, by kind; missing without one. */
  changes?: ChangeCounts
  /** Conditions of --fail-on that were met. */
  alarms: readonly Alarm[]
  /** Sentences for the user. */
  notes: readonly string[]
  /** Duration of the run in milliseconds. */
  elapsedMs: number
  /** Submissions by name a minute, while the run submitted and polled. */
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
