import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import { createHttpsConnector } from '../../../src/connectors/objects/https.js'
import type { Environment } from '../../../src/connectors/connector.js'
import type { StoreLimits } from '../../../src/connectors/objects/http-client.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import { selfSigned } from '../client/self-signed.js'

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const certificate = selfSigned('localhost')
const calls: { line: string; headers: IncomingMessage['headers'] }[] = []
let respond: Respond = () => undefined
const server = createServer(certificate, (incoming, outgoing) => {
  calls.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers })
  outgoing.on('error', () => undefined)
  respond(incoming, outgoing)
})
/** Another origin. */
const other = createServer(certificate, (incoming, outgoing) => {
  calls.push({ line: `other ${incoming.method} ${incoming.url}`, headers: incoming.headers })
  outgoing.end(content)
})
const content = randomBytes(200_000)
let [origin, otherOrigin] = ['', '']
beforeAll(async () => {
  origin = `https://localhost:${await listenOnLoopback(server)}`
  otherOrigin = `https://localhost:${await listenOnLoopback(other)}`
})
afterAll(() => Promise.all([closeAtOnce(server), closeAtOnce(other)]))
beforeEach(() => {
  calls.length = 0
})

const token = 'Bearer planted-token-0123456789'

function open(context: TestContext, environment: Environment = {}, limits: Partial<StoreLimits> = {}) {
  const loader = createObjectPlace(context, createHttpsConnector(testPlatform()), {})
  const trusted = loader.write('ca.pem', certificate.cert)
  return createObjectPlace(context, createHttpsConnector(testPlatform(limits)), {
    HOME: loader.folder,
    SSL_CERT_FILE: trusted,
    ...environment,
  })
}

/** A server of one file, with ranges; `cutAt` cuts its first reply. */
function serve({
  etag = '"v1"',
  hasRanges = true,
  cutAt = null as number | null,
  hasHead = true,
} = {}): Respond {
  let isCut = cutAt === null
  return ({ method, headers }, outgoing) => {
    if (method === 'HEAD' && !hasHead) return void outgoing.writeHead(405).end()
    const start = hasRanges ? Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0) : 0
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag)
      return void outgoing.writeHead(412).end()
    const range =
      start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}
    outgoing.writeHead(start > 0 ? 206 : 200, {
      ...(etag === '' ? {} : { etag }),
      'content-length': String(content.length - start),
      ...range,
    })
    if (method === 'HEAD' || isCut) return void outgoing.end(method === 'HEAD' ? '' : content.subarray(start))
    isCut = true
    outgoing.write(content.subarray(start, cutAt ?? 0), () => outgoing.destroy())
  }
}

describe('a file of a web server', () => {
  test.for([
    ['with ranges', serve({ cutAt: 100_000 }), 'bytes='],
    ['without ranges', serve({ cutAt: 100_000, hasRanges: false }), ''],
    ['with a weak ETag', serve({ cutAt: 100_000, etag: 'W/"v1"' }), 'undefined'],
    ['without an ETag', serve({ cutAt: 100_000, etag: '' }), 'undefined'],
    ['without HEAD', serve({ hasHead: false }), ''],
  ] as const)('%s arrives whole, also after a cut', async ([, server, range], context) => {
    respond = server
    const place = open(context)
    const [file] = await place.fetch(`${origin}/day/in.csv.gz?format=csv`)
    expect(file?.content.equals(content)).toBe(true)
    expect([file?.label, file?.name]).toEqual([`${origin}/day/in.csv.gz`, '1.csv.gz'])
    expect(String(calls.at(-1)?.headers.range)).toContain(range)
  })

  test('that changes after a cut is refused', async (context) => {
    const first = serve({ cutAt: 100_000 })
    let count = 0
    respond = (incoming, outgoing) => {
      const isFirst = incoming.method === 'HEAD' || count++ === 0
      const answer = isFirst ? first : serve({ etag: '"v2"' })
      answer(incoming, outgoing)
    }
    expect((await refused(open(context).fetch(`${origin}/in.csv`))).code).toBe('INPUT_CHANGED')
  })

  test('in chunks is read; with neither a length nor chunks it is refused', async (context) => {
    respond = (_, outgoing) => void outgoing.end(content)
    const place = open(context)
    expect((await place.fetch(`${origin}/in.csv`))[0]?.content.equals(content)).toBe(true)
    respond = ({ socket, method }) => {
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${method === 'HEAD' ? '' : 'a\n1\n'}`)
    }
    const { code, text } = await refused(place.fetch(`${origin}/in.csv`))
    expect([code, text]).toEqual(['INPUT_UNREADABLE', expect.stringContaining('without a length')])
  })

  test.for([
    [404, 'INPUT_NOT_FOUND'],
    [410, 'INPUT_NOT_FOUND'],
    [401, 'CREDENTIALS_MISSING'],
    [403, 'ACCESS_DENIED'],
    [418, 'STORE_REFUSED'],
  ] as const)('with status %i is refused', async ([status, expected], context) => {
    respond = (_, outgoing) => void outgoing.writeHead(status).end('not this')
    const { code, text } = await refused(open(context).fetch(`${origin}/in.csv?a=hidden`))
    expect(code).toBe(expected)
    expect(text).not.toContain('hidden')
  })

  test('of a server that is not trusted is refused at once, with the reason', async (context) => {
    const place = open(context, { SSL_CERT_FILE: '' })
    const { code, text } = await refused(place.fetch(`${origin}/in.csv`))
    expect([code, text]).toEqual([
      'STORE_UNREACHABLE',
      expect.stringContaining('no trusted authority signed'),
    ])
    const wrongName = open(context)
    const named = await refused(wrongName.fetch(`${origin.replace('localhost', '127.0.0.1')}/in.csv`))
    expect([named.code, named.text]).toEqual([
      'STORE_UNREACHABLE',
      expect.stringContaining('its certificate is for another name'),
    ])
    expect(calls).toEqual([])
  })
})

describe('credentials of a web server', () => {
  test('are sent to the host of the address, and not to another one that it redirects to', async (context) => {
    respond = ({ url }, outgoing) =>
      void outgoing
        .writeHead(302, { location: url === '/in.csv' ? '/moved.csv' : `${otherOrigin}/signed?sig=x` })
        .end()
    const place = open(context, { ENRICH_HTTPS_AUTHORIZATION: token })
    expect((await place.fetch(`${origin}/in.csv`))[0]?.content.equals(content)).toBe(true)
    expect(calls.map(({ line, headers }) => [line, headers.authorization])).toEqual([
      ['HEAD /in.csv', token],
      ['HEAD /moved.csv', token],
      ['other HEAD /signed?sig=x', undefined],
      ['GET /in.csv', token],
      ['GET /moved.csv', token],
      ['other GET /signed?sig=x', undefined],
    ])
  })

  test('come from the netrc file of the user, for that host', async (context) => {
    respond = serve()
    const place = open(context)
    const path = place.write(
      'netrc',
      'machine example.com login a password b\nmachine localhost\n login night\n password planted\n',
    )
    const withFile = open(context, { NETRC: path })
    await withFile.fetch(`${origin}/in.csv`)
    expect(calls[0]?.headers.authorization).toBe(`Basic ${Buffer.from('night:planted').toString('base64')}`)
    await place.fetch(`${origin}/in.csv`)
    expect(calls.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('that are no header are refused', async (context) => {
    const place = open(context, { ENRICH_HTTPS_AUTHORIZATION: 'Bearer planted\nx: y' })
    const action = Promise.resolve().then(() => place.source(`${origin}/in.csv`))
    const { code, text } = await refused(action)
    expect([code, text.includes('planted')]).toEqual(['CREDENTIALS_MISSING', false])
  })
})

test('no error of a web server shows the credentials, the query or its text', async (context) => {
  const place = open(context, { ENRICH_HTTPS_AUTHORIZATION: token }, { patienceMs: 2_000 })
  for (const status of [400, 401, 403, 404, 500, 503]) {
    respond = ({ url, headers }, outgoing) => {
      const text = `${url} ${headers.authorization}`
      outgoing.writeHead(status, { 'retry-after': text, 'x-amz-bucket-region': text }).end(text)
    }
    const error: unknown = await place.fetch(`${origin}/in.csv?id=hidden`).catch((reason: unknown) => reason)
    const shown = inspect(error, { depth: 10, showHidden: true })
    expect(shown).toContain('UserError')
    expect([shown.includes('planted'), shown.includes('hidden')]).toEqual([false, false])
  }
  expect(calls.every(({ headers }) => headers.authorization === token)).toBe(true)
})

test.for([
  ['http', 'http://localhost/x?sig=hidden', 'not https'],
  ['an invalid address', 'https://', 'invalid'],
  ['itself', '/in.csv', 'too often'],
] as const)(
  'a redirect to %s is refused, and its address not repeated',
  async ([, location, reason], context) => {
    respond = (_, outgoing) => void outgoing.writeHead(302, { location }).end()
    const { code, text } = await refused(open(context).fetch(`${origin}/in.csv`))
    expect([code, text]).toEqual(['INPUT_UNREADABLE', expect.stringContaining(reason)])
    expect(text).not.toContain('hidden')
  },
)
