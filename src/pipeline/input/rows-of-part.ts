import { UserError } from '../../core/errors.js'
import { rowsOf, type Partition, type Range } from '../rules/partition.js'
import type { InputTable } from './table.js'

/** Of the rows of a pass, which `open` begins, those that are to be read. */
export type RowFilter = <Row>(open: () => AsyncIterable<readonly Row[]>) => AsyncIterable<readonly Row[]>

/**
 * Keeps the rows of one part of a table that is one file of text. Where rows begin nobody can tell but by reading it from
 * its start, so all rows are counted once, and a pass reads as far as the part goes. Throws INPUT_NO_ROWS.
 */
export function rowsOfPart(table: InputTable, partition: Partition, label: string): RowFilter {
  const countRows = async () => {
    let rowCount = 0
    for await (const batch of table.textRows([])) rowCount += batch.length
    if (rowCount === 0) throw noRows(label)
    return rowsOf(rowCount, partition)
  }
  let range: Promise<Range> | null = null
  return async function* (open) {
    const { first, end } = await (range ??= countRows())
    if (first === end) return
    let row = 0
    for await (const batch of open()) {
      const rows = batch.slice(Math.max(0, first - row), end - row)
      row += batch.length
      if (rows.length > 0) yield rows
      if (row >= end) return
    }
  }
}

export function noRows(label: string): UserError {
  return new UserError('INPUT_NO_ROWS', `${label} has a header and no rows`, {
    hint: 'there is nothing to look up',
  })
}
