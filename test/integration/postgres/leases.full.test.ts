import { connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  leaseTimes,
  openWorker,
  type LeaseTimes,
  type Worker,
} from '../../../src/pipeline/checkpoint/postgres/lease.js'
import { openShared, type SharedDatabase } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { lostReason, startSweeper, sweep } from '../../../src/pipeline/checkpoint/postgres/sweep.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { startChild } from '../../support/child-process.js'
import { listenOnLoopback } from '../../support/loopback-server.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'

const programs = findPostgres() ?? ''
const short: LeaseTimes = { lease: 1_000, renewEvery: 150, clockJumpMax: 500 }
/** Does not run out in a test, on however busy a machine. */
const lasting: LeaseTimes = { ...leaseTimes, renewEvery: 150 }

describe.skipIf(programs === '')('processes on a shared checkpoint', () => {
  let server: PostgresServer
  let databaseCount = 0
  let url = ''
  let database = ''
  let shared: SharedDatabase
  const workers: Worker[] = []

  beforeAll(async () => {
    server = await startPostgres(programs)
  })
  beforeEach(async () => {
    database = `checkpoint_${++databaseCount}`
    url = server.createDatabase(database)
    shared = await openShared(url, { clock: systemClock, random: systemRandom })
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close().catch(() => undefined)))
    await shared.close()
  })
  afterAll(() => server.stop())

  const work = async (times: LeaseTimes = leaseTimes, clock = systemClock) => {
    const worker = await openWorker({
      prompt: shared.prompt,
      server: shared.server,
      clock,
      job: 'a test',
      times,
    })
    workers.push(worker)
    return worker
  }
  const sql = (text: string) => server.sql(text, database)
  const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 30_000, interval: 10 })
  const expire = (id: number) =>
    sql(`UPDATE enrich.workers SET lease_until = clock_timestamp() WHERE worker_id = ${id}`)
  const statesOf = (id: number) =>
    sql(`SELECT is_fenced, is_swept, ended_at IS NOT NULL FROM enrich.workers WHERE worker_id = ${id}`)

  describe('a lease', () => {
    test('lasts by the clock of the server, and is renewed while its process lives', async () => {
      const worker = await work(lasting)
      const leaseMs = () =>
        Number(sql(`SELECT extract(epoch FROM lease_until - clock_timestamp()) * 1000 FROM enrich.workers`))
      expect(leaseMs()).toBeLessThanOrEqual(lasting.lease)
      const first = sql('SELECT lease_until FROM enrich.workers')
      worker.setActivity(() => 'polling 3')
      await until(() => sql('SELECT lease_until FROM enrich.workers') !== first)
      await until(() => sql('SELECT doing FROM enrich.workers') === 'polling 3')
      expect(worker).toMatchObject({ id: 1, hold: null })
      expect(worker.mayLeave()).toBe(true)
    })

    test('lets nothing leave once 70 % of it are over without a renewal', async () => {
      let monotonicMs = 1_000
      const clock = { ...systemClock, monotonicMs: () => monotonicMs, nowMs: () => 5_000_000 + monotonicMs }
      const worker = await work(leaseTimes, clock)
      monotonicMs += leaseTimes.lease * 0.7 - 1
      expect(worker.mayLeave()).toBe(true)
      monotonicMs += 1
      expect(worker.mayLeave()).toBe(false)
      expect(worker.hold).toContain('was not renewed for 21 s')
    })

    test.each([6_000, -6_000])(
      'lets nothing leave after the wall clock jumped by %d ms, until it is renewed',
      async (jumpMs) => {
        let offsetMs = 0
        const clock = { ...systemClock, nowMs: () => Date.now() + offsetMs }
        const patient = await work({ ...leaseTimes, renewEvery: 600_000 }, clock)
        const renewing = await work({ ...leaseTimes, renewEvery: 100 }, clock)
        expect([patient.mayLeave(), renewing.mayLeave()]).toEqual([true, true])
        offsetMs = jumpMs
        expect(renewing.hold).toContain('the clock jumped')
        await until(() => renewing.mayLeave())
        expect(patient.mayLeave()).toBe(false)
      },
    )

    test('that ran out, unnoticed by others, is renewed under the same number', async () => {
      const worker = await work(lasting)
      expire(worker.id)
      await until(() => sql('SELECT lease_until > clock_timestamp() FROM enrich.workers') === 't')
      expect(worker.id).toBe(1)
      expect(sql('SELECT count(*) FROM enrich.workers')).toBe('1')
    })

    test('whose process was fenced goes on in another term, and what was intended in the first may not leave', async () => {
      const worker = await work(lasting)
      sql('UPDATE enrich.workers SET is_fenced = true, is_swept = true')
      await until(() => worker.term === 2)
      expect(worker).toMatchObject({ id: 1, end: null })
      expect(worker.mayLeave()).toBe(true)
      expect(worker.mayLeave(1)).toBe(false)
      expect(statesOf(1)).toBe('f|f|f')
    })

    test('whose process was away for too long is over, with what it wanted', async () => {
      const worker = await work({ ...short, renewEvery: 600_000 })
      const back = await work(short)
      makeLookups(worker.id, { running: 1 })
      sql('INSERT INTO enrich.wanted SELECT 1, 1, lookup_id, lookup_id, true, false FROM enrich.lookups')
      sql("UPDATE enrich.workers SET is_fenced = true, fenced_at = clock_timestamp() - interval '59 minutes'")
      await sweep(shared.postgres)
      expect(sql('SELECT count(*) FROM enrich.wanted')).toBe('1')
      await until(() => back.term === 2)
      sql(`UPDATE enrich.workers SET is_fenced = true, is_over = worker_id = ${back.id},
        fenced_at = clock_timestamp() - interval '61 minutes'`)
      await sweep(shared.postgres)
      expect(sql('SELECT count(*) FROM enrich.wanted')).toBe('0')
      expect(sql('SELECT is_over, is_forgotten FROM enrich.workers WHERE worker_id = 1')).toBe('t|t')
      await until(() => back.end !== null)
      expect(back).toMatchObject({
        end: 'gone',
        hold: expect.stringContaining('other workers took over') as string,
      })
    })

    test('that the server does not know holds permanently: the database was restored', async () => {
      const worker = await work(short)
      sql('DELETE FROM enrich.workers')
      await until(() => worker.end !== null)
      expect(worker.end).toBe('server_changed')
      expect(worker.mayLeave()).toBe(false)
    })

    test('holds everything while the server is away, and goes on when it is back', async () => {
      const worker = await work(short)
      const leaving = await work(short)
      await server.crash()
      await until(() => !worker.mayLeave())
      expect(worker.hold).toContain('PostgreSQL does not answer')
      // Whoever ends meanwhile is let go: its lease runs out.
      await leaving.close()
      await server.startAgain()
      await until(() => worker.mayLeave())
    })

    test('holds permanently if another server, or a promoted standby, answers at its address', async () => {
      let port = server.port
      const open = new Set<Socket>()
      const proxy = createServer((client) => {
        const upstream = connect(port, '127.0.0.1')
        for (const socket of [client, upstream]) open.add(socket.on('error', () => undefined))
        client.pipe(upstream).pipe(client)
      })
      const proxied = server.url({ database }).replace(`:${port}/`, `:${await listenOnLoopback(proxy)}/`)
      const standby = await server.standby()
      const byProxy = await openShared(proxied, { clock: systemClock, random: systemRandom })
      const { prompt, server: identity } = byProxy
      const worker = await openWorker({ prompt, server: identity, clock: systemClock, job: '', times: short })
      try {
        // What the standby had not received is gone with the primary.
        await until(() => standby.sql('SELECT count(*) FROM enrich.workers', database) === '1')
        standby.promote()
        port = standby.port
        for (const socket of open) socket.destroy()
        await until(() => worker.hold?.includes('failed over') === true)
        expect(worker.end).toBe('server_changed')
        expect(worker.mayLeave()).toBe(false)
        // Renewed or not.
        const renewed = standby.sql('SELECT lease_until FROM enrich.workers', database)
        await until(() => standby.sql('SELECT lease_until FROM enrich.workers', database) !== renewed)
        expect(worker.mayLeave()).toBe(false)
      } finally {
        await worker.close()
        await byProxy.close()
        for (const socket of open) socket.destroy()
        proxy.close()
        await standby.stop()
      }
    })

    test('that is closed ends at once, with what was claimed and not begun', async () => {
      const worker = await work()
      makeLookups(worker.id, { new: 2, running: 1, intended: 1 })
      sql('INSERT INTO enrich.wanted SELECT 1, 1, lookup_id, lookup_id, true, false FROM enrich.lookups')
      await worker.close()
      await worker.close()
      expect(worker.mayLeave()).toBe(false)
      expect(statesOf(1)).toBe('t|f|t')
      expect(sql('SELECT is_over FROM enrich.workers')).toBe('t')
      expect(sql('SELECT state, count(worker_id) FROM enrich.lookups GROUP BY state ORDER BY state')).toBe(
        'intended|1\nnew|0\nrunning|1',
      )
      expect(sql('SELECT count(*) FROM enrich.wanted')).toBe('0')
      // What it left intended, for whatever reason, nobody asks again.
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 0, uncertainCount: 1 })
    })
  })

  /** Lookups that a worker holds, by their states; what left, with its submission. */
  function makeLookups(workerId: number, counts: Readonly<Record<string, number>>): void {
    sql(`INSERT INTO enrich.scopes (scope) SELECT 'a scope' WHERE NOT EXISTS (SELECT FROM enrich.scopes);
      INSERT INTO enrich.jobs (scope_id, input, started_at_ms) SELECT 1, 'in.csv', 0 WHERE NOT EXISTS (SELECT FROM enrich.jobs)`)
    for (const [state, count] of Object.entries(counts)) {
      sql(`WITH made AS (
        INSERT INTO enrich.lookups (scope_id, key, name, state, worker_id, attempt, custom_id)
        SELECT 1, decode(md5('${workerId}${state}' || n), 'hex'), 'n', '${state}', ${workerId}, 1, '${workerId}${state}' || n
        FROM generate_series(1, ${count}) n RETURNING lookup_id, custom_id, state)
        INSERT INTO enrich.submissions (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
        SELECT custom_id, lookup_id, 1, ${workerId}, 1, true, 0, CASE state WHEN 'running' THEN 'accepted' ELSE state END, 0
        FROM made WHERE state <> 'new'`)
    }
  }

  const held = () =>
    sql(`SELECT l.state, coalesce(s.verdict, '-'), coalesce(l.worker_id, 0), count(*) FROM enrich.lookups l
      LEFT JOIN enrich.submissions s USING (custom_id) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`).split('\n')

  describe('a sweep', () => {
    test('leaves those alone whose lease lasts', async () => {
      const worker = await work()
      makeLookups(worker.id, { new: 1, intended: 1 })
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 0, uncertainCount: 0 })
      expect(held()).toEqual(['intended|intended|1|1', 'new|-|1|1'])
    })

    test('fences whose lease ran out: what they intended is uncertain, never new; runs wait for who wants them', async () => {
      const { id } = await work({ ...leaseTimes, renewEvery: 600_000 })
      makeLookups(id, { new: 2, intended: 3, running: 4, answered: 1 })
      expire(id)
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 1, uncertainCount: 3 })
      expect(held()).toEqual([
        'answered|answered|1|1',
        'new|-|0|2',
        'running|accepted|1|4',
        'uncertain|uncertain|0|3',
      ])
      expect(sql("SELECT DISTINCT failure FROM enrich.lookups WHERE state = 'uncertain'")).toBe(lostReason)
      expect(statesOf(id)).toBe('t|t|f')
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 0, uncertainCount: 0 })
    })

    test('goes on where one that fenced was killed before the rest of it', async () => {
      const { id } = await work({ ...leaseTimes, renewEvery: 600_000 })
      makeLookups(id, { intended: 1 })
      sql('UPDATE enrich.workers SET is_fenced = true')
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 0, uncertainCount: 1 })
    })

    test('does not wait: an intention that is being committed keeps its process from being fenced', async () => {
      const { id } = await work({ ...leaseTimes, renewEvery: 600_000 })
      makeLookups(id, { intended: 1 })
      expire(id)
      await shared.postgres.transaction(async (statements) => {
        await statements.query('SELECT FROM enrich.workers WHERE worker_id = $1 FOR SHARE', [id])
        await statements.query("UPDATE enrich.submissions SET reason = 'about to be committed'")
        expect(await sweep(shared.postgres)).toEqual({ fencedCount: 0, uncertainCount: 0 })
      })
      // Committed, it is seen.
      expect(await sweep(shared.postgres)).toEqual({ fencedCount: 1, uncertainCount: 1 })
    })

    test('by several at once takes each thing once, however much there is', async () => {
      const dead = await Promise.all([1, 2, 3].map(() => work({ ...leaseTimes, renewEvery: 600_000 })))
      for (const { id } of dead) {
        makeLookups(id, { intended: 1_500, new: 700 })
        expire(id)
      }
      const swept = await Promise.all([1, 2, 3, 4].map(() => sweep(shared.postgres)))
      // One that found all taken by others has done nothing.
      while ((await sweep(shared.postgres)).uncertainCount > 0);
      expect(swept.reduce((sum, { fencedCount }) => sum + fencedCount, 0)).toBe(3)
      expect(swept.reduce((sum, { uncertainCount }) => sum + uncertainCount, 0)).toBe(4_500)
      expect(held()).toEqual(['new|-|0|2100', 'uncertain|uncertain|0|4500'])
    })
  })

  describe('a process that was stopped', () => {
    test('beyond its lease, and was fenced, lets nothing leave that it had intended, and goes on in another term', async () => {
      const child = startChild(
        new URL('../../support/worker-child.ts', import.meta.url).href,
        url,
        JSON.stringify({ ...short, lease: 4_000 }),
      )
      const failures: unknown[] = []
      const { postgres } = shared
      const stop = await startSweeper({ postgres, everyMs: 50, onFailure: (error) => failures.push(error) })
      try {
        expect(await child.nextLine()).toBe('1 may, in term 1 may')
        makeLookups(1, { intended: 1 })
        child.signal('SIGSTOP')
        await until(() => statesOf(1) === 't|t|f')
        expect(held()).toEqual(['uncertain|uncertain|0|1'])
        child.signal('SIGCONT')
        expect(await child.nextLine()).toBe('1 may not, in term 1 may not')
        expect(await child.nextLine()).toBe('2 may, in term 1 may not')
        expect(failures).toEqual([])
      } finally {
        await stop()
        await child.kill()
      }
    })

    test('beyond its lease, and was not fenced, lets nothing leave before it is renewed', async () => {
      const child = startChild(
        new URL('../../support/worker-child.ts', import.meta.url).href,
        url,
        JSON.stringify({ ...short, lease: 4_000 }),
      )
      try {
        expect(await child.nextLine()).toBe('1 may, in term 1 may')
        child.signal('SIGSTOP')
        await until(() => sql('SELECT lease_until < clock_timestamp() FROM enrich.workers') === 't')
        child.signal('SIGCONT')
        expect(await child.nextLine()).toBe('1 may not, in term 1 may not')
        expect(await child.nextLine()).toBe('1 may, in term 1 may')
      } finally {
        await child.kill()
      }
    })
  })
})
