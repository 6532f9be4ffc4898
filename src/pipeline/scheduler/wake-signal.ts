import type { Clock } from '../../platform/clock.js'

/** Lets one waiter sleep until something changed or a time has come. A ring nobody waits for is remembered. */
export class WakeSignal {
  #rings = new AbortController()

  constructor(private readonly clock: Clock) {}

  readonly ring = (): void => {
    this.#rings.abort()
  }

  /** At most `delayMs`; at once if the bell rang since the last wait. */
  async wait(delayMs = Infinity): Promise<void> {
    await this.clock.sleep(delayMs, this.#rings.signal)
    if (this.#rings.signal.aborted) this.#rings = new AbortController()
  }
}
