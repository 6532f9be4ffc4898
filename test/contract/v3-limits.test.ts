import { describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { countRequest, type RateWindow } from '../../src/service/accounts/rate-limiter.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath, type ServiceClient, type ServiceReply } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'

const kickoffs: [string, number, (client: ServiceClient) => Promise<ServiceReply>][] = [
  ['RL-01 GET kickoff', 600, (client) => client.get(`${kickoffPath}?name=Acme`)],
  ['RL-13 POST kickoff', 600, (client) => client.post(kickoffPath, { name: 'Acme' })],
]
const reads: typeof kickoffs = [
  ['RL-03 JOB-06 job poll', 100, (client) => client.get('/v3/jobs/job_1')],
  ['RUN-08 RL-13 run poll', 100, (client) => client.get('/v3/runs/run_1')],
  ['RL-04 E3-09 entity read', 100, (client) => client.get('/v3/entities/siq_acme')],
]
const limited = [...kickoffs, ...reads]

const headersOf = ({ headers }: ServiceReply) => ({
  limit: headers['x-ratelimit-limit-minute'],
  remaining: headers['x-ratelimit-remaining-minute'],
  reset: headers['ratelimit-reset'],
})

describe('limits a minute', () => {
  test.each(limited)('RL-06 RL-07 RL-10 %s: %i pass and the next is 429', async (_name, perMinute, call) => {
    const { alice } = await startTestService({ rateLimits: 'spec', clock: manualClock() })
    for (let used = 1; used <= perMinute; used++) {
      const reply = await call(alice)
      expect(reply.status).not.toBe(429)
      expect(headersOf(reply)).toEqual({
        limit: `${perMinute}`,
        remaining: `${perMinute - used}`,
        reset: '60',
      })
    }
    for (let more = 0; more < 3; more++) {
      const refused = await call(alice)
      expect(refused.status).toBe(429)
      expect(errorBody.parse(refused.json).error.type).toBe('rate_limit_exceeded')
      expect(headersOf(refused)).toEqual({ limit: `${perMinute}`, remaining: '0', reset: '60' })
    }
  })

  test('RL-08 RL-09 the window is the calendar minute, and RateLimit-Reset the seconds to its end', async () => {
    const clock = manualClock(Date.UTC(2026, 0, 1, 12, 0, 0))
    const { alice } = await startTestService({ rateLimits: 'spec', clock })
    const read = async () => headersOf(await alice.get('/v3/entities/siq_acme'))
    expect(await read()).toMatchObject({ remaining: '99', reset: '60' })
    clock.advance(58_900)
    expect(await read()).toMatchObject({ remaining: '98', reset: '2' })
    clock.advance(1_099)
    expect(await read()).toMatchObject({ remaining: '97', reset: '1' })
    clock.advance(1)
    expect(await read()).toMatchObject({ remaining: '99', reset: '60' })
  })

  test('RL-11 routes and keys have budgets of their own', async () => {
    const { alice, bob } = await startTestService({ rateLimits: 'spec', clock: manualClock() })
    for (let used = 0; used < 100; used++) await alice.get('/v3/jobs/job_1')
    expect((await alice.get('/v3/jobs/job_1')).status).toBe(429)
    expect((await alice.get('/v3/runs/run_1')).status).toBe(404)
    expect((await alice.post(kickoffPath, { name: 'Acme' })).headers['x-ratelimit-remaining-minute']).toBe(
      '599',
    )
    expect((await alice.get(`${kickoffPath}?name=Acme`)).headers['x-ratelimit-remaining-minute']).toBe('599')
    expect((await bob.get('/v3/jobs/job_1')).status).toBe(404)
  })

  test('RL-12 401 and 403 take nothing and bear no headers; a 400 is counted', async () => {
    const { alice, closed, nobody } = await startTestService({ rateLimits: 'spec', clock: manualClock() })
    const free = [await nobody.post(kickoffPath, {}), await closed.post(kickoffPath, {})]
    expect(free.map((reply) => [reply.status, headersOf(reply).limit])).toEqual([
      [401, undefined],
      [403, undefined],
    ])
    expect(headersOf(await alice.post(kickoffPath, {})).remaining).toBe('599')
    expect(headersOf(await alice.post(kickoffPath, { name: 'Acme' })).remaining).toBe('598')
  })

  test('without limits no request is refused and no header sent', async () => {
    const { alice } = await startTestService({ rateLimits: 'none', clock: manualClock() })
    for (let call = 0; call < 150; call++) {
      const reply = await alice.get('/v3/jobs/job_1')
      expect(reply.status).toBe(404)
      expect(headersOf(reply)).toEqual({ limit: undefined, remaining: undefined, reset: undefined })
    }
  })
})

describe('the decision of a window', () => {
  const full: RateWindow = { minute: 10, usedCount: 100 }
  const table: [rule: string, window: RateWindow | undefined, nowMs: number, expected: object][] = [
    ['the first request opens a window', undefined, 600_000, { allowed: true, remainingCount: 99 }],
    [
      'the last of the budget is allowed',
      { minute: 10, usedCount: 99 },
      600_000,
      { allowed: true, remainingCount: 0 },
    ],
    [
      'a full window refuses and stays as it is',
      full,
      659_999,
      { allowed: false, remainingCount: 0, window: full },
    ],
    ['the next minute starts anew', full, 660_000, { allowed: true, remainingCount: 99, resetSeconds: 60 }],
    ['a clock set back starts anew', full, 599_999, { allowed: true, remainingCount: 99, resetSeconds: 1 }],
  ]
  test.each(table)('RL-06 RL-10 %s', (_rule, window, nowMs, expected) => {
    expect(countRequest(window, 100, nowMs)).toMatchObject(expected)
  })
})
