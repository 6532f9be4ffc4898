import { UserError } from '../../core/errors.js'
import type { NestedColumns } from '../rules/nested-columns.js'
import { rowsOf, type Partition, type Range } from '../rules/partition.js'
import type { CellRow, InputTable, MemberRows, RelationRows, TextRow } from './table.js'

/**
 * The rows of one part of a table that is one file of text. Where rows begin nobody can tell but by reading it from its
 * start, so all rows are counted once, and a pass reads as far as the part goes.
 */
export class RowsOfPart implements InputTable {
  readonly #table: InputTable
  readonly #partition: Partition
  readonly #label: string
  #range: Promise<Range> | null = null

  constructor(table: InputTable, partition: Partition, label: string) {
    this.#table = table
    this.#partition = partition
    this.#label = label
  }

  get columns(): readonly string[] {
    return this.#table.columns
  }
  get nested(): NestedColumns {
    return this.#table.nested
  }
  get delimiter(): string | null {
    return this.#table.delimiter
  }
  get sheetName(): string | null {
    return this.#table.sheetName
  }

  get sheetHint(): string | null {
    return this.#table.sheetHint ?? null
  }

  /** A sample is of the whole: what is asked by it has to be the same in all parts. */
  textRows(columns: readonly string[], isSample = false): AsyncIterable<readonly TextRow[]> {
    return isSample ? this.#table.textRows(columns, true) : this.#within(() => this.#table.textRows(columns))
  }

  objectRows(): AsyncIterable<readonly string[]> {
    return this.#within(() => this.#table.objectRows())
  }

  cellRows(): AsyncIterable<readonly CellRow[]> {
    return this.#within(() => this.#table.cellRows())
  }

  parquetSource(): MemberRows | RelationRows {
    const source = this.#table.parquetSource()
    if (source.kind === 'relation') return source
    return { ...source, rows: (cellColumns) => this.#within(() => source.rows(cellColumns)) }
  }

  validate(): Promise<void> {
    return this.#table.validate()
  }

  notes(): readonly string[] {
    return this.#table.notes()
  }

  close(): void {
    this.#table.close()
  }

  async *#within<Row>(open: () => AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
    const { first, end } = await (this.#range ??= this.#count())
    if (first === end) return
    let row = 0
    for await (const batch of open()) {
      const rows = batch.slice(Math.max(0, first - row), end - row)
      row += batch.length
      if (rows.length > 0) yield rows
      if (row >= end) return
    }
  }

  async #count(): Promise<Range> {
    let rowCount = 0
    for await (const batch of this.#table.textRows([])) rowCount += batch.length
    if (rowCount === 0) throw noRows(this.#label)
    return rowsOf(rowCount, this.#partition)
  }
}

export function noRows(label: string): UserError {
  return new UserError('INPUT_NO_ROWS', `${label} has a header and no rows`, {
    hint: 'there is nothing to look up',
  })
}
