import { cellText, type CellCounts, type RawCell } from './cell-value.js'
import { xlsxLimits } from '../limits.js'
import type { Parts } from './parts.js'
import { StringText, unescaped } from './strings.js'
import { isTrue, type Sheet, type Workbook } from './workbook.js'
import { readXml } from './xml.js'
import { damagedWorkbook } from './xlsx-error.js'

/** A row that holds a cell; columns are counted from 0, rows from 1. */
export interface SheetRow {
  readonly row: number
  /** Only those that have a text. */
  readonly cells: ReadonlyMap<number, string>
}

export interface RowCounts extends CellCounts {
  hiddenRowCount: number
}

/** The rows of a sheet, in the order of the file, as many at a time as a chunk of it holds. */
export async function* readSheetRows(
  parts: Parts,
  workbook: Workbook,
  sheet: Sheet,
  strings: readonly string[],
  counts: RowCounts,
): AsyncGenerator<readonly SheetRow[]> {
  const reader = new SheetReader(parts.label, workbook, strings, counts)
  const reading = readXml(parts.read(sheet.part), parts.label, reader)
  while ((await reading.next()).done !== true) {
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

class SheetReader {
  #rows: SheetRow[] = []
  #row = 0
  #column = -1
  #cells = new Map<number, string>()
  #cell: OpenCell | null = null
  #isValue = false
  readonly #inline = new StringText()

  constructor(
    private readonly label: string,
    private readonly workbook: Workbook,
    private readonly strings: readonly string[],
    private readonly counts: RowCounts,
  ) {}

  take(): SheetRow[] {
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
      throw damagedWorkbook(this.label, `it has a row ${stated ?? this.#row}`)
    }
    if (isHidden) this.counts.hiddenRowCount++
    this.#column = -1
    this.#cells = new Map()
  }

  #closeRow(): void {
    if (this.#cells.size > 0) this.#rows.push({ row: this.#row, cells: this.#cells })
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null) return
    const inline = this.#inline.take()
    const text = cellText(this.#rawOf(cell, inline), this.strings, this.workbook.is1904, this.counts)
    if (text === undefined) {
      throw damagedWorkbook(this.label, `row ${this.#row} refers to a text that is not there`)
    }
    if (text !== null && text !== '') this.#cells.set(this.#column, text)
  }

  #rawOf({ type, style, value, isFormula }: OpenCell, inline: string): RawCell {
    const kind = this.workbook.kinds[style] ?? { kind: 'number' }
    if (type === 'inlineStr') return { type, value: inline, isFormula, kind }
    return { type, value: type === 'str' && value !== null ? unescaped(value) : value, isFormula, kind }
  }

  /** `C7` is column 2; a cell that does not say where it stands follows the one before. */
  #columnOf(place: string | undefined): number {
    const letters = /^[A-Za-z]+/.exec(place ?? '')?.[0]
    const column =
      letters === undefined
        ? this.#column + 1
        : Buffer.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1
    if (column < xlsxLimits.columnsMax) return column
    throw damagedWorkbook(this.label, `it has a column ${letters ?? column}`)
  }
}
