import { generalStyle, type CellCounts, type RawCell, parseColumn } from './cells.js'
import { xlsxLimits } from '../limits-and-errors.js'
import {
  readXml,
  createDamagedWorkbookError,
  decodeEscapes,
  isTrue,
  type Parts,
  type Sheet,
  type Workbook,
} from './workbook.js'
import type { AttributeReader } from '../../platform/xml.js'
import { findHeaderBelowTitles, isHeader, type SampleRecord } from '../layout.js'

/** A range of cells. Rows are counted from 1, columns from 0. */
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** A row with at least one cell. Columns are counted from 0, rows from 1. */
export interface SheetRow<Value = string> {
  readonly row: number
  /** Cells with a value; empty in a row of errors, or of formulas without a result. */
  readonly cells: ReadonlyMap<number, Value>
}

export interface RowCounts extends CellCounts {
  hiddenRowCount: number
}

export interface SheetReading<Value> {
  readonly parts: Parts
  readonly workbook: Workbook
  readonly sheet: Sheet
  readonly counts: RowCounts
  /** Converts a cell: `null` if it is empty, `undefined` if its shared string is missing. */
  readonly valueOf: (cell: RawCell) => Value | null | undefined
  /** Receives the merged cells, which follow all rows, up to a limit. */
  readonly merges: CellRange[] | undefined
}

/** Reads the rows of a sheet in file order, in batches. */
export async function* readSheetRows<Value>(
  reading: SheetReading<Value>,
): AsyncGenerator<readonly SheetRow<Value>[]> {
  const { parts, sheet } = reading
  const reader = new SheetReader(reading)
  const chunks = readXml(parts.read(sheet.part), parts.label, reader)
  while ((await chunks.next()).done !== true) {
    const rows = reader.take()
    if (rows.length > 0) yield rows
  }
}

interface OpenCell {
  readonly type: string
  readonly style: number
  /** Text of `<v>`, and of `<is>` if it has one. */
  value: string | null
  inline: string | null
  isFormula: boolean
}

const cellPlace = 'worksheet/sheetData/row/c'
const sheetPlaces = {
  row: 'worksheet/sheetData/row',
  cell: cellPlace,
  value: `${cellPlace}/v`,
  formula: `${cellPlace}/f`,
  inline: `${cellPlace}/is`,
  inlineText: `${cellPlace}/is/t`,
  inlineRun: `${cellPlace}/is/r/t`,
  merge: 'worksheet/mergeCells/mergeCell',
} as const

class SheetReader<Value> {
  #rows: SheetRow<Value>[] = []
  #row = 0
  #column = -1
  #cells = new Map<number, Value>()
  /** Whether the row has a cell that is visible, or would be with a result. */
  #isFilled = false
  #cell: OpenCell | null = null
  readonly places = Object.values(sheetPlaces)

  constructor(private readonly reading: SheetReading<Value>) {}

  take(): SheetRow<Value>[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(place: string, attribute: AttributeReader): void {
    switch (place) {
      case sheetPlaces.row:
        this.#openRow(attribute('r'), isTrue(attribute('hidden')))
        return
      case sheetPlaces.cell:
        this.#column = this.#findColumn(attribute('r'))
        this.#cell = {
          type: attribute('t') ?? 'n',
          style: Number(attribute('s') ?? 0),
          value: null,
          inline: null,
          isFormula: false,
        }
        return
      case sheetPlaces.value:
        if (this.#cell !== null) this.#cell.value = ''
        return
      case sheetPlaces.formula:
        if (this.#cell !== null) this.#cell.isFormula = true
        return
      case sheetPlaces.inline:
        if (this.#cell !== null) this.#cell.inline = ''
        return
      case sheetPlaces.merge:
        this.#addMerge(attribute('ref'))
        return
      default:
    }
  }

  text(text: string, place: string): void {
    if (this.#cell === null) return
    if (place === sheetPlaces.value) this.#cell.value = (this.#cell.value ?? '') + text
    else if (place === sheetPlaces.inlineText || place === sheetPlaces.inlineRun)
      this.#cell.inline = (this.#cell.inline ?? '') + text
  }

  close(place: string): void {
    if (place === sheetPlaces.cell) this.#closeCell()
    else if (place === sheetPlaces.row) this.#closeRow()
  }

  #openRow(stated: string | undefined, isHidden: boolean): void {
    this.#row = stated === undefined ? this.#row + 1 : Number(stated)
    if (!Number.isInteger(this.#row) || this.#row < 1 || this.#row > xlsxLimits.rowsMax) {
      throw createDamagedWorkbookError(this.reading.parts.label, `it has a row ${stated ?? this.#row}`)
    }
    if (isHidden) this.reading.counts.hiddenRowCount++
    this.#column = -1
    this.#cells = new Map()
    this.#isFilled = false
  }

  #closeRow(): void {
    if (this.#isFilled) this.#rows.push({ row: this.#row, cells: this.#cells })
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null) return
    const raw = this.#toRawCell(cell)
    const value = this.reading.valueOf(raw)
    if (value === undefined) {
      throw createDamagedWorkbookError(this.reading.parts.label, `row ${this.#row} refers to a missing text`)
    }
    if (value !== null) this.#cells.set(this.#column, value)
    this.#isFilled ||= value !== null || raw.type === 'e' || (raw.isFormula && raw.value === null)
  }

  #toRawCell({ type, style: number, value: stored, inline, isFormula }: OpenCell): RawCell {
    const style = this.reading.workbook.styles[number] ?? generalStyle
    const isText = type === 'inlineStr' || type === 'str'
    const text = type === 'inlineStr' ? (inline ?? stored) : stored
    const value = text === null ? null : isText ? decodeEscapes(text) : text.trim() || null
    return { type, value, isFormula, style, column: this.#column }
  }

  /** A cell without a reference follows the previous one. */
  #findColumn(place: string | undefined): number {
    const column = parseColumn(place ?? '') ?? this.#column + 1
    if (column < xlsxLimits.columnsMax) return column
    throw createDamagedWorkbookError(
      this.reading.parts.label,
      `it has a column ${/^[A-Z]+/i.exec(place ?? '')?.[0] ?? column}`,
    )
  }

  #addMerge(reference: string | undefined): void {
    const { merges } = this.reading
    const range = merges === undefined ? null : parseRange(reference ?? '')
    if (range !== null && merges !== undefined && merges.length < xlsxLimits.mergesMax) merges.push(range)
  }
}

/** Parses `A1:C2`; returns `null` for other text. */
function parseRange(reference: string): CellRange | null {
  const [, from, firstRow, to, lastRow] = /^\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)$/i.exec(reference) ?? []
  if (from === undefined || to === undefined) return null
  return {
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
    firstColumn: parseColumn(from) ?? 0,
    lastColumn: parseColumn(to) ?? 0,
  }
}

/** One of the first rows of a sheet; `cells` are texts by column. */
interface SampleRow {
  readonly row: number
  readonly cells: ReadonlyMap<number, string>
}

export type SheetHeader =
  | {
      readonly kind: 'header'
      /** Index in the sample. */
      readonly index: number
    }
  /** The header spans two rows. */
  | { readonly kind: 'unclear'; readonly row: number; readonly reason: string }
  /** No row has text. */
  | { readonly kind: 'none' }

/** Cell boundaries are certain in a sheet, so two columns are enough to recognise titles. */
const widthMin = 2

/** Finds the header of a sheet: the first row with text, or the one below the titles of a report. */
export function findHeader(sample: readonly SampleRow[], merges: readonly CellRange[]): SheetHeader {
  const filledRows = sample.filter(({ cells }) => listFilledColumns(cells).length > 0)
  const columns = findTableColumns(filledRows)
  const records = filledRows.map(({ row, cells }): SampleRecord => ({
    cells: columns.map((column) => (cells.get(column) ?? '').trim()),
    line: row,
    lineCount: 1,
  }))
  const at = findHeaderIndex(records, merges)
  const header = records[at]
  if (header === undefined) return { kind: 'none' }
  const reason = findUnclearReason(header, records[at + 1], merges)
  if (reason !== null) return { kind: 'unclear', row: header.line, reason }
  return { kind: 'header', index: sample.findIndex(({ row }) => row === header.line) }
}

const listFilledColumns = (cells: ReadonlyMap<number, string>) =>
  [...cells].filter(([, text]) => text.trim() !== '').map(([column]) => column)

/** Returns the columns of the table, without those that only captions use. */
function findTableColumns(rows: readonly SampleRow[]): readonly number[] {
  const captionRows = rows.findIndex(({ cells }) => listFilledColumns(cells).length > captionCells)
  const used = new Set(rows.slice(Math.max(0, captionRows)).flatMap(({ cells }) => listFilledColumns(cells)))
  return [...used].sort((one, other) => one - other)
}

function findHeaderIndex(records: readonly SampleRecord[], merges: readonly CellRange[]): number {
  const isTitle = (record: SampleRecord) => isMergedTitle(record, merges)
  const found = findHeaderBelowTitles(records, widthMin, isTitle)
  if (found !== null && records.slice(0, found).every((record) => isAbove(record, merges))) return found
  // A merged title is never the header, even if the row below is not a clear one.
  const untitled = records.findIndex((record) => !isTitle(record))
  const below = records[untitled]
  return below !== undefined && countFilled(below) >= widthMin ? untitled : 0
}

/** Returns whether one text spans several columns. */
function isMergedTitle(record: SampleRecord, merges: readonly CellRange[]): boolean {
  return countFilled(record) <= 1 && merges.some((merge) => isInRange(merge, record.line) && isWide(merge))
}

/** Returns whether a record is a title or caption (`Generated on | 2026-11-20`), and no part of a two-row header. */
function isAbove(record: SampleRecord, merges: readonly CellRange[]): boolean {
  if (countFilled(record) <= 1) return true
  const isCaption = record.cells.slice(captionCells).every((cell) => cell === '')
  return isCaption && !merges.some((merge) => isInRange(merge, record.line))
}

const captionCells = 2

const countFilled = ({ cells }: SampleRecord) => cells.filter((cell) => cell !== '').length

const isInRange = ({ firstRow, lastRow }: CellRange, row: number) => firstRow <= row && row <= lastRow

const isWide = ({ firstColumn, lastColumn }: CellRange) => lastColumn > firstColumn

const isTall = ({ firstRow, lastRow }: CellRange, row: number) => firstRow === row && lastRow > row

/** Number of unnamed columns allowed if the row below could be the header, too. */
const unnamedMax = 1

function findUnclearReason(
  header: SampleRecord,
  below: SampleRecord | undefined,
  merges: readonly CellRange[],
): string | null {
  const { line } = header
  const merged = merges.filter((merge) => isInRange(merge, line))
  if (merged.some(isWide)) return 'it has cells that are merged over several columns'
  if (merged.some((merge) => isTall(merge, line))) return 'it has cells that are merged with the row below'
  const unnamedCount = header.cells.length - countFilled(header)
  if (unnamedCount <= unnamedMax || below === undefined) return null
  return below.cells.at(-1) !== '' && isHeader(below)
    ? 'columns have no name, and the row below names all of them'
    : null
}
