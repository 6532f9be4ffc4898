import { open, type FileHandle } from 'node:fs/promises'
import { UserError } from '../../core/errors.js'
import { plural } from '../../core/text.js'
import { detectPacking, type ChooseColumns, type LocatedRecord } from '../bytes.js'
import { openZip, readZipMembers } from '../zip-reader.js'
import { createEmptyFileError, toFileError } from '../limits-and-errors.js'
import {
  toCell,
  type Cell,
  getCellKind,
  formatCell,
  formatColumn,
  type CellKind,
  type RawCell,
} from './cells.js'
import {
  Parts,
  createDamagedWorkbookError,
  createOtherSpreadsheetError,
  readSharedStrings,
  chooseSheet,
  readWorkbook,
  type Sheet,
  type Workbook,
} from './workbook.js'
import {
  findHeader,
  readSheetRows,
  type CellRange,
  type RowCounts,
  type SheetHeader,
  type SheetRow,
} from './sheet-rows.js'

export type { SheetRow } from './sheet-rows.js'

export interface ScannedCell {
  readonly text: string
  readonly kind: CellKind
}

interface ScannedSheet {
  readonly firstRows: readonly SheetRow<ScannedCell>[]
  readonly header: SheetHeader
  readonly merges: readonly CellRange[]
}

/** Returns whether the content is an Excel file (.xlsx). Throws errors of files, and INPUT_COMPRESSION_CORRUPT. */
export async function isWorkbook(path: string): Promise<boolean> {
  if ((await detectPacking(path, path)) !== 'zip') return false
  for await (const { name } of readZipMembers(path)) if (name === 'xl/workbook.xml') return true
  return false
}

/**
 * Opens an .xlsx file. `sheet` is a name or a number from 1, by default the first visible one; `label` is shown to the
 * user. Throws INPUT_EXCEL_INVALID, INPUT_SHEET_MISSING, INPUT_FORMAT_UNKNOWN (another kind of spreadsheet),
 * INPUT_COMPRESSION_CORRUPT, INPUT_EMPTY, INPUT_NOT_FOUND, INPUT_IS_FOLDER and INPUT_UNREADABLE.
 *
 *     const file = await openXlsx('companies.xlsx')
 *     for await (const rows of file.readRows()) for (const { row, cells } of rows) console.log(row, cells.get(0))
 *     file.close()
 */
export async function openXlsx(path: string, sheet?: string, label = path): Promise<XlsxFile> {
  await refuseOtherKinds(path, label)
  const parts = new Parts(label, await openZip(path, label))
  try {
    const workbook = await readWorkbook(parts)
    return new XlsxFile(parts, workbook, chooseSheet(label, workbook, sheet))
  } catch (error) {
    parts.close()
    throw error
  }
}

type ValueReader<Value> = (
  cell: RawCell,
  strings: readonly string[],
  counts: RowCounts,
) => Value | null | undefined

/** One sheet of an Excel file. Methods that return rows start from the beginning at each call, in file order. */
export class XlsxFile {
  readonly label: string
  readonly sheets: readonly Pick<Sheet, 'name' | 'isHidden'>[]
  readonly sheetName: string
  /** Macros are never run. */
  readonly hasMacros: boolean
  readonly #parts: Parts
  readonly #workbook: Workbook
  readonly #sheet: Sheet
  #strings: Promise<readonly string[]> | null = null
  #lastCounts = createCounts()

  constructor(parts: Parts, workbook: Workbook, sheet: Sheet) {
    this.#parts = parts
    this.#workbook = workbook
    this.#sheet = sheet
    this.label = parts.label
    this.sheets = workbook.sheets
    this.sheetName = sheet.name
    this.hasMacros = workbook.hasMacros
  }

  /** Returns notices for the user about the cells; complete after rows were read. `columnNames`: by column from 0. */
  listNotices(columnNames: ReadonlyMap<number, string> = new Map()): readonly string[] {
    const label = `${this.label}, sheet "${this.sheetName}"`
    const { isRecalculated } = this.#workbook
    return [
      ...describeNotices(label, this.#sheet, this.#lastCounts, isRecalculated),
      ...describeUnreadFormats(label, this.#lastCounts, columnNames),
    ]
  }

  /** Reads non-empty rows as text. */
  readRows(): AsyncGenerator<readonly SheetRow[]> {
    return this.#readRowsAs(this.#toText)
  }

  /** Finds the table of any sheet in its first rows: the texts of its header, and whether rows are below it. */
  async findTable(
    sheetName: string,
    rowsMax: number,
  ): Promise<{ readonly header: readonly string[]; readonly hasRows: boolean } | null> {
    const sheet = this.#workbook.sheets.find(({ name }) => name === sheetName)
    if (sheet === undefined) return null
    const rows: SheetRow[] = []
    for await (const batch of this.#readRowsAs(this.#toText, undefined, sheet)) {
      rows.push(...batch.slice(0, rowsMax - rows.length))
      if (rows.length >= rowsMax) break
    }
    const header = findHeader(rows, [])
    if (header.kind !== 'header') return null
    return {
      header: [...(rows[header.index]?.cells.values() ?? [])],
      hasRows: rows.length > header.index + 1,
    }
  }

  /** Reads rows as cells for writing. */
  cellRows(): AsyncGenerator<readonly SheetRow<Cell>[]> {
    return this.#readRowsAs<Cell>((cell, texts) => toCell(cell, texts, this.#workbook.is1904))
  }

  /** Reads the sheet to its end: returns its first rows and where its header is; other rows are passed on. */
  async scan(firstRowsMax: number, onLaterRow: (row: SheetRow<ScannedCell>) => void): Promise<ScannedSheet> {
    const merges: CellRange[] = []
    const firstRows: SheetRow<ScannedCell>[] = []
    const toScannedCell: ValueReader<ScannedCell> = (cell, texts, counts) => {
      const text = this.#toText(cell, texts, counts)
      return typeof text === 'string' ? { text, kind: getCellKind(cell, text) } : text
    }
    for await (const batch of this.#readRowsAs(toScannedCell, merges))
      for (const row of batch) {
        if (firstRows.length < firstRowsMax) firstRows.push(row)
        else onLaterRow(row)
      }
    const texts = firstRows.map(({ row, cells }) => ({
      row,
      cells: new Map([...cells].map(([column, { text }]) => [column, text])),
    }))
    return { firstRows, header: findHeader(texts, merges), merges }
  }

  /** Reads rows like a delimited file: the first row with text is the header, and row numbers serve as line numbers. */
  readRecords(choose: ChooseColumns): AsyncGenerator<readonly LocatedRecord[]> {
    return toRecords(this.readRows(), choose)
  }

  close(): void {
    this.#parts.close()
  }

  readonly #toText: ValueReader<string> = (cell, texts, counts) => {
    const text = formatCell(cell, texts, this.#workbook.is1904, counts)
    return text === '' ? null : text
  }

  async *#readRowsAs<Value>(
    valueOf: ValueReader<Value>,
    merges?: CellRange[],
    other?: Sheet,
  ): AsyncGenerator<readonly SheetRow<Value>[]> {
    const { sharedStringsPart } = this.#workbook
    const texts = await (this.#strings ??= readSharedStrings(this.#parts, sharedStringsPart))
    const counts = createCounts()
    if (other === undefined) this.#lastCounts = counts
    yield* readSheetRows({
      parts: this.#parts,
      workbook: this.#workbook,
      sheet: other ?? this.#sheet,
      counts,
      valueOf: (cell) => valueOf(cell, texts, counts),
      merges,
    })
  }
}

async function* toRecords(
  batches: AsyncGenerator<readonly SheetRow[]>,
  choose: ChooseColumns,
): AsyncGenerator<readonly LocatedRecord[]> {
  let chosen: readonly number[] | null = null
  for await (const batch of batches) {
    const records: LocatedRecord[] = []
    for (const { row, cells } of batch) {
      if (cells.size === 0) continue
      if (chosen === null) {
        const header = listHeader(cells)
        chosen = choose(header) ?? [...header.keys()]
      } else records.push({ cells: chosen.map((column) => cells.get(column) ?? ''), line: row, reason: null })
    }
    yield records
  }
}

function listHeader(cells: ReadonlyMap<number, string>): string[] {
  const width = Math.max(...cells.keys()) + 1
  return Array.from({ length: width }, (_, column) => cells.get(column) ?? '')
}

const createCounts = (): RowCounts => ({
  errorCount: 0,
  uncachedCount: 0,
  cachedCount: 0,
  longNumberCount: 0,
  longNumberColumns: new Set(),
  unreadFormats: new Map(),
  hiddenRowCount: 0,
})

function describeNotices(
  label: string,
  { isHidden }: Sheet,
  counts: RowCounts,
  isRecalculated: boolean,
): string[] {
  const { errorCount, uncachedCount, cachedCount, longNumberCount } = counts
  const notices: string[] = []
  if (errorCount > 0) {
    const are = errorCount === 1 ? 'cell holds an error and is' : 'cells hold an error and are'
    notices.push(`${label}: ${errorCount} ${are} read as empty`)
  }
  if (uncachedCount > 0) {
    const are = uncachedCount === 1 ? 'formula has' : 'formulas have'
    notices.push(
      `${label}: ${uncachedCount} ${are} no stored result: read as empty; save the file in a spreadsheet program, which stores results`,
    )
  }
  if (cachedCount > 0 && isRecalculated) {
    const have = cachedCount === 1 ? 'formula has a stored result' : 'formulas have stored results'
    notices.push(
      `${label}: ${cachedCount} ${have} that the file marks as outdated; save the file in a spreadsheet program, which calculates them`,
    )
  }
  if (longNumberCount > 0) {
    const columns = [...counts.longNumberColumns].map(formatColumn).join(', ')
    notices.push(
      `${label}: ${plural(longNumberCount, 'cell')} with a number of which Excel keeps only 15 digits (${counts.longNumberColumns.size === 1 ? 'column' : 'columns'} ${columns})`,
    )
  }
  if (counts.hiddenRowCount > 0)
    notices.push(`${label}: hidden rows are read like others (${counts.hiddenRowCount})`)
  if (isHidden) notices.push(`${label}: the sheet is hidden`)
  return notices
}

/** Columns with an example; others are only named. */
const columnExamplesMax = 10

/** Names the columns with a text that the number format shows and the reader omits. */
function describeUnreadFormats(
  label: string,
  { unreadFormats }: RowCounts,
  names: ReadonlyMap<number, string>,
): string[] {
  const found = [...unreadFormats].sort(([one], [other]) => one - other)
  const describeColumn = (column: number) => {
    const name = names.get(column)
    return name === undefined ? formatColumn(column) : `${JSON.stringify(name)} (${formatColumn(column)})`
  }
  const notices = found.slice(0, columnExamplesMax).map(([column, { count, read, shown }]) => {
    const cells = count === 1 ? '1 cell is' : `${count} cells are`
    return `${label}: column ${describeColumn(column)}: ${cells} read as stored, not as the number format shows: ${JSON.stringify(read)} for ${JSON.stringify(shown)}`
  })
  const others = found.slice(columnExamplesMax).map(([column]) => describeColumn(column))
  if (others.length > 0)
    notices.push(`${label}: also read as stored, not as shown: cells of the columns ${others.join(', ')}`)
  return notices
}

/** Container of .xls files, and of .xlsx files with a password. */
const compoundFile = 0xd0cf11e0
const zipBeginning = 0x504b0304

/** Throws INPUT_FORMAT_UNKNOWN if the first bytes are not those of an .xlsx, whatever the file's name. */
async function refuseOtherKinds(path: string, label: string): Promise<void> {
  const kind = await detectKind(path).catch((error: unknown) => {
    throw toFileError(error, label)
  })
  if (kind === 'zip') return
  if (kind === 'empty') throw createEmptyFileError(label)
  if (kind === 'text') {
    throw new UserError('INPUT_FORMAT_UNKNOWN', `${label} has an Excel file name but contains text`, {
      hint: 'pass --input-format csv if it is a table with delimiters; save HTML as .xlsx or CSV',
    })
  }
  if (kind === 'other') throw createDamagedWorkbookError(label, 'its content is of another format')
  if (kind === 'old') throw createOtherSpreadsheetError(label, 'an old workbook (.xls)')
  throw createOtherSpreadsheetError(
    label,
    'a workbook with a password',
    'open it with its password and save it without one',
  )
}

async function detectKind(path: string): Promise<'zip' | 'old' | 'locked' | 'empty' | 'text' | 'other'> {
  const file = await open(path)
  try {
    const start = await readBytes(file, 0)
    if (start.length === 0) return 'empty'
    const magic = start.length < 4 ? 0 : start.readUInt32BE(0)
    if (magic === zipBeginning) return 'zip'
    if (magic !== compoundFile) return isText(start) ? 'text' : 'other'
    if (start.length < 512) return 'old'
    // [MS-CFB] 2.2: position of the stream directory, in sectors after the header.
    const directoryAt = (start.readUInt32LE(48) + 1) * 2 ** Math.min(start.readUInt16LE(30), 12)
    const places = [start, await readBytes(file, directoryAt), await readBytes(file, -1)]
    const name = Buffer.from('EncryptedPackage', 'utf16le')
    return places.some((bytes) => bytes.includes(name)) ? 'locked' : 'old'
  } finally {
    await file.close()
  }
}

/** No control characters except white space: some programs name text or HTML tables `.xls`. */
function isText(start: Buffer): boolean {
  return start.length > 4 && start.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d))
}

const pieceBytes = 64 * 1024

/** Reads a piece of the file; the last one if `place` is negative. */
async function readBytes(file: FileHandle, place: number): Promise<Buffer> {
  const from = place < 0 ? Math.max(0, (await file.stat()).size - pieceBytes) : place
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, from)
  return buffer.subarray(0, bytesRead)
}
