import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { countRequest, type RateWindow } from '../../src/service/accounts/rate-limiter.js'
import { openBook } from '../support/account-book.js'
import { startChild } from '../support/child-process.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import { connect, kickoffPath, type ServiceClient, type ServiceReply } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const childModule = import.meta.resolve('../support/limited-service-child.ts')
const folder = makeFolder()
const newFolder = () => mkdtempSync(join(folder, 'data-'))

const minuteStartMs = Date.UTC(2026, 10, 20, 12, 0, 0)
const remainingOf = ({ headers }: ServiceReply) => Number(headers['x-ratelimit-remaining-minute'])
const resetOf = ({ headers }: ServiceReply) => headers['ratelimit-reset']
const limitOf = ({ headers }: ServiceReply) => headers['x-ratelimit-limit-minute']
const count = (total: number, call: () => Promise<ServiceReply>) =>
  Promise.all(Array.from({ length: total }, call))

const routes: [string, number, (client: ServiceClient) => Promise<ServiceReply>][] = [
  ['RL-01 GET kickoff', 600, (client) => client.get(`${kickoffPath}?name=Acme`)],
  ['RL-13 POST kickoff', 600, (client) => client.post(kickoffPath, { name: 'Acme' })],
  ['RL-03 JOB-06 job poll', 100, (client) => client.get('/v3/jobs/job_1')],
  ['RUN-08 RL-13 run poll', 100, (client) => client.get('/v3/runs/run_1')],
  ['RL-04 E3-09 entity read', 100, (client) => client.get('/v3/entities/siq_acme')],
  ['RL-02 GET domain', 600, (client) => client.get('/v3/domain-intelligence?domain=acme.example')],
  ['RL-13 POST domain', 600, (client) => client.post('/v3/domain-intelligence', { domain: 'acme.example' })],
]

describe('the budget of a route', () => {
  test.each(routes)(
    'RL-06 RL-07 RL-10 %s: %i pass, each counted once, and the next is 429',
    async (...row) => {
      const [, perMinute, call] = row
      const { alice } = await startTestService({ rateLimits: 'spec', clock: manualClock(minuteStartMs) })
      const replies = await count(perMinute, () => call(alice))
      expect(replies.map(({ status }) => status)).not.toContain(429)
      const remaining = replies.map(remainingOf).sort((one, other) => one - other)
      expect(remaining).toEqual(Array.from({ length: perMinute }, (_, index) => index))
      const refused = await count(20, () => call(alice))
      for (const reply of refused) {
        expect(errorBody.parse(reply.json).error.type).toBe('rate_limit_exceeded')
        expect([reply.status, limitOf(reply), remainingOf(reply), resetOf(reply)]).toEqual([
          429,
          `${perMinute}`,
          0,
          '60',
        ])
      }
    },
  )

  test('RL-11 RL-05 two keys of one account share their budget on v2, and none on v3; other accounts share nothing', async () => {
    const dataFolder = newFolder()
    const { alice, bob, service } = await startTestService({
      dataFolder,
      rateLimits: 'spec',
      clock: manualClock(minuteStartMs),
    })
    const book = openBook(dataFolder)
    const second = connect(service.url, book.keys.add(book.getAccountNumber('alice'), null, 0).apiKey)
    const v2 = '/v2/entity-resolution/status/reqa_1'
    const seen = [await alice.get(v2), await second.get(v2), await bob.get(v2)].map(remainingOf)
    expect(seen).toEqual([599, 598, 599])
    const v3 = [await alice.get('/v3/jobs/job_1'), await second.get('/v3/jobs/job_1')].map(remainingOf)
    expect(v3).toEqual([99, 99])
  })

  test('RL-12 401 and 429 are not counted, and the next minute has the whole limit', async () => {
    const clock = manualClock(minuteStartMs)
    const { alice, nobody } = await startTestService({ rateLimits: 'spec', clock })
    const path = '/v3/jobs/job_1'
    await count(50, () => nobody.get(path))
    expect(remainingOf(await alice.get(path))).toBe(99)
    await count(150, () => alice.get(path))
    clock.advance(60_000)
    expect(remainingOf(await alice.get(path))).toBe(99)
  })

  test('RL-08 RL-09 The window is the calendar minute, and RateLimit-Reset is a whole number of seconds to its end', async () => {
    const clock = manualClock(minuteStartMs)
    const { alice } = await startTestService({ rateLimits: 'spec', clock })
    const seen: unknown[] = []
    for (const stepMs of [0, 1, 998, 1, 58_000, 999, 1]) {
      clock.advance(stepMs)
      const reply = await alice.get('/v3/jobs/job_1')
      seen.push([resetOf(reply), remainingOf(reply)])
    }
    expect(seen).toEqual([
      ['60', 99],
      ['60', 98],
      ['60', 97],
      ['59', 96],
      ['1', 95],
      ['1', 94],
      ['60', 99],
    ])
  })

  test('RL-11 routes and keys have budgets of their own', async () => {
    const { alice, bob } = await startTestService({ rateLimits: 'spec', clock: manualClock() })
    await count(100, () => alice.get('/v3/jobs/job_1'))
    expect((await alice.get('/v3/jobs/job_1')).status).toBe(429)
    expect((await alice.get('/v3/runs/run_1')).status).toBe(404)
    expect(remainingOf(await alice.post(kickoffPath, { name: 'Acme' }))).toBe(599)
    expect(remainingOf(await alice.get(`${kickoffPath}?name=Acme`))).toBe(599)
    expect((await bob.get('/v3/jobs/job_1')).status).toBe(404)
  })

  test('RL-12 401 and 403 are not counted and have no headers; a 400 is counted', async () => {
    const { alice, closed, nobody } = await startTestService({ rateLimits: 'spec', clock: manualClock() })
    const free = [await nobody.post(kickoffPath, {}), await closed.post(kickoffPath, {})]
    expect(free.map((reply) => [reply.status, limitOf(reply)])).toEqual([
      [401, undefined],
      [403, undefined],
    ])
    expect(remainingOf(await alice.post(kickoffPath, {}))).toBe(599)
    expect(remainingOf(await alice.post(kickoffPath, { name: 'Acme' }))).toBe(598)
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

describe('over a restart', () => {
  test('RL-10 RL-06 killed in the middle of a minute, what was answered stays counted', async () => {
    const dataFolder = newFolder()
    const nowMs = String(minuteStartMs + 20_000)
    const first = startChild(childModule, dataFolder, nowMs)
    const client = connect(await first.nextLine(), keys.alice)
    let sentCount = 0
    const remaining: number[] = []
    const caller = async () => {
      for (;;) {
        sentCount += 1
        const reply = await client.post(kickoffPath, { name: 'Acme' }).catch(() => null)
        if (reply === null) return
        remaining.push(remainingOf(reply))
        if (remaining.length === 120) void first.kill()
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    await first.kill()
    const answered = Math.min(...remaining)

    const second = startChild(childModule, dataFolder, nowMs)
    const again = connect(await second.nextLine(), keys.alice)
    const next = remainingOf(await again.post(kickoffPath, { name: 'Acme' }))
    expect(next).toBeLessThan(answered)
    expect(next).toBeGreaterThanOrEqual(600 - sentCount - 1)
    await count(next, () => again.post(kickoffPath, { name: 'Acme' }))
    expect((await again.post(kickoffPath, { name: 'Acme' })).status).toBe(429)
    await second.kill()

    // 40 s later it is another minute.
    const third = startChild(childModule, dataFolder, String(minuteStartMs + 60_000))
    const later = connect(await third.nextLine(), keys.alice)
    expect(remainingOf(await later.post(kickoffPath, { name: 'Acme' }))).toBe(599)
    await third.kill()
  })

  test('RL-12 a refusal writes nothing, so that it costs as little after a restart', async () => {
    const dataFolder = newFolder()
    const start = () =>
      startTestService({ dataFolder, rateLimits: 'spec', clock: manualClock(minuteStartMs), accounts })
    const accounts = [{ name: 'alice', apiKey: keys.alice }]
    const first = await start()
    await count(130, () => first.alice.get('/v3/jobs/job_1'))
    await first.service.close()
    const second = await start()
    const refused = await second.alice.get('/v3/jobs/job_1')
    expect([refused.status, remainingOf(refused)]).toEqual([429, 0])
    expect(remainingOf(await second.alice.get('/v3/runs/run_1'))).toBe(99)
  })

  test('a damaged limits.sqlite is replaced, and the service starts', async () => {
    const dataFolder = newFolder()
    const path = join(dataFolder, 'limits.sqlite')
    const clock = manualClock(minuteStartMs)
    for (const content of ['this is no database'.repeat(1_000), '']) {
      writeFileSync(path, content)
      const { alice, service, logged } = await startTestService({ dataFolder, rateLimits: 'spec', clock })
      expect(remainingOf(await alice.get('/v3/jobs/job_1'))).toBe(99)
      expect(logged).toEqual([])
      await service.close()
      rmSync(path)
    }
  })

  test('it is readable by its owner alone, and holds no key', async () => {
    const dataFolder = newFolder()
    const { alice, service } = await startTestService({
      dataFolder,
      rateLimits: 'spec',
      clock: manualClock(minuteStartMs),
    })
    await alice.get('/v3/jobs/job_1')
    await service.close()
    const path = join(dataFolder, 'limits.sqlite')
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(readFileSync(path, 'latin1')).not.toContain(keys.alice)
  })

  test('without limits no request is refused, no header is sent and nothing is written', async () => {
    const dataFolder = newFolder()
    const { alice } = await startTestService({ dataFolder, rateLimits: 'none' })
    const replies = await count(150, () => alice.get('/v3/jobs/job_1'))
    for (const reply of replies)
      expect([reply.status, limitOf(reply), resetOf(reply)]).toEqual([404, undefined, undefined])
    expect(existsSync(join(dataFolder, 'limits.sqlite'))).toBe(false)
  })
})
