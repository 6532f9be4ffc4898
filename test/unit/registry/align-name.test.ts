import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alignName, prepareText, type NameAlignment } from '../../../src/registry/match/align-name.js'
import { candidatesOf, queryOf, vocabularyOf } from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

interface Aligned extends NameAlignment {
  /** The words of the text that stand for the name, and those of the name that it lacks. */
  readonly found: string
  readonly lacks: string
}

function align(text: string, name: string): Aligned {
  const candidates = candidatesOf([{ name }])
  const vocabulary = vocabularyOf(candidates)
  const [candidate] = candidates
  const [read] = queryOf(text, null, vocabulary).texts
  if (candidate === undefined || read === undefined) throw new Error(`${text} was not read`)
  const alignment = alignName(prepareText(read, vocabulary), candidate)
  const found = alignment.pairs.flatMap(({ textAt, textCount }) =>
    read.words.slice(textAt, textAt + textCount),
  )
  return {
    ...alignment,
    found: found.map((word) => word.text).join(' '),
    lacks: alignment.missing.map((at) => candidate.tokens[at]).join(' '),
  }
}

describe('a name is found in a text', () => {
  test.each([
    ['Zorvex Calder', 'zorvex calder'],
    ['Zorvex Calder Inc', 'zorvex calder'],
    ['4.125% Zorvex Calder Corp 22.03.28', 'zorvex calder'],
    ['Attn: Payroll, Zorvex Calder Ltd - Plant 7', 'zorvex calder'],
    ['Mellbrook dba Zorvex Calder', 'zorvex calder'],
    ['Zorvex & Calder', 'zorvex calder'],
    ['ZorvexCalder', 'zorvex calder'],
    ['Zor Vex Calder', 'zor vex calder'],
    ['Zorvex Mellbrook Calder', 'zorvex calder'],
    ['Calder Zorvex', 'calder zorvex'],
  ])('%j: %j', (text, found) => {
    expect(align(text, 'Zorvex Calder Inc')).toMatchObject({ found, lacks: '' })
  })

  test.each([
    ['Zorvex VN', 'CÔNG TY TNHH ZORVEX VIỆT NAM', ''],
    ['CTY TNHH ZORVEX VN', 'CÔNG TY TNHH ZORVEX VIỆT NAM', ''],
    ['Zorvex Co., Ltd. (VN)', 'Zorvex Vietnam Co., Ltd.', ''],
    ['Zorvex PL', 'Zorvex Polska Sp. z o.o.', ''],
    ['Zorvex Poland', 'Zorvex Polska Sp. z o.o.', ''],
    ['Zorvex CZ', 'Zorvex Česká republika, s.r.o.', ''],
    ['Zorvex Czech Republic', 'Zorvex Česká republika, s.r.o.', ''],
    ['Zorvex UK', 'Zorvex Great Britain Ltd', ''],
    ['Zorvex United Kingdom', 'Zorvex (U.K.) Limited', ''],
    ['Zorvex Germany', 'Zorvex Deutschland GmbH', ''],
    ['Zorvex ESP', 'Zorvex España S.A.', ''],
    ['Zorvex IN', 'Zorvex India Private Limited', ''],
    ['Zorvex PL', 'Zorvex Romania SRL', 'romania'],
    ['Zorvex Poland', 'Zorvex Deutschland GmbH', 'deutschland'],
    ['Zorvex Gas', 'Zorvex Guatemala S.A.', 'guatemala'],
    ['VN', 'Việt Nam', 'viet nam'],
  ])('the country at the end in another spelling: %j, %j', (text, name, lacks) => {
    expect(align(text, name).lacks).toBe(lacks)
  })

  test('what stands around and between its words is told', () => {
    expect(align('Old Zorvex Mellbrook Calder Ltd', 'Zorvex Calder')).toMatchObject({
      start: 1,
      end: 4,
      inside: [2],
    })
    expect(align('Calder Zorvex', 'Zorvex Calder').isReordered).toBe(true)
    expect(align('Zorvex Calder', 'Zorvex Calder').isReordered).toBe(false)
    expect(align('Zorvex', 'Zorvex Calder Mellbrook').lacks).toBe('calder mellbrook')
  })

  test('of two places the closer one is the name', () => {
    expect(align('Zorvix - Zorvex Calder', 'Zorvex Calder')).toMatchObject({ start: 1, end: 3 })
    expect(align('Zorvex Calder - Zorvex', 'Zorvex Calder')).toMatchObject({ start: 0, end: 2 })
  })
})

const word = fc.constantFrom(
  ...'Zorvex Calder Mellbrook Tharsan Quovadin Brimholt Vexuna Ostrava Lindqvar Pryndal'.split(' '),
)
const words = fc.uniqueArray(word, { minLength: 2, maxLength: 6 })
/** Words of a class that says nothing about the company. */
const noise = fc.array(fc.constantFrom('4.125%', '22.03.28', 'USD', 'ADR', 'NYSE'), { maxLength: 4 })

describe('the cost', () => {
  test('of the very name is 0', () => {
    forAll(100, [words], (name) => {
      expect(align(name.join(' '), name.join(' '))).toMatchObject({ cost: 0, missing: [], inside: [] })
    })
  })

  test('of noise is the same before and behind the name, and finds the same words', () => {
    forAll(100, [words, noise], (name, more) => {
      const whole = name.join(' ')
      const before = align([...more, ...name].join(' '), whole)
      const behind = align([...name, ...more].join(' '), whole)
      expect(before.cost).toBeCloseTo(behind.cost, 9)
      expect(before.found).toBe(behind.found)
      expect(before.start).toBe(before.end - name.length)
      expect(before.cost).toBeLessThanOrEqual(0.2 * more.length + 1e-9)
    })
  })

  test('falls if a word that the text lacks is put in its place', () => {
    forAll(100, [words, fc.nat(5), fc.nat(63)], (name, at, kept) => {
      const missing = at % name.length
      const isKept = (index: number) => Math.floor(kept / 2 ** index) % 2 === 1
      const lacking = name.filter((_, index) => index !== missing && isKept(index))
      const more = name.filter((_, index) => index === missing || isKept(index))
      fc.pre(lacking.length > 0)
      const [before, after] = [lacking, more].map((text) => align(text.join(' '), name.join(' ')))
      expect(after?.cost).toBeLessThan(before?.cost ?? NaN)
      expect(after?.missing.length).toBe((before?.missing.length ?? NaN) - 1)
    })
  })

  test('is above 0 if the text has another word', () => {
    forAll(100, [words, word, fc.nat(6)], (name, other, place) => {
      fc.pre(!name.includes(other))
      const at = place % (name.length + 1)
      const more = name.toSpliced(at, 0, other)
      expect(align(more.join(' '), name.join(' ')).cost).toBeGreaterThan(0)
    })
  })

  test('of words written as one is small, in the text or in the name', () => {
    forAll(100, [words, fc.nat(4)], (name, place) => {
      const at = place % (name.length - 1)
      const pair = `${name[at] ?? ''}${(name[at + 1] ?? '').toLowerCase()}`
      const [apart, joined] = [name.join(' '), name.toSpliced(at, 2, pair).join(' ')]
      for (const found of [align(joined, apart), align(apart, joined)]) {
        expect(found.missing).toEqual([])
        expect(found.cost).toBeLessThan(0.31)
      }
    })
  })

  test('no word of the text or of the name is used twice, and none is lost', () => {
    forAll(300, [fc.array(word, { minLength: 1, maxLength: 8 }), words], (text, name) => {
      const { pairs, missing, cost, missingCost } = align(text.join(' '), name.join(' '))
      const count = (from: number, length: number) => Array.from({ length }, (_, more) => from + more)
      const inText = pairs.flatMap(({ textAt, textCount }) => count(textAt, textCount))
      const inName = pairs.flatMap(({ nameAt, nameCount }) => count(nameAt, nameCount))
      expect(new Set(inText).size).toBe(inText.length)
      expect([...inName, ...missing].sort((a, b) => a - b)).toEqual([...name.keys()])
      expect(cost).toBeGreaterThanOrEqual(0)
      expect(missingCost).toBeGreaterThanOrEqual(0)
    })
  })
})

test('the same text with many names gives what each alone gives', () => {
  const names = ['Zorvex Calder', 'Calder', 'Mellbrook Zorvex'].flatMap((name) => candidatesOf([{ name }]))
  const vocabulary = vocabularyOf(names)
  const [text] = queryOf('Zorvex Mellbrook Calder', null, vocabulary).texts
  if (text === undefined) throw new Error('it was not read')
  const together = prepareText(text, vocabulary)
  for (const name of [...names, ...names])
    expect(alignName(together, name)).toEqual(alignName(prepareText(text, vocabulary), name))
})
