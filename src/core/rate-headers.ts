import { rateLimitHeaders } from '../contract/limits.js'

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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Sun, 06 Nov 1994 08:49:37 GMT`, in days since the epoch without a clock. */
function parseHttpDate(text: string): number | null {
  const match = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text.trim())
  if (!match) return null
  const [, day, monthName = '', year, hours, minutes, seconds] = match
  const month = months.indexOf(monthName) + 1
  if (month === 0) return null
  const days = daysSinceEpoch(Number(year), month, Number(day))
  return ((days * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000
}

/** Days of the proleptic Gregorian calendar since 1970-01-01. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}
