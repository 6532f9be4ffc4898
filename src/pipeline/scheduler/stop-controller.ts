import { setMaxListeners } from 'node:events'
import { shouldWaitForRuns, type Stop } from '../figures/stop.js'

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
