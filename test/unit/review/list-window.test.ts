import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calculateHeightPx,
  calculateScrollPx,
  findVisibleRows,
  calculateWindow,
  type ListShape,
} from '../../../src/review/page/browser/elements.js'
import { forAll } from '../../support/properties.js'

const shape = (count: number): ListShape => ({ count, rowPx: 50, viewPx: 600 })

const shapes = fc.record({
  count: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2_000_000 })),
  rowPx: fc.constantFrom(31, 49.6, 50, 99.2),
  viewPx: fc.constantFrom(120, 600, 1_300),
})

describe('the window of a list', () => {
  test.each([
    [0, 0, { from: 0, to: 0, topPx: 0 }],
    [3, 0, { from: 0, to: 3, topPx: 0 }],
    [10_000, 0, { from: 0, to: 18, topPx: 0 }],
    [10_000, 5_020, { from: 94, to: 119, topPx: 4_700 }],
    [10_000, 499_400, { from: 9_982, to: 10_000, topPx: 499_100 }],
  ])('of %i rows, scrolled to %i', (count, scrollPx, expected) => {
    expect(calculateWindow(shape(count), scrollPx)).toEqual(expected)
  })

  test('what is seen is covered by rows, whatever is scrolled to, however many there are; few rows are in the page', () => {
    forAll(100, [shapes, fc.double({ min: 0, max: 1, noNaN: true })], (list, share) => {
      const scrollPx = share * Math.max(0, calculateHeightPx(list) - list.viewPx)
      const { from, to, topPx } = calculateWindow(list, scrollPx)
      expect(topPx).toBeLessThanOrEqual(scrollPx + 0.01)
      const bottomPx = topPx + (to - from) * list.rowPx
      const endPx = Math.min(scrollPx + list.viewPx, to === list.count ? bottomPx : Infinity)
      expect(bottomPx).toBeGreaterThanOrEqual(endPx - 0.01)
      expect(to - from).toBeLessThanOrEqual(Math.ceil(list.viewPx / list.rowPx) + 14)
      expect(calculateHeightPx(list)).toBeLessThanOrEqual(12_000_000)
    })
  })

  test('a row is put where it is wanted, and seen there', () => {
    forAll(100, [shapes, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true })], (list, number, share) => {
      fc.pre(list.count > 0)
      const index = number % list.count
      const scrollPx = calculateScrollPx(list, index, share * (list.viewPx - list.rowPx))
      const { from, topPx } = calculateWindow(list, scrollPx)
      const placePx = topPx + (index - from) * list.rowPx - scrollPx
      // One pixel of scrolling may be several of rows, and nothing is scrolled past an end.
      const stretch = Math.max(1, (list.count * list.rowPx) / calculateHeightPx(list))
      expect(placePx).toBeGreaterThanOrEqual(-0.01 * stretch)
      expect(placePx).toBeLessThanOrEqual(Math.max(list.viewPx, list.count * list.rowPx) - list.rowPx + 0.01)
      if (placePx <= list.viewPx - list.rowPx) {
        const seen = findVisibleRows(list, scrollPx)
        expect(index).toBeGreaterThanOrEqual(seen.from)
        expect(index).toBeLessThan(seen.to)
      }
    })
  })
})
