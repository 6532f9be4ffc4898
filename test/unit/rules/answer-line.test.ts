import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunObjectLenient } from '../../../src/contract/result.js'
import {
  answerLimits,
  renderAnswer,
  renderUnanswered,
  sliceAnswer,
} from '../../../src/pipeline/answers/answer-line.js'
import { answerColumns } from '../../../src/pipeline/answers/columns.js'
import { forAll } from '../../support/properties.js'

type Json = Record<string, unknown>
const run = (data: unknown, status = 'COMPLETED') => ({ run_id: 'run_1', status, data }) as RunObjectLenient
const answer = (data: unknown, status?: string) => JSON.parse(renderAnswer(run(data, status))) as Json
const entity = (fields: Json) => answer({ status: 'matched', entity: fields })

describe('an answer line', () => {
  test('holds every column, in order, whatever the run holds', () => {
    const names = answerColumns.map(({ name }) => name)
    for (const line of [
      renderAnswer(run(null)),
      renderAnswer(run({ status: 'matched' })),
      renderUnanswered({ status: 'pending' }),
    ]) {
      expect(Object.keys(JSON.parse(line) as Json)).toEqual(names)
      expect(line).not.toContain('\n')
    }
  })

  test('takes each part from its place', () => {
    const found = answer({
      status: 'merged',
      match_confidence: 88,
      type: 'business',
      subtype: 'incorporated_entity',
      merged_into: 'siq_2',
      entity: {
        id: 'siq_1',
        display_name: 'Acme',
        legal_name: 'Acme GmbH',
        status: 'active',
        description: 'd',
        website: 'https://acme.example',
        headquarters: {
          address: {
            street_address: 's',
            city: 'c',
            state: 'st',
            state_code: 'sc',
            postal_code: '01067',
            country: 'Germany',
            country_code: 'DE',
            formatted_address: 'f',
          },
        },
        primary_legal_entity: {
          id: 'le_1',
          jurisdiction: 'de',
          registration_authority: { id: 7, name: 'Register', code: 'RA1' },
        },
        matching_branch: { notes: 'n', address: 'a' },
        facets: { sector: 'private', legal_form: 'llc' },
        industry: {
          schemes: {
            naics_2022: [
              { code: '1', label: 'one', is_primary: false },
              { code: '011', label: 'two', is_primary: true },
            ],
            sic: [{ code: '9', label: 'nine' }],
          },
        },
        parent_entity: { name: 'Parent' },
        identifiers: [
          { type: 'lei', value: 'L1' },
          { type: 'lei', value: 'L2' },
          { type: 'ein', value: '001' },
        ],
      },
      factors: [{ code: 'a', type: 'strength', description: 'b', impact: 'c', severity: 'x' }],
      actions: [{ code: 'a', description: 'b' }],
      metadata: { resolved_at: '2026-01-02T03:04:05Z', from_cache: true },
    })
    expect(found).toMatchObject({
      status: 'merged',
      confidence: 88,
      merged_into: 'siq_2',
      entity_id: 'siq_1',
      entity_status: 'active',
      postal_code: '01067',
      legal_entity_id: 'le_1',
      registration_authority: 'Register',
      matching_branch: '{"notes":"n","address":"a"}',
      legal_form: 'llc',
      naics_code: '011',
      naics_label: 'two',
      sic_code: '9',
      parent_name: 'Parent',
      lei: 'L1',
      ein: '001',
      factors: [{ code: 'a', type: 'strength', description: 'b', impact: 'c' }],
      actions: [{ code: 'a', description: 'b' }],
      run_id: 'run_1',
      resolved_at: '2026-01-02T03:04:05Z',
      from_cache: true,
      error: null,
      basis: [],
    })
  })

  test('says which name matched, why, and where the legal name can be looked up', () => {
    const matched = {
      code: 'name_close_match',
      type: 'strength',
      description: 'The name is that of "Acme Works Ltd", former name of Acme GmbH since 2026-05-01 (gleif).',
      impact: 'high',
      matched_name: { name: 'Acme Works Ltd', kind: 'former' },
    }
    const citations = [{ url: 'https://register.example/7', authority_tier: 1 }]
    const entity = { legal_name: 'Acme GmbH' }
    expect(
      answer({ status: 'matched', entity, factors: [matched], basis: [{ field: 'legal_name', citations }] }),
    ).toMatchObject({
      matched_name: 'Acme Works Ltd',
      matched_name_kind: 'former',
      reason: matched.description,
      source_url: 'https://register.example/7',
    })
    expect(answer({ status: 'matched', entity })).toMatchObject({
      matched_name: null,
      matched_name_kind: null,
      reason: null,
      source_url: null,
    })
  })

  test('never mixes entity and candidate', () => {
    const found = answer({
      status: 'inconclusive',
      entity: null,
      candidate: {
        name: 'N',
        legal_name: 'L',
        jurisdiction: 'us_de',
        primary_address: { full_address: 'A' },
      },
    })
    expect(found).toMatchObject({
      candidate_name: 'N',
      candidate_legal_name: 'L',
      candidate_jurisdiction: 'us_de',
      candidate_address: 'A',
    })
    expect(found).toMatchObject({ legal_name: null, display_name: null, entity_id: null, jurisdiction: null })
  })

  test.each([
    [{ status: 'matched' }, 'COMPLETED', 'matched'],
    [{ status: 'a_new_one' }, 'completed', 'a_new_one'],
    [{ status: 'matched' }, 'failed', 'failed'],
    [null, 'FAILED', 'failed'],
    [null, 'COMPLETED', 'failed'],
    [{ status: 7 }, 'COMPLETED', '7'],
  ])('of data %j in a run that is %s has status %s', (data, status, expected) => {
    expect(answer(data, status).status).toBe(expected)
  })

  test.each([
    [80, 80],
    ['80', 80],
    [' 80 ', 80],
    [80.5, null],
    ['80.5', null],
    [Number.parseFloat('1e400'), null],
    [2 ** 53, null],
    [2 ** 31, null],
    [-0, 0],
    [true, null],
    [{}, null],
  ])('of match_confidence %j has confidence %j', (sent, confidence) => {
    expect(answer({ status: 'matched', match_confidence: sent }).confidence).toBe(confidence)
  })

  test.each([
    [['sec_cik', 'cik'], '1'],
    [['cik', 'sec_cik'], '1'],
    [['SEC_CIK'], '1'],
    [['lei'], null],
  ])('of identifiers %j has cik %j', (types, cik) => {
    const identifiers = types.map((type, index) => ({ type, value: String(index + 1) }))
    expect(entity({ identifiers }).cik).toBe(cik)
  })

  test('keeps what is of a wrong type as text where the column is text', () => {
    const found = entity({
      id: 12,
      legal_name: ['a', 'b'],
      website: true,
      headquarters: 'Berlin',
      identifiers: { lei: 'x' },
      primary_legal_entity: { registration_authority: 'RA' },
    })
    expect(found).toMatchObject({
      entity_id: '12',
      legal_name: '["a","b"]',
      website: 'true',
      city: null,
      lei: null,
      registration_authority: 'RA',
    })
    expect(
      answer({ status: 'matched', factors: 'x', actions: [1, null, { code: 2 }], metadata: [] }),
    ).toMatchObject({
      factors: [],
      actions: [{ code: '2', description: null }],
      resolved_at: null,
      from_cache: null,
    })
  })

  test('has the value of each basis field, by own keys alone', () => {
    const fields = [
      'legal_name',
      'identifiers.0.value',
      'identifiers.length',
      'nested',
      '__proto__',
      'constructor.name',
      'legal_name.length',
      'none',
      'a.'.repeat(400),
    ]
    const data = {
      status: 'matched',
      entity: { legal_name: 'L', identifiers: [{ value: '007' }], nested: { a: 1 } },
      basis: fields.map((field) => ({
        field,
        confidence: 'certain',
        citations: [{ url: 'u', authority_tier: '1', source_type: 'new' }],
      })),
    }
    const basis = answer(data).basis as Json[]
    expect(basis.map(({ value }) => value)).toEqual([
      'L',
      '007',
      null,
      '{"a":1}',
      null,
      null,
      null,
      null,
      null,
    ])
    expect(basis[0]).toEqual({
      field: 'legal_name',
      value: 'L',
      confidence: 'certain',
      reasoning: null,
      citations: [{ url: 'u', excerpt: null, source_type: 'new', authority_tier: 1 }],
    })
  })

  test('is bounded', () => {
    const long = 'x'.repeat(1_000_000)
    const data = {
      status: 'matched',
      entity: { legal_name: long },
      basis: Array.from({ length: 2_000 }, () => ({
        field: 'legal_name',
        citations: Array.from({ length: 500 }, () => ({ url: 'u' })),
      })),
    }
    const found = answer(data)
    const basis = found.basis as { value: string; citations: unknown[] }[]
    expect(basis.length).toBe(answerLimits.basisMax)
    expect(basis[0]?.citations.length).toBe(answerLimits.citationsMax)
    expect(basis[0]?.value.length).toBe(answerLimits.basisValueCharsMax)
    expect(basis[0]?.value.endsWith('…')).toBe(true)
    expect((found.legal_name as string).length).toBeLessThan(40_000)
  })

  test('is well-formed Unicode without NUL', () => {
    expect(entity({ legal_name: 'a\ud800b\0c😀' }).legal_name).toBe('a\ufffdb\ufffdc😀')
  })

  test('comes of anything JSON can hold, and never throws', () => {
    forAll(500, [fc.jsonValue({ maxDepth: 6 }), fc.jsonValue()], (data, part) => {
      const whole = {
        status: part,
        match_confidence: part,
        entity: data,
        candidate: data,
        factors: [data, part],
        actions: part,
        basis: [data, { field: part, citations: data }],
        metadata: part,
      }
      for (const sent of [data, whole]) {
        const line = renderAnswer(run(sent))
        const parsed = JSON.parse(line) as Json
        expect(sliceAnswer(line)).toEqual(answerColumns.map(({ name }) => JSON.stringify(parsed[name])))
      }
    })
  })

  test('of nesting deeper than the stack does not throw', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
    expect(entity({ legal_name: deep }).legal_name).toBeNull()
  })
})

test('slices of a line whose texts look like keys are still its columns', () => {
  const tricky = '","city":"x","basis":[],"status":'
  const line = renderAnswer(
    run({
      status: tricky,
      entity: { legal_name: tricky, id: '\\' },
      factors: [{ code: tricky, type: ',"error":' }],
    }),
  )
  const parsed = JSON.parse(line) as Json
  expect(sliceAnswer(line)).toEqual(answerColumns.map(({ name }) => JSON.stringify(parsed[name])))
  expect(() => sliceAnswer('{"status":"x"}')).toThrow('not an answer line')
})

test('a lookup without an answer says why, and holds nothing else', () => {
  const found = JSON.parse(
    renderUnanswered({ status: 'error', error: 'no answer in time', runId: 'run_9' }),
  ) as Json
  expect(found).toMatchObject({
    status: 'error',
    error: 'no answer in time',
    run_id: 'run_9',
    confidence: null,
    legal_name: null,
    basis: [],
  })
})
