/** Time as an argument. `nowMs` is Unix time; `monotonicMs` only ever grows and is what waits are measured by. */
export interface Clock {
  nowMs(): number
  monotonicMs(): number
  /** Resolves after `delayMs`, or at once when the signal aborts; never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** setTimeout takes a 32-bit delay; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve()
        return
      }
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      // Timers know whole milliseconds, and one that rounds down wakes before its time.
      const timer = setTimeout(done, Math.min(Math.max(0, Math.ceil(delayMs)), timerMsMax))
      signal?.addEventListener('abort', done, { once: true })
    }),
}

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

/** Runs what is aborted after so long by the clock, or when one of the signals is. */
export async function within<Result>(
  { clock, msMax, signals = [] }: { clock: Clock; msMax: number; signals?: readonly AbortSignal[] },
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const done = new AbortController()
  const end = () => {
    ending.abort()
  }
  void clock.sleep(msMax, done.signal).then(() => {
    if (!done.signal.aborted) end()
  })
  for (const signal of signals) {
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  }
  try {
    return await action(ending.signal)
  } finally {
    done.abort()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}
