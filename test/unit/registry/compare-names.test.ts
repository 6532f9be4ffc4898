import { describe, expect, it, test } from 'vitest'
import { compareNames, rewriteSpelling, type MatchType } from '../../../src/registry/match/compare-names.js'
import type { FormAgreement } from '../../../src/registry/match/form-agreement.js'
import { Vocabulary } from '../../../src/registry/match/vocabulary.js'
import { listVariants, type VariantKind } from '../../../src/registry/normalize/name-variants.js'
import { candidatesOf, compared, vocabularyOf } from '../../support/matching.js'

describe('how a text is a name', () => {
  test.each<[text: string, name: string, matchType: MatchType]>([
    ['Zorvex Robotics', 'Zorvex Robotics Inc', 'exact'],
    ['ZorvexRobotics', 'Zorvex Robotics, Inc.', 'exact'],
    ['Zorvex', 'Zorvex Robotics Inc', 'prefix'],
    ['Sun Zorvex', 'SunZorvex Assurance', 'prefix'],
    ['Zorvex Inflight Catering', 'Zorvex Inc', 'extends'],
    ['Zorvexland', 'Zorvex Inc', 'near'],
    ['Robotics Zorvex', 'Zorvex Robotics Inc', 'near'],
    ['ZRC', 'Zorvex Robotics Calder Inc', 'acronym'],
    ['Zorvex Municipal Incom', 'Zorvex Municipal Income Trust', 'completed'],
    // A column of 31 may have ended between two words.
    ['Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp II', 'completed'],
  ])('%j is %j: %s', (text, name, matchType) => {
    expect(compared(text, name).matchType).toBe(matchType)
  })

  it('a name that is nothing like it is not compared', () => {
    expect(() => compared('Zorvex Robotics', 'Calder Logistics Ltd')).toThrow('nothing like')
  })

  test.each([
    ['Zorvex Income Fund II', 'Zorvex Income Fund III'],
    ['Zorvex Income Fund', 'Zorvex Income Fund II'],
    ['Zorvex Fund 2022', 'Zorvex Fund 2023'],
  ])('%j and %j bear different numbers, or one bears none', (text, name) => {
    const comparison = compared(text, name)
    expect(comparison.isOneOfSeries || !comparison.numbersAgree).toBe(true)
    expect(compared(text, text).numbersAgree).toBe(true)
  })

  it('a cut name that goes on with a number is one of a series', () => {
    expect(compared('Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp. III')).toMatchObject({
      isOneOfSeries: true,
    })
    expect(compared('Zorvex Municipal Incom', 'Zorvex Municipal Income Trust').isOneOfSeries).toBe(false)
  })

  it('what a completion lacks of the name is told by its share', () => {
    const shares = ['Zorvex Municipa', 'Zorvex Municipal Incom', 'Zorvex Municipal Income Trus'].map(
      (text) => compared(text, 'Zorvex Municipal Income Trust').missingShare,
    )
    expect(shares).toEqual([...shares].sort((a, b) => b - a))
    expect(compared('Zorvex Municipal Income Trust', 'Zorvex Municipal Income Trust').missingShare).toBe(0)
  })
})

describe('words that one side lacks', () => {
  test.each([
    ['Zorvex', 'Zorvex Group', 'nameLeftover', { light: 1, soft: 0, hard: 0, number: 0, place: 0 }],
    ['Zorvex Holdings', 'Zorvex Inc', 'queryLeftover', { light: 1, soft: 0, hard: 0, number: 0, place: 0 }],
    ['Zorvex', 'Zorvex Software', 'nameLeftover', { light: 0, soft: 1, hard: 0, number: 0, place: 0 }],
    ['Zorvex Calder', 'Zorvex Inc', 'queryLeftover', { light: 0, soft: 0, hard: 1, number: 0, place: 0 }],
    ['Zorvex Fund', 'Zorvex Fund IV', 'nameLeftover', { light: 0, soft: 0, hard: 0, number: 1, place: 0 }],
    ['Zorvex Reno', 'Zorvex Inc', 'queryLeftover', { light: 0, soft: 0, hard: 0, number: 0, place: 1 }],
    ['Zorvex', 'Zorvex Reno', 'nameLeftover', { light: 0, soft: 0, hard: 0, number: 0, place: 1 }],
    ['Zorvex Inc', 'Zorvex Inc', 'nameLeftover', { light: 0, soft: 0, hard: 0, number: 0, place: 0 }],
  ] as const)('%j beside %j: %s', (text, name, side, words) => {
    expect(compared(text, name, { location: 'Reno, NV' })[side]).toMatchObject(words)
  })

  it('the rarer the hard words, the more they weigh', () => {
    const weight = (name: string) => compared('Zorvex', name).nameLeftover.hardWeight
    expect(weight('Zorvex Calder')).toBeGreaterThan(0)
    expect(weight('Zorvex Software')).toBe(0)
    expect(weight('Zorvex Calder Mellbrook')).toBeGreaterThan(weight('Zorvex Calder'))
  })

  it('a bank and its holding are one feature, and no leftover', () => {
    for (const [text, name] of [
      ['Zorvex Bank', 'Zorvex Bancorp'],
      ['Zorvex Bancshares', 'Zorvex Bank'],
    ] as const) {
      const comparison = compared(text, name)
      expect(comparison.isBankAndHolding).toBe(true)
      for (const { soft, hard } of [comparison.queryLeftover, comparison.nameLeftover])
        expect([soft, hard]).toEqual([0, 0])
    }
    expect(compared('Zorvex Bancorp', 'Zorvex Bancshares').isBankAndHolding).toBe(false)
    expect(compared('Zorvex Bank', 'Zorvex Group').isBankAndHolding).toBe(false)
  })
})

describe('spelling', () => {
  it('counts words that differ by an error or an abbreviation, and says where no telling word is right', () => {
    expect(compared('Zorvex Robtics', 'Zorvex Robotics')).toMatchObject({
      looseCount: 1,
      isMisspelled: false,
    })
    expect(compared('Zorvix Robotics Inc', 'Zorvex Robotics Inc')).toMatchObject({ isMisspelled: false })
    expect(compared('Zorvix Group', 'Zorvex Group')).toMatchObject({ looseCount: 1, isMisspelled: true })
    expect(compared('Zorvex Group', 'Zorvex Group')).toMatchObject({ looseCount: 0, isMisspelled: false })
  })

  test.each([
    ['Sparbank Muehlau', 'muhlau', 'sparbankmuhlau'],
    ['Aabenraa Vaerft', 'abenra', 'abenravaerft'],
    // The vocabulary knows neither, or knows the word as it stands.
    ['Sparbank Bauer', 'baur', 'sparbankbaur'],
    ['Sparbank Muehlau', 'other', 'sparbankmuehlau'],
  ])('%j where the registry knows %j is %j', (text, known, coreKey) => {
    const [whole] = listVariants(text)
    const vocabulary = new Vocabulary(new Map([[known, 1]]), 100_000)
    const variant = rewriteSpelling(whole!, vocabulary)
    expect(variant.coreKey).toBe(coreKey)
    expect(variant.tokens.join('')).toBe(coreKey)
    expect(variant.fullKey).toBe(coreKey)
  })

  it('a word that the registry knows is not respelled, even where it knows the closed one too', () => {
    const vocabulary = new Vocabulary(
      new Map([
        ['bauer', 3],
        ['baur', 2],
      ]),
      100_000,
    )
    expect(rewriteSpelling(listVariants('Bauer Ltd')[0]!, vocabulary).coreKey).toBe('bauer')
  })
})

describe('legal forms', () => {
  test.each<[string, string, FormAgreement, boolean]>([
    ['Zorvex Inc', 'Zorvex, Inc.', 'same', true],
    ['Zorvex', 'Zorvex, Inc.', 'unknown', false],
    ['Zorvex Co', 'Zorvex, Inc.', 'unknown', false],
    ['Zorvex', 'Zorvex LP', 'unstated_partnership', false],
    ['Zorvex Ltd', 'Zorvex, Inc.', 'soft_conflict', true],
    ['Zorvex LP', 'Zorvex, Inc.', 'hard_conflict', true],
    ['Zorvex', 'Zorvex', 'unknown', false],
  ])('%j and %j: %s', (text, name, form, isFormStated) => {
    expect(compared(text, name)).toMatchObject({ form, isFormStated })
  })

  it('the registered name to the letter is the legal one, with its form', () => {
    expect(compared('Zorvex Robotics Inc', 'Zorvex Robotics, Inc.').isFullName).toBe(true)
    expect(compared('Zorvex Robotics', 'Zorvex Robotics, Inc.').isFullName).toBe(false)
    expect(compared('Zorvex Inc', { name: 'Zorvex Inc', kind: 'former' }).isFullName).toBe(true)
  })
})

describe('how much the words in common tell', () => {
  it('rare ones more than everyday ones', () => {
    const rare = compared('Zorvex Calder', 'Zorvex Calder')
    const common = compared('First Capital', 'First Capital')
    expect(rare.sharedWeight).toBeGreaterThan(common.sharedWeight)
    expect(rare.rarestWeight).toBeGreaterThan(common.rarestWeight)
    expect([rare.isGeneric, common.isGeneric]).toEqual([false, true])
    expect(compared('Zorvex Capital', 'Zorvex Capital').rarestWord).toBe('zorvex')
  })
})

it('every variant may be compared with every name, whatever it holds', () => {
  const names = candidatesOf(
    ['Zorvex Robotics Inc', 'II', 'The', 'Zorvex Bank (UK) Ltd', '第一'].map((name) => ({ name })),
  )
  const vocabulary = vocabularyOf(names)
  const kinds = new Set<VariantKind>()
  for (const text of ['Zorvex Bank dba Calder', 'ii', 'the', 'Zorvex (UK) Ltd - Plant 7', '第一']) {
    for (const variant of listVariants(text)) {
      kinds.add(variant.kind)
      for (const candidate of names) {
        const comparison = compareNames(variant, candidate, vocabulary, new Set())
        if (comparison === null) continue
        expect(comparison.similarity).toBeGreaterThanOrEqual(0)
        expect(comparison.similarity).toBeLessThanOrEqual(1)
        expect(Number.isFinite(comparison.sharedWeight + comparison.rarestWeight)).toBe(true)
      }
    }
  }
  expect(kinds.size).toBeGreaterThan(3)
})
