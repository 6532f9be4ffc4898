import type { ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { deliveryLimits } from '../../src/contract/limits.js'
import { nextAttemptAtMs } from '../../src/service/deliveries/deliverer.js'
import { outboundLimits } from '../../src/platform/outbound/address-guard.js'
import { limits } from '../../src/service/limits.js'
import { selfSigned } from '../integration/client/self-signed.js'
import { freePort } from '../support/loopback-server.js'
import { startHookReceiver, type HookReceiver } from '../support/hook-receiver.js'
import { manualClock, type ManualClock } from '../support/manual-clock.js'
import { startWebhookService, type WebhookService } from '../support/webhook-service.js'

let clock: ManualClock
let it: WebhookService
let receiver: HookReceiver
beforeEach(async () => {
  clock = manualClock()
  it = await startWebhookService({ clock })
  receiver = await startHookReceiver(500)
})
afterEach(async () => {
  await receiver.close()
  await it.service.close()
})

/** A few turns of the loop in which what is due would leave. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Listens with sockets of its own kind. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('the schedule', () => {
  test('RTY-04 RTY-06 RTY-14 SIG-24 there are six attempts, 10, 20, 40, 80 and 160 seconds apart, each with its own signature', async () => {
    const startedAtMs = clock.nowMs()
    const seenAtSeconds: number[] = []
    receiver.answer = (response) => {
      seenAtSeconds.push((clock.nowMs() - startedAtMs) / 1000)
      response.writeHead(500).end('no')
    }
    const runId = await it.kickOff(receiver.url)
    for (const [index, delaySeconds] of deliveryLimits.retryDelaysSeconds.entries()) {
      const { next_attempt_at_ms } = await it.attempts(index + 1)
      expect(next_attempt_at_ms).toBe(clock.nowMs() + delaySeconds * 1000)
      clock.advance(delaySeconds * 1000 - 1)
      await settle()
      expect(seenAtSeconds).toHaveLength(index + 1)
      clock.advance(1)
    }
    const exhausted = await it.attempts(6)
    expect(seenAtSeconds).toEqual([0, 10, 30, 70, 150, 310])
    expect(exhausted).toMatchObject({ next_attempt_at_ms: null, delivered_at_ms: null, body: null })
    clock.advance(24 * 3_600_000)
    await settle()
    const deliveries = await receiver.has(6)
    expect(it.service.eventCount()).toEqual({ waiting: 0, delivered: 0, exhausted: 1 })
    expect((await it.alice.get(`/v3/runs/${runId}`)).json).toMatchObject({ status: 'COMPLETED' })
    expect(it.logged.join()).toContain(
      `was not delivered to 127.0.0.1:${receiver.port} in 6 attempts: HTTP 500`,
    )

    const ofAll = (name: string) => deliveries.map(({ headers }) => String(headers[name]))
    expect(new Set(ofAll('webhook-id')).size).toBe(1)
    expect(new Set(deliveries.map(({ body }) => body.toString('hex'))).size).toBe(1)
    expect(new Set(ofAll('webhook-signature')).size).toBe(6)
    const [secret = ''] = it.secretsOf('alice', clock.nowMs())
    for (const [index, seconds] of ofAll('webhook-timestamp').entries()) {
      expect(Number(seconds)).toBe(startedAtMs / 1000 + (seenAtSeconds[index] ?? 0))
      const { headers, body, event } = deliveries[index]!
      const signed = new Webhook(secret).sign(event.id, new Date(Number(seconds) * 1000), body)
      expect(headers['webhook-signature']).toBe(signed)
    }
  })

  test('RTY-05 the delay counts from the end of the attempt: six that hang take 400 seconds', async () => {
    receiver.answer = () => undefined
    const startedAtMs = clock.nowMs()
    await it.kickOff(receiver.url)
    for (let attempt = 1; attempt <= 6; attempt++) {
      await receiver.has(attempt)
      clock.advance(15_000)
      const { next_attempt_at_ms: nextAtMs, last_failure } = await it.attempts(attempt)
      expect(last_failure).toBe('no answer in time')
      expect(nextAtMs).toBe(nextAttemptAtMs(attempt, clock.nowMs()))
      if (nextAtMs !== null) clock.advance(nextAtMs - clock.nowMs())
    }
    expect(clock.nowMs() - startedAtMs).toBe(400_000)
  })

  test.each([200, 201, 202, 204, 299])('RTY-01 %s has delivered it', async (status) => {
    receiver.answer = status
    await it.kickOff(receiver.url)
    const stored = await it.attempts(1)
    expect(stored).toMatchObject({ next_attempt_at_ms: null, last_failure: null, body: null })
    expect(stored.delivered_at_ms).toBe(clock.nowMs())
    clock.advance(3_600_000)
    await settle()
    await receiver.has(1)
  })

  test.each([400, 401, 404, 410, 429, 500, 502, 503])(
    'RTY-03 RTY-09 %s is a failure like any other, whatever Retry-After says',
    async (status) => {
      receiver.answer = (response) => response.writeHead(status, { 'retry-after': '1' }).end()
      await it.kickOff(receiver.url)
      const stored = await it.attempts(1)
      expect(stored).toMatchObject({
        next_attempt_at_ms: clock.nowMs() + 10_000,
        last_failure: `HTTP ${status}`,
      })
    },
  )

  test.each([300, 301, 302, 303, 307, 308])(
    'RTY-02 URL-15 %s is a failure, and is not followed',
    async (status) => {
      const elsewhere = await startHookReceiver()
      receiver.answer = (response) => response.writeHead(status, { location: elsewhere.url }).end()
      await it.kickOff(receiver.url)
      expect((await it.attempts(1)).last_failure).toBe(`HTTP ${status}`)
      expect(elsewhere.connectionCount()).toBe(0)
      await elsewhere.close()
    },
  )

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['a reset', (response) => response.socket?.resetAndDestroy(), /ECONNRESET|UND_ERR_SOCKET/],
    ['a connection closed', (response) => response.socket?.destroy(), /UND_ERR_SOCKET/],
    ['what is no HTTP', (response) => response.socket?.end('hello\r\n\r\n'), /it sent no valid HTTP/],
  ])('RTY-03 %s is a failure', async (_, answer, failure) => {
    receiver.answer = answer
    await it.kickOff(receiver.url)
    expect((await it.attempts(1)).last_failure).toMatch(failure)
  })

  test('RTY-03 a refused connection is a failure', async () => {
    await it.kickOff(`http://127.0.0.1:${await freePort()}/hook`)
    expect((await it.attempts(1)).last_failure).toBe('it refused the connection (ECONNREFUSED)')
  })

  test('URL-19 RTY-03 an untrusted certificate is a failure, and nothing is sent', async () => {
    let requestCount = 0
    const server = createHttpsServer(selfSigned(), () => requestCount++)
    const port = await listen(server)
    await it.kickOff(`https://localhost:${port}/hook`)
    expect((await it.attempts(1)).last_failure).toBe(
      'no trusted authority signed its certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    )
    expect(requestCount).toBe(0)
  })
})

describe('RTY-08 15 seconds hold for all of an attempt', () => {
  test('a receiver that takes the connection and says nothing', async () => {
    const port = await listen(createServer())
    await it.kickOff(`http://127.0.0.1:${port}/hook`)
    await settle()
    clock.advance(15_000)
    expect((await it.attempts(1)).last_failure).toBe('no answer in time')
  })

  test('a receiver that never shakes hands', async () => {
    const port = await listen(createServer())
    await it.kickOff(`https://localhost:${port}/hook`)
    await settle()
    clock.advance(15_000)
    expect((await it.attempts(1)).last_failure).toBe('no answer in time')
  })

  test('headers that drip', async () => {
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined)
        socket.write('HTTP/1.1 200 OK\r\n')
        const dripping = setInterval(() => socket.write('x-more: drip\r\n'), 5)
        socket.once('close', () => {
          clearInterval(dripping)
        })
      }),
    )
    await it.kickOff(`http://127.0.0.1:${port}/hook`)
    await settle()
    clock.advance(15_000)
    expect((await it.attempts(1)).last_failure).toBe('no answer in time')
  })

  test('a body that drips is cut: what was answered stands', async () => {
    let isCut = false
    receiver.answer = (response) => {
      response.writeHead(200)
      const dripping = setInterval(() => response.write('.'), 5)
      response.once('close', () => {
        isCut = true
        clearInterval(dripping)
      })
    }
    await it.kickOff(receiver.url)
    await receiver.has(1)
    await settle()
    clock.advance(14_999)
    await settle()
    expect(isCut).toBe(false)
    clock.advance(1)
    expect(await it.attempts(1)).toMatchObject({ delivered_at_ms: clock.nowMs(), next_attempt_at_ms: null })
    await expect.poll(() => isCut).toBe(true)
  })

  test('a body without end is read up to a bound, and cut', async () => {
    let writtenBytes = 0
    receiver.answer = (response) => {
      response.writeHead(500)
      const chunk = Buffer.alloc(16 * 1024)
      const more = () => {
        while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length
      }
      response.on('drain', more)
      more()
    }
    await it.kickOff(receiver.url)
    expect((await it.attempts(1)).last_failure).toBe('HTTP 500')
    // What the sockets hold between the two comes on top.
    expect(writtenBytes).toBeLessThan(outboundLimits.receiverAnswerBytesMax + 16 * 2 ** 20)
  })
})

describe('RTY-07 a dead address delays no other address', () => {
  test('while as many as may hang do, others are delivered at once', async () => {
    receiver.answer = () => undefined
    const alive = await startHookReceiver()
    const hanging = Array.from({ length: 40 }, (_, index) => it.kickOff(`${receiver.url}?row=${index}`))
    await Promise.all(hanging)
    await receiver.has(limits.deliveriesPerLaneMax)
    // The clock stands: none of the forty has ended.
    for (let row = 0; row < 20; row++) await it.kickOff(`${alive.url}?row=${row}`)
    await alive.has(20)
    await expect.poll(() => it.service.eventCount()).toEqual({ waiting: 40, delivered: 20, exhausted: 0 })
    await receiver.has(limits.deliveriesPerLaneMax)
    // As some end, the next ones have their first attempt.
    clock.advance(15_000)
    await receiver.has(2 * limits.deliveriesPerLaneMax)
    await alive.close()
  })

  test('an address that hangs holds up no other address of its host', async () => {
    receiver.answer = (response, { path }) => {
      if (path !== '/hook') response.writeHead(204).end()
    }
    for (let row = 0; row < 40; row++) await it.kickOff(receiver.url)
    await receiver.has(limits.deliveriesPerLaneMax)
    // The clock stands: none of the forty has ended.
    for (let row = 0; row < 20; row++) await it.kickOff(`${receiver.url}/other-${row % 5}`)
    await expect.poll(() => it.service.eventCount()).toEqual({ waiting: 40, delivered: 20, exhausted: 0 })
    await receiver.has(limits.deliveriesPerLaneMax + 20)
  })

  test('a failing address spends its own attempts, and a good one on the same host is delivered', async () => {
    receiver.answer = (response, { path }) => response.writeHead(path === '/hook?bad' ? 500 : 204).end()
    await it.kickOff(`${receiver.url}?bad`)
    await it.attempts(1)
    await it.kickOff(`${receiver.url}?good`)
    await expect.poll(() => it.service.eventCount()).toEqual({ waiting: 1, delivered: 1, exhausted: 0 })
  })
})
