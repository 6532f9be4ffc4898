import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calculateBackoffMs,
  decideAfterFailure,
  type BackoffPolicy,
  type ReachabilityPolicy,
} from '../../../src/core/pacing.js'
import { forAll } from '../../support/properties.js'

const policy: BackoffPolicy = { delayMsBase: 500, delayMsMax: 60_000 }

describe('backoff', () => {
  test.each([
    [1, 0, 50],
    [1, 0.5, 275],
    [2, 0.5, 550],
    [3, 0, 200],
    [7, 0.5, 17_600],
    [8, 0.5, 33_000],
    [1_000, 0.5, 33_000],
  ])('after failure %i with chance %d the wait is %i ms', (attempt, fraction, delayMs) => {
    expect(calculateBackoffMs(policy, attempt, fraction)).toBe(delayMs)
  })

  test('a wait is a whole number between a tenth of its ceiling and the cap', () => {
    forAll(
      100,
      [
        fc.integer({ min: 10, max: 10_000 }),
        fc.integer({ min: 10, max: 600_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ],
      (delayMsBase, delayMsMax, attempt, fraction) => {
        const delayMs = calculateBackoffMs({ delayMsBase, delayMsMax }, attempt, fraction)
        expect(Number.isInteger(delayMs)).toBe(true)
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(Math.min(delayMsBase, delayMsMax) * 0.1))
        expect(delayMs).toBeLessThanOrEqual(delayMsMax)
      },
    )
  })

  test('with the same chance a later failure never waits less', () => {
    forAll(
      100,
      [fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })],
      (attempt, fraction) => {
        expect(calculateBackoffMs(policy, attempt + 1, fraction)).toBeGreaterThanOrEqual(
          calculateBackoffMs(policy, attempt, fraction),
        )
      },
    )
  })
})

const reachability: ReachabilityPolicy = {
  delayMsBase: 1_000,
  delayMsMax: 8_000,
  failuresMax: 6,
  firstFailuresMax: 3,
}

describe('reachability', () => {
  test.each([
    [1, false, { action: 'pause', delayMs: 550 }],
    [2, false, { action: 'pause', delayMs: 1_100 }],
    [3, false, { action: 'give_up' }],
    [3, true, { action: 'pause', delayMs: 2_200 }],
    [5, true, { action: 'pause', delayMs: 4_400 }],
    [6, true, { action: 'give_up' }],
    [7, true, { action: 'give_up' }],
  ] as const)('failure %i in a row, answered before: %s', (consecutive, hasAnswered, decision) => {
    expect(decideAfterFailure(consecutive, hasAnswered, reachability, 0.5)).toEqual(decision)
  })

  test('a pause stays within the cap, and failures without end are given up', () => {
    forAll(
      100,
      [
        fc.integer({ min: 1, max: 1_000 }),
        fc.boolean(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ],
      (consecutive, hasAnswered, fraction) => {
        const decision = decideAfterFailure(consecutive, hasAnswered, reachability, fraction)
        if (decision.action === 'pause') {
          expect(decision.delayMs).toBeGreaterThan(0)
          expect(decision.delayMs).toBeLessThanOrEqual(reachability.delayMsMax)
        }
        if (consecutive >= reachability.failuresMax) expect(decision.action).toBe('give_up')
      },
    )
  })
})
