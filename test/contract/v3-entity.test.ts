import { beforeAll, describe, expect, test } from 'vitest'
import { entityReply, type EntityRecord } from '../../src/contract/entity.js'
import { errorBody } from '../../src/contract/errors.js'
import type { EntityId } from '../../src/contract/enums.js'
import { unknownClassification, unknownProfiles } from '../../src/contract/unknown.js'
import type { Knowledge } from '../../src/service/knowledge.js'
import { openDatabaseForCommand } from '../../src/service/storage/database.js'
import { untilBuilt } from '../support/builds.js'
import { fakeKnowledge, fullRecord, matchOf, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

let it: TestService
beforeAll(async () => {
  it = await startTestService()
})

const code = (digits: string, isPrimary: boolean) => ({
  code: digits,
  label: null,
  is_primary: isPrimary,
  confidence: 60,
})
const classification = {
  sector: 'Trade',
  industry: null,
  sub_industry: null,
  business_tags: [],
  market_segments: ['b2b'],
  revenue_models: [],
  products_services: [],
}
const presence = (countryCode: string) => ({
  id: `op_${countryCode}` as never,
  country_code: countryCode,
  country: null,
  count: 1,
  is_home_jurisdiction: false,
})

describe('entity record', () => {
  test('E3-01 MRG-02 a record held is 200 in its envelope', async () => {
    const reply = await it.alice.get('/v3/entities/siq_acme')
    expect(reply.status).toBe(200)
    expect(entityReply.parse(reply.json)).toMatchObject({ status: 'matched', merged_into: null })
  })

  test('E3-04 E3-05 the first read starts the build, and tells who the company is and nothing more', async () => {
    const clock = manualClock()
    const record = fullRecord()
    const slow = await startTestService({
      knowledge: fakeKnowledge({ entities: [record] }),
      clock,
      buildMs: { min: 120_000, max: 120_000 },
    })
    const read = async () => entityReply.parse((await slow.alice.get('/v3/entities/siq_acme')).json)
    const first = await read()
    expect(first).toMatchObject({ status: 'matched', enrichment: { status: 'building', updated_at: null } })
    expect(Object.values(first.entity?.attributes ?? {})).toEqual(Array.from({ length: 14 }, () => null))
    expect(first.entity).toMatchObject({
      legal_name: record.legal_name,
      identifiers: record.identifiers,
      classification: unknownClassification,
      operational_presence: [],
      social_profiles: unknownProfiles,
    })
    clock.advance(60_000)
    expect((await read()).enrichment?.status).toBe('building')
    clock.advance(60_000)
    const built = entityReply.parse((await untilBuilt(slow.alice, '/v3/entities/siq_acme')).json)
    const updated_at = new Date(clock.nowMs()).toISOString()
    expect(built).toMatchObject({ entity: record, enrichment: { status: 'complete', updated_at } })
  })

  test('E3-06 E3-07 a record held is complete and inline', async () => {
    const reply = await untilBuilt(it.alice, '/v3/entities/siq_acme')
    expect(reply.status).toBe(200)
    expect(entityReply.parse(reply.json).enrichment?.status).toBe('complete')
  })

  test('E3-02 without a readable build the company is served without enrichment', async () => {
    const dataFolder = makeFolder()
    const blind = await startTestService({ dataFolder })
    const beside = openDatabaseForCommand(dataFolder, Date.now(), 'refuse')
    beside.exec('DROP TABLE build_waiters; DROP TABLE builds')
    beside.close()
    const reply = entityReply.parse((await blind.alice.get('/v3/entities/siq_acme')).json)
    expect(reply).toMatchObject({ status: 'matched', entity: { id: 'siq_acme' } })
    expect(reply).not.toHaveProperty('enrichment')
    expect(blind.logged.join()).toContain('the build of entity siq_acme cannot be read')
  })

  test('E3-10 an address has exactly its ten keys', async () => {
    const reply = entityReply.parse((await it.alice.get('/v3/entities/siq_acme')).json)
    expect(Object.keys(reply.entity?.headquarters.address ?? {})).toHaveLength(10)
  })

  test('E3-17 ID-18 the same record is the same bytes apart from request_id', async () => {
    await untilBuilt(it.alice, '/v3/entities/siq_acme')
    const texts = new Set<string>()
    for (let read = 0; read < 5; read++) {
      const reply = await it.alice.get('/v3/entities/siq_acme')
      texts.add(reply.text.replace(String(reply.json.request_id), ''))
    }
    expect(texts.size).toBe(1)
  })

  test('E3-30 identifiers are the same on the job result and the record', async () => {
    const job = await it.alice.get(`${kickoffPath}?name=Acme`)
    const result = await it.alice.untilDone(`/v3/jobs/${String(job.json.job_id)}`)
    const record = await it.alice.get('/v3/entities/siq_acme')
    expect(result.json).toMatchObject({ entity: { identifiers: sampleEntity().identifiers } })
    expect(record.json).toMatchObject({ entity: { identifiers: sampleEntity().identifiers } })
  })

  test.each([
    ['ID-12 a le_ id', 'le_acme', 400],
    ['ID-03 ID-12 an op_ id', 'op_gb', 400],
    ['ID-12 an id without a prefix', 'acme', 400],
    ['ID-12 a prefix alone', 'siq_', 400],
    ['ID-12 a malformed id', 'siq_a%20b', 400],
    ['ID-12 the prefix in upper case', 'SIQ_acme', 400],
    ['ID-13 a well-formed unknown id', 'siq_unknown', 404],
  ])('%s is refused', async (_rule, id, status) => {
    const reply = await it.alice.get(`/v3/entities/${id}`)
    const type = status === 404 ? 'not_found' : 'bad_request'
    expect({ status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({ status, type })
  })
})

describe('merged entities', () => {
  test('MRG-01 a merged id answers with the canonical entity', async () => {
    const reply = await it.alice.get('/v3/entities/siq_old')
    expect(entityReply.parse(reply.json)).toMatchObject({
      status: 'merged',
      merged_into: 'siq_acme',
      entity: { id: 'siq_acme' },
    })
  })

  test('MRG-07 a chain of merges leads to its end in one read', async () => {
    const reply = await it.alice.get('/v3/entities/siq_older')
    expect(reply.json).toMatchObject({ merged_into: 'siq_acme', entity: { id: 'siq_acme' } })
  })

  test('MRG-03 MRG-04 JOB-07 a run that ends merged names the canonical id', async () => {
    const merged = await startTestService({
      knowledge: fakeKnowledge({
        answers: { Old: matchOf(sampleEntity(), { status: 'merged', merged_into: 'siq_acme' as EntityId }) },
      }),
    })
    const kickoff = await merged.alice.post(kickoffPath, { name: 'Old' })
    const run = await merged.alice.untilDone(`/v3/runs/${String(kickoff.json.run_id)}`)
    expect(run.json).toMatchObject({ data: { status: 'merged', merged_into: 'siq_acme' } })
  })
})

/** What a knowledge may get wrong: the service answers 500 and says why in its log, never a wrong record. */
const brokenRecords: [rule: string, parts: Partial<EntityRecord>][] = [
  ['E3-14 a scheme without codes', { industry: { schemes: { sic: [] } } }],
  [
    'E3-15 two primary codes in a scheme',
    { industry: { schemes: { sic: [code('1', true), code('2', true)] } } },
  ],
  [
    'E3-15 a primary code that is not first',
    { industry: { schemes: { sic: [code('1', false), code('2', true)] } } },
  ],
  [
    'E3-16 a confidence over 100',
    { industry: { schemes: { sic: [{ ...code('1', true), confidence: 101 }] } } },
  ],
  [
    'E3-20 three market segments',
    { classification: { ...classification, market_segments: ['a', 'b', 'c'] } },
  ],
  ['E3-21 b2b2c beside b2b', { classification: { ...classification, market_segments: ['b2b2c', 'b2b'] } }],
  [
    'E3-22 four revenue models',
    { classification: { ...classification, revenue_models: ['a', 'b', 'c', 'd'] } },
  ],
  [
    'E3-23 codes inside the classification',
    { classification: { ...classification, naics_2022: [code('1', true)] } as never },
  ],
  ['E3-24 a country twice', { operational_presence: [presence('GB'), presence('GB')] }],
  ['E3-25 a profile v3 does not name', { social_profiles: { twitter: { handle: 'acme' } } as never }],
  ['E3-26 a parent without a name', { parent_entity: {} as never }],
  ['E3-28 business_model', { business_model: [] } as never],
  ['E3-10 an alias beside the address', { headquarters: { city: 'Leeds' } as never }],
  [
    'INV-14 an identifier of no type',
    { identifiers: [{ type: 'vat', value: '1', jurisdiction: null } as never] },
  ],
]

describe('records that break the interface', () => {
  test.each(brokenRecords)('%s is never served', async (_rule, parts) => {
    const record = { ...sampleRecord(), ...parts }
    const knowledge: Knowledge = { ...fakeKnowledge(), entity: () => ({ record, mergedInto: null }) }
    const broken = await startTestService({ knowledge })
    const reply = await broken.alice.get('/v3/entities/siq_acme')
    expect(reply.status).toBe(500)
    expect(errorBody.parse(reply.json).error).toEqual({ type: 'api_error', message: 'internal error' })
    expect(broken.logged).toHaveLength(1)
  })

  test('a complete record passes the same gate', async () => {
    const record = {
      ...sampleRecord(),
      classification: { ...classification, market_segments: ['b2b', 'b2c'] },
      industry: { schemes: { naics_2022: [code('1', true), code('2', false)], sic: [code('3', true)] } },
      operational_presence: [presence('GB'), presence('FR')],
      social_profiles: { ...unknownProfiles, linkedin: { handle: 'acme' } },
      parent_entity: { name: null },
      matching_branch: {
        notes: null,
        address: null,
        state_code: null,
        country_code: 'FR',
        jurisdiction: 'fr',
      },
    }
    const held = await startTestService({ knowledge: fakeKnowledge({ entities: [record] }) })
    const reply = await untilBuilt(held.alice, '/v3/entities/siq_acme')
    expect(reply.status).toBe(200)
    expect(reply.json.entity).toEqual(record)
  })
})
