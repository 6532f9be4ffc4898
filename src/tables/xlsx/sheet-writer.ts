import { measureWidth } from '../../core/text.js'
import { createCellTooLongError, createUnfitError, xlsxLimits } from '../limits-and-errors.js'
import { PackedFileWriter, packText, type PackedFile } from '../zip-writer.js'
import {
  formatColumn,
  type NumberFormat,
  type SheetColumn,
  type WrittenCell,
  type WrittenRow,
} from './cells.js'

/** Characters that XML cannot contain, and text that Excel would read as an escape such as `_x000D_`. */
const unsafe =
  // oxlint-disable-next-line no-control-regex
  /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g

// oxlint-disable-next-line no-control-regex
const mayBeUnsafe = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]|_x/

/** Escapes text for a tag. Lone surrogates become U+FFFD. */
function escapeText(text: string): string {
  return mayBeUnsafe.test(text) ? text.replace(unsafe, escapeChar) : text
}

function escapeChar(found: string): string {
  switch (found) {
    case '&':
      return '&amp;'
    case '<':
      return '&lt;'
    case '>':
      return '&gt;'
    default:
  }
  if (found.length === 2) return found
  const code = found.charCodeAt(0)
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replace(/["\t\n]/g, (found) => `&#${found.charCodeAt(0)};`)
}

/** Formats a text as an XML element. The attribute keeps leading and trailing white space. */
function formatTextTag(text: string): string {
  const keep = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  return `<t${keep}>${escapeText(text)}</t>`
}

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
export const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
export const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

/** Formats the relations of a part. `target` is a part or an external URL. */
export function formatRelations(
  relations: readonly { readonly type: string; readonly target: string; readonly isExternal?: boolean }[],
): string {
  const items = relations.map(
    ({ type, target, isExternal }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${escapeAttribute(target)}"${isExternal === true ? ' TargetMode="External"' : ''}/>`,
  )
  return `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${items.join('')}</Relationships>`
}

/** Numbers of the styles that every written workbook has. */
const ownStyles = { general: 0, text: 1, header: 2, link: 3 } as const

const textFormat = 49
/** First number of a custom format. */
const firstCustomFormat = 164

/** Number formats of a workbook, with their style numbers. */
export class StyleBook {
  private readonly styles = new Map<NumberFormat, number>([[0, ownStyles.general]])

  /** Returns the general style if there are too many formats. */
  getStyle(format: NumberFormat): number {
    const known = this.styles.get(format)
    if (known !== undefined) return known
    if (this.styles.size >= xlsxLimits.formatsMax) return ownStyles.general
    const style = Object.keys(ownStyles).length + this.styles.size - 1
    this.styles.set(format, style)
    return style
  }

  formatXml(): string {
    const codes = [...this.styles.keys()].filter((format) => typeof format === 'string')
    const formatIds = new Map(codes.map((code, index) => [code, firstCustomFormat + index]))
    const formats = [...formatIds].map(
      ([code, id]) => `<numFmt numFmtId="${id}" formatCode="${escapeAttribute(code)}"/>`,
    )
    const style = (format: number, font = 0) =>
      `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${format === 0 ? '' : ' applyNumberFormat="1"'}${font === 0 ? '' : ' applyFont="1"'}/>`
    const own = [style(0), style(textFormat), style(textFormat, 1), style(textFormat, 2)]
    const others = [...this.styles.keys()]
      .filter((format) => format !== 0)
      .map((format) => style(typeof format === 'number' ? format : (formatIds.get(format) ?? 0)))
    const styles = [...own, ...others]
    const font = '<sz val="11"/>'
    const name = '<name val="Calibri"/><family val="2"/>'
    return (
      `${xmlDeclaration}<styleSheet xmlns="${mainNamespace}">` +
      (formats.length === 0 ? '' : `<numFmts count="${formats.length}">${formats.join('')}</numFmts>`) +
      `<fonts count="3"><font>${font}${name}</font><font><b/>${font}${name}</font>` +
      `<font><u/>${font}<color rgb="FF0563C1"/>${name}</font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${styles.length}">${styles.join('')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    )
  }
}

/** The parts of a sheet; `relations` if cells have links. */
export interface SheetParts {
  readonly sheet: PackedFile
  /** `$A$1:$C$8`; `null` without columns. */
  readonly filterRange: string | null
  readonly relations: PackedFile | null
}

export interface SheetLimits {
  /** Including the header. */
  readonly rowsMax: number
  /** Before compression. */
  readonly sheetBytesMax: number
}

/** Writes one sheet with a frozen header and a filter for each column. */
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
    const last = letters.at(-1)
    const whole = `A1:${last ?? 'A'}${rowNumber}`
    const filter = last === undefined ? '' : `<autoFilter ref="${whole}"/>`
    const ignored = `<ignoredErrors><ignoredError sqref="${whole}" numberStoredAsText="1"/></ignoredErrors>`
    await this.part.write(`</sheetData>${filter}${hyperlinks}${ignored}</worksheet>`)
    const relations = [...this.addresses.keys()].map((target) => ({
      type: 'hyperlink',
      target,
      isExternal: true,
    }))
    return {
      sheet: await this.part.end(),
      filterRange: last === undefined ? null : `$A$1:$${last}$${rowNumber}`,
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
