import { setMaxListeners } from 'node:events'
import { waitsForRuns, type Stop } from '../figures/stop.js'

/**
 * How a run, or one kind of its lookups, ends early: nothing new is submitted, and, unless what runs is still waited
 * for, polling ends too, with the polls in flight. Submissions in flight are finished, since their answers are what must
 * not be lost; an interrupted run waits for them only so long.
 */
export class Stopping {
  readonly #submitting = new AbortController()
  readonly #polling = new AbortController()
  readonly #waiting = new AbortController()
  readonly #onStop: (reason: Stop) => void
  #reason: Stop | null = null

  /** `onStop` is called for each reason: what it stops besides. */
  constructor(onStop: (reason: Stop) => void = () => undefined) {
    this.#onStop = onStop
    // As many requests listen as are in flight.
    setMaxListeners(0, this.submitting, this.polling, this.waiting)
  }

  /** The first reason given, or a later one that stops more. */
  get reason(): Stop | null {
    return this.#reason
  }
  /** Aborted: submit nothing more. */
  get submitting(): AbortSignal {
    return this.#submitting.signal
  }
  /** Aborted: poll nothing more. */
  get polling(): AbortSignal {
    return this.#polling.signal
  }

  /** Aborted: wait for no submission in flight. */
  get waiting(): AbortSignal {
    return this.#waiting.signal
  }

  /** Ends the wait for submissions in flight: what has no answer by now may have been billed. */
  abandon(): void {
    this.#waiting.abort()
  }

  stop(reason: Stop): void {
    if (this.#reason === null || (waitsForRuns(this.#reason) && !waitsForRuns(reason))) this.#reason = reason
    this.#submitting.abort()
    if (!waitsForRuns(reason)) this.#polling.abort()
    this.#onStop(reason)
  }
}
