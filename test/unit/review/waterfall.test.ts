import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calculateBars, calculateScale, calculateZero } from '../../../src/review/page/browser/candidates.js'
import { forAll } from '../../support/properties.js'

describe('the waterfall of evidence', () => {
  test('every bar begins where the one before it ended, left of which or right of it', () => {
    const scale = calculateScale([[3, -1, 2]])
    expect(scale).toEqual({ least: 0, most: 4 })
    expect(calculateBars([3, -1, 2], scale)).toEqual([
      { left: 0, width: 75, isFor: true },
      { left: 50, width: 25, isFor: false },
      { left: 50, width: 50, isFor: true },
    ])
    expect(calculateZero(scale)).toBe(0)
  })

  test('candidates of one row share a scale, with room for what speaks against', () => {
    const scale = calculateScale([[2], [1, -3], []])
    expect(scale).toEqual({ least: -2, most: 2 })
    expect(calculateZero(scale)).toBe(50)
    expect(calculateBars([2], scale)).toEqual([{ left: 50, width: 50, isFor: true }])
  })

  test('what has no weight has no bar, and moves none', () => {
    expect(calculateBars([null, null], calculateScale([[null, null]]))).toEqual([null, null])
    expect(calculateBars([1, null, 1], { least: 0, most: 2 })).toEqual([
      { left: 0, width: 50, isFor: true },
      null,
      { left: 50, width: 50, isFor: true },
    ])
    expect(calculateZero(calculateScale([]))).toBe(0)
    expect(calculateBars([0, 0], calculateScale([[0, 0]]))).toEqual([null, null])
  })

  test('no bar leaves its track', () => {
    const weights = fc.array(fc.option(fc.double({ min: -30, max: 30, noNaN: true }), { nil: null }), {
      maxLength: 8,
    })
    forAll(100, [fc.array(weights, { maxLength: 5 })], (candidates) => {
      const scale = calculateScale(candidates)
      for (const bar of candidates.flatMap((weights) => calculateBars(weights, scale))) {
        if (bar === null) continue
        expect(bar.left).toBeGreaterThanOrEqual(-0.001)
        expect(bar.left + bar.width).toBeLessThanOrEqual(100.001)
      }
    })
  })
})
