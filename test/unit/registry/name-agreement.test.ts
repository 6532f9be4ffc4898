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

describe('a company of another trade', () => {
  const brands = ['Koshi', 'Larkmoor', 'Norvane', 'Velmora']
  /** Names of one trade in several languages; `{}` is the brand. */
  const trades = [
    ['{} Cement Industries Pvt Ltd', 'Cimento {} SA', '{} Zement GmbH', 'Ciments {} SARL', '{} Çimento A.Ş.'],
    ['{} Noodles Ltd', '{} Foods Inc', 'Alimentos {} SA de CV', '{} Lebensmittel GmbH', '{} Gıda A.Ş.'],
    ['{} Software Inc', 'Informatique {} SARL', '{} Bilişim A.Ş.', '{} Informatica Ltda'],
    ['{} Insurance Company', 'Assurances {} SA', 'Seguros {} SA', '{} Versicherung AG', '{} Sigorta A.Ş.'],
    ['{} Garments Ltd', 'Confection {} SARL', '{} Textil GmbH', 'Confecciones {} SL', '{} Tekstil A.Ş.'],
  ]
  const fill = (pattern: string, brand: string) => pattern.replace('{}', brand)
  const pairs = trades.flatMap((names, trade) =>
    names.flatMap((name) =>
      trades.flatMap((others, at) => others.map((held) => ({ name, held, same: at === trade }))),
    ),
  )

  test.each(brands)('%s in one trade is no company of that name in another, in any language', (brand) => {
    // Half of the pairs; another brand has the other half.
    const half = pairs.filter((_, at) => (at + brands.indexOf(brand)) % 2 === 0)
    const wrong = half.filter(({ name, held, same }) => {
      const { kind } = agreement(fill(name, brand), [fill(held, brand)])
      return (kind === 'foreign') === same
    })
    expect(wrong).toEqual([])
  })

  test.each(brands)(
    '%s with its group, without its trade, with a wider one or of several trades is the same',
    (brand) => {
      const held = fill('{} Cement Pvt Ltd', brand)
      const names = [
        '{}',
        '{} Industries',
        '{} Group',
        '{} International Trading',
        'Quillon Group {} Cement',
        '{} Cement and Steel',
      ]
      for (const name of [...names, '{} Construction', '{} Services', '{} Cement - Paint Division'])
        expect([name, agreement(fill(name, brand), [held]).kind]).not.toEqual([name, 'foreign'])
      for (const name of ['{} Steel and Sugar', '{} Holdings', '{} Trading Co'])
        expect([
          name,
          agreement(fill(name, brand), [fill('{} Sugar and Power Ltd', brand)]).kind,
        ]).not.toEqual([name, 'foreign'])
    },
  )

  test.each(brands)('a former or other name of %s is a name of the company, whatever its trade', (brand) => {
    const held = fill('{} Cement Pvt Ltd', brand)
    expect(agreement(fill('{} Noodles', brand), [held, former(fill('{} Noodles Ltd', brand))]).kind).toBe(
      'same',
    )
    expect(agreement(fill('{} Noodles', brand), [held, other(fill('{} Noodles', brand))]).kind).toBe('same')
  })
})
