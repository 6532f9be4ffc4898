import { expect, test } from 'vitest'
import fc from 'fast-check'
import { listOtherNames, summarizeEvidence } from '../../../src/review/page/browser/candidates.js'
import { forAll } from '../../support/properties.js'

const part = (label: string, text: string, weight: number | null = null) => ({ label, text, weight })
const asText = (...evidence: Parameters<typeof summarizeEvidence>[0][number][]) =>
  summarizeEvidence(evidence).map(({ label, text }) => `${label}: ${text}`)

const weighed = [
  part('name', 'the name is that of "Apple"', 1.2),
  part('kind of name', 'another name of Apple Corps Limited', -2.4),
  part('rare words', 'the rarest word is in 12 names', 1.4),
  part('place', 'the same town: London', 1.6),
  part('known to registers', 'registers state its LEI', -0.04),
  part('words left over', 'its name has "Corps"', -0.3),
  part('other candidates', '"Apple" is likelier', -0.7),
  part('status', 'dissolved', -0.2),
  part('start', 'where the model starts', -1.9),
]

test('evidence in short is the name, the place, and the two things that speak most against a candidate', () => {
  expect(asText(...weighed)).toEqual([
    'Name: the name is that of "Apple"; another name of Apple Corps Limited',
    'Place: the same town: London',
    'Against: "Apple" is likelier; its name has "Corps"',
  ])
  expect(asText(part('name', 'that very name', 2))).toEqual(['Name: that very name', 'Against: nothing else'])
  expect(asText()).toEqual([])
})

test('the kind of body comes first if it is the first evidence, and is not against the candidate', () => {
  for (const weight of [-0.3, 0.2, null])
    expect(asText(part('kind of body', 'a fund, not a company', weight), ...weighed)).toEqual([
      'Kind: a fund, not a company',
      'Name: the name is that of "Apple"; another name of Apple Corps Limited',
      'Place: the same town: London',
      'Against: "Apple" is likelier; its name has "Corps"',
    ])
})

const labels = [
  'name',
  'kind of name',
  'place',
  'kind of body',
  'status',
  'identifier',
  'start',
  'other candidates',
]
const anyPart = fc.record({
  label: fc.constantFrom(...labels),
  text: fc.nat({ max: 99 }).map((number) => `text ${number}${number % 2 === 0 ? '.' : ''}`),
  weight: fc.option(fc.integer({ min: -30, max: 30 }).map((tenths) => tenths / 10)),
})

test('whatever the evidence, only what weighs against a candidate is listed against it', () => {
  forAll(100, [fc.array(anyPart, { maxLength: 9 })], (parts) => {
    const unique = parts.map((one, index) => ({ ...one, text: `${index} ${one.text}` }))
    const against = summarizeEvidence(unique).find(({ label }) => label === 'Against')?.text ?? ''
    for (const { text, weight } of unique)
      if (weight === null || weight >= 0) expect(against).not.toContain(text)
  })
})

test('whatever the texts, no line has a full stop before a semicolon', () => {
  forAll(100, [fc.array(anyPart, { maxLength: 9 })], (parts) => {
    for (const { text } of summarizeEvidence(parts)) expect(text).not.toMatch(/[.;]\s*[.;]/)
  })
})

test('no other name repeats the heading or another name in other letters, spaces or signs', () => {
  const candidate = (legalName: string, ...otherNames: string[]) => ({
    legalName,
    name: otherNames[0] ?? null,
    otherNames,
    entityId: null,
  })
  expect(
    listOtherNames(candidate('APPLE INC.', 'Apple Inc', 'apple  inc', 'Apple Computer', 'APPLE COMPUTER')),
  ).toEqual(['Apple Computer'])
  expect(listOtherNames(candidate('STRASSEN AG', 'Straßen AG', 'ＳＴＲＡＳＳＥＮ ＡＧ'))).toEqual([])
  expect(listOtherNames(candidate('株式会社トヨタ', '株式会社トヨタ', '株式会社ホンダ'))).toEqual([
    '株式会社ホンダ',
  ])
  expect(listOtherNames(candidate('!!!', '???'))).toEqual(['???'])
})

test('factors of a hosted service, which have no weight, are told by their kind', () => {
  expect(
    asText(
      part('for it', 'same registration'),
      part('factor', 'checked'),
      part('against it', 'another country'),
    ),
  ).toEqual(['For: same registration', 'Against: another country'])
})
