import { anyText } from './any-text.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDurationMs } from '../../../src/core/time.js'
import { forAll } from '../../support/properties.js'

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['6h', 21_600_000],
    ['30d', 2_592_000_000],
    [' 1h ', 3_600_000],
    ['0s', 0],
    ['999999d', 86_399_913_600_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms)
  })

  test.each(['', '5', 's', '5 s', '-5s', '+5s', '1.5h', '5S', '5w', '1h30m', '1e3s', '1000000s', '٣s'])(
    '"%s" is no duration',
    (text) => {
      expect(parseDurationMs(text)).toBeNull()
    },
  )

  test('any text is null or a safe whole number of milliseconds', () => {
    const durations = fc
      .tuple(fc.nat(9_999_999), fc.constantFrom('s', 'm', 'h', 'd'))
      .map((parts) => parts.join(''))
    forAll(100, [fc.oneof(anyText, durations)], (text) => {
      const ms = parseDurationMs(text)
      expect(ms === null || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true)
    })
  })

  test.each([
    [-5, '0s'],
    [0, '0s'],
    [49, '0s'],
    [499, '0.5s'],
    [9_949, '9.9s'],
    [9_950, '10s'],
    [42_000, '42s'],
    [59_499, '59s'],
    [59_500, '1m00s'],
    [185_000, '3m05s'],
    [3_599_600, '1h00m'],
    [3_840_000, '1h04m'],
    [183_600_000, '2d03h'],
  ])('%i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('from ten seconds on, what is read back is never more than was meant, and loses less than its smaller unit', () => {
    forAll(100, [fc.integer({ min: 10, max: 999_999 * 3_600 })], (seconds) => {
      const text = formatDuration(seconds * 1000)
      const parts = text.match(/\d+[smhd]/g) ?? []
      expect(parts.join('')).toBe(text)
      const backMs = parts.reduce((sum, part) => sum + (parseDurationMs(part) ?? NaN), 0)
      const smallestMs = parseDurationMs(`1${text.slice(-1)}`) ?? NaN
      expect(backMs).toBeLessThanOrEqual(seconds * 1000)
      expect(seconds * 1000 - backMs).toBeLessThan(smallestMs)
    })
  })
})
