import type { Alarm } from './alarms.js'
import type { Money } from './money.js'
import { type BudgetEnd, type Stop, endedBy, explainStop } from './stop.js'
import type { LookupKind } from '../lookups/lookup-kind.js'
import { errorCodes, type ExitCode } from '../../core/errors.js'

/** What one kind of lookups came to so far, in counts. */
export interface StageFacts {
  readonly kind: LookupKind
  readonly lookupCount: number
  readonly cachedCount: number
  /** Asked by rows, and decided by people. */
  readonly decidedCount: number
  /** Requests that began something and were accepted; of domains, each is billed. */
  readonly askedCount: number
  readonly answeredCount: number
  readonly failedCount: number
  readonly rejectedCount: number
  readonly uncertainCount: number
  readonly pendingCount: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly stop: Stop | null
}

/** What `enrich review` asks about: doubtful answers that nobody decided, and decisions that are in doubt again. */
export interface ReviewCounts {
  readonly lookupCount: number
  readonly rowCount: number
  readonly rowsByStatus: Readonly<Record<string, number>>
}

/** What a run came to. Rows are rows of the input; everything else counts distinct lookups. */
export interface RunSummary {
  /** What the embedded service bills is counted like a hosted one's, and costs nothing. */
  service: 'hosted' | 'embedded'
  /** Whether the small registry that ships with the package answered. Left out by earlier versions. */
  isDemo?: boolean
  /** Null: nothing is left to wait for. */
  stop: Stop | null
  /** `null` unless the budget that the user gave ended the run; missing in records of earlier versions. */
  budgetEnd?: BudgetEnd | null
  /** Files written, in the order of their publishing; none when the run stopped early without `partial`. */
  outputPaths: readonly string[]
  rowCount: number
  invalidRowCount: number
  lookupCount: number
  /** Of these, asked by a domain in place of a name: what became of them is in `stages`, and in no count here. */
  domainCount: number
  /** Answered before this run began. */
  cachedCount: number
  /** Decided by people, those by domain too: nobody was asked, and nothing billed. */
  decidedCount: number
  /** Submissions that were accepted, each billed. */
  billedCount: number
  /**
   * Submissions of this run whose answer was lost, of all kinds: they may have been billed. Missing in records of earlier
   * versions.
   */
  lostCount?: number
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
  /** What is left to review; null where the answers were not read: no output, and no report. Runs that an earlier version remembered have none. */
  review?: ReviewCounts | null
  /** Lookups answered in this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** What answers held outside the interface, with how often: kept, and never fatal. */
  schemaDeviations: Readonly<Record<string, number>>
  basisLineCount: number
  /** Each kind that was asked besides resolutions. */
  stages: readonly StageFacts[]
  /** Null where nobody pays, or no price is known. */
  money: Money | null
  /** Conditions of --fail-on that were met. */
  alarms: readonly Alarm[]
  notes: readonly string[]
  elapsedMs: number
  submissionsPerMinute: number
}

/**
 * Whether a lookup failed, was refused, is uncertain or pending: the run ends with exit code 3. Rows without a usable
 * name are not counted: they have their final outcome, `invalid_input`, and no run changes it.
 */
export function needsAttention(summary: RunSummary): boolean {
  const { rejectedCount, failedCount, uncertainCount, pendingCount, stages } = summary
  const openOf = (
    facts: Pick<StageFacts, 'rejectedCount' | 'failedCount' | 'uncertainCount' | 'pendingCount'>,
  ) => facts.rejectedCount + facts.failedCount + facts.uncertainCount + facts.pendingCount
  const own = openOf({ rejectedCount, failedCount, uncertainCount, pendingCount })
  return stages.reduce((sum, stage) => sum + openOf(stage), own) > 0
}

/**
 * What a process ends with whose run came to this; `interrupted` is the code of the signal that stopped it, if one did.
 * What stopped it stands above its alarms, and these above rows that need attention.
 */
export function exitCodeOf(summary: RunSummary, interrupted: ExitCode): ExitCode {
  const ended = endedBy(summary)
  if (ended !== null) {
    const explained = explainStop(ended)
    return explained === null ? interrupted : errorCodes[explained.code]
  }
  if (summary.alarms.length > 0) return 6
  return needsAttention(summary) ? 3 : 0
}
