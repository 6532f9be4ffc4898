import { beforeAll, describe, expect, test } from 'vitest'
import { mcpReply, type SearchResult } from '../../src/contract/search.js'
import type { SearchRequest } from '../../src/service/knowledge.js'
import { fakeKnowledge } from '../support/fake-knowledge.js'
import type { ServiceReply } from '../support/service-client.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

const found: SearchResult = {
  id: 'le_acme' as SearchResult['id'],
  entity_id: 'siq_acme' as SearchResult['entity_id'],
  name: 'Acme Trading Limited',
  status: 'active',
  is_branch: false,
  jurisdiction: { country: 'United Kingdom', country_code: 'GB', jurisdiction_code: 'gb' },
}

let it: TestService
const asked: SearchRequest[] = []
beforeAll(async () => {
  const knowledge = fakeKnowledge({
    search: (request) => {
      asked.push(request)
      if (request.name === 'Broken') throw new Error('the index is gone: /secret/path')
      return { results: [found], totalCount: 12 }
    },
  })
  it = await startTestService({ knowledge })
})

/** The body as it goes over the wire. */
function postText(body: string, headers: Record<string, string> = {}): Promise<ServiceReply> {
  return it.alice.raw('/v1/mcp', {
    method: 'POST',
    headers: { apikey: keys.alice, 'content-type': 'application/json', ...headers },
    body,
  })
}

const send = (method: string, params?: unknown, headers?: Record<string, string>) =>
  postText(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)

const call = (args: unknown) => send('tools/call', { name: 'search_legal_entities', arguments: args })

async function resultOf(reply: Promise<ServiceReply>): Promise<Record<string, unknown>> {
  const { status, json } = await reply
  expect(status).toBe(200)
  const body = mcpReply.parse(json)
  if (!('result' in body)) throw new Error(`the method failed: ${body.error.message}`)
  return body.result as Record<string, unknown>
}

async function expectFailure(reply: Promise<ServiceReply>, code: number): Promise<string> {
  const { status, json } = await reply
  expect(status).toBe(200)
  const body = mcpReply.parse(json)
  expect('error' in body ? body.error.code : body).toBe(code)
  return 'error' in body ? body.error.message : ''
}

function expectRefused({ status, json }: ServiceReply, expected: number, type: string): void {
  expect({ status, body: json }).toEqual({
    status: expected,
    body: { error: { type, message: expect.any(String) } },
  })
}

describe('the envelope', () => {
  test.each([
    ['MCP-01 no jsonrpc', { id: 1, method: 'ping' }],
    ['MCP-01 another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['MCP-01 a number for the version', { jsonrpc: 2, id: 1, method: 'ping' }],
    ['MCP-01 no method', { jsonrpc: '2.0', id: 1 }],
    ['MCP-01 a method that is no text', { jsonrpc: '2.0', id: 1, method: 7 }],
    ['MCP-01 an empty method', { jsonrpc: '2.0', id: 1, method: '' }],
    ['MCP-01 an id of another kind', { jsonrpc: '2.0', id: {}, method: 'ping' }],
    ['MCP-01 params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }],
    ['MCP-16 a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
    ['MCP-16 an empty batch', []],
    ['MCP-01 a text', 'ping'],
    ['MCP-01 null', null],
  ])('%s is 400 in the shape of v1', async (_what, body) => {
    expectRefused(await postText(JSON.stringify(body)), 400, 'bad_request')
  })

  test.each([
    ['MCP-01 no JSON', '{', {}],
    ['MCP-01 nothing', '', {}],
    ['MCP-01 another type', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'content-type': 'text/plain' }],
  ])('%s is 400 in the shape of v1', async (_what, body, headers) => {
    expectRefused(await postText(body, headers), 400, 'bad_request')
  })

  test('AUTH-06 MCP-05 without a key it is 401 in the shape of v1, whatever the body', async () => {
    for (const body of [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { nonsense: true }]) {
      const reply = await it.nobody.post('/v1/mcp', body)
      expect({ status: reply.status, keys: Object.keys(reply.json) }).toEqual({
        status: 401,
        keys: ['message', 'request_id'],
      })
    }
  })

  test('AUTH-12 an account without v3 may use it', async () => {
    const reply = await it.closed.post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })
    expect(reply.status).toBe(200)
  })

  test.each(['GET', 'DELETE', 'PUT'])(
    'MCP-15 %s is 405: there are no sessions and no streams',
    async (method) => {
      const reply = await it.alice.raw('/v1/mcp', {
        method,
        headers: { apikey: keys.alice, accept: 'text/event-stream' },
      })
      expect(reply.status).toBe(405)
      expect(reply.headers.allow).toBe('POST')
    },
  )

  test('MCP-05 the answer is JSON, whatever else the caller accepts', async () => {
    for (const accept of ['application/json, text/event-stream', 'text/event-stream', '*/*', 'text/html']) {
      const reply = await send('ping', undefined, { accept })
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    }
  })
})

describe('ids', () => {
  test.each([
    '1',
    '0',
    '-3',
    '"1"',
    '""',
    '"á\\u0000\\""',
    '1.5',
    '1e3',
    '12345678901234567890123',
    '0.10',
    'null',
  ])('MCP-05 MCP-17 the id %s comes back as it was written', async (id) => {
    const { status, text } = await postText(
      `{"jsonrpc":"2.0", "params" : {"id": 7}, "id" : ${id} ,"method":"ping"}`,
    )
    expect(status).toBe(200)
    const shown = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id
    expect(text).toBe(`{"jsonrpc":"2.0","id":${shown},"result":{}}`)
  })

  test('MCP-17 of two ids the last counts, as in any JSON', async () => {
    const { text } = await postText('{"id":1.50,"jsonrpc":"2.0","method":"ping","\\u0069d":2.50}')
    expect(text).toContain('"id":2.50,')
  })

  test('MCP-17 an id beyond all numbers is refused', async () => {
    expectRefused(await postText('{"jsonrpc":"2.0","id":1e999,"method":"ping"}'), 400, 'bad_request')
  })

  test('MCP-17 params that nest 10,000 deep are answered, and the service lives on', async () => {
    const depth = 10_000
    const deep = '['.repeat(depth) + ']'.repeat(depth)
    for (const params of [
      `{"name":"search_legal_entities","arguments":{"name":${deep}}}`,
      `{"a":${deep}}`,
      deep,
    ]) {
      const { status } = await postText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
      expect([200, 400]).toContain(status)
    }
    expect((await send('ping')).status).toBe(200)
  })

  test('MCP-17 hostile members are ignored', async () => {
    const body =
      '{"jsonrpc":"2.0","id":1,"__proto__":{"id":9},"method":"tools/call","params":{"__proto__":{"name":"search_legal_entities"}}}'
    await expectFailure(postText(body), -32602)
  })
})

describe('methods', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'MCP-02 MCP-10 initialize with %s is answered with the same version',
    async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      expect(await resultOf(send('initialize', params))).toMatchObject({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: expect.any(String), version: expect.any(String) },
      })
    },
  )

  test.each([['1999-01-01'], ['2026-07-28'], [undefined], [7], [{}]])(
    'MCP-10 initialize with %j is answered with the latest',
    async (protocolVersion) => {
      expect(await resultOf(send('initialize', { protocolVersion }))).toMatchObject({
        protocolVersion: '2025-11-25',
      })
    },
  )

  test('MCP-03 MCP-04 tools/list has the one tool with its schema', async () => {
    const { tools } = await resultOf(send('tools/list'))
    expect(tools).toEqual([
      {
        name: 'search_legal_entities',
        description: expect.any(String),
        inputSchema: {
          $schema: expect.any(String),
          type: 'object',
          properties: {
            name: { type: 'string', minLength: 2, description: expect.any(String) },
            country_code: { type: 'string', pattern: '^[A-Za-z]{2,3}$', description: expect.any(String) },
            region_code: { type: 'string', pattern: '^[A-Za-z0-9]{2,10}$', description: expect.any(String) },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    ])
  })

  test('MCP-02 ping is answered with nothing', async () => {
    expect(await resultOf(send('ping'))).toEqual({})
  })

  test('MCP-18 server/discover tells the versions, also to a caller of a later revision', async () => {
    const result = await resultOf(send('server/discover', {}, { 'mcp-protocol-version': '2026-07-28' }))
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: {} },
    })
  })

  test.each(['tools/nothing', 'resources/list', 'toString', '__proto__', 'x'.repeat(5_000)])(
    'MCP-06 the method %.20s is unknown: -32601',
    async (method) => {
      const message = await expectFailure(send(method), -32_601)
      expect(message.length).toBeLessThan(200)
    },
  )

  test.each(['notifications/initialized', 'notifications/cancelled', 'tools/call', 'nonsense'])(
    'MCP-02 MCP-12 %s without an id is a notification: 202, no body, nothing done',
    async (method) => {
      const before = asked.length
      const params = { name: 'search_legal_entities', arguments: { name: 'Acme' } }
      const { status, text } = await postText(JSON.stringify({ jsonrpc: '2.0', method, params }))
      expect([status, text, asked.length]).toEqual([202, '', before])
    },
  )

  test('MCP-12 notifications/initialized with an id is answered', async () => {
    expect(await resultOf(send('notifications/initialized'))).toEqual({})
  })
})

describe('the tool', () => {
  test('MCP-11 SRCH-08 its result is the same twice: as text and as data', async () => {
    const result = await resultOf(call({ name: 'Acme', country_code: 'gbr', region_code: 'ENG' }))
    const expected = { results: [found], metadata: { total: 12, returned: 1 } }
    expect(result).toEqual({
      content: [{ type: 'text', text: JSON.stringify(expected) }],
      structuredContent: expected,
      isError: false,
    })
    expect(asked.at(-1)).toEqual({ name: 'Acme', countryCode: 'gbr', regionCode: 'ENG', limit: 10 })
  })

  test.each([
    ['  Acme \u0000\u0007 ', 'Acme'],
    ['Acme\r\n\tLtd', 'Acme Ltd'],
    ['Cafe\u0301', 'Café'],
    ['Ac\ud800', 'Ac\ufffd'],
  ])('MCP-08 the name %j is tidied to %j', async (name, tidied) => {
    await resultOf(call({ name }))
    expect(asked.at(-1)?.name).toBe(tidied)
  })

  test.each([
    ['MCP-08 a name of one character', { name: 'A' }],
    ['MCP-08 a name of one character outside the basic plane', { name: '𝔸' }],
    ['MCP-08 a name of spaces', { name: '    ' }],
    ['MCP-08 a name of control characters', { name: '\u0000\u0001\u0002' }],
    ['MCP-08 a name that is one character once composed', { name: 'e\u0301' }],
    ['MCP-04 no name', {}],
    ['MCP-04 a name that is no text', { name: 12 }],
    ['MCP-04 a country of one letter', { name: 'Acme', country_code: 'G' }],
    ['MCP-04 a country with a digit', { name: 'Acme', country_code: 'G1' }],
    ['MCP-04 a region with a hyphen', { name: 'Acme', region_code: 'US-CA' }],
    ['MCP-04 a region too long', { name: 'Acme', region_code: 'ABCDEFGHIJK' }],
    ['MCP-09 a property of another name', { name: 'Acme', limit: 5 }],
    ['MCP-07 a list', ['Acme']],
    ['MCP-07 a text', 'Acme'],
    ['MCP-07 null', null],
  ])('%s is -32602', async (_what, args) => {
    const before = asked.length
    await expectFailure(call(args), -32_602)
    expect(asked.length).toBe(before)
  })

  test.each([
    ['MCP-06 another tool', { name: 'resolve', arguments: {} }],
    ['MCP-06 no tool', { arguments: { name: 'Acme' } }],
    ['MCP-06 no params', undefined],
  ])('%s is -32602', async (_what, params) => {
    await expectFailure(send('tools/call', params), -32_602)
  })

  test('MCP-07 a search that fails is the result of the tool, and its reason is for the log', async () => {
    const reply = await call({ name: 'Broken' })
    expect(reply.json).toMatchObject({ result: { isError: true, content: [{ type: 'text' }] } })
    expect(reply.text).not.toContain('secret')
    expect(it.logged.join()).toContain('/secret/path')
  })
})

describe('headers', () => {
  test.each(['1900-01-01', 'not-a-version', '2026-07-28', ''])(
    'MCP-13 the protocol version %j is 400',
    async (version) => {
      expectRefused(await send('tools/list', {}, { 'mcp-protocol-version': version }), 400, 'bad_request')
    },
  )

  test.each([['2024-11-05'], ['2025-03-26'], ['2025-06-18'], ['2025-11-25'], [null]])(
    'MCP-13 the protocol version %j is spoken',
    async (version) => {
      const headers = version === null ? {} : { 'mcp-protocol-version': version }
      expect((await send('tools/list', {}, headers)).status).toBe(200)
    },
  )

  test.each([
    'https://evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example:80',
    'null',
    'file://',
    'chrome-extension://abc',
    'http://',
    'nonsense',
  ])('MCP-14 a page of %s gets 403', async (origin) => {
    expectRefused(await send('ping', {}, { origin }), 403, 'forbidden')
  })

  test('MCP-14 a foreign page cannot pass by naming its own host', async () => {
    expectRefused(
      await send('ping', {}, { origin: 'http://evil.example', host: 'evil.example' }),
      403,
      'forbidden',
    )
  })

  test.each(['http://localhost:3000', 'http://127.0.0.1:8080', 'https://127.8.9.10', 'http://[::1]:1'])(
    'MCP-14 a page of %s is served',
    async (origin) => {
      expect((await send('ping', {}, { origin })).status).toBe(200)
    },
  )
})
