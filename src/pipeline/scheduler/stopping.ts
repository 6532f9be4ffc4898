import { setMaxListeners } from 'node:events'
import { waitsForRuns, type Stop } from '../figures/stop.js'

/**
 * Stops a run, or one kind of its lookups, early. No more submissions start; polling stops too, unless the run still
 * waits for its runs. Submissions in flight are completed, since their responses must not be lost; an interrupted run
 * waits for them only for a limited time.
 */
export class Stopping {
  readonly #submitting = new AbortController()
  readonly #polling = new AbortController()
  readonly #waiting = new AbortController()
  readonly #onStop: (reason: Stop) => void
  #reason: Stop | null = null

  /** `onStop` is called with each reason. */
  constructor(onStop: (reason: Stop) => void = () => undefined) {
    this.#onStop = onStop
    // Each request in flight adds a listener.
    setMaxListeners(0, this.submitting, this.polling, this.waiting)
  }

  /** The first reason, or a later one that stops more. */
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

  /** Aborted: do not wait for submissions in flight. */
  get waiting(): AbortSignal {
    return this.#waiting.signal
  }

  /** Ends the wait for submissions in flight, which may have been billed. */
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
