import { UserError } from '../../core/errors.js'
import { measureWidth } from '../../core/text.js'
import { xlsxLimits } from '../limits.js'
import { PackedFileWriter, packText, type PackedFile } from '../zip-writer.js'
import { formatColumn, type SheetColumn, type WrittenCell, type WrittenRow } from './cells.js'
import {
  escapeText,
  mainNamespace,
  officeNamespace,
  formatRelations,
  formatTextTag,
  xmlDeclaration,
  ownStyles,
  type StyleBook,
} from './sheet-xml.js'

/** The parts of a sheet; `relations` if cells have links. */
export interface SheetParts {
  readonly sheet: PackedFile
  readonly relations: PackedFile | null
}

/** Size limits of a sheet. */
export interface SheetLimits {
  /** Including the header. */
  readonly rowsMax: number
  /** Before compression. */
  readonly sheetBytesMax: number
}

/** Writes one sheet with a frozen header. */
export class SheetWriter {
  private rowNumber = 0
  private readonly letters: readonly string[]
  /** Relation number of each URL. */
  private readonly addresses = new Map<string, number>()
  private readonly links: string[] = []
  private readonly part: PackedFileWriter

  constructor(
    path: string,
    private readonly columns: readonly SheetColumn[],
    private readonly styles: StyleBook,
    private readonly limits: SheetLimits,
  ) {
    if (columns.length > xlsxLimits.columnsMax) {
      throw createUnfitError(
        `${columns.length} columns exceed the ${xlsxLimits.columnsMax} of an Excel sheet`,
      )
    }
    this.letters = columns.map((_, index) => formatColumn(index))
    this.part = new PackedFileWriter(path)
  }

  get isFull(): boolean {
    const { rowsMax, sheetBytesMax } = this.limits
    return this.rowNumber >= rowsMax || this.part.plainBytes >= sheetBytesMax
  }

  /** `sample`: rows from which the column widths are estimated. */
  async start(sample: readonly WrittenRow[]): Promise<void> {
    const widths = estimateWidths(this.columns, sample)
    const columns = this.columns.map(
      ({ isText }, index) =>
        `<col min="${index + 1}" max="${index + 1}" width="${widths[index] ?? 10}" customWidth="1"${isText ? ` style="${ownStyles.text}"` : ''}/>`,
    )
    await this.part.write(
      `${xmlDeclaration}<worksheet xmlns="${mainNamespace}" xmlns:r="${officeNamespace}">` +
        '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
        '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>' +
        `<sheetFormatPr defaultRowHeight="15"/>${columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>`,
    )
    this.rowNumber = 1
    const header = this.columns.map(({ name }, index) => this.formatTextCell(name, index, ownStyles.header))
    await this.part.write(`<row r="1">${header.join('')}</row>`)
  }

  async add(row: WrittenRow): Promise<void> {
    this.rowNumber++
    let cells = ''
    for (let index = 0; index < row.length; index++) {
      const cell = row[index] ?? null
      if (cell !== null && cell !== '') cells += this.formatCellXml(cell, index)
    }
    await this.part.write(`<row r="${this.rowNumber}">${cells}</row>`)
  }

  async end(): Promise<SheetParts> {
    const { links, letters, rowNumber } = this
    const hyperlinks = links.length === 0 ? '' : `<hyperlinks>${links.join('')}</hyperlinks>`
    // Prevents Excel's warning about numbers stored as text.
    const whole = `A1:${letters.at(-1) ?? 'A'}${rowNumber}`
    const ignored = `<ignoredErrors><ignoredError sqref="${whole}" numberStoredAsText="1"/></ignoredErrors>`
    await this.part.write(`</sheetData>${hyperlinks}${ignored}</worksheet>`)
    const relations = [...this.addresses.keys()].map((target) => ({
      type: 'hyperlink',
      target,
      isExternal: true,
    }))
    return {
      sheet: await this.part.end(),
      relations: relations.length === 0 ? null : packText(formatRelations(relations)),
    }
  }

  close(): Promise<void> {
    return this.part.close()
  }

  private formatCellXml(cell: Exclude<WrittenCell, null>, index: number): string {
    if (typeof cell === 'string') return this.formatTextCell(cell, index, ownStyles.text)
    const place = `${this.letters[index] ?? ''}${this.rowNumber}`
    switch (cell.kind) {
      case 'number': {
        const style = this.styles.getStyle(cell.format)
        return `<c r="${place}"${style === 0 ? '' : ` s="${style}"`}><v>${cell.value}</v></c>`
      }
      case 'boolean':
        return `<c r="${place}" t="b"><v>${cell.value ? 1 : 0}</v></c>`
      case 'error':
        return knownErrors.has(cell.value)
          ? `<c r="${place}" t="e"><v>${escapeText(cell.value)}</v></c>`
          : this.formatTextCell(cell.value, index, ownStyles.text)
      case 'link':
        return this.formatLinkCell(cell, index, place)
    }
  }

  private formatTextCell(text: string, index: number, style: number): string {
    if (text.length > xlsxLimits.cellCharsMax)
      throw createCellTooLongError(this.columns[index]?.name ?? '', this.rowNumber - 1, text.length)
    return `<c r="${this.letters[index] ?? ''}${this.rowNumber}" s="${style}" t="inlineStr"><is>${formatTextTag(text)}</is></c>`
  }

  private formatLinkCell({ text, url }: { text: string; url: string }, index: number, place: string): string {
    if (this.links.length >= xlsxLimits.linksMax) return this.formatTextCell(text, index, ownStyles.text)
    let address = this.addresses.get(url)
    if (address === undefined) this.addresses.set(url, (address = this.addresses.size + 1))
    this.links.push(`<hyperlink ref="${place}" r:id="rId${address}"/>`)
    return this.formatTextCell(text, index, ownStyles.link)
  }
}

/** Error values that Excel writes. It does not open files with others. */
const knownErrors: ReadonlySet<string> = new Set([
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
])

/**
 * Creates the error for a text that exceeds the limit of a cell. `rowNumber`: row below the header, counted from 1; 0
 * is the header.
 */
export function createCellTooLongError(column: string, rowNumber: number, charCount: number): UserError {
  const name = JSON.stringify(column.length > 100 ? `${column.slice(0, 100)}…` : column)
  return createUnfitError(
    `column ${name}, ${rowNumber === 0 ? 'its name' : `row ${rowNumber}`}: ${charCount} characters exceed the ${xlsxLimits.cellCharsMax} of an Excel cell`,
  )
}

function createUnfitError(reason: string): UserError {
  return new UserError('OUTPUT_COLUMN_UNFIT', reason, {
    hint: 'write CSV, NDJSON or Parquet, which have no such limit',
  })
}

/** In characters of the font. Longer text is only cut on the screen. */
const widthLimits = { charsMin: 8, charsMax: 60, headerCharsMax: 30, dateChars: 18, sampleRows: 200 } as const

/** Estimates the column widths from the texts of the first rows, within limits. */
function estimateWidths(columns: readonly SheetColumn[], sample: readonly WrittenRow[]): number[] {
  const rows = sample.slice(0, widthLimits.sampleRows)
  return columns.map(({ name }, index) => {
    const header = Math.min(measureWidth(name), widthLimits.headerCharsMax)
    const widest = rows.reduce((most, row) => Math.max(most, estimateCellWidth(row[index] ?? null)), header)
    return Math.min(Math.max(widest, widthLimits.charsMin), widthLimits.charsMax) + 2
  })
}

function estimateCellWidth(cell: WrittenCell): number {
  if (cell === null) return 0
  if (typeof cell === 'string') return measureText(cell)
  switch (cell.kind) {
    case 'link':
      return measureText(cell.text)
    case 'number':
      return typeof cell.format === 'number'
        ? Math.min(cell.value.length, widthLimits.dateChars)
        : widthLimits.dateChars
    case 'boolean':
    case 'error':
      return widthLimits.charsMin
  }
}

function measureText(text: string): number {
  return measureWidth(text.slice(0, widthLimits.charsMax).split('\n', 1)[0] ?? '')
}
