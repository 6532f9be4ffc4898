import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect as connectSocket, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { jobStatusV2, resultV2 } from '../../src/contract/earlier-versions.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { limits } from '../../src/service/limits.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import { connect } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const folder = makeFolder()
/** A connection for each stream: those of the other tests' client would wait for one another. */
const agent = new Agent({ connections: null })
afterAll(async () => {
  await agent.destroy()
})

const streamPath = '/v2/entity-resolution/stream'
const statusOf = (id: string) => `/v2/entity-resolution/status/${id}`
const researchMs = { min: 60_000, max: 60_000 }

interface Ended {
  readonly status: number
  readonly json: Record<string, unknown>
}

async function stream(
  { service }: TestService,
  name = 'Acme',
  { apiKey = keys.alice, signal }: { apiKey?: string; signal?: AbortSignal } = {},
): Promise<Ended> {
  const reply = await request(`${service.url}${streamPath}?name=${name}`, {
    dispatcher: agent,
    headers: { apikey: apiKey },
    ...(signal === undefined ? {} : { signal }),
  })
  return { status: reply.statusCode, json: (await reply.body.json()) as Record<string, unknown> }
}

/** Looks again until it is so: what happens meanwhile takes turns of the loop, not time. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 5_000; look++) {
    if (await isSo()) return
    await sleep(1)
  }
  throw new Error('it never was so')
}

const untilPending = (it: TestService, count: number) => until(() => it.service.runCount().pending === count)

describe('a stream', () => {
  test('V2-02 V2-03 V2-06 ID-05 holds its answer until research is done: the bare result as JSON', async () => {
    const clock = manualClock()
    const it = await startTestService({ clock, researchMs })
    let ended: Ended | undefined
    const held = stream(it).then((reply) => (ended = reply))
    await untilPending(it, 1)
    await it.alice.get('/v2/search?name=Acme')
    expect(ended).toBeUndefined()
    clock.advance(researchMs.max)
    const { status, json } = await held
    expect(status).toBe(200)
    expect(resultV2.parse(json)).toMatchObject({
      status: 'matched',
      request_id: expect.stringMatching(/^reqs_/),
    })
    expect(json).not.toHaveProperty('data')
  })

  test('V2-13 no_match is a 200 too, and billed like any other', async () => {
    const it = await startTestService()
    expect(await stream(it, 'Nobody')).toMatchObject({ status: 200, json: { status: 'no_match' } })
    expect(it.service.ledger('alice')).toHaveLength(1)
  })

  test('V2-04 V2-12 ERR-01 research that failed is a 502, and refunded', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
    const it = await startTestService({ accounts })
    for (let round = 0; round < 3; round++) {
      const { status, json } = await stream(it, 'Broken')
      expect(status).toBe(502)
      expect(json).toEqual({ error: { message: expect.any(String), type: 'api_error' } })
    }
    expect((await stream(it, 'Acme')).status).toBe(200)
    expect((await stream(it, 'Acme')).status).toBe(402)
  })

  test('V2-04 ERR-01 one that does not finish in time is a 502; its run ends and can be read by its id', async () => {
    const clock = manualClock()
    const dataFolder = mkdtempSync(join(folder, 'late-'))
    const it = await startTestService({ clock, researchMs, dataFolder })
    const held = stream(it)
    await untilPending(it, 1)
    // While another process writes, research cannot be stored.
    const other = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
    other.exec('BEGIN IMMEDIATE')
    clock.advance(researchMs.max + limits.streamGraceMs)
    const { status, json } = await held
    expect(status).toBe(502)
    expect(json).toEqual({ error: { message: expect.any(String), type: 'timeout' } })
    other.exec('ROLLBACK')
    const { requestId } = other.prepare('SELECT request_id AS requestId FROM runs').get() as {
      requestId: string
    }
    other.close()
    expect(JSON.stringify(json)).toContain(requestId)
    await until(() => {
      clock.advance(limits.researchRetryMs)
      return it.service.runCount().completed === 1
    })
    const poll = await it.alice.get(statusOf(requestId))
    expect(jobStatusV2.parse(poll.json)).toMatchObject({
      status: 'COMPLETED',
      data: { request_id: requestId },
    })
    expect((await it.bob.get(statusOf(requestId))).status).toBe(404)
  })

  test('ERR-01 ERR-07 one that cannot be stored is a 500, with nothing billed', async () => {
    const dataFolder = mkdtempSync(join(folder, 'full-'))
    const it = await startTestService({ dataFolder })
    const other = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
    other.exec('BEGIN IMMEDIATE')
    const { status, json } = await stream(it)
    other.exec('ROLLBACK')
    other.close()
    expect([status, json]).toEqual([500, { error: { message: 'internal error', type: 'api_error' } }])
    expect([it.service.ledger('alice'), it.service.runCount().pending]).toEqual([[], 0])
    expect((await stream(it)).status).toBe(200)
  })

  test('RUN-12 a caller who goes away does not end the run, which is billed and finishes', async () => {
    const clock = manualClock()
    const it = await startTestService({ clock, researchMs })
    const away = new AbortController()
    const held = stream(it, 'Acme', { signal: away.signal })
    await untilPending(it, 1)
    away.abort()
    await expect(held).rejects.toThrow()
    clock.advance(researchMs.max)
    await until(() => it.service.runCount().completed === 1)
    expect(it.service.ledger('alice')).toHaveLength(1)
  })
})

describe('many streams', () => {
  test('RL-18 a key holds 10 at a time: another is a 429 without a charge, and free again when one ends', async () => {
    const clock = manualClock()
    const it = await startTestService({ clock, researchMs })
    const away = new AbortController()
    const leaving = stream(it, 'Acme', { signal: away.signal }).catch(() => 'gone')
    const held = Array.from({ length: 9 }, () => stream(it))
    await untilPending(it, 10)
    const { status, json } = await stream(it)
    expect([status, json]).toEqual([429, { message: expect.any(String) }])
    expect(it.service.ledger('alice')).toHaveLength(10)

    const ofBob = stream(it, 'Acme', { apiKey: keys.bob })
    await untilPending(it, 11)
    away.abort()
    expect(await leaving).toBe('gone')
    const inItsPlace = await heldStream(it, 12)
    clock.advance(researchMs.max)
    const ended = await Promise.all([...held, ofBob, inItsPlace()])
    expect(ended.every(({ status: ofEach }) => ofEach === 200)).toBe(true)
    // Refusals and answers free what they held.
    for (let round = 0; round < 2 * limits.streamsPerKeyMax; round++) {
      expect((await it.alice.get(`${streamPath}?name=A`)).status).toBe(400)
    }
    const next = Array.from({ length: limits.streamsPerKeyMax }, () => stream(it))
    await untilPending(it, limits.streamsPerKeyMax)
    clock.advance(researchMs.max)
    expect((await Promise.all(next)).every((reply) => reply.status === 200)).toBe(true)
  })

  test('DUR-09 300 held streams do not keep others from being served, and all are answered', async () => {
    const clock = manualClock()
    const accounts = Array.from({ length: 30 }, (_, number) => ({
      name: `n${number}`,
      apiKey: `key-${number}`,
    }))
    const it = await startTestService({ clock, researchMs, accounts })
    const held = accounts.flatMap(({ apiKey }) =>
      Array.from({ length: limits.streamsPerKeyMax }, () => stream(it, 'Acme', { apiKey })),
    )
    await untilPending(it, held.length)
    const other = connect(it.service.url, 'key-0')
    for (let call = 0; call < 50; call++) expect((await other.get('/v2/search?name=Acme')).status).toBe(200)
    const job = await other.get('/v2/entity-resolution/async?name=Acme')
    expect(job.status).toBe(202)
    clock.advance(researchMs.max)
    expect((await Promise.all(held)).every(({ status }) => status === 200)).toBe(true)
    expect((await other.untilDone(statusOf(String(job.json.request_id)))).status).toBe(200)
  })
})

/** Tries until one is held: the service learns a moment late that a caller has gone. */
async function heldStream(it: TestService, pendingCount: number): Promise<() => Promise<Ended>> {
  for (;;) {
    const held = stream(it)
    const first = await Promise.race([held, untilPending(it, pendingCount)])
    if (first === undefined) return () => held
    expect(first.status).toBe(429)
  }
}

describe('the connection of a stream', () => {
  test('V2-02 is not cut while it is held, though it is idle for longer than an idle socket lives', async () => {
    const idleMsMax = 60
    const it = await startTestService({ researchMs: { min: 5 * idleMsMax, max: 5 * idleMsMax } })
    shortenIdleTime(it.service.port, idleMsMax)
    await it.alice.get('/v2/search?name=Acme')
    const idle = connectSocket(it.service.port, it.service.host)
    const idleEnded = new Promise((resolve) => idle.once('close', resolve))
    idle.resume()
    const held = await stream(it)
    expect(held.status).toBe(200)
    // The one beside it that asked for nothing was cut meanwhile.
    await idleEnded
  })

  test('ends with a 502 when the service closes, which does not wait for it; the run goes on at the next start', async () => {
    const clock = manualClock()
    const dataFolder = mkdtempSync(join(folder, 'closing-'))
    const it = await startTestService({ clock, researchMs, dataFolder })
    const held = [stream(it), stream(it), stream(it)]
    await untilPending(it, held.length)
    // The clock stands still, so nothing but the streams' own end can let the service close.
    const [replies] = await Promise.all([Promise.all(held), it.service.close()])
    for (const { status, json } of replies) {
      expect([status, json]).toEqual([502, { error: { message: expect.any(String), type: 'timeout' } }])
    }
    const next = await startTestService({ clock: manualClock(clock.nowMs() + researchMs.max), dataFolder })
    await until(() => next.service.runCount().completed === held.length)
  })
})

/** Sets the idle time of sockets on the server at this port, at its next request, to something a test can wait for. */
function shortenIdleTime(port: number, idleMsMax: number): void {
  const channel = 'http.server.request.start'
  const shorten = (message: unknown) => {
    const { server } = message as { server: Server }
    if ((server.address() as AddressInfo | null)?.port !== port) return
    server.setTimeout(idleMsMax)
    unsubscribe(channel, shorten)
  }
  subscribe(channel, shorten)
}
