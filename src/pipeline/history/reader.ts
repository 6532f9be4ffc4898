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
 * Reads what a checkpoint remembers, while a run may be writing it.
 * Null where there is no checkpoint. Throws CHECKPOINT_*; CHECKPOINT_DAMAGED also where what is asked for is not as it
 * was written.
 */
export function openHistory(path: string): (HistoryReader & Pick<KnownHistory, 'submissions'>) | null {
  const database = openToRead(path, 'unfinished')
  if (database === null) return null
  if (versionOf(database) > 0) return explained(path, () => new SqliteHistory(database, path))
  database.close()
  return null
}

/**
 * Whether the tables of history can be written: a tree of pages that is damaged may lead into those of other tables.
 * Looked at beside the connection that writes: where SQLite's check fails, it ends its transaction.
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
      if (rows === null) throw this.#notAsWritten(`of what run ${run} published`)
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

  /** Beside the states, which are not unpacked for this. */
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
      throw this.#notAsWritten('a row that was published')
    const { address, rowKey, name } = row
    return { address, rowKey, name, state }
  }

  #notAsWritten(what: string): Error {
    return damaged(this.#path, undefined, `${what} is not remembered as it was written`)
  }
}

/** One process at a time writes the file: between two beginnings of runs, all submissions are those of the first. */
function withLedger(database: Sqlite, run: RememberedRun, nextStartedAtMs: number): RememberedRun {
  const { record, startedAtMs } = run
  if (record === null || record.summary !== null) return run
  const submissions = submissionsBetween(database, startedAtMs, nextStartedAtMs)
  return { ...run, record: withSubmissions(record, submissions) }
}

/** Submitted in a span of time. What was only proved to be billed after it is counted by the run that learned of it. */
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

/** Whether a run writes the checkpoint, as far as can be told without being in its way. Throws CHECKPOINT_*. */
export function isRunGoingOn(checkpointPath: string): boolean {
  if (!isHolderAlive(`${checkpointPath}.lock`)) return false
  const history = openHistory(checkpointPath)
  try {
    // The newest one: a process may live on behind its run.
    return history?.runs()[0]?.endedAtMs === null
  } finally {
    history?.close()
  }
}
