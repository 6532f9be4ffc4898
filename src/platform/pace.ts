import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  getSpacingMs,
  type Budget,
  type RateReading,
} from '../core/pacing.js'
import type { Clock } from './clock.js'

export interface StartPermit {
  /**
   * Call it once, when the request is sent. Returns false if it is so late that it would collide with later starts: do
   * not send it.
   */
  leave(): boolean
}

/** A rate limit spread evenly over its window, with pauses. */
export interface Pace {
  /** Resolves when one more request may start, or immediately if the signal aborts. */
  waitForTurn(signal: AbortSignal): Promise<StartPermit>
  /** Blocks all starts for `delayMs` from now; a shorter pause does not end a longer one. */
  pause(delayMs: number): void
  /** Adopts the limit reported by the server. */
  follow(reading: RateReading): void
  /** Notes a 429: blocks starts for `delayMs`, then slows down a little. */
  onRateLimited(delayMs: number): void
  /** Current rate in starts per millisecond; null if unlimited. */
  getStartsPerMs(): number | null
}

/**
 * Creates a rate limiter of `perWindow` requests in `windowMs`, adjusted by the service's rate headers. If `perWindow` is
 * null, requests wait only for pauses that a 429 demands. `recentStarts`: times at which an earlier process sent
 * requests, converted to the monotonic clock.
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
    // The pause may grow during the sleep.
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
    return {
      waitForTurn: turn,
      pause,
      onRateLimited: pause,
      follow: () => undefined,
      getStartsPerMs: () => null,
    }
  }
  const budget = createBudget(perWindow, windowMs)
  for (const startMs of recentStarts) noteStart(budget, startMs)
  pause(
    getSpacingMs(budget, clock.monotonicMs()) - (clock.monotonicMs() - (recentStarts.at(-1) ?? -Infinity)),
  )
  return {
    ...createTurns(clock, budget, waitOut, isPaused),
    pause,
    onRateLimited: (delayMs) => {
      noteRefusal(budget, delayMs, clock.monotonicMs())
      pause(delayMs)
    },
    follow: (reading) => {
      noteReading(budget, reading, clock.monotonicMs())
    },
    getStartsPerMs: () => 1 / getSpacingMs(budget, clock.monotonicMs()),
  }
}

const unlimited: StartPermit = { leave: () => true }

/**
 * Spaces starts evenly, and starts none before the window of the start one whole limit earlier has ended, since a
 * delayed request may leave next to later ones. Uses the monotonic clock.
 */
function createTurns(
  clock: Clock,
  budget: Budget,
  waitOut: (signal: AbortSignal) => Promise<void>,
  isPaused: () => boolean,
): Pick<Pace, 'waitForTurn'> {
  let nextStartMs = -Infinity
  const departures: { atMs: number }[] = []
  const getFreeAtMs = () => {
    const before = departures.at(-budget.limit)
    const isFull = departures.length >= budget.limit
    // Half of the margin is for the network, half for small delays before the start.
    return before !== undefined && isFull ? before.atMs + budget.windowMs + budget.marginMs / 2 : -Infinity
  }
  return {
    async waitForTurn(signal) {
      // A pause during the wait must be waited for as well, or all waiting starts would start at its end at once.
      do {
        await waitOut(signal)
        if (isAborted(signal)) return unlimited
        const nowMs = clock.monotonicMs()
        const startMs = Math.max(nowMs, nextStartMs, getFreeAtMs())
        nextStartMs = startMs + getSpacingMs(budget, nowMs)
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

/** A call, so that TypeScript does not narrow `aborted` across awaits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted
