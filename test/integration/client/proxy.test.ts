import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTransport } from '../../../src/client/http-transport.js'
import { findProxy } from '../../../src/platform/outbound/proxy.js'
import { startConnectProxy, type ConnectProxyOptions } from '../../support/connect-proxy.js'
import { freePort } from '../../support/loopback-server.js'
import { listen, serve, type Loopback } from './loopback.js'
import { selfSigned } from './self-signed.js'

const kickoff = { method: 'POST', path: '/v3/entity-resolution/async', headers: {}, body: '{}' } as const

let service: Loopback
beforeEach(async () => {
  service = await serve((response) => response.writeHead(202).end('{"run_id":"run_1"}'))
})

/** Sends one submission through a proxy. */
async function submitThrough(options: ConnectProxyOptions, userInfo = '', scheme = 'http') {
  const proxy = await startConnectProxy(options)
  onTestFinished(() => proxy.close())
  const environment = { HTTP_PROXY: `${scheme}://${userInfo}127.0.0.1:${proxy.port}` }
  return { proxy, exchange: await submit(service.url, environment) }
}

async function submit(baseUrl: string, environment: Record<string, string>) {
  const transport = createTransport({
    baseUrl,
    userAgent: 'test',
    connectionsMax: 4,
    proxy: findProxy(new URL(baseUrl), environment),
    limits: { connectMsMax: 300 },
  })
  onTestFinished(() => transport.close())
  return transport.exchange(kickoff)
}

describe('a submission through a proxy', () => {
  test('arrives once, in a tunnel', async () => {
    const { proxy, exchange } = await submitThrough({})
    expect(exchange).toMatchObject({ kind: 'reply', status: 202, body: { run_id: 'run_1' } })
    expect(service.heard).toHaveLength(1)
    expect(proxy.requested).toEqual([`127.0.0.1:${service.port}`])
  })

  test('arrives once with a user and a password, which only the proxy sees', async () => {
    const { proxy, exchange } = await submitThrough(
      { credentials: 'us er:p@ss/word' },
      'us%20er:p%40ss%2Fword@',
    )
    expect(exchange).toMatchObject({ kind: 'reply', status: 202 })
    expect(service.heard[0]?.headers).not.toHaveProperty('proxy-authorization')
    expect(proxy.authorizations).toHaveLength(1)
  })

  const head = (status: string, body = '') => `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\n\r\n${body}`
  test.for<[string, ConnectProxyOptions, RegExp]>([
    ['wants another user', { credentials: 'user:other-word' }, /refused the user and the password \(407\)/],
    ['does not permit it', { answer: end(head('403 Forbidden', '<html>no</html>')) }, /not permit.*403/],
    ['cannot connect', { answer: end(head('502 Bad Gateway')) }, /could not connect \(status 502\)/],
    ['redirects', { answer: end(head('302 Found\r\nLocation: http://evil.test/')) }, /not permit.*302/],
    ['answers no HTTP', { answer: end('<html>login</html>\r\n\r\n') }, /sent no valid HTTP/],
    ['closes', { answer: end('') }, /the connection broke/],
    ['resets', { answer: (socket) => ((socket as Socket).resetAndDestroy(), true) }, /the connection/],
    ['stays silent', { answer: () => true }, /gave no answer in time/],
  ])('was not sent if the proxy %s', async ([, options, reason]) => {
    const { proxy, exchange } = await submitThrough(options, 'user:planted-word@')
    expect(exchange).toMatchObject({
      kind: 'no_reply',
      sent: 'no',
      reason: expect.stringMatching(reason) as string,
    })
    expect(JSON.stringify(exchange)).not.toContain('planted-word')
    expect(exchange).toMatchObject({ hint: expect.stringContaining('HTTP_PROXY') as string })
    expect(service.heard).toEqual([])
    expect(proxy.requested).toHaveLength(1)
  })

  test('was not sent if the proxy wants a user and none is named', async () => {
    const { exchange } = await submitThrough({ credentials: 'user:word' })
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(JSON.stringify(exchange)).toContain('requires a user and a password (407)')
  })

  test('was not sent if nothing listens at the proxy', async () => {
    const exchange = await submit(service.url, { HTTP_PROXY: `127.0.0.1:${await freePort()}` })
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(JSON.stringify(exchange)).toContain('refused the connection (ECONNREFUSED)')
  })

  test('was not sent if the proxy speaks TLS with a certificate that no authority signed, or no TLS', async () => {
    const certificate = selfSigned('localhost')
    const untrusted = await submitThrough({ certificate }, '', 'https')
    expect(untrusted.exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(JSON.stringify(untrusted.exchange)).toContain('no trusted authority signed')
    const plain = await submitThrough({}, '', 'https')
    expect(plain.exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(JSON.stringify(plain.exchange)).toContain('does not speak TLS')
    expect(service.heard).toEqual([])
  })

  test('was not sent if the service behind the tunnel has no trusted certificate', async () => {
    let heardCount = 0
    const server = await listen(createHttpsServer(selfSigned('localhost'), () => heardCount++))
    const proxy = await startConnectProxy()
    onTestFinished(() => proxy.close())
    const exchange = await submit(`https://localhost:${server.port}`, {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    })
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
    expect(JSON.stringify(exchange)).toContain('no trusted authority signed its certificate')
    expect([heardCount, proxy.requested]).toEqual([0, [`localhost:${server.port}`]])
  })

  test('may have been sent if the tunnel breaks afterwards, and is not repeated', async () => {
    const cutting = await serve((response) => response.socket?.resetAndDestroy())
    const proxy = await startConnectProxy()
    onTestFinished(() => proxy.close())
    const exchange = await submit(cutting.url, { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    expect(cutting.heard).toHaveLength(1)
  })
})

function end(text: string): NonNullable<ConnectProxyOptions['answer']> {
  return (socket) => {
    socket.end(text)
    return true
  }
}
