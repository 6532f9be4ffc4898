import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDoubtful, lookupStates } from '../../../src/core/lookup-state.js'
import { forAll } from '../../support/properties.js'

describe('a lookup is doubtful', () => {
  test.each([
    ['matched', 80, false],
    ['matched', 79, true],
    ['matched', null, false],
    ['partial_match', 79, true],
    ['partial_match', 80, false],
    ['partial_match', null, true],
    ['inconclusive', 95, true],
    ['no_match', 0, true],
    ['not_found', null, true],
    ['merged', 10, false],
    ['failed', null, false],
    ['a word of tomorrow', 10, false],
    [null, null, false],
  ])('%s with %s: %s', (outcome, confidence, expected) => {
    expect(isDoubtful({ state: 'answered', outcome, confidence }, 80)).toBe(expected)
  })

  test.each(lookupStates.filter((state) => state !== 'answered'))('never where it is %s', (state) => {
    expect(isDoubtful({ state, outcome: 'no_match', confidence: 0 }, 100)).toBe(false)
  })

  test('more of them, never fewer, the higher the threshold', () => {
    const outcome = fc.constantFrom('matched', 'partial_match', 'inconclusive', 'no_match', 'merged')
    forAll(100, [outcome, fc.nat(100), fc.nat(100), fc.nat(100)], (found, confidence, one, other) => {
      const at = (threshold: number) =>
        isDoubtful({ state: 'answered', outcome: found, confidence }, threshold)
      if (at(Math.min(one, other))) expect(at(Math.max(one, other))).toBe(true)
    })
  })
})
