import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  spacingMs,
  type Budget,
  type RateReading,
} from '../pace/pacing.js'
import type { Clock } from '../../platform/clock.js'

/** The right to one start. */
export interface StartRight {
  /**
   * For the moment in which the request leaves, once. False where that is so late that it would meet those of later
   * turns: then it does not leave.
   */
  leave(): boolean
}

/** A per-minute budget spread evenly, and a gate in front of it. */
export interface Pace {
  /** Resolves when one more request may start; or at once, without a right to start, when the signal aborts. */
  turn(signal: AbortSignal): Promise<StartRight>
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
  const isPaused = () => clock.monotonicMs() < pausedUntilMs
  const waitOut = async (signal: AbortSignal) => {
    // The pause may grow while it is slept through.
    while (!signal.aborted && isPaused()) {
      await clock.sleep(pausedUntilMs - clock.monotonicMs(), signal)
    }
  }
  const pause = (delayMs: number) => {
    pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs)
  }
  if (perWindow === null) {
    const turn = async (signal: AbortSignal) => {
      await waitOut(signal)
      return unlimited
    }
    return { turn, pause, refused: pause, follow: () => undefined, perMs: () => null }
  }
  const budget = createBudget(perWindow, windowMs)
  for (const startMs of recentStarts) noteStart(budget, startMs)
  pause(spacingMs(budget, clock.monotonicMs()) - (clock.monotonicMs() - (recentStarts.at(-1) ?? -Infinity)))
  return {
    ...heldBy(clock, budget, waitOut, isPaused),
    pause,
    refused: (delayMs) => {
      noteRefusal(budget, delayMs, clock.monotonicMs())
      pause(delayMs)
    },
    follow: (reading) => {
      noteReading(budget, reading, clock.monotonicMs())
    },
    perMs: () => 1 / spacingMs(budget, clock.monotonicMs()),
  }
}

const unlimited: StartRight = { leave: () => true }

/**
 * One start after another, at the distance that holds at that moment, and none before the window of the one that is a
 * whole limit back is over: what is held up on its way out leaves beside later ones. The wall clock may jump: it is not
 * looked at.
 */
function heldBy(
  clock: Clock,
  budget: Budget,
  waitOut: (signal: AbortSignal) => Promise<void>,
  isPaused: () => boolean,
): Pick<Pace, 'turn'> {
  let nextStartMs = -Infinity
  const departures: { atMs: number }[] = []
  const isFreeAtMs = () => {
    const before = departures.at(-budget.limit)
    const isFull = departures.length >= budget.limit
    // Half of the margin is for the way there, and half for small delays before.
    return before !== undefined && isFull ? before.atMs + budget.windowMs + budget.marginMs / 2 : -Infinity
  }
  return {
    async turn(signal) {
      // A pause that came while this waited lets nobody through: all that waited would start at its end at once.
      do {
        await waitOut(signal)
        if (isAborted(signal)) return unlimited
        const nowMs = clock.monotonicMs()
        const startMs = Math.max(nowMs, nextStartMs, isFreeAtMs())
        nextStartMs = startMs + spacingMs(budget, nowMs)
        if (startMs > nowMs) await clock.sleep(startMs - nowMs, signal)
      } while (isPaused())
      const departure = { atMs: clock.monotonicMs() }
      noteStart(budget, departure.atMs)
      departures.push(departure)
      if (departures.length > budget.limit) departures.shift()
      const leave = () => {
        departure.atMs = clock.monotonicMs()
        return true
      }
      return { leave }
    },
  }
}

/** Asked anew each time: it may be aborted while something is waited for. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted
