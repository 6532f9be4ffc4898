import { beforeAll, describe, expect, test } from 'vitest'
import type { EntityId, LegalEntityId } from '../../src/contract/enums.js'
import type { SearchResult } from '../../src/contract/search.js'
import { fakeKnowledge, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import {
  entitySuggestions,
  propertySuggestions,
  proposalShape,
  refusalOf,
  typeSuggestions,
} from '../support/reconciliation.js'
import { startTestService, type TestService } from '../support/test-service.js'

const idOf = (number: number) => `siq_${number}` as EntityId
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)

/** Names that begin with `Acme`: 1 to 12; the closest to it: 11 to 25, of which 20 is no longer held. */
const knowledge = fakeKnowledge({
  entities: numbers(1, 25)
    .filter((number) => number !== 20)
    .map((number) => sampleRecord(sampleEntity({ id: idOf(number), legal_name: `Acme ${number} Limited` }))),
  suggest: (prefix, countMax) =>
    prefix === 'Acme'
      ? numbers(1, 12)
          .slice(0, countMax)
          .map((number) => ({ id: idOf(number), name: number === 2 ? 'Acme the Second' : null }))
      : [],
  search: ({ name, limit }) => {
    const found = name === 'Acme' || name === 'Amce' ? numbers(11, 15) : []
    return { results: found.slice(0, limit).map(hitOf), totalCount: found.length }
  },
})

const hitOf = (number: number): SearchResult => ({
  id: `le_${number}` as LegalEntityId,
  entity_id: number === 25 ? null : idOf(number),
  name: `Acme ${number} Limited`,
  status: 'active',
  is_branch: false,
  jurisdiction: { country: null, country_code: null, jurisdiction_code: null },
})

let it: TestService
beforeAll(async () => {
  it = await startTestService({ knowledge, reconciliation: { access: null, origins: [] } })
})

const entities = async (query: string) =>
  entitySuggestions.parse((await it.nobody.get(`/reconcile/suggest/entity?${query}`)).json)

describe('companies', () => {
  test('whose names begin so come first, then those of close names, each once, page by page', async () => {
    const seen: string[] = []
    const cursors: (number | undefined)[] = []
    let cursor: number | undefined = 0
    while (cursor !== undefined) {
      const page = await entities(`prefix=Acme&cursor=${cursor}`)
      seen.push(...page.result.map(({ id }) => id))
      cursors.push((cursor = page.cursor))
    }
    expect(seen).toEqual(
      numbers(1, 24)
        .filter((number) => number !== 20)
        .map(idOf),
    )
    expect(cursors).toEqual([10, 20, undefined])
  })

  test('are told by registered name, what else they are called, and kind', async () => {
    const [first, second] = (await entities('prefix=Acme')).result
    expect(first).toEqual({
      id: 'siq_1',
      name: 'Acme 1 Limited',
      description: 'Acme · Leeds, United Kingdom · active · GB 00000001',
      notable: [
        { id: 'organization', name: 'Organization' },
        { id: 'business', name: 'Company' },
      ],
    })
    expect(second?.description).toMatch(/^Acme the Second · /)
  })

  test('of close names are found for a text that is the beginning of none', async () => {
    expect((await entities('prefix=Amce')).result[0]?.id).toBe('siq_11')
  })

  test.each([
    '',
    'prefix=',
    'prefix=%20%20',
    'prefix=zzz',
    'prefix=Acme&cursor=100',
    'prefix=Acme&cursor=999999999',
  ])('are none for %j', async (query) => {
    expect(await entities(query)).toEqual({ result: [] })
  })

  test('are found whatever else OpenRefine sends', async () => {
    const more = 'spell=always&exact=false&scoring=entity&prefixed=true&type=organization&lang=en'
    expect((await entities(`prefix=Acme&${more}`)).result).toHaveLength(10)
  })
})

test.each([
  'prefix=a&prefix=b',
  `prefix=${'a'.repeat(501)}`,
  'prefix=a&cursor=-1',
  'prefix=a&cursor=x',
  'prefix=a&cursor=1.5',
  'prefix=a&cursor=1234567890',
  'prefix=a&cursor=1&cursor=2',
])('%j is refused, for companies, properties and types', async (query) => {
  for (const kind of ['entity', 'property', 'type']) {
    const refusal = refusalOf(await it.nobody.get(`/reconcile/suggest/${kind}?${query}`))
    expect(refusal).toMatchObject({ status: 400, type: 'bad_request' })
    expect(refusal.message).toMatch(/^query\.(prefix|cursor): /)
  }
})

describe('properties', () => {
  const properties = async (query: string) =>
    propertySuggestions.parse((await it.nobody.get(`/reconcile/suggest/property?${query}`)).json)

  test.each([
    ['lei', ['lei']],
    ['LEI', ['lei']],
    ['count', ['country', 'registration_country']],
    ['comp', ['registration_id']],
    ['post', ['postal_code']],
    ['post code', []],
    ['address', ['location', 'street_address']],
    ['zzz', []],
  ])('%j are %j', async (prefix, ids) => {
    expect((await properties(`prefix=${prefix}`)).result.map(({ id }) => id)).toEqual(ids)
  })

  test('are all there for a blank text, page by page, and are those that are proposed as columns', async () => {
    const seen: string[] = []
    for (let cursor: number | undefined = 0; cursor !== undefined;) {
      const page = await properties(`prefix=&cursor=${cursor}`)
      seen.push(...page.result.map(({ id }) => id))
      cursor = page.cursor
    }
    const reply = await it.nobody.get('/reconcile/extend/propose?type=organization')
    const proposed = proposalShape.parse(reply.json).properties.map(({ id }) => id)
    expect(seen).toEqual(proposed)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThan(20)
  })
})

describe('types', () => {
  const types = async (prefix: string) =>
    typeSuggestions
      .parse((await it.nobody.get(`/reconcile/suggest/type?prefix=${prefix}`)).json)
      .result.map(({ id }) => id)

  test.each([
    ['', ['organization', 'business', 'nonprofit', 'government', 'person', 'other']],
    ['org', ['organization', 'nonprofit']],
    ['company', ['business']],
    ['business', ['business', 'person']],
    ['zzz', []],
  ])('%j are %j', async (prefix, ids) => {
    expect(await types(prefix)).toEqual(ids)
  })
})

describe('columns to add', () => {
  const propose = (query: string) => it.nobody.get(`/reconcile/extend/propose?${query}`)

  test('are as many as wanted, of any type or none', async () => {
    expect(proposalShape.parse((await propose('type=business&limit=3')).json)).toMatchObject({
      type: 'business',
      limit: 3,
      properties: [{ id: 'country' }, { id: 'region' }, { id: 'city' }],
    })
    expect(proposalShape.parse((await propose('type=')).json).type).toBe('')
    expect(proposalShape.parse((await propose('')).json)).not.toHaveProperty('type')
  })

  test.each(['type=Q5', 'type=a&type=b', 'type=business&limit=0', 'limit=-1', 'limit=x', 'limit=1&limit=2'])(
    '%j is refused',
    async (query) => {
      const refusal = refusalOf(await propose(query))
      expect(refusal).toMatchObject({ status: 400, type: 'bad_request' })
      expect(refusal.message).toMatch(/^query\.(type|limit): /)
    },
  )
})
