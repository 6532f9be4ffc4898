import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareWords,
  findSpelling,
  isNumberOfTwo,
  joinNumber,
  type WordMatchKind,
} from '../../../src/registry/match/compare-words.js'
import { forAll } from '../../support/properties.js'

describe('how a word of a text stands for a word of a name', () => {
  test.each<[text: string, name: string, kind: WordMatchKind]>([
    ['korvanax', 'korvanax', 'equal'],
    ['1', 'one', 'same'],
    ['1st', 'first', 'same'],
    ['mueller', 'muller', 'same'],
    ['aabenraa', 'abenra', 'same'],
    ['hotel', 'hotels', 'plural'],
    ['glasses', 'glass', 'plural'],
    ['bank', 'bancshares', 'related'],
    ['holdings', 'group', 'related'],
    ['intl', 'international', 'abbreviated'],
    ['spk', 'sparkasse', 'abbreviated'],
    ['mng', 'mining', 'abbreviated'],
    ['svcs', 'services', 'abbreviated'],
    ['intnat', 'international', 'abbreviated'],
    ['dutche', 'deutsche', 'abbreviated'],
    ['alamr', 'alamar', 'misspelled'],
    // The plural is compared as "technology".
    ['tchnlgs', 'technology', 'abbreviated'],
    ['korv', 'korvanax', 'abbreviated'],
    ['k0rvanax', 'korvanax', 'misread'],
    ['korvanax', 'korvanaoc', 'misspelled'],
    ['intemational', 'international', 'misread'],
    ['m\uFFFDller', 'muller', 'unknown_letter'],
    ['m\uFFFDller', 'mueller', 'unknown_letter'],
    ['korvanx', 'korvanax', 'misspelled'],
    ['jorvanax', 'korvanax', 'misspelled'],
    ['korvanaks', 'korvanax', 'misspelled'],
    ['aleksa', 'alexa', 'misspelled'],
  ])('%j and %j: %s', (text, name, kind) => {
    expect(compareWords(text, name)?.kind).toBe(kind)
  })

  test.each([
    ['korvanax', 'larkmoor'],
    ['3', '4'],
    ['2022', '2023'],
    ['2022', '20222'],
    ['group', 'bank'],
    ['ct', 'center'],
    ['abc', 'abd'],
    ['korvanaxland', 'korvanax'],
    ['ko\uFFFD', 'larkmoor'],
    ['\uFFFDx', 'max'],
    ['', 'korvanax'],
    ['foods', 'foothold'],
    // Without a digit, no scan is meant.
    ['barn', 'bam'],
    ['clay', 'day'],
    // A short form keeps no vowel inside while it drops consonants.
    ['drem', 'devvstream'],
    ['alaar', 'alphastar'],
    ['turs', 'thoughtworks'],
  ])('%j and %j are different words', (text, name) => {
    expect(compareWords(text, name)).toBeNull()
  })

  test.each([
    ['fin', 'financial', 'finance', 'fin'],
    ['eng', 'engineering', 'english', 'eng'],
    ['fin', 'financial', 'financial', 'financial'],
    ['technologies', 'technology', 'technologies', 'technology'],
  ])('%s, read as %s, is compared with %s as %s', (folded, text, name, spelling) => {
    expect(findSpelling({ text, folded }, undefined, name)).toBe(spelling)
  })

  test('only the last word of a text may be the beginning of a longer one', () => {
    expect(compareWords('incom', 'income', true)?.kind).toBe('cut')
    expect(compareWords('incom', 'income', false)?.kind).toBe('misspelled')
  })

  test('the first letter and short words weigh more', () => {
    const cost = (text: string, name: string) => compareWords(text, name)?.cost ?? NaN
    expect(cost('jorvanax', 'korvanax')).toBeGreaterThan(cost('korvanex', 'korvanax'))
    expect(cost('korva', 'korvo')).toBeGreaterThan(cost('korvanex', 'korvanax'))
    expect(compareWords('jorvanax', 'korvanax')?.isFirstChanged).toBe(true)
    expect(compareWords('korvanex', 'korvanax')?.isFirstChanged).toBe(false)
  })

  test('the more letters an abbreviation keeps, the less it costs', () => {
    const costs = ['kor', 'korv', 'korva', 'korvan'].map((text) => compareWords(text, 'korvanaxos')?.cost)
    expect(costs).toEqual([...costs].sort((a, b) => Number(b) - Number(a)))
    expect(new Set(costs).size).toBe(costs.length)
  })
})

test('a number in words is its digits, with and without the ending of an ordinal', () => {
  const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
  const units = 'one two three four five six seven eight nine'.split(' ')
  const ordinals = 'first second third fourth fifth sixth seventh eighth ninth'.split(' ')
  for (const [ten, word] of tens.entries())
    for (let unit = 1; unit <= 9; unit++) {
      const digits = String((ten + 2) * 10 + unit)
      for (const last of [units[unit - 1] ?? '', ordinals[unit - 1] ?? '']) {
        expect(joinNumber(word, last)).toBe(digits)
        expect(compareWords(word + last, digits)?.kind).toBe('same')
      }
      expect(isNumberOfTwo(word, ordinals[unit - 1] ?? '', `${digits}th`)).toBe(true)
      expect(isNumberOfTwo(word, units[unit - 1] ?? '', `${digits}1`)).toBe(false)
    }
  expect(joinNumber('korvanax', 'one')).toBeUndefined()
  expect(joinNumber('twenty', 'korvanax')).toBeUndefined()
})

test('"St" is "Saint" or "Street", and two digits before a number are a year', () => {
  const st = { text: 'saint', folded: 'st' }
  const compare = (word: typeof st, next: string | undefined, name: string) =>
    compareWords(findSpelling(word, next, name), name)?.kind
  expect(compare(st, undefined, 'saint')).toBe('equal')
  expect(compare(st, undefined, 'street')).toBe('abbreviated')
  expect(compare({ text: 'saint', folded: 'saint' }, undefined, 'street')).toBeUndefined()
  const digits = { text: '21', folded: '21' }
  expect(compare(digits, '4', '2021')).toBe('equal')
  expect(compare(digits, undefined, '2021')).toBeUndefined()
  expect(compare(digits, 'fund', '2021')).toBeUndefined()
})

describe('whatever the words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'e', 'k', 'l', 'r', 's', '1', '\uFFFD'), maxLength: 9 })

  test('a match has a cost from 0, and a share of the letters from 0 to 1', () => {
    forAll(2_000, [word, word, fc.boolean()], (text, name, isLast) => {
      const match = compareWords(text, name, isLast)
      if (match === null) return
      expect(match.cost).toBeGreaterThanOrEqual(0)
      expect(match.cost === 0).toBe(text === name)
      expect(match.share).toBeGreaterThan(0)
      expect(match.share).toBeLessThanOrEqual(1)
    })
  })

  test('two spellings that are no abbreviation are the same both ways', () => {
    const mutual: readonly WordMatchKind[] = ['equal', 'same', 'plural', 'related', 'misread']
    const letters = fc.string({ unit: fc.constantFrom('a', 'e', 'k', 'l', 'r', 's'), maxLength: 9 })
    forAll(2_000, [letters, letters], (text, name) => {
      const [one, other] = [compareWords(text, name), compareWords(name, text)]
      if (one !== null && mutual.includes(one.kind)) expect(other).toEqual(one)
    })
  })

  test('a letter that is lost is found again', () => {
    const whole = fc.string({
      unit: fc.constantFrom('a', 'e', 'k', 'l', 'r', 's'),
      minLength: 4,
      maxLength: 12,
    })
    forAll(100, [whole, fc.nat(11)], (name, place) => {
      const at = place % name.length
      const text = `${name.slice(0, at)}\uFFFD${name.slice(at + 1)}`
      expect(compareWords(text, name)?.kind).toBe('unknown_letter')
    })
  })
})

test('a word of many lost letters is no word, and is compared at once', () => {
  expect(compareWords('\ufffda'.repeat(29), 'a'.repeat(60))).toBeNull()
})

test.each([
  ['gebroeders', 'gebr'],
  ['gebruder', 'gebr'],
  ['hermanos', 'hnos'],
  ['fratelli', 'flli'],
  ['brothers', 'bros'],
  ['bratia', 'bratri'],
  ['brodrene', 'brdr'],
  ['kardesler', 'kard'],
])('"%s" and "%s" are the same word', (long, short) => {
  expect(compareWords(long, short)?.kind).toBe('same')
  expect(compareWords(short, long)?.kind).toBe('same')
})

test.each([
  ['brothers', 'brother'],
  ['hermanos', 'fratelli'],
  ['gebr', 'bros'],
])('"%s" and "%s" are two words', (one, other) => {
  expect(compareWords(one, other)?.kind).not.toBe('same')
})
