import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import { routes, type Route } from '../../src/contract/routes.js'
import { sendHead } from '../support/raw-http.js'
import { kickoffPath } from '../support/service-client.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

let it: TestService
let limited: TestService
beforeAll(async () => {
  it = await startTestService()
  limited = await startTestService({ rateLimits: 'spec' })
})

const values: Record<string, string> = { request_id: 'reqa_x', job_id: 'x', run_id: 'run_x' }
const queries: Record<string, string> = {
  '/v2/search': '?name=Acme',
  '/v1/domain-intelligence': '?domain=acme.example',
}
const pathOf = ({ path }: Route) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'siq_acme') +
  (queries[path] ?? '?name=Acme&domain=a.example')

const reads = Object.values<Route>(routes).filter(({ method }) => method === 'GET')
const free = reads.filter(({ isBilled }) => isBilled !== true).map(pathOf)
const billed = reads.filter(({ isBilled }) => isBilled === true).map(pathOf)

/** Whatever differs from call to call, whichever its method. */
function stable(headers: Readonly<Record<string, string>>, hasOwnLength: boolean) {
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date'))
  return hasOwnLength ? { ...rest, 'content-length': 'of this call' } : rest
}

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  sendHead(it.service, `${method} ${path}`, { host: 'localhost', apikey: keys.alice, ...headers })

describe('HEAD', () => {
  test.each([...free, '/', '/docs', '/openapi.json', '/healthz', '/metrics', '/v3/nothing'])(
    'of %s has the status and the headers of GET, and no body',
    async (path) => {
      // Once before, so that a build that GET starts is over.
      await ask('GET', path)
      await expect.poll(async () => (await ask('GET', path)).body.includes('"status":"building"')).toBe(false)
      const [get, head] = [await ask('GET', path), await ask('HEAD', path)]
      expect(head.status).toBe(get.status)
      // Counters grow, and a search says how many milliseconds it took.
      const hasOwnLength = path === '/metrics' || path.startsWith('/v2/search')
      expect(stable(head.headers, hasOwnLength)).toEqual(stable(get.headers, hasOwnLength))
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
      expect(head.body).toBe('')
    },
  )

  test('asks for the key as GET does', async () => {
    expect((await ask('HEAD', '/v3/runs/run_x', { apikey: 'wrong' })).status).toBe(401)
  })

  test.each(billed)('of %s is a 405 that starts and charges nothing', async (path) => {
    const before = { runs: it.service.runCount(), units: it.service.ledger('alice').length }
    const answer = await ask('HEAD', path)
    expect(answer.status).toBe(405)
    expect(answer.body).toBe('')
    expect(answer.headers['allow']).not.toContain('HEAD')
    expect({ runs: it.service.runCount(), units: it.service.ledger('alice').length }).toEqual(before)
  })

  test('counts in the limit of a minute as GET does', async () => {
    const left = async (method: string) => {
      const reply = await limited.alice.raw('/v3/runs/run_x', { method, headers: { apikey: keys.alice } })
      return Number(reply.headers['x-ratelimit-remaining-minute'])
    }
    const first = await left('GET')
    expect([await left('HEAD'), await left('GET')]).toEqual([first - 1, first - 2])
  })

  test('four routes are billed by GET', () => {
    expect(billed).toHaveLength(4)
  })
})

describe('an unknown method on a known path', () => {
  const methods = ['DELETE', 'PUT', 'OPTIONS', 'PROPFIND', 'QUERY', 'FOO', 'get', 'CONNECT']
  test.each([
    ['/v3/runs/run_x', 'GET, HEAD'],
    ['/v3/entity-resolution/async', 'POST, GET'],
    ['/v2/search?name=Acme', 'GET, HEAD'],
    ['/v1/mcp', 'POST'],
    ['/docs', 'GET, HEAD'],
    ['/healthz', 'GET, HEAD'],
    ['/', 'GET, HEAD'],
  ])('on %s is a 405 that allows %s', async (path, allow) => {
    for (const method of methods) {
      const { status, headers, body } = await ask(method, path)
      expect({ method, status, allow: headers['allow'] }).toEqual({ method, status: 405, allow })
      expect(JSON.parse(body)).toMatchObject({ error: { type: 'method_not_allowed' } })
    }
  })

  test('on an unknown path is a 404', async () => {
    for (const method of methods) expect((await ask(method, '/v3/nothing')).status).toBe(404)
  })
})

describe('a large reply', () => {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await request(it.service.url + path, { headers: { apikey: keys.alice, ...headers } })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: Buffer.from(await reply.body.arrayBuffer()),
    }
  }
  /** The run of a match, whose bytes are the same at every poll. */
  const runPath = async () => {
    const { json } = await it.alice.post(kickoffPath, { name: 'Acme', include: 'basis' })
    const path = `/v3/runs/${String(json.run_id)}?include=basis`
    await it.alice.untilDone(path)
    return path
  }

  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ])('is compressed for Accept-Encoding: %s, as %s', async (accepted, encoding, decompress) => {
    for (const path of [await runPath(), '/openapi.json', '/docs']) {
      const plain = await read(path)
      const small = await read(path, { 'accept-encoding': accepted })
      expect(small.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      expect(decompress(small.body).equals(plain.body)).toBe(true)
      expect(small.body.length).toBeLessThan(plain.body.length)
    }
  })

  test.each(['', 'identity', 'gzip;q=0', 'deflate', 'gzip;q=0.5, identity;q=1'])(
    'is sent as it is for Accept-Encoding: %s',
    async (accepted) => {
      const { headers } = await read('/openapi.json', { 'accept-encoding': accepted })
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers.vary).toBe('accept-encoding')
    },
  )

  test('has an ETag, the same in every encoding; a read that knows it gets a 304 without a body', async () => {
    for (const path of [await runPath(), '/v3/entities/siq_acme', '/openapi.json', '/docs']) {
      const first = await read(path)
      const tag = String(first.headers.etag)
      expect(tag).toMatch(/^W\/"[\w-]+"$/)
      expect((await read(path, { 'accept-encoding': 'gzip' })).headers.etag).toBe(tag)
      for (const known of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
        const again = await read(path, { 'if-none-match': known, 'accept-encoding': 'gzip' })
        expect({ status: again.status, length: again.body.length }).toEqual({ status: 304, length: 0 })
        expect(again.headers).toMatchObject({ etag: tag, vary: 'accept-encoding' })
      }
      expect((await read(path, { 'if-none-match': '"other"' })).status).toBe(200)
    }
  })

  test('of HEAD has the headers of GET, compressed too; a small one stays as it is', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const [get, head] = [
      await ask('GET', '/openapi.json', headers),
      await ask('HEAD', '/openapi.json', headers),
    ]
    expect(head.headers).toEqual({ ...get.headers, date: head.headers['date'] })
    const small = await read('/v3/runs/run_x', headers)
    expect([small.headers['content-encoding'], small.headers.etag]).toEqual([undefined, undefined])
  })
})
