import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { openRegistry } from '../../../src/registry/registry.js'
import {
  batchShape,
  entitySuggestions,
  extensionShape,
  postForm,
  propertySuggestions,
  reconcile,
  reconcileOne,
  typeSuggestions,
} from '../../support/reconciliation.js'
import { addRows, sampleRows } from '../../support/registry.js'
import { startTestService, type TestService } from '../../support/test-service.js'

let it: TestService
beforeAll(async () => {
  const registry = openRegistry(':memory:')
  addRows(registry, [
    ...sampleRows,
    { id: 'apple', name: 'Apple Inc.', city: 'Cupertino', region: 'CA', country: 'US', cik: '320193' },
    {
      id: 'microsoft',
      name: 'Microsoft Corporation',
      city: 'Redmond',
      country: 'US',
      lei: 'INR2EJN1ERAN0W5ZP974',
    },
    {
      id: 'tokio',
      name: '東京海上ホールディングス株式会社',
      city: '東京',
      postal_code: '100-0005',
      country: 'JP',
    },
  ])
  it = await startTestService({
    knowledge: createKnowledge(registry),
    reconciliation: { access: null, origins: [] },
  })
})

const bestOf = async (query: object) => {
  const [first] = (await reconcileOne(it.nobody, query)).result
  return first === undefined ? null : { name: first.name, match: first.match }
}

/**
 * Bodies as the HTTP client and the queries of OpenRefine 3.10 wrote them, caught on a socket, and addresses as its page
 * asked them in a browser; `guess` is as its source has it.
 */
const recorded = JSON.parse(
  readFileSync(new URL('../../support/openrefine-requests.json', import.meta.url), 'utf8'),
) as Readonly<Record<'headers' | 'reconcile' | 'guess' | 'extend' | 'suggest', unknown>>
const headers = recorded.headers as Record<string, string>

describe('what OpenRefine sends', () => {
  test('to reconcile a column with further columns', async () => {
    const reply = await postForm(it.nobody, String(recorded.reconcile), headers)
    expect(reply.status).toBe(200)
    const batch = batchShape.parse(reply.json)
    const told = Object.entries(batch).map(([key, { result, error }]) => [
      key,
      result[0]?.name ?? null,
      result[0]?.match ?? null,
      error?.message ?? null,
    ])
    expect(told).toEqual([
      ['q0', 'Apple Inc.', true, null],
      ['q1', null, null, null],
      ['q2', 'Apple Inc.', false, null],
      ['q3', 'Microsoft Corporation', true, null],
      ['q4', null, null, 'the name has 1 character; at least 2 are needed'],
      ['q5', '東京海上ホールディングス株式会社', expect.any(Boolean), null],
      ['q6', 'Apple Inc.', true, null],
    ])
  })

  test('to guess the types of a column', async () => {
    const reply = await postForm(it.nobody, String(recorded.guess), headers)
    const types = Object.values(batchShape.parse(reply.json)).flatMap(({ result }) => result[0]?.type ?? [])
    expect(types.map(({ id }) => id)).toEqual(['organization', 'business', 'organization', 'business'])
  })

  test('to add columns', async () => {
    const { result } = await reconcileOne(it.nobody, { query: 'Red Hat' })
    const id = result[0]?.id ?? ''
    const body = String(recorded.extend).replace('siq_a', id)
    const { rows } = extensionShape.parse((await postForm(it.nobody, body, headers)).json)
    expect(rows[id]).toMatchObject({ legal_name: [{ str: 'Red Hat, Inc.' }], lei: [] })
    const [parent] = rows[id]?.['parent'] ?? []
    expect(parent).toEqual({
      id: expect.stringMatching(/^siq_/),
      name: 'International Business Machines Corporation',
    })
    expect(rows['siq_b']).toEqual({ legal_name: [], lei: [], founding_date: [], parent: [], country: [] })
  })

  test('while somebody types', async () => {
    const [entity, property, type] = recorded.suggest as readonly string[]
    const read = async (path = '') => (await it.nobody.get(`/reconcile/suggest/${path}`)).json
    expect(entitySuggestions.parse(await read(entity)).result.map(({ name }) => name)).toEqual([
      'Acme Widgets Limited',
      'Acme Widgets LLP',
    ])
    expect(propertySuggestions.parse(await read(property)).result[0]?.id).toBe('country')
    expect(typeSuggestions.parse(await read(type)).result[0]?.id).toBe('business')
  })
})

describe('a property that identifies', () => {
  test.each<[string, unknown, string]>([
    ['lei', 'vgrqxhf3j8vdlua7xe92', 'International Business Machines Corporation'],
    ['cik', 51143, 'International Business Machines Corporation'],
    ['ein', '13-0871985', 'International Business Machines Corporation'],
    ['website', 'https://www.ibm.com/about', 'International Business Machines Corporation'],
    ['registration_id', 'OC312345', 'Acme Widgets LLP'],
  ])('%s finds exactly its bearer, without a name', async (pid, v, name) => {
    const { result } = await reconcileOne(it.nobody, {
      properties: [
        { pid, v },
        { pid: 'country', v: 'GB' },
      ],
    })
    expect(result).toHaveLength(1)
    expect(result[0]?.name).toBe(name)
  })

  test.each([
    ['lei', 'VGRQXHF3J8VDLUA7XE92'],
    ['cik', '51143'],
  ])('%s is a match, whatever the spelling of the name', async (pid, v) => {
    expect(await bestOf({ query: 'Big Blue', properties: [{ pid, v }] })).toEqual({
      name: 'International Business Machines Corporation',
      match: true,
    })
    expect(await bestOf({ properties: [{ pid, v }] })).toMatchObject({ match: true })
  })

  test('next to the name of another company is no match', async () => {
    const properties = [{ pid: 'lei', v: 'VGRQXHF3J8VDLUA7XE92' }]
    const { result } = await reconcileOne(it.nobody, { query: 'Oxfam', properties })
    expect(result.length).toBeGreaterThan(0)
    expect(result.every(({ match }) => !match)).toBe(true)
  })

  test('of no company finds none', async () => {
    const { result } = await reconcileOne(it.nobody, { properties: [{ pid: 'cik', v: '999999' }] })
    expect(result).toEqual([])
  })
})

test('the place tells companies of one name apart, and decides whether it is a match', async () => {
  const at = (v: string) => bestOf({ query: 'Acme Widgets', properties: [{ pid: 'postal_code', v }] })
  expect(await at('EC1A 1BB')).toEqual({ name: 'Acme Widgets Limited', match: true })
  expect(await at('LS1 4AP')).toEqual({ name: 'Acme Widgets LLP', match: true })
  expect(await bestOf({ query: 'Acme Widgets' })).toMatchObject({ match: false })
})

test('matches are those of the interface: the same question there is answered as matched with the same company', async () => {
  const names = [
    'IBM',
    'Acme Widgets',
    'Acme Widgets Limited',
    'Toyota',
    'Oxfam',
    'Computing Tabulating',
    'Nobody',
  ]
  const batch = await reconcile(it.nobody, Object.fromEntries(names.map((name) => [name, { query: name }])))
  for (const name of names) {
    const run = await it.alice.post('/v3/entity-resolution/async', { name })
    const { data } = (await it.alice.untilDone(`/v3/runs/${String(run.json['run_id'])}`)).json as {
      data: { status: string; entity: { id: string } | null }
    }
    const [first] = batch[name]?.result ?? []
    expect([name, first?.match ?? false]).toEqual([name, data.status === 'matched'])
    if (data.status === 'matched') expect(first?.id).toBe(data.entity?.id)
  }
})

test('the id of a candidate is that of the interface, and of a query that is an id', async () => {
  const { result } = await reconcileOne(it.nobody, { query: 'Toyota Motor Corporation' })
  const id = result[0]?.id ?? ''
  expect((await it.alice.get(`/v3/entities/${id}`)).status).toBe(200)
  expect((await reconcileOne(it.nobody, { query: id })).result).toMatchObject([
    { id, score: 100, match: true },
  ])
})

test('names that are hard on a matcher are answered like others', async () => {
  const hard = [
    'a '.repeat(240),
    'Ａｃｍｅ　Ｗｉｄｇｅｔｓ',
    '\u202eLimited Widgets',
    '((((((((((',
    'Limited',
    '% _ " \' ; --',
    '😀😀',
    'İSTANBUL A.Ş.',
    'LEI XXXXXXXXXXXXXXXXXXXX',
  ]
  const batch = await reconcile(it.nobody, Object.fromEntries(hard.map((query, at) => [`q${at}`, { query }])))
  expect(Object.values(batch).every(({ result }) => Array.isArray(result))).toBe(true)
  expect(batch['q1']?.result[0]?.name).toMatch(/^Acme Widgets/)
})
