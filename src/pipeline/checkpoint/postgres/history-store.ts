import { UserError } from '../../../core/errors.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { runProgram } from '../../../platform/sql-program.js'
import type {
  HistoryRows,
  HistoryStore,
  KeyedEntry,
  NewEntry,
  NewOutput,
  RemovedRows,
  RunChange,
  RunRow,
} from '../history-store.js'
import { packMarks, readNeededEntries, writeMarks, writeOutput } from '../history-tables.js'
import { EntryWriter } from './history-entries.js'
import { PostgresHistoryRows } from './history-rows.js'
import type { SharedStore } from './store.js'

/**
 * Writes the history of a run on a server. Other runs of the series may do so at the same time. Other processes do not
 * delete what the run references until they consider its process dead.
 */
export class PostgresHistoryStore implements HistoryStore {
  readonly rows: HistoryRows
  readonly #store: SharedStore
  readonly #entries: EntryWriter

  constructor(store: SharedStore, url: string) {
    this.#store = store
    this.rows = new PostgresHistoryRows((text, values) => store.query(text, values), url)
    this.#entries = new EntryWriter(store)
  }

  beginRun(run: Pick<RunRow, 'series' | 'started_at_ms' | 'record'>): Promise<number> {
    return this.#store.withTransaction(async (statements) => {
      await lockShared(statements)
      const [begun] = await statements.query<{ number: number }>(
        `INSERT INTO enrich.history_runs (series, started_at_ms, record, worker_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (worker_id) DO UPDATE SET record = excluded.record RETURNING run_id AS number`,
        [run.series, run.started_at_ms, run.record, this.#store.worker.id],
      )
      if (begun === undefined) throw new Error('the run was not created')
      return begun.number
    })
  }

  changeRuns(changes: readonly RunChange[]): Promise<void> {
    return this.#store.withTransaction(async (statements) => {
      const removed = changes.flatMap(({ run, change }) => (change === null ? [run] : []))
      if (removed.length > 0)
        await statements.query('DELETE FROM enrich.history_runs WHERE run_id = ANY($1::bigint[])', [removed])
      for (const { run, change } of changes) if (change !== null) await changeRun(statements, run, change)
    })
  }

  addEntries(entries: readonly (NewEntry | KeyedEntry)[]): Promise<number[]> {
    return this.#entries.add(entries)
  }

  storeOutput({ run, rows, form, marks }: NewOutput): Promise<number> {
    return this.#store.withTransaction(async (statements) => {
      await this.#assertLives(statements)
      const [row] = await statements.query<{ series: string }>(
        'SELECT series FROM enrich.history_runs WHERE run_id = $1 FOR UPDATE',
        [run],
      )
      if (row === undefined) throw new Error(`the record of run ${run} is missing`)
      const { series } = row
      const outputId = await runProgram(statements, writeOutput(series, rows))
      await changeRun(statements, run, { output_id: outputId })
      const written = { series, output_id: outputId, form, packed: packMarks(marks) }
      await runProgram(statements, writeMarks(written))
      return outputId
    })
  }

  removeUnused(): Promise<RemovedRows> {
    return this.#store.withTransaction(async (statements) => {
      await lockAlone(statements)
      await statements.query(
        `DELETE FROM enrich.history_outputs o WHERE NOT EXISTS
           (SELECT FROM enrich.history_runs r LEFT JOIN enrich.history_outputs on_it ON on_it.output_id = r.output_id
            WHERE o.output_id IN (r.output_id, on_it.base_id))`,
      )
      if (await isAnyAtWork(statements)) return { entryCount: 0, stateCount: 0 }
      const { entries, damaged } = await runProgram(statements, readNeededEntries())
      await statements.query(
        'UPDATE enrich.history_runs SET output_id = NULL WHERE output_id = ANY($1::bigint[])',
        [damaged],
      )
      const entryCount = await removeOthers(statements, entries)
      const states = await statements.query(
        `DELETE FROM enrich.history_states s
         WHERE NOT EXISTS (SELECT FROM enrich.history_entries e WHERE e.state_id = s.state_id) RETURNING 1`,
      )
      return { entryCount, stateCount: states.length }
    })
  }

  /** While the worker is alive, no process deletes its references; the row lock keeps it alive in the transaction. */
  async #assertLives(statements: PostgresStatements): Promise<void> {
    const rows = await statements.query(
      'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_fenced FOR SHARE',
      [this.#store.worker.id],
    )
    if (rows.length === 1) return
    throw new UserError('CHECKPOINT_LEASE_LOST', 'another process considered this one dead', {
      hint: 'the output is complete; the next run is compared with the run before this one',
    })
  }
}

/** Advisory lock until a transaction ends: shared to begin a run, exclusive to delete entries. Any number. */
const historyLock = 7_305_511_969

const lockShared = ({ query }: PostgresStatements) =>
  query('SELECT pg_advisory_xact_lock_shared($1)', [historyLock])

const lockAlone = ({ query }: PostgresStatements) => query('SELECT pg_advisory_xact_lock($1)', [historyLock])

async function changeRun(
  { query }: PostgresStatements,
  run: number,
  { is_published: isPublished, ...change }: NonNullable<RunChange['change']>,
): Promise<void> {
  const values = isPublished === undefined ? change : { ...change, is_published: isPublished === 1 }
  const columns = Object.keys(values).map((column, at) => `${column} = $${at + 2}`)
  await query(`UPDATE enrich.history_runs SET ${columns.join(', ')} WHERE run_id = $1`, [
    run,
    ...Object.values(values),
  ])
}

/** Any worker that is not fenced may still store an output. */
async function isAnyAtWork({ query }: PostgresStatements): Promise<boolean> {
  const rows = await query(
    `SELECT 1 FROM enrich.history_runs r JOIN enrich.workers w USING (worker_id)
     WHERE r.ended_at_ms IS NULL AND NOT w.is_fenced LIMIT 1`,
  )
  return rows.length > 0
}

/** Entries checked by one statement. */
const entriesAtOnce = 50_000

async function removeOthers({ query }: PostgresStatements, needed: ReadonlySet<number>): Promise<number> {
  let count = 0
  for (let after = 0; ;) {
    const page = await query<{ entryId: number }>(
      'SELECT entry_id AS "entryId" FROM enrich.history_entries WHERE entry_id > $1 ORDER BY entry_id LIMIT $2',
      [after, entriesAtOnce],
    )
    const last = page.at(-1)
    if (last === undefined) return count
    after = last.entryId
    const others = page.flatMap(({ entryId }) => (needed.has(entryId) ? [] : [entryId]))
    if (others.length === 0) continue
    await query('DELETE FROM enrich.history_entries WHERE entry_id = ANY($1::bigint[])', [others])
    count += others.length
  }
}
