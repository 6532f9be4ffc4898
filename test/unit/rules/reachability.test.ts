import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAfterFailure, type ReachabilityPolicy } from '../../../src/pipeline/rules/reachability.js'

const policy: ReachabilityPolicy = {
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
    expect(decideAfterFailure(consecutive, hasAnswered, policy, 0.5)).toEqual(decision)
  })

  test('a pause stays within the cap, and failures without end are given up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.boolean(),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (consecutive, hasAnswered, fraction) => {
          const decision = decideAfterFailure(consecutive, hasAnswered, policy, fraction)
          if (decision.action === 'pause') {
            expect(decision.delayMs).toBeGreaterThan(0)
            expect(decision.delayMs).toBeLessThanOrEqual(policy.delayMsMax)
          }
          if (consecutive >= policy.failuresMax) expect(decision.action).toBe('give_up')
        },
      ),
    )
  })
})
