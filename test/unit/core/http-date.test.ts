import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHttpDate, parseRetryAfterMs } from '../../../src/core/time.js'
import { forAll } from '../../support/properties.js'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const pad = (value: number, sign = '0') => String(value).padStart(2, sign)
const formatTime = (date: Date) => date.toISOString().slice(11, 19)
const getDay = (date: Date) => days[date.getUTCDay()] ?? ''
const getMonth = (date: Date) => months[date.getUTCMonth()] ?? ''

/** The three forms of RFC 9110, and others that servers send. */
const forms: Readonly<Record<string, (date: Date) => string>> = {
  'RFC 9110': (date) => date.toUTCString(),
  'RFC 850': (date) =>
    `${getDay(date)}, ${pad(date.getUTCDate())}-${getMonth(date)}-${pad(date.getUTCFullYear() % 100)} ${formatTime(date)} GMT`,
  asctime: (date) =>
    `${getDay(date).slice(0, 3)} ${getMonth(date)} ${pad(date.getUTCDate(), ' ')} ${formatTime(date)} ${date.getUTCFullYear()}`,
  'lower case': (date) => date.toUTCString().toLowerCase(),
  'without a day': (date) => date.toUTCString().slice(5),
  'another zone': (date) => new Date(date.getTime() + 5_400_000).toUTCString().replace('GMT', '+0130'),
  'ISO 8601': (date) => date.toISOString(),
}

describe('the date of a header', () => {
  const nowMs = Date.parse('2026-03-01T00:00:00Z')
  const dates = fc.date({
    min: new Date('1980-01-01T00:00:00Z'),
    max: new Date('2070-12-31T00:00:00Z'),
    noInvalidDate: true,
  })

  test.for(Object.entries(forms))('in the form %s is read as the calendar counts', ([, format]) => {
    forAll(100, [dates], (date) => {
      const thenMs = Math.floor(date.getTime() / 1_000) * 1_000
      expect(parseHttpDate(format(new Date(thenMs)), nowMs)).toBe(thenMs)
    })
  })

  test('never throws, and no wait is negative', () => {
    forAll(100, [fc.string()], (text) => {
      expect(parseRetryAfterMs(text, nowMs) ?? 0).toBeGreaterThanOrEqual(0)
    })
  })
})
