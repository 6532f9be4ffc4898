import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../src/core/http-exchange.js'
import { freePort } from '../../support/loopback-server.js'
import { apiKey, clientTo, serve, serveRaw, transportTo } from './loopback.js'

const get = { method: 'GET', path: '/x', headers: {} } as const
const kickoff = { name: 'Acme' }

describe('connections', () => {
  test('connections are kept and used again', async () => {
    const server = await serve((response) => response.end('{}'))
    const transport = transportTo(server.url)
    for (let call = 0; call < 20; call++) await transport.exchange(get)
    expect(server.heard).toHaveLength(20)
    expect(server.connectionCount).toBeLessThanOrEqual(4)
  })

  test('at one time, no more are opened than allowed, and each call is sent once', async () => {
    const server = await serve((response) => setImmediate(() => response.end('{}')))
    const transport = transportTo(server.url)
    const exchanges = await Promise.all(
      Array.from({ length: 100 }, (_, call) => transport.exchange({ ...get, path: `/${call}` })),
    )
    expect(exchanges.every((exchange) => exchange.kind === 'reply' && exchange.status === 200)).toBe(true)
    expect(new Set(server.heard.map(({ url }) => url)).size).toBe(100)
    expect(server.heard).toHaveLength(100)
    expect(server.connectionCount).toBeLessThanOrEqual(4)
  })

  test('a reply has its status, its headers in lower case, and its JSON', async () => {
    const server = await serve((response) => {
      response
        .writeHead(429, { 'RateLimit-Reset': '7', 'Set-Cookie': ['a=1', 'b=2'] })
        .end('{"error":{"type":"t"}}')
    })
    expect(await transportTo(server.url).exchange(get)).toMatchObject({
      kind: 'reply',
      status: 429,
      headers: { 'ratelimit-reset': '7', 'set-cookie': 'a=1, b=2' },
      body: { error: { type: 't' } },
      bodyFault: null,
    })
  })
})

test.each([301, 302, 303, 307, 308])('A redirect with HTTP %i is not followed', async (status) => {
  const other = await serve((response) => response.end('{"run_id":"run_1"}'))
  const server = await serve((response) => {
    response.writeHead(status, { location: `${other.url}/v3/entity-resolution/async` }).end()
  })
  const exchange = await clientTo(server.url).kickoffRun(kickoff)
  expect(exchange).toMatchObject({ kind: 'reply', status })
  expect(server.heard).toHaveLength(1)
  expect(server.heard[0]?.headers['apikey']).toBe(apiKey)
  expect(other.connectionCount).toBe(0)
})

describe('whether a request was sent', () => {
  test('nothing listens: certainly not', async () => {
    const exchange = await clientTo(`http://127.0.0.1:${await freePort()}`).kickoffRun(kickoff)
    expect(exchange).toEqual({
      kind: 'no_reply',
      sent: 'no',
      reason: 'it refused the connection (ECONNREFUSED)',
      hint: 'check the address and its port, and that the server runs',
    })
  })

  test('the host has no address: certainly not', async () => {
    const exchange = await clientTo('http://enrich-test.invalid').kickoffRun(kickoff)
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'no' })
  })

  test('reset after the request: perhaps, and it is not repeated', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy())
    const client = clientTo(server.url)
    for (const exchange of [await client.kickoffRun(kickoff), await client.pollRun('run_1', {})]) {
      expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    }
    expect(server.connectionCount).toBe(2)
  })

  test('closed after the request without an answer: perhaps, and it is not repeated', async () => {
    const server = await serveRaw((socket) => socket.end())
    expect(await clientTo(server.url).kickoffRun(kickoff)).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    expect(server.connectionCount).toBe(1)
  })

  test('an idle connection that the server cuts as the next request leaves: perhaps, and it is not repeated', async () => {
    const server = await serve((response, { url }) => {
      if (url === '/first') response.end('{}')
      else response.socket?.resetAndDestroy()
    })
    const transport = transportTo(server.url)
    await transport.exchange({ ...get, path: '/first' })
    const exchange = await transport.exchange({ method: 'POST', path: '/second', headers: {}, body: '{}' })
    expect(exchange).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    expect(server.heard.map(({ url }) => url)).toEqual(['/first', '/second'])
  })

  test('an answer that is not HTTP: perhaps', async () => {
    const server = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
    expect(await clientTo(server.url).kickoffRun(kickoff)).toMatchObject({ kind: 'no_reply', sent: 'maybe' })
    expect(server.connectionCount).toBe(1)
  })

  test('no answer in time: perhaps; the connection is given up', async () => {
    const server = await serve(() => undefined)
    const exchange = await clientTo(server.url, { exchangeMsMax: 150 }).kickoffRun(kickoff)
    expect(exchange).toEqual({ kind: 'no_reply', sent: 'maybe', reason: 'no answer in time' })
    expect(server.heard).toHaveLength(1)
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  test('an answer that its caller does not wait for any longer: perhaps; the connection is given up', async () => {
    const stop = new AbortController()
    const server = await serve(() => {
      stop.abort()
    })
    const exchange = await clientTo(server.url).kickoffRun(kickoff, stop.signal)
    expect(exchange).toEqual({ kind: 'no_reply', sent: 'maybe', reason: 'stopped before the answer came' })
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  test('a key with a line end in it is sent nowhere', async () => {
    const server = await serve((response) => response.end('{}'))
    const transport = transportTo(server.url)
    const exchange = await transport.exchange({ ...get, headers: { apikey: 'a\r\nx: y' } })
    expect(exchange).toMatchObject({ kind: 'no_reply' })
    expect(server.heard).toEqual([])
  })
})

describe('an answer that breaks off keeps its status', () => {
  const fault = async (answer: string, exchangeMsMax = 60_000): Promise<Exchange> => {
    const server = await serveRaw((socket) => {
      socket.write(answer)
      if (exchangeMsMax === 60_000) setImmediate(() => socket.destroy())
    })
    const exchange = await transportTo(server.url, { exchangeMsMax }).exchange(get)
    expect(server.connectionCount).toBe(1)
    return exchange
  }

  test.each([
    ['less than its length', 'HTTP/1.1 401 No\r\ncontent-length: 500\r\n\r\n{"error":'],
    ['no last chunk', 'HTTP/1.1 401 No\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{"\r\n'],
    ['a number that may continue', 'HTTP/1.1 401 No\r\ncontent-length: 5\r\n\r\n12'],
  ])('%s', async (_, answer) => {
    const exchange = await fault(answer)
    expect(exchange).toMatchObject({ kind: 'reply', status: 401, body: undefined })
    expect(exchange.kind === 'reply' && exchange.bodyFault).toMatch(/^the body broke off \(\w+\)$/)
  })

  const accepted = '{"run_id":"run_1","status":"pending"}'
  const length = accepted.length
  test.each([
    ['less than its length', `content-length: ${length + 2}\r\n\r\n${accepted}`],
    ['no last chunk', `transfer-encoding: chunked\r\n\r\n${length.toString(16)}\r\n${accepted}\r\n`],
    [
      'a chunk without its end',
      `transfer-encoding: chunked\r\n\r\n${(length + 9).toString(16)}\r\n${accepted}`,
    ],
  ])('a JSON object that is closed is whole, though the connection breaks: %s', async (_, answer) => {
    for (const exchangeMsMax of [60_000, 300]) {
      const exchange = await fault(`HTTP/1.1 202 Accepted\r\n${answer}`, exchangeMsMax)
      expect(exchange).toMatchObject({ status: 202, body: JSON.parse(accepted) as object, bodyFault: null })
    }
  })

  test('headers and then nothing, until the time is over', async () => {
    expect(await fault('HTTP/1.1 202 Accepted\r\ncontent-length: 20\r\n\r\n', 150)).toMatchObject({
      kind: 'reply',
      status: 202,
      body: undefined,
      bodyFault: 'the body broke off (no answer in time)',
    })
  })

  test('a trickle of bytes does not stretch the time', async () => {
    const server = await serve((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 10)
      response.once('close', () => {
        clearInterval(timer)
      })
    })
    expect(await transportTo(server.url, { exchangeMsMax: 200 }).exchange(get)).toMatchObject({
      status: 200,
      bodyFault: 'the body broke off (no answer in time)',
    })
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  test('a trickle of bytes that its caller does not wait for any longer', async () => {
    const stop = new AbortController()
    const server = await serve((response) => {
      response.writeHead(429, { 'ratelimit-reset': '7' }).write('{')
      const timer = setInterval(() => response.write(' '), 10)
      response.once('close', () => {
        clearInterval(timer)
      })
      setTimeout(() => {
        stop.abort()
      }, 50)
    })
    const exchange = await transportTo(server.url).exchange({ ...get, signal: stop.signal })
    expect(exchange).toMatchObject({
      status: 429,
      headers: { 'ratelimit-reset': '7' },
      bodyFault: 'the body broke off (stopped before the answer came)',
    })
    await expect.poll(() => server.sockets.size).toBe(0)
  })
})
