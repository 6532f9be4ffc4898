import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { calculateInterval } from '../../../src/core/partition.js'
import { forAll } from '../../support/properties.js'

describe('an interval', () => {
  test.each([
    [0, 0, null],
    [8, 10, [0.4902, 0.9433]],
    [10, 10, [0.7225, 1]],
    [0, 20, [0, 0.1611]],
    [73, 73, [0.95, 1]],
    [72, 73, [0.9264, 0.9976]],
    [990, 1000, [0.9817, 0.9946]],
  ])('%i of %i', (part, whole, expected) => {
    const rounded = calculateInterval(part, whole)?.map((end) => Number(end.toFixed(4))) ?? null
    expect(rounded).toEqual(expected)
  })

  it('holds the share, and is the narrower the more were asked', () => {
    forAll(100, [fc.nat(50), fc.integer({ min: 1, max: 50 })], (part, more) => {
      const whole = part + more
      const [least, most] = calculateInterval(part, whole) ?? [1, 0]
      const [leastOfMany, mostOfMany] = calculateInterval(part * 10, whole * 10) ?? [1, 0]
      expect(least).toBeLessThanOrEqual(part / whole)
      expect(most).toBeGreaterThanOrEqual(part / whole)
      expect(mostOfMany - leastOfMany).toBeLessThan(most - least)
    })
  })
})
