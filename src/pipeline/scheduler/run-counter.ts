import type { LookupId } from '../checkpoint/checkpoint.js'
import type { DeliveryState } from '../inbox/inbox.js'
import type { OpenRunsView } from '../pace/run-durations.js'
import type { Stop } from '../figures/stop.js'

export type RequestKind = 'submissions' | 'polls'

/** Counters that increase by one. */
export type CounterName =
  /** Requests sent. */
  | RequestKind
  /** Submissions answered with a run id, each billed. */
  | 'accepted'
  | 'rejected'
  /** Became uncertain in this run. */
  | 'lost'
  /** Uncertain lookups, of this run or an earlier one, whose run a webhook named. */
  | 'claimed'
  /** Assumed to be accepted since the response was lost, but not received by the service: not billed. */
  | 'disproved'
  /** Reads of records whose response was lost, and that are sent again; billed if records have a price. */
  | 'lostReads'
  /** Runs left for the next command: past their deadline, or unknown to the service. */
  | 'parked'
  /** Answers that belong to another lookup; none was written. */
  | 'misdirected'
  /** Runs that the service returned for more than one submission. */
  | 'contested'
  /** Answers that differ from the first one of their run. */
  | 'contradictions'

/**
 * Receives counts from the scheduler, for display only. It returns nothing, so that counts cannot influence decisions:
 * `Backlog`, `WebhookAddress` and `Stopping` hold the state for those.
 */
export interface RunCounter {
  count(what: CounterName): void
  /** Counts a reply; `isRefused` for a 429. `nowMs` is monotonic. */
  onReply(what: RequestKind, isRefused: boolean, nowMs: number): void
  /** Counts the first final answer of a run. */
  countAnswer(outcome: string): void
  /** Counts a deviation from the contract. */
  countDeviation(deviation: string): void
  /** Notes that the last answer for this lookup was another one's, and was not written. */
  markHeld(lookupId: LookupId): void
  /** Notes that the last answer for this lookup is its own. */
  unmarkHeld(lookupId: LookupId): void
  countDelivery(state: Exclude<DeliveryState, 'waiting'>): void
  /** Notes that the service refuses submissions with the webhook URL. */
  onWebhookRefused(reason: string): void
  /** Notes that no more rows are submitted, and why. */
  readonly onStopped: (reason: Stop) => void
  /** Sets the function that returns the open runs of this kind for progress displays. */
  watchOpenRuns(look: () => OpenRunsView): void
}
