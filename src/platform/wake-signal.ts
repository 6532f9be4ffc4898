import type { Clock } from './clock.js'

const rung = Symbol('rung')

/** Lets one waiter sleep until something changed or a time has come. A ring nobody waits for is remembered. */
export class WakeSignal {
  readonly #clock: Clock
  #rings = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly ring = (): void => {
    // With a reason of its own: Node would make an error, with its stack, for each ring.
    this.#rings.abort(rung)
  }

  /** At most `delayMs`; at once if it was rung since the last wait. */
  async wait(delayMs = Infinity): Promise<void> {
    await this.#clock.sleep(delayMs, this.#rings.signal)
    if (this.#rings.signal.aborted) this.#rings = new AbortController()
  }
}
