import { describe, expect, test } from 'vitest'
import { factor as factorSchema } from '../../../src/contract/result.js'
import { findSourceUrl } from '../../../src/core/decisions.js'
import { findReason, renderAnswer } from '../../../src/pipeline/answers/answer-line.js'
import { createNameFactor } from '../../../src/registry/answer/factors.js'
import type { StoredLegalEntity } from '../../../src/registry/store/reader.js'
import { match } from '../../support/matching.js'

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

test('the reason for a match says what of high impact speaks against it, or that the company has ended', () => {
  const strength = {
    code: 'name_close_match',
    type: 'strength',
    description: 'The name is that.',
    impact: 'high',
  }
  const ended = {
    code: 'legal_entity_inactive',
    type: 'limitation',
    description: 'It has ended.',
    impact: 'medium',
  }
  const spelled = { ...ended, code: 'name_close_match', description: 'The spelling differs.' }
  expect(findReason([strength, spelled, ended], 'matched')).toBe('The name is that. It has ended.')
  expect(findReason([strength, spelled], 'matched')).toBe('The name is that.')
  expect(findReason([spelled, ended, strength], 'inconclusive')).toBe('The spelling differs.')
  expect(findReason([ended], 'matched')).toBe('It has ended.')
})

test.each(['location_mismatch', 'identifier_mismatch', 'identifier_name_mismatch'])(
  '%s: the reason for a company says what of the row is another in the register, whatever its impact',
  (code) => {
    const strength = {
      code: 'name_close_match',
      type: 'strength',
      description: 'The name is that.',
      impact: 'high',
    }
    const other = { code, type: 'limitation', description: 'The row says another.', impact: 'low' }
    const form = { ...other, code: 'name_close_match', description: 'The form is another.', impact: 'high' }
    const asked = (...factors: object[]) => findReason(factors, 'matched')
    expect(asked(strength, other)).toBe('The name is that. The row says another.')
    expect(asked(strength, form, other)).toBe('The name is that. The form is another. The row says another.')
    expect(asked(strength, { ...other, description: ' ' })).toBe('The name is that.')
    expect(findReason([strength, form, other], 'partial_match')).toBe(
      'Probably this company, but not certain. The form is another. The row says another.',
    )
    expect(findReason([form, other], 'inconclusive')).toBe('The form is another.')
    expect(asked(strength, { ...other, type: 'strength' })).toBe('The name is that.')
    expect(asked(strength, { ...other, code: 'location_unconfirmed' })).toBe('The name is that.')
  },
)

describe('the name that matched', () => {
  interface Sent {
    factors?: unknown
    entity?: object | null
    candidate?: object | null
    query?: unknown
  }
  const named = ({ factors, entity = null, candidate = null, query = 'Acme' }: Sent) => {
    const data = { status: 'matched', entity, candidate, factors, metadata: { query: { name: query } } }
    const line = JSON.parse(renderAnswer({ run_id: 'run_1', status: 'COMPLETED', data })) as Named
    return [line.matched_name, line.matched_name_kind]
  }
  interface Named {
    matched_name: string | null
    matched_name_kind: string | null
  }

  test.each(['legal', 'former', 'other'] as const)(
    'is the one in the factor of the registry, with its kind: %s',
    (kind) => {
      const name = 'Larkmoor Quillon Ltd'
      const found = match({ name, held: [{ name, kind }] })
      if (found.kind === 'none') throw new Error(`${name} finds nothing`)
      const registration = { legalName: 'Brackwell Holdings Ltd', names: [] } as unknown as StoredLegalEntity
      const factor = createNameFactor(found.best.evidence.comparison, registration)
      expect(factorSchema.parse(factor)).toEqual(factor)
      expect(named({ factors: [{ code: 'x' }, factor], entity: { legal_name: 'Acme' } })).toEqual([
        name,
        kind,
      ])
    },
  )

  test('is of a kind that the service added, or of none', () => {
    expect(named({ factors: [{ matched_name: { name: 'Acme', kind: 'brand' } }] })).toEqual(['Acme', 'brand'])
    expect(named({ factors: [{ matched_name: { name: 'Acme' } }] })).toEqual(['Acme', null])
  })

  test.each([
    [{ entity: { legal_name: 'ACME', display_name: 'Acme' } }, ['ACME', 'legal']],
    [
      { entity: { legal_name: 'Acme  GmbH', display_name: 'Acme' }, query: 'acme gmbh ' },
      ['Acme  GmbH', 'legal'],
    ],
    [{ entity: { legal_name: 'Acme GmbH', display_name: 'Acme' } }, ['Acme', 'other']],
    [{ candidate: { legal_name: null, name: 'Acme' } }, ['Acme', 'other']],
    [{ entity: { legal_name: 'Acme GmbH', display_name: 'Acme Trading' } }, [null, null]],
    [{ entity: { legal_name: 'Acme' }, query: null }, [null, null]],
    [{ entity: { legal_name: '' }, query: '' }, [null, null]],
    [{ entity: { legal_name: 'Acme GmbH' }, candidate: { name: 'Acme' } }, [null, null]],
  ] as const)(
    'of a service that does not send it is the name that equals the query: %j',
    (sent, expected) => {
      expect(named(sent)).toEqual(expected)
    },
  )

  test.each([undefined, null, 'x', [null], [{ matched_name: 'Acme Ltd' }], [{ matched_name: { name: '' } }]])(
    'is unknown from the factors %j',
    (factors) => {
      expect(named({ factors })).toEqual([null, null])
    },
  )

  test('is not read from a sentence', () => {
    const description = 'The name is that of "Acme Ltd", registered name.'
    expect(named({ factors: [{ code: 'name_close_match', description }] })).toEqual([null, null])
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
    ['merged', [rivals, name], 'The name fits. Others may be meant.'],
    ['matched', [rivals], 'Others may be meant.'],
    ['partial_match', [alone, far, rivals], 'Probably this company, but not certain. Others may be meant.'],
    ['partial_match', [], 'Probably this company, but not certain.'],
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
