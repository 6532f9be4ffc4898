import { beforeAll, describe, expect, test } from 'vitest'
import type { EntityRecord } from '../../src/contract/entity.js'
import type { EntityId } from '../../src/contract/enums.js'
import type { LikelyCompanies } from '../../src/service/knowledge.js'
import { limits } from '../../src/service/limits.js'
import { Refusal } from '../../src/service/refusal.js'
import { fakeKnowledge, sampleEntity, sampleRecord, type FakeKnowledge } from '../support/fake-knowledge.js'
import { postForm, reconcile, reconcileOne, refusalOf } from '../support/reconciliation.js'
import { sendRaw } from '../support/raw-http.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

const { reconciliation } = limits

const acme = sampleRecord()
const fund: EntityRecord = {
  ...sampleRecord(sampleEntity({ id: 'siq_fund' as EntityId, legal_name: 'Acme Relief Fund' })),
  type: 'nonprofit',
}
const nobody: EntityRecord = {
  ...sampleRecord(sampleEntity({ id: 'siq_unknown' as EntityId, legal_name: 'Acme of unknown kind' })),
  type: 'unknown',
}

const evidence = [
  { label: 'name', weight: 4.25 },
  { label: 'legal form', weight: -0.5 },
]
const likelyOf = (...ids: readonly string[]): LikelyCompanies => ({
  companies: ids.map((id, at) => ({ id: id as EntityId, confidence: 90 - 20 * at, evidence })),
  isMatched: true,
})

/** As long as so many requests take, one after the other: the service does other things between them. */
async function passTurns(client: ServiceClient, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await client.get('/healthz')
}

let knowledge: FakeKnowledge
let it: TestService
beforeAll(async () => {
  knowledge = fakeKnowledge({
    entities: [acme, fund, nobody],
    merged: { siq_older: 'siq_acme' },
    likely: {
      Acme: likelyOf('siq_acme', 'siq_fund', 'siq_unknown'),
      'Acme Fund': likelyOf('siq_fund', 'siq_acme'),
      Gone: likelyOf('siq_gone', 'siq_acme'),
      Broken: new Error('the index is gone: /secret/path'),
      Doubtful: { ...likelyOf('siq_acme'), isMatched: false },
    },
  })
  it = await startTestService({ knowledge, reconciliation: { access: null, origins: [] } })
})

describe('candidates', () => {
  test('are told by id, registered name, what tells them apart, kind, certainty and evidence', async () => {
    const { result } = await reconcileOne(it.nobody, { query: 'Acme' })
    expect(result[0]).toEqual({
      id: 'siq_acme',
      name: 'Acme Trading Limited',
      description: 'Acme · Leeds, United Kingdom · active · GB 00000001',
      type: [
        { id: 'organization', name: 'Organization' },
        {
          id: 'business',
          name: 'Company',
          broader: [{ id: 'organization', name: 'Organization' }],
        },
      ],
      score: 90,
      match: true,
      features: [
        { id: 'name', value: 4.25 },
        { id: 'legal_form', value: -0.5 },
      ],
    })
    expect(result.map(({ id, match }) => [id, match])).toEqual([
      ['siq_acme', true],
      ['siq_fund', false],
      ['siq_unknown', false],
    ])
  })

  test('are no match where the matcher is not certain', async () => {
    const { result } = await reconcileOne(it.nobody, { query: 'Doubtful' })
    expect(result).toMatchObject([{ id: 'siq_acme', score: 90, match: false }])
  })

  test('that are no longer held are left out, and what follows them is no match', async () => {
    const { result } = await reconcileOne(it.nobody, { query: 'Gone' })
    expect(result).toMatchObject([{ id: 'siq_acme', match: false }])
  })

  test('are as many as wanted, five unless told, ten at most', async () => {
    expect((await reconcileOne(it.nobody, { query: 'Acme', limit: 1 })).result).toHaveLength(1)
    expect((await reconcileOne(it.nobody, { query: 'Acme', limit: 1e15 })).result).toHaveLength(3)
    expect(reconciliation).toMatchObject({ candidatesByDefault: 5, candidatesMax: 10 })
  })

  test('a company is found by its id and by a merged id; an unknown id finds none', async () => {
    const batch = await reconcile(it.nobody, {
      own: { query: ' siq_acme ' },
      merged: { query: 'siq_older' },
      none: { query: 'siq_nobody' },
    })
    expect(batch['own']?.result).toMatchObject([{ id: 'siq_acme', score: 100, match: true, features: [] }])
    expect(batch['merged']?.result).toMatchObject([{ id: 'siq_acme', score: 100, match: true }])
    expect(batch['none']).toEqual({ result: [] })
  })
})

describe('types', () => {
  const idsFor = async (query: object) =>
    (await reconcileOne(it.nobody, { query: 'Acme', ...query })).result.map(({ id }) => id)

  test.each([
    [{ type: 'organization', type_strict: 'any' }, ['siq_acme', 'siq_fund', 'siq_unknown']],
    [{ type: 'nonprofit', type_strict: 'any' }, ['siq_fund', 'siq_unknown']],
    [{ type: ['nonprofit', 'business'], type_strict: 'any' }, ['siq_acme', 'siq_fund', 'siq_unknown']],
    [{ type: ['organization', 'business'], type_strict: 'all' }, ['siq_acme', 'siq_unknown']],
    [{ type: ['nonprofit', 'business'], type_strict: 'all' }, ['siq_unknown']],
    [{ type: 'government' }, ['siq_acme', 'siq_fund', 'siq_unknown']],
    [{ type: [] }, ['siq_acme', 'siq_fund', 'siq_unknown']],
  ])('%j leaves %j', async (query, ids) => {
    expect(await idsFor(query)).toEqual(ids)
  })

  test('should be of a type: others stay, are no match, and say so', async () => {
    const { result } = await reconcileOne(it.nobody, {
      query: 'Acme Fund',
      type: 'business',
      type_strict: 'should',
    })
    expect(result).toMatchObject([
      { id: 'siq_fund', match: false },
      { id: 'siq_acme', match: false },
    ])
    expect(result.map(({ features }) => features.at(-1))).toEqual([
      { id: 'type_match', value: false },
      { id: 'type_match', value: true },
    ])
  })
})

describe('a batch', () => {
  test('answers each query by its key, whatever the key is', async () => {
    const keys = ['q0', '', 'ü "quoted"', '__proto__', 'constructor', '7']
    const queries = `{${keys.map((key) => `${JSON.stringify(key)}:{"query":"Acme","limit":1}`).join(',')}}`
    const reply = await postForm(it.nobody, { queries })
    expect(reply.status).toBe(200)
    for (const key of keys) expect(reply.text).toContain(`${JSON.stringify(key)}:{"result":[{"id":"siq_acme"`)
  })

  test('of nothing is answered with nothing', async () => {
    expect(await reconcile(it.nobody, {})).toEqual({})
  })

  test('can be asked by GET, and HEAD begins nothing', async () => {
    const queries = encodeURIComponent('{"q0":{"query":"Acme"}}')
    const reply = await it.nobody.get(`/reconcile?queries=${queries}`)
    expect(reply.json).toMatchObject({ q0: { result: [{ id: 'siq_acme' }, {}, {}] } })
    const head = await it.nobody.raw(`/reconcile?queries=${queries}`, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('that a bug broke is a 500 that tells nothing', async () => {
    const reply = await postForm(it.nobody, { queries: '{"q0":{"query":"Broken"}}' })
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain('secret')
    expect(it.logged.join()).toContain('POST /reconcile: ')
  })

  test('that the matchers have no room for is refused as a whole, and no more of it is asked', async () => {
    let askedCount = 0
    const { nobody } = await startTestService({
      knowledge: {
        ...fakeKnowledge(),
        likelyCompanies: () => {
          if (++askedCount === 12) throw new Refusal(500, 'api_error', 'too many searches wait already')
          return { companies: [], isMatched: false }
        },
      },
      reconciliation: { access: null, origins: [] },
    })
    const entries = Array.from({ length: 50 }, (_, at) => [`q${at}`, { query: 'Acme' }])
    const reply = await postForm(nobody, { queries: JSON.stringify(Object.fromEntries(entries)) })
    expect(refusalOf(reply)).toMatchObject({ status: 500, message: 'too many searches wait already' })
    await passTurns(nobody, 20)
    expect(askedCount).toBeLessThan(12 + reconciliation.queriesInFlightMax)
  })

  test('in which one query fails answers the others, and says which failed', async () => {
    const batch = await reconcile(it.nobody, { bad: { query: 'Broken' }, good: { query: 'Acme' } })
    expect(batch['bad']).toEqual({
      result: [],
      error: { type: 'api_error', message: 'this query failed; see the log' },
    })
    expect(batch['good']?.result).toHaveLength(3)
    expect(it.logged).toContain('a reconciliation query failed: the index is gone: /secret/path')
  })

  test('that its caller left is not asked to its end', async () => {
    const gone = new AbortController()
    const begun: string[] = []
    const { service, nobody } = await startTestService({
      knowledge: {
        ...fakeKnowledge(),
        likelyCompanies: async ({ name }) => {
          begun.push(name)
          gone.abort()
          // As long as requests of others take, in which the end of the connection arrives.
          await passTurns(nobody, 10)
          return { companies: [], isMatched: false }
        },
      },
      reconciliation: { access: null, origins: [] },
    })
    const entries = Array.from({ length: 50 }, (_, at) => [`q${at}`, { query: `Acme ${at}` }])
    const body = new URLSearchParams({ queries: JSON.stringify(Object.fromEntries(entries)) })
    const asked = fetch(`${service.url}/reconcile`, { method: 'POST', body, signal: gone.signal })
    await expect(asked).rejects.toThrow('aborted')
    await passTurns(nobody, 300)
    expect(begun.length).toBeGreaterThan(0)
    expect(begun.length).toBeLessThan(50)
  })

  test('of a thousand is refused before any is asked', async () => {
    const before = knowledge.asked.length
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`q${at}`, { query: 'Acme' }]))
    const reply = await postForm(it.nobody, { queries: JSON.stringify(many) })
    expect(refusalOf(reply)).toMatchObject({ status: 413, type: 'payload_too_large' })
    expect(reply.text).toContain('at most 50 a batch, this one has 1000')
    expect(knowledge.asked).toHaveLength(before)
  })

  test('of as many as the manifest says is answered', async () => {
    const queries = Object.fromEntries(
      Array.from({ length: reconciliation.batchQueriesMax }, (_, at) => [`q${at}`, { query: 'Acme' }]),
    )
    for (const { result } of Object.values(await reconcile(it.nobody, queries)))
      expect(result).toHaveLength(3)
  })
})

describe('a fault in a cell is told beside the other answers of the batch', () => {
  test.each([
    ['', 'no company name'],
    ['   ', 'no company name'],
    ['\u0000\u0007\u200b', 'no company name'],
    ['X', 'the name has 1 character; at least 2 are needed'],
    ['A'.repeat(600), 'the name is longer than 500 characters'],
  ])('%j', async (query, message) => {
    const batch = await reconcile(it.nobody, { bad: { query }, good: { query: 'Acme' } })
    expect(batch['bad']).toEqual({ result: [], error: { type: 'bad_request', message } })
    expect(batch['good']?.result).toHaveLength(3)
  })

  test('control characters and spaces in a name are not part of it', async () => {
    const { result } = await reconcileOne(it.nobody, { query: '\u0000Acme\r\n\t\u0007' })
    expect(result).toHaveLength(3)
  })

  test('a lone half of a letter is no crash', async () => {
    expect(await reconcileOne(it.nobody, { query: '\ud800 GmbH' })).toEqual({ result: [] })
  })
})

describe('a form that is none is refused with the reason', () => {
  const q0 = (query: unknown) => JSON.stringify({ q0: query })

  test.each<[string, string, string]>([
    ['no JSON', '{"q0":', 'queries: this is not JSON'],
    ['nothing', '', 'queries: this is not JSON'],
    ['a list', '[]', 'queries: a JSON object is needed'],
    ['null', 'null', 'queries: a JSON object is needed'],
    ['a text', '"Acme"', 'queries: a JSON object is needed'],
    ['depth', `${'{"a":'.repeat(90)}1${'}'.repeat(90)}`, 'queries: nested too deep'],
    ['a query that is a text', q0('Acme'), 'queries.q0 '],
    ['a query that is null', q0(null), 'queries.q0 '],
    ['no query', q0({}), 'queries.q0: a query or properties are needed'],
    ['properties that are none', q0({ properties: [] }), 'queries.q0: a query or properties are needed'],
    ['a number as query', q0({ query: 42 }), 'queries.q0.query '],
    ['a limit of 0', q0({ query: 'Acme', limit: 0 }), 'queries.q0.limit '],
    ['a limit below 0', q0({ query: 'Acme', limit: -5 }), 'queries.q0.limit '],
    ['half a limit', q0({ query: 'Acme', limit: 1.5 }), 'queries.q0.limit '],
    ['a limit that is a text', q0({ query: 'Acme', limit: '5' }), 'queries.q0.limit '],
    ['an unknown type', q0({ query: 'Acme', type: 'Q43229' }), 'there is no type "Q43229"; suggest/type'],
    ['a type that is an object', q0({ query: 'Acme', type: { id: 'business' } }), 'queries.q0.type: '],
    ['an unknown strictness', q0({ query: 'Acme', type_strict: 'maybe' }), 'queries.q0.type_strict '],
    [
      'an unknown property',
      q0({ query: 'Acme', properties: [{ pid: 'P17', v: 'DE' }] }),
      'there is no property "P17"; suggest/property',
    ],
    ['a property without an id', q0({ query: 'Acme', properties: [{ v: 'DE' }] }), '.properties.0.pid '],
    ['a property without a value', q0({ query: 'Acme', properties: [{ pid: 'city' }] }), '.properties.0.v '],
    [
      'a value that is null',
      q0({ query: 'Acme', properties: [{ pid: 'city', v: null }] }),
      '.properties.0.v: a value, or a list',
    ],
    [
      'a value within two lists',
      q0({ query: 'Acme', properties: [{ pid: 'city', v: [['Leeds']] }] }),
      '.properties.0.v: a value, or a list',
    ],
    [
      'an object without an id',
      q0({ query: 'Acme', properties: [{ pid: 'city', v: { name: 'Leeds' } }] }),
      '.properties.0.v: a value, or a list',
    ],
    [
      'too many values',
      q0({ query: 'Acme', properties: [{ pid: 'city', v: Array(51).fill('Leeds') }] }),
      '.properties.0.v: a value, or a list of at most 50',
    ],
    [
      'too many properties',
      q0({ query: 'Acme', properties: Array(51).fill({ pid: 'city', v: 'Leeds' }) }),
      'queries.q0.properties ',
    ],
    ['properties that are an object', q0({ query: 'Acme', properties: { city: 'Leeds' } }), '.properties '],
  ])('%s', async (_what, queries, message) => {
    const reply = await postForm(it.nobody, { queries })
    expect(refusalOf(reply)).toMatchObject({ status: 400, type: 'bad_request' })
    expect(reply.text).toContain(JSON.stringify(message).slice(1, -1))
  })

  test.each<[string, string]>([
    ['', 'queries or extend is needed'],
    ['query=Acme', 'queries or extend is needed'],
    ['queries={}&extend={}', 'not both'],
    ['queries={}&queries={}', 'queries: one text is needed'],
  ])('%j', async (body, message) => {
    const reply = await postForm(it.nobody, body)
    expect(refusalOf(reply)).toMatchObject({ status: 400, type: 'bad_request' })
    expect(reply.text).toContain(message)
  })

  test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])(
    'of content type %j',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const reply = await it.nobody.raw('/reconcile', { method: 'POST', headers, body: 'queries={}' })
      expect(refusalOf(reply)).toMatchObject({ status: 400 })
      expect(reply.text).toContain('the body must be a form')
    },
  )

  test('a body of more than a mebibyte is a 413, one of less is read', async () => {
    const filler = (bytes: number) => ({ queries: `{"q0":{"query":"Acme","note":"${'x'.repeat(bytes)}"}}` })
    expect((await postForm(it.nobody, filler(1_000_000))).status).toBe(200)
    const refused = await postForm(it.nobody, filler(1_100_000))
    expect(refusalOf(refused)).toMatchObject({ status: 413, type: 'payload_too_large' })
    expect(refused.text).toContain(String(1024 * 1024))
  })

  test('JSONP is refused: it would let any page read', async () => {
    const reply = await it.nobody.get('/reconcile?callback=jQuery1')
    expect(refusalOf(reply)).toMatchObject({ status: 400 })
    expect(reply.text).toContain('JSONP is not served')
  })

  test('the reason is the phrase of the status line, which is all that OpenRefine shows', async () => {
    const body = new URLSearchParams({ queries: '{"q0\\n":{"query":"A","type":"é\\r\\nx: y"}}' }).toString()
    const answer = await sendRaw(
      it.service,
      `POST /reconcile HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n` +
        `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer.statusLine).toBe(
      'HTTP/1.1 400 queries.q0?: there is no type "?\\r\\nx: y"; suggest/type lists them',
    )
    expect(answer.headers['x']).toBeUndefined()
  })
})
