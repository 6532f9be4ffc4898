import { anyText } from '../core/any-text.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rateWaitMsMax, readRateHeaders } from '../../../src/pipeline/rules/rate-headers.js'

const nowMs = Date.UTC(2026, 1, 28, 23, 59, 30)

describe('rate headers', () => {
  test('the documented ones are read', () => {
    const headers = {
      'x-ratelimit-limit-minute': '600',
      'x-ratelimit-remaining-minute': '0',
      'ratelimit-reset': '17',
    }
    expect(readRateHeaders(headers, nowMs)).toEqual({ limit: 600, remaining: 0, resetMs: 17_000 })
  })

  test('where they are missing the common spellings are', () => {
    const headers = { 'ratelimit-limit': ' 100 ', 'ratelimit-remaining': '7', 'retry-after': '1.5' }
    expect(readRateHeaders(headers, nowMs)).toEqual({ limit: 100, remaining: 7, resetMs: 1_500 })
  })

  test('no header says nothing', () => {
    expect(readRateHeaders({}, nowMs)).toEqual({ limit: null, remaining: null, resetMs: null })
  })

  test.each([
    ['0', 0],
    ['119', 119_000],
    ['3600', rateWaitMsMax],
    ['Sun, 01 Mar 2026 00:00:00 GMT', 30_000],
    ['Sat, 28 Feb 2026 23:59:30 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', rateWaitMsMax],
    ['Sunday, 01-Mar-26 00:00:00 GMT', null],
    ['-5', null],
    ['1e9', null],
    ['soon', null],
    ['', null],
    ['Infinity', null],
  ])('Retry-After: %s', (text, resetMs) => {
    expect(readRateHeaders({ 'retry-after': text }, nowMs).resetMs).toBe(resetMs)
  })

  test('a Retry-After date counts as the calendar does', () => {
    const validDates = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('2199-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(validDates, fc.nat(rateWaitMsMax / 1000), (date, seconds) => {
        const thenMs = Math.floor(date.getTime() / 1000) * 1000
        const headers = { 'retry-after': new Date(thenMs).toUTCString() }
        expect(readRateHeaders(headers, thenMs - seconds * 1000).resetMs).toBe(seconds * 1000)
      }),
    )
  })

  test('no header text makes a wait negative, endless or longer than the cap', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((value) => String(value).padStart(2, '0'))
    const dates = fc
      .tuple(two, fc.constantFrom('Jan', 'Feb', 'Dec'), fc.nat(9999), two, two, two)
      .map(
        ([day, month, year, h, m, s]) =>
          `Mon, ${day} ${month} ${String(year).padStart(4, '0')} ${h}:${m}:${s} GMT`,
      )
    const text = fc.oneof(
      anyText,
      dates,
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.stringMatching(/^[ 0-9.,eE+-]{0,12}$/),
    )
    const names = [
      'x-ratelimit-limit-minute',
      'x-ratelimit-remaining-minute',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'x-ratelimit-reset',
      'retry-after',
    ]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), text), fc.nat(), (headers, atMs) => {
        const { limit, remaining, resetMs } = readRateHeaders(headers, atMs)
        for (const value of [limit, remaining]) {
          expect(value === null || (Number.isSafeInteger(value) && value >= 0)).toBe(true)
        }
        expect(resetMs === null || (resetMs >= 0 && resetMs <= rateWaitMsMax)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
