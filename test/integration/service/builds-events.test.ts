import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { domainReply } from '../../../src/contract/domain.js'
import { entityReply } from '../../../src/contract/entity.js'
import { event, recordRunObject } from '../../../src/contract/events.js'
import { openDatabaseForCommand } from '../../../src/service/storage/database.js'
import { startService } from '../../../src/service/service.js'
import { untilBuilt } from '../../support/builds.js'
import { startChild } from '../../support/child-process.js'
import { fakeKnowledge, fullRecord, matchOf } from '../../support/fake-knowledge.js'
import { startHookReceiver, type HookReceiver } from '../../support/hook-receiver.js'
import { keys } from '../../support/keys.js'
import { manualClock, type ManualClock } from '../../support/manual-clock.js'
import { connect } from '../../support/service-client.js'
import { openBesides, startWebhookService, type WebhookService } from '../../support/webhook-service.js'

/** Nothing listens there: what is looked at is what is on its way. */
const nowhere = 'http://127.0.0.1:9/hook'
const entityPath = '/v3/entities/siq_acme'
const domainPath = '/v3/domain-intelligence?domain=acme.example'
const telling = (path: string, url = nowhere) =>
  `${path}${path.includes('?') ? '&' : '?'}webhook_url=${encodeURIComponent(url)}`

const known = fakeKnowledge({
  entities: [fullRecord()],
  domains: { 'acme.example': matchOf(), 'broken.example': new Error('the index is gone') },
})
const buildMs = { min: 60_000, max: 60_000 }

/** The bodies on their way, in the shape of the contract. */
const told = (it: WebhookService) =>
  it.events().map(({ body }) => event.parse(JSON.parse(body ?? 'the body is gone')))

const lookBeside = ({ dataFolder }: WebhookService, sql: string): unknown[] => {
  const database = openDatabaseForCommand(dataFolder, Date.now(), 'refuse')
  try {
    return database.prepare(sql).pluck().all()
  } finally {
    database.close()
  }
}
const waiterRunIds = (it: WebhookService) => lookBeside(it, 'SELECT run_id FROM build_waiters') as string[]
const buildCount = (it: WebhookService) => lookBeside(it, 'SELECT build_number FROM builds').length

let clock: ManualClock
let it: WebhookService
beforeEach(async () => {
  clock = manualClock()
  it = await startWebhookService({ knowledge: known, clock, buildMs })
})
afterEach(() => it.service.close())

describe('a caller that asked while a record was being built', () => {
  test('E3-08 WH-02 WH-03 gets one event, with the record, of a run that can be polled', async () => {
    const first = entityReply.parse((await it.alice.get(telling(entityPath))).json)
    expect(first.enrichment?.status).toBe('building')
    expect(it.events()).toEqual([])
    clock.advance(60_000)
    await expect.poll(() => it.events()).toHaveLength(1)
    const [completed] = told(it)
    expect(completed).toMatchObject({
      type: 'entity.completed',
      data: {
        object: {
          status: 'COMPLETED',
          data: {
            status: 'matched',
            entity: fullRecord(),
            enrichment: { status: 'complete', updated_at: '2026-01-01T00:01:00.000Z' },
            request_id: first.request_id,
          },
        },
      },
    })
    const runPath = `/v3/runs/${String(completed?.data.object.run_id)}`
    const run = await it.alice.get(runPath)
    expect(run.status).toBe(200)
    expect(recordRunObject.parse(run.json)).toEqual(completed?.data.object)
    expect((await it.bob.get(runPath)).status).toBe(404)
  })

  test('RUN-06 the run of a build that goes on is pending', async () => {
    await it.alice.get(telling(entityPath))
    // The run's id comes with the event alone; here it is looked up beside the service.
    const runId = waiterRunIds(it)[0] ?? ''
    const run = await it.alice.get(`/v3/runs/${runId}`)
    expect(run.status).toBe(202)
    expect(recordRunObject.parse(run.json)).toEqual({ run_id: runId, status: 'PENDING', data: null })
  })

  test('D3-11 D3-12 WH-02 of a domain, by GET and by POST', async () => {
    const first = domainReply.parse((await it.alice.get(telling(domainPath))).json)
    expect(first.status).toBe('building')
    const body = { domain: 'acme.example', webhook_url: nowhere }
    expect((await it.bob.post('/v3/domain-intelligence', body)).status).toBe(200)
    clock.advance(60_000)
    await expect.poll(() => it.events()).toHaveLength(2)
    for (const { type, data } of told(it)) {
      expect(type).toBe('domain_intelligence.completed')
      expect(data.object).toMatchObject({
        status: 'COMPLETED',
        data: { domain: 'acme.example', status: 'complete', data: { entity: { id: 'siq_acme' } } },
      })
    }
    expect(told(it)[0]?.data.object.data).toMatchObject({ request_id: first.request_id })
  })

  test('WH-07 each has an event of its own', async () => {
    for (const client of [it.alice, it.alice, it.bob]) await client.get(telling(entityPath))
    await it.bob.get(entityPath)
    clock.advance(60_000)
    await expect.poll(() => it.events()).toHaveLength(3)
    expect(new Set(it.events().map(({ run_id }) => run_id)).size).toBe(3)
    expect(new Set(told(it).map(({ id }) => id)).size).toBe(3)
    expect(new Set(told(it).map(({ data }) => data.object.data?.request_id)).size).toBe(3)
  })

  test('E3-08 WH-02 a build that fails tells so, with as much as is known', async () => {
    let isGone = false
    const knowledge = {
      ...known,
      entity: (id: Parameters<typeof known.entity>[0]) => {
        if (isGone) throw new Error('the index is gone: /secret/path')
        return known.entity(id)
      },
    }
    const failing = await startWebhookService({ knowledge, clock, buildMs })
    await failing.alice.get(telling(entityPath))
    await failing.alice.get(telling('/v3/domain-intelligence?domain=broken.example'))
    isGone = true
    clock.advance(60_000)
    await expect.poll(() => failing.events()).toHaveLength(2)
    expect(told(failing)).toMatchObject([
      {
        type: 'entity.failed',
        data: { object: { status: 'FAILED', data: { entity: null, enrichment: { status: 'failed' } } } },
      },
      {
        type: 'domain_intelligence.failed',
        data: { object: { status: 'FAILED', data: { domain: 'broken.example', data: null } } },
      },
    ])
    expect(
      failing
        .events()
        .map(({ body }) => body)
        .join(),
    ).not.toContain('secret')
    // Who asks before the next try gets the event at once: no build is under way.
    const reply = await failing.alice.get(telling('/v3/domain-intelligence?domain=broken.example'))
    expect(reply.json).toMatchObject({ status: 'pending' })
    expect(failing.events()).toHaveLength(3)
    expect(told(failing)[2]).toMatchObject({ type: 'domain_intelligence.failed' })
  })

  test('SIG-06 the event is delivered, signed, as any other', async () => {
    const receiver: HookReceiver = await startHookReceiver()
    const real = await startWebhookService({ knowledge: known, buildMs: { min: 50, max: 50 } })
    await real.alice.get(telling(entityPath, receiver.url))
    const [delivered] = await receiver.has(1)
    expect(delivered?.event).toMatchObject({
      type: 'entity.completed',
      data: { object: { status: 'COMPLETED' } },
    })
    expect(delivered?.headers['webhook-signature']).toMatch(/^v1,/)
    await receiver.close()
  })
})

describe('no event comes', () => {
  test('E3-07 D3-12 of a record that is held: it comes inline', async () => {
    await it.alice.get(entityPath)
    await it.alice.get(domainPath)
    clock.advance(60_000)
    await untilBuilt(it.alice, entityPath)
    await untilBuilt(it.alice, domainPath)
    expect((await it.alice.get(telling(entityPath))).json).toMatchObject({
      entity: fullRecord(),
      enrichment: { status: 'complete' },
    })
    expect((await it.alice.get(telling(domainPath))).json).toMatchObject({ status: 'complete' })
    expect(it.events()).toEqual([])
    expect(waiterRunIds(it)).toEqual([])
  })

  test('WH-01 WH-06 without a webhook_url, and by v1', async () => {
    await it.alice.get(entityPath)
    await it.alice.get(telling('/v1/entities/siq_acme'))
    await it.alice.get(telling('/v1/domain-intelligence?domain=acme.example'))
    clock.advance(60_000)
    await untilBuilt(it.alice, '/v1/domain-intelligence?domain=acme.example')
    expect(it.events()).toEqual([])
  })

  test('E3-07 of a record that is refreshed: it is held', async () => {
    await it.alice.get(entityPath)
    clock.advance(60_000)
    await untilBuilt(it.alice, entityPath)
    clock.advance(24 * 3_600_000)
    expect((await it.alice.get(telling(entityPath))).json).toMatchObject({
      enrichment: { status: 'complete' },
    })
    expect((await it.alice.get('/v1/entities/siq_acme')).json).toMatchObject({ status: 'refreshing' })
    clock.advance(60_000)
    await untilBuilt(it.alice, '/v1/entities/siq_acme')
    expect(it.events()).toEqual([])
  })

  test.each(['http://acme.example/', 'https://10.0.0.1/', 'https://u@acme.example/', 'not a url', ''])(
    'URL-13 at the webhook_url %s: it is 400, and nothing is begun or charged',
    async (url) => {
      const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
      const poor = await startWebhookService({ knowledge: known, accounts, allowLocalWebhooks: false })
      const replies = [
        await poor.alice.get(telling(entityPath, url)),
        await poor.alice.get(telling(domainPath, url)),
        await poor.alice.post('/v3/domain-intelligence', { domain: 'acme.example', webhook_url: url }),
      ]
      expect(replies.map(({ status }) => status)).toEqual([400, 400, 400])
      expect(buildCount(poor)).toBe(0)
      expect((await poor.alice.get(domainPath)).status).toBe(200)
    },
  )
})

describe('in the end', () => {
  test('WH-10 an answer that says building and the end of the build race: inline or one event, never neither', async () => {
    const count = 60
    const records = Array.from({ length: count }, (_, index) => fullRecord({ id: `siq_${index}` as never }))
    const racing = await startWebhookService({ knowledge: fakeKnowledge({ entities: records }) })
    let buildingCount = 0
    const callers = Array.from({ length: count * 6 }, async (_, index) => {
      const path = `/v3/entities/siq_${index % count}`
      await new Promise((resolve) => setTimeout(resolve, index % 17))
      const reply = entityReply.parse((await racing.alice.get(telling(path))).json)
      const status = reply.enrichment?.status
      if (status === 'building') buildingCount++
      else
        expect({ status, tags: reply.entity?.attributes.employee_count }).toEqual({
          status: 'complete',
          tags: 120,
        })
    })
    await Promise.all(callers)
    await expect.poll(() => racing.events().length).toBe(buildingCount)
    expect(buildingCount).toBeGreaterThanOrEqual(count)
    expect(buildCount(racing)).toBe(count)
  })

  test('WH-08 DUR-01 ID-18 E1-05 a build outlives kill -9: it goes on, once, and those who wait get their event', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'enrich-builds-'))
    const child = startChild(import.meta.resolve('../../support/service-child.ts'), dataFolder, '600000')
    const before = connect(await child.nextLine(), keys.alice)
    const started = await before.get('/v1/entities/siq_acme')
    const waiting = await before.get(telling(entityPath))
    await child.kill()

    const service = await startService({
      knowledge: fakeKnowledge({ entities: [fullRecord()] }),
      dataFolder,
      listen: { host: '127.0.0.1', port: 0 },
      accounts: [{ name: 'alice', apiKey: keys.alice }],
      rateLimits: 'none',
      allowLocalWebhooks: true,
    })
    const besides = openBesides(dataFolder)
    const after = await untilBuilt(connect(service.url, keys.alice), '/v1/entities/siq_acme')
    expect(after.json).toMatchObject({ status: 'complete', data: { id: 'siq_acme' } })
    const { processing_started_at } = started.json.metadata as Record<string, unknown>
    expect(after.json.metadata).toMatchObject({ processing_started_at })
    expect(waiting.status).toBe(200)
    expect(besides.events().map(({ type }) => type)).toEqual(['entity.completed'])
    await service.close()
    besides.close()
    rmSync(dataFolder, { recursive: true, force: true })
  })
})
