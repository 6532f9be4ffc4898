import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { calculateDistance, createDistance } from '../../../src/core/word-forms.js'
import { Vocabulary } from '../../../src/registry/match/vocabulary.js'
import { buildWordClauses } from '../../../src/registry/store/blocking.js'
import { queryOf } from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

describe('edit distance', () => {
  test.each([
    ['microsoft', 'mircosoft', 1],
    ['microsoft', 'microsft', 1],
    ['microsoft', 'microsooft', 1],
    ['microsoft', 'macrosoft', 1],
    ['volkswagen', 'volkswagon', 1],
    ['abc', 'abc', 0],
    ['abc', 'xyz', 3],
  ])('%j to %j is %i', (a, b, distance) => {
    expect(calculateDistance(a, b, 5)).toBe(distance)
  })

  it('is the same both ways, and never reported below its bound when it is above', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    forAll(100, [word, word, fc.nat(4)], (a, b, distanceMax) => {
      const whole = calculateDistance(a, b, 20)
      expect(calculateDistance(b, a, 20)).toBe(whole)
      expect(calculateDistance(a, b, distanceMax)).toBe(Math.min(whole, distanceMax + 1))
    })
  })
})

it('The distance from one word to many is that between two words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 })
  forAll(1_000, [word, word, fc.nat(4)], (a, b, distanceMax) => {
    const other = new TextEncoder().encode(b)
    expect(createDistance(a, distanceMax)(other)).toBe(calculateDistance(a, b, distanceMax))
  })
})

const vocabulary = new Vocabulary(
  new Map([
    ['microsoft', 2],
    ['minerals', 40],
    ['bank', 5_000],
    ['bancorp', 900],
    ['first', 3_000],
    ['corporate', 300],
  ]),
  20_000,
)

describe('the words of a registry', () => {
  it('a rare word weighs more than a common one, an unknown one most', () => {
    expect(vocabulary.weight('unheard')).toBeGreaterThan(vocabulary.weight('microsoft'))
    expect(vocabulary.weight('microsoft')).toBeGreaterThan(vocabulary.weight('bank'))
  })

  test.each([
    ['mircosoft', ['microsoft']],
    ['microsft', ['microsoft']],
    ['icrosoft', ['microsoft']],
    ['bnk', []],
    ['zebra', []],
  ])('%j may be %j', (word, known) => {
    expect(vocabulary.findSpellings(word)).toEqual(known)
  })

  it('completes the beginning of a word', () => {
    expect(vocabulary.findCompletions('ba')).toEqual(['bancorp', 'bank'])
    expect(vocabulary.findCompletions('zz')).toEqual([])
  })

  it('looks a common word up only with another, and no word of another class', () => {
    const list = (text: string) =>
      buildWordClauses(queryOf(text, null, vocabulary).texts[0]?.words ?? [], vocabulary)
    expect(list('First Bank')).toEqual([[['first'], ['bank']]])
    expect(list('Microsoft Bank')).toEqual([[['microsoft']]])
    expect(list('Mircosoft 4.125% Ltd')).toEqual([[['microsoft']]])
    expect(list('zzzz')).toEqual([])
    expect(list('Banks of Microsofts')).toEqual([[['microsoft']]])
  })
})
