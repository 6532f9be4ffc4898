import type { Encoding } from '../../core/file-formats.js'
import type { WrittenCell } from '../../tables/writers.js'
import type { ColumnSamples, NestedColumns } from './columns.js'
import type { SourceFile } from './sources.js'
import { UserError } from '../../core/errors.js'
import { companyNameHeaders, isKnownHeader } from '../../core/header-words.js'
import { toHeaderKey } from '../../core/text.js'
import { formsShareMin, hasLegalForm, isMostly, isValue } from './column-content.js'

/** A row's cells as text; `null` for absent cells. */
export type TextRow = readonly (string | null)[]

/** A row's cells with their types; `null` for absent cells. */
export type CellRow = readonly WrittenCell[]

/** Type in which a column is passed to Parquet. `json`: the value as JSON text. */
export type CellType = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp' | 'json'

/** Formats the text of a cell as a JSON value of its column's type. */
export function toJsonText(text: string, type: CellType): string {
  switch (type) {
    case 'integer':
    case 'double':
      return text
    case 'boolean':
      return text === 'TRUE' ? 'true' : 'false'
    case 'text':
    case 'date':
    case 'timestamp':
    case 'json':
      return JSON.stringify(text)
  }
}

/** Rows that DuckDB reads itself, with its own types. */
export interface RelationRows {
  readonly kind: 'relation'
  /** Name, type and cell expression of each column, in SQL. `r` refers to the row. */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly cells: string }[]
  /** Key-value metadata of the columns. */
  readonly metadata: Readonly<Record<string, string>>
  /** Estimated size of all rows in memory, in bytes. */
  readonly bytesEstimate: number
  /** In SQL. */
  readonly relation: string
  /** Whether the relation is a plain scan. */
  readonly isScan: boolean
  countRows(): Promise<number>
}

/** A row as the members `"c0":…,"c1":…` of a JSON object, without braces, and its requested cells. */
export interface MemberRow {
  readonly members: string
  readonly cells: TextRow
}

/** Rows that are passed to DuckDB one by one. */
export interface MemberRows {
  readonly kind: 'members'
  readonly types: readonly CellType[]
  readMembers(cellColumns?: readonly string[]): AsyncIterable<readonly MemberRow[]>
}

/** The interface to an input for the writers and the first pass. Each row method reads the files again. */
export interface InputTable {
  /** May grow during the first full pass. */
  readonly columns: readonly string[]
  readonly layout: TableLayout
  /** `columns` may contain dotted paths of nested members. A pass with `isSample` never counts as the first pass. */
  textRows(columns: readonly string[], isSample?: boolean): AsyncIterable<readonly TextRow[]>
  /** Reads each row as the text of a JSON object. */
  objectRows(): AsyncIterable<readonly string[]>
  /** Reads all columns as cells of an Excel sheet. */
  cellRows(): AsyncIterable<readonly CellRow[]>
  parquetSource(): RelationRows | MemberRows
  /** Reads the columns that a pass over the chosen ones would skip, to find every defect before a run. */
  validate?(): Promise<void>
  /** Notices for the user, with the doubts. */
  listNotes?(): readonly string[]
  /** Why the reading of the input is doubtful; absent if it never is. */
  listDoubts?(): readonly string[]
  /** Absent if files are only open while they are read. */
  close?(): void
}

/** How the files of a table are laid out. */
export interface TableLayout {
  /** Absent if no column is nested. */
  readonly nested?: NestedColumns
  /** Delimiter of the CSV files; `null` if they differ. */
  readonly delimiter?: string | null
  /** Sheet of the Excel files; `null` if they differ. */
  readonly sheetName?: string | null
  /** Text that names another sheet of an Excel file with a table of companies, and its flag. */
  readonly sheetHint?: string | null
  /** The files, each with its columns, in order. */
  listFiles(): readonly InputFile[]
}

export interface InputFile {
  readonly label: string
  /** As named in the table. */
  readonly columns: readonly string[]
  /** The row that names the columns; `null` without one, and for formats whose columns always have names. */
  readonly header: HeaderRow | null
}

export interface HeaderRow {
  /** Example: `line 1`. */
  readonly place: string
  readonly cells: readonly string[]
  /** The text of the whole row. */
  readonly text: string
}

export interface ReadOptions {
  readonly delimiter?: string | undefined
  readonly encoding?: Encoding | undefined
  /** Sheet of Excel files: a name, or a number from 1; defaults to the first visible sheet. */
  readonly sheet?: string | undefined
  /** If false, the first row of CSV and Excel files is a row, and columns are named by number; defaults to true. */
  readonly hasHeader?: boolean | undefined
  /** Read at most this many rows. */
  readonly rowsMax?: number | undefined
  /** Files whose rows are read; defaults to all. Columns always come from all files. */
  readonly chosen?: ReadonlySet<SourceFile> | undefined
}

const batchRows = 1_000

/** Splits pieces of any length into batches, in order, and stops after `rowsMax` rows. */
export async function* splitIntoBatches<Row>(
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

export function createNoRowsError(label: string): UserError {
  return new UserError('INPUT_NO_ROWS', `${label} has a header and no rows`, {
    hint: 'there is nothing to look up',
  })
}

/**
 * Returns whether the row that should name the columns is a row of companies: `surely` by a legal form, an identifier
 * or a number, or if more of its cells are like those below than are known headers; `maybe` for one cell that does not
 * read like a header. `null` if it may be a header.
 */
export function judgeHeader(
  { cells, text }: HeaderRow,
  samples: ColumnSamples = new Map(),
): 'surely' | 'maybe' | null {
  const filled = cells.filter((cell) => cell.trim() !== '')
  const isRepeated = (cell: string) => samples.get(cell)?.includes(cell.trim()) === true
  const repeated = filled.filter(isRepeated)
  // A header that the rows repeat is one, also if other columns are added to it.
  const isRow = repeated.length < filled.length && repeated.filter(isKnownHeader).length < 2
  const isLikeBelow = (cell: string) => (isRow && isRepeated(cell)) || isOfKind(cell, samples.get(cell) ?? [])
  const likeBelow = filled.filter(isLikeBelow)
  const known = filled.filter(isKnownHeader)
  if (likeBelow.length > known.filter((cell) => !isLikeBelow(cell)).length) return 'surely'
  if (known.length > 0) return null
  if (cells.some(isValue) || [...cells, text].some(hasLegalForm)) return 'surely'
  const [only = '', another] = filled
  const isWord = /^[^\p{L}]*\p{Ll}/u.test(only) || /[_:*]|\p{Ll}\p{Lu}/u.test(only)
  const hasHeaderWord = companyNameHeaders.some((key) => key.length > 3 && toHeaderKey(only).includes(key))
  return another === undefined && only !== '' && !isWord && !hasHeaderWord ? 'maybe' : null
}

const writeShape = (text: string): string => text.trim().replace(/\p{Nd}+/gu, '9')

/** Whether a text is a value like those of a column: a name with a legal form, an identifier, or a number in the same groups of digits. */
function isOfKind(text: string, below: readonly string[]): boolean {
  const isNumber = /^[\p{Nd}()+./\s-]+$/u.test(text) && text.replace(/\P{Nd}/gu, '').length >= digitsMin
  const shape = writeShape(text)
  return (
    (hasLegalForm(text) && isMostly(below, hasLegalForm, formsShareMin)) ||
    (isValue(text) && isMostly(below, isValue)) ||
    (isNumber && isMostly(below, (cell) => writeShape(cell) === shape))
  )
}

/** Years and months also name columns. */
const digitsMin = 7
