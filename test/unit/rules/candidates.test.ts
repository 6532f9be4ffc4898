import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Candidate, toAnswerCandidate, withAnswerFirst } from '../../../src/core/decisions.js'
import {
  isDoubtfulLine,
  readLineConfidence,
  renderAnswer,
} from '../../../src/pipeline/answers/answer-line.js'
import { isDoubtful } from '../../../src/core/lookup-state.js'
import { judgeSearch } from '../../../src/app/hosted-candidates.js'
import type { Exchange } from '../../../src/core/http-exchange.js'
import { sampleCandidate, sampleEntity, matchOf } from '../../support/fake-knowledge.js'
import { forAll } from '../../support/properties.js'

describe('the company that an answer names', () => {
  test('confirmed: with its id, and its factors as evidence that has no weight', () => {
    const basis = [
      { field: 'a', citations: [{ url: 'https://web.example', authority_tier: 3 }] },
      { field: 'b', citations: [{ url: 'https://register.example/1', authority_tier: 1 }] },
    ]
    expect(toAnswerCandidate({ data: { ...matchOf(), basis } })).toEqual({
      entityId: 'siq_acme',
      legalEntityId: 'le_acme',
      name: 'Acme',
      legalName: 'Acme Trading Limited',
      otherNames: [],
      status: 'active',
      place: '1 High Street, Leeds LS1 1AA, United Kingdom',
      countryCode: 'GB',
      jurisdiction: 'gb',
      identifiers: [
        { type: 'registration_id', value: '00000001' },
        { type: 'lei', value: '549300EXAMPLE0000001' },
      ],
      confidence: 95,
      evidence: [{ label: 'for it', text: 'the names agree', weight: null }],
      url: 'https://register.example/1',
    } satisfies Candidate)
  })

  test('only guessed: without an id, so that it cannot be accepted', () => {
    const factors = [
      { code: 'location_mismatch', type: 'limitation', description: null, impact: null },
      { code: 'other', type: 'observation', description: 'seen', impact: null },
      'no factor',
    ]
    const data = { status: 'inconclusive', match_confidence: '61', candidate: sampleCandidate, factors }
    expect(toAnswerCandidate({ data })).toMatchObject({
      entityId: null,
      legalEntityId: null,
      name: 'Acme',
      countryCode: 'GB',
      place: null,
      confidence: 61,
      evidence: [
        { label: 'against it', text: 'location mismatch', weight: null },
        { label: 'factor', text: 'seen', weight: null },
      ],
      url: null,
    })
  })

  test.each([null, undefined, 'text', {}, { data: null }, { data: { entity: [], candidate: 'x' } }])(
    'none: %o',
    (body) => {
      expect(toAnswerCandidate(body)).toBeNull()
    },
  )

  test('without an address on one line, its parts are', () => {
    const address = { ...sampleEntity().headquarters.address, formatted_address: null }
    const entity = sampleEntity({ headquarters: { address } })
    expect(toAnswerCandidate({ data: { entity } })?.place).toBe('Leeds, United Kingdom')
  })

  test('whatever a server sends, it does not throw, and what is no address is none', () => {
    forAll(100, [fc.jsonValue(), fc.jsonValue()], (entity, rest) => {
      const found = toAnswerCandidate({ data: { entity, candidate: rest, factors: rest, basis: rest } })
      if (found !== null) expect(found.evidence.every(({ weight }) => weight === null)).toBe(true)
    })
    const basis = [{ citations: [{ url: 'javascript:alert(1)', authority_tier: 1 }] }]
    expect(
      toAnswerCandidate({ data: { entity: sampleEntity(), basis, match_confidence: 400 } }),
    ).toMatchObject({
      url: null,
      confidence: 100,
    })
  })
})

const candidate = (entityId: string | null, more: Partial<Candidate> = {}) =>
  ({
    entityId,
    legalName: null,
    name: null,
    otherNames: [],
    countryCode: null,
    confidence: null,
    ...more,
  }) as unknown as Candidate

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ entityId }) => entityId)

describe('the answer before what was found', () => {
  test.each<[string | null, string[], string[]]>([
    [null, ['a', 'b'], ['a', 'b']],
    ['b', ['a', 'b'], ['b', 'a']],
    ['f', ['a', 'b', 'c', 'd', 'e'], ['f', 'a', 'b', 'c', 'd']],
  ])('answered %o, found %o', (answer, found, expected) => {
    const ofAnswer = answer === null ? null : candidate(answer)
    const made = withAnswerFirst(
      ofAnswer,
      found.map((id) => candidate(id)),
    )
    expect(idsOf(made)).toEqual(expected)
  })

  test('what a search found of it is as the answer has it, at the confidence of the row', () => {
    const answer = candidate('b', { place: 'Leeds', confidence: 61 })
    const found = [candidate('a'), candidate('b', { place: 'United Kingdom', otherNames: ['Bee'] })]
    expect(withAnswerFirst(answer, found)[0]).toMatchObject({
      entityId: 'b',
      place: 'Leeds',
      confidence: 61,
      otherNames: ['Bee'],
    })
    expect(withAnswerFirst(candidate('b', { confidence: 61 }), [candidate('b', { confidence: 40 })])).toEqual(
      [candidate('b', { confidence: 40 })],
    )
  })

  test('a guess is the company found of its name, which keeps what is known of it, unless it may be another', () => {
    const guess = candidate(null, {
      legalName: 'ACME Ltd',
      countryCode: 'GB',
      place: 'Leeds',
      confidence: 50,
    })
    const named = (id: string, countryCode: string | null) => candidate(id, { name: 'Acme Ltd', countryCode })
    const other = candidate('x', { name: 'Other' })
    expect(withAnswerFirst(guess, [other, named('a', 'GB')])).toEqual([named('a', 'GB'), other])
    expect(withAnswerFirst(guess, [other, named('a', null)])).toEqual([named('a', null), other])
    expect(idsOf(withAnswerFirst(guess, [other, named('a', 'GB'), named('b', 'GB')]))).toEqual([
      'x',
      'a',
      'b',
    ])
    expect(idsOf(withAnswerFirst(guess, [other, named('a', 'US')]))).toEqual([null, 'x', 'a'])
    expect(idsOf(withAnswerFirst(candidate(null), [candidate(null), other]))).toEqual([null, null, 'x'])
  })
})

const result = (parts: object) => ({
  id: 'le_1',
  entity_id: 'siq_1',
  name: 'ACME LIMITED',
  status: 'active',
  is_branch: false,
  jurisdiction: { country: 'United Kingdom', country_code: 'GB', jurisdiction_code: 'gb' },
  ...parts,
})
const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Exchange => ({
  kind: 'reply',
  status,
  headers,
  body,
  bodyFault: null,
})

describe('what a search came to', () => {
  test('companies in their order, each once, and registrations of none', () => {
    const results = [
      result({}),
      result({ id: 'le_2' }),
      result({ id: 'le_3', entity_id: 'siq_3', is_branch: true }),
      result({ id: 'le_4', entity_id: null }),
      result({ id: 'le_4', entity_id: null }),
      'no result',
      { id: 7, jurisdiction: null },
    ]
    const found = judgeSearch(reply(200, { results }), 0)
    if (found.kind !== 'found') throw new Error(found.reason)
    expect(found.candidates.map(({ entityId, legalEntityId }) => [entityId, legalEntityId])).toEqual([
      ['siq_1', 'le_1'],
      ['siq_3', 'le_3'],
      [null, 'le_4'],
      [null, '7'],
    ])
    expect(found.candidates[0]).toEqual({
      entityId: 'siq_1',
      legalEntityId: 'le_1',
      name: 'ACME LIMITED',
      legalName: null,
      otherNames: [],
      status: 'active',
      place: 'United Kingdom',
      countryCode: 'GB',
      jurisdiction: 'gb',
      identifiers: [],
      confidence: null,
      evidence: [],
      url: null,
    })
    expect(found.candidates[1]?.evidence[0]?.text).toContain('a branch')
  })

  test.each<[Exchange, string, string, number | null]>([
    [reply(200, { results: 'none' }), 'no results', 'base URL', null],
    [reply(200, undefined), 'no results', 'base URL', null],
    [
      reply(400, { error: { type: 'bad_request', message: 'too short' } }),
      'bad_request: too short',
      'another',
      null,
    ],
    [reply(401, { message: 'no key' }), 'HTTP 401: no key', 'ENRICH_API_KEY', null],
    [reply(402, {}), 'HTTP 402', 'balance', null],
    [reply(403, {}), 'HTTP 403', 'not enabled', null],
    [reply(404, {}), 'HTTP 404', 'base URL', null],
    [reply(302, {}), 'HTTP 302', 'redirects', null],
    [reply(429, {}, { 'ratelimit-reset': '7' }), 'HTTP 429', 'in 7 s', 7_000],
    [reply(429, {}), 'HTTP 429', 'in 15 s', 15_000],
    [reply(503, {}), 'HTTP 503', 'in a moment', null],
    [{ kind: 'no_reply', sent: 'no', reason: 'nothing listens' }, 'nothing listens', 'reached', null],
  ])('%o is refused, with the reason and a hint', (exchange, reason, hint, retryMs) => {
    expect(judgeSearch(exchange, 0)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining(reason) as string,
      hint: expect.stringContaining(hint) as string,
      retryMs,
    })
  })
})

describe('a doubtful line', () => {
  const lineOf = (status: string, confidence: unknown) =>
    renderAnswer({ run_id: 'r', status: 'COMPLETED', data: { status, match_confidence: confidence } })

  test('its confidence is read without the rest', () => {
    for (const value of [0, 7, 80, 100]) expect(readLineConfidence(lineOf('matched', value))).toBe(value)
    expect(readLineConfidence(lineOf('odd ","confidence":5', 3))).toBe(3)
    expect(readLineConfidence(lineOf('matched', null))).toBeNull()
    expect(readLineConfidence('{}')).toBeNull()
  })

  test.each([0, 50, 79, 80, 81, 95, 100])(
    'it is as doubtful as its answer, with the threshold %d',
    (threshold) => {
      for (const status of ['matched', 'partial_match', 'inconclusive', 'no_match', 'not_found', 'merged'])
        for (const confidence of [0, 49, 50, 79, 80, 94, 95, 100]) {
          // What the interface does not allow.
          if (status === 'matched' && confidence < 80) continue
          if (status === 'partial_match' && confidence >= 80) continue
          const answer = { state: 'answered', outcome: status, confidence } as const
          expect(isDoubtfulLine(status, () => lineOf(status, confidence), threshold)).toBe(
            isDoubtful(answer, threshold),
          )
        }
    },
  )

  test('where the outcome tells, the line is not read', () => {
    const unread = () => {
      throw new Error('it was read')
    }
    expect(isDoubtfulLine('matched', unread, 80)).toBe(false)
    expect(isDoubtfulLine('partial_match', unread, 80)).toBe(true)
    expect(isDoubtfulLine('no_match', unread, 95)).toBe(true)
    expect(() => isDoubtfulLine('matched', unread, 81)).toThrow('it was read')
  })
})
