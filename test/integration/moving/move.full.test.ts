import { copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/core/errors.js'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { openWorker } from '../../../src/pipeline/checkpoint/postgres/lease.js'
import { openShared, openSharedToRead } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { readMoveTarget } from '../../../src/pipeline/checkpoint/sqlite/open-database.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { getInboxPath } from '../../../src/pipeline/checkpoint/paths.js'
import { openFileInbox } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import { openSharedInbox } from '../../../src/pipeline/checkpoint/postgres/inbox-rows.js'
import { moveCheckpoint, undoMove } from '../../../src/pipeline/checkpoint/maintenance.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { startProgram } from '../../support/child-process.js'
import { strangeMatch } from '../../support/strange-service.js'
import { createWorkplace, servicesOfTests } from '../../support/pipeline-job.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import { job, scope, startMs } from '../checkpoint/support.js'
import { fileRows, fillFile, historyRows, moveDeps, serverRows } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

const Database = loadDriver()

const programs = findPostgres()
const startService = servicesOfTests()

describe.skipIf(programs === null)('moving a checkpoint', () => {
  let server: SharedPostgres
  let folder: string
  let databaseCount = 0
  const path = (name: string) => join(folder, name)
  const newUrl = () => {
    const database = `moved${++databaseCount}`
    return server.createDatabase(database)
  }
  const databaseOf = (url: string) => new URL(url).pathname.slice(1)
  const open = (at: string) => openCheckpoint({ path: at, scope, job, nowMs: startMs, random: systemRandom })
  const opened = (url: string) => openShared(url, { clock: systemClock, random: systemRandom })
  /** Whether a run could continue with it. */
  const isUsable = async (place: string): Promise<boolean> => {
    if (!place.startsWith('postgres:')) return existsSync(place) && readMoveTarget(place) === null
    const found = await codeOf(
      openSharedToRead(place).then(async (shared) => {
        const scopes = (await shared?.postgres.query('SELECT FROM enrich.scopes')) ?? []
        await shared?.close()
        if (scopes.length === 0) throw new UserError('CHECKPOINT_NOT_FOUND', place)
      }),
    )
    return found === null
  }
  const move = (from: string, to: string) => moveCheckpoint(from, to, moveDeps)
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (error as { code?: string }).code ?? error,
    )

  beforeAll(async () => {
    server = await sharedPostgres(programs ?? '')
  })
  beforeEach(() => {
    folder = makeFolder()
  })
  afterAll(() => server.stop())

  test('from a file to a server and back, each row is the same', async () => {
    const [one, two, url] = [path('one.sqlite'), path('two.sqlite'), newUrl()]
    await fillFile(one)
    // A run sorts out what a killed process left, and so does a move.
    open(one).close()
    const inbox = new Database(getInboxPath(one))
    inbox.exec('UPDATE deliveries SET position = position + 10 WHERE position > 2')
    inbox.close()
    const before = fileRows(one)
    expect(await move(one, url)).toMatchObject({
      isDone: false,
      counts: { lookups: 51, answers: 42, deliveries: 4 },
    })
    expect(await move(url, two)).toMatchObject({
      isDone: false,
      counts: { lookups: 51, answers: 42, deliveries: 4 },
    })
    expect(fileRows(two)).toEqual(before)
    expect(verifyFile(two)).toMatchObject({ damage: [], problem: null })
    const names = readdirSync(folder).filter((name) => name.includes('arriving'))
    expect(names).toEqual([])
  })

  test('the used budgets of a job are known on the server', async () => {
    const [one, url] = [path('one.sqlite'), newUrl()]
    await fillFile(one)
    await move(one, url)
    const { jobs, job_kinds: kinds } = await serverRows(url)
    // 40 answered, running, lost, failed, and the one that was left; refused and invalid are not billed.
    expect(jobs).toContainEqual(
      expect.objectContaining({
        input: 'companies.csv',
        reserved_of_rows: 44,
        reserved_micros: 44 * 50_000,
        ended_at_ms: null,
      }),
    )
    const going = jobs!.find((one) => (one as { input: string }).input === 'companies.csv') as {
      job_id: number
    }
    expect(kinds!.filter((kind) => (kind as { job_id: number }).job_id === going.job_id)).toMatchObject([
      { reserved: 44 },
      { reserved: 1 },
    ])
  })

  test('from a server to a file and back, each row is the same, with the parts of jobs', async () => {
    const [zero, one, two] = [path('zero.sqlite'), newUrl(), newUrl()]
    await fillFile(zero)
    await move(zero, one)
    server.sql(
      `UPDATE enrich.jobs SET partition_count = 3, partition_input = 'abc' WHERE input = 'companies.csv';
       INSERT INTO enrich.outputs (job_id, part, attempt, path, row_count, byte_count, sha256)
         SELECT job_id, 1, 'a', '/out/part', 5, 10, 'ff' FROM enrich.jobs WHERE partition_count = 3;
       UPDATE enrich.job_kinds SET reserved_before = 1, own_job_id = NULL WHERE reserved = 1 AND own_job_id IS NOT NULL`,
      databaseOf(one),
    )
    const before = await serverRows(one)
    await move(one, path('between.sqlite'))
    await move(path('between.sqlite'), two)
    expect(await serverRows(two)).toEqual(before)
  })

  test('a moved checkpoint is refused, and its custom ids are not used again', async () => {
    const [one, url] = [path('one.sqlite'), newUrl()]
    await fillFile(one)
    await move(one, url)
    expect(() => open(one)).toThrow(expect.objectContaining({ code: 'CHECKPOINT_MOVED' }) as Error)
    expect(() => verifyFile(one)).toThrow(expect.objectContaining({ code: 'CHECKPOINT_MOVED' }) as Error)
    const found = await opened(url)
    expect(found.generation).toBe(1)
    await found.close()
    expect(await move(one, url)).toMatchObject({ isDone: true })
    expect(await codeOf(move(one, newUrl()))).toBe('CHECKPOINT_MOVED')
    const two = path('two.sqlite')
    await move(url, two)
    expect(await codeOf(opened(url))).toBe('CHECKPOINT_MOVED')
    const database = new Database(two, { readonly: true })
    expect(database.prepare('SELECT generation FROM checkpoint').pluck().get()).toBe(2)
    database.close()
  })

  test('a run with the target submits no known lookup again, and polls pending ones', async () => {
    const at = createWorkplace()
    const url = newUrl()
    at.writeRows(['Acme,', 'Bolt,', 'Slow,'])
    const answers = {
      Acme: strangeMatch('Acme SE'),
      Bolt: strangeMatch('Bolt AG'),
      Slow: strangeMatch('Slow KG'),
    }
    let isSlow = true
    const service = await startService({
      answers,
      runTakes: (name) => ({ polls: name === 'Slow' && isSlow ? Infinity : 1 }),
    })
    const file = at.path('checkpoint.sqlite')
    const first = await at.run(service, { polling: { deadlineMinutes: 0.01 } })
    expect(first).toMatchObject({ billedCount: 3, pendingCount: 1 })
    isSlow = false
    await move(file, url)
    const there = await at.run(service, { checkpoint: { path: url } })
    expect(there).toMatchObject({ billedCount: 0, answeredCount: 1, pendingCount: 0, uncertainCount: 0 })
    await move(url, at.path('back.sqlite'))
    const back = await at.run(service, { checkpoint: { path: at.path('back.sqlite') } })
    expect(back).toMatchObject({ billedCount: 0, cachedCount: 3 })
    expect(service.runs).toHaveLength(3)
  })

  test('a suspended worker does not continue in a moved checkpoint', async () => {
    const [one, url] = [path('one.sqlite'), newUrl()]
    await fillFile(one, 3)
    await move(one, url)
    const shared = await opened(url)
    const times = { lease: 100, renewEvery: 1_000, clockJumpMax: 5_000 }
    const worker = await openWorker({ ...shared, clock: systemClock, job: 'a', times })
    await setTimeout(200)
    await move(url, path('two.sqlite'))
    while (worker.end === null) await setTimeout(20)
    expect(worker.end).toBe('gone')
    await worker.close()
    await shared.close()
  })

  test('the run history is moved', async () => {
    const at = createWorkplace()
    const [url, back] = [newUrl(), at.path('back.sqlite')]
    const answers = { Acme: strangeMatch('Acme SE'), Bolt: strangeMatch('Bolt AG') }
    const service = await startService({ answers })
    for (const rows of [
      ['Acme,', 'None,'],
      ['Acme,', 'Bolt,'],
    ]) {
      at.writeRows(rows)
      await at.run(service)
    }
    const file = at.path('checkpoint.sqlite')
    const before = historyRows(file)
    expect(before.map(({ length }) => length)).toEqual([2, 2, 3, 3, 1])
    expect(await move(file, url)).toMatchObject({ counts: { history_runs: 2 }, staysBehind: [] })
    expect(await move(url, back)).toMatchObject({ counts: { history_runs: 2 } })
    expect(historyRows(back)).toEqual(before)
    expect(verifyFile(back)).toMatchObject({ damage: [], problem: null })
  })

  test('a used target, a missing source and a source in use are refused', async () => {
    const [one, two, url] = [path('one.sqlite'), path('two.sqlite'), newUrl()]
    await fillFile(one, 3)
    await fillFile(two, 3)
    expect(await codeOf(move(path('none.sqlite'), url))).toBe('CHECKPOINT_NOT_FOUND')
    expect(await codeOf(move(one, one))).toBe('USAGE_INVALID')
    expect(await codeOf(move(one, two))).toBe('CHECKPOINT_NOT_EMPTY')
    const checkpoint = open(one)
    expect(await codeOf(move(one, url))).toBe('CHECKPOINT_IN_USE')
    checkpoint.close()
    await move(one, url)
    expect(await codeOf(move(two, url))).toBe('CHECKPOINT_NOT_EMPTY')
    server.sql(
      `INSERT INTO enrich.workers (name, job, lease_until) VALUES ('host 1', 'a', clock_timestamp() + interval '5 minutes')`,
      databaseOf(url),
    )
    expect(await codeOf(move(url, path('three.sqlite')))).toBe('CHECKPOINT_IN_USE')
    expect(existsSync(path('three.sqlite'))).toBe(false)
    server.sql('UPDATE enrich.checkpoint SET schema_version = 999', databaseOf(url))
    expect(await codeOf(move(url, path('three.sqlite')))).toBe('CHECKPOINT_TOO_NEW')
    const foreign = newUrl()
    server.sql('CREATE SCHEMA enrich; CREATE TABLE enrich.cats (name text)', databaseOf(foreign))
    expect(await codeOf(move(two, foreign))).toBe('CHECKPOINT_DATABASE_FOREIGN')
    writeFileSync(path('text'), 'not a database'.repeat(100))
    expect(await codeOf(move(path('text'), newUrl()))).toBe('CHECKPOINT_INVALID')
    const newer = new Database(two)
    newer.pragma('user_version = 99')
    newer.close()
    expect(await codeOf(move(two, newUrl()))).toMatch(/CHECKPOINT_(TOO_NEW|DAMAGED)/)
  })

  test('a damaged checkpoint and a copy are refused', async () => {
    const one = path('one.sqlite')
    await fillFile(one, 3)
    copyFileSync(one, path('copy.sqlite'))
    copyFileSync(`${one}.head`, path('copy.sqlite.head'))
    expect(await codeOf(move(path('copy.sqlite'), newUrl()))).toBe('CHECKPOINT_COPIED')
    const database = new Database(one)
    database.exec(`UPDATE lookups SET name = 'Other' WHERE name = 'Lost'`)
    database.close()
    expect(await codeOf(move(one, newUrl()))).toBe('CHECKPOINT_DAMAGED')
  })

  test('a receiver acknowledges no delivery that would not be moved', async () => {
    const [one, url] = [path('one.sqlite'), newUrl()]
    await fillFile(one, 3)
    const inbox = openFileInbox(one, Date.now())
    await inbox.receive('evt_before', Buffer.from('{}'), Date.now())
    await move(one, url)
    await expect(inbox.receive('evt_after', Buffer.from('{}'), Date.now())).rejects.toThrow()
    await inbox.close()
    const { inbox: rows } = await serverRows(url)
    expect(rows!.map((row) => (row as { event_id: string }).event_id)).toContain('evt_before')
  })

  test('after a kill between mark and publication, neither checkpoint is usable, and the same command completes the move', async () => {
    const [one, url, two] = [path('one.sqlite'), newUrl(), path('two.sqlite')]
    await fillFile(one, 3)
    await move(one, url)
    server.sql(`UPDATE enrich.checkpoint SET arriving_from = 'x'`, databaseOf(url))
    expect([await isUsable(one), await isUsable(url)]).toEqual([false, false])
    expect(await move(one, url)).toMatchObject({ isDone: false, counts: null })
    expect(await isUsable(url)).toBe(true)
    await move(url, two)
    for (const file of [two, getInboxPath(two)]) renameSync(file, `${file}.arriving`)
    expect([await isUsable(url), await isUsable(two)]).toEqual([false, false])
    expect(await move(url, two)).toMatchObject({ isDone: false, counts: null })
    expect(await isUsable(two)).toBe(true)
    expect(fileRows(two)['deliveries']).toHaveLength(4)
  })

  test('--undo makes the source usable again, unless the target was used', async () => {
    const [one, url] = [path('one.sqlite'), newUrl()]
    await fillFile(one, 3)
    expect(await codeOf(undoMove(one, url, moveDeps))).toBe('USAGE_INVALID')
    await move(one, url)
    server.sql(`UPDATE enrich.lookups SET name = 'used' WHERE name = 'New'`, databaseOf(url))
    expect(await codeOf(undoMove(one, url, moveDeps))).toBe('CHECKPOINT_NOT_EMPTY')
    server.sql(`UPDATE enrich.lookups SET name = 'New' WHERE name = 'used'`, databaseOf(url))
    await undoMove(one, url, moveDeps)
    expect(await codeOf(opened(url))).toBe('CHECKPOINT_MOVED')
    const inbox = openFileInbox(one, Date.now())
    expect(await inbox.receive('evt_after', Buffer.from('{}'), Date.now())).toBe(true)
    await inbox.close()
    const again = open(one)
    const [id = 0] = await again.store.register([
      { kind: 'resolution', key: new Uint8Array(16), lookup: { name: 'X', location: null, context: null } },
    ])
    expect((await again.intend(id, startMs)).customId).toMatch(/_1_1000$/)
    again.close()
    expect(verifyFile(one)).toMatchObject({ damage: [], problem: null })
  })

  test('--undo works for a server whose kinds of lookups had no jobs in a file', async () => {
    const [zero, one, two] = [path('zero.sqlite'), newUrl(), path('two.sqlite')]
    await fillFile(zero, 3)
    await move(zero, one)
    server.sql('UPDATE enrich.job_kinds SET own_job_id = NULL, own_started_at_ms = NULL', databaseOf(one))
    await move(one, two)
    await undoMove(one, two, moveDeps)
    expect([await isUsable(one), await isUsable(two)]).toEqual([true, false])
  })

  test('between two files and between two servers, all rows are the same', async () => {
    const [one, two, url, other, back] = [
      path('one.sqlite'),
      path('two.sqlite'),
      newUrl(),
      newUrl(),
      path('back.sqlite'),
    ]
    await fillFile(one)
    open(one).close()
    const before = fileRows(one)
    await move(one, two)
    await move(two, url)
    const onServer = await serverRows(url)
    await move(url, other)
    expect(await serverRows(other)).toEqual(onServer)
    await move(other, back)
    expect(fileRows(back)).toEqual(before)
    expect(await Promise.all([one, two, url, other, back].map(isUsable))).toEqual([
      false,
      false,
      false,
      false,
      true,
    ])
  })

  test('during a move, no run and no receiver uses either checkpoint', async () => {
    const [one, url, two] = [path('one.sqlite'), newUrl(), path('two.sqlite')]
    await fillFile(one, 3)
    await (await opened(url)).close()
    const inbox = openFileInbox(one, Date.now())
    await whileStopped(
      url,
      () => move(one, url),
      async () => {
        expect(() => open(one)).toThrow(expect.objectContaining({ code: 'CHECKPOINT_IN_USE' }) as Error)
        await expect(inbox.receive('evt_during', Buffer.from('{}'), Date.now())).rejects.toThrow()
        expect(await codeOf(opened(url))).toBe('CHECKPOINT_IN_USE')
      },
    )
    await inbox.close()
    const shared = await opened(url)
    const receiver = await openSharedInbox({
      database: shared,
      owner: null,
      clock: systemClock,
      random: systemRandom,
    })
    await whileStopped(
      url,
      () => move(url, two),
      async () => {
        expect(await codeOf(opened(url))).toBe('CHECKPOINT_IN_USE')
        expect(await codeOf(receiver.receive('evt_during', Buffer.from('{}'), Date.now()))).toBe(
          'CHECKPOINT_IN_USE',
        )
        expect(await codeOf(move(url, path('three.sqlite')))).toBe('CHECKPOINT_IN_USE')
      },
    )
    expect(await codeOf(receiver.receive('evt_after', Buffer.from('{}'), Date.now()))).toBe(
      'CHECKPOINT_MOVED',
    )
    await receiver.close()
    await shared.close()
    expect(fileRows(two)['deliveries']).toHaveLength(4)
  }, 60_000)

  /** Runs `check` while a move waits for a table of the server. */
  async function whileStopped(
    url: string,
    start: () => Promise<unknown>,
    check: () => Promise<void>,
  ): Promise<void> {
    const postgres = connectPostgres(parsePostgresUrl(url), { statementTimeoutMs: 60_000 })
    let moving: Promise<unknown> = Promise.resolve()
    try {
      await postgres.transaction(async ({ query }) => {
        await query('SET LOCAL idle_in_transaction_session_timeout = 0')
        await query('LOCK TABLE enrich.answers IN ACCESS EXCLUSIVE MODE')
        moving = start()
        const countWaiting = async () => (await query('SELECT FROM pg_locks WHERE NOT granted')).length
        while ((await countWaiting()) === 0) await query('SELECT pg_sleep(0.02)')
        await check()
      })
      await moving
    } finally {
      await postgres.close()
    }
  }

  // More by the environment: MOVE_KILLS=50.
  const killsMin = Number(process.env['MOVE_KILLS'] ?? 9)
  test('killed again and again at any moment on the way to a server and back, no row is lost, and one of both is usable at most', async () => {
    let from = path('0.sqlite')
    await fillFile(from, 3_000)
    open(from).close()
    const before = fileRows(from)
    const program = new URL('../../support/move-child.ts', import.meta.url).href
    let durationMs = 1_000
    let [hop, killCount] = [1, 0]
    let to = newUrl()
    while (killCount < killsMin || hop < 3 || from.startsWith('postgres:')) {
      const child = startProgram(program, from, to)
      await child.nextLine()
      const begunAtMs = performance.now()
      const ended = child.nextLine().catch(() => null)
      const cut = setTimeout(durationMs * 1.1 * Math.random(), null)
      const done = await (killCount < killsMin ? Promise.race([ended, cut]) : ended)
      await child.kill()
      const usable = [await isUsable(from), await isUsable(to)]
      expect(usable.filter((is) => is).length).toBeLessThanOrEqual(1)
      if (done === null) {
        killCount++
        continue
      }
      expect(JSON.parse(done)).toHaveProperty('isDone')
      expect(usable).toEqual([false, true])
      durationMs = performance.now() - begunAtMs
      from = to
      to = ++hop % 2 === 1 ? newUrl() : path(`${hop}.sqlite`)
    }
    expect(fileRows(from)).toEqual(before)
    expect(verifyFile(from)).toMatchObject({ damage: [], problem: null })
  }, 300_000)
})
