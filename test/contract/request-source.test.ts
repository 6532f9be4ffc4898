import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody, earlierErrorBodies } from '../../src/contract/errors.js'
import { sendHead, sendRaw, type RawAnswer } from '../support/raw-http.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

let it: TestService
let open: TestService
beforeAll(async () => {
  it = await startTestService()
  open = await startTestService({ listen: { host: '0.0.0.0', port: 0 } })
})

const ask = (line: string, headers: Record<string, string>) => sendHead(it.service, line, headers)
const key = { apikey: keys.alice }

function expectNoCors({ headers }: RawAnswer): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  expect(headers['cross-origin-resource-policy']).toBe('same-origin')
}

const kickoff = 'GET /v3/entity-resolution/async?name=Acme'

describe('a page whose name was pointed at this machine', () => {
  test.each([
    'GET /metrics',
    'HEAD /metrics',
    'GET /',
    'GET /docs',
    'GET /openapi.json',
    'GET /healthz',
    'GET /nothing-here',
    'GET /%zz',
    kickoff,
    'GET /v3/runs/run_1',
    'OPTIONS /v3/runs/run_1',
  ])('reads nothing and starts nothing: %s', async (line) => {
    const before = it.service.ledger('alice').length
    const answer = await ask(line, { ...key, host: 'evil.example:8787' })
    expect(answer.status).toBe(421)
    expectNoCors(answer)
    if (!line.startsWith('HEAD')) {
      expect(errorBody.parse(JSON.parse(answer.body)).error.type).toBe('misdirected_request')
    }
    expect(it.service.ledger('alice')).toHaveLength(before)
  })

  test('gets the shape of v1 and v2 on their paths', async () => {
    for (const path of ['/v1/entities/siq_acme', '/v2/search?name=Acme']) {
      const answer = await ask(`GET ${path}`, { ...key, host: 'evil.example' })
      expect(answer.status).toBe(421)
      expect(earlierErrorBodies.any.parse(JSON.parse(answer.body)).error.type).toBe('misdirected_request')
    }
  })

  test('cannot pass by an absolute address in its request line', async () => {
    const answer = await ask('GET http://127.0.0.1/metrics', { host: 'evil.example' })
    expect(answer.status).toBe(421)
  })
})

test('this machine by any name of it reads all, at any port', async () => {
  for (const host of ['localhost', 'LocalHost:1', '127.0.0.1:9000', '127.3.2.1', '[::1]:8787']) {
    expect((await ask('GET /metrics', { host })).status).toBe(200)
    expect((await ask('GET /v3/entities/siq_acme', { ...key, host })).status).toBe(200)
  }
})

test('a probe that calls an address gets the health and no more', async () => {
  expect((await ask('GET /healthz?x=1', { host: '10.1.2.3:8787' })).status).toBe(200)
  expect((await ask('GET /metrics', { host: '10.1.2.3:8787' })).status).toBe(421)
})

test('a caller of HTTP/1.0 without a Host is served', async () => {
  expect((await sendRaw(it.service, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
})

describe('a page of another site', () => {
  test.each([
    kickoff,
    'POST /v3/entity-resolution/async',
    'POST /v1/mcp',
    'POST /v1/entity/siq_acme/hierarchy',
    'GET /metrics',
    'OPTIONS /v3/entity-resolution/async',
  ])('is refused, and nothing is started: %s', async (line) => {
    for (const to of [it, open]) {
      for (const origin of ['https://evil.example', 'null']) {
        const before = to.service.ledger('alice').length
        const host = `127.0.0.1:${to.service.port}`
        const target = { host: '127.0.0.1', port: to.service.port }
        const answer = await sendHead(target, line, { ...key, host, origin, 'content-length': '0' })
        expect(answer.status).toBe(403)
        expectNoCors(answer)
        expect(JSON.parse(answer.body)).toMatchObject({ error: { type: 'forbidden' } })
        expect(to.service.ledger('alice')).toHaveLength(before)
      }
    }
  })

  test('of this machine may call, and gets no leave to read from elsewhere', async () => {
    const headers = { ...key, host: 'localhost', origin: 'http://localhost:3000' }
    const answer = await ask('GET /v3/entities/siq_acme', headers)
    expect(answer.status).toBe(200)
    expectNoCors(answer)
  })
})

test('a service that listens beyond this machine is called by any name', async () => {
  const target = { host: '127.0.0.1', port: open.service.port }
  for (const host of ['api.example.com', '10.0.0.1:8787', 'enrich']) {
    expect((await sendHead(target, 'GET /v3/entities/siq_acme', { ...key, host })).status).toBe(200)
  }
})
