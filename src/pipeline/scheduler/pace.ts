import Bottleneck from 'bottleneck'
import type { Clock } from '../../platform/clock.js'

/** A per-minute budget spread evenly, and a gate in front of it. */
export interface Pace {
  /** Resolves when one more request may start; or at once, without a right to start, when the signal aborts. */
  turn(signal: AbortSignal): Promise<void>
  /** Nothing starts for `delayMs` from now; a shorter pause never cuts a longer one. */
  pause(delayMs: number): void
}

/**
 * `perWindow` requests in `windowMs`, one after another at equal distances: an even pace is safe under fixed
 * windows, rolling ones and token buckets alike. Null is no limit.
 */
export function createPace(clock: Clock, perWindow: number | null, windowMs: number): Pace {
  // Bottleneck serves some 450 jobs a second at most: it is left out where there is nothing to hold.
  const limiter =
    perWindow === null ? null : new Bottleneck({ maxConcurrent: null, minTime: windowMs / perWindow })
  let pausedUntilMs = 0
  return {
    async turn(signal) {
      // The pause may grow while it is slept through, or while the limiter holds the turn.
      const waitOut = async () => {
        while (!signal.aborted && clock.monotonicMs() < pausedUntilMs) {
          await clock.sleep(pausedUntilMs - clock.monotonicMs(), signal)
        }
      }
      await waitOut()
      if (limiter !== null && !signal.aborted) await limiter.schedule(() => Promise.resolve())
      await waitOut()
    },
    pause(delayMs) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs)
    },
  }
}
