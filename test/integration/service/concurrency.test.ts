import { connect as connectSocket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../../src/platform/clock.js'
import { limits } from '../../../src/service/limits.js'
import { createApp } from '../../../src/service/http/app.js'
import { fakeKnowledge, matchOf } from '../../support/fake-knowledge.js'
import { manualClock } from '../../support/manual-clock.js'
import { kickoffPath } from '../../support/service-client.js'
import { startTestService } from '../../support/test-service.js'

describe('many at once', () => {
  test('1,000 kickoffs at once are 1,000 runs, each billed once, each answered for its own name', async () => {
    const it = await startTestService()
    const names = Array.from({ length: 1_000 }, (_, number) => `Company ${number}`)
    const kickoffs = await Promise.all(
      names.map((name, number) => it.alice.post(kickoffPath, { name, custom_id: `row ${number}` })),
    )
    const ids = kickoffs.map((reply) => String(reply.json.run_id))
    expect(kickoffs.every((reply) => reply.status === 202)).toBe(true)
    expect(new Set(ids).size).toBe(1_000)
    const runs = await Promise.all(ids.map((id) => it.alice.untilDone(`/v3/runs/${id}`)))
    for (const [number, run] of runs.entries()) {
      expect(run.json).toMatchObject({
        custom_id: `row ${number}`,
        data: { metadata: { query: { name: `Company ${number}` } } },
      })
    }
    const billed = it.service.ledger('alice')
    expect(new Set(billed.map((entry) => entry.run_id))).toEqual(new Set(ids))
    expect(it.service.runCount()).toEqual({ pending: 0, completed: 1_000, failed: 0 })
  })

  test('HTTP is served between slices of research', async () => {
    const spin = (ms: number) => {
      const endMs = performance.now() + ms
      while (performance.now() < endMs);
    }
    const it = await startTestService({
      knowledge: {
        ...fakeKnowledge(),
        resolve: () => {
          spin(5)
          return matchOf()
        },
      },
    })
    const kickoffs = Array.from({ length: 100 }, (_, at) =>
      it.alice.post(kickoffPath, { name: `Acme ${at}` }),
    )
    const [first] = await Promise.all(kickoffs)
    for (let poll = 0; poll < 5; poll++) {
      await it.alice.get(`/v3/runs/${String(first?.json.run_id)}`)
    }
    expect(it.service.runCount().pending).toBeGreaterThan(0)
  })

  test('a run ends no sooner than its research takes, on the clock it was given', async () => {
    const clock = manualClock()
    const it = await startTestService({
      clock,
      researchMs: { min: 60_000, max: 300_000 },
      random: { fraction: () => 0.5, id: ids() },
    })
    const reply = await it.alice.post(kickoffPath, { name: 'Acme' })
    const path = `/v3/runs/${String(reply.json.run_id)}`
    clock.advance(179_999)
    expect((await it.alice.get(path)).status).toBe(202)
    clock.advance(1)
    const run = await it.alice.untilDone(path)
    expect(run.json).toMatchObject({ data: { metadata: { resolved_at: '2026-01-01T00:03:00.000Z' } } })
  })

  test('a run that is due sooner is researched sooner, whenever it came', async () => {
    const clock = manualClock()
    const fractions = [1, 0]
    const it = await startTestService({
      clock,
      researchMs: { min: 1_000, max: 500_000 },
      random: { fraction: () => fractions.shift() ?? 0, id: ids() },
    })
    const late = await it.alice.post(kickoffPath, { name: 'Acme' })
    const soon = await it.alice.post(kickoffPath, { name: 'Acme' })
    clock.advance(1_000)
    expect((await it.alice.untilDone(`/v3/runs/${String(soon.json.run_id)}`)).status).toBe(200)
    expect((await it.alice.get(`/v3/runs/${String(late.json.run_id)}`)).status).toBe(202)
  })
})

function ids(): (prefix: string) => string {
  let number = 0
  return (prefix) => `${prefix}${number++}`
}

describe('slow and silent sockets', () => {
  test('DUR-09 a request that trickles in is bounded', () => {
    const { server } = createApp(new Map(), {
      clock: manualClock(),
      random: systemRandom,
      log: () => undefined,
    })
    expect(server.headersTimeout).toBe(limits.headersMsMax)
    expect(server.requestTimeout).toBe(limits.requestMsMax)
    expect(limits.requestMsMax + limits.socketCheckMs).toBeLessThanOrEqual(35_000)
    expect(server.timeout).toBe(limits.idleSocketMsMax)
  })

  test('DUR-09 1,000 sockets that send half a request do not keep others from being served', async () => {
    const it = await startTestService()
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = connectSocket(it.service.port, it.service.host)
      socket.on('error', () => undefined)
      socket.write('POST /v3/entity-resolution/async HTTP/1.1\r\nhost: localhost\r\n')
      return socket
    })
    const kickoffs = Array.from({ length: 50 }, () => it.alice.post(kickoffPath, { name: 'Acme' }))
    expect((await Promise.all(kickoffs)).every((reply) => reply.status === 202)).toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  test('DUR-09 a socket that neither reads nor closes is cut after it was refused', async () => {
    const clock = manualClock()
    const it = await startTestService({ clock })
    const socket = connectSocket({ port: it.service.port, host: it.service.host, allowHalfOpen: true })
    const cut = new Promise((resolve) => socket.once('error', resolve))
    socket.write('this is not HTTP\r\n\r\n')
    await new Promise((resolve) => socket.once('end', resolve).resume())
    clock.advance(limits.lingerMs)
    const writing = setInterval(() => socket.write('more'), 2)
    await cut
    clearInterval(writing)
  })

  test('a socket that never ends its request does not keep the service from closing', async () => {
    const clock = manualClock()
    const it = await startTestService({ clock })
    const socket = connectSocket(it.service.port, it.service.host)
    const ended = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.write('GET /v3/runs/run_1 HTTP/1.1\r\nhost: localhost\r\n')
    await it.alice.get('/v3/runs/run_1')
    const closed = it.service.close()
    clock.advance(limits.closeGraceMs)
    await Promise.all([closed, ended])
  })
})
