import type { Alarm } from './alarms.js'
import type { Money } from './money.js'
import type { StageFacts } from './stage-facts.js'
import type { Stop } from './stop.js'

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
  /** Of these, asked by a domain in place of a name: what became of them is in `stages`, and in no count here. */
  domainCount: number
  /** Answered before this run began. */
  cachedCount: number
  /** Decided by people, those by domain too: nobody was asked, and nothing billed. */
  decidedCount: number
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
  /** Conditions of --fail-on that were met. */
  alarms: readonly Alarm[]
  notes: readonly string[]
  elapsedMs: number
  submissionsPerMinute: number
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
