import { UserError } from '../../../core/errors.js'
import { runProgram } from '../../../platform/sql-program.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import type {
  EntryFacts,
  HistoryRows,
  HistoryStore,
  KeyedEntry,
  NewEntry,
  NewOutput,
  RemovedRows,
  RunChange,
  RunRow,
} from '../history-store.js'
import {
  calculateEntryDigest,
  calculateRunChecksum,
  calculateStateChecksum,
  calculateStateDigest,
  isSoundRun,
  packMarks,
  readNeededEntries,
  writeMarks,
  writeOutput,
  type Summed,
} from '../history-tables.js'
import { packAnswer } from '../packed-answer.js'
import { canWriteHistory, readRunRows, SqliteHistoryRows } from './history-rows.js'

interface SqliteHistoryDeps {
  readonly path: string
  readonly database: Sqlite
  /** Commits a change of the history; durable when it resolves. */
  readonly commit: <Result>(change: (database: Sqlite) => Result) => Promise<Result>
}

/** Writes the history in a file. */
export class SqliteHistoryStore implements HistoryStore {
  readonly rows: HistoryRows
  readonly #deps: SqliteHistoryDeps

  constructor(deps: SqliteHistoryDeps) {
    this.#deps = deps
    this.rows = new SqliteHistoryRows(deps.database, deps.path)
  }

  beginRun({
    series,
    started_at_ms,
    record,
  }: Pick<RunRow, 'series' | 'started_at_ms' | 'record'>): Promise<number> {
    if (!canWriteHistory(this.#deps.path)) return Promise.reject(createUnusableError())
    return this.#deps.commit((database) => {
      const last = database.prepare<[], number | null>('SELECT max(run_id) FROM history_runs').pluck().get()
      const run = { run_id: (last ?? 0) + 1, series, started_at_ms, record }
      writeRun(database, { ...run, ...unended })
      return run.run_id
    })
  }

  changeRuns(changes: readonly RunChange[]): Promise<void> {
    return this.#deps.commit((database) => {
      const remove = database.prepare<[number]>('DELETE FROM history_runs WHERE run_id = ?')
      for (const { run, change } of changes)
        if (change === null) remove.run(run)
        else writeRun(database, { ...readRunRow(database, run), ...change })
    })
  }

  addEntries(entries: readonly (NewEntry | KeyedEntry)[]): Promise<number[]> {
    return this.#deps.commit((database) => {
      const add = createEntryAdder(database)
      return entries.map(add)
    })
  }

  storeOutput({ run, rows, form, marks }: NewOutput): Promise<number> {
    return this.#deps.commit((database) => {
      const row = readRunRow(database, run)
      const { series } = row
      const outputId = runProgram(database, writeOutput(series, rows))
      writeRun(database, { ...row, output_id: outputId })
      runProgram(database, writeMarks({ series, output_id: outputId, form, packed: packMarks(marks) }))
      return outputId
    })
  }

  removeUnused(): Promise<RemovedRows> {
    return this.#deps.commit((database) => {
      database.exec(
        `DELETE FROM history_outputs WHERE output_id NOT IN (
           SELECT output_id FROM history_runs WHERE output_id IS NOT NULL
           UNION SELECT base_id FROM history_outputs JOIN history_runs USING (output_id) WHERE base_id IS NOT NULL)`,
      )
      const { entries, damaged } = runProgram(database, readNeededEntries())
      for (const row of damaged.length === 0 ? [] : readRunRows(database, null))
        if (damaged.includes(row.output_id ?? 0)) writeRun(database, { ...row, output_id: null })
      const entryCount = removeOthers(database, entries)
      const stateCount = database
        .prepare('DELETE FROM history_states WHERE state_id NOT IN (SELECT state_id FROM history_entries)')
        .run().changes
      return { entryCount, stateCount }
    })
  }
}

const createUnusableError = () =>
  new UserError(
    'CHECKPOINT_DAMAGED',
    'the history is damaged; enrich checkpoint repair recovers the intact part',
  )

const unended = { ended_at_ms: null, exit_code: null, is_published: 0, baseline: null, output_id: null }

/** Throws if the run is missing or damaged. */
function readRunRow(database: Sqlite, run: number): RunRow {
  const row = database
    .prepare<[number], Summed<RunRow>>('SELECT * FROM history_runs WHERE run_id = ?')
    .get(run)
  if (row === undefined || !isSoundRun(row)) throw new Error(`the record of run ${run} is missing or damaged`)
  return row
}

function writeRun(database: Sqlite, row: RunRow): void {
  database
    .prepare(
      `INSERT OR REPLACE INTO history_runs VALUES (@run_id, @series, @started_at_ms, @ended_at_ms, @exit_code,
         @is_published, @baseline, @output_id, @record, @checksum)`,
    )
    .run({ ...row, checksum: calculateRunChecksum(row) })
}

function createEntryAdder(database: Sqlite): (entry: NewEntry | KeyedEntry) => number {
  const findState = database
    .prepare<[Buffer], number>('SELECT state_id FROM history_states WHERE digest = ?')
    .pluck()
  const insertState = database.prepare('INSERT INTO history_states VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  const findOrInsertState = ({ state, status, confidence, country }: NewEntry, digest: Buffer) => {
    const known = findState.get(digest)
    if (known !== undefined) return known
    const { packing, lineBytes, packed } = packAnswer(state, '')
    const facts = [status, confidence, country, packing, lineBytes, packed]
    return Number(insertState.run(...facts, digest, calculateStateChecksum(digest, state)).lastInsertRowid)
  }
  const find = database
    .prepare<[Buffer], number>('SELECT entry_id FROM history_entries WHERE digest = ?')
    .pluck()
  const insert = database.prepare('INSERT INTO history_entries VALUES (NULL, ?, ?, ?, ?, ?)')
  const findOrInsert = (entry: EntryFacts, ofState: Buffer, stateId: () => number) => {
    const digest = calculateEntryDigest(entry, ofState)
    const { address, rowKey, name } = entry
    return find.get(digest) ?? Number(insert.run(address, rowKey, name, stateId(), digest).lastInsertRowid)
  }
  const likeOf = createLikeReader(database)
  return (entry) => {
    if ('like' in entry) {
      const { name, stateId, ofState } = likeOf(entry.like)
      return findOrInsert({ address: entry.address, rowKey: entry.rowKey, name }, ofState, () => stateId)
    }
    const ofState = calculateStateDigest(entry, entry.state)
    return findOrInsert(entry, ofState, () => findOrInsertState(entry, ofState))
  }
}

interface SharedParts {
  readonly name: string | null
  readonly stateId: number
  readonly ofState: Buffer
}

/** Reads each entry once. */
function createLikeReader(database: Sqlite): (entry: number) => SharedParts {
  const read = database.prepare<[number], SharedParts>(
    `SELECT name, state_id AS stateId, s.digest AS ofState
     FROM history_entries JOIN history_states s USING (state_id) WHERE entry_id = ?`,
  )
  const known = new Map<number, SharedParts>()
  return (entry) => {
    const parts = known.get(entry) ?? read.get(entry)
    if (parts === undefined) throw new Error(`there is no entry ${entry}`)
    known.set(entry, parts)
    return parts
  }
}

function removeOthers(database: Sqlite, needed: ReadonlySet<number>): number {
  const all = database.prepare<[], number>('SELECT entry_id FROM history_entries').pluck().all()
  const remove = database.prepare('DELETE FROM history_entries WHERE entry_id = ?')
  let count = 0
  for (const entry of all) if (!needed.has(entry)) count += remove.run(entry).changes
  return count
}
