import { mkdtempSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../../src/platform/clock.js'
import { createEndsJournal } from '../../../src/service/deliveries/deliverer.js'
import type { AttemptEnd } from '../../../src/service/deliveries/event-store.js'
import { Outbox } from '../../../src/service/deliveries/outbox.js'
import { createConnect, createPost } from '../../../src/platform/outbound/pinned-connect.js'
import { writeRunEvents } from '../../../src/service/deliveries/webhooks.js'
import { storeAccounts } from '../../../src/service/accounts/accounts.js'
import { openDatabase } from '../../../src/service/storage/database.js'
import { createFaults, faultPlan } from '../../../src/service/faults.js'
import { createCallId, createRunIds } from '../../../src/service/runs/run-store.js'
import { createRunStore, type OnRunEnded } from '../../../src/service/runs/run-store.js'
import { startChild, type Child } from '../../support/child-process.js'
import { startHookReceiver, type HookReceiver } from '../../support/hook-receiver.js'
import { keys } from '../../support/keys.js'
import { manualClock } from '../../support/manual-clock.js'
import { connect, kickoffPath } from '../../support/service-client.js'
import { openBesides, startWebhookService } from '../../support/webhook-service.js'
import { selfSigned } from '../client/self-signed.js'
import { makeFolder } from '../../support/temporary-folder.js'

const childModule = import.meta.resolve('../../support/service-child.ts')
const folder = makeFolder()

async function startReceiver(): Promise<HookReceiver> {
  const receiver = await startHookReceiver()
  onTestFinished(() => receiver.close())
  return receiver
}

async function kickOff(child: Child, webhookUrl: string, count: number): Promise<string[]> {
  const client = connect(await child.nextLine(), keys.alice)
  const replies = await Promise.all(
    Array.from({ length: count }, () =>
      client.post(kickoffPath, { name: 'Acme', webhook_url: webhookUrl }).catch(() => null),
    ),
  )
  return replies.flatMap((reply) => (reply?.status === 202 ? [String(reply.json.run_id)] : []))
}

describe('kill -9', () => {
  test('WH-08 DUR-01 between result and delivery loses no event, and repeats only what it cut off', async () => {
    const dataFolder = join(folder, 'killed')
    const receiver = await startReceiver()
    const acknowledged: string[] = []
    let cutMax = 0
    for (const killAfterCount of [1, 35, 70]) {
      const child = startChild(childModule, dataFolder, '100', '0')
      const kickoffs = kickOff(child, receiver.url, 40)
      await expect
        .poll(() => receiver.deliveries.length, { timeout: 30_000, interval: 1 })
        .toBeGreaterThanOrEqual(killAfterCount)
      await child.kill()
      acknowledged.push(...(await kickoffs))
      const besides = openBesides(dataFolder)
      cutMax += besides.events().filter(({ delivered_at_ms }) => delivered_at_ms === null).length
      besides.close()
    }
    const last = startChild(childModule, dataFolder, '0', '0')
    await last.nextLine()
    const besides = openBesides(dataFolder)
    onTestFinished(() => {
      besides.close()
    })
    const delivered = () => new Set(receiver.deliveries.map(({ event }) => event.data.object.run_id))
    await expect
      .poll(() => acknowledged.filter((runId) => !delivered().has(runId as never)), { timeout: 30_000 })
      .toEqual([])
    await expect.poll(() => besides.events().filter((event) => event.delivered_at_ms === null)).toEqual([])
    await last.kill()

    // Every run that ended has one event, delivered by the first attempt whose end is known.
    const events = besides.events()
    expect(new Set(events.map(({ run_id }) => run_id)).size).toBe(events.length)
    expect(events.every(({ attempt_count }) => attempt_count === 1)).toBe(true)
    expect(events.length).toBeGreaterThanOrEqual(acknowledged.length)
    const eventsOfRuns = new Set(
      receiver.deliveries.map(({ event }) => `${event.data.object.run_id} ${event.id}`),
    )
    expect(eventsOfRuns.size).toBe(events.length)
    expect(receiver.deliveries.length - events.length).toBeLessThanOrEqual(cutMax)
  })

  test('WH-09 RTY-13 keeps the count of attempts; only the one it cut off is made again', async () => {
    const dataFolder = join(folder, 'counted')
    const receiver = await startReceiver()
    receiver.answer = 500
    const first = startChild(childModule, dataFolder, '0', '0')
    await kickOff(first, receiver.url, 1)
    await expect.poll(() => receiver.deliveries.length, { timeout: 30_000 }).toBe(1)
    const besides = openBesides(dataFolder)
    onTestFinished(() => {
      besides.close()
    })
    const failed = await besides.attempts(1)
    await first.kill()
    expect(failed.next_attempt_at_ms).toBeGreaterThan(Date.now())

    // Ten seconds later by its clock: the second attempt, which the crash cuts off.
    receiver.answer = () => undefined
    const second = startChild(childModule, dataFolder, '0', '10000')
    await expect.poll(() => receiver.deliveries.length, { timeout: 30_000 }).toBe(2)
    await second.kill()
    expect(besides.events()).toMatchObject([{ attempt_count: 1, last_failure: 'HTTP 500' }])

    // It is made again, since nobody knows how it ended; the third is twenty seconds away.
    receiver.answer = 503
    const third = startChild(childModule, dataFolder, '0', '10000')
    await third.nextLine()
    await receiver.has(3)
    const { next_attempt_at_ms, last_failure } = await besides.attempts(2)
    await third.kill()
    expect(last_failure).toBe('HTTP 503')
    expect(next_attempt_at_ms).toBeGreaterThan(Date.now() + 10_000)

    receiver.answer = 204
    const fourth = startChild(childModule, dataFolder, '0', '30000')
    await fourth.nextLine()
    expect(await besides.attempts(3)).toMatchObject({ next_attempt_at_ms: null, last_failure: 'HTTP 503' })
    await fourth.kill()
    const deliveries = await receiver.has(4)
    expect(
      new Set(deliveries.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body.toString()}`))
        .size,
    ).toBe(1)
  })
})

describe('an event', () => {
  test('WH-08 is stored with the result, or neither is', () => {
    const database = openDatabase(null)
    storeAccounts(database, [{ name: 'alice', apiKey: 'k' }], 0)
    const outbox = new Outbox(database, systemRandom)
    const writeEvent = writeRunEvents(outbox)
    let isFailing = true
    const failAfter: OnRunEnded = () => {
      if (isFailing) throw new Error('a crash')
    }
    const store = createRunStore(database, [writeEvent, failAfter])
    const ids = createRunIds('run', createCallId(systemRandom), systemRandom, 0)
    const query = { name: 'Acme', location: null, context: null }
    const webhookUrl = 'https://hooks.example.com/'
    const times = { createdAtMs: 0, dueAtMs: 0 }
    store.insert([
      { accountNumber: 1, ids, customId: null, surface: 'v3', query, webhookUrl, withBasis: false, ...times },
    ])
    const outcome = {
      status: 'COMPLETED',
      result: '{"status":"no_match"}',
      basis: null,
      fault: null,
    } as const
    const finish = () => {
      store.finish([{ runNumber: 1, outcome }], 1_000)
    }
    const counts = () => [
      database.prepare('SELECT count(*) FROM events').pluck().get(),
      store.byRunId(1, ids.runId)?.status,
    ]
    expect(finish).toThrow('a crash')
    expect(counts()).toEqual([0, 'PENDING'])
    isFailing = false
    finish()
    expect(counts()).toEqual([1, 'COMPLETED'])
    expect(finish).toThrow()
    expect(counts()).toEqual([1, 'COMPLETED'])
    const again = { type: 'entity_resolution.failed', webhookUrl, runId: ids.runId } as const
    expect(() => {
      outbox.add({ ...again, accountNumber: 1, customId: null, object: {}, createdAtMs: 0 })
    }).toThrow('UNIQUE')
    database.close()
  })

  test('whose delivery a close cuts off counts as not tried, and is delivered after the next start', async () => {
    const clock = manualClock()
    const dataFolder = mkdtempSync(join(folder, 'closed-'))
    const receiver = await startReceiver()
    receiver.answer = () => undefined
    const first = await startWebhookService({ clock, dataFolder })
    await first.kickOff(receiver.url)
    await receiver.has(1)
    const closing = first.service.close()
    const ticking = setInterval(() => {
      clock.advance(1_000)
    }, 5)
    await closing
    clearInterval(ticking)
    expect(first.events()).toMatchObject([{ attempt_count: 0, last_failure: null }])
    receiver.answer = 204
    const second = await startWebhookService({ clock, dataFolder })
    expect(await second.attempts(1)).toMatchObject({ next_attempt_at_ms: null, last_failure: null })
    await receiver.has(2)
  })

  test('that a wrong clock put off for years is due within the longest delay after a start', async () => {
    const clock = manualClock()
    const dataFolder = mkdtempSync(join(folder, 'years-'))
    const receiver = await startReceiver()
    receiver.answer = 500
    const first = await startWebhookService({ clock, dataFolder })
    await first.kickOff(receiver.url)
    await first.attempts(1)
    await first.service.close()
    first.execute(`UPDATE events SET next_attempt_at_ms = ${clock.nowMs() + 10 ** 12}`)
    const second = await startWebhookService({ clock, dataFolder })
    await expect.poll(() => second.events()[0]?.next_attempt_at_ms).toBe(clock.nowMs() + 160_000)
  })
})

describe('a plan of faults', () => {
  const planned = (deliveries: object) => createFaults(faultPlan.parse({ deliveries }))

  test('has deliveries come twice, which are one attempt', async () => {
    const receiver = await startReceiver()
    const it = await startWebhookService({ faults: planned({ duplicateRate: 1 }) })
    await it.kickOff(receiver.url)
    const [first, second] = await receiver.has(2)
    expect(second?.event).toEqual(first?.event)
    expect(second?.headers['webhook-signature']).toBe(first?.headers['webhook-signature'])
    expect(await it.attempts(1)).toMatchObject({ next_attempt_at_ms: null, last_failure: null })
  })

  test('has deliveries come late', async () => {
    const clock = manualClock()
    const receiver = await startReceiver()
    const it = await startWebhookService({ clock, faults: planned({ lateRate: 1, lateSeconds: 30 }) })
    await it.kickOff(receiver.url)
    await expect.poll(() => it.events()[0]?.next_attempt_at_ms).toBe(clock.nowMs() + 30_000)
    clock.advance(29_999)
    expect(receiver.connectionCount()).toBe(0)
    clock.advance(1)
    await receiver.has(1)
  })
})

test('ends that cannot be stored wait for room, in their order, and nothing is forgotten', async () => {
  const clock = manualClock()
  const stored: number[] = []
  const logged: string[] = []
  let isFull = true
  const journal = createEndsJournal({
    events: {
      end: (ends) => {
        if (isFull) throw new Error('database or disk is full')
        stored.push(...ends.map(({ eventNumber }) => eventNumber))
      },
    },
    clock,
    log: (line) => logged.push(line),
    stop: new AbortController().signal,
  })
  const end = { attemptCount: 1, deliveredAtMs: 0, nextAttemptAtMs: null, failure: null }
  const append = (eventNumber: number) => journal.append({ ...end, eventNumber } satisfies AttemptEnd)
  const first = append(1)
  await expect.poll(() => logged).toHaveLength(1)
  const second = append(2)
  expect(stored).toEqual([])
  isFull = false
  clock.advance(1_000)
  await Promise.all([first, second])
  expect(stored).toEqual([1, 2])
})

test('URL-19 URL-10 the address is pinned, while Host, SNI and certificate are those of the name', async () => {
  const certificate = selfSigned('hooks.example.com')
  const asked: unknown[] = []
  const server = createHttpsServer(certificate, (request, response) => {
    asked.push(request.headers.host, String(Reflect.get(request.socket, 'servername')))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const post = createPost(createConnect(certificate.cert))
  const send = (url: string, addresses: readonly string[]) =>
    post({
      url: new URL(url),
      addresses,
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
    })
  const answered = { kind: 'answered', status: 204 }
  expect(await send(`https://hooks.example.com:${port}/`, ['127.0.0.1'])).toEqual(answered)
  expect(asked).toEqual([`hooks.example.com:${port}`, 'hooks.example.com'])
  // Where one address does not answer, the next does.
  expect(await send(`https://hooks.example.com:${port}/`, ['::1', '127.0.0.1'])).toEqual(answered)
  // A certificate of another name, and no address at all.
  expect(await send(`https://other.example.com:${port}/`, ['127.0.0.1'])).toEqual({
    kind: 'unanswered',
    reason: 'its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)',
  })
  expect((await send(`https://hooks.example.com:${port}/`, [])).kind).toBe('unanswered')
  expect(asked).toHaveLength(4)
})
