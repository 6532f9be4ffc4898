import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calculateDistance } from '../../../src/core/word-forms.js'
import {
  Vocabulary,
  WordList,
  buildWordLists,
  countAllowedTypos,
} from '../../../src/registry/match/vocabulary.js'
import { forAll } from '../../support/properties.js'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1'), minLength: 1, maxLength: 9 })
const counted = fc.dictionary(word, fc.nat(1_000), { maxKeys: 60, noNullPrototype: true })

const listOf = (counts: Readonly<Record<string, number>>) =>
  new WordList(buildWordLists(Object.entries(counts)))

describe('a list of words', () => {
  it('finds each of its words with its count, and no other', () => {
    forAll(100, [counted, word], (counts, other) => {
      const list = listOf(counts)
      expect(list.size).toBe(Object.keys(counts).length)
      for (const [known, count] of Object.entries(counts)) {
        expect(list.getWord(list.find(known))).toBe(known)
        expect(list.count(list.find(known))).toBe(count)
      }
      if (!Object.hasOwn(counts, other)) expect(list.find(other)).toBe(-1)
    })
  })

  it('gives all that begin with a stem in order, and all that end with a tail', () => {
    forAll(100, [counted, word], (counts, part) => {
      const list = listOf(counts)
      const begun: string[] = []
      for (let at = list.findFirstNotBefore(part); list.beginsWith(at, part); at++)
        begun.push(list.getWord(at))
      const words = Object.keys(counts)
      expect(begun).toEqual(words.filter((known) => known.startsWith(part)).sort())
      const [from, end] = list.findBackwardRange(part)
      const ended = Array.from({ length: end - from }, (_, index) =>
        list.getWord(list.atBackward(from + index)),
      )
      expect(ended.sort()).toEqual(words.filter((known) => known.endsWith(part)).sort())
    })
  })

  it('leaves out what is no word of letters of one byte', () => {
    expect(listOf({ 'two words': 1, 'line\nfeed': 1, ümlaut: 1, '': 1, plain: 2 }).size).toBe(1)
  })
})

it('Spellings are all words with one error, and none with more errors than allowed', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 5, maxLength: 12 })
  forAll(100, [letters, fc.array(letters, { maxLength: 4 })], (asked, known) => {
    const found = new Vocabulary(new Map(known.map((each) => [each, 1])), 10).findSpellings(asked)
    const distanceTo = (each: string) => calculateDistance(asked, each, 3)
    const allowed = countAllowedTypos(asked.length)
    const near = [...new Set(known)].filter((each) => distanceTo(each) === 1)
    expect(found).toEqual(expect.arrayContaining(near))
    for (const each of found) expect(distanceTo(each)).toBeLessThanOrEqual(allowed)
  })
})
