import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openBook } from '../support/account-book.js'
import { startChild } from '../support/child-process.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import { connect, kickoffPath, type ServiceClient, type ServiceReply } from '../support/service-client.js'
import { startTestService } from '../support/test-service.js'

const childModule = import.meta.resolve('../support/limited-service-child.ts')
const folder = mkdtempSync(join(tmpdir(), 'enrich-limits-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})
const newFolder = () => mkdtempSync(join(folder, 'data-'))

const minuteStartMs = Date.UTC(2026, 10, 20, 12, 0, 0)
const remainingOf = ({ headers }: ServiceReply) => Number(headers['x-ratelimit-remaining-minute'])
const resetOf = ({ headers }: ServiceReply) => headers['ratelimit-reset']
const limitOf = ({ headers }: ServiceReply) => headers['x-ratelimit-limit-minute']
const count = (total: number, call: () => Promise<ServiceReply>) =>
  Promise.all(Array.from({ length: total }, call))

const routes: [string, number, (client: ServiceClient) => Promise<ServiceReply>][] = [
  ['RL-02 GET domain', 600, (client) => client.get('/v3/domain-intelligence?domain=acme.example')],
  ['RL-13 POST domain', 600, (client) => client.post('/v3/domain-intelligence', { domain: 'acme.example' })],
  ['RL-05 V2-29 v2 async', 600, (client) => client.get('/v2/entity-resolution/async?name=Acme')],
  ['RL-05 V2-29 v2 status', 600, (client) => client.get('/v2/entity-resolution/status/reqa_1')],
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
        expect([reply.status, limitOf(reply), remainingOf(reply), resetOf(reply)]).toEqual([
          429,
          `${perMinute}`,
          0,
          '60',
        ])
      }
    },
  )

  test('V2-18 the 429 of a minute says a message on v2, and nothing else', async () => {
    const { alice } = await startTestService({ rateLimits: 'spec', clock: manualClock(minuteStartMs) })
    await count(600, () => alice.get('/v2/entity-resolution/status/reqa_1'))
    const refused = await alice.get('/v2/entity-resolution/status/reqa_1')
    expect([refused.status, Object.keys(refused.json)]).toEqual([429, ['message']])
  })

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

  test('V2-30 submission and status of v2 have a budget each', async () => {
    const { alice } = await startTestService({ rateLimits: 'spec', clock: manualClock(minuteStartMs) })
    await count(3, () => alice.get('/v2/entity-resolution/status/reqa_1'))
    expect(remainingOf(await alice.get('/v2/entity-resolution/async?name=Acme'))).toBe(599)
  })

  test('RL-12 401 and 429 take nothing: the next minute is whole, and a revoked key spends nobody’s', async () => {
    const clock = manualClock(minuteStartMs)
    const { alice, nobody } = await startTestService({ rateLimits: 'spec', clock })
    const path = '/v3/jobs/job_1'
    await count(50, () => nobody.get(path))
    expect(remainingOf(await alice.get(path))).toBe(99)
    await count(150, () => alice.get(path))
    clock.advance(60_000)
    expect(remainingOf(await alice.get(path))).toBe(99)
  })

  test('RL-08 RateLimit-Reset is a whole number of seconds, 1 at the least, at any moment of the minute', async () => {
    const clock = manualClock(minuteStartMs)
    const { alice } = await startTestService({ rateLimits: 'spec', clock })
    const seen: (string | string[] | undefined)[] = []
    for (const stepMs of [0, 1, 998, 1, 58_000, 999, 1]) {
      clock.advance(stepMs)
      seen.push(resetOf(await alice.get('/v3/jobs/job_1')))
    }
    expect(seen).toEqual(['60', '60', '60', '59', '1', '1', '60'])
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

  test('a limits.sqlite that is none any more is made anew, and the service starts', async () => {
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

  test('without limits nothing is written', async () => {
    const dataFolder = newFolder()
    const { alice } = await startTestService({ dataFolder, rateLimits: 'none' })
    await alice.post(kickoffPath, { name: 'Acme' })
    expect(existsSync(join(dataFolder, 'limits.sqlite'))).toBe(false)
  })
})
