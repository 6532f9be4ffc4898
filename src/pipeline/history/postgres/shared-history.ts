import { UserError } from '../../../core/errors.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LocalCopy } from '../../checkpoint/postgres/local-copy.js'
import type { SharedStore } from '../../checkpoint/postgres/store.js'
import type { RowGroups } from '../../input/row-groups.js'
import { baselineOf } from '../../rules/baseline.js'
import type { OutputFigures, RunRecord } from '../../rules/run-record.js'
import type { WantedOutputs } from '../history.js'
import type { BegunRun, HistoryWriter, KeyedEntry, LastOutput, NewEntry, Thinned } from '../history-writer.js'
import type { Marks } from '../marks.js'
import { packRecord } from '../run-rows.js'
import { copyOutputs } from './copy-outputs.js'
import { SharedEntries } from './shared-entries.js'
import {
  readSharedOutput,
  sharedFigures,
  sharedMarks,
  writeSharedMarks,
  writeSharedOutput,
} from './shared-outputs.js'
import { lockShared, rememberedShared, sharedRunsOf } from './shared-runs.js'
import { thinShared } from './thin-shared.js'

/**
 * What a run writes down of itself on PostgreSQL, where others of its series may do the same at the same time. What it
 * refers to is forgotten by nobody while its process is not taken to be gone.
 */
export class SharedHistory implements HistoryWriter {
  readonly #store: SharedStore
  readonly #copy: LocalCopy
  readonly #entries: SharedEntries

  /** `copy`: where readers of this machine read. */
  constructor(store: SharedStore, copy: LocalCopy) {
    this.#store = store
    this.#copy = copy
    this.#entries = new SharedEntries(store)
  }

  /** One run a process: begun twice, since nobody knew whether it was, it is the same. */
  begin({ series, startedAtMs, record }: BegunRun): Promise<number> {
    return this.#store.transaction(async (statements) => {
      await lockShared(statements)
      const [run] = await statements.query<{ number: number }>(
        `INSERT INTO enrich.history_runs (series, started_at_ms, record, worker_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (worker_id) DO UPDATE SET record = excluded.record RETURNING run_id AS number`,
        [series, startedAtMs, packRecord(record), this.#store.workerId],
      )
      if (run === undefined) throw new Error('a run was not begun')
      return run.number
    })
  }

  async last(series: string, form: string): Promise<LastOutput | null> {
    const found = await sharedMarks(this.#store, series, form)
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
    const stored = await this.#store.transaction(async (statements) => {
      await this.#assertLives(statements)
      const [row] = await statements.query<{ series: string }>(
        'SELECT series FROM enrich.history_runs WHERE run_id = $1 FOR UPDATE',
        [run],
      )
      if (row === undefined) throw new Error(`run ${run} was begun, and is not there`)
      const outputId = await writeSharedOutput(statements, row.series, rows)
      await statements.query('UPDATE enrich.history_runs SET output_id = $2 WHERE run_id = $1', [
        run,
        outputId,
      ])
      await writeSharedMarks(statements, { series: row.series, outputId, form }, marks)
      return { series: row.series, outputId }
    })
    return sharedFigures(this.#store, stored, rows, groups)
  }

  /** Of others that end at the same time, the one that began before it and has ended by now. */
  async baseline(run: number, series: string): Promise<number | null> {
    const runs = await sharedRunsOf(this.#store, series)
    return baselineOf(runs.map(rememberedShared), { number: run, series })
  }

  copyForReading(wanted: WantedOutputs): Promise<void> {
    return this.#store.transaction((statements) => copyOutputs(statements, this.#copy, wanted))
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

  thin(series: string, runsMax: number): Promise<Thinned> {
    return this.#store.transaction((statements) => thinShared(statements, series, runsMax))
  }

  /** Nobody may have forgotten what the output refers to; held until the transaction ends. */
  async #assertLives(statements: PostgresStatements): Promise<void> {
    const rows = await statements.query(
      'SELECT FROM enrich.workers WHERE worker_id = $1 AND NOT is_fenced FOR SHARE',
      [this.#store.workerId],
    )
    if (rows.length === 1) return
    throw new UserError('CHECKPOINT_LEASE_LOST', 'others took this process to be gone', {
      hint: 'the output is complete; the next run is compared with the one before this',
    })
  }
}
