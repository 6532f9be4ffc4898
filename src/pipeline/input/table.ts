import type { Encoding } from '../../tables/encodings/names.js'
import type { Cell } from '../../tables/xlsx/cells.js'
import type { NestedColumns } from '../lookups/nested-columns.js'
import type { SourceFile } from './sources.js'
import { UserError } from '../../core/errors.js'
import { rowsOf, type Partition, type Range } from '../lookups/partition.js'

/** A row's cells as text; null where the row has none. */
export type TextRow = readonly (string | null)[]

/** A row's cells with what they are beside their text; null where the row has none. */
export type CellRow = readonly (Cell | null)[]

/** How a column is handed over to Parquet. `json`: the value as JSON text. */
export type CellType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp' | 'json'

/** What DuckDB reads, as it reads it, with its types. */
export interface RelationRows {
  readonly kind: 'relation'
  /** Each column's name, type and cells, an expression of `r`, a row; all in SQL. */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly cells: string }[]
  /** Key-value metadata that belongs to the columns. */
  readonly metadata: Readonly<Record<string, string>>
  /** What all rows weigh, roughly, once they are unpacked. */
  readonly bytesEstimate: number
  /** In SQL. */
  readonly relation: string
  /** Whether the relation is a scan and nothing else. */
  readonly isScan: boolean
  /** How many rows it has now. */
  rowCount(): Promise<number>
}

/** A row as the members `"c0":…,"c1":…` of a JSON object, without braces, and cells of it that were asked for. */
export interface MemberRow {
  readonly members: string
  readonly cells: TextRow
}

/** What is handed over row by row. */
export interface MemberRows {
  readonly kind: 'members'
  readonly types: readonly CellType[]
  rows(cellColumns?: readonly string[]): AsyncIterable<readonly MemberRow[]>
}

/** One input as the writers and the first pass see it; each call of a row method reads the files anew. */
export interface InputTable {
  /** May grow during the first full pass. */
  readonly columns: readonly string[]
  /** Left out where no column holds further values. */
  readonly nested?: NestedColumns
  /**
   * `columns` may hold addresses of members of nested columns. `isSample`: a look, which is not the first pass, whatever
   * comes of it.
   */
  textRows(columns: readonly string[], isSample?: boolean): AsyncIterable<readonly TextRow[]>
  /** Each row as the text of one JSON object. */
  objectRows(): AsyncIterable<readonly string[]>
  /** All columns, for a sheet of Excel. */
  cellRows(): AsyncIterable<readonly CellRow[]>
  parquetSource(): RelationRows | MemberRows
  /** Reads what a pass over the chosen columns would not touch, so that every defect shows before a run. */
  validate?(): Promise<void>
  /** Of a CSV; null where its files have different ones. */
  readonly delimiter?: string | null
  /** Of an Excel file; null where files have different ones. */
  readonly sheetName?: string | null
  /** Another sheet of an Excel file that most likely holds the companies, with the flag that reads it. */
  readonly sheetHint?: string | null
  notes?(): readonly string[]
  /** Left out where files are open only while they are read. */
  close?(): void
}

/** How files of text, or of sheets, are read. */
export interface ReadOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
  /** Of Excel files: a name, or a number from 1 on; the first visible one if left out. */
  readonly sheet?: string | undefined
  /** Read no more than the first rows. */
  readonly rowsMax?: number | undefined
  /** Files whose rows are read; all of them if left out. Of all, the columns are known. */
  readonly chosen?: ReadonlySet<SourceFile> | undefined
}

const batchRows = 1_000

/** Cuts pieces of any length into batches, in order, and stops after `rowsMax` rows. */
export async function* inBatches<Row>(
  pieces: AsyncIterable<readonly Row[]>,
  rowsMax: number = Infinity,
): AsyncGenerator<readonly Row[]> {
  let left = rowsMax
  if (left <= 0) return
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += batchRows) {
      const batch = piece.slice(start, start + Math.min(batchRows, left))
      left -= batch.length
      yield batch
      if (left <= 0) return
    }
  }
}

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
