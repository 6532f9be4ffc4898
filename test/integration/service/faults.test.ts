import { describe, expect, onTestFinished, test } from 'vitest'
import { rateLimitHeaders, rateLimits } from '../../../src/contract/limits.js'
import { systemClock } from '../../../src/platform/clock.js'
import { createFaults, faultPlan } from '../../../src/service/faults.js'
import { startHookReceiver } from '../../support/hook-receiver.js'
import { manualClock } from '../../support/manual-clock.js'
import { kickoffPath } from '../../support/service-client.js'
import { startTestService } from '../../support/test-service.js'
import { startWebhookService } from '../../support/webhook-service.js'

const faultsOf = (plan: object) => createFaults(faultPlan.parse(plan))

describe('faults by plan', () => {
  test('a limited or failing request does nothing and is not billed', async () => {
    const faults = faultsOf({ requests: [{ fault: 'limited', routes: ['kickoffRun'], rate: 1 }] })
    const { alice, service } = await startTestService({ faults })
    const reply = await alice.post(kickoffPath, { name: 'Acme' })
    expect(reply.status).toBe(429)
    expect(service.ledger('alice')).toEqual([])
    expect((await alice.get('/v3/entities/siq_acme')).status).toBe(200)
  })

  test('a limited request says that its minute is full for a second, and takes nothing of it', async () => {
    const limited = { fault: 'limited', routes: ['kickoffRun'], rate: 0.5 }
    const { alice } = await startTestService({
      faults: faultsOf({ requests: [limited] }),
      rateLimits: 'spec',
      // No minute ends meanwhile.
      clock: { ...systemClock, nowMs: () => Date.UTC(2026, 0, 1) },
    })
    const replies: Awaited<ReturnType<typeof alice.post>>[] = []
    while (replies.length < 10) replies.push(await alice.post(kickoffPath, { name: 'Acme' }))
    const remaining = replies.map(({ headers }) => Number(headers[rateLimitHeaders.remaining]))
    const isLimited = replies.map(({ status }) => status === 429)
    expect(new Set(isLimited)).toEqual(new Set([true, false]))
    expect(remaining.filter((_, at) => isLimited[at])).toEqual(isLimited.filter(Boolean).map(() => 0))
    const taken = remaining.filter((_, at) => !isLimited[at])
    expect(taken).toEqual(taken.map((_, at) => rateLimits.submissionsPerMinute - 1 - at))
    for (const { status, headers } of replies)
      if (status === 429) expect(headers[rateLimitHeaders.resetSeconds]).toBe('1')
  })

  test('an error has the status of the plan', async () => {
    const faults = faultsOf({ requests: [{ fault: 'error', status: 504, rate: 1 }] })
    const { alice, service } = await startTestService({ faults })
    expect((await alice.post(kickoffPath, { name: 'Acme' })).status).toBe(504)
    expect((await alice.get('/v2/search?name=Acme')).json).toEqual({
      error: { message: expect.any(String) as string, type: 'api_error' },
    })
    expect(service.ledger('alice')).toEqual([])
  })

  test('a reset request does nothing; a lost answer is one of a run that is there and billed', async () => {
    const cut = faultsOf({ requests: [{ fault: 'reset', rate: 1 }] })
    const before = await startTestService({ faults: cut })
    await expect(before.alice.get(`${kickoffPath}?name=Acme`)).rejects.toThrow()
    expect(before.service.ledger('alice')).toEqual([])

    const lost = faultsOf({ requests: [{ fault: 'lost_answer', routes: ['kickoffJob'], rate: 1 }] })
    const after = await startTestService({ faults: lost })
    await expect(after.alice.get(`${kickoffPath}?name=Acme`)).rejects.toThrow()
    expect(after.service.ledger('alice')).toHaveLength(1)
  })

  test('runs fail as often as the plan says, and the same ones for the same seed', async () => {
    const outcomes = async () => {
      const { alice } = await startTestService({ faults: faultsOf({ seed: 3, runs: { failedRate: 0.5 } }) })
      const statuses: unknown[] = []
      for (let index = 0; index < 20; index++) {
        const { json } = await alice.post(kickoffPath, { name: 'Acme' })
        statuses.push((await alice.untilDone(`/v3/runs/${String(json.run_id)}`)).json.status)
      }
      return statuses
    }
    const first = await outcomes()
    expect(new Set(first)).toEqual(new Set(['COMPLETED', 'FAILED']))
    expect(await outcomes()).toEqual(first)
  })

  test('builds fail by the plan, and their failed events are delivered', async () => {
    const receiver = await startHookReceiver()
    onTestFinished(() => receiver.close())
    const faults = faultsOf({ builds: { failedRate: 1, lateRate: 1, lateSeconds: 0.3 } })
    const { alice } = await startWebhookService({ faults })
    const hook = `webhook_url=${encodeURIComponent(receiver.url)}`
    for (const path of ['/v3/entities/siq_acme?', '/v3/domain-intelligence?domain=acme.example&'])
      expect((await alice.get(path + hook)).status).toBe(200)
    const events = (await receiver.has(2)).map(({ event }) => event)
    expect(events.map(({ type }) => type).sort()).toEqual(['domain_intelligence.failed', 'entity.failed'])
    for (const { data } of events) expect(data.object.status).toBe('FAILED')
    await alice.post('/v1/entity/siq_acme/hierarchy', {})
    const hierarchy = async () => (await alice.get('/v1/entity/siq_acme/hierarchy')).json
    await expect.poll(async () => (await hierarchy()).status).toBe('failed')
    expect((await hierarchy()).message).toContain('failed by the plan of faults')
  })

  test('a late build takes longer by the seconds of the plan, and only builds of the chosen kinds are late', async () => {
    const clock = manualClock()
    const faults = faultsOf({ builds: { lateRate: 1, lateSeconds: 60, kinds: ['entity'] } })
    const { alice } = await startTestService({ faults, clock })
    const stateOf = async (path: string) => (await alice.get(path)).json.status
    const [entity, domain] = ['/v1/entities/siq_acme', '/v1/domain-intelligence?domain=acme.example']
    await expect.poll(() => stateOf(domain)).toBe('complete')
    expect(await stateOf(entity)).toBe('building')
    clock.advance(59_999)
    expect(await stateOf(entity)).toBe('building')
    clock.advance(1)
    await expect.poll(() => stateOf(entity)).toBe('complete')
  })

  test('a plan that breaks its form is refused', () => {
    expect(faultPlan.safeParse({ requests: [{ fault: 'reset', rate: 2 }] }).success).toBe(false)
    expect(faultPlan.safeParse({ requests: [{ fault: 'reset', rate: 1, routes: ['nosuch'] }] }).success).toBe(
      false,
    )
    expect(faultPlan.safeParse({ surprises: true }).success).toBe(false)
  })
})
