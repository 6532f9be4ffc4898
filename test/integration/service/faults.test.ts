import { describe, expect, test } from 'vitest'
import { rateLimitHeaders, rateLimits } from '../../../src/contract/limits.js'
import { systemClock } from '../../../src/platform/clock.js'
import { createFaults, faultPlan } from '../../../src/service/faults.js'
import { kickoffPath } from '../../support/service-client.js'
import { startTestService } from '../../support/test-service.js'

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

  test('an error bears the status of the plan', async () => {
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

  test('a plan that breaks its form is refused', () => {
    expect(faultPlan.safeParse({ requests: [{ fault: 'reset', rate: 2 }] }).success).toBe(false)
    expect(faultPlan.safeParse({ requests: [{ fault: 'reset', rate: 1, routes: ['nosuch'] }] }).success).toBe(
      false,
    )
    expect(faultPlan.safeParse({ surprises: true }).success).toBe(false)
  })
})
