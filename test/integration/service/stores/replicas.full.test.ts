import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { parsePostgresUrl } from '../../../../src/core/server-addresses.js'
import { connectPostgres } from '../../../../src/platform/postgres/connect.js'
import { ConnectionLostError, type Postgres } from '../../../../src/platform/postgres/postgres.js'
import { hashKey } from '../../../../src/service/accounts/accounts.js'
import { createSharedCallers } from '../../../../src/service/accounts/accounts.js'
import { limits } from '../../../../src/service/limits.js'
import { followEnds } from '../../../../src/service/runs/postgres/run-store.js'
import { createSharedJournal } from '../../../../src/service/runs/postgres/journal.js'
import { manualClock } from '../../../support/manual-clock.js'
import { hasPgbouncer, startPgbouncer } from '../../../support/pgbouncer.js'
import { findPostgres } from '../../../support/postgres-server.js'
import { outcomeOf, runOf, SharedData, type TestData } from '../../../support/service-data.js'

const programs = findPostgres()

describe.skipIf(programs === null)('several replicas on one database', () => {
  const shared = new SharedData(programs ?? '')
  afterAll(() => shared.remove())

  const databaseOf = (url: string) => new URL(url).pathname.slice(1)
  /** What psql prints of a query on the data. */
  const sql = async (url: string, text: string) => (await shared.server()).sql(text, databaseOf(url))
  const due = ({ stores }: TestData, countMax = 100) => stores.runs.due(0, countMax)

  test('they that start at once make the tables, the account and its secret once', async () => {
    const url = await shared.newUrl()
    const replicas = await Promise.all(Array.from({ length: 6 }, () => shared.open(url)))
    expect(new Set(replicas.map(({ alice }) => alice.accountNumber)).size).toBe(1)
    expect(
      await sql(
        url,
        `SELECT (SELECT count(*) FROM enrich_service.service), (SELECT count(*) FROM enrich_service.accounts),
           (SELECT count(*) FROM enrich_service.api_keys), (SELECT count(*) FROM enrich_service.webhook_secrets)`,
      ),
    ).toBe('1|1|1|1')
  })

  test('a key given at a start takes the place of the one before; one that was added stays its account’s', async () => {
    const url = await shared.newUrl()
    const { book, alice } = await shared.open(url)
    const unbounded = { v3Enabled: true, creditUnits: null, monthlyUnitsMax: null }
    const { apiKey } = await book.add('bob', unbounded, 0)
    await shared.open(url, { apiKey: 'k2' })
    expect(await book.keys.list(alice.accountNumber)).toHaveLength(1)
    await expect(shared.open(url, { apiKey })).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
    expect(await sql(url, 'SELECT count(*) FROM enrich_service.api_keys WHERE given_at_start')).toBe('1')
  })

  test('what cannot be served is refused by its code, before anything is written', async () => {
    const url = await shared.newUrl()
    await sql(url, 'CREATE SCHEMA enrich_service; CREATE TABLE enrich_service.else (id int)')
    await expect(shared.open(url)).rejects.toMatchObject({ code: 'SERVICE_DATA_INVALID' })
    const newer = await shared.newUrl()
    await shared.open(newer)
    await sql(newer, 'UPDATE enrich_service.service SET schema_version = 99')
    await expect(shared.open(newer)).rejects.toMatchObject({ code: 'SERVICE_DATA_INVALID' })
    const lossy = await shared.newUrl()
    await sql(lossy, `ALTER DATABASE ${databaseOf(lossy)} SET synchronous_commit = off`)
    await expect(shared.open(lossy)).rejects.toMatchObject({ code: 'CHECKPOINT_SERVER_NOT_DURABLE' })
    await expect(shared.open('postgres://postgres:secret@127.0.0.1/x')).rejects.toMatchObject({
      code: 'CHECKPOINT_URL_HAS_PASSWORD',
      message: "the URL of the service's data contains a password",
    })
    const { port } = await shared.server()
    await expect(shared.open(`postgres://nobody@127.0.0.1:${port}/postgres`)).rejects.toMatchObject({
      code: 'CHECKPOINT_LOGIN_REFUSED',
    })
  })

  test('the rights that the manual lists are enough, and less is told', async () => {
    const url = await shared.newUrl()
    await shared.open(url)
    await sql(url, 'CREATE ROLE served LOGIN')
    const asServed = url.replace('postgres@', 'served@')
    await expect(shared.open(asServed)).rejects.toMatchObject({ code: 'CHECKPOINT_GRANTS_MISSING' })
    const grants = /^GRANT (?:USAGE|SELECT).*TO service;$/gm
    const listed = readFileSync('docs/manual/serving.md', 'utf8').match(grants) ?? []
    expect(listed).toHaveLength(2)
    for (const grant of listed) await sql(url, grant.replace('TO service;', 'TO served;'))
    const served = await shared.open(asServed)
    await served.submit({ webhookUrl: 'https://example.com/hook' })
    await served.submit({ kind: 'async' })
    const ended = (await due(served)).map(({ runNumber }) => ({ runNumber, outcome: outcomeOf('FAILED') }))
    await served.stores.runs.finish(ended, 0)
    await served.stores.limiter.take(served.alice, 'pollJob')
    await served.book.add('bob', { v3Enabled: true, creditUnits: 1, monthlyUnitsMax: null }, 0)
    expect(await served.book.summary('alice', Date.now())).toMatchObject({
      chargedUnits: 2,
      refundedUnits: 1,
    })
  })

  test('together they bill no more than there is credit, and count each unit once', async () => {
    const url = await shared.newUrl()
    const [one, other] = await Promise.all([shared.open(url), shared.open(url)])
    await one.book.change('alice', { creditUnits: 10 }, Date.now())
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other).submit()),
    )
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(
      await sql(
        url,
        `SELECT (SELECT count(*) FROM enrich_service.runs), (SELECT count(*) FROM enrich_service.ledger),
           (SELECT sum(charged_units) FROM enrich_service.usage)`,
      ),
    ).toBe('10|10|10')
  })

  test('together they let no more calls through than a window holds', async () => {
    const url = await shared.newUrl()
    const replicas = await Promise.all([shared.open(url), shared.open(url), shared.open(url)])
    const minutes: number[] = []
    const decisions = await Promise.all(
      Array.from({ length: 360 }, async (_, at) => {
        const { stores, alice } = replicas[at % 3] ?? replicas[0]
        const decision = await stores.limiter.take(alice, 'pollJob')
        minutes.push(Math.floor(Date.now() / 60_000))
        return decision?.allowed
      }),
    )
    const allowedCount = decisions.filter(Boolean).length
    // The server's minute may have ended between.
    expect(allowedCount).toBeGreaterThanOrEqual(100)
    expect(allowedCount).toBeLessThanOrEqual(100 * new Set(minutes).size)
    expect(
      await sql(url, 'SELECT count(*) FROM enrich_service.rate_windows WHERE used_count > count_max'),
    ).toBe('0')
  })

  test('a run is claimed by one of them; a claim that is not renewed runs out', async () => {
    const url = await shared.newUrl()
    const [one, other] = await Promise.all([shared.open(url), shared.open(url)])
    for (let count = 0; count < 20; count++) await one.submit()
    const [mine, yours] = await Promise.all([due(one, 10), due(other, 10)])
    const numbers = [...mine, ...yours].map(({ runNumber }) => runNumber)
    expect(new Set(numbers).size).toBe(numbers.length)
    const rest = [...(await due(one)), ...(await due(other))].map(({ runNumber }) => runNumber)
    expect(new Set(rest).size).toBe(20)
    expect(rest).toHaveLength(20)
    // As if the process had been gone for as long as a claim holds.
    await sql(url, "UPDATE enrich_service.runs SET claimed_until = now() - interval '1 second'")
    expect(await due(other)).toHaveLength(20)
    // What is left to it is renewed by its looks; what it lost it does not take back.
    const lost = await shared.open(url, {}, { claimMs: 1 })
    expect(await due(lost)).toHaveLength(0)
  })

  test('what a replica still has claimed when it ends is another’s at once', async () => {
    const url = await shared.newUrl()
    const [one, other] = await Promise.all([shared.open(url), shared.open(url)])
    await one.submit()
    expect(await due(one)).toHaveLength(1)
    expect(await due(other)).toHaveLength(0)
    await one.close()
    expect(await due(other)).toHaveLength(1)
  })

  test('a run ends once, with one event and one refund, however often it was researched', async () => {
    const url = await shared.newUrl()
    const told: string[] = []
    const [one, other] = await Promise.all([shared.open(url, {}, {}, told), shared.open(url, {}, {}, told)])
    const run = await one.submit({ webhookUrl: 'https://example.com/hook' })
    const failing = await one.submit({ kind: 'async', name: 'Broken' })
    const runs = await due(one)
    const finish = (data: TestData) =>
      data.stores.runs.finish(
        runs.map(({ runNumber, name }) => ({
          runNumber,
          outcome: outcomeOf(name === 'Broken' ? 'FAILED' : 'COMPLETED'),
        })),
        Date.now(),
      )
    await Promise.all([finish(one), finish(other), finish(one)])
    await finish(other)
    expect(told.sort()).toEqual([run.ids.runId, failing.ids.runId].sort())
    expect(
      await sql(
        url,
        `SELECT (SELECT count(*) FROM enrich_service.results), (SELECT count(*) FROM enrich_service.events),
           (SELECT count(*) FROM enrich_service.ledger WHERE kind = 'refund'),
           (SELECT refunded_units FROM enrich_service.usage)`,
      ),
    ).toBe('2|1|1|1')
    expect(await sql(url, 'SELECT body FROM enrich_service.events')).toContain(run.ids.runId)
  })

  test('who waits here for a run is told when another replica has ended it', async () => {
    const url = await shared.newUrl()
    const other = await shared.open(url)
    const run = await other.submit()
    const waited = { accountNumber: other.alice.accountNumber, runId: run.ids.runId }
    const postgres = connectPostgres(parsePostgresUrl(url))
    const told = new Promise((resolve) => {
      const streams = { waitedFor: () => [waited], onEnded: resolve }
      const follower = followEnds({ postgres, clock: systemClock, log: () => undefined, streams })
      onTestFinished(async () => {
        await follower.stop()
        await postgres.close()
      })
    })
    const [{ runNumber } = { runNumber: 0 }] = await due(other)
    await other.stores.runs.finish([{ runNumber, outcome: outcomeOf('COMPLETED') }], 0)
    expect(await told).toEqual(waited)
  })

  test('a kickoff whose commit is not confirmed is billed once, and one that is refused not at all', async () => {
    const url = await shared.newUrl()
    const { alice, book } = await shared.open(url)
    const postgres = connectPostgres(parsePostgresUrl(url))
    const broken: Error[] = []
    const breaksAfter = (count: number): Postgres => ({
      ...postgres,
      transaction: async (work) => {
        const result = await postgres.transaction(work)
        if (broken.length >= count) return result
        broken.push(
          new ConnectionLostError(
            { code: 'CHECKPOINT_UNREACHABLE', message: 'it broke at COMMIT', hint: undefined },
            true,
            null,
            null,
          ),
        )
        throw broken.at(-1) ?? new Error('it broke')
      },
    })
    await book.change('alice', { creditUnits: 3 }, Date.now())
    const journal = createSharedJournal(breaksAfter(2), systemClock)
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => journal.append(runOf(alice))))
    expect(broken).toHaveLength(2)
    expect(settled.map(({ status }) => status)).toEqual(
      'fulfilled fulfilled fulfilled rejected rejected'.split(' '),
    )
    expect(await sql(url, 'SELECT count(*) FROM enrich_service.runs')).toBe('3')
    expect(await book.summary('alice', Date.now())).toMatchObject({ chargedUnits: 3, creditUnits: 0 })
    await postgres.close()
  })

  test('where it stays unknown whether it was stored, no 202 is given', async () => {
    const url = await shared.newUrl()
    const { alice } = await shared.open(url)
    const clock = manualClock()
    const lost: Postgres = {
      query: () =>
        Promise.reject(
          new ConnectionLostError(
            { code: 'CHECKPOINT_UNREACHABLE', message: 'away', hint: undefined },
            true,
            null,
            null,
          ),
        ),
      transaction: () => {
        clock.advance(limits.kickoffUnknownMsMax / 2)
        return Promise.reject(
          new ConnectionLostError(
            { code: 'CHECKPOINT_UNREACHABLE', message: 'away', hint: undefined },
            true,
            null,
            null,
          ),
        )
      },
      close: () => Promise.resolve(),
    }
    const journal = createSharedJournal(lost, { ...clock, sleep: () => Promise.resolve() })
    const v3 = journal.append(runOf(alice))
    const v2 = journal.append(runOf(alice, { kind: 'async' }))
    await expect(v3).rejects.toMatchObject({ status: 500 })
    await expect(v2).rejects.toMatchObject({ status: 504 })
  })

  test('a revoked key is refused within a second', async () => {
    const url = await shared.newUrl()
    const { book, alice } = await shared.open(url)
    const postgres = connectPostgres(parsePostgresUrl(url))
    const clock = manualClock()
    const callers = createSharedCallers(postgres, clock)
    const { apiKey, keyId } = await book.keys.add(alice.accountNumber, null, 0)
    expect(await callers.get(hashKey(apiKey))).toMatchObject({ accountNumber: alice.accountNumber })
    await book.keys.revoke(alice.accountNumber, keyId)
    clock.advance(1_000)
    expect(await callers.get(hashKey(apiKey))).toBeUndefined()
    await postgres.close()
  })

  test.skipIf(!hasPgbouncer())('pgbouncer may stand between, in transaction mode', async () => {
    const direct = await shared.newUrl()
    const bouncer = await startPgbouncer(await shared.server(), { connectionsMax: 3 })
    const url = bouncer.url({ database: databaseOf(direct) })
    const [one, other] = await Promise.all([shared.open(url), shared.open(url)])
    await Promise.all(Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? one : other).submit()))
    await Promise.all(
      [one, other].map(async (replica) => {
        const claimed = await due(replica, 15)
        const outcome = outcomeOf('COMPLETED')
        await replica.stores.runs.finish(
          claimed.map(({ runNumber }) => ({ runNumber, outcome })),
          0,
        )
        await replica.stores.limiter.take(replica.alice, 'pollJob')
      }),
    )
    expect(await one.stores.runs.count()).toEqual({ pending: 0, completed: 30, failed: 0 })
    expect(await one.book.summary('alice', Date.now())).toMatchObject({ chargedUnits: 30 })
    await bouncer.stop()
  })
})
