import { rateLimitHeaders } from '../../contract/limits.js'

/** A budget as it is known now. Times in milliseconds of one monotonic clock. */
export interface Budget {
  windowMs: number
  /** Requests a window: configured, then as the server says. */
  limit: number
  /** Added to the window, so that requests which arrive closer together than they left still fit. */
  marginMs: number
  /** The same, until so long after refusals. */
  stretchedMs: number
  stretchedUntilMs: number
  /** Others use the key too: until then this much slower. */
  slowUntilMs: number
  slowSpacingMs: number
  /** Starts of the last window, oldest first. */
  starts: number[]
}

/** What a minute is stretched by at first, and at most when the server says it is not enough. */
const marginMsFirst = 40
const marginShareMax = 0.05
/** A stretch lasts so many times as long as the refusal made us wait: then it has cost about as much as that. */
const stretchedWaits = 60
/** Requests that the server's count and ours may differ by: what is on its way, and a second of rounding. */
const slackCount = 3
/** A limit that a server may sensibly state. */
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

/** The distance between two starts. Even, it is safe under fixed windows, rolling ones and token buckets. */
export function spacingMs(budget: Budget, nowMs: number): number {
  const evenMs = (budget.windowMs + marginMsAt(budget, nowMs)) / budget.limit
  return nowMs < budget.slowUntilMs ? Math.max(evenMs, budget.slowSpacingMs) : evenMs
}

const marginMsAt = (budget: Budget, nowMs: number): number =>
  nowMs < budget.stretchedUntilMs ? Math.max(budget.marginMs, budget.stretchedMs) : budget.marginMs

export function noteStart(budget: Budget, nowMs: number): void {
  budget.starts.push(nowMs)
  while ((budget.starts[0] ?? nowMs) <= nowMs - budget.windowMs) budget.starts.shift()
}

/**
 * Follows what an answer's headers say. The limit is the server's. Of what remains we take our share evenly
 * until the reset, but only where the server has counted more than we have sent: at the end of every window
 * of our own nothing remains, and that is as it should be.
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
 * A refusal although we kept to the pace: the window is stretched a little, for long where it made us wait for long. A
 * service that refuses now and then and takes the next request a second later would else slow a run of days for good.
 */
export function noteRefusal(budget: Budget, waitMs: number, nowMs: number): void {
  budget.stretchedMs = Math.min(marginMsAt(budget, nowMs) * 1.5, budget.windowMs * marginShareMax)
  budget.stretchedUntilMs = Math.max(budget.stretchedUntilMs, nowMs + waitMs * stretchedWaits)
}

/** What a server says of its budget. A missing or absurd header is null: then the configured numbers hold. */
export interface RateReading {
  limit: number | null
  remaining: number | null
  resetMs: number | null
}

/** A window is a minute: no header makes us wait longer than this. */
export const rateWaitMsMax = 120_000

/** Reads `X-RateLimit-*-Minute` and `RateLimit-Reset`, and the `RateLimit-*` and `Retry-After` spellings too. */
export function readRateHeaders(headers: Readonly<Record<string, string>>, nowMs: number): RateReading {
  const reset =
    secondsToMs(headers[rateLimitHeaders.resetSeconds]) ??
    secondsToMs(headers['x-ratelimit-reset']) ??
    retryAfterMs(headers['retry-after'], nowMs)
  return {
    limit: count(headers[rateLimitHeaders.limit]) ?? count(headers['ratelimit-limit']),
    remaining: count(headers[rateLimitHeaders.remaining]) ?? count(headers['ratelimit-remaining']),
    resetMs: reset === null ? null : Math.min(reset, rateWaitMsMax),
  }
}

function count(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,7}$/.test(text.trim()) ? Number(text) : null
}

function secondsToMs(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,5}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) * 1000 : null
}

/** Seconds, or an HTTP date. */
function retryAfterMs(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null
  const seconds = secondsToMs(text)
  if (seconds !== null) return seconds
  const dateMs = parseHttpDate(text)
  return dateMs === null ? null : Math.max(0, dateMs - nowMs)
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`; the older forms are nobody's any more. */
function parseHttpDate(text: string): number | null {
  const dateMs = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim()) ? Date.parse(text) : NaN
  return Number.isNaN(dateMs) ? null : dateMs
}
