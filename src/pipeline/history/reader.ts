import { sqliteCode, versionOf, type Sqlite } from '../../platform/sqlite.js'
import { damaged } from '../checkpoint/checkpoint-errors.js'
import { soundState, stateColumns, type StateRow } from '../checkpoint/sqlite/history-proof.js'
import { entryDigest, historyTables } from '../checkpoint/history-tables.js'
import { explained, openToRead } from '../checkpoint/sqlite/open-database.js'
import {
  type HistoryReader,
  type KindSubmissions,
  type KnownHistory,
  type PublishedEntry,
  type PublishedOutput,
  type RememberedRun,
  withSubmissions,
} from './remembered-runs.js'
import { readScope } from '../lookups/lookup-kind.js'
import { readOutput, rememberedOf, runRowsOf } from './history-rows.js'
import { isHolderAlive } from '../../platform/file-locks.js'

/**
 * Opens the history of a checkpoint, even while a run writes it. Returns `null` if there is no checkpoint. Throws
 * CHECKPOINT_*; its methods throw CHECKPOINT_DAMAGED for damaged data.
 */
export function openHistory(path: string): (HistoryReader & Pick<KnownHistory, 'submissions'>) | null {
  const database = openToRead(path, 'unfinished')
  if (database === null) return null
  if (versionOf(database) > 0) return explained(path, () => new SqliteHistory(database, path))
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
    if (sqliteCode(error) === null) throw error
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
    return explained(this.#path, () => {
      const runs = runRowsOf(this.#database, null).map(rememberedOf)
      return runs.map((run, at) => withLedger(this.#database, run, runs[at - 1]?.startedAtMs ?? Infinity))
    })
  }

  submissions(): readonly KindSubmissions[] {
    return explained(this.#path, () => submissionsBetween(this.#database, -Infinity, Infinity))
  }

  published(run: number): PublishedOutput | null {
    return explained(this.#path, () => {
      const row = runRowsOf(this.#database, null).find(({ run_id: number }) => number === run)
      if (row === undefined || row.output_id === null) return null
      const rows = readOutput(this.#database, row.output_id)
      if (rows === null) throw this.#notAsWritten(`the output of run ${run}`)
      return {
        run,
        rows,
        entries: (numbers) => this.#entries(numbers),
        numbersOf: (isWanted) => this.#numbersOf(isWanted),
      }
    })
  }

  close(): void {
    this.#database.close()
  }

  *#entries(numbers: Iterable<number>): Generator<readonly [number, PublishedEntry]> {
    const one = this.#database.prepare<[number], EntryRow>(
      `SELECT e.address, e.row_key AS rowKey, e.name, e.digest AS ofEntry, ${stateColumns}
       FROM history_entries e JOIN history_states s USING (state_id) WHERE entry_id = ?`,
    )
    for (const number of numbers) yield [number, this.#entryOf(explained(this.#path, () => one.get(number)))]
  }

  /** Filters by status, which does not require unpacking the states. */
  #numbersOf(isWanted: (status: string) => boolean): number[] {
    return explained(this.#path, () => {
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

  #entryOf(row: EntryRow | undefined): PublishedEntry {
    const state = row === undefined ? null : soundState(row)
    if (row === undefined || state === null || !entryDigest(row, row.digest).equals(row.ofEntry))
      throw this.#notAsWritten('a row of an output')
    const { address, rowKey, name } = row
    return { address, rowKey, name, state }
  }

  #notAsWritten(what: string): Error {
    return damaged(this.#path, undefined, `${what} is damaged in the history`)
  }
}

/** A file has one writer, so all submissions between the starts of two runs belong to the first. */
function withLedger(database: Sqlite, run: RememberedRun, nextStartedAtMs: number): RememberedRun {
  const { record, startedAtMs } = run
  if (record === null || record.summary !== null) return run
  const submissions = submissionsBetween(database, startedAtMs, nextStartedAtMs)
  return { ...run, record: withSubmissions(record, submissions) }
}

/** Counts submissions made in a time span. If billing was confirmed later, the run that confirmed it counts them. */
function submissionsBetween(database: Sqlite, fromMs: number, toMs: number): KindSubmissions[] {
  const rows = database
    .prepare<
      { fromMs: number; toMs: number },
      { scope: string; acceptedCount: number; uncertainCount: number }
    >(
      `SELECT scope, sum(verdict = 'accepted' AND coalesce(accepted_at_ms, 0) < @toMs) AS acceptedCount,
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
