import { generalStyle } from './cell-style.js'
import type { CellCounts, RawCell } from './cell-value.js'
import { xlsxLimits } from '../limits.js'
import type { Parts } from './parts.js'
import { columnIndex, rangeOf, type CellRange } from './references.js'
import { StringText, unescaped } from './strings.js'
import { isTrue, type Sheet, type Workbook } from './workbook.js'
import { readXml } from './xml.js'
import { damagedWorkbook } from './xlsx-error.js'

/** A row that holds a cell; columns are counted from 0, rows from 1. */
export interface SheetRow<Value = string> {
  readonly row: number
  /** Only those that have a value: none in a row of errors, or of formulas without a result. */
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
  /** What a cell is read as: null where it is empty, undefined where it refers to a text that is not there. */
  readonly valueOf: (cell: RawCell) => Value | null | undefined
  /** Merged cells, which stand behind all rows; so many at most. */
  readonly merges: CellRange[] | undefined
}

/** The rows of a sheet, in the order of the file, as many at a time as a chunk of it holds. */
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
  value: string | null
  isFormula: boolean
}

class SheetReader<Value> {
  #rows: SheetRow<Value>[] = []
  #row = 0
  #column = -1
  #cells = new Map<number, Value>()
  /** Whether the row holds a cell of which there is something to see, or would be. */
  #isFilled = false
  #cell: OpenCell | null = null
  #isValue = false
  readonly #inline = new StringText()

  constructor(private readonly reading: SheetReading<Value>) {}

  take(): SheetRow<Value>[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    switch (name) {
      case 'row':
        this.#openRow(attribute('r'), isTrue(attribute('hidden')))
        return
      case 'c':
        this.#column = this.#columnOf(attribute('r'))
        this.#cell = {
          type: attribute('t') ?? 'n',
          style: Number(attribute('s') ?? 0),
          value: null,
          isFormula: false,
        }
        return
      case 'v':
        this.#isValue = this.#cell !== null
        if (this.#cell !== null) this.#cell.value = ''
        return
      case 'f':
        if (this.#cell !== null) this.#cell.isFormula = true
        return
      case 'mergeCell':
        this.#addMerge(attribute('ref'))
        return
      default:
        if (this.#cell !== null) this.#inline.open(name)
    }
  }

  text(text: string): void {
    if (this.#cell === null) return
    if (this.#isValue) this.#cell.value = (this.#cell.value ?? '') + text
    else this.#inline.add(text)
  }

  close(name: string): void {
    if (name === 'v') this.#isValue = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#closeRow()
    else if (this.#cell !== null) this.#inline.close(name)
  }

  #openRow(stated: string | undefined, isHidden: boolean): void {
    this.#row = stated === undefined ? this.#row + 1 : Number(stated)
    if (!Number.isInteger(this.#row) || this.#row < 1 || this.#row > xlsxLimits.rowsMax) {
      throw damagedWorkbook(this.reading.parts.label, `it has a row ${stated ?? this.#row}`)
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
    const raw = this.#rawOf(cell, this.#inline.take())
    const value = this.reading.valueOf(raw)
    if (value === undefined) {
      throw damagedWorkbook(this.reading.parts.label, `row ${this.#row} refers to a text that is not there`)
    }
    if (value !== null) this.#cells.set(this.#column, value)
    this.#isFilled ||= value !== null || raw.type === 'e' || (raw.isFormula && raw.value === null)
  }

  #rawOf({ type, style: number, value, isFormula }: OpenCell, inline: string): RawCell {
    const style = this.reading.workbook.styles[number] ?? generalStyle
    if (type === 'inlineStr') return { type, value: inline, isFormula, style }
    return { type, value: type === 'str' && value !== null ? unescaped(value) : value, isFormula, style }
  }

  /** A cell that does not say where it stands follows the one before. */
  #columnOf(place: string | undefined): number {
    const column = columnIndex(place ?? '') ?? this.#column + 1
    if (column < xlsxLimits.columnsMax) return column
    throw damagedWorkbook(
      this.reading.parts.label,
      `it has a column ${/^[A-Z]+/i.exec(place ?? '')?.[0] ?? column}`,
    )
  }

  #addMerge(reference: string | undefined): void {
    const { merges } = this.reading
    const range = merges === undefined ? null : rangeOf(reference ?? '')
    if (range !== null && merges !== undefined && merges.length < xlsxLimits.mergesMax) merges.push(range)
  }
}
