import { waitsForRuns, type Stop } from '../rules/stop.js'

/**
 * How a run, or one kind of its lookups, ends early: nothing new is submitted, and, unless what runs is still waited
 * for, nothing is polled either. Requests in flight are always finished: their answers are what must not be lost.
 */
export class Stopping {
  readonly #submitting = new AbortController()
  readonly #polling = new AbortController()
  readonly #onStop: (reason: Stop) => void
  #reason: Stop | null = null

  /** `onStop` is called for each reason: what it stops besides. */
  constructor(onStop: (reason: Stop) => void = () => undefined) {
    this.#onStop = onStop
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

  stop(reason: Stop): void {
    if (this.#reason === null || (waitsForRuns(this.#reason) && !waitsForRuns(reason))) this.#reason = reason
    this.#submitting.abort()
    if (!waitsForRuns(reason)) this.#polling.abort()
    this.#onStop(reason)
  }
}
