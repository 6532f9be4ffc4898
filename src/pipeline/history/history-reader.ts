import { getSqliteCode, readSchemaVersion, type Sqlite } from '../../platform/sqlite.js'
import { createDamagedError } from '../checkpoint/checkpoint-errors.js'
import { unpackValidState, stateColumns, type StateRow } from '../checkpoint/sqlite/history-proof.js'
import { calculateEntryDigest, historyTables } from '../checkpoint/history-tables.js'
import { withExplainedErrors, openToRead } from '../checkpoint/sqlite/open-database.js'
import {
  type HistoryReader,
  type KnownHistory,
  type PublishedEntry,
  type PublishedOutput,
  type RememberedRun,
  type ScopeSubmissions,
  withSubmissions,
} from './remembered-runs.js'
import { readIdentifiers } from '../../core/stated-identifiers.js'
import { readScope } from '../checkpoint/lookup-state.js'
import { readOutput, toRememberedRun, readRunRows } from './history-rows.js'
import { isHolderAlive } from '../../platform/file-locks.js'

/**
 * Opens the history of a checkpoint, even while a run writes it. Returns `null` if there is no checkpoint. Throws
 * CHECKPOINT_*; its methods throw CHECKPOINT_DAMAGED for damaged data.
 */
export function openHistory(path: string): (HistoryReader & Pick<KnownHistory, 'submissions'>) | null {
  const database = openToRead(path, 'unfinished')
  if (database === null) return null
  if (readSchemaVersion(database) > 0)
    return withExplainedErrors(path, () => new SqliteHistory(database, path))
  database.close()
  return null
}

/**
 * Returns whether the history tables can be written: a damaged page tree may lead into other tables. Uses a separate
 * connection, because a failed check ends the transaction.
 */
export function canWriteHistory(path: string): boolean {
  const database = openToRead(path, 'unfinished')
  try {
    return historyTables.every(
      (table) => database?.pragma(`quick_check(${table})`, { simple: true }) === 'ok',
    )
  } catch (error) {
    if (getSqliteCode(error) === null) throw error
    return false
  } finally {
    database?.close()
  }
}

class SqliteHistory implements HistoryReader, Pick<KnownHistory, 'submissions'> {
  readonly #database: Sqlite
  readonly #path: string

  constructor(database: Sqlite, path: string) {
    this.#database = database
    this.#path = path
  }

  runs(): readonly RememberedRun[] {
    return withExplainedErrors(this.#path, () => {
      const runs = readRunRows(this.#database, null).map(toRememberedRun)
      return runs.map((run, at) => withLedger(this.#database, run, runs[at - 1]?.startedAtMs ?? Infinity))
    })
  }

  submissions(): readonly ScopeSubmissions[] {
    return withExplainedErrors(this.#path, () => countSubmissions(this.#database, -Infinity, Infinity))
  }

  published(run: number): PublishedOutput | null {
    return withExplainedErrors(this.#path, () => {
      const row = readRunRows(this.#database, null).find(({ run_id: number }) => number === run)
      if (row === undefined || row.output_id === null) return null
      const rows = readOutput(this.#database, row.output_id)
      if (rows === null) throw this.#createDamageError(`the output of run ${run}`)
      return {
        run,
        rows,
        entries: (numbers) => this.#readEntries(numbers),
        numbersOf: (isWanted) => this.#findNumbers(isWanted),
      }
    })
  }

  close(): void {
    this.#database.close()
  }

  *#readEntries(numbers: Iterable<number>): Generator<readonly [number, PublishedEntry]> {
    const one = this.#database.prepare<[number], EntryRow>(
      `SELECT e.address, e.row_key AS rowKey, e.name, e.digest AS ofEntry, ${stateColumns}
       FROM history_entries e JOIN history_states s USING (state_id) WHERE entry_id = ?`,
    )
    for (const number of numbers)
      yield [number, this.#toEntry(withExplainedErrors(this.#path, () => one.get(number)))]
  }

  /** Filters by status, which does not require unpacking the states. */
  #findNumbers(isWanted: (status: string) => boolean): number[] {
    return withExplainedErrors(this.#path, () => {
      const statuses = this.#database
        .prepare<[], string>('SELECT DISTINCT status FROM history_states')
        .pluck()
        .all()
      return this.#database
        .prepare<[string], number>(
          `SELECT entry_id FROM history_entries WHERE state_id IN (
             SELECT state_id FROM history_states WHERE status IN (SELECT value FROM json_each(?)))`,
        )
        .pluck()
        .all(JSON.stringify(statuses.filter(isWanted)))
    })
  }

  #toEntry(row: EntryRow | undefined): PublishedEntry {
    const state = row === undefined ? null : unpackValidState(row)
    if (row === undefined || state === null || !calculateEntryDigest(row, row.digest).equals(row.ofEntry))
      throw this.#createDamageError('a row of an output')
    const { address, rowKey, name } = row
    // Identifiers that the lookup carried are not part of the name in the input.
    return { address, rowKey, name: name === null ? null : (readIdentifiers(name).name ?? name), state }
  }

  #createDamageError(what: string): Error {
    return createDamagedError(this.#path, undefined, `${what} is damaged in the history`)
  }
}

/** A file has one writer, so all submissions between the starts of two runs belong to the first. */
function withLedger(database: Sqlite, run: RememberedRun, nextStartedAtMs: number): RememberedRun {
  const { record, startedAtMs } = run
  if (record === null || record.summary !== null) return run
  const submissions = countSubmissions(database, startedAtMs, nextStartedAtMs)
  return { ...run, record: withSubmissions(record, submissions) }
}

/** Counts submissions made in a time span. If billing was confirmed later, the run that confirmed it counts them. */
function countSubmissions(database: Sqlite, fromMs: number, toMs: number): ScopeSubmissions[] {
  const rows = database
    .prepare<{ fromMs: number; toMs: number }, Omit<ScopeSubmissions, 'kind'>>(
      `SELECT scope, sum(verdict IN ('accepted', 'uncertain', 'intended')) AS submittedCount,
         sum(verdict = 'accepted' AND coalesce(accepted_at_ms, 0) < @toMs) AS billedCount,
         sum(verdict IN ('uncertain', 'intended')) AS uncertainCount
       FROM submissions JOIN jobs USING (job_id) JOIN scopes USING (scope_id)
       WHERE intended_at_ms >= @fromMs AND intended_at_ms < @toMs GROUP BY scope`,
    )
    .all({ fromMs, toMs })
  return rows.map(({ scope, ...counts }) => {
    const { base, kind } = readScope(scope)
    return { ...counts, kind, scope: base }
  })
}

type EntryRow = { address: Buffer; rowKey: string | null; name: string | null; ofEntry: Buffer } & StateRow

/** Returns whether a run is writing the checkpoint, without locking it. Throws CHECKPOINT_*. */
export function isRunGoingOn(checkpointPath: string): boolean {
  if (!isHolderAlive(`${checkpointPath}.lock`)) return false
  const history = openHistory(checkpointPath)
  try {
    // The newest run decides, because a process may outlive its run.
    return history?.runs()[0]?.endedAtMs === null
  } finally {
    history?.close()
  }
}
