import { open, type FileHandle } from 'node:fs/promises'
import { UserError } from '../../core/errors.js'
import { type ChooseColumns, type LocatedRecord, emptyFile } from '../record-source.js'
import { openZip } from '../zip-reader.js'
import { fileError } from '../file-error.js'
import {
  typedCell,
  type Cell,
  type CellRange,
  kindOfCell,
  cellText,
  type CellKind,
  type RawCell,
} from './cells.js'
import { Parts, damagedWorkbook, otherSpreadsheet } from './xml-parts.js'
import { readSheetRows, type RowCounts, type SheetRow } from './sheet-rows.js'
import { readSharedStrings, chooseSheet, readWorkbook, type Sheet, type Workbook } from './workbook.js'

/** A cell's text, and what it stands for. */
export interface ScannedCell {
  readonly text: string
  readonly kind: CellKind
}

/** One sheet of an Excel file. Every method that gives rows gives the same ones, in the order of the file, anew. */
export interface XlsxFile {
  readonly label: string
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean }[]
  readonly sheetName: string
  /** Macros are not run. */
  readonly hasMacros: boolean
  /** What to tell the user of the cells; complete once rows were read. */
  notices(): readonly string[]
  /** Rows that hold something, as text. */
  rows(): AsyncGenerator<readonly SheetRow[]>
  /** Rows as cells that may be written again. */
  cellRows(): AsyncGenerator<readonly SheetRow<Cell>[]>
  /** The first rows of any sheet of the file, as text; fewer if it has fewer. */
  firstRows(sheetName: string, rowsMax: number): Promise<readonly SheetRow[]>
  /** Reads the sheet to its end. Returns its merged cells. */
  scan(visit: (row: SheetRow<ScannedCell>) => void): Promise<readonly CellRange[]>
  /**
   * The rows below the first that holds a text, which is the header, as readers of delimited files give them; the
   * number of the row is their line.
   */
  records(choose: ChooseColumns): AsyncGenerator<readonly LocatedRecord[]>
  close(): void
}

/**
 * Opens an .xlsx file; `sheet` is a name, or a number from 1 on, the first visible one if left out; `label` is what the
 * user calls it. Throws INPUT_EXCEL_INVALID, INPUT_SHEET_MISSING, INPUT_FORMAT_UNKNOWN (a spreadsheet of another kind),
 * INPUT_COMPRESSION_CORRUPT, INPUT_EMPTY, INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE.
 */
export async function openXlsx(path: string, sheet?: string, label = path): Promise<XlsxFile> {
  await refuseOtherKinds(path, label)
  const parts = new Parts(label, await openZip(path, label))
  try {
    const workbook = await readWorkbook(parts)
    return fileOf(parts, workbook, chooseSheet(label, workbook, sheet))
  } catch (error) {
    parts.close()
    throw error
  }
}

type ValueOf<Value> = (
  cell: RawCell,
  strings: readonly string[],
  counts: RowCounts,
) => Value | null | undefined

function fileOf(parts: Parts, workbook: Workbook, sheet: Sheet): XlsxFile {
  const { label } = parts
  const { is1904 } = workbook
  let strings: Promise<readonly string[]> | undefined
  let lastCounts = noCounts()
  const rowsAs = async function* <Value>(valueOf: ValueOf<Value>, merges?: CellRange[], other?: Sheet) {
    const texts = await (strings ??= readSharedStrings(parts, workbook.sharedStringsPart))
    const counts = noCounts()
    if (other === undefined) lastCounts = counts
    yield* readSheetRows({
      parts,
      workbook,
      sheet: other ?? sheet,
      counts,
      valueOf: (cell) => valueOf(cell, texts, counts),
      merges,
    })
  }
  const textOf: ValueOf<string> = (cell, texts, counts) => {
    const text = cellText(cell, texts, is1904, counts)
    return text === '' ? null : text
  }
  return {
    label,
    sheets: workbook.sheets.map(({ name, isHidden }) => ({ name, isHidden })),
    sheetName: sheet.name,
    hasMacros: workbook.hasMacros,
    notices: () => noticesOf(`${label}, sheet "${sheet.name}"`, sheet, lastCounts),
    rows: () => rowsAs(textOf),
    firstRows: async (sheetName, rowsMax) => {
      const rows: SheetRow[] = []
      const other = workbook.sheets.find(({ name }) => name === sheetName)
      if (other === undefined) return rows
      for await (const batch of rowsAs(textOf, undefined, other)) {
        rows.push(...batch)
        if (rows.length >= rowsMax) break
      }
      return rows.slice(0, rowsMax)
    },
    cellRows: () => rowsAs<Cell>((cell, texts) => typedCell(cell, texts, is1904)),
    scan: async (visit) => {
      const merges: CellRange[] = []
      const scanned: ValueOf<ScannedCell> = (cell, texts, counts) => {
        const text = textOf(cell, texts, counts)
        return typeof text === 'string' ? { text, kind: kindOfCell(cell, text) } : text
      }
      for await (const batch of rowsAs(scanned, merges)) batch.forEach(visit)
      return merges
    },
    records: (choose) => recordsOf(rowsAs(textOf), choose),
    close: () => {
      parts.close()
    },
  }
}

async function* recordsOf(
  batches: AsyncGenerator<readonly SheetRow[]>,
  choose: ChooseColumns,
): AsyncGenerator<readonly LocatedRecord[]> {
  let chosen: readonly number[] | null = null
  for await (const batch of batches) {
    const records: LocatedRecord[] = []
    for (const { row, cells } of batch) {
      if (cells.size === 0) continue
      if (chosen === null) {
        const header = headerOf(cells)
        chosen = choose(header) ?? [...header.keys()]
      } else records.push({ cells: chosen.map((column) => cells.get(column) ?? ''), line: row, reason: null })
    }
    yield records
  }
}

function headerOf(cells: ReadonlyMap<number, string>): string[] {
  const width = Math.max(...cells.keys()) + 1
  return Array.from({ length: width }, (_, column) => cells.get(column) ?? '')
}

const noCounts = (): RowCounts => ({ errorCount: 0, uncachedCount: 0, longNumberCount: 0, hiddenRowCount: 0 })

function noticesOf(label: string, { isHidden }: Sheet, counts: RowCounts): string[] {
  const { errorCount, uncachedCount, longNumberCount } = counts
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
  if (longNumberCount > 0) {
    const cells = longNumberCount === 1 ? 'cell' : 'cells'
    notices.push(
      `${label}: ${longNumberCount} ${cells} with a number of which Excel keeps 15 digits and no more`,
    )
  }
  if (counts.hiddenRowCount > 0)
    notices.push(`${label}: hidden rows are read like others (${counts.hiddenRowCount})`)
  if (isHidden) notices.push(`${label}: the sheet is hidden`)
  return notices
}

/** The older format, and an .xlsx with a password inside the same container. */
const compoundFile = 0xd0cf11e0
const zipBeginning = 0x504b0304

/** Whether a file may be an .xlsx, by its first bytes, whatever it is called. Throws INPUT_FORMAT_UNKNOWN if not. */
async function refuseOtherKinds(path: string, label: string): Promise<void> {
  const kind = await kindOf(path).catch((error: unknown) => {
    throw fileError(error, label)
  })
  if (kind === 'zip') return
  if (kind === 'empty') throw emptyFile(label)
  if (kind === 'text') {
    throw new UserError('INPUT_FORMAT_UNKNOWN', `${label} is called an Excel file and is text`, {
      hint: 'pass --input-format csv where it holds a table with delimiters; save HTML as .xlsx, or as CSV',
    })
  }
  if (kind === 'other') throw damagedWorkbook(label, 'its first bytes are not those of one')
  if (kind === 'old') throw otherSpreadsheet(label, 'an old workbook (.xls)')
  throw otherSpreadsheet(
    label,
    'a workbook behind a password',
    'open it with its password and save it without one',
  )
}

async function kindOf(path: string): Promise<'zip' | 'old' | 'locked' | 'empty' | 'text' | 'other'> {
  const file = await open(path)
  try {
    const start = await bytesAt(file, 0)
    if (start.length === 0) return 'empty'
    const magic = start.length < 4 ? 0 : start.readUInt32BE(0)
    if (magic === zipBeginning) return 'zip'
    if (magic !== compoundFile) return isText(start) ? 'text' : 'other'
    if (start.length < 512) return 'old'
    // [MS-CFB] 2.2: where the list of streams begins, in sectors behind the header.
    const directoryAt = (start.readUInt32LE(48) + 1) * 2 ** Math.min(start.readUInt16LE(30), 12)
    const places = [start, await bytesAt(file, directoryAt), await bytesAt(file, -1)]
    const name = Buffer.from('EncryptedPackage', 'utf16le')
    return places.some((bytes) => bytes.includes(name)) ? 'locked' : 'old'
  } finally {
    await file.close()
  }
}

/** No other control characters than white space: some programs call their tables of text or HTML `.xls`. */
function isText(start: Buffer): boolean {
  return start.length > 4 && start.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d))
}

const pieceBytes = 64 * 1024

/** A piece of the file; the last one where `place` is negative. */
async function bytesAt(file: FileHandle, place: number): Promise<Buffer> {
  const from = place < 0 ? Math.max(0, (await file.stat()).size - pieceBytes) : place
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pieceBytes), 0, pieceBytes, from)
  return buffer.subarray(0, bytesRead)
}
