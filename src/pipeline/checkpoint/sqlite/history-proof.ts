import { getSqliteCode, type Sqlite } from '../../../platform/sqlite.js'
import type { RunRow } from '../history-store.js'
import { calculateRowChecksum, type SummedTable } from '../tables.js'
import {
  calculateEntryDigest,
  historyTables,
  calculateRunChecksum,
  isSoundMarks,
  isSoundRun,
  stateColumns,
  unpackValidOutput,
  unpackValidState,
  type HistoryTable,
  type MarksRow,
  type OutputRow,
  type StateRow,
  type Summed,
} from '../history-tables.js'
import { findOutputRow } from './history-rows.js'

/** Counts the damaged rows of each history table. */
export function countDamagedHistory(database: Sqlite): { table: string; count: number }[] {
  return historyTables
    .map((table) => ({ table, count: countUnsound[table](database) }))
    .filter(({ count }) => count > 0)
}

const countUnsound: Readonly<Record<HistoryTable, (database: Sqlite) => number>> = {
  history_runs: (database) =>
    countDamaged(iterateRows<Summed<RunRow>>(database, 'SELECT * FROM history_runs'), isSoundRun),
  history_outputs: (database) => {
    const findOutput = findOutputRow(database)
    return countDamaged(
      iterateRows<OutputRow>(database, outputsSql),
      (row) => unpackValidOutput(row, findOutput) !== null,
    )
  },
  history_entries: (database) => countDamaged(iterateRows<EntryRow>(database, entriesSql), isSoundEntry),
  history_states: (database) => {
    const states = iterateRows<StateRow>(database, `SELECT ${stateColumns} FROM history_states s`)
    return countDamaged(states, (row) => unpackValidState(row) !== null)
  },
  history_marks: (database) =>
    countDamaged(iterateRows<Summed<MarksRow>>(database, 'SELECT * FROM history_marks'), isSoundMarks),
}

const outputsSql = 'SELECT * FROM history_outputs'
const entriesSql = `SELECT e.*, s.digest AS stateDigest
  FROM history_entries e LEFT JOIN history_states s USING (state_id)`

interface EntryRow {
  address: Buffer
  row_key: string | null
  name: string | null
  digest: Buffer
  stateDigest: Buffer | null
}

const isSoundEntry = ({ address, row_key: rowKey, name, digest, stateDigest }: EntryRow): boolean =>
  stateDigest !== null && calculateEntryDigest({ address, rowKey, name }, stateDigest).equals(digest)

/** Iterates over rows, unchecked: the caller finds out whether they are intact. */
function iterateRows<Found>(database: Sqlite, sql: string): Iterable<Found> {
  return database.prepare(sql).iterate() as Iterable<Found>
}

function countDamaged<Found>(rows: Iterable<Found>, isSound: (row: Found) => boolean): number {
  let count = 0
  for (const row of rows) if (tryRead(() => isSound(row)) !== true) count++
  return count
}

/**
 * Copies the intact history of a damaged checkpoint: states, entries with a state, outputs with all their entries, and
 * runs. The next run creates the marks again.
 */
export function copyHistory(from: Sqlite, to: Sqlite): void {
  const scanTable = (table: string) => scanReadableRows(from, table)
  for (const row of scanTable('history_states'))
    if ((tryRead(() => unpackValidState(asState(row))) ?? null) !== null) insertRow(to, 'history_states', row)
  const ofState = to
    .prepare<[unknown], Buffer>('SELECT digest FROM history_states WHERE state_id = ?')
    .pluck()
  for (const row of scanTable('history_entries')) {
    const stateDigest = ofState.get(row['state_id']) ?? null
    const entry = { ...(row as unknown as EntryRow), stateDigest }
    if (tryRead(() => isSoundEntry(entry)) === true) insertRow(to, 'history_entries', row)
  }
  const kept = copyOutputs(scanTable('history_outputs'), to)
  for (const row of scanTable('history_runs')) {
    const run = row as unknown as Summed<RunRow>
    if (tryRead(() => isSoundRun(run)) !== true) continue
    const outputId = kept.has(run.output_id ?? 0) ? run.output_id : null
    insertRow(to, 'history_runs', {
      ...row,
      output_id: outputId,
      checksum: calculateRunChecksum({ ...run, output_id: outputId }),
    })
  }
}

function copyOutputs(rows: Iterable<Row>, to: Sqlite): Set<number> {
  const outputs = new Map<number, Row>()
  for (const row of rows) outputs.set(row.position, row)
  const findBase = (id: number) => outputs.get(id) as unknown as OutputRow | undefined
  const hasEntry = to.prepare<[number]>('SELECT 1 FROM history_entries WHERE entry_id = ?')
  const kept = new Set<number>()
  for (const [id, row] of outputs) {
    const entries = tryRead(() => unpackValidOutput(row as unknown as OutputRow, findBase))
    if (entries === null) continue
    if ([...new Set(entries)].every((entry) => hasEntry.get(entry) !== undefined)) kept.add(id)
  }
  const needed = new Set(
    [...kept].flatMap((id) => [id, (outputs.get(id)?.['base_id'] as number | null) ?? id]),
  )
  for (const id of needed) {
    const row = outputs.get(id)
    if (row !== undefined) insertRow(to, 'history_outputs', row)
  }
  return kept
}

const asState = (row: Row): StateRow => {
  const { status, confidence, country, packing, packed, digest, checksum } = row as unknown as StateRow
  const lineBytes = row['state_bytes'] as number
  return { status, confidence, country, packing, lineBytes, bodyBytes: 0, packed, digest, checksum }
}

export type Row = Record<string, unknown> & { position: number }

/** Row numbers that are tried after an unreadable page, if the last number is unknown. */
const probedMax = 1_000_000
const pageRows = 500

/** Yields all readable rows of a table by number: in pages, then one by one from an unreadable page on. */
export function* scanReadableRows(database: Sqlite, table: string): Generator<Row> {
  const select = (where: string) =>
    tryRead(() =>
      database.prepare<[number], Row>(`SELECT rowid AS position, * FROM ${table} NOT INDEXED ${where}`),
    )
  const next = select(`WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`)
  const one = select('WHERE rowid = ?')
  if (next === null || one === null) return
  let after = -1
  for (let page = tryRead(() => next.all(after)); page !== null; page = tryRead(() => next.all(after))) {
    yield* page
    after = page.at(-1)?.position ?? after
    if (page.length < pageRows) return
  }
  const max = database.prepare<[], number | null>(`SELECT max(rowid) FROM ${table}`).pluck()
  const known = tryRead(() => max.get())
  // Under a damaged root page, each of a million reads would fail.
  if (known === null && !isReadableBehind(after, (position) => one.get(position))) return
  const last = Math.min(known ?? Infinity, after + probedMax)
  for (let position = after + 1; position <= last; position++) {
    const row = tryRead(() => one.get(position))
    if (row !== null && row !== undefined) yield row
  }
}

/** True if SQLite can look for any of some thousand rows that are spread behind a row, each a hundredth of the way further. */
function isReadableBehind(after: number, read: (position: number) => unknown): boolean {
  for (let step = 1; step <= probedMax; step += Math.ceil(step / 100))
    if (tryRead(() => [read(after + step)]) !== null) return true
  return false
}

/** Returns `null` if SQLite cannot read it. */
export function tryRead<Result>(action: () => Result): Result | null {
  try {
    return action()
  } catch (error) {
    if (getSqliteCode(error) === null && !(error instanceof TypeError)) throw error
    return null
  }
}

/** Inserts a row under its number; returns false if the table has other columns, or does not take it. */
export function insertRow(database: Sqlite, table: string, { position, ...row }: Row): boolean {
  const columns = Object.keys(row)
  const values = columns.map(() => '?').join(', ')
  try {
    const insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (rowid, ${columns.join(', ')}) VALUES (?, ${values})`,
    )
    return insert.run(position, ...Object.values(row)).changes > 0
  } catch (error) {
    if (!/^SQLITE_(ERROR|CONSTRAINT)/.test(getSqliteCode(error) ?? '')) throw error
    return false
  }
}

/** Whether a row matches its checksum. */
export function isSound(table: SummedTable, row: Row): boolean {
  return Buffer.isBuffer(row['checksum']) && calculateRowChecksum(table, row).equals(row['checksum'])
}
