import { UserError } from '../../core/errors.js'
import type { PostgresStatements } from '../../platform/postgres/postgres.js'
import type { LocalCopy } from '../checkpoint/postgres/local-copy.js'
import type { SharedStore } from '../checkpoint/postgres/store.js'
import type { RowGroups } from '../input/row-index.js'
import { chooseBaseline, selectRunsToPrune, type WantedOutputs } from './remembered-runs.js'
import type { OutputFigures, RunRecord } from './run-record.js'
import {
  type RunStart,
  type HistoryWriter,
  type KeyedEntry,
  type LastOutput,
  type NewEntry,
  type PruneResult,
  type Marks,
  unpackMarks,
} from './history-writer.js'
import { packRecord, removeTimeline } from './history-rows.js'
import { copyOutputs } from './history-copy.js'
import { SharedEntries } from './shared-entries.js'
import {
  readSharedOutput,
  readSharedFigures,
  readSharedMarks,
  writeSharedMarks,
  writeSharedOutput,
  lockShared,
  toSharedRun,
  readSharedRuns,
  lockAlone,
} from './shared-history-rows.js'
import { isSoundMarks, type StoredMarks } from '../checkpoint/sqlite/history-proof.js'

const nothing: PruneResult = { outputCount: 0, entryCount: 0, stateCount: 0 }

/**
 * Deletes all outputs of a series except the newest, its oldest runs, and everything that is no longer referenced.
 * Entries are only deleted while no other run is active, because it may be about to reference them; otherwise a later
 * run deletes them. Must run in a transaction.
 */
async function pruneShared(
  statements: PostgresStatements,
  series: string,
  runsMax: number,
): Promise<PruneResult> {
  await lockAlone(statements)
  const rows = await readSharedRuns(statements, series)
  const others = rows.filter(({ ended_at_ms: endedAtMs, isGoingOn }) => endedAtMs !== null || !isGoingOn)
  const facts = others.map((row) => ({
    number: row.run_id,
    hasOutput: row.output_id !== null,
    isPublished: row.is_published === 1,
  }))
  const { withoutOutput, gone } = selectRunsToPrune(facts, runsMax)
  if (withoutOutput.size + gone.size === 0) return nothing
  await statements.query('DELETE FROM enrich.history_runs WHERE run_id = ANY($1::bigint[])', [[...gone]])
  const forgotten = others.filter(({ run_id: run }) => withoutOutput.has(run) && !gone.has(run))
  await statements.query(
    `UPDATE enrich.history_runs r SET output_id = NULL, record = n.record
     FROM unnest($1::bigint[], $2::bytea[]) AS n(run_id, record) WHERE r.run_id = n.run_id`,
    [forgotten.map(({ run_id: run }) => run), forgotten.map(({ record }) => removeTimeline(record))],
  )
  await statements.query(
    `DELETE FROM enrich.history_outputs o WHERE NOT EXISTS
       (SELECT FROM enrich.history_runs r LEFT JOIN enrich.history_outputs on_it ON on_it.output_id = r.output_id
        WHERE o.output_id IN (r.output_id, on_it.base_id))`,
  )
  const outputCount = withoutOutput.size
  if (await isAnyAtWork(statements)) return { ...nothing, outputCount }
  const entryCount = await removeOthers(statements, await findNeededEntries(statements))
  const states = await statements.query(
    `DELETE FROM enrich.history_states s
     WHERE NOT EXISTS (SELECT FROM enrich.history_entries e WHERE e.state_id = s.state_id) RETURNING 1`,
  )
  return { outputCount, entryCount, stateCount: states.length }
}

/** Any worker that is not fenced may still store an output. */
async function isAnyAtWork(statements: PostgresStatements): Promise<boolean> {
  const rows = await statements.query(
    `SELECT 1 FROM enrich.history_runs r JOIN enrich.workers w USING (worker_id)
     WHERE r.ended_at_ms IS NULL AND NOT w.is_fenced LIMIT 1`,
  )
  return rows.length > 0
}

/** Returns the entries of the outputs that any run still has. Drops outputs that cannot be read. */
async function findNeededEntries(statements: PostgresStatements): Promise<Set<number>> {
  const outputs = await statements.query<{ outputId: number }>(
    'SELECT DISTINCT output_id AS "outputId" FROM enrich.history_runs WHERE output_id IS NOT NULL',
  )
  const needed = new Set<number>()
  for (const { outputId } of outputs) {
    const entries = await readSharedOutput(statements, outputId)
    if (entries === null)
      await statements.query('UPDATE enrich.history_runs SET output_id = NULL WHERE output_id = $1', [
        outputId,
      ])
    for (const entry of entries ?? []) needed.add(entry)
  }
  const marks = await statements.query<{ series: string }>('SELECT series FROM enrich.history_marks')
  for (const { series } of marks) {
    const [row] = await statements.query<StoredMarks>(
      'SELECT series, output_id, form, packed, checksum FROM enrich.history_marks WHERE series = $1',
      [series],
    )
    if (row === undefined || !isSoundMarks(row)) continue
    for (const entry of unpackMarks(row.packed).values) needed.add(entry)
  }
  return needed
}

/** Number of entries checked by one statement. */
const entriesAtOnce = 50_000

async function removeOthers(statements: PostgresStatements, needed: ReadonlySet<number>): Promise<number> {
  let count = 0
  for (let after = 0; ;) {
    const page = await statements.query<{ entryId: number }>(
      'SELECT entry_id AS "entryId" FROM enrich.history_entries WHERE entry_id > $1 ORDER BY entry_id LIMIT $2',
      [after, entriesAtOnce],
    )
    const last = page.at(-1)
    if (last === undefined) return count
    after = last.entryId
    const others = page.flatMap(({ entryId }) => (needed.has(entryId) ? [] : [entryId]))
    if (others.length === 0) continue
    await statements.query('DELETE FROM enrich.history_entries WHERE entry_id = ANY($1::bigint[])', [others])
    count += others.length
  }
}

/**
 * Writes the history of a run on PostgreSQL. Other runs of the series may do so at the same time. Other processes do
 * not delete what the run references until they consider its process dead.
 */
export class SharedHistory implements HistoryWriter {
  readonly #store: SharedStore
  readonly #copy: LocalCopy
  readonly #entries: SharedEntries

  /** `copy`: the local file for readers on this machine. */
  constructor(store: SharedStore, copy: LocalCopy) {
    this.#store = store
    this.#copy = copy
    this.#entries = new SharedEntries(store)
  }

  /** A process has one run; a repeated call after a lost connection returns the same one. */
  begin({ series, startedAtMs, record }: RunStart): Promise<number> {
    return this.#store.withTransaction(async (statements) => {
      await lockShared(statements)
      const [run] = await statements.query<{ number: number }>(
        `INSERT INTO enrich.history_runs (series, started_at_ms, record, worker_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (worker_id) DO UPDATE SET record = excluded.record RETURNING run_id AS number`,
        [series, startedAtMs, packRecord(record), this.#store.workerId],
      )
      if (run === undefined) throw new Error('the run was not created')
      return run.number
    })
  }

  async readLast(series: string, form: string): Promise<LastOutput | null> {
    const found = await readSharedMarks(this.#store, series, form)
    const rows = found === null ? null : await readSharedOutput(this.#store, found.outputId)
    return rows === null ? null : { rows, marks: found?.marks ?? null }
  }

  addEntries(entries: readonly NewEntry[]): Promise<number[]> {
    return this.#entries.add(entries)
  }

  addKeyedEntries(entries: readonly KeyedEntry[]): Promise<number[]> {
    return this.#entries.addKeyed(entries)
  }

  async storeOutput(
    run: number,
    rows: Uint32Array,
    form: string,
    marks: Marks,
    groups: RowGroups | null = null,
  ): Promise<OutputFigures> {
    const stored = await this.#store.withTransaction(async (statements) => {
      await this.#assertLives(statements)
      const [row] = await statements.query<{ series: string }>(
        'SELECT series FROM enrich.history_runs WHERE run_id = $1 FOR UPDATE',
        [run],
      )
      if (row === undefined) throw new Error(`the record of run ${run} is missing`)
      const outputId = await writeSharedOutput(statements, row.series, rows)
      await statements.query('UPDATE enrich.history_runs SET output_id = $2 WHERE run_id = $1', [
        run,
        outputId,
      ])
      await writeSharedMarks(statements, { series: row.series, outputId, form }, marks)
      return { series: row.series, outputId }
    })
    return readSharedFigures(this.#store, stored, rows, groups)
  }

  /** Among concurrent runs, the baseline is the one that began earlier and has ended by now. */
  async baseline(run: number, series: string): Promise<number | null> {
    const runs = await readSharedRuns(this.#store, series)
    return chooseBaseline(runs.map(toSharedRun), { number: run, series })
  }

  copyForReading(wanted: WantedOutputs): Promise<void> {
    return this.#store.withTransaction((statements) => copyOutputs(statements, this.#copy, wanted))
  }

  async publish(run: number, baseline: number | null, record: RunRecord): Promise<void> {
    await this.#store.query(
      'UPDATE enrich.history_runs SET is_published = true, baseline = $2, record = $3 WHERE run_id = $1',
      [run, baseline, packRecord(record)],
    )
  }

  async end(run: number, endedAtMs: number, exitCode: number, record: RunRecord): Promise<void> {
    await this.#store.query(
      'UPDATE enrich.history_runs SET ended_at_ms = $2, exit_code = $3, record = $4 WHERE run_id = $1',
      [run, endedAtMs, exitCode, packRecord(record)],
    )
  }

  prune(series: string, runsMax: number): Promise<PruneResult> {
    return this.#store.withTransaction((statements) => pruneShared(statements, series, runsMax))
  }

  /** While the worker is alive, no process deletes its references; the row lock keeps it alive in the transaction. */
  async #assertLives(statements: PostgresStatements): Promise<void> {
    const rows = await statements.query(
      'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_fenced FOR SHARE',
      [this.#store.workerId],
    )
    if (rows.length === 1) return
    throw new UserError('CHECKPOINT_LEASE_LOST', 'another process considered this one dead', {
      hint: 'the output is complete; the next run is compared with the run before this one',
    })
  }
}
