import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tableLimits, xlsxLimits } from '../limits-and-errors.js'
import { packText, writeZip, type PackedFile } from '../zip-writer.js'
import {
  escapeAttribute,
  formatRelations,
  mainNamespace,
  officeNamespace,
  packageNamespace,
  SheetWriter,
  StyleBook,
  xmlDeclaration,
  type SheetLimits,
  type SheetParts,
} from './sheet-writer.js'
import type { SheetColumn, WrittenRow } from './cells.js'

export interface BookLimits extends SheetLimits {
  /** Limit of the file, and of each part before compression. */
  readonly bytesMax: number
}

const bookLimits: BookLimits = { ...xlsxLimits, bytesMax: tableLimits.zipBytesMax }

/** Writes rows below a header to as many sheets as needed: `basis`, `basis 2`. */
export class SheetSeries {
  readonly sheets: SheetParts[] = []
  private writer: SheetWriter | null = null

  constructor(
    readonly name: string,
    private readonly columns: readonly SheetColumn[],
    private readonly styles: StyleBook,
    private readonly pathPrefix: string,
    private readonly limits: BookLimits,
  ) {}

  async add(rows: readonly WrittenRow[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      if (this.writer?.isFull === true) await this.endSheet()
      this.writer ??= await this.startSheet(rows.slice(index))
      await this.writer.add(row)
    }
  }

  /** Writes an empty sheet with its header if there are no rows. */
  async end(): Promise<readonly SheetParts[]> {
    if (this.sheets.length === 0) this.writer ??= await this.startSheet([])
    await this.endSheet()
    return this.sheets
  }

  async close(): Promise<void> {
    await this.writer?.close()
  }

  private async startSheet(sample: readonly WrittenRow[]): Promise<SheetWriter> {
    const writer = new SheetWriter(
      `${this.pathPrefix}${this.sheets.length + 1}`,
      this.columns,
      this.styles,
      this.limits,
    )
    await writer.start(sample)
    return writer
  }

  private async endSheet(): Promise<void> {
    const writer = this.writer
    this.writer = null
    if (writer !== null) this.sheets.push(await writer.end())
  }
}

/**
 * Writes an .xlsx in constant memory: packs each sheet into a temporary file in a private folder, and joins them at the
 * end. Writes no formulas. Throws OUTPUT_COLUMN_UNFIT for text or tables that exceed Excel's limits; `write` throws
 * OUTPUT_UNWRITABLE for a file that exceeds a zip's limit.
 */
export class WorkbookWriter {
  private readonly styles = new StyleBook()
  private readonly series: SheetSeries[] = []

  private readonly limits: BookLimits

  constructor(
    private readonly folder: string,
    limits: Partial<BookLimits> = {},
  ) {
    this.limits = { ...bookLimits, ...limits }
    mkdirSync(folder, { mode: 0o700 })
  }

  /** Adds a sheet after the existing ones. */
  addSheets(name: string, columns: readonly SheetColumn[]): SheetSeries {
    const prefix = join(this.folder, `sheet${this.series.length + 1}-`)
    const series = new SheetSeries(name, columns, this.styles, prefix, this.limits)
    this.series.push(series)
    return series
  }

  async write(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const names: string[] = []
    const sheets: SheetParts[] = []
    for (const series of this.series) {
      for (const [index, parts] of (await series.end()).entries()) {
        names.push(createSheetName(series.name, index + 1, names))
        sheets.push(parts)
      }
    }
    await writeZip([...listParts(names, sheets, this.styles)], write, this.limits.bytesMax)
  }

  /** Removes the temporary files. */
  async remove(): Promise<void> {
    for (const series of this.series) await series.close().catch(() => undefined)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const nameCharsMax = 31

/** Returns a unique name that Excel accepts. */
export function createSheetName(wanted: string, number: number, others: readonly string[]): string {
  const clean = wanted.replace(/[[\]:*?/\\\p{Cc}]/gu, ' ').replace(/^[\s']+|[\s']+$/g, '')
  const base = clean === '' || /^history$/i.test(clean) ? 'rows' : clean
  const taken = new Set(others.map((name) => name.toLowerCase()))
  for (let count = number; ; count++) {
    const end = count === 1 ? '' : ` ${count}`
    const name =
      Array.from(base)
        .slice(0, nameCharsMax - end.length)
        .join('')
        .slice(0, nameCharsMax - end.length) + end
    if (!taken.has(name.toLowerCase())) return name
  }
}

const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function* listParts(
  names: readonly string[],
  sheets: readonly SheetParts[],
  styles: StyleBook,
): Generator<[name: string, file: PackedFile]> {
  const files = sheets.map((_, index) => `sheet${index + 1}.xml`)
  yield ['[Content_Types].xml', packText(formatContentTypes(files))]
  yield ['_rels/.rels', packText(formatRelations([{ type: 'officeDocument', target: 'xl/workbook.xml' }]))]
  yield ['xl/workbook.xml', packText(formatWorkbook(names, sheets))]
  const targets = files.map((file) => ({ type: 'worksheet', target: `worksheets/${file}` }))
  yield [
    'xl/_rels/workbook.xml.rels',
    packText(formatRelations([...targets, { type: 'styles', target: 'styles.xml' }])),
  ]
  yield ['xl/styles.xml', packText(styles.formatXml())]
  for (const [index, { sheet, relations }] of sheets.entries()) {
    yield [`xl/worksheets/${files[index] ?? ''}`, sheet]
    if (relations !== null) yield [`xl/worksheets/_rels/${files[index] ?? ''}.rels`, relations]
  }
}

function formatContentTypes(files: readonly string[]): string {
  const formatPart = (name: string, type: string) =>
    `<Override PartName="/xl/${name}" ContentType="${contentType}.${type}+xml"/>`
  const sheets = files.map((file) => formatPart(`worksheets/${file}`, 'worksheet'))
  return (
    `${xmlDeclaration}<Types xmlns="${packageNamespace}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${formatPart('workbook.xml', 'sheet.main')}${formatPart('styles.xml', 'styles')}${sheets.join('')}</Types>`
  )
}

function formatWorkbook(names: readonly string[], parts: readonly SheetParts[]): string {
  const formatSheet = (name: string, index: number) =>
    `<sheet name="${escapeAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`
  // Excel keeps the range of a filter under this name.
  const filters = parts.flatMap(({ filterRange }, index) => {
    if (filterRange === null) return []
    const range = escapeAttribute(`'${(names[index] ?? '').replaceAll("'", "''")}'!${filterRange}`)
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${range}</definedName>`
  })
  return (
    `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}">` +
    `<bookViews><workbookView activeTab="0"/></bookViews><sheets>${names.map(formatSheet).join('')}</sheets>` +
    (filters.length === 0 ? '' : `<definedNames>${filters.join('')}</definedNames>`) +
    '</workbook>'
  )
}
