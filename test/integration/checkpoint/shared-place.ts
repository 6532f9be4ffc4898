import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { prepareQueries } from '../../../src/pipeline/checkpoint/sqlite/queries.js'
import { buildChecksumSql, listCoveredColumns } from '../../../src/pipeline/checkpoint/tables.js'
import { LocalCopy } from '../../../src/pipeline/checkpoint/postgres/local-copy.js'
import { openPostgresCheckpoint } from '../../../src/pipeline/checkpoint/postgres/shared-run.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import { findSharedDamage } from '../../../src/pipeline/checkpoint/postgres/verify.js'
import type { SharedStore } from '../../../src/pipeline/checkpoint/postgres/store.js'
import type { Worker } from '../../../src/pipeline/checkpoint/postgres/lease.js'
import { openToWrite } from '../../../src/pipeline/checkpoint/sqlite/open-database.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import type { Postgres, PostgresStatements } from '../../../src/platform/postgres/postgres.js'
import type { Sqlite } from '../../../src/platform/sqlite.js'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { expect } from 'vitest'
import { job, scope, startMs } from './support.js'

export interface OpenedShared {
  checkpoint: Checkpoint
  /** Executes statements of the run. */
  store: SharedStore
  /** What readers read. */
  copy: LocalCopy
  worker: TestWorker
  postgres: Postgres
}

/** Tests say what becomes of it. */
type TestWorker = { -readonly [Member in keyof Worker]: Worker[Member] }

/** Shared checkpoints by name, each a database of one server, which is started when the first is opened. */
export class SharedPlace {
  readonly #programs: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'enrich-shared-'))
  readonly #names = new Map<string, Promise<string>>()
  #server: Promise<PostgresServer> | null = null

  constructor(programs: string) {
    this.#programs = programs
  }

  server(): Promise<PostgresServer> {
    return (this.#server ??= startPostgres(this.#programs))
  }

  /** Made as needed, empty. */
  url(name: string): Promise<string> {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const database = `c${this.#names.size}`
    const made = this.server().then((server) => {
      return server.createDatabase(database)
    })
    this.#names.set(name, made)
    return made
  }

  /** A process of its own, as far as the checkpoint can tell. */
  async open(
    name: string,
    whose: { scope?: string; job?: string; retried?: readonly string[] } = {},
  ): Promise<OpenedShared> {
    const own = { scope, job, ...whose }
    const shared = await openShared(await this.url(name), {
      clock: systemClock,
      random: systemRandom,
    })
    const { postgres } = shared
    const copy = new LocalCopy(this.#folder)
    const worker = await joinWorker(postgres, own.job, async () => {
      copy.close()
      await shared.close()
    })
    const { checkpoint, store } = await openPostgresCheckpoint({
      run: { ...own, nowMs: startMs },
      random: systemRandom,
      clock: systemClock,
      database: shared,
      worker,
      copy,
      turnsOf: null,
    })
    return { checkpoint, store, copy, worker, postgres }
  }

  /** Statements of somebody who looks from outside. */
  async asked<Result>(
    name: string,
    ask: (statements: PostgresStatements) => Promise<Result>,
  ): Promise<Result> {
    const postgres = connectPostgres(parsePostgresUrl(await this.url(name)))
    try {
      return await ask(postgres)
    } finally {
      await postgres.close()
    }
  }

  everyRow(name: string): Promise<unknown> {
    return this.asked(name, (statements) =>
      Promise.all(
        ['lookups', 'submissions', 'answers', 'jobs', 'job_kinds'].map((table) =>
          statements.query(`SELECT * FROM enrich.${table} ORDER BY 1, 2`),
        ),
      ),
    )
  }

  /** What the judge of several processes looks at: counts agree with the submissions, states with each other. */
  async assertSound(name: string): Promise<void> {
    expect(await this.asked(name, findSharedDamage)).toEqual([])
  }

  /** All of it as a file. */
  async copyAll(name: string, path: string): Promise<void> {
    const tables = await this.asked(name, async (statements) => {
      const rows = async (table: string, columns: readonly string[]) =>
        [
          table,
          columns,
          await statements.query(`SELECT ${columns.join(', ')} FROM enrich.${table} ORDER BY 1`),
        ] as const
      return [
        await rows('scopes', listCoveredColumns('scopes')),
        await rows('jobs', listCoveredColumns('jobs')),
        await rows('lookups', ['lookup_id', ...listCoveredColumns('lookups')]),
        await rows(
          'submissions',
          listCoveredColumns('submissions').filter((column) => column !== 'chain'),
        ),
      ]
    })
    const answers = await this.asked(name, (statements) =>
      statements.query<Parameters<ReturnType<typeof prepareQueries>['insertAnswer']['run']>[0]>(
        `SELECT lookup_id AS "lookupId", run_id AS "runId", outcome, line_version AS "lineVersion",
           answered_at_ms AS "answeredAtMs", packing, line_bytes AS "lineBytes", body_bytes AS "bodyBytes", packed
         FROM enrich.answers`,
      ),
    )
    openCheckpoint({ path, scope: 'none', job: 'none', nowMs: startMs, random: systemRandom }).close()
    const file = openToWrite(path)
    const write = (database: Sqlite) => {
      database.exec('DELETE FROM jobs; DELETE FROM scopes')
      for (const [table, columns, rows] of tables) {
        const insert = database.prepare(
          `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
        )
        for (const row of rows) insert.run(row)
      }
      database.exec(`UPDATE lookups SET checksum = ${buildChecksumSql('lookups')}`)
      // The queries of a run read its list of lookups.
      database.exec('CREATE TEMP TABLE wanted (scope_id, position, lookup_id, is_first, is_decided)')
      const { insertAnswer } = prepareQueries(database)
      for (const answer of answers) insertAnswer.run(answer)
    }
    file.transaction(write)(file)
    file.close()
  }

  async remove(): Promise<void> {
    if (this.#server !== null) await (await this.#server).stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Lives until it is closed: nothing renews its lease, and so long lasts no test. */
async function joinWorker(
  postgres: Postgres,
  ofJob: string,
  closed: () => Promise<void>,
): Promise<TestWorker> {
  const [row] = await postgres.query<{ id: number }>(
    `INSERT INTO enrich.workers (name, job, lease_until) VALUES ('test', $1, clock_timestamp() + interval '9 minutes')
     RETURNING worker_id AS id`,
    [ofJob],
  )
  const id = row?.id ?? 0
  return {
    id,
    term: 1,
    hold: null,
    end: null,
    mayLeave: () => true,
    setActivity: () => undefined,
    close: async () => {
      await postgres.query('UPDATE enrich.workers SET ended_at = clock_timestamp() WHERE worker_id = $1', [
        id,
      ])
      await closed()
    },
  }
}
