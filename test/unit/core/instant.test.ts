import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeInstant } from '../../../src/core/time.js'
import { forAll } from '../../support/properties.js'

describe('an instant', () => {
  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02t03:04:05.5z', '2026-01-02T03:04:05.500000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-28T23:30:00-0100', '2024-02-29T00:30:00Z'],
    ['2026-01-02 03:04', '2026-01-02T03:04:00Z'],
    ['2026-01-02T03:04:05.1234567899+00', '2026-01-02T03:04:05.123456Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s in UTC', (text, utc) => {
    expect(normalizeInstant(text)).toBe(utc)
  })

  test.each([
    '',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+99:00',
    '0001-01-01T00:00:00+01:00',
    '1767322800',
    '2026-01-01',
  ])('%j is none', (text) => {
    expect(normalizeInstant(text)).toBeNull()
  })

  test('with any offset is what Date says it is', () => {
    forAll(
      500,
      [
        fc.date({
          min: new Date('0100-01-01T00:00:00Z'),
          max: new Date('9990-01-01T00:00:00Z'),
          noInvalidDate: true,
        }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
      ],
      (date, offsetMinutes) => {
        const local = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
        const sign = offsetMinutes < 0 ? '-' : '+'
        const minutes = Math.abs(offsetMinutes)
        const two = (value: number) => String(value).padStart(2, '0')
        const found = normalizeInstant(`${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)
        expect(new Date(found ?? '').toISOString()).toBe(date.toISOString())
      },
    )
  })
})
