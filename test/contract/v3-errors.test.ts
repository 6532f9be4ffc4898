import { connect as connectSocket } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { kickoffPath } from '../support/service-client.js'
import { fakeKnowledge } from '../support/fake-knowledge.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

let it: TestService
beforeAll(async () => {
  it = await startTestService()
})

/** What the service answers to these bytes until it closes the connection. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connectSocket(it.service.port, it.service.host)
  socket.write(bytes)
  return text(socket)
}

async function expectAlive(): Promise<void> {
  expect((await it.alice.get('/v3/entities/siq_acme')).status).toBe(200)
}

describe('errors', () => {
  test.each(['/v3', '/v3/unknown', '/v3/runs', '/v3/runs/run_1/extra', '/V3/runs/run_1', '//v3/jobs/x'])(
    'ERR-05 ERR-02 the unknown route %s is 404 in the v3 shape',
    async (path) => {
      const reply = await it.alice.get(path)
      expect(reply.status).toBe(404)
      expect(errorBody.parse(reply.json).error.type).toBe('not_found')
      expect(reply.headers['content-type']).toMatch(/^application\/json/)
    },
  )

  test('KICK-21 a body that is not UTF-8 is a 400, and nothing is billed', async () => {
    const before = it.service.ledger('alice').length
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const body = Buffer.from('{"name":"Müller"}', 'latin1')
    const reply = await it.alice.raw(kickoffPath, { method: 'POST', headers, body })
    expect([reply.status, errorBody.parse(reply.json).error.message]).toEqual([400, 'the body is not UTF-8'])
    const stranger = { ...headers, apikey: 'wrong' }
    expect((await it.alice.raw(kickoffPath, { method: 'POST', headers: stranger, body })).status).toBe(401)
    expect(it.service.ledger('alice')).toHaveLength(before)
  })

  test.each([
    ['an umlaut in Latin-1', `${kickoffPath}?name=M%FCller`, 400],
    ['after a good escape', `${kickoffPath}?name=M%C3%BCller&location=K%F6ln`, 400],
    ['Shift JIS', `${kickoffPath}?name=%83g%83%88%83%5E`, 400],
    ['half of a letter', `${kickoffPath}?name=Acme%C3`, 400],
    ['a lone surrogate', `${kickoffPath}?name=Acme%ED%A0%80`, 400],
    ['the name of a parameter', `${kickoffPath}?name=Acme&%FC=1`, 400],
    ['v2', '/v2/entity-resolution/async?name=M%FCller', 400],
    ['search', '/v2/search?name=M%FCller', 400],
    ['UTF-8', `${kickoffPath}?name=M%C3%BCller+%E6%A0%AA%E5%BC%8F`, 202],
    ['a percent sign that escapes nothing', `${kickoffPath}?name=100%+Larkmoor%zz`, 202],
  ])(
    'KICK-21 a query of escapes that are not UTF-8 is a 400, and nothing is billed: %s',
    async (_, path, status) => {
      const before = it.service.ledger('alice').length
      const reply = await it.alice.get(path)
      expect(reply.status).toBe(status)
      if (status === 400) expect(errorBody.parse(reply.json).error.message).toBe('the query is not UTF-8')
      expect(it.service.ledger('alice')).toHaveLength(before + (status === 202 ? 1 : 0))
    },
  )

  test('ERR-06 headers over 16 KiB are 431 with a JSON body', async () => {
    const answer = await sendBytes(
      `GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    errorBody.parse(JSON.parse(answer.slice(answer.indexOf('{'))))
    await expectAlive()
  })

  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a method of no token', 'FET(H / HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    [
      'two lengths',
      `POST ${kickoffPath} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0`,
    ],
    ['a header with a NUL', 'GET / HTTP/1.1\r\nhost: localhost\r\nx: a\u0000b\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ])('ERR-06 %s is a 400 and the connection is closed', async (_rule, bytes) => {
    const answer = await sendBytes(bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    errorBody.parse(JSON.parse(answer.slice(answer.indexOf('{'))))
    await expectAlive()
  })

  test('an expectation that is not 100-continue is no obstacle', async () => {
    const answer = await sendBytes(
      `GET /v3/entities/siq_acme HTTP/1.1\r\nhost: localhost\r\napikey: ${keys.alice}\r\nexpect: magic\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a body that ends before its length, or is cut off, affects no other request', async () => {
    const socket = connectSocket(it.service.port, it.service.host)
    socket.on('error', () => undefined)
    socket.write(
      `POST ${kickoffPath} HTTP/1.1\r\nhost: localhost\r\napikey: ${keys.alice}\r\ncontent-length: 99\r\n\r\n{"na`,
    )
    socket.resetAndDestroy()
    await expectAlive()
  })

  test('KICK-21 DUR-08 deep, long and odd JSON is 400 or 202, and the service lives', async () => {
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const deep = `${'['.repeat(32_000)}${']'.repeat(32_000)}`
    const bodies: [string, number][] = [
      [deep, 400],
      [`{"name":${deep.slice(0, 30_000)}${deep.slice(-30_000)}}`, 400],
      [`{"name":"Acme","extra":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 400],
      [`{"name":"Acme","extra":${'['.repeat(50)}${']'.repeat(50)}}`, 202],
      ['{"name":1e400}', 400],
      ['{"name":"Acme","n":12345678901234567890}', 202],
      ['\ufeff{"name":"Acme"}', 400],
      ['{"name":"\\ud800x"}', 202],
      ['NaN', 400],
    ]
    for (const [body, status] of bodies) {
      const reply = await it.alice.raw(kickoffPath, { method: 'POST', headers, body })
      expect({ body: body.slice(0, 30), status: reply.status }).toEqual({ body: body.slice(0, 30), status })
    }
    const gzip = Buffer.from('1f8b0800', 'hex')
    const encoded = { ...headers, 'content-encoding': 'gzip' }
    expect((await it.alice.raw(kickoffPath, { method: 'POST', headers: encoded, body: gzip })).status).toBe(
      400,
    )
    await expectAlive()
  })

  test('ERR-07 DUR-10 no body says a stack, a path, a statement or a key, and the log says no key', async () => {
    const broken = await startTestService({
      knowledge: {
        ...fakeKnowledge(),
        entity: () => {
          throw new Error('SELECT * FROM /secret/path failed')
        },
      },
    })
    const reply = await broken.alice.get('/v3/entities/siq_acme')
    expect(reply.status).toBe(500)
    expect(reply.json).toEqual({ error: { type: 'api_error', message: 'internal error' } })
    expect(broken.logged.join()).toContain('SELECT * FROM /secret/path failed')
    expect(broken.logged.join()).not.toContain(keys.alice)
  })
})
