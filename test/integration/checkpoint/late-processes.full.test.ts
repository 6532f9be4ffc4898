import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import type { Intention } from '../../../src/pipeline/checkpoint/records.js'
import type { LeaseTimes } from '../../../src/pipeline/checkpoint/postgres/lease.js'
import { readSharedStatus } from '../../../src/pipeline/checkpoint/postgres/status.js'
import {
  joinSharedCheckpoint,
  type SharedRunDeps,
} from '../../../src/pipeline/checkpoint/postgres/shared-run.js'
import { createEmptyPlan, type PlanPolicy } from '../../../src/core/lookup-state.js'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { answerTo, job, keyed, scope, startMs } from './support.js'
import { makeFolder } from '../../support/temporary-folder.js'

const programs = findPostgres() ?? ''
/** Longer than it takes to ask the server by a program of its own, on a busy machine too. */
const times: LeaseTimes = { lease: 3_000, renewEvery: 100, clockJumpMax: 5_000 }
const policy: PlanPolicy = { nowMs: startMs, maxAgeMs: null, onLost: 'hold' }
const never = new AbortController().signal

describe.skipIf(programs === '')('a process that is taken to be gone, and lives', () => {
  const folder = makeFolder()
  let server: PostgresServer
  let proxy: TcpProxy
  let database = ''
  let count = 0
  const closes: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    server = await startPostgres(programs)
    proxy = await startTcpProxy(server.port)
  })
  beforeEach(() => {
    database = `late_${++count}`
    server.sql(`CREATE DATABASE ${database}`)
  })
  afterEach(async () => {
    proxy.cut()
    await closeAll()
  })
  afterAll(async () => {
    proxy.close()
    await server.stop()
  })

  const closeLater = (close: () => void | Promise<void>) => closes.unshift(close)
  const closeAll = async () => {
    for (const close of closes.splice(0)) await close()
  }
  const sql = (text: string) => server.sql(text, database)
  const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 30_000, interval: 100 })
  const direct = () => server.url({ database })
  const proxied = () => direct().replace(`:${server.port}/`, `:${proxy.port}/`)

  /** As the submitter does: what may not leave, since its term is over on a machine that stood still, is withdrawn. */
  async function leaving(checkpoint: Checkpoint, id: number, intention: Intention): Promise<Intention> {
    for (let tries = 0; tries < 20 && !intention.mayLeave(); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    if (intention.mayLeave()) return intention
    await checkpoint.apply({
      event: 'withdraw',
      lookupId: id,
      customId: intention.customId,
      reason: 'the lease expired before it was sent',
    })
    return leaving(checkpoint, id, (await checkpoint.intend(id, startMs)) as Intention)
  }

  /**
   * Intends a lookup so that the reply is lost, and waits for what becomes of it. Where the way to the server was taken by
   * another statement, whose reply is lost too, nothing was sent: then once more. Answers with how often it was tried.
   */
  async function intendUnheard(checkpoint: Checkpoint, id: number, state: string) {
    for (let tries = 1; ; tries++) {
      proxy.hush()
      const intending = checkpoint.intend(id, startMs)
      const isSo = () => sql(`SELECT state FROM enrich.lookups WHERE lookup_id = ${id}`) === state
      const came = await vi.waitUntil(isSo, { timeout: 8_000, interval: 100 }).catch(() => false)
      proxy.cut()
      if (came) return { intending, tries }
      await checkpoint.apply({
        event: 'withdraw',
        lookupId: id,
        customId: ((await intending) as Intention).customId,
        reason: 'it never left',
      })
    }
  }

  /** The whole of a run's way in: leases, sweeps, and all. */
  async function joined(url: string, more: Partial<SharedRunDeps> = {}): Promise<Checkpoint> {
    const shared = await joinSharedCheckpoint(
      {
        location: { url, apiKey: () => null },
        folder,
        clock: systemClock,
        random: systemRandom,
        acceptRollback: false,
        times,
        ...more,
      },
      closeLater,
    )
    const opening = { path: shared.path, scope, job, nowMs: startMs, random: systemRandom }
    const checkpoint = await shared.openCheckpoint(opening)
    closeLater(() => checkpoint.close())
    return checkpoint
  }

  test('goes on with what it wanted, in its next term', async () => {
    const a = await joined(direct())
    const ids = await a.store.register(keyed('Acme', 'Other', 'Last'))
    const first = (await a.intend(ids[0]!, startMs)) as Intention
    // As whoever swept meanwhile would have it.
    sql(`WITH gone AS (UPDATE enrich.workers SET is_fenced = true, is_swept = true, fenced_at = clock_timestamp())
      UPDATE enrich.lookups SET state = 'uncertain', worker_id = NULL WHERE state = 'intended'`)
    let second = (await a.intend(ids[1]!, startMs)) as Intention
    // It may be fenced, and go on, while this was on its way: then it is of the earlier term.
    if (!second.mayLeave()) {
      await a.apply({
        event: 'withdraw',
        lookupId: ids[1]!,
        customId: second.customId,
        reason: 'it never left',
      })
      second = (await a.intend(ids[1]!, startMs)) as Intention
    }
    expect([first.mayLeave(), second.mayLeave()]).toEqual([false, true])
    expect(
      await a.apply({
        event: 'withdraw',
        lookupId: ids[0]!,
        customId: first.customId,
        reason: 'it never left',
      }),
    ).toBe(true)
    expect(
      await a.apply({
        event: 'accept',
        lookupId: ids[1]!,
        customId: second.customId,
        runId: 'run_2',
        nowMs: startMs,
      }),
    ).toBe(true)
    expect(await a.apply({ event: 'answer', lookupId: ids[1]!, answer: answerTo('run_2') })).toBe(true)
    expect(await a.plan(policy)).toEqual({ ...createEmptyPlan(), submit: 2, answered: 1 })
    expect((await a.read('to_submit', { after: 0, count: 9 })).map(({ lookup }) => lookup.name)).toEqual([
      'Acme',
      'Last',
    ])
    expect(sql('SELECT worker_id, term, is_fenced FROM enrich.workers')).toBe('1|2|f')
  })

  test.each([
    ['ahead', '-'],
    ['back', '+'],
  ])(
    'a server whose clock jumps %s: all are taken to be gone, the dead too, and those that live go on',
    async (_, sign) => {
      const a = await joined(direct())
      const b = await joined(direct())
      const [first = 0, second = 0] = await a.store.register(keyed('Acme', 'Other'))
      await b.store.register(keyed('Acme', 'Other'))
      const early = (await a.intend(first, startMs)) as Intention
      sql(`INSERT INTO enrich.workers (name, job, lease_until) VALUES ('dead', 'x', clock_timestamp());
      UPDATE enrich.workers SET lease_until = lease_until ${sign} interval '1 hour'`)
      await until(() => sql("SELECT is_fenced FROM enrich.workers WHERE name = 'dead'") === 't')
      const late = await leaving(b, second, (await b.intend(second, startMs)) as Intention)
      // By its own clock the lease lasts: it leaves, or is taken back, and is nobody else's either way.
      expect(await b.intend(first, startMs)).toBe('elsewhere')
      expect(
        await a.apply({
          event: 'accept',
          lookupId: first,
          customId: early.customId,
          runId: 'run_1',
          nowMs: startMs,
        }),
      ).toBe(true)
      expect(
        await b.apply({
          event: 'accept',
          lookupId: second,
          customId: late.customId,
          runId: 'run_2',
          nowMs: startMs,
        }),
      ).toBe(true)
      expect(await a.read('spent')).toBe(2)
    },
  )

  test('withdraws what it had intended when its connection broke, and which others took since', async () => {
    const a = await joined(proxied())
    const b = await joined(direct())
    const [id = 0] = await a.store.register(keyed('Acme'))
    await b.store.register(keyed('Acme'))
    const { intending } = await intendUnheard(a, id, 'uncertain')
    const { attempt } = await leaving(a, id, (await intending) as Intention)
    expect(attempt).toBeGreaterThan(1)
    const verdicts = sql('SELECT verdict FROM enrich.submissions ORDER BY attempt').split('\n')
    expect(verdicts).toEqual([...Array.from({ length: attempt - 1 }, () => 'not_created'), 'intended'])
    expect(await a.read('spent')).toBe(1)
    expect(await b.store.others?.wait('resolution', AbortSignal.timeout(1), 'all')).toBe(false)
  })

  test('finds what it had intended by a statement that came late, and uses it', async () => {
    const a = await joined(proxied())
    const [id = 0] = await a.store.register(keyed('Acme'))
    await until(() => sql('SELECT lease_until > clock_timestamp() FROM enrich.workers') === 't')
    const { intending, tries } = await intendUnheard(a, id, 'intended')
    expect(await intending).toMatchObject({ attempt: tries })
    expect(sql('SELECT count(*) FROM enrich.submissions')).toBe(String(tries))
  })

  test('says to others what it does', async () => {
    const a = await joined(direct(), { part: { index: 3, count: 8 } })
    const does = async (text: string) => {
      await until(() => sql('SELECT doing FROM enrich.workers') === text)
    }
    const [id = 0] = await a.store.register(keyed('Acme'))
    await does('reading the input')
    const { customId } = (await a.intend(id, startMs)) as Intention
    await does('submitting, 1 in flight')
    await a.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: startMs })
    await does('waiting for answers')
    await a.apply({ event: 'answer', lookupId: id, answer: answerTo('run_1') })
    await a.store.others?.wait('resolution', never, 'all')
    await does('waiting for others')
    await a.store.others?.copyForReading()
    await does('publishing part 3/8')
    const postgres = connectPostgres(parsePostgresUrl(direct()))
    closeLater(() => postgres.close())
    const { workers } = await readSharedStatus(postgres)
    expect(workers).toMatchObject([{ doing: 'publishing part 3/8', state: 'alive' }])
  })

  test('one that starts while the server is started again waits for it, and says so once', async () => {
    await joined(direct())
    await closeAll()
    await server.crash()
    const notices: string[] = []
    const joining = joined(direct(), { notice: (text) => notices.push(text) })
    await until(() => notices.length > 0)
    await server.startAgain()
    expect(await (await joining).store.register(keyed('Acme'))).toHaveLength(1)
    expect(notices).toEqual([expect.stringMatching(/connection refused: retrying for 30 seconds\.$/)])
  })

  test('one that starts while the server is away for longer ends, and so does one that is interrupted', async () => {
    const url = direct().replace(`:${server.port}/`, ':1/')
    const unreachable = { code: 'CHECKPOINT_UNREACHABLE', exitCode: 5 }
    await expect(joined(url, { awayMsMax: 300 })).rejects.toMatchObject(unreachable)
    await expect(joined(url, { signal: AbortSignal.abort() })).rejects.toMatchObject(unreachable)
  })
})
