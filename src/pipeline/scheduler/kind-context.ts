import { setMaxListeners } from 'node:events'
import type { Clock, WakeSignal, Random } from '../../platform/clock.js'
import type { Checkpoint, PendingRun, ToSubmit } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import { shouldWaitForRuns, type Stop } from './scheduling.js'
import type { AnswerRecorder } from './answer-recorder.js'
import type { Backlog, RunCounter } from './work.js'
import type { Reservations } from './budgets.js'
import type { Pace } from '../../platform/pace.js'
import type { Protocol } from './protocol.js'

/** Shared by the submitter and the poller of one kind of lookup. */
export interface KindContext {
  checkpoint: Checkpoint
  protocol: Protocol
  clock: Clock
  random: Random
  backlog: Backlog
  counter: RunCounter
  stopping: StopController
  address: WebhookAddress
}

export interface SubmitterDeps {
  submitConcurrency: number
  inFlightRunsMax: number
  /** Reservations against the budgets of the job. */
  reservations: Reservations
  pace: Pace
  /** Waits for the runs that are submitted here. */
  poller: { add(run: PendingRun): void; readonly openCount: number }
  /** Records answers that the reply to a submission contains. */
  recorder: Pick<AnswerRecorder, 'record'>
  /** Called for a submission whose reply was lost: a webhook may name its run. `null` without webhooks. */
  onLost: ((lookupId: LookupId) => void) | null
  /** Wakes the submitter; also rung from outside when a run ended and there is room for another. */
  wakeSignal: WakeSignal
}

/**
 * The webhook URL of submissions. A service that refuses the URL responds with the same 400 as for a bad name. Until a
 * submission with the URL was accepted, a refused lookup is therefore submitted again without it. If that is accepted,
 * the URL is no longer used, and answers are polled.
 */
export class WebhookAddress {
  readonly #url: string | null
  readonly #counter: Pick<RunCounter, 'onWebhookRefused'>
  /** Submissions in flight with the URL. */
  readonly #bearing = new Set<LookupId>()
  /** Lookups refused with the URL, and the reason. */
  readonly #refused = new Map<LookupId, string>()
  #isTaken = false
  #isLeftOut = false

  /** `url` is null if webhooks are not used. */
  constructor(url: string | null, counter: Pick<RunCounter, 'onWebhookRefused'>) {
    this.#url = url
    this.#counter = counter
  }

  /** Whether answers are expected by webhook. */
  get isInUse(): boolean {
    return this.#url !== null && !this.#isLeftOut
  }

  getUrl(lookupId: LookupId): string | null {
    if (!this.isInUse || this.#refused.has(lookupId)) return null
    this.#bearing.add(lookupId)
    return this.#url
  }

  onAccepted(lookupId: LookupId): void {
    if (this.#bearing.delete(lookupId)) {
      this.#isTaken = true
      return
    }
    const reason = this.#refused.get(lookupId)
    if (this.#isTaken || this.#isLeftOut || reason === undefined) return
    this.#isLeftOut = true
    this.#counter.onWebhookRefused(reason)
  }

  /** Whether a lookup refused as invalid must be submitted again without the URL. */
  mayHaveCausedRefusal(lookupId: LookupId, reason: string): boolean {
    if (!this.#bearing.delete(lookupId) || this.#isTaken) return false
    this.#refused.set(lookupId, reason)
    return true
  }
}

/**
 * Stops a run, or one kind of its lookups, early. No more submissions start; polling stops too, unless the run still
 * waits for its runs. Submissions in flight are completed, since their responses must not be lost; an interrupted run
 * waits for them only for a limited time.
 */
export class StopController {
  readonly #submitting = new AbortController()
  readonly #polling = new AbortController()
  readonly #waiting = new AbortController()
  readonly #onStop: (reason: Stop) => void
  #reason: Stop | null = null

  /** `onStop` is called with each reason. */
  constructor(onStop: (reason: Stop) => void = () => undefined) {
    this.#onStop = onStop
    // Each request in flight adds a listener.
    setMaxListeners(0, this.submitSignal, this.pollSignal, this.replySignal)
  }

  /** The first reason, or a later one that stops more. */
  get reason(): Stop | null {
    return this.#reason
  }
  /** Aborted: submit nothing more. */
  get submitSignal(): AbortSignal {
    return this.#submitting.signal
  }
  /** Aborted: poll nothing more. */
  get pollSignal(): AbortSignal {
    return this.#polling.signal
  }

  /** Aborted: do not wait for submissions in flight. */
  get replySignal(): AbortSignal {
    return this.#waiting.signal
  }

  /** Ends the wait for submissions in flight, which may have been billed. */
  stopWaiting(): void {
    this.#waiting.abort()
  }

  stop(reason: Stop): void {
    if (this.#reason === null || (shouldWaitForRuns(this.#reason) && !shouldWaitForRuns(reason)))
      this.#reason = reason
    this.#submitting.abort()
    if (!shouldWaitForRuns(reason)) this.#polling.abort()
    this.#onStop(reason)
  }
}

/** Number of lookups read from the checkpoint at once. */
const pageCount = 500

/** Reads the lookups to submit from the checkpoint, page by page, in order. */
export class LookupPages {
  readonly #kind: Pick<KindContext, 'checkpoint' | 'backlog'>
  #page: { position: number; lookup: ToSubmit }[] = []
  #position = 0
  #isExhausted = false
  #isRestarted = false

  constructor(kind: Pick<KindContext, 'checkpoint' | 'backlog'>) {
    this.#kind = kind
  }

  /**
   * Starts again from the first lookup, to find those that other workers gave up. They are not in the plan: the backlog
   * counts them as they are found.
   */
  restart(): void {
    this.#position = 0
    this.#isExhausted = false
    this.#isRestarted = true
  }

  /** Returns the next lookup; `null` if none is left. `isComplete`: no more lookups will be added to the checkpoint. */
  async next(isComplete: boolean): Promise<ToSubmit | null> {
    const { checkpoint, backlog } = this.#kind
    if (this.#page.length === 0 && !this.#isExhausted) {
      this.#page = await checkpoint.read('to_submit', { after: this.#position, count: pageCount })
      this.#isExhausted = isComplete && this.#page.length === 0
      if (this.#isRestarted) backlog.add(this.#page.length)
    }
    for (;;) {
      const entry = this.#page.shift()
      if (entry === undefined) return null
      this.#position = entry.position
      if (!backlog.returned.isExpected(entry.lookup.lookupId)) return entry.lookup
    }
  }
}
