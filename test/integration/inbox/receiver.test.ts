import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseWebhookSecrets } from '../../../src/core/webhooks.js'
import { getInboxPath } from '../../../src/pipeline/checkpoint/paths.js'
import {
  openFileInbox,
  readInboxCounts,
  unsettledQueries,
} from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { Inbox } from '../../../src/pipeline/checkpoint/inbox.js'
import { startReceiver, type Receiver } from '../../../src/pipeline/receiver.js'
import { systemClock } from '../../../src/platform/clock.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { startChild, type Child } from '../../support/child-process.js'
import { sendAllThenRead, sendHead } from '../../support/raw-http.js'
import { eventOf, newSecret, send, signedHeaders, type SentEvent } from '../../support/webhook-sender.js'
import { makeFolder } from '../../support/temporary-folder.js'

const Database = loadDriver()

const secret = newSecret()
let folder: string
let inbox: Inbox
let receiver: Receiver
const children: Child[] = []
const checkpoint = () => join(folder, 'checkpoint.sqlite')

beforeEach(async () => {
  folder = makeFolder()
  inbox = openFileInbox(checkpoint(), Date.now())
  receiver = await startReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    path: '/hooks/enrich',
    keys: parseWebhookSecrets(secret),
    inbox,
    clock: systemClock,
  })
})
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()))
  await receiver.close()
  await inbox.close()
})

const target = () => `${receiver.url}/hooks/enrich`
const anEvent = (text = 'x') => eventOf({ run_id: 'run_1', status: 'COMPLETED', data: { text } })
const counts = () => readInboxCounts(checkpoint())

describe('a genuine delivery', () => {
  test('is in the inbox, byte for byte, when it is answered with 204', async () => {
    const event = { id: 'evt_1', body: Buffer.from([0xff, 0x00, 0x7b, 0x0d, 0x0a]) }
    expect(await send(target(), event, { secrets: [secret] })).toBe(204)
    expect((await inbox.listWaiting(0)).map(({ body }) => Buffer.from(body))).toEqual([event.body])
  })

  test('comes once, however often it is sent, also with another body', async () => {
    const event = anEvent()
    const again = await Promise.all([1, 2, 3].map(() => send(target(), event, { secrets: [secret] })))
    const other = await send(target(), { ...anEvent('y'), id: event.id }, { secrets: [secret] })
    expect([...again, other]).toEqual([204, 204, 204, 204])
    expect(counts()).toEqual({ waiting: 1, taken: 0, unclaimed: 0, quarantined: 0 })
    expect(receiver.counts()).toMatchObject({ received: 1, duplicate: 3 })
    expect((await inbox.listWaiting(0))[0]?.body).toEqual(event.body)
  })

  test('may carry two signatures, come in chunks, without a type, with a query, and be almost 2 MiB', async () => {
    const event = anEvent('é'.repeat(1_000_000))
    expect(await send(`${target()}?a=1`, event, { secrets: [newSecret(), secret] })).toBe(204)
    expect(await sendRaw(anEvent(), { 'transfer-encoding': 'chunked', 'content-type': undefined })).toBe(204)
    expect(await sendRaw(anEvent(), { 'content-type': 'text/plain; charset=latin1' })).toBe(204)
    expect(counts()).toMatchObject({ waiting: 3 })
  })

  test('hundreds at a time are all kept', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 300 }, () => send(target(), anEvent(), { secrets: [secret] })),
    )
    expect(new Set(statuses)).toEqual(new Set([204]))
    expect(counts()).toMatchObject({ waiting: 300 })
  })
})

describe('where a request comes from', () => {
  test('is not looked at: deliveries come by proxies, under a public name', async () => {
    for (const host of ['hooks.example.com', '127.0.0.1']) {
      expect(await sendRaw(anEvent(), { host, 'x-forwarded-host': 'hooks.example.com' })).toBe(204)
    }
    expect(counts()).toMatchObject({ waiting: 2 })
  })

  test('a web page can neither deliver nor read anything', async () => {
    const { hostname: host, port } = new URL(receiver.url)
    const page = { host: 'evil.example', origin: 'https://evil.example', 'content-type': 'text/plain' }
    for (const [line, status] of [
      ['POST /hooks/enrich', 401],
      ['OPTIONS /hooks/enrich', 405],
      ['GET /hooks/enrich', 405],
      ['GET /metrics', 404],
    ] as const) {
      const answer = await sendHead({ host, port: Number(port) }, line, { ...page, 'content-length': '0' })
      expect({ line, status: answer.status, body: answer.body }).toEqual({ line, status, body: '' })
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect(counts()).toMatchObject({ waiting: 0 })
  })
})

describe('a body of 10 MiB', () => {
  const long = anEvent('x'.repeat(10 * 1024 * 1024))

  test.each([
    ['signed', { secrets: [secret] }, 413],
    ['unsigned', { secrets: [] }, 401],
  ])('%s is refused with a status that its sender reads, not with a reset', async (_, signing, status) => {
    const { hostname: host, port } = new URL(receiver.url)
    const headers = { ...signedHeaders(long, signing), host, 'content-length': String(long.body.length) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `POST /hooks/enrich HTTP/1.1\r\n${lines.join('')}\r\n`
    for (let time = 0; time < 5; time++) {
      const answer = await sendAllThenRead({ host, port: Number(port) }, head, long.body.toString())
      expect(answer?.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
    }
    expect(counts()).toMatchObject({ waiting: 0 })
  })
})

describe('anything else is refused, and leaves nothing behind', () => {
  const canary = 'canary-in-the-body'
  const event = () => anEvent(canary)
  const good = { secrets: [secret] }
  const nowMs = Date.now()

  test.each<[string, () => Promise<number | null>, number]>([
    ['unsigned', () => send(target(), event(), { secrets: [] }), 401],
    ['signed with another secret', () => send(target(), event(), { secrets: [newSecret()] }), 401],
    [
      'a signature of another length',
      () => send(target(), event(), { ...good, headers: { 'webhook-signature': 'v1,AA==' } }),
      401,
    ],
    ['six minutes old', () => send(target(), event(), { ...good, nowMs: nowMs - 360_000 }), 400],
    ['of the future', () => send(target(), event(), { ...good, nowMs: nowMs + 360_000 }), 400],
    ['without an id', () => send(target(), event(), { ...good, headers: { 'webhook-id': '' } }), 400],
    [
      'a time that is no number',
      () => send(target(), event(), { ...good, headers: { 'webhook-timestamp': '12abc' } }),
      400,
    ],
    ['another path', () => send(`${receiver.url}/hooks`, event(), good), 404],
    ['more than 2 MiB', () => send(target(), anEvent(canary + 'x'.repeat(2 ** 21)), good), 413],
    ['another method', () => statusOf('GET', signedHeaders(event(), good)), 405],
    ['headers of more than 16 KiB', () => statusOf('POST', { junk: 'x'.repeat(20_000) }), 431],
    ['a path that is none', () => statusOf('POST', {}, '/%zz'), 400],
  ])('%s', async (_, deliver, status) => {
    expect(await deliver()).toBe(status)
    expect(counts()).toEqual({ waiting: 0, taken: 0, unclaimed: 0, quarantined: 0 })
    await inbox.close()
    for (const suffix of ['', '-wal']) {
      expect(readFile(getInboxPath(checkpoint()) + suffix)).not.toContain(canary)
    }
    inbox = openFileInbox(checkpoint(), Date.now())
  })

  test('a header that came twice', async () => {
    const headers = signedHeaders(event(), good)
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const twice = { ...headers, [name]: [headers[name] ?? '', headers[name] ?? ''] }
      expect(await statusOf('POST', twice)).toBe(400)
    }
  })

  test('more at a time than the memory set aside for them, and only until they are gone', async () => {
    const { port } = new URL(receiver.url)
    const heads = Object.entries({ ...signedHeaders(event(), good), host: 'x', 'content-length': 2 ** 21 })
    const head = heads.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const sockets = Array.from({ length: 32 }, () => connect(Number(port), '127.0.0.1'))
    for (const socket of sockets) socket.write(`POST /hooks/enrich HTTP/1.1\r\n${head}\r\n{`)
    await expect.poll(() => send(target(), event(), good)).toBe(503)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => send(target(), event(), good)).toBe(204)
  })

  test('what is not HTTP', async () => {
    const { port } = new URL(receiver.url)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('\x16\x03\x01\x02 hello\r\n\r\n'))
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('close', () => {
        resolve(text)
      })
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('the inbox', () => {
  test.each(Object.entries(unsettledQueries))('%s reads none of what was taken', (_, sql) => {
    const database = new Database(getInboxPath(checkpoint()), { readonly: true })
    const steps = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    const named = { from: 'waiting', to: 'taken', reason: null, first: 1, last: 1 }
    const parameters = sql.includes('@') ? [named] : [1, 1]
    const details = steps.all(...parameters).map(({ detail }) => detail)
    database.close()
    expect(details).toHaveLength(1)
    expect(details[0]).toMatch(/^SEARCH deliveries USING (COVERING )?INDEX deliveries_unsettled /)
  })

  test('is never made of the file of another program', () => {
    const path = join(folder, 'other.inbox.sqlite')
    const database = new Database(path)
    database.exec('CREATE TABLE t (x)')
    database.close()
    const before = readFileSync(path)
    expect(() => openFileInbox(join(folder, 'other.sqlite'), 0)).toThrow(
      expect.objectContaining({ code: 'CHECKPOINT_INVALID' }),
    )
    expect(readFileSync(path)).toEqual(before)
  })
})

test('killed between durable and answered, a receiver has lost nothing, and the next try is a duplicate', async () => {
  const start = async (manner: string) => {
    const child = startChild(
      import.meta.resolve('../../support/receiver-child.ts'),
      checkpoint(),
      secret,
      manner,
    )
    children.push(child)
    return { child, url: await child.nextLine() }
  }
  const event = anEvent()
  const first = await start('hang')
  const unanswered = send(first.url, event, { secrets: [secret] })
  expect(await first.child.nextLine()).toBe('durable new')
  await first.child.kill()
  expect(await unanswered).toBeNull()

  const second = await start('answer')
  expect(await send(second.url, event, { secrets: [secret] })).toBe(204)
  expect(await second.child.nextLine()).toBe('durable known')
  expect((await inbox.listWaiting(0)).map(({ body }) => Buffer.from(body))).toEqual([event.body])
})

function readFile(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function sendRaw(event: SentEvent, change: Record<string, string | undefined>): Promise<number> {
  const headers: Record<string, string | undefined> = {
    ...signedHeaders(event, { secrets: [secret] }),
    ...change,
  }
  for (const [name, value] of Object.entries(headers))
    if (value === undefined) Reflect.deleteProperty(headers, name)
  return statusOf('POST', headers as Record<string, string>, undefined, event.body)
}

function statusOf(
  method: string,
  headers: Record<string, string | string[]>,
  path = '/hooks/enrich',
  body?: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(receiver.url)
    const asked = request({ host: '127.0.0.1', port, method, headers, path }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
