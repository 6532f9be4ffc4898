import type { StageOptions, Stop, SchedulingOptions } from './scheduling.js'
import type { DecidedRows } from '../answers/stage-questions.js'
import type { ServiceClient } from '../../client/client.js'
import type { Clock, WakeSignal, Random } from '../../platform/clock.js'
import type { RunObjectLenient } from '../../contract/result.js'
import type { Checkpoint, ToSubmit, Inbox, DeliveryState } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { LookupPlan, PlanPolicy, StageKind } from '../../core/lookup-state.js'
import type { PreparedAnswers } from '../answers/joined-line.js'
import type { OpenRunsView } from './run-durations.js'

/** An answer that was stored; `run` may be parsed when it is read. */
export interface RecordedAnswer {
  readonly outcome: string
  /** 0 to 100; null without one. */
  readonly confidence: number | null
  readonly run: RunObjectLenient
}

export interface SchedulerDeps {
  scheduling: SchedulingOptions
  checkpoint: Checkpoint
  service: ServiceToAsk
  clock: Clock
  random: Random
  resolutions: ResolutionsToAsk
  /** Kinds to look up in addition to resolutions; optional. */
  stages?: ScheduledStages
  /** Reviewers' decisions: decided rows are not submitted, but their follow-up lookups are; optional. */
  decided?: DecidedRows
  /** The inbox of deliveries, the signal for a new one, and the webhook URL of submissions, if any. */
  webhooks?: { url: string | null; inbox: Inbox; received: WakeSignal }
  /** Aborted if the user asks to stop. */
  interrupt: AbortSignal
}

interface ServiceToAsk {
  client: ServiceClient
  /** Whether the service validates its answers against this version of the contract; defaults to false. */
  answersAreChecked?: boolean
  /** Answers of resolutions that were prepared where they were made; optional. */
  prepared?: PreparedAnswers | undefined
}

interface ResolutionsToAsk {
  backlog: Backlog
  /** Counts events for display; the scheduler reads nothing from it. */
  counter: RunCounter
  /** Called for each resolution that is answered. */
  onAnswered?: ((lookupId: LookupId, answer: RecordedAnswer) => void) | undefined
}

/** A kind to look up in addition to resolutions. */
export interface ScheduledStage {
  backlog: Backlog
  counter: RunCounter
  /** How follow-up lookups are planned, and the sum of the plans. */
  policy: Omit<PlanPolicy, 'nowMs'>
  plan: Record<LookupPlan, number>
  /** Called with the reason why the kind was stopped. */
  onStop: (reason: Stop) => void
}

export interface ScheduledStages {
  /** Whether nothing follows from the answer of a row lookup: it only checks another answer. Defaults to false. */
  readonly isCheck?: (lookupId: LookupId) => boolean
  options: StageOptions
  /** Kinds that follow from answers, and domains if rows have them. */
  kinds: ReadonlyMap<StageKind, ScheduledStage>
}

/** Lookups to submit next: the service did not create a run for them. */
class ReturnedLookups {
  readonly #lookups: ToSubmit[] = []
  readonly #expected = new Set<LookupId>()

  get hasAny(): boolean {
    return this.#lookups.length > 0
  }

  add(lookup: ToSubmit): void {
    this.#lookups.push(lookup)
  }

  take(): ToSubmit | null {
    return this.#lookups.shift() ?? null
  }

  /** Marks a lookup that will be added, so that a read of the checkpoint does not submit it twice. */
  expect(lookupId: LookupId): void {
    this.#expected.add(lookupId)
  }

  isExpected(lookupId: LookupId): boolean {
    return this.#expected.has(lookupId)
  }
}

/** Lookups of one kind still to be submitted, and whether any was submitted. Drives the scheduler; not for display. */
export class Backlog {
  /** Submitted before the others; counted among those left. */
  readonly returned = new ReturnedLookups()
  #leftCount: number
  #hasSubmitted = false
  #isComplete: boolean

  /** `toSubmitCount`: lookups that this run plans to submit. More may be added until the backlog is complete. */
  constructor(toSubmitCount: number, isComplete = true) {
    this.#leftCount = toSubmitCount
    this.#isComplete = isComplete
  }

  /** Lookups still to be submitted. */
  get leftCount(): number {
    return Math.max(0, this.#leftCount)
  }

  /** Whether a submission may have been sent: from then on the run may be billed. */
  get hasSubmitted(): boolean {
    return this.#hasSubmitted
  }

  /** Whether no more lookups will be added. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  add(toSubmitCount: number): void {
    this.#leftCount += toSubmitCount
  }

  complete(): void {
    this.#isComplete = true
  }

  /** Notes that a submission is about to be sent. */
  submit(): void {
    this.#hasSubmitted = true
  }

  /** Notes that a lookup was accepted, rejected or lost: this run does not submit it again. */
  settle(): void {
    this.#leftCount--
  }

  /** Adds a lookup again that was assumed to be created and was not. */
  requeue(lookup: ToSubmit): void {
    this.add(1)
    this.returned.add(lookup)
  }
}

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
  /** Answers that differ from the first one of their run. */
  | 'contradictions'

/** Receives counts from the scheduler, for display only. It returns nothing: no decision depends on counts. */
export interface RunCounter {
  count(what: CounterName): void
  /** Counts a reply, by its verdict; `waitMs` after a 429. `nowMs` is monotonic. */
  onReply(what: RequestKind, verdict: { kind: string; waitMs?: number }, nowMs: number): void
  /** Counts the first final answer of a run. */
  countAnswer(outcome: string): void
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
