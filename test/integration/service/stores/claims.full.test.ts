import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parsePostgresUrl } from '../../../../src/core/server-addresses.js'
import { systemClock } from '../../../../src/platform/clock.js'
import { connectPostgres } from '../../../../src/platform/postgres/connect.js'
import {
  openEditionGuard,
  calculateServedEdition,
  guardDueWork,
  guardHandlers,
} from '../../../../src/service/edition-guard.js'
import { toLane } from '../../../../src/service/deliveries/outbox.js'
import type { Handlers } from '../../../../src/service/http/mount.js'
import { limits } from '../../../../src/service/limits.js'
import { findPostgres } from '../../../support/postgres-server.js'
import { SharedData, type TestData } from '../../../support/service-data.js'
import { askFor, dueOf, endOf, endRuns, webhookUrl } from './outgoing-support.js'

const programs = findPostgres()
const shared = new SharedData(programs ?? '')
afterAll(() => shared.remove())

const shortClaim = { claimMs: 1_000 }
const claimOver = () => new Promise((resolve) => setTimeout(resolve, shortClaim.claimMs + 50))

describe.skipIf(programs === null)('what replicas claim of each other', () => {
  const two = async (more = {}) => {
    const url = await shared.newUrl()
    return [await shared.open(url, {}, more), await shared.open(url, {}, more)] as const
  }
  const laneOf = ({ alice }: TestData) => toLane(alice.accountNumber, webhookUrl)

  test('the events of an account are delivered by one, however many ask', async () => {
    const url = await shared.newUrl()
    const replicas = await Promise.all(Array.from({ length: 5 }, () => shared.open(url)))
    await endRuns(replicas[0] as TestData, 3)
    const found = await Promise.all(replicas.map(async ({ stores }) => stores.outgoing.events.lanes()))
    expect(found.filter((lanes) => lanes.length > 0)).toHaveLength(1)
    const due = await Promise.all(replicas.map((replica) => dueOf(replica, 10, undefined, laneOf(replica))))
    expect(due.map(({ events }) => events.length).sort()).toEqual([0, 0, 0, 0, 3])
  })

  test('a claim that is not renewed is another’s, who goes on with the same event and its attempts', async () => {
    const [one, other] = await two(shortClaim)
    await endRuns(one, 2)
    const [tried, sent] = (await dueOf(one)).events
    if (tried === undefined || sent === undefined) throw new Error('there are two')
    await one.stores.outgoing.events.end([{ ...endOf(tried, 'again'), nextAttemptAtMs: Date.now() }])
    expect(await other.stores.outgoing.events.lanes()).toEqual([])
    expect(other.stores.outgoing.events.getHolder(laneOf(other))).toBe('elsewhere')
    await claimOver()
    expect(one.stores.outgoing.events.getHolder(laneOf(one))).toBe('nobody')
    const { events } = await dueOf(other)
    expect(events).toHaveLength(2)
    expect(events).toContainEqual({ ...tried, attemptCount: 1, dueInMs: expect.any(Number) as number })
    expect((await dueOf(one, 10, undefined, laneOf(one))).events).toEqual([])

    // The first one wakes up: what it failed to deliver was attempted since, and what it delivered counts.
    const [again] = events.filter(({ eventNumber }) => eventNumber === sent.eventNumber)
    if (again === undefined) throw new Error('it is there')
    await other.stores.outgoing.events.end([endOf(again, 'again')])
    await one.stores.outgoing.events.end([endOf(sent, 'exhausted')])
    expect(await one.stores.outgoing.events.count()).toEqual({ waiting: 2, delivered: 0, exhausted: 0 })
    await one.stores.outgoing.events.end([endOf(sent, 'delivered')])
    expect(await one.stores.outgoing.events.count()).toEqual({ waiting: 1, delivered: 1, exhausted: 0 })
  })

  test('what a replica gives up, another has at once', async () => {
    const [one, other] = await two()
    await endRuns(one, 1)
    expect(await one.stores.outgoing.events.lanes()).toHaveLength(1)
    expect(await other.stores.outgoing.events.lanes()).toEqual([])
    await one.stores.outgoing.events.release()
    expect(await other.stores.outgoing.events.lanes()).toHaveLength(1)
  })

  test('a build is asked of one, built by one, and read at the other', async () => {
    const [one, other] = await two(shortClaim)
    const { build } = await one.stores.builds.ask(askFor('entity', 'siq_1'))
    const found = await Promise.all([one, other].map(async ({ stores }) => stores.builds.due(0, 10)))
    expect(found.map((due) => due.length).sort()).toEqual([0, 1])
    const [holder, next] = found[0]?.length === 1 ? [one, other] : [other, one]
    const ended = (result: string) => [
      { buildNumber: build.buildNumber, edition: null, outcome: { ok: true as const, result } },
    ]
    await claimOver()
    expect(await next.stores.builds.due(0, 10)).toHaveLength(1)
    // The first holder comes late: the build is not its own any more.
    await holder.stores.builds.end(ended('"late"'), Date.now())
    expect(await one.stores.builds.read('entity', 'siq_1')).toMatchObject({ state: 'building' })
    await next.stores.builds.end(ended('"made"'), Date.now())
    await next.stores.builds.end(ended('"twice"'), Date.now())
    expect(await holder.stores.builds.read('entity', 'siq_1')).toMatchObject({ result: '"made"' })
  })

  test('many who ask for a domain at the same moment begin one build, and one is charged', async () => {
    const [one, other] = await two()
    const { accountNumber } = one.alice
    const asked = askFor('domain', 'acme.example', { chargedAccountNumber: accountNumber })
    const answers = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => (at % 2 === 0 ? one : other).stores.builds.ask(asked)),
    )
    expect(answers.filter(({ hasBegun }) => hasBegun)).toHaveLength(1)
    expect(await one.book.summary('alice', Date.now())).toMatchObject({ chargedUnits: 1 })
    await one.book.change('alice', { creditUnits: 0 }, Date.now())
    const refused = askFor('domain', 'other.example', { chargedAccountNumber: accountNumber })
    await expect(other.stores.builds.ask(refused)).rejects.toMatchObject({ status: 402 })
    expect(await one.stores.builds.read('domain', 'other.example')).toBeNull()
  })

  test('of an account the newest reports are kept', async () => {
    const url = await shared.newUrl()
    const { stores, alice } = await shared.open(url)
    const sql = async (text: string) => (await shared.server()).sql(text, new URL(url).pathname.slice(1))
    await sql(`INSERT INTO enrich_service.reports (account_number, call_id, body, created_at_ms)
      SELECT ${alice.accountNumber}, 'old', '{}', 0 FROM generate_series(1, ${limits.reportsPerAccountMax})`)
    for (const body of ['{"at":1}', '{"at":2}'])
      await stores.reports.keep(alice.accountNumber, 'req_1' as never, body)
    expect(
      await sql(`SELECT count(*), count(*) FILTER (WHERE call_id = 'old') FROM enrich_service.reports`),
    ).toBe(`${limits.reportsPerAccountMax}|${limits.reportsPerAccountMax - 2}`)
  })
})

describe.skipIf(programs === null)('the edition that is served', () => {
  const times = { lookMs: 50, lifeMs: 1_500 }

  const opener = async () => {
    const url = await shared.newUrl()
    await shared.open(url)
    const logged: string[] = []
    const open = async (edition: string | (() => string), replaces: string | null = null) => {
      const postgres = connectPostgres(parsePostgresUrl(url), { connectionsMax: 1 })
      onTestFinished(() => postgres.close())
      const of = typeof edition === 'string' ? () => edition : edition
      const log = (line: string) => logged.push(line)
      const guard = await openEditionGuard({
        postgres,
        edition: of,
        replaces,
        clock: systemClock,
        log,
        times,
      })
      onTestFinished(() => guard.stop())
      return guard
    }
    return { open, logged }
  }

  test('is that of the first replica, and another is refused with what to do', async () => {
    const { open } = await opener()
    expect((await open('one')).problem()).toBeNull()
    expect((await open('one')).problem()).toBeNull()
    await expect(open('two')).rejects.toMatchObject({
      code: 'SERVICE_EDITION_DIFFERS',
      message: 'this registry is edition two, but the service on this database answers from one',
      hint: expect.stringContaining('--replace-edition one') as string,
    })
    // Named wrongly, nothing is replaced.
    await expect(open('two', 'three')).rejects.toMatchObject({ code: 'SERVICE_EDITION_DIFFERS' })
  })

  test('moves on with one replica: by the time that it answers, those of the one before do not', async () => {
    const { open, logged } = await opener()
    const [before, beside] = [await open('one'), await open('one')]
    const after = await open('two', 'one')
    expect(after.problem()).toBeNull()
    for (const guard of [before, beside]) {
      await expect.poll(() => guard.problem()).toMatch(/from edition one, but the service from two/)
    }
    await expect.poll(() => logged.filter((line) => line.includes('accepts no new work')).length).toBe(2)
    // Started again with the same words, it does nothing more; and what was replaced does not come back by itself.
    expect((await open('two', 'one')).problem()).toBeNull()
    await expect(open('one')).rejects.toMatchObject({ code: 'SERVICE_EDITION_DIFFERS' })
  })

  test('is not that of a replica whose registry was changed under it', async () => {
    const { open } = await opener()
    let edition = 'one'
    const guard = await open(() => edition)
    edition = 'two'
    expect(guard.problem()).toMatch(/from edition two, but the service from one/)
    edition = 'one'
    expect(guard.problem()).toBeNull()
  })

  test('holds for a moment where it cannot be seen, and no longer', async () => {
    const url = await shared.newUrl()
    await shared.open(url)
    const postgres = connectPostgres(parsePostgresUrl(url), { connectionsMax: 1 })
    const guard = await openEditionGuard({
      postgres,
      edition: () => 'one',
      replaces: null,
      clock: systemClock,
      log: () => undefined,
      times,
    })
    expect(guard.problem()).toBeNull()
    await postgres.close()
    await expect.poll(() => guard.problem(), { timeout: 5_000 }).toMatch(/cannot be checked/)
    await guard.stop()
  })

  test('while there is a problem nothing is begun, and what is stored is answered', async () => {
    const guard = { problem: () => 'another edition is served' }
    const answer = () => ({ status: 200, body: {} })
    const handlers = guardHandlers({ search: answer, pollRun: answer } as unknown as Handlers, guard)
    expect(() => handlers.search({} as never)).toThrow(expect.objectContaining({ status: 503 }) as Error)
    expect(await handlers.pollRun({} as never)).toEqual({ status: 200, body: {} })
    const store = { due: () => [1, 2], other: () => 3 }
    expect(guardDueWork(store, guard).due()).toEqual([])
    expect(guardDueWork(store, { problem: () => null }).due()).toEqual([1, 2])
    expect(guardDueWork(store, guard).other()).toBe(3)
  })

  test('is named by the registry and the lists of domains', () => {
    expect(calculateServedEdition('abc', null)).toBe('abc')
    expect(calculateServedEdition('abc', 'h1')).not.toBe(calculateServedEdition('abc', 'h2'))
    expect(calculateServedEdition('abc', 'h1')).not.toBe(calculateServedEdition('abd', 'h1'))
  })
})
