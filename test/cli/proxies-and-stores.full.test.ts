import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, test, type TestContext } from 'vitest'
import { at, companiesCsv, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { startConnectProxy, startTlsFront, type ConnectProxyOptions } from '../support/connect-proxy.js'
import type { StrangeServiceOptions } from '../support/strange-service.js'
import { closeAtOnce, freePort, listenOnLoopback } from '../support/loopback-server.js'
import { selfSigned } from '../integration/client/self-signed.js'

const command = ['companies.csv', '-o', 'out.csv', '--basis', 'none']
const password = 'planted-proxy-word'

const prepare = ({ onTestFinished }: TestContext, options: StrangeServiceOptions = {}) =>
  createHostedPlace(['Acme', 'Bolt'], options, onTestFinished)

async function startProxy(context: TestContext, options: ConnectProxyOptions = {}) {
  const proxy = await startConnectProxy(options)
  context.onTestFinished(() => proxy.close())
  return proxy
}

/** Every text that a run printed or left behind. */
function assertNoPassword(place: CliPlace, ...texts: string[]): void {
  const files = place.names().map((name) => place.read(name))
  expect([...texts, ...files].join('\n')).not.toContain(password)
}

describe('a hosted service behind a proxy', () => {
  test('by https: each lookup is submitted once, and the password is nowhere', async (context) => {
    const { place, service } = await prepare(context)
    const certificate = selfSigned('service.test')
    const { port } = new URL(service.baseUrl)
    const front = await startTlsFront(Number(port), certificate)
    context.onTestFinished(() => front.close())
    const proxy = await startProxy(context, {
      credentials: `user:${password}`,
      hosts: { 'service.test:443': front.port },
    })
    const options = {
      env: {
        ENRICH_BASE_URL: `https://service.test${new URL(service.baseUrl).pathname}`,
        HTTPS_PROXY: `http://user:${password}@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: place.write('ca.pem', certificate.cert),
      },
    }
    const { code, stdout, stderr } = await place.run([...command, '--log-level', 'debug'], options)
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(service.runs).toHaveLength(2)
    expect(new Set(proxy.requested)).toEqual(new Set(['service.test:443']))
    const doctor = await place.run(['doctor'], options)
    expect([doctor.code, doctor.stdout]).toEqual([
      0,
      expect.stringContaining(
        `the service uses http://127.0.0.1:${proxy.port} (HTTPS_PROXY, with a user and a password)`,
      ),
    ])
    const direct = await place.run(['doctor'], { env: { ...options.env, NO_PROXY: '.test' } })
    expect([direct.code, direct.stdout]).toEqual([5, expect.stringContaining('NO_PROXY lists it')])
    expect(direct.stdout).toMatch(/its name does not resolve|the name server/)
    assertNoPassword(place, stdout, stderr, doctor.stdout, doctor.stderr, direct.stdout)
  })

  test.for<[string, ConnectProxyOptions]>([
    ['refuses the user', { credentials: 'user:another' }],
    [
      'answers with a page',
      { answer: (socket) => Boolean(socket.end('<html>log in</html>\r\n\r\n')) || true },
    ],
    ['cannot connect', { answer: (socket) => Boolean(socket.end('HTTP/1.1 502 x\r\n\r\n')) || true }],
  ])('that %s: nothing was sent and nothing is uncertain', async ([, options], context) => {
    const { place, service } = await prepare(context)
    const proxy = await startProxy(context, options)
    const env = { ...at(service).env, http_proxy: `http://user:${password}@127.0.0.1:${proxy.port}` }
    const { code, stdout, stderr } = await place.run(command, { env })
    expect([code, stderr]).toEqual([5, expect.stringContaining('error SERVICE_UNREACHABLE: ')])
    expect(stderr).toContain(`the proxy http://127.0.0.1:${proxy.port}`)
    expect(service.requests).toEqual([])
    const status = await place.run(['status'], { env })
    expect(status.stdout).not.toMatch(/[1-9]\d* uncertain/)
    assertNoPassword(place, stdout, stderr, status.stdout, status.stderr)
    // The same command resumes without it.
    expect((await place.run(command, at(service))).code).toBe(0)
    expect(service.runs).toHaveLength(2)
  })

  test('a value that is no proxy stops before anything is sent, and is not repeated', async (context) => {
    const { place, service } = await prepare(context)
    const env = { ...at(service).env, HTTP_PROXY: `socks5://user:${password}@127.0.0.1:1080` }
    for (const args of [command, ['doctor'], ['api', 'GET', '/v3/runs/run_1']]) {
      const { code, stdout, stderr } = await place.run(args, { env })
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('PROXY_INVALID')])
      assertNoPassword(place, stdout, stderr)
    }
    expect(service.requests).toEqual([])
  })
})

test.for<[string, (text: string) => Buffer, string]>([
  ['a byte order mark', (text) => Buffer.from(`\ufeff${text}`), 'application/json'],
  [
    'a byte order mark and spaces',
    (text) => Buffer.from(`\ufeff \r\n\t${text}\n`),
    'Application/JSON;Charset="utf-8"',
  ],
  ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), 'application/json; charset=UTF-16'],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le'), 'application/json'],
  ['UTF-16, high bytes first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'text/plain'],
  ['ISO-8859-1', (text) => Buffer.from(text, 'latin1'), 'application/json; CHARSET=iso-8859-1'],
])('submissions are accepted whose replies have %s', async ([, encode, type], context) => {
  const { place, service } = await prepare(context, {
    reply:
      ({ method }, body) =>
      (response) => {
        response.writeHead(method === 'POST' ? 202 : 200, { 'content-type': type })
        response.end(encode(JSON.stringify({ ...body, note: 'Café' })))
      },
  })
  const { code, stderr } = await place.run(command, at(service))
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/[1-9]\d* uncertain/)])
  expect(service.runs).toHaveLength(2)
})

describe('an object of a store as input', () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `Company ${index}`)
  const content = Buffer.from(companiesCsv(rows))
  const half = content.subarray(0, content.indexOf('Company 1000'))

  const start = async (context: TestContext, body: Buffer) => {
    const place = createPlace(context.onTestFinished)
    writeConfig(place)
    const server = createServer(({ method }: IncomingMessage, response: ServerResponse) => {
      const isHead = method === 'HEAD'
      response.writeHead(200, { 'content-length': isHead ? content.length : body.length })
      response.end(isHead ? undefined : body)
    })
    const port = await listenOnLoopback(server)
    context.onTestFinished(() => closeAtOnce(server))
    const env = {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'KEY',
      AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    }
    return { place, env }
  }

  test('that is shorter than HEAD says gives an error and no output', async (context) => {
    const { place, env } = await start(context, half)
    const { code, stderr } = await place.run(['s3://bucket/in.csv', '-o', 'out.csv'], { env })
    expect([code, stderr]).toEqual([5, expect.stringContaining('error INPUT_INCOMPLETE: ')])
    expect(stderr).toContain(`announced ${content.length} bytes, and sends ${half.length}`)
    expect(place.names()).not.toContain('out.csv')
  })

  test.for([
    [307, 'TemporaryRedirect', /another region/],
    [412, 'PreconditionFailed', /another process changed/],
    [400, 'InvalidPart', /proxies on the way/],
  ] as const)('with %i %s ends with 5 and a hint each time', async ([status, name, hint], context) => {
    const place = createPlace(context.onTestFinished)
    writeConfig(place)
    const server = createServer((_, response) => {
      response.writeHead(status).end(`<Error><Code>${name}</Code></Error>`)
    })
    const port = await listenOnLoopback(server)
    context.onTestFinished(() => closeAtOnce(server))
    const env = {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'KEY',
      AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    }
    place.write('in.csv', companiesCsv(['Acme']))
    for (const args of [
      ['s3://bucket/in.csv', '-o', 'out.csv'],
      ['in.csv', '-o', 's3://bucket/out.csv'],
    ]) {
      const { code, stderr } = await place.run(args, { env })
      expect([code, stderr]).toEqual([5, expect.stringMatching(hint)])
      expect(stderr).not.toContain('documentation of the store')
    }
  })
})

test('doctor and api say in words what the network did', async (context) => {
  const { place } = await prepare(context)
  const plain = createServer((_, response) => response.end('{}'))
  const port = await listenOnLoopback(plain)
  context.onTestFinished(() => closeAtOnce(plain))
  for (const [baseUrl, text] of [
    [`https://127.0.0.1:${port}`, /it does not speak TLS at this port \(ERR_SSL_\w+\)/],
    [`http://127.0.0.1:${await freePort()}`, /it refused the connection \(ECONNREFUSED\)/],
    ['https://enrich-test.invalid', /(its name does not resolve|name server .+) \(\w+\)/],
  ] as const) {
    for (const args of [['doctor'], ['api', 'GET', '/v3/runs/run_1']]) {
      const { code, stdout, stderr } = await place.run(args, { env: { ENRICH_BASE_URL: baseUrl } })
      expect([code, stdout + stderr]).toEqual([5, expect.stringMatching(text)])
      expect(stdout + stderr).toContain('SERVICE_UNREACHABLE: no answer came from the service: ')
      expect(stdout + stderr).toMatch(/hint: .{20}/)
    }
  }
})
