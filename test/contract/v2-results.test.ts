import { beforeAll, describe, expect, test } from 'vitest'
import type { ResultEntity } from '../../src/contract/entity.js'
import type { EntityId } from '../../src/contract/enums.js'
import { jobStatusV2, resultV2, type ResultV2 } from '../../src/contract/earlier-versions.js'
import type { Candidate, Resolution } from '../../src/contract/result.js'
import { unknownAddress } from '../../src/contract/unknown.js'
import { fakeKnowledge, matchOf, noMatch, sampleEntity } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { startTestService, type TestService } from '../support/test-service.js'

const canonical = 'siq_canonical' as EntityId
const answer = (parts: Partial<Resolution>): Resolution => ({ ...noMatch, ...parts })
const match = (parts: Partial<Resolution>): Resolution => matchOf(sampleEntity(), { basis: [], ...parts })
const entity = (parts: Partial<ResultEntity>): Resolution => matchOf(sampleEntity(parts), { basis: [] })
const business = { type: 'business', subtype: 'incorporated_entity' } as const

const candidate: Candidate = {
  name: 'Acme',
  legal_name: 'Acme e.V.',
  jurisdiction: 'de',
  status: 'active',
  description: 'a club',
  primary_address: { full_address: '1 Gasse, Bonn', state_code: 'NW', country_code: 'DE' },
}
const branch = {
  notes: 'a branch',
  address: '2 Main Street',
  state_code: 'DE',
  country_code: 'US',
  jurisdiction: 'us_de',
}
const address = { ...sampleEntity().headquarters.address, formatted_address: null } as const
const headquarters = { address } as NonNullable<ResultEntity['headquarters']>
const limitation = {
  code: 'location_mismatch',
  type: 'limitation',
  description: 'elsewhere',
  impact: 'medium',
} as const
const action = { code: 'verify_address', description: 'look again' }

/** Each as [rule, what research finds, what v2 answers of it]. */
const mapped: [rule: string, found: Resolution, expected: object][] = [
  ['INV-02 INV-09 a match of 80', match({ match_confidence: 80 }), { status: 'matched', confidence: 80 }],
  ['INV-08 a match of 100', match({ match_confidence: 100 }), { status: 'matched', confidence: 100 }],
  [
    'INV-03 INV-09 a partial match of 79',
    match({ status: 'partial_match', match_confidence: 79 }),
    { status: 'partial_match', confidence: 79, entity: { id: 'siq_acme' }, candidate: null },
  ],
  [
    'INV-04 INV-07 inconclusive with a candidate',
    answer({
      status: 'inconclusive',
      match_confidence: 40,
      type: 'nonprofit',
      subtype: 'nonprofit_entity',
      candidate,
    }),
    { status: 'inconclusive', type: 'nonprofit', subtype: 'nonprofit_entity', entity: null, candidate },
  ],
  [
    'INV-07 INV-11 INV-12 a person is a candidate alone',
    answer({ status: 'inconclusive', type: 'person', subtype: 'natural_person', candidate }),
    { type: 'person', subtype: 'natural_person', entity: null, candidate },
  ],
  [
    'INV-04 inconclusive without a candidate',
    answer({ status: 'inconclusive' }),
    { entity: null, candidate: null },
  ],
  ['INV-05 no_match', answer({}), { status: 'no_match', confidence: 0, entity: null, candidate: null }],
  [
    'INV-05 not_found',
    answer({ status: 'not_found' }),
    { status: 'not_found', entity: null, candidate: null },
  ],
  [
    'INV-21 merged, with the canonical company, at 80 is a match of it',
    match({ status: 'merged', merged_into: canonical, match_confidence: 80 }),
    { status: 'matched', entity: { id: 'siq_acme' } },
  ],
  [
    'INV-21 merged, with the canonical company, at 79 is a partial match of it',
    match({ status: 'merged', merged_into: canonical, match_confidence: 79 }),
    { status: 'partial_match', entity: { id: 'siq_acme' } },
  ],
  [
    'INV-21 merged without the canonical company is inconclusive',
    answer({ status: 'merged', merged_into: canonical, match_confidence: 95, ...business }),
    { status: 'inconclusive', confidence: 95, entity: null, candidate: null },
  ],
  [
    'V2-23 a company without a display name has its legal one',
    entity({ display_name: null }),
    { entity: { name: 'Acme Trading Limited' } },
  ],
  [
    'V2-23 INV-10 a company of no known name',
    entity({ display_name: null, legal_name: null }),
    { entity: { name: null } },
  ],
  [
    'V2-24 an address not formatted has its street',
    entity({ headquarters }),
    { entity: { headquarters: { address: '1 High Street' } } },
  ],
  [
    'V2-24 INV-10 no known headquarters',
    entity({ headquarters: { address: unknownAddress } }),
    {
      entity: {
        headquarters: {
          city: null,
          state: null,
          address: null,
          country: null,
          state_code: null,
          country_code: null,
        },
      },
    },
  ],
  ['V2-23 a matching branch', entity({ matching_branch: branch }), { entity: { matching_branch: branch } }],
  [
    'INV-13 V2-25 a limitation',
    match({ factors: [limitation], actions: [action] }),
    { factors: [limitation], actions: [action] },
  ],
  ...(
    [
      ['active', 'active'],
      ['Active - In Progress', 'active'],
      ['inactive', 'inactive'],
      ['Dissolved', 'inactive'],
      ['in liquidation', 'inactive'],
      ['struck off', 'inactive'],
      ['pending', null],
      [null, null],
    ] as const
  ).flatMap(([status, expected]): [string, Resolution, object][] => [
    [`V2-23 an entity that is "${status}"`, entity({ status }), { entity: { status: expected } }],
    [
      `V2-23 a candidate that is "${status}"`,
      answer({ status: 'inconclusive', candidate: { ...candidate, status } }),
      { candidate: { status: expected } },
    ],
  ]),
  [
    'V2-26 the judgement of the query',
    answer({ status: 'inconclusive', classification: 'ambiguous' }),
    { metadata: { query: { classification: 'ambiguous' } } },
  ],
]

const clock = manualClock()
let it: TestService
beforeAll(async () => {
  const answers = Object.fromEntries([
    ...mapped,
    ['Acme', matchOf(sampleEntity({ matching_branch: branch }))],
  ])
  it = await startTestService({ clock, knowledge: fakeKnowledge({ answers }) })
})

async function byStream(name: string, location?: string): Promise<ResultV2> {
  const query = new URLSearchParams({ name, ...(location === undefined ? {} : { location }) })
  const reply = await it.alice.get(`/v2/entity-resolution/stream?${query.toString()}`)
  expect(reply.status).toBe(200)
  resultV2.parse(reply.json)
  // As it came, keys in their order: what the schema gives back is in the schema's.
  return reply.json as ResultV2
}

async function byJob(name: string): Promise<ResultV2 | null> {
  const kickoff = await it.alice.get(`/v2/entity-resolution/async?name=${encodeURIComponent(name)}`)
  const done = await it.alice.untilDone(`/v2/entity-resolution/status/${String(kickoff.json.request_id)}`)
  const { status, data } = jobStatusV2.parse(done.json)
  expect([done.status, status]).toEqual([200, 'COMPLETED'])
  return data
}

describe('results of v2', () => {
  test.each(mapped)('%s', async (rule, _found, expected) => {
    const result = await byStream(rule)
    expect(result).toMatchObject(expected)
    expect(result.entity !== null && result.candidate !== null).toBe(false)
    const data = await byJob(rule)
    // The job is answered from the cache, which names itself.
    const metadata = { ...result.metadata, from_cache: true, cache_hit_type: 'exact' }
    expect({ ...data, request_id: '' }).toEqual({ ...result, request_id: '', metadata })
  })

  test('V2-23 V2-24 V2-25 V2-26 V2-27 every key, in the order of the interface, and flat', async () => {
    const { request_id: requestId, ...result } = await byStream('Acme', 'Leeds')
    const atIso = new Date(clock.nowMs()).toISOString()
    const expected = {
      status: 'matched',
      type: 'business',
      subtype: 'incorporated_entity',
      confidence: 95,
      entity: {
        id: 'siq_acme',
        name: 'Acme',
        status: 'active',
        website: 'https://acme.example',
        description: null,
        headquarters: {
          city: 'Leeds',
          state: null,
          address: '1 High Street, Leeds LS1 1AA, United Kingdom',
          country: 'United Kingdom',
          state_code: null,
          country_code: 'GB',
        },
        matching_branch: branch,
        primary_legal_entity: {
          id: 'le_acme',
          name: 'Acme Trading Limited',
          state_code: null,
          country_code: 'GB',
          jurisdiction: 'gb',
        },
      },
      candidate: null,
      factors: [
        { code: 'name_close_match', type: 'strength', impact: 'high', description: 'the names agree' },
      ],
      actions: [],
      metadata: {
        query: { mode: 'standard', name: 'Acme', context: null, location: 'Leeds', classification: null },
        from_cache: false,
        updated_at: atIso,
        resolved_at: atIso,
        cache_hit_type: null,
      },
    }
    expect(requestId).toMatch(/^reqs_/)
    expect(JSON.stringify(result)).toBe(JSON.stringify(expected))
  })

  test('V2-11 V2-23 the keys of a job are in the same order, after its id', async () => {
    const kickoff = await it.alice.get('/v2/entity-resolution/async?name=Acme&location=Leeds')
    const id = String(kickoff.json.request_id)
    const done = await it.alice.untilDone(`/v2/entity-resolution/status/${id}`)
    const data = { ...(await byStream('Acme', 'Leeds')), request_id: id }
    expect(done.text).toBe(JSON.stringify({ request_id: id, status: 'COMPLETED', data }))
  })

  test('INV-01 an answer that breaks the rules of outcomes is none: the job fails', async () => {
    const broken = { ...matchOf(), candidate } as Resolution
    const { alice } = await startTestService({ knowledge: fakeKnowledge({ answers: { Both: broken } }) })
    const kickoff = await alice.get('/v2/entity-resolution/async?name=Both')
    const done = await alice.untilDone(`/v2/entity-resolution/status/${String(kickoff.json.request_id)}`)
    expect(jobStatusV2.parse(done.json)).toMatchObject({ status: 'FAILED', data: null })
    expect((await alice.get('/v2/entity-resolution/stream?name=Both')).status).toBe(502)
  })
})
