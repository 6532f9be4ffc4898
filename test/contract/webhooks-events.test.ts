import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { event, eventType } from '../../src/contract/events.js'
import { parseWebhookSecrets, verifyDelivery } from '../../src/core/webhooks.js'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { startHookReceiver, type Delivered, type HookReceiver } from '../support/hook-receiver.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath } from '../support/service-client.js'
import { startWebhookService, type WebhookService } from '../support/webhook-service.js'

let it: WebhookService
let receiver: HookReceiver
beforeAll(async () => {
  it = await startWebhookService()
})
beforeEach(async () => {
  receiver = await startHookReceiver()
})
afterEach(() => receiver.close())

const header = (delivered: Delivered, name: string) => String(delivered.headers[name])
const only = async () => (await receiver.has(1))[0]!

describe('when an event is sent', () => {
  test('WH-03 WH-04 a run that ends without a match tells so once, as completed', async () => {
    const runId = await it.kickOff(receiver.url, { name: 'Nobody' })
    const { event: told } = await only()
    expect(told.type).toBe('entity_resolution.completed')
    expect(told.data.object).toMatchObject({
      run_id: runId,
      status: 'COMPLETED',
      data: { status: 'no_match' },
    })
    await it.alice.get(`/v3/runs/${runId}`)
    expect(it.events().filter(({ run_id }) => run_id === runId)).toHaveLength(1)
  })

  test('WH-05 WH-03 a run that fails tells so, once, as failed', async () => {
    const runId = await it.kickOff(receiver.url, { name: 'Broken', custom_id: 'row 3' })
    const { event: told } = await only()
    expect(told.type).toBe('entity_resolution.failed')
    expect(told.data.object).toEqual({ run_id: runId, custom_id: 'row 3', status: 'FAILED', data: null })
  })

  test('WH-06 without a webhook_url there is no event', async () => {
    const before = it.events().length
    const reply = await it.alice.post(kickoffPath, { name: 'Acme' })
    await it.alice.untilDone(`/v3/runs/${String(reply.json.run_id)}`)
    expect(it.events()).toHaveLength(before)
  })

  test('WH-01 v2 has no events: a webhook_url there is nothing', async () => {
    const before = it.events().length
    const query = `?name=Acme&webhook_url=${encodeURIComponent(receiver.url)}`
    const reply = await it.alice.get(`/v2/entity-resolution/async${query}`)
    await it.alice.untilDone(`/v2/entity-resolution/status/${String(reply.json.request_id)}`)
    await it.alice.get(`/v2/entity-resolution/stream${query}`)
    await it.alice.get(`/v2/search${query}`)
    expect(it.events()).toHaveLength(before)
    expect(receiver.connectionCount()).toBe(0)
  })

  test('WH-02 the types are these six', () => {
    expect([...eventType.options].sort()).toEqual([
      'domain_intelligence.completed',
      'domain_intelligence.failed',
      'entity.completed',
      'entity.failed',
      'entity_resolution.completed',
      'entity_resolution.failed',
    ])
  })

  test('KICK-16 a GET kickoff has an event too, of the run that its job is', async () => {
    const reply = await it.alice.get(
      `${kickoffPath}?name=Acme&webhook_url=${encodeURIComponent(receiver.url)}`,
    )
    expect(reply.status).toBe(202)
    const { event: told } = await only()
    const poll = await it.alice.get(`/v3/runs/${told.data.object.run_id}`)
    expect(poll.json).toEqual(told.data.object)
    const job = await it.alice.get(`/v3/jobs/${String(reply.json.job_id)}`)
    expect(job.json).toEqual({ ...told.data.object.data, request_id: expect.any(String) })
  })
})

describe('what a delivery is', () => {
  test('SIG-01 SIG-02 SIG-03 ID-08 a POST with these headers', async () => {
    await it.kickOff(`${receiver.url}?team=1`)
    const delivered = await only()
    expect([delivered.method, delivered.path]).toEqual(['POST', '/hook?team=1'])
    expect(delivered.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json',
      'user-agent': 'service-Webhooks/1',
      'webhook-id': delivered.event.id,
      'service-event-type': delivered.event.type,
      'content-length': String(delivered.body.length),
    })
    expect(header(delivered, 'webhook-timestamp')).toMatch(/^\d{10}$/)
    expect(delivered.event.id).toMatch(/^evt_[a-z0-9]+$/)
  })

  test('SIG-04 SIG-05 TRN-02 VER-02 a body of these keys and no others, in the shape of the contract', async () => {
    const runId = await it.kickOff(receiver.url, { custom_id: 'row 7', include: 'basis' })
    const { event: told } = await only()
    expect(event.parse(told)).toEqual(told)
    expect(Object.keys(told)).toEqual(['id', 'object', 'type', 'api_version', 'created', 'data'])
    expect(told).toMatchObject({ object: 'event', api_version: 'v3' })
    expect(Object.keys(told.data.object)).toEqual(['run_id', 'custom_id', 'status', 'data'])
    expect(told.data.object).toMatchObject({ run_id: runId, custom_id: 'row 7', status: 'COMPLETED' })
    expect(told.created).toBeLessThanOrEqual(Math.floor(Date.now() / 1000))
  })

  test('RUN-03 BAS-15 data.object is what the run poll says, the basis included where it was asked for', async () => {
    const withBasis = await it.kickOff(receiver.url, { custom_id: 'with', include: 'basis' })
    const without = await it.kickOff(receiver.url)
    for (const { event: told } of await receiver.has(2)) {
      const { object } = told.data
      const poll = await it.alice.get(`/v3/runs/${object.run_id}?include=basis`)
      expect(object).toEqual(poll.json)
      expect(object.data !== null && 'basis' in object.data).toBe(object.run_id === withBasis)
    }
    expect(receiver.deliveries.map((one) => one.event.data.object.run_id).sort()).toEqual(
      [withBasis, without].sort(),
    )
  })
})

describe('how a delivery is signed', () => {
  const hmac = (key: Uint8Array, message: Uint8Array) => createHmac('sha256', key).update(message).digest()
  const verdict = (delivered: Delivered, secrets: readonly string[]) =>
    verifyDelivery(
      {
        id: [header(delivered, 'webhook-id')],
        timestamp: [header(delivered, 'webhook-timestamp')],
        signature: [header(delivered, 'webhook-signature')],
        body: delivered.body,
      },
      parseWebhookSecrets(secrets.join(' ')),
      Number(header(delivered, 'webhook-timestamp')) * 1000,
      hmac,
    ).kind

  test('SIG-06 SIG-08 SIG-09 SIG-22 the first callback of a new account is signed: the official library takes it', async () => {
    await it.kickOff(receiver.url, { name: 'Acme', custom_id: 'a " \\ b' })
    const delivered = await only()
    const [secret = ''] = it.secretsOf('alice')
    const headers = delivered.headers as Record<string, string>
    expect(new Webhook(secret).verify(delivered.body, headers)).toEqual(delivered.event)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = `${delivered.event.id}.${header(delivered, 'webhook-timestamp')}.`
    const signature = createHmac('sha256', key).update(signed).update(delivered.body).digest('base64')
    expect(header(delivered, 'webhook-signature')).toBe(`v1,${signature}`)
    expect(verdict(delivered, [secret])).toBe('genuine')
    // Nobody else's secret does, nor the text of the secret itself.
    expect(verdict(delivered, it.secretsOf('bob'))).toBe('forged')
    expect(() => new Webhook(secret, { format: 'raw' }).verify(delivered.body, headers)).toThrow()
  })

  test('SIG-23 a secret is whsec_ and base64 of 24 to 64 random bytes', () => {
    const secrets = ['alice', 'bob', 'closed'].flatMap((name) => it.secretsOf(name))
    expect(new Set(secrets).size).toBe(3)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
      const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64')
      expect(length >= 24 && length <= 64).toBe(true)
    }
  })

  test('SIG-20 a rotated secret also signs for 24 hours after its rotation', async () => {
    const clock = manualClock()
    const rotating = await startWebhookService({ clock })
    const [old = ''] = rotating.secretsOf('alice', clock.nowMs())
    rotating.secrets.rotate(rotating.accountNumber('alice'), null, null, clock.nowMs())
    const [fresh = ''] = rotating.secretsOf('alice', clock.nowMs())
    await rotating.kickOff(receiver.url)
    const [both] = await receiver.has(1)
    expect(header(both!, 'webhook-signature').split(' ')).toHaveLength(2)
    expect([verdict(both!, [old]), verdict(both!, [fresh])]).toEqual(['genuine', 'genuine'])
    clock.advance(24 * 3_600_000)
    await rotating.kickOff(receiver.url)
    const [, one] = await receiver.has(2)
    expect(header(one!, 'webhook-signature').split(' ')).toHaveLength(1)
    expect([verdict(one!, [old]), verdict(one!, [fresh])]).toEqual(['forged', 'genuine'])
  })

  test('SIG-21 a deleted secret signs nothing from then on, while the service runs', async () => {
    const account = it.accountNumber('alice')
    const added = it.secrets.add(account, 'second', Date.now())
    const [second = '', first = ''] = it.secretsOf('alice')
    await it.kickOff(receiver.url)
    const [both] = await receiver.has(1)
    expect([verdict(both!, [first]), verdict(both!, [second])]).toEqual(['genuine', 'genuine'])
    it.secrets.remove(account, added.secretId, Date.now())
    await it.kickOff(receiver.url)
    const [, one] = await receiver.has(2)
    expect([verdict(one!, [first]), verdict(one!, [second])]).toEqual(['genuine', 'forged'])
    const [last] = it.secrets.list(account, Date.now())
    expect(() => {
      it.secrets.remove(account, last!.secretId, Date.now())
    }).toThrow('the last secret cannot be deleted')
  })

  test('SIG-21 an account with no secret at all has unsigned deliveries, which come all the same', async () => {
    const bare = await startWebhookService()
    bare.execute('DELETE FROM webhook_secrets')
    await bare.kickOff(receiver.url)
    const delivered = await only()
    expect(delivered.headers).not.toHaveProperty('webhook-signature')
    expect(header(delivered, 'webhook-id')).toBe(delivered.event.id)
  })
})
