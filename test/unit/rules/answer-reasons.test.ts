import { describe, expect, test } from 'vitest'
import { findSourceUrl } from '../../../src/pipeline/answers/answer-candidate.js'
import { findMatchedName, findReason } from '../../../src/pipeline/answers/answer-line.js'
import { createNameFactor } from '../../../src/registry/answer/factors.js'
import type { NameComparison } from '../../../src/registry/match/compare-names.js'
import type { StoredLegalEntity } from '../../../src/registry/store/reader.js'
import { match } from '../../support/matching.js'

const closeMatch = (description: unknown) => ({ code: 'name_close_match', type: 'strength', description })
const named = (description: unknown) => findMatchedName([closeMatch(description)])

/** The factor that the registry writes of a match with a name of this kind. */
function factorOf(asked: string, name: string, kind: 'legal' | 'former' | 'other') {
  const found = match({ name: asked, held: [{ name, kind }] })
  if (found.kind === 'none') throw new Error(`${asked} finds nothing`)
  const registration = {
    legalName: 'Brackwell Holdings Ltd',
    names: [{ kind: 'former', name, endedOn: '2026-05-01', endedSource: 'gleif' }],
  } as unknown as StoredLegalEntity
  return { comparison: found.best.evidence.comparison, registration }
}

test('a register that no longer lists the company is told after the reason', () => {
  const strength = {
    code: 'name_close_match',
    type: 'strength',
    description: 'The name is that.',
    impact: 'high',
  }
  const left = { code: 'left_register', type: 'limitation', description: 'Gone from one.', impact: 'medium' }
  expect(findReason([left, strength], 'matched')).toBe('The name is that. Gone from one.')
  expect(findReason([strength, left, { ...left, description: 'Gone from two.' }], 'matched')).toBe(
    'The name is that. Gone from one. Gone from two.',
  )
  expect(findReason([left], 'inconclusive')).toBe('Gone from one.')
})

describe('the name that matched', () => {
  test.each(['legal', 'former', 'other'] as const)(
    'is read back from the factor that the registry writes, with its kind: %s',
    (kind) => {
      const { comparison, registration } = factorOf('Larkmoor Quillon Ltd', 'Larkmoor Quillon Ltd', kind)
      expect(findMatchedName([createNameFactor(comparison, registration)])).toEqual({
        name: 'Larkmoor Quillon Ltd',
        kind,
      })
    },
  )

  const matchTypes = ['exact', 'completed', 'prefix', 'extends', 'acronym', 'near'] as const
  const variants = [
    'whole',
    'cut',
    'security',
    'form',
    'alias',
    'site',
    'bracket',
    'inside',
    'hyphen',
  ] as const
  const names = ['Larkmoor "Q", Ltd.', '"', 'A', 'The "Old" name, other name.', 'BANK OF AMERICA CORP /DE/']
  test.each(matchTypes)('is read whatever the name and however it was read: %s', (matchType) => {
    const { comparison, registration } = factorOf('Larkmoor Quillon Ltd', 'Larkmoor Quillon Ltd', 'legal')
    for (const variant of variants)
      for (const name of names)
        for (const kind of ['legal', 'former', 'other'] as const) {
          const one: NameComparison = {
            ...comparison,
            matchType,
            variant: { ...comparison.variant, kind: variant },
            candidate: { ...comparison.candidate, name, kind },
          }
          expect(findMatchedName([createNameFactor(one, registration)])).toEqual({ name, kind })
        }
  })

  test.each([
    'The names are alike.',
    'The name matches "Acme Ltd" closely.',
    'The name is that of "", registered name.',
    'Acme Ltd, registered name.',
    '"Acme Ltd", registered name.',
    '',
    7,
    null,
    { a: 1 },
  ])('is unknown of a service that says %j', (description) => {
    expect(named(description)).toBeNull()
  })

  test('is that of the first factor that quotes one, and of no other code', () => {
    const quoted = 'The name is that of "Acme Ltd", registered name.'
    expect(
      findMatchedName([{ code: 'jurisdiction_match', description: quoted }, null, closeMatch('close')]),
    ).toBeNull()
    expect(findMatchedName([closeMatch('close'), closeMatch(quoted)])).toEqual({
      name: 'Acme Ltd',
      kind: 'legal',
    })
  })
})

describe('the reason', () => {
  const factor = (type: string, description: string | null, impact: string, code = 'x') => ({
    code,
    type,
    description,
    impact,
  })
  const name = factor('strength', 'The name fits.', 'medium')
  const alone = factor('strength', 'No other bears it.', 'high')
  const confirmed = factor('strength', 'A registration is confirmed.', 'high', 'legal_entity_confirmed')
  const far = factor('limitation', 'It is elsewhere.', 'low')
  const rivals = factor('limitation', 'Others may be meant.', 'high')

  test.each([
    ['matched', [name, far, alone, confirmed], 'No other bears it.'],
    ['MATCHED', [confirmed, name, far], 'The name fits.'],
    ['matched', [far, confirmed], 'A registration is confirmed.'],
    ['merged', [rivals, name], 'The name fits.'],
    ['matched', [rivals], 'Others may be meant.'],
    ['partial_match', [alone, far, rivals], 'A guess, not a match. Others may be meant.'],
    ['partial_match', [], 'A guess, not a match.'],
    ['inconclusive', [alone, name], 'No other bears it.'],
    ['no_match', [far, rivals], 'Others may be meant.'],
    ['no_match', [{ ...far, impact: 'unheard of' }, far], 'It is elsewhere.'],
    ['no_match', [{ description: 'Of no type.' }], 'Of no type.'],
    ['a_new_status', [name], 'The name fits.'],
    ['matched', [factor('strength', 'It is Acme Inc..', 'high')], 'It is Acme Inc.'],
    ['matched', [factor('strength', 'It is Acme...', 'high')], 'It is Acme...'],
    ['no_match', [factor('limitation', null, 'high'), factor('limitation', ' ', 'high')], null],
    ['no_match', [], null],
  ])('of %s is the strongest factor that explains it', (status, factors, reason) => {
    expect(findReason(factors, status)).toBe(reason)
  })
})

describe('the source', () => {
  const page = (url: unknown, authority_tier: unknown = 1) => ({ url, authority_tier })
  const entry = (field: string, ...citations: unknown[]) => ({ field, citations })
  const url = (...basis: unknown[]) => findSourceUrl(basis)

  test('is the page of a register that states the legal name, else any page that does', () => {
    const other = entry('identifiers.0.value', page('https://lei.example/1'))
    const own = entry('legal_name', page('https://a.example', 3), page('https://register.example/1'))
    expect(url(other, own)).toBe('https://register.example/1')
    expect(url(other, entry('legal_name', page('https://a.example', 3)))).toBe('https://a.example')
    expect(url(other, entry('entity.legal_name', page('https://b.example', '1')))).toBe('https://b.example')
  })

  test('is the record of a register where no page states the name, and nothing where there is none', () => {
    const filed = entry('legal_name', page(null, 3))
    expect(url(filed, entry('website', page('https://a.example', 3)))).toBeNull()
    expect(url(filed, entry('status', page('https://register.example/2')))).toBe('https://register.example/2')
    expect(url(null, 'x', { field: 'legal_name', citations: 'x' })).toBeNull()
  })

  test.each([
    'javascript:alert(1)',
    'ftp://a.example',
    'a.example',
    `https://a.example/${'x'.repeat(3_000)}`,
    7,
  ])('is no %j', (wrong) => {
    expect(url(entry('legal_name', page(wrong)))).toBeNull()
  })
})
