import { describe, expect, test } from 'vitest'
import { judgeAgreement } from '../../../src/registry/answer/name-with-identifiers.js'
import { candidatesOf, queryOf, vocabularyOf, type Held } from '../../support/matching.js'

const agreement = (name: string, held: readonly (string | Held)[]) => {
  const names = candidatesOf(
    held.map((one) => ({ company: 1, ...(typeof one === 'string' ? { name: one } : one) })),
  )
  const vocabulary = vocabularyOf(names)
  return judgeAgreement(queryOf(name, null, vocabulary), names, vocabulary)
}

const former = (name: string): Held => ({ name, kind: 'former' })
const other = (name: string): Held => ({ name, kind: 'other' })

describe('what a name is to a company that an identifier names', () => {
  test.each<[string, (string | Held)[], string]>([
    ['Larkmoor Foods Ltd', ['Larkmoor Foods Limited'], 'same'],
    ['LARKMOOR FOODS', ['Larkmoor Foods Limited'], 'same'],
    ['Larkmoor', ['Larkmoor Foods Limited'], 'same'],
    ['IBM', ['International Business Machines Corp'], 'same'],
    ['Facebook Inc', ['Meta Platforms, Inc.', former('Facebook Inc')], 'same'],
    ['Big Blue', ['International Business Machines Corp', other('Big Blue')], 'same'],
    ['Larkmoor Foods - Tulsa Plant', ['Larkmoor Foods Inc'], 'same'],
    ['Larkmoor Foods Inc (Tulsa)', ['Larkmoor Foods Inc'], 'same'],
    ['Larkmor Foods Inc', ['Larkmoor Foods Inc'], 'same'],
    ['Larkmoor Foods Inc Common Stock', ['Larkmoor Foods Inc'], 'same'],
    ['Larkmoor Catering', ['Larkmoor Foods Inc'], 'open'],
    ['Larkmoor Foods Tulsa', ['Larkmoor Foods Inc'], 'open'],
    ['Larkmoor (Tulsa) Ltd', ['Larkmoor Ltd'], 'open'],
    ['Larkmoor Fund II', ['Larkmoor Fund III'], 'open'],
    ['Larkmoor Bakeries Inc', ['Larkmoor Inc'], 'open'],
    ['Norvane Software', ['Larkmoor Foods Inc'], 'foreign'],
    ['First Norvane Bank', ['First Larkmoor Bank'], 'foreign'],
    ['Norvane Group Holdings', ['Larkmoor Group Holdings'], 'foreign'],
  ])('%s beside %j: %s', (name, held, kind) => {
    expect(agreement(name, held).kind).toBe(kind)
  })

  test('of several names of the company the one that is nearest is compared', () => {
    const found = agreement('Facebook Inc', [
      'Meta Platforms, Inc.',
      former('Facebook Inc'),
      other('Facebook UK'),
    ])
    expect(found).toMatchObject({ comparison: { matchType: 'exact', candidate: { kind: 'former' } } })
    const both = agreement('Larkmoor Inc', [former('Larkmoor Inc'), 'Larkmoor Inc'])
    expect(both).toMatchObject({ comparison: { candidate: { kind: 'legal' } } })
  })
})
