import { getSqliteCode, readSchemaVersion, type Sqlite } from '../../../platform/sqlite.js'
import { createDamagedError } from '../checkpoint-errors.js'
import type {
  KnownRun,
  LastMarks,
  OpenHistoryRows,
  RunRow,
  StateFacts,
  StoredEntry,
  StoredSubmissions,
} from '../history-store.js'
import {
  entryColumns,
  historyTables,
  isSoundRun,
  readMarks,
  readOutput,
  unpackValidEntry,
  type EntryRow,
  type OutputRow,
  type Summed,
} from '../history-tables.js'
import { runProgram } from '../../../platform/sql-program.js'
import { readScope } from '../../../core/lookup-state.js'
import { openToRead, withExplainedErrors } from './open-database.js'

/** Opens the history of a file, even during a run; `null` without a checkpoint. Throws CHECKPOINT_*. */
export function openHistoryRows(path: string): OpenHistoryRows | null {
  const database = openToRead(path, 'unfinished')
  if (database === null) return null
  if (readSchemaVersion(database) > 0) return new SqliteHistoryRows(database, path)
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

export class SqliteHistoryRows implements OpenHistoryRows {
  readonly #database: Sqlite
  readonly #path: string

  /** `close` closes the database. */
  constructor(database: Sqlite, path: string) {
    this.#database = database
    this.#path = path
  }

  readRuns(series: string | null): Promise<KnownRun[]> {
    return this.#read(() => readRunRows(this.#database, series))
  }

  /**
   * A file has one writer, so all submissions between the starts of two runs belong to the first. If billing was
   * confirmed later, the run that confirmed it counts them.
   */
  countSubmissions(run: number | null): Promise<StoredSubmissions[]> {
    return this.#read(() => {
      const starts = this.#database
        .prepare<[number], number>(
          'SELECT started_at_ms FROM history_runs WHERE run_id >= ? ORDER BY run_id LIMIT 2',
        )
        .pluck()
        .all(run ?? 0)
      const [fromMs = -Infinity, toMs = Infinity] = run === null ? [] : starts
      const rows = this.#database
        .prepare<{ fromMs: number; toMs: number }, Omit<StoredSubmissions, 'kind'>>(
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
    })
  }

  readOutput(outputId: number): Promise<Uint32Array | null> {
    return this.#read(() => runProgram(this.#database, readOutput(outputId)))
  }

  readMarks(series: string): Promise<LastMarks | null> {
    return this.#read(() => runProgram(this.#database, readMarks(series)))
  }

  readEntries(numbers: readonly number[]): Promise<StoredEntry[]> {
    return this.#read(() => {
      const one = this.#database.prepare<[number], EntryRow>(
        `SELECT ${entryColumns} FROM history_entries e JOIN history_states s USING (state_id) WHERE entry_id = ?`,
      )
      return numbers.map((number) => {
        const row = one.get(number)
        const state = row === undefined ? null : unpackValidEntry(row)
        if (row === undefined || state === null) throw this.createDamageError('a row of an output')
        const { address, rowKey, name } = row
        return { number, address, rowKey, name, state }
      })
    })
  }

  /** Filters by status, which does not require unpacking the states. */
  findEntries(_: Uint32Array, isWanted: (status: string) => boolean): Promise<number[]> {
    return this.#read(() => {
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

  countRows(rows: Uint32Array): Promise<(StateFacts & { readonly rowCount: number })[]> {
    return this.#read(() => {
      const factsOf = this.#database.prepare<[number], StateFacts>(
        `SELECT status, confidence, country FROM history_entries JOIN history_states USING (state_id)
         WHERE entry_id = ?`,
      )
      const counted = new Map<string, StateFacts & { rowCount: number }>()
      const sorted = rows.slice().sort()
      for (let first = 0; first < sorted.length;) {
        const entry = sorted[first] ?? 0
        let end = first + 1
        while (sorted[end] === entry) end++
        const facts = factsOf.get(entry)
        if (facts !== undefined) {
          const key = `${facts.status} ${facts.confidence} ${facts.country}`
          const same = counted.get(key)
          if (same === undefined) counted.set(key, { ...facts, rowCount: end - first })
          else same.rowCount += end - first
        }
        first = end
      }
      return [...counted.values()]
    })
  }

  createDamageError(what: string): Error {
    return createDamagedError(this.#path, undefined, `${what} is damaged in the history`)
  }

  close(): void {
    this.#database.close()
  }

  #read<Result>(read: () => Result): Promise<Result> {
    return new Promise((resolve) => {
      resolve(withExplainedErrors(this.#path, read))
    })
  }
}

/** Returns the sound runs of a series, or of all series, newest first. */
export function readRunRows(database: Sqlite, series: string | null): Summed<RunRow>[] {
  return database
    .prepare<{ series: string | null }, Summed<RunRow>>(
      'SELECT * FROM history_runs WHERE @series IS NULL OR series = @series ORDER BY run_id DESC',
    )
    .all({ series })
    .filter(isSoundRun)
}

export function findOutputRow(database: Sqlite): (outputId: number) => OutputRow | undefined {
  const one = database.prepare<[number], OutputRow>('SELECT * FROM history_outputs WHERE output_id = ?')
  return (outputId) => one.get(outputId)
}
