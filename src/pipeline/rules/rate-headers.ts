import { rateLimitHeaders } from '../../contract/limits.js'

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
