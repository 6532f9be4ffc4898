import { headerBelowTitles, isHeader, type SampleRecord } from '../layout.js'
import type { CellRange } from './references.js'

/** A row among the first of a sheet; `cells` are texts by column. */
export interface SampleRow {
  readonly row: number
  readonly cells: ReadonlyMap<number, string>
}

export type SheetHeader =
  | {
      readonly kind: 'header'
      /** Among the rows of the sample. */
      readonly index: number
    }
  /** Two rows share the header. */
  | { readonly kind: 'unclear'; readonly row: number; readonly reason: string }
  /** No row has a text. */
  | { readonly kind: 'none' }

/** Of cells it is known where they end: two columns are enough to tell titles by. */
const widthMin = 2

/** Where the header of a sheet stands: its first row with a text, or the one below the titles of a report. */
export function findHeader(sample: readonly SampleRow[], merges: readonly CellRange[]): SheetHeader {
  const filledRows = sample.filter(({ cells }) => filledTexts(cells).length > 0)
  const columns = tableColumns(filledRows)
  const records = filledRows.map(({ row, cells }): SampleRecord => ({
    cells: columns.map((column) => (cells.get(column) ?? '').trim()),
    line: row,
    lineCount: 1,
  }))
  const at = headerAt(records, merges)
  const header = records[at]
  if (header === undefined) return { kind: 'none' }
  const reason = unclearReason(header, records[at + 1], merges)
  if (reason !== null) return { kind: 'unclear', row: header.line, reason }
  return { kind: 'header', index: sample.findIndex(({ row }) => row === header.line) }
}

const filledTexts = (cells: ReadonlyMap<number, string>) =>
  [...cells].filter(([, text]) => text.trim() !== '').map(([column]) => column)

/** The columns of a table; captions above it may stand in others. */
function tableColumns(rows: readonly SampleRow[]): readonly number[] {
  const captionRows = rows.findIndex(({ cells }) => filledTexts(cells).length > captionCells)
  const used = new Set(rows.slice(Math.max(0, captionRows)).flatMap(({ cells }) => filledTexts(cells)))
  return [...used].sort((one, other) => one - other)
}

function headerAt(records: readonly SampleRecord[], merges: readonly CellRange[]): number {
  const isTitle = (record: SampleRecord) => isMergedTitle(record, merges)
  const found = headerBelowTitles(records, widthMin, isTitle)
  if (found !== null && records.slice(0, found).every((record) => isAbove(record, merges))) return found
  // Whatever is wrong with the row below a merged title, the title is no header.
  const untitled = records.findIndex((record) => !isTitle(record))
  const below = records[untitled]
  return below !== undefined && filledCells(below) >= widthMin ? untitled : 0
}

/** One text over several columns. */
function isMergedTitle(record: SampleRecord, merges: readonly CellRange[]): boolean {
  return filledCells(record) <= 1 && merges.some((merge) => covers(merge, record.line) && isWide(merge))
}

/** A title, or a caption such as `Generated on | 2026-11-20`, and no row of a header of two. */
function isAbove(record: SampleRecord, merges: readonly CellRange[]): boolean {
  if (filledCells(record) <= 1) return true
  const isCaption = record.cells.slice(captionCells).every((cell) => cell === '')
  return isCaption && !merges.some((merge) => covers(merge, record.line))
}

const captionCells = 2

const filledCells = ({ cells }: SampleRecord) => cells.filter((cell) => cell !== '').length

const covers = ({ firstRow, lastRow }: CellRange, row: number) => firstRow <= row && row <= lastRow

const isWide = ({ firstColumn, lastColumn }: CellRange) => lastColumn > firstColumn

const isTall = ({ firstRow, lastRow }: CellRange, row: number) => firstRow === row && lastRow > row

/** Columns without a name, above a row that could as well be the header. */
const unnamedMax = 1

function unclearReason(
  header: SampleRecord,
  below: SampleRecord | undefined,
  merges: readonly CellRange[],
): string | null {
  const { line } = header
  const merged = merges.filter((merge) => covers(merge, line))
  if (merged.some(isWide)) return 'it has cells that are merged over several columns'
  if (merged.some((merge) => isTall(merge, line))) return 'it has cells that are merged with the row below'
  const unnamedCount = header.cells.length - filledCells(header)
  if (unnamedCount <= unnamedMax || below === undefined) return null
  return isHeader(below, below.cells.length) ? 'columns have no name, and the row below names all' : null
}
