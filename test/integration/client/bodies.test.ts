import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { serve, transportTo } from './loopback.js'

const get = { method: 'GET', path: '/x', headers: {} } as const

async function received(bytes: Buffer | string, headers: Record<string, string | string[]> = {}) {
  const server = await serve((response) => {
    response.writeHead(200, headers).end(bytes)
  })
  const transport = transportTo(server.url, { responseBytesMax: 100_000, jsonDepthMax: 5 })
  return transport.exchange(get)
}

describe('bodies', () => {
  test.each([
    ['gzip', gzipSync('{"a":"ä"}')],
    ['x-gzip', gzipSync('{"a":"ä"}')],
    ['GZIP', gzipSync('{"a":"ä"}')],
    ['deflate', deflateSync('{"a":"ä"}')],
    ['br', brotliCompressSync('{"a":"ä"}')],
    ['identity', Buffer.from('{"a":"ä"}')],
  ])('%s is decoded though it was not asked for', async (encoding, bytes) => {
    expect(await received(bytes, { 'content-encoding': encoding })).toMatchObject({
      body: { a: 'ä' },
      bodyFault: null,
    })
  })

  test.each([
    [
      'two encodings',
      gzipSync(gzipSync('{}')),
      'gzip, gzip',
      'the body has an encoding that was not requested',
    ],
    ['an unknown one', Buffer.from('{}'), 'zstd', 'the body has an encoding that was not requested'],
    [
      'the name of a property',
      Buffer.from('{}'),
      'constructor',
      'the body has an encoding that was not requested',
    ],
    [
      'gzip that is none',
      Buffer.from('{}'),
      'gzip',
      'the body cannot be decoded, or is larger than 100000 bytes',
    ],
    [
      'gzip cut off',
      gzipSync('{"a":1}').subarray(0, -9),
      'gzip',
      'the body cannot be decoded, or is larger than 100000 bytes',
    ],
  ])('%s is refused, the status kept', async (_, bytes, encoding, bodyFault) => {
    expect(await received(bytes, { 'content-encoding': encoding })).toMatchObject({
      kind: 'reply',
      status: 200,
      body: undefined,
      bodyFault,
    })
  })

  test.each([
    ['nothing', '', 'the body is empty'],
    ['blanks', ' \r\n', 'the body is empty'],
    ['a page', '<html>CANARY</html>', 'the body is not JSON'],
    ['half of it', '{"a":', 'the body is not JSON'],
    ['another encoding than UTF-8', Buffer.from('{"a":"Müller"}', 'latin1'), 'the body is not UTF-8'],
    ['a character that is cut', Buffer.from('{"a":"ä"}').subarray(0, 7), 'the body is not UTF-8'],
    ['too deep', '[[[[[[]]]]]]', 'the body nests deeper than 5 levels'],
    ['deeper than the stack', '['.repeat(99_000), 'the body nests deeper than 5 levels'],
    ['more than allowed', `"${'x'.repeat(100_000)}"`, 'the body is larger than 100000 bytes'],
  ])('%s is a fault that repeats nothing of it', async (_, bytes, bodyFault) => {
    expect(await received(bytes)).toMatchObject({ status: 200, body: undefined, bodyFault })
  })

  test('as deep and as large as allowed is taken', async () => {
    expect(await received('[[[[[1]]]]]')).toMatchObject({ body: [[[[[1]]]]], bodyFault: null })
    const text = 'x'.repeat(99_998)
    expect(await received(JSON.stringify(text))).toMatchObject({ body: text, bodyFault: null })
  })

  test('replacement characters that the server sends are data', async () => {
    expect(await received('{"a":"M\ufffdller"}')).toMatchObject({
      body: { a: 'M\ufffdller' },
      bodyFault: null,
    })
  })

  test('__proto__ in a body is a key like any other', async () => {
    await received('{"__proto__":{"polluted":1}}', { __proto__: 'x', constructor: 'y' })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('bodies without end', () => {
  const tooMuch = 'the body cannot be decoded, or is larger than 100000 bytes'

  test('a bomb of gzip is not unpacked: memory stays bounded', async () => {
    // 64 members of a megabyte each, so that making it leaves nothing behind that would hide the unpacking.
    const bomb = Buffer.concat(
      Array.from({ length: 64 }, () => gzipSync(Buffer.alloc(2 ** 20), { level: 9 })),
    )
    expect(bomb.length).toBeLessThan(100_000)
    const beforeBytes = process.memoryUsage().external
    let peakBytes = beforeBytes
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, process.memoryUsage().external)
    }, 1)
    const exchange = await received(bomb, { 'content-encoding': 'gzip' })
    clearInterval(watch)
    peakBytes = Math.max(peakBytes, process.memoryUsage().external)
    expect(exchange).toMatchObject({ bodyFault: tooMuch })
    expect(peakBytes - beforeBytes).toBeLessThan(16 * 2 ** 20)
  })

  test.each([
    ['br', brotliCompressSync(Buffer.alloc(4 * 2 ** 20))],
    ['deflate', deflateSync(Buffer.alloc(4 * 2 ** 20))],
  ])('a bomb of %s is refused too', async (encoding, bomb) => {
    expect(await received(bomb, { 'content-encoding': encoding })).toMatchObject({ bodyFault: tooMuch })
  })

  test('what goes on after the cap is cut off, connection and all', async () => {
    let sentBytes = 0
    const chunk = Buffer.alloc(64 * 1024, 0x20)
    const server = await serve((response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length
      }
      response.on('drain', more)
      more()
    })
    const exchange = await transportTo(server.url, { responseBytesMax: 1_000_000 }).exchange(get)
    expect(exchange).toMatchObject({ status: 200, bodyFault: 'the body is larger than 1000000 bytes' })
    await expect.poll(() => server.sockets.size).toBe(0)
    expect(sentBytes).toBeLessThan(64 * 2 ** 20)
  })

  test('after a cut the next call gets a connection of its own and its own answer', async () => {
    const server = await serve((response, { url }) =>
      response.end(url === '/big' ? ' '.repeat(500) : '{"n":1}'),
    )
    const transport = transportTo(server.url, { responseBytesMax: 100 })
    expect(await transport.exchange({ ...get, path: '/big' })).toMatchObject({ body: undefined })
    expect(await transport.exchange({ ...get, path: '/small' })).toMatchObject({ body: { n: 1 } })
    expect(server.heard).toHaveLength(2)
  })
})
