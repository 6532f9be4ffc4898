import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EntityId, LegalEntityId } from '../../src/contract/enums.js'
import { searchReply, type SearchReply, type SearchResult } from '../../src/contract/search.js'
import type { SearchRequest } from '../../src/service/knowledge.js'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { openShippedRegistry } from '../../src/registry/read-registry.js'
import { fakeKnowledge } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'

const found = (number: number, entityId: string | null): SearchResult => ({
  id: `le_${number}` as LegalEntityId,
  entity_id: entityId as EntityId | null,
  name: `Acme ${number}`,
  status: 'active',
  is_branch: number % 2 === 0,
  jurisdiction: { country: 'United States', country_code: 'US', jurisdiction_code: 'us_de' },
})
const unknownPlace = { country: null, country_code: null, jurisdiction_code: null }

const mixed = [found(1, null), found(2, 'siq_2'), found(3, null), found(4, 'siq_4'), found(5, 'siq_5')]

/** A service that finds these, and what it was asked. */
async function startSearch(results: readonly SearchResult[], totalCount = results.length) {
  const asked: SearchRequest[] = []
  const knowledge = fakeKnowledge({
    search: (request) => {
      asked.push(request)
      return { results: results.slice(0, request.limit), totalCount }
    },
  })
  return { ...(await startTestService({ knowledge })), asked }
}

async function search(client: ServiceClient, query: string): Promise<SearchReply> {
  const reply = await client.get(`/v2/search?${query}`)
  expect(reply.status).toBe(200)
  return searchReply.parse(reply.json)
}

describe('what is found', () => {
  test('SRCH-01 SRCH-07 SRCH-08 results with an entity come first, each group in its order', async () => {
    const { alice } = await startSearch(mixed)
    const reply = await alice.get('/v2/search?name=Acme')
    const body = searchReply.parse(reply.json)
    expect(body.results.map(({ id }) => id)).toEqual(['le_2', 'le_4', 'le_5', 'le_1', 'le_3'])
    expect(Object.keys(reply.json)).toEqual(['results', 'metadata', 'request_id'])
    expect(body.results[0]).toEqual(found(2, 'siq_2'))
  })

  test('SRCH-06 total counts what was found, returned what is there', async () => {
    const { alice } = await startSearch(mixed, 1_234)
    expect((await search(alice, 'name=Acme&limit=3')).metadata).toMatchObject({ total: 1_234, returned: 3 })
  })

  test('SRCH-18 nothing found is a 200 without results', async () => {
    const { alice } = await startSearch([])
    const body = await search(alice, 'name=Nobody')
    expect(body).toMatchObject({ results: [], metadata: { total: 0, returned: 0 } })
  })

  test('SRCH-08 INV-10 keys of what is unknown are there, and null', async () => {
    const bare = { ...found(1, null), name: null, status: null, jurisdiction: unknownPlace }
    const { alice } = await startSearch([bare])
    expect((await search(alice, 'name=Acme')).results).toEqual([bare])
  })

  test('SRCH-14 without the index of companies, registrations are found, each with a null entity_id', async () => {
    const legalOnly = mixed.map((result) => ({ ...result, entity_id: null }))
    const { alice } = await startSearch(legalOnly)
    const reply = await alice.get('/v2/search?name=Acme')
    expect(reply.status).toBe(200)
    const { results } = searchReply.parse(reply.json)
    expect(results.map(({ id, entity_id }) => [id, entity_id])).toEqual(mixed.map(({ id }) => [id, null]))
  })

  test('SRCH-16 query_time_ms is the time the search took, in whole milliseconds', async () => {
    const clock = manualClock()
    const knowledge = fakeKnowledge({
      search: () => {
        clock.advance(36.6)
        return { results: [], totalCount: 0 }
      },
    })
    const { alice } = await startTestService({ knowledge, clock })
    expect((await search(alice, 'name=Acme')).metadata.query_time_ms).toBe(37)
  })

  test('SRCH-13 bypass_cache searches again and returns the same', async () => {
    const { alice, asked } = await startSearch(mixed)
    const plain = await search(alice, 'name=Acme')
    for (const flag of ['true', 'false', 'True']) {
      const { results, metadata } = await search(alice, `name=Acme&bypass_cache=${flag}`)
      expect(results).toEqual(plain.results)
      expect(metadata).toMatchObject({ total: 5, returned: 5 })
    }
    expect(asked).toHaveLength(4)
  })
})

describe('what is asked', () => {
  test('SRCH-05 SRCH-10 SRCH-11 SRCH-12 the parameters reach the search; ten results unless told', async () => {
    const { alice, asked } = await startSearch(mixed)
    await search(alice, 'name=Acme')
    await search(alice, 'name=Acme&limit=1&country_code=gb&region_code=ENG')
    await search(alice, 'name=Acme&limit=10&country_code=GBR&region_code=us-ca')
    expect(asked).toEqual([
      { name: 'Acme', countryCode: null, regionCode: null, limit: 10 },
      { name: 'Acme', countryCode: 'gb', regionCode: 'ENG', limit: 1 },
      { name: 'Acme', countryCode: 'GBR', regionCode: 'us-ca', limit: 10 },
    ])
  })

  test.each([
    ['SRCH-03 a name of two letters', 'name=HP'],
    ['SRCH-03 a name of two characters beyond the BMP', `name=${encodeURIComponent('𠮷野')}`],
    ['a parameter nobody knows', 'name=Acme&page=2'],
  ])('%s is searched', async (_rule, query) => {
    const { alice } = await startSearch(mixed)
    await search(alice, query)
  })

  test.each([
    ['SRCH-02 no name', ''],
    ['SRCH-02 an empty name', 'name='],
    ['SRCH-02 two names', 'name=Acme&name=Bolt'],
    ['SRCH-03 a name of one letter', 'name=A'],
    ['SRCH-04 a name of spaces', 'name=%20%20%20'],
    ['SRCH-04 a letter and spaces', 'name=A%20%20'],
    ...['0', '11', '-1', 'abc', '1.5', '', '1e1', '+1', '01'].map((limit) => [
      `SRCH-05 a limit of "${limit}"`,
      `name=Acme&limit=${encodeURIComponent(limit)}`,
    ]),
    ['SRCH-05 two limits', 'name=Acme&limit=1&limit=2'],
    ['SRCH-12 a country of one letter', 'name=Acme&country_code=g'],
    ['SRCH-12 a country of four letters', 'name=Acme&country_code=gbrx'],
    ['SRCH-11 a region of signs', 'name=Acme&region_code=%25%25'],
    ['SRCH-13 a bypass that is neither true nor false', 'name=Acme&bypass_cache=perhaps'],
  ])('SRCH-17 %s is a 400', async (_rule, query) => {
    const { alice, asked } = await startSearch(mixed)
    const reply = await alice.get(`/v2/search?${query}`)
    expect(reply.status).toBe(400)
    expect(reply.json).toEqual({ error: { message: expect.any(String), type: 'bad_request' } })
    expect(asked).toEqual([])
  })

  test('SRCH-17 ERR-07 a search that throws is a 500 that says nothing of why', async () => {
    const knowledge = fakeKnowledge({
      search: () => {
        throw new Error('no such table: /secret/path')
      },
    })
    const { alice, logged } = await startTestService({ knowledge })
    const reply = await alice.get('/v2/search?name=Acme')
    expect([reply.status, reply.json]).toEqual([
      500,
      { error: { message: 'internal error', type: 'api_error' } },
    ])
    expect(logged.join()).toContain('no such table')
  })
})

describe('over the registry that ships', () => {
  const registry = openShippedRegistry()
  let alice: ServiceClient
  beforeAll(async () => {
    ;({ alice } = await startTestService({ knowledge: createKnowledge(registry) }))
  })
  afterAll(() => {
    registry.close()
  })
  const name = encodeURIComponent('Apple')

  test('ID-02 SRCH-08 SRCH-09 registrations have le_ ids and lower-case jurisdictions', async () => {
    const { results, metadata } = await search(alice, `name=${name}`)
    expect(results.length).toBeGreaterThan(0)
    expect(metadata.total).toBeGreaterThanOrEqual(metadata.returned)
    for (const { jurisdiction } of results) {
      expect(jurisdiction.jurisdiction_code ?? 'us').toMatch(/^[a-z]{2}(_[a-z0-9]{1,3})?$/)
    }
  })

  test('SRCH-10 SRCH-12 country_code keeps those of one country, in two letters or three, in any case', async () => {
    const answers = []
    for (const code of ['US', 'us', 'USA', 'usa']) {
      const { results } = await search(alice, `name=${name}&country_code=${code}`)
      expect(results.every(({ jurisdiction }) => jurisdiction.country_code === 'US')).toBe(true)
      answers.push(results)
    }
    expect(answers[0]?.length).toBeGreaterThan(0)
    for (const results of answers) expect(results).toEqual(answers[0])
    const elsewhere = await search(alice, `name=${name}&country_code=FR`)
    expect(elsewhere.results.filter(({ jurisdiction }) => jurisdiction.country_code === 'US')).toEqual([])
  })

  test('SRCH-11 region_code keeps those of one state, with its country or without', async () => {
    const all = await search(alice, `name=${name}&country_code=US`)
    const state = all.results
      .map(({ jurisdiction }) => jurisdiction.jurisdiction_code)
      .find((code) => code?.includes('_'))
    const region = String(state).slice('us_'.length)
    const inState = await search(alice, `name=${name}&country_code=US&region_code=${region}`)
    expect(inState.results.length).toBeGreaterThan(0)
    for (const { jurisdiction } of inState.results) expect(jurisdiction.jurisdiction_code).toBe(state)
    const qualified = await search(alice, `name=${name}&country_code=US&region_code=US-${region}`)
    expect(qualified.results).toEqual(inState.results)
  })
})
