import type { ReviewCounts } from '../answers/decision.js'
import type { Alarm } from '../../core/alarms.js'
import type { FirstFigures } from '../scheduler/first-rule.js'
import type { KindSubmissions, Money } from '../../core/money.js'
import { type BudgetEnd, type Stop, findEndReason, explainStop } from '../scheduler/scheduling.js'
import type { LookupKind } from '../../core/lookup-kinds.js'
import { errorCodes, type ExitCode } from '../../core/errors.js'

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
