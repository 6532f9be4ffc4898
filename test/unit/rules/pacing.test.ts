import { anyText } from '../core/any-text.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createBudget,
  noteReading,
  noteRefusal,
  noteStart,
  rateWaitMsMax,
  readRateHeaders,
  getSpacingMs,
} from '../../../src/core/pacing.js'
import { forAll } from '../../support/properties.js'

const minuteMs = 60_000

describe('the distance between two starts', () => {
  test('is the window over the limit, and a hair more', () => {
    expect(getSpacingMs(createBudget(100, minuteMs), 0)).toBeCloseTo(600, 0)
    expect(getSpacingMs(createBudget(600, minuteMs), 0)).toBeGreaterThan(100)
  })

  test('follows the limit that the server states, up and down', () => {
    const budget = createBudget(100, minuteMs)
    noteReading(budget, { limit: 50, remaining: null, resetMs: null }, 0)
    expect(getSpacingMs(budget, 0)).toBeCloseTo(1_200, -1)
    noteReading(budget, { limit: 200, remaining: null, resetMs: null }, 0)
    expect(getSpacingMs(budget, 0)).toBeCloseTo(300, 0)
  })

  test('grows a little with every refusal, and never by more than a twentieth', () => {
    const budget = createBudget(100, minuteMs)
    const before = getSpacingMs(budget, 0)
    noteRefusal(budget, minuteMs, 0)
    expect(getSpacingMs(budget, 0)).toBeGreaterThan(before)
    for (let refusal = 0; refusal < 100; refusal++) noteRefusal(budget, minuteMs, 0)
    expect(getSpacingMs(budget, 0)).toBeLessThanOrEqual(630)
  })

  test('is what it was again, the later the longer a refusal made us wait', () => {
    const [short, long] = [createBudget(100, minuteMs), createBudget(100, minuteMs)]
    const before = getSpacingMs(short, 0)
    noteRefusal(short, 1_000, 0)
    noteRefusal(long, minuteMs, 0)
    expect(getSpacingMs(short, minuteMs / 2)).toBeGreaterThan(before)
    expect(getSpacingMs(short, 2 * minuteMs)).toBe(before)
    expect(getSpacingMs(long, 30 * minuteMs)).toBeGreaterThan(before)
    expect(getSpacingMs(long, 61 * minuteMs)).toBe(before)
  })

  test('is not changed by our own use of the window: at its end nothing remains', () => {
    const budget = createBudget(100, minuteMs)
    const before = getSpacingMs(budget, 0)
    for (let start = 0; start < 100; start++) noteStart(budget, start * 600)
    noteReading(budget, { limit: 100, remaining: 0, resetMs: 1_000 }, 59_900)
    expect(getSpacingMs(budget, 59_950)).toBe(before)
  })

  test('grows until the reset when others use the key too', () => {
    const budget = createBudget(100, minuteMs)
    const before = getSpacingMs(budget, 0)
    noteStart(budget, 0)
    noteReading(budget, { limit: 100, remaining: 20, resetMs: 30_000 }, 100)
    expect(getSpacingMs(budget, 200)).toBe(1_500)
    expect(getSpacingMs(budget, 30_200)).toBe(before)
  })

  test('stays finite and above nothing whatever the headers say', () => {
    const number = fc.option(fc.oneof(fc.nat(), fc.constantFrom(0, 1, 1e6, 9_999_999)))
    forAll(100, [fc.array(fc.record({ limit: number, remaining: number, resetMs: number }))], (readings) => {
      const budget = createBudget(100, minuteMs)
      for (const [index, reading] of readings.entries()) {
        noteStart(budget, index * 600)
        noteReading(budget, reading, index * 600)
      }
      const spacing = getSpacingMs(budget, readings.length * 600)
      expect(spacing).toBeGreaterThan(0)
      expect(spacing).toBeLessThanOrEqual(2 * minuteMs)
    })
  })
})

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
    ['Sunday, 01-Mar-26 00:00:00 GMT', 30_000],
    ['Sun Mar  1 00:00:00 2026', 30_000],
    ['Sun, 1 Mar 2026 00:00:00 gmt', 30_000],
    ['Sun, 01 Mar 2026 01:00:00 +0100', 30_000],
    ['Sat, 28 Feb 2026 19:00:00 EST', 30_000],
    ['2026-03-01T00:00:00Z', 30_000],
    ['Sunday, 30-Feb-26 00:00:00 GMT', null],
    ['Sun Mar  1 00:00:00', null],
    ['7.25', 7_250],
    ['99999999999999999999', rateWaitMsMax],
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
    forAll(100, [validDates, fc.nat(rateWaitMsMax / 1000)], (date, seconds) => {
      const thenMs = Math.floor(date.getTime() / 1000) * 1000
      const headers = { 'retry-after': new Date(thenMs).toUTCString() }
      expect(readRateHeaders(headers, thenMs - seconds * 1000).resetMs).toBe(seconds * 1000)
    })
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
    forAll(500, [fc.dictionary(fc.constantFrom(...names), text), fc.nat()], (headers, atMs) => {
      const { limit, remaining, resetMs } = readRateHeaders(headers, atMs)
      for (const value of [limit, remaining]) {
        expect(value === null || (Number.isSafeInteger(value) && value >= 0)).toBe(true)
      }
      expect(resetMs === null || (resetMs >= 0 && resetMs <= rateWaitMsMax)).toBe(true)
    })
  })
})
