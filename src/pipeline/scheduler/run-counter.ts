import type { LookupId } from '../checkpoint/checkpoint.js'
import type { DeliveryState } from '../inbox/inbox.js'
import type { OpenRunsView } from '../pace/run-durations.js'
import type { Stop } from '../figures/stop.js'

export type RequestKind = 'submissions' | 'polls'

/** What is counted by ones. */
export type Counted =
  /** Requests that left. */
  | RequestKind
  /** Submissions answered with a run id, each billed. */
  | 'accepted'
  | 'rejected'
  /** Became uncertain in this run. */
  | 'lost'
  /** Uncertain lookups, of this run or an earlier one, whose run a webhook named. */
  | 'claimed'
  /** Taken to be accepted because their answer was lost, and not taken by the service: not billed. */
  | 'disproved'
  /** Reads of records whose answer was lost and that are asked again; billed, where a record has a price. */
  | 'lostReads'
  /** Runs left for the next command: past their deadline, or unknown to the service. */
  | 'parked'
  /** Answers that belong to another lookup than the one they were sent for; none was written. */
  | 'misdirected'
  /** Runs that the service named for more than one submission. */
  | 'contested'
  /** Answers that differ from the first one of their run. */
  | 'contradictions'

/**
 * Where the parts of the scheduler report what they did, for people to read. It gives nothing back, so that nothing
 * can be decided by what was counted: what steers is in `Backlog`, `WebhookAddress` and `Stopping`.
 */
export interface RunCounter {
  count(what: Counted): void
  /** The service replied; by a 429 where it `isRefused`. Times of the monotonic clock. */
  replied(what: RequestKind, isRefused: boolean, nowMs: number): void
  /** A run got its first final answer. */
  answered(outcome: string): void
  /** Something in an answer is outside the contract. */
  deviated(deviation: string): void
  /** The answer that came last for this lookup was another's, and was not written. */
  held(lookupId: LookupId): void
  /** The answer that came last for this lookup is its own. */
  released(lookupId: LookupId): void
  delivered(state: Exclude<DeliveryState, 'waiting'>): void
  /** The service takes no submission that bears the webhook URL. */
  webhookRefused(reason: string): void
  /** Rows submit nothing more, for this reason. */
  readonly stopped: (reason: Stop) => void
  /** Gets how to look at the open runs of this kind, whenever progress is shown. */
  watchOpenRuns(look: () => OpenRunsView): void
}
