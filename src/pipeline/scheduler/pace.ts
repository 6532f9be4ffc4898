import Bottleneck from 'bottleneck'
import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  spacingMs,
  type Budget,
  type RateReading,
} from '../rules/pacing.js'
import type { Clock } from '../../platform/clock.js'

/** A per-minute budget spread evenly, and a gate in front of it. */
export interface Pace {
  /** Resolves when one more request may start; or at once, without a right to start, when the signal aborts. */
  turn(signal: AbortSignal): Promise<void>
  /** Nothing starts for `delayMs` from now; a shorter pause never cuts a longer one. */
  pause(delayMs: number): void
  /** What the server says of the budget is what holds. */
  follow(reading: RateReading): void
  /** The server refused for the budget's sake: nothing starts for `delayMs`, and a little slower after. */
  refused(delayMs: number): void
  /** Starts a millisecond, as things are; null is no limit. */
  perMs(): number | null
}

/**
 * `perWindow` requests in `windowMs`, led by the server (rules/pacing). Null is no limit: nothing is held, and
 * only pauses count. `recentStarts` are those of an earlier process, as times of the monotonic clock.
 */
export function createPace(
  clock: Clock,
  perWindow: number | null,
  windowMs: number,
  recentStarts: readonly number[] = [],
): Pace {
  let pausedUntilMs = 0
  const waitOut = async (signal: AbortSignal) => {
    // The pause may grow while it is slept through.
    while (!signal.aborted && clock.monotonicMs() < pausedUntilMs) {
      await clock.sleep(pausedUntilMs - clock.monotonicMs(), signal)
    }
  }
  const pause = (delayMs: number) => {
    pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs)
  }
  // Bottleneck serves some 450 jobs a second at most: it is left out where there is nothing to hold.
  if (perWindow === null) {
    return { turn: waitOut, pause, refused: pause, follow: () => undefined, perMs: () => null }
  }
  const budget = createBudget(perWindow, windowMs)
  for (const startMs of recentStarts) noteStart(budget, startMs)
  pause(spacingMs(budget, clock.monotonicMs()) - (clock.monotonicMs() - (recentStarts.at(-1) ?? -Infinity)))
  return {
    ...heldBy(clock, budget, waitOut),
    pause,
    refused: (delayMs) => {
      noteRefusal(budget)
      pause(delayMs)
    },
    follow: (reading) => {
      noteReading(budget, reading, clock.monotonicMs())
    },
    perMs: () => 1 / spacingMs(budget, clock.monotonicMs()),
  }
}

/** One start after another, at the distance that holds at that moment. */
function heldBy(
  clock: Clock,
  budget: Budget,
  waitOut: (signal: AbortSignal) => Promise<void>,
): Pick<Pace, 'turn'> {
  let minTime = spacingMs(budget, clock.monotonicMs())
  const limiter = new Bottleneck({ maxConcurrent: null, minTime })
  return {
    async turn(signal) {
      await waitOut(signal)
      if (signal.aborted) return
      const spacing = spacingMs(budget, clock.monotonicMs())
      if (spacing !== minTime) limiter.updateSettings({ minTime: (minTime = spacing) })
      await limiter.schedule(() => Promise.resolve())
      await waitOut(signal)
      noteStart(budget, clock.monotonicMs())
    },
  }
}
