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
