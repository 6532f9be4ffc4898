import { getSqliteCode, type Sqlite } from '../../../platform/sqlite.js'
import {
  calculateEntryDigest,
  historyTables,
  calculateMarksChecksum,
  calculateOutputDigest,
  calculateRunChecksum,
  calculateStateChecksum,
  calculateStateDigest,
  type HistoryTable,
  type MarksRow,
  type OutputRow,
  type RunRow,
  type StateFacts,
  unpackChanges,
  unpackNumbers,
} from '../history-tables.js'
import { UnpackableError, unpackLine, type PackedAnswer } from '../packed-answer.js'
import { insertRow, scanReadableRows, tryRead, type Row } from './readable-rows.js'

export type StateRow = PackedAnswer & StateFacts & { digest: Buffer; checksum: Buffer }

/** The columns of a state, named like those of a packed answer, because states are packed in the same way. */
export const stateColumns =
  's.status, s.confidence, s.country, s.packing, s.state_bytes AS lineBytes, 0 AS bodyBytes, s.packed, s.digest, s.checksum'

/** Returns the text of a state; `null` if the row is damaged. */
export function unpackValidState(row: StateRow): string | null {
  try {
    const state = unpackLine(row)
    const ofState = calculateStateDigest(row, state)
    const isSound = ofState.equals(row.digest) && calculateStateChecksum(ofState, state).equals(row.checksum)
    return isSound ? state : null
  } catch (error) {
    if (error instanceof UnpackableError) return null
    throw error
  }
}

/** Returns the entry of each row of an output; `null` if it or its base is damaged. */
export function unpackValidOutput(
  row: OutputRow,
  baseOf: (outputId: number) => OutputRow | undefined,
): Uint32Array | null {
  const base = row.base_id === null ? null : baseOf(row.base_id)
  // A base never has a base: this program writes no chains.
  if (base === undefined || (base !== null && base.base_id !== null)) return null
  const below = base === null ? null : unpackValidOutput(base, baseOf)
  if (base !== null && below === null) return null
  try {
    const rows =
      below === null
        ? unpackNumbers(row.packed, row.row_count)
        : unpackChanges(row.packed, row.row_count, below)
    return calculateOutputDigest(rows).equals(row.digest) ? rows : null
  } catch (error) {
    if (getSqliteCode(error) !== null) throw error
    return null
  }
}

/** Counts the damaged rows of each history table. */
export function countDamagedHistory(database: Sqlite): { table: string; count: number }[] {
  return historyTables
    .map((table) => ({ table, count: countUnsound[table](database) }))
    .filter(({ count }) => count > 0)
}

const countUnsound: Readonly<Record<HistoryTable, (database: Sqlite) => number>> = {
  history_runs: (database) =>
    countDamaged(iterateRows<StoredRun>(database, 'SELECT * FROM history_runs'), isSoundRun),
  history_outputs: (database) => {
    const findOutput = createOutputFinder(database)
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
    countDamaged(iterateRows<StoredMarks>(database, 'SELECT * FROM history_marks'), isSoundMarks),
}

const outputsSql = 'SELECT * FROM history_outputs'
const entriesSql = `SELECT e.*, s.digest AS stateDigest
  FROM history_entries e LEFT JOIN history_states s USING (state_id)`

export type StoredRun = RunRow & { checksum: Buffer }
export type StoredMarks = MarksRow & { checksum: Buffer }

export const isSoundRun = (row: StoredRun): boolean =>
  Buffer.isBuffer(row.checksum) && calculateRunChecksum(row).equals(row.checksum)

export const isSoundMarks = (row: StoredMarks): boolean =>
  Buffer.isBuffer(row.checksum) && calculateMarksChecksum(row).equals(row.checksum)

interface EntryRow {
  address: Buffer
  row_key: string | null
  name: string | null
  digest: Buffer
  stateDigest: Buffer | null
}

const isSoundEntry = ({ address, row_key: rowKey, name, digest, stateDigest }: EntryRow): boolean =>
  stateDigest !== null && calculateEntryDigest({ address, rowKey, name }, stateDigest).equals(digest)

export function createOutputFinder(database: Sqlite): (outputId: number) => OutputRow | undefined {
  const one = database.prepare<[number], OutputRow>(`${outputsSql} WHERE output_id = ?`)
  return (outputId) => one.get(outputId)
}

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
    const run = row as unknown as StoredRun
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
