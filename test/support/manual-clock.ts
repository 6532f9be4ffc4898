import type { Clock } from '../../src/platform/clock.js'

export interface ManualClock extends Clock {
  /** Time passes; what sleeps until then wakes. */
  advance(ms: number): void
}

/** A clock that stands still until it is told otherwise. */
export function manualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = startMs
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>()
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          atMs: nowMs + delayMs,
          wake: () => {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        if (delayMs <= 0 || signal?.aborted === true) {
          resolve()
          return
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake)
      }),
    advance: (ms) => {
      nowMs += ms
      for (const sleeper of [...sleepers]) if (sleeper.atMs <= nowMs) sleeper.wake()
    },
  }
}
