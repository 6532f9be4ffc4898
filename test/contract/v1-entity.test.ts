import { describe, expect, test } from 'vitest'
import type { EntityRecord } from '../../src/contract/entity.js'
import { entityReplyV1, type EntityReplyV1 } from '../../src/contract/earlier-versions.js'
import { unknownAddress } from '../../src/contract/unknown.js'
import { untilBuilt } from '../support/builds.js'
import { fakeKnowledge, fullRecord, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'

const path = '/v1/entities/siq_acme'

const read = async (client: ServiceClient): Promise<EntityReplyV1> => {
  const reply = await client.get(path)
  expect(reply.status).toBe(200)
  return entityReplyV1.parse(reply.json)
}

const builtOf = async (record: EntityRecord): Promise<EntityReplyV1> => {
  const it = await startTestService({ knowledge: fakeKnowledge({ entities: [record] }) })
  return entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
}

describe('the states of a record', () => {
  test('E1-01 E1-02 E1-04 the first read starts the build; its data comes when it is complete', async () => {
    const clock = manualClock()
    const startIso = new Date(clock.nowMs()).toISOString()
    const endIso = new Date(clock.nowMs() + 150_000).toISOString()
    const it = await startTestService({ clock, buildMs: { min: 150_000, max: 150_000 } })
    expect(await read(it.alice)).toMatchObject({
      entity_id: 'siq_acme',
      status: 'building',
      data: null,
      metadata: { last_updated: null, processing_started_at: startIso, estimated_completion: endIso },
    })
    clock.advance(149_999)
    expect(await read(it.bob)).toMatchObject({ status: 'building', data: null })
    clock.advance(1)
    const built = entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
    expect(built).toMatchObject({
      status: 'complete',
      data: { id: 'siq_acme' },
      message: null,
      metadata: { last_updated: endIso, processing_started_at: startIso, estimated_completion: null },
    })
  })

  test('E1-03 a record a day old is refreshed, and served as it was meanwhile', async () => {
    const clock = manualClock()
    let record = fullRecord()
    const knowledge = { ...fakeKnowledge(), entity: () => ({ record, mergedInto: null }) }
    const it = await startTestService({ clock, knowledge, buildMs: { min: 1_000, max: 1_000 } })
    await read(it.alice)
    clock.advance(1_000)
    const before = entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
    record = fullRecord({ display_name: 'Acme Rockets' })
    clock.advance(24 * 3_600_000 - 1)
    expect(await read(it.alice)).toEqual(before)
    clock.advance(1)
    expect(await read(it.alice)).toMatchObject({
      status: 'refreshing',
      data: before.data,
      metadata: { last_updated: before.metadata.last_updated },
    })
    clock.advance(1_000)
    const after = entityReplyV1.parse((await untilBuilt(it.alice, path)).json)
    expect(after).toMatchObject({ status: 'complete', data: { name: 'Acme Rockets' } })
  })

  test('E1-03 E3-06 another edition of the knowledge refreshes a record, which v3 calls complete', async () => {
    const clock = manualClock()
    let edition = 'one'
    const knowledge = fakeKnowledge({ entities: [fullRecord()], edition: () => edition })
    const it = await startTestService({ clock, knowledge, buildMs: { min: 1_000, max: 1_000 } })
    await read(it.alice)
    clock.advance(1_000)
    await untilBuilt(it.alice, path)
    edition = 'two'
    expect((await read(it.alice)).status).toBe('refreshing')
    expect((await it.alice.get('/v3/entities/siq_acme')).json).toMatchObject({
      entity: fullRecord(),
      enrichment: { status: 'complete' },
    })
    clock.advance(1_000)
    expect((await untilBuilt(it.alice, path)).json).toMatchObject({ status: 'complete' })
  })

  test('E1-05 E3-04 many who read at once, in v1 and v3, start one build', async () => {
    const clock = manualClock()
    let compiledCount = 0
    const known = fakeKnowledge({ entities: [sampleRecord()] })
    const knowledge = {
      ...known,
      // Read once by each call, and once more by each build.
      entity: (id: Parameters<typeof known.entity>[0]) => {
        compiledCount++
        return known.entity(id)
      },
    }
    const it = await startTestService({ clock, knowledge, buildMs: { min: 1_000, max: 1_000 } })
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? it.alice.get(path) : it.bob.get('/v3/entities/siq_acme'),
    )
    const replies = await Promise.all(calls)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    clock.advance(1_000)
    await expect.poll(() => compiledCount).toBe(21)
    await untilBuilt(it.alice, path)
    clock.advance(60_000)
    expect((await read(it.alice)).metadata.processing_started_at).toBe('2026-01-01T00:00:00.000Z')
  })

  test('E1-06 a record that cannot be made is an error of the service, tried again after a minute', async () => {
    const clock = manualClock()
    const known = fakeKnowledge({ entities: [sampleRecord()] })
    let readCount = 0
    const knowledge = {
      ...known,
      // The first read sees the company, its build does not.
      entity: (id: Parameters<typeof known.entity>[0]) => (++readCount === 2 ? null : known.entity(id)),
    }
    const it = await startTestService({ clock, knowledge })
    expect(await read(it.alice)).toMatchObject({ status: 'building', data: null })
    await expect.poll(async () => (await it.alice.get(path)).status).toBe(500)
    const failed = await it.alice.get(path)
    expect(failed.json).toEqual({ error: { message: 'internal error', type: 'api_error' } })
    expect((await it.alice.get('/v3/entities/siq_acme')).json).toMatchObject({
      enrichment: { status: 'failed' },
    })
    expect(it.logged).toEqual(['the build of entity siq_acme failed: the company is no longer known'])
    clock.advance(60_000)
    expect(await read(it.alice)).toMatchObject({ status: 'building' })
    expect((await untilBuilt(it.alice, path)).json).toMatchObject({ status: 'complete' })
  })
})

describe('refusals', () => {
  test('E1-06 ID-17 an unknown entity is 404 in a shape of its own', async () => {
    const it = await startTestService()
    const reply = await it.alice.get('/v1/entities/siq_unknown')
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual({ message: 'no such entity', code: 'entity_not_found' })
  })

  test.each(['le_acme', 'op_gb', 'acme', 'siq_', 'siq_a%20b', 'siq_a%2F..', `siq_${'a'.repeat(8_000)}`])(
    'E1-06 the malformed id %.20s is 400',
    async (id) => {
      const it = await startTestService()
      const reply = await it.alice.get(`/v1/entities/${id}`)
      expect(reply.status).toBe(400)
      expect(reply.json).toMatchObject({ error: { type: 'bad_request' } })
    },
  )

  test('E1-06 without a key it is 401; an account without v3 may read', async () => {
    const it = await startTestService()
    expect((await it.nobody.get(path)).status).toBe(401)
    expect((await it.closed.get(path)).status).toBe(200)
  })
})

describe('the record', () => {
  test('E1-07 E1-09 E1-11 E1-12 E1-13 E1-14 it is that of v3, in the words of v1', async () => {
    const { data } = await builtOf(fullRecord())
    expect(data).toEqual({
      id: 'siq_acme',
      name: 'Acme',
      type: 'business',
      subtype: 'incorporated_entity',
      status: 'active',
      headquarters: {
        address: {
          city: 'Leeds',
          state: null,
          country: 'United Kingdom',
          state_code: null,
          postal_code: 'LS1 1AA',
          sub_premise: null,
          country_code: 'GB',
          street_number: null,
          street_address: '1 High Street',
          formatted_address: '1 High Street, Leeds LS1 1AA, United Kingdom',
        },
      },
      primary_legal_entity: {
        id: 'le_acme',
        name: 'Acme Trading Limited',
        jurisdiction: { country_code: 'GB', state_province: null },
      },
      attributes: fullRecord().attributes,
      social_profiles: { linkedin: { handle: 'acme' } },
      classification: {
        naics_codes_2022: [
          { code: '423', name: 'Trade 423', relevance: 90, confidence: 90, is_primary: true },
          { code: '42', name: 'Trade 42', relevance: 40, confidence: 40, is_primary: false },
        ],
        sic_codes: [{ code: '5099', name: 'Trade 5099', relevance: 70, confidence: 70, is_primary: true }],
        business_tags: ['anvils'],
        business_model: ['B2B', 'Usage based'],
        products_services: ['anvils', 'rockets'],
      },
      operational_presence: fullRecord().operational_presence,
    })
  })

  test('E1-07 E1-09 E1-10 E1-12 what is not known is null or empty, and every key is there', async () => {
    const { data } = await builtOf({
      ...sampleRecord(sampleEntity({ headquarters: { address: unknownAddress }, industry: { schemes: {} } })),
    })
    expect(data?.headquarters.address).toMatchObject({ city: null, formatted_address: null })
    expect(Object.values(data?.attributes ?? {})).toEqual(Array.from({ length: 14 }, () => null))
    expect(data).toMatchObject({
      social_profiles: {},
      operational_presence: [],
      classification: {
        naics_codes_2022: [],
        sic_codes: [],
        business_tags: [],
        business_model: [],
        products_services: [],
      },
    })
  })

  test.each([
    ['active', 'active'],
    ['Active', 'active'],
    ['dissolved', 'inactive'],
    ['inactive', 'inactive'],
    [null, null],
  ])('E1-08 the status %s is %s', async (status, expected) => {
    const { data } = await builtOf(sampleRecord(sampleEntity({ status })))
    expect(data?.status).toBe(expected)
  })

  test('E1-10 a founding date is a day, and what is counted is a whole number', async () => {
    const { data } = await builtOf(fullRecord())
    expect(data?.attributes).toMatchObject({
      founding_date: '1949-09-17',
      employee_count: 120,
      revenue: 5_000_000,
    })
    const it = await startTestService({
      knowledge: fakeKnowledge({
        entities: [fullRecord({ attributes: { ...fullRecord().attributes, founding_date: '1949' } })],
      }),
    })
    expect((await it.alice.get(path)).status).toBe(500)
  })

  test('MRG-01 MRG-07 VER-01 a merged id gives the canonical record, the same that v3 gives', async () => {
    const it = await startTestService({
      knowledge: fakeKnowledge({
        entities: [fullRecord()],
        merged: { siq_older: 'siq_old', siq_old: 'siq_acme' },
      }),
    })
    const reply = entityReplyV1.parse((await untilBuilt(it.alice, '/v1/entities/siq_older')).json)
    expect(reply).toMatchObject({ entity_id: 'siq_older', data: { id: 'siq_acme' } })
    // One build for all ids of a company.
    expect((await it.alice.get('/v3/entities/siq_old')).json).toMatchObject({
      status: 'merged',
      entity: fullRecord(),
      enrichment: { status: 'complete', updated_at: reply.metadata.last_updated },
    })
  })
})
