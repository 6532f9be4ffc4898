/** Time as an argument. `nowMs` is Unix time; `monotonicMs` never decreases and measures delays. */
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
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      // Timers use whole milliseconds; rounding down would wake too early.
      const timer = setTimeout(finish, Math.min(Math.max(0, Math.ceil(delayMs)), timerMsMax))
      signal?.addEventListener('abort', finish, { once: true })
    }),
}

const rung = Symbol('rung')

/** Lets one waiter sleep until a ring or a timeout. A ring without a waiter is remembered. */
export class WakeSignal {
  readonly #clock: Clock
  #rings = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly ring = (): void => {
    // A fixed reason: Node.js would create an error with a stack for each ring.
    this.#rings.abort(rung)
  }

  /** Waits at most `delayMs`; returns at once if it rang since the last wait. */
  async wait(delayMs = Infinity): Promise<void> {
    await this.#clock.sleep(delayMs, this.#rings.signal)
    if (this.#rings.signal.aborted) this.#rings = new AbortController()
  }
}

/** Runs an action whose signal aborts after `msMax` by the clock, or with one of `signals`. */
export async function withTimeout<Result>(
  { clock, msMax, signals = [] }: { clock: Clock; msMax: number; signals?: readonly AbortSignal[] },
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController()
  const finished = new AbortController()
  const end = () => {
    ending.abort()
  }
  void clock.sleep(msMax, finished.signal).then(() => {
    if (!finished.signal.aborted) end()
  })
  for (const signal of signals) {
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  }
  try {
    return await action(ending.signal)
  } finally {
    finished.abort()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
}
