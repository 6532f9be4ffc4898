import { expect, test } from 'vitest'
import { summarizeEvidence } from '../../../src/review/page/browser/candidates.js'

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

test('the kind of body comes first if it is the first evidence, whatever its weight', () => {
  for (const weight of [-0.3, 0.2, null])
    expect(asText(part('kind of body', 'a fund, not a company', weight), ...weighed)).toEqual([
      'Against: a fund, not a company; "Apple" is likelier',
      'Name: the name is that of "Apple"; another name of Apple Corps Limited',
      'Place: the same town: London',
    ])
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
