import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.js'
import type { EntityId } from '../../src/contract/enums.js'
import type { ServiceOptions } from '../../src/service/service.js'
import { fakeKnowledge, sampleRecord } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { sendHead } from '../support/raw-http.js'
import { manifestShape, postForm, refusalOf } from '../support/reconciliation.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

const start = (reconciliation: ServiceOptions['reconciliation'], options: Partial<ServiceOptions> = {}) =>
  startTestService({
    knowledge: fakeKnowledge({
      entities: [sampleRecord()],
      likely: {
        Acme: {
          companies: [{ id: 'siq_acme' as EntityId, confidence: 99, evidence: [] }],
          isMatched: true,
        },
      },
    }),
    ...options,
    ...(reconciliation === undefined ? {} : { reconciliation }),
  })

const openly = { access: null, origins: [] }
const beyond = { listen: { host: '0.0.0.0', port: 0 } }

const queries = '{"q0":{"query":"Acme"}}'
const extend = '{"ids":["siq_acme"],"properties":[{"id":"city"}]}'

/** Everything that is asked of it but the manifest. */
const asked: readonly string[] = [
  `/reconcile?queries=${encodeURIComponent(queries)}`,
  `/reconcile?extend=${encodeURIComponent(extend)}`,
  '/reconcile/suggest/entity?prefix=acme',
  '/reconcile/suggest/property?prefix=c',
  '/reconcile/suggest/type?prefix=c',
  '/reconcile/extend/propose?type=organization',
  '/reconcile/preview?id=siq_acme',
  '/reconcile/view?id=siq_acme',
]

test('without being asked for it is not there', async () => {
  const { alice, nobody } = await start(undefined)
  for (const path of ['/reconcile', ...asked]) {
    for (const client of [alice, nobody]) expect((await client.get(path)).status).toBe(404)
  }
  expect((await postForm(nobody, { queries })).status).toBe(404)
})

describe('on this machine alone', () => {
  test('no key is asked for, and one that is sent has to be one', async () => {
    const { alice, nobody } = await start(openly)
    for (const path of ['/reconcile', ...asked]) {
      expect((await nobody.get(path)).status).toBe(200)
      expect((await alice.get(path)).status).toBe(200)
      expect(refusalOf(await nobody.get(path, { apikey: 'wrong' }))).toMatchObject({ status: 401 })
    }
    expect(manifestShape.parse((await nobody.get('/reconcile')).json)).not.toHaveProperty('authentication')
  })

  test('a key is asked for where the operator wants it: a proxy of this machine lets the world in', async () => {
    const { alice, nobody } = await start({ access: 'key', origins: [] })
    for (const path of asked) {
      expect(refusalOf(await nobody.get(path))).toMatchObject({ status: 401, type: 'unauthorized' })
      expect((await alice.get(path)).status).toBe(200)
    }
  })
})

describe('beyond this machine', () => {
  test('a key is asked for by all but the manifest, which says so', async () => {
    const { alice, nobody } = await start(openly, beyond)
    const manifest = manifestShape.parse((await nobody.get('/reconcile')).json)
    expect(manifest.authentication).toEqual({ type: 'apiKey', name: 'apikey', in: 'header' })
    for (const path of asked) {
      expect(refusalOf(await nobody.get(path))).toMatchObject({ status: 401 })
      expect((await alice.get(path)).status).toBe(200)
    }
    expect(refusalOf(await postForm(nobody, { queries }))).toMatchObject({ status: 401 })
    expect((await postForm(nobody, { queries }, { apikey: keys.alice })).status).toBe(200)
  })

  test('the key is judged before a body is read', async () => {
    const { nobody } = await start(openly, beyond)
    expect((await postForm(nobody, { queries: 'x'.repeat(2_000_000) })).status).toBe(401)
  })

  test('going without one is refused at the start', async () => {
    const started = start({ access: 'local', origins: [] }, beyond)
    await expect(started).rejects.toThrow(UserError)
    await expect(started).rejects.toMatchObject({ code: 'USAGE_INVALID' })
  })
})

const corsOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const from = (it: TestService, line: string, headers: Readonly<Record<string, string>>) =>
  sendHead({ host: '127.0.0.1', port: it.service.port }, line, { host: 'localhost', ...headers })

describe('web pages', () => {
  test('of this machine read all of it, and what is refused too', async () => {
    const it = await start(openly)
    for (const origin of ['http://127.0.0.1:3333', 'http://localhost', 'https://[::1]:8443']) {
      for (const path of ['/reconcile', ...asked, '/reconcile?queries=x', '/reconcile/preview?id=nobody']) {
        const answer = await from(it, `GET ${path}`, { origin })
        expect(corsOf(answer)).toEqual({ 'access-control-allow-origin': origin })
        expect(answer.headers['vary']).toMatch(/^origin(, accept-encoding)?$/)
      }
    }
    const refused = await from(it, `GET ${asked[0]}`, { origin: 'http://localhost', apikey: 'wrong' })
    expect([refused.status, corsOf(refused)]).toEqual([
      401,
      { 'access-control-allow-origin': 'http://localhost' },
    ])
  })

  test('of this machine may ask before they ask', async () => {
    const it = await start(openly, beyond)
    const origin = 'http://127.0.0.1:3333'
    for (const path of ['/reconcile', '/reconcile/suggest/entity', '/reconcile/extend/propose']) {
      const answer = await from(it, `OPTIONS ${path}`, { origin, 'access-control-request-method': 'POST' })
      expect(answer.status).toBe(204)
      expect(corsOf(answer)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'content-type, apikey',
        'access-control-max-age': '600',
      })
    }
  })

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
  ])('of %s are refused and read nothing', async (origin) => {
    for (const it of [await start(openly), await start(openly, beyond)]) {
      for (const line of [...['/reconcile', ...asked].map((path) => `GET ${path}`), 'OPTIONS /reconcile']) {
        const answer = await from(it, line, { origin, apikey: keys.alice })
        expect(answer.status).toBe(403)
        expect(corsOf(answer)).toEqual({})
      }
    }
  })

  test('that the operator names may call this part, and no other', async () => {
    const origin = 'https://refine.example.com'
    const it = await start({ access: null, origins: [origin] })
    const allowed = await from(it, 'GET /reconcile', { origin })
    expect([allowed.status, corsOf(allowed)]).toEqual([200, { 'access-control-allow-origin': origin }])
    expect((await from(it, 'OPTIONS /reconcile/suggest/type', { origin })).status).toBe(204)
    for (const path of ['/metrics', '/docs', '/v3/entities/siq_acme', '/reconciled']) {
      const answer = await from(it, `GET ${path}`, { origin, apikey: keys.alice })
      expect([answer.status, corsOf(answer)]).toEqual([403, {}])
    }
    for (const path of ['/reconcile/../metrics', '/reconcile/%2e%2e/metrics', '/reconcile//metrics'])
      expect((await from(it, `GET ${path}`, { origin })).status).toBe(404)
    for (const other of ['http://refine.example.com', 'https://refine.example.com:8443'])
      expect((await from(it, 'GET /reconcile', { origin: other })).status).toBe(403)
  })

  test('whose name was pointed at this machine get nothing', async () => {
    const it = await start(openly)
    for (const path of ['/reconcile', ...asked])
      expect((await from(it, `GET ${path}`, { host: 'evil.example:8787' })).status).toBe(421)
  })

  test('of this machine and of named origins may show previews in a frame, no page the other pages', async () => {
    const it = await start({ access: null, origins: ['https://refine.example.com'] })
    const policyOf = async (path: string) =>
      String((await it.nobody.get(path)).headers['content-security-policy'])
    expect(await policyOf('/reconcile/preview?id=siq_acme')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors http:\/\/localhost:\* https:\/\/localhost:\* http:\/\/127\.0\.0\.1:\* https:\/\/127\.0\.0\.1:\* https:\/\/refine\.example\.com$/,
    )
    expect(await policyOf('/reconcile/view?id=siq_acme')).toMatch(/frame-ancestors 'none'$/)
  })
})

describe('the limit a minute', () => {
  test('is 600 requests for each path, and a 429 says when to come back', async () => {
    const clock = manualClock()
    const { nobody, alice } = await start(openly, { rateLimits: 'spec', clock })
    clock.advance(20_000)
    for (let used = 0; used < 600; used++) expect((await postForm(nobody, { queries })).status).toBe(200)
    const refused = await postForm(nobody, { queries })
    expect(refusalOf(refused)).toMatchObject({ status: 429, type: 'rate_limit_exceeded' })
    expect(refused.headers['retry-after']).toBe('40')
    expect((await nobody.get('/reconcile/suggest/type')).status).toBe(200)
    expect((await postForm(alice, { queries }, { apikey: keys.alice })).status).toBe(200)
    clock.advance(40_000)
    expect((await postForm(nobody, { queries })).status).toBe(200)
  })

  test('is lifted with the others', async () => {
    const { nobody } = await start(openly, { rateLimits: 'none', clock: manualClock() })
    for (let used = 0; used < 650; used++)
      expect((await nobody.get('/reconcile/suggest/type')).status).toBe(200)
  })
})

test('nothing is billed and nothing kept', async () => {
  const { service, alice } = await start(openly)
  for (const path of asked) await alice.get(path)
  await postForm(alice, { queries }, { apikey: keys.alice })
  expect(service.ledger('alice')).toEqual([])
  expect(service.runCount()).toEqual({ pending: 0, completed: 0, failed: 0 })
})
