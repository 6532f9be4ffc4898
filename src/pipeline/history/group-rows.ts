import type { Sqlite } from '../../platform/sqlite.js'
import type { RowGroups } from '../input/row-groups.js'
import type { GroupFigures, OutputFigures } from '../rules/run-record.js'

/** Groups that are kept of a column; the largest. */
const keptMax = 200

/** Rows of an output by their value in a column. `rows` are their entries, which are stored. */
export const groupFiguresOf = (
  database: Sqlite,
  rows: Uint32Array,
  groups: RowGroups,
): NonNullable<OutputFigures['byColumn']> => groupFigures(rows, groups, matchedEntries(database))

/** `isMatched`: by the number of the entry, 1 for those that were matched. */
export function groupFigures(
  rows: Uint32Array,
  groups: RowGroups,
  isMatched: Uint8Array,
): NonNullable<OutputFigures['byColumn']> {
  const rowCounts = new Uint32Array(groups.values.length)
  const matchedCounts = new Uint32Array(groups.values.length)
  for (const [row, entry] of rows.entries()) {
    const group = groups.groupOf(row)
    rowCounts[group] = (rowCounts[group] ?? 0) + 1
    matchedCounts[group] = (matchedCounts[group] ?? 0) + (isMatched[entry] ?? 0)
  }
  const figures = groups.values.map((value, group): GroupFigures => ({
    value: value === '' ? null : value,
    rowCount: rowCounts[group] ?? 0,
    matchedCount: matchedCounts[group] ?? 0,
  }))
  figures.sort((one, other) => other.rowCount - one.rowCount)
  return { column: groups.column, groups: figures.slice(0, keptMax) }
}

/** By the number of the entry: 1 for those that were matched. */
function matchedEntries(database: Sqlite): Uint8Array {
  const last = database.prepare<[], number | null>('SELECT max(entry_id) FROM history_entries').pluck().get()
  const matched = new Uint8Array((last ?? 0) + 1)
  const numbers = database
    .prepare<[], number>(
      `SELECT entry_id FROM history_entries JOIN history_states USING (state_id) WHERE status = 'matched'`,
    )
    .pluck()
  for (const number of numbers.iterate()) matched[number] = 1
  return matched
}
