import { rateLimitHeaders } from '../contract/limits.js'
import { parseRetryAfterMs, parseSeconds } from './time.js'

/** The present state of a rate limit. Times are monotonic milliseconds. */
export interface Budget {
  windowMs: number
  /** Requests in `windowMs`: configured, then as reported by the server. */
  limit: number
  /** Added to the window, so that requests fit which arrive closer together than they were sent. */
  marginMs: number
  /** Larger margin for a time after refusals. */
  stretchedMs: number
  stretchedUntilMs: number
  /** Spacing while other clients use the same key. */
  slowUntilMs: number
  slowSpacingMs: number
  /** Starts in the last window, oldest first. */
  starts: number[]
}

/** The initial margin of a window, and its maximum share after refusals. */
const marginMsFirst = 40
const marginShareMax = 0.05

/** The margin stays larger for this many times the wait: a refusal costs about as much time as its wait. */
const stretchedWaits = 60

/** Tolerated difference between the server's count and ours: requests in flight, and rounding to a second. */
const slackCount = 3

/** Largest limit accepted from a server. */
const limitMax = 1_000_000

export function createBudget(limit: number, windowMs: number): Budget {
  const stretched = { stretchedMs: 0, stretchedUntilMs: 0 }
  return {
    windowMs,
    limit,
    marginMs: marginMsFirst,
    ...stretched,
    slowUntilMs: 0,
    slowSpacingMs: 0,
    starts: [],
  }
}

/** The distance between two starts. Even spacing is safe for fixed and rolling windows and token buckets. */
export function getSpacingMs(budget: Budget, nowMs: number): number {
  const evenMs = (budget.windowMs + getMarginMs(budget, nowMs)) / budget.limit
  return nowMs < budget.slowUntilMs ? Math.max(evenMs, budget.slowSpacingMs) : evenMs
}

const getMarginMs = (budget: Budget, nowMs: number): number =>
  nowMs < budget.stretchedUntilMs ? Math.max(budget.marginMs, budget.stretchedMs) : budget.marginMs

export function noteStart(budget: Budget, nowMs: number): void {
  budget.starts.push(nowMs)
  while ((budget.starts[0] ?? nowMs) <= nowMs - budget.windowMs) budget.starts.shift()
}

/**
 * Adopts the limit in a response's headers. If the server has counted more requests than we sent, the remaining ones
 * are spread evenly until the reset. A remaining count of zero at the end of our own window is normal.
 */
export function noteReading(budget: Budget, reading: RateReading, nowMs: number): void {
  const { limit, remaining, resetMs } = reading
  if (limit !== null && limit > 0 && limit <= limitMax) budget.limit = limit
  if (remaining === null || resetMs === null || resetMs > budget.windowMs * 2) return
  const usedByOthers = budget.limit - remaining - budget.starts.length
  if (usedByOthers <= slackCount) return
  budget.slowUntilMs = nowMs + resetMs
  budget.slowSpacingMs = resetMs / Math.max(1, remaining)
}

/**
 * Widens the window after a refusal despite the pacing, for a time proportional to the wait. A permanent change would
 * slow down long runs because of occasional refusals.
 */
export function noteRefusal(budget: Budget, waitMs: number, nowMs: number): void {
  budget.stretchedMs = Math.min(getMarginMs(budget, nowMs) * 1.5, budget.windowMs * marginShareMax)
  budget.stretchedUntilMs = Math.max(budget.stretchedUntilMs, nowMs + waitMs * stretchedWaits)
}

/** Rate headers of a response. A missing or implausible header is null: the configured numbers apply. */
export interface RateReading {
  limit: number | null
  remaining: number | null
  resetMs: number | null
}

/** A window is one minute: no header causes a longer wait than this. */
export const rateWaitMsMax = 120_000

/** Reads `X-RateLimit-*-Minute` and `RateLimit-Reset`, and also `RateLimit-*` and `Retry-After`. */
export function readRateHeaders(headers: Readonly<Record<string, string>>, nowMs: number): RateReading {
  const reset =
    parseResetMs(headers[rateLimitHeaders.resetSeconds], nowMs) ??
    parseResetMs(headers['x-ratelimit-reset'], nowMs) ??
    parseRetryAfterMs(headers['retry-after'] ?? '', nowMs)
  return {
    limit: parseCount(headers[rateLimitHeaders.limit]) ?? parseCount(headers['ratelimit-limit']),
    remaining: parseCount(headers[rateLimitHeaders.remaining]) ?? parseCount(headers['ratelimit-remaining']),
    resetMs: reset === null ? null : Math.min(reset, rateWaitMsMax),
  }
}

function parseCount(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,7}$/.test(text.trim()) ? Number(text) : null
}

/** Larger numbers of seconds are Unix times, which some servers send. */
const unixSecondsMin = 1_000_000_000

/** Parses the seconds until a reset, or its Unix time. */
function parseResetMs(text: string | undefined, nowMs: number): number | null {
  const seconds = text === undefined ? null : parseSeconds(text)
  if (seconds === null || seconds < unixSecondsMin) return seconds === null ? null : seconds * 1_000
  return Math.max(0, seconds * 1_000 - nowMs)
}

/** Delays before retries: exponential, capped, with full jitter so that clients do not synchronize. */
export interface BackoffPolicy {
  delayMsBase: number
  delayMsMax: number
}

/** Returns the wait after failure number `attempt` (from 1); `fraction` is random in [0, 1). */
export function calculateBackoffMs(policy: BackoffPolicy, attempt: number, fraction: number): number {
  const ceiling = Math.min(policy.delayMsMax, policy.delayMsBase * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling * (0.1 + 0.9 * fraction))
}

export interface ReachabilityPolicy extends BackoffPolicy {
  /** Consecutive failures after which to give up, if the service has answered before. */
  failuresMax: number
  /** The same if it has never answered: its address is probably wrong. */
  firstFailuresMax: number
}

/** Decides what to do after `consecutive` failures in a row (from 1). */
export function decideAfterFailure(
  consecutive: number,
  hasAnswered: boolean,
  policy: ReachabilityPolicy,
  fraction: number,
): { action: 'pause'; delayMs: number } | { action: 'give_up' } {
  const max = hasAnswered ? policy.failuresMax : policy.firstFailuresMax
  return consecutive >= max
    ? { action: 'give_up' }
    : { action: 'pause', delayMs: calculateBackoffMs(policy, consecutive, fraction) }
}

/** Counts failures in a row. Requests in flight at the same time fail together and count once. */
export class FailureStreak {
  readonly #policy: ReachabilityPolicy
  #consecutive = 0
  #lastCountedAtMs = -Infinity
  #hasAnswered = false

  constructor(policy: ReachabilityPolicy) {
    this.#policy = policy
  }

  reset(): void {
    this.#consecutive = 0
    this.#hasAnswered = true
  }

  /** `startedAtMs` and `nowMs` are monotonic; `fraction` is random. */
  noteFailure(startedAtMs: number, nowMs: number, fraction: number): ReturnType<typeof decideAfterFailure> {
    if (startedAtMs >= this.#lastCountedAtMs) {
      this.#consecutive++
      this.#lastCountedAtMs = nowMs
    }
    return decideAfterFailure(this.#consecutive, this.#hasAnswered, this.#policy, fraction)
  }
}

/** Policy for submissions that were not received. */
export const notSentPolicy: ReachabilityPolicy = {
  delayMsBase: 500,
  delayMsMax: 60_000,
  failuresMax: 12,
  firstFailuresMax: 4,
}

/** Free requests may be retried for longer. */
export const freePolicy: ReachabilityPolicy = { ...notSentPolicy, failuresMax: 20, firstFailuresMax: 10 }

/** Each retry may be billed and lost, so there are fewer. */
export const unknownPolicy: ReachabilityPolicy = {
  delayMsBase: 2_000,
  delayMsMax: 60_000,
  failuresMax: 8,
  firstFailuresMax: 5,
}

export const failedPollPolicy: BackoffPolicy = { delayMsBase: 2_000, delayMsMax: 60_000 }
/** Policy for all polls together: without any usable response, the service is down. Each run also has its own wait. */
export const pollsPolicy: ReachabilityPolicy = { ...failedPollPolicy, failuresMax: 20, firstFailuresMax: 5 }
