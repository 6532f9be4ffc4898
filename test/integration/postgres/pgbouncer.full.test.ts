import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openWorker } from '../../../src/pipeline/checkpoint/postgres/lease.js'
import { openShared, type SharedDatabase } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { openSharedTurns } from '../../../src/pipeline/checkpoint/postgres/shared-turns.js'
import { sweep } from '../../../src/pipeline/checkpoint/postgres/sweep.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../../support/pgbouncer.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'

const programs = findPostgres() ?? ''

describe.skipIf(programs === '' || !hasPgbouncer())('through pgbouncer in transaction mode', () => {
  let server: PostgresServer
  let bouncer: Pgbouncer
  let all: SharedDatabase[] = []

  beforeAll(async () => {
    server = await startPostgres(programs)
    bouncer = await startPgbouncer(server, { connectionsMax: 2 })
    // More of them than there are connections to the server.
    const deps = { clock: systemClock, random: systemRandom }
    all = await Promise.all(Array.from({ length: 6 }, () => openShared(bouncer.url(), deps)))
  })
  afterAll(async () => {
    await Promise.all(all.map((shared) => shared.close()))
    await bouncer.stop()
    await server.stop()
  })

  test('many processes open one checkpoint', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(
      Number(server.sql(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'enrich'`)),
    ).toBeLessThanOrEqual(2)
  })

  test('transactions do not mix, and what is set for one ends with it', async () => {
    const counted = await Promise.all(
      all.flatMap(({ postgres }) =>
        [1, 2, 3].map(() =>
          postgres.transaction(async ({ query }) => {
            const before = await query('SELECT pg_backend_pid() AS id, txid_current() AS transaction')
            await query('SELECT pg_sleep(0.01)')
            expect(await query('SELECT pg_backend_pid() AS id, txid_current() AS transaction')).toEqual(
              before,
            )
            return before
          }),
        ),
      ),
    )
    expect(counted).toHaveLength(18)
    const timeouts = await Promise.all(all.map(({ postgres }) => postgres.query('SHOW statement_timeout')))
    expect(timeouts.flat()).toEqual(all.map(() => ({ statement_timeout: '0' })))
  })

  test('leases are renewed, those that ran out are swept, and turns are given', async () => {
    // Longer than psql, which is waited for below, can keep this process from renewing.
    const times = { lease: 60_000, renewEvery: 100, clockJumpMax: 1_000 }
    const workers = await Promise.all(
      all.map(({ prompt, server: identity }) =>
        openWorker({ prompt, server: identity, clock: systemClock, job: '', times }),
      ),
    )
    const renewals = () =>
      server
        .sql('SELECT string_agg(lease_until::text, chr(10) ORDER BY worker_id) FROM enrich.workers')
        .split('\n')
    const first = renewals()
    await vi.waitUntil(() => renewals().every((until, index) => until !== first[index]), { timeout: 20_000 })
    expect(workers.map((worker) => worker.mayLeave())).toEqual(workers.map(() => true))
    server.sql(
      "INSERT INTO enrich.workers (name, job, lease_until) VALUES ('gone', '', clock_timestamp() - interval '1 second')",
    )
    await sweep(all[0]!.postgres)
    expect(server.sql("SELECT is_swept FROM enrich.workers WHERE name = 'gone'")).toBe('t')
    const turns = await Promise.all(
      all.map(({ prompt }) =>
        openSharedTurns({
          prompt,
          clock: systemClock,
          random: systemRandom,
          keyHash: 'k',
          route: 'r',
          windowMs: 60_000,
        }).take(5, false, new AbortController().signal),
      ),
    )
    expect(turns.map((turn) => turn?.givenCount).sort()).toEqual([1, 2, 3, 4, 5, 6])
    await Promise.all(workers.map((worker) => worker.close()))
  })
})
