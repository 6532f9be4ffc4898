import type { ScannedRecord } from '../csv-scanner.js'
import { openZip } from '../zip-members.js'
import { refuseOtherKinds } from './magic.js'
import { Parts } from './parts.js'
import { readSheetRows, type RowCounts, type SheetRow } from './sheet-rows.js'
import { readSharedStrings } from './strings.js'
import { chooseSheet, readWorkbook, type Sheet, type Workbook } from './workbook.js'

/** One sheet of an Excel file. */
export interface XlsxFile {
  readonly label: string
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean }[]
  readonly sheetName: string
  /** What to tell the user; complete once the rows were read. */
  notices(): readonly string[]
  /** Rows that hold a text, in the order of the file; each call reads the sheet anew. */
  rows(): AsyncGenerator<readonly SheetRow[]>
  /**
   * The rows below the first that holds a text, which is the header, as the scanner of delimited files gives
   * them: the cells that `choose` wants, and the number of the row as their line.
   */
  scannedRecords(
    choose: (header: readonly string[]) => readonly number[],
  ): AsyncGenerator<readonly ScannedRecord[]>
  close(): void
}

/**
 * Opens an .xlsx file; `sheet` is a name, or a number from 1 on, the first visible one if left out. Throws
 * INPUT_EXCEL_INVALID, INPUT_SHEET_MISSING, INPUT_FORMAT_UNKNOWN (a spreadsheet of another kind),
 * INPUT_COMPRESSION_CORRUPT, INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE.
 */
export async function openXlsx(path: string, sheet?: string): Promise<XlsxFile> {
  await refuseOtherKinds(path)
  const parts = new Parts(path, await openZip(path))
  try {
    const workbook = await readWorkbook(parts)
    return fileOf(parts, workbook, chooseSheet(path, workbook, sheet))
  } catch (error) {
    parts.close()
    throw error
  }
}

function fileOf(parts: Parts, workbook: Workbook, sheet: Sheet): XlsxFile {
  const { label } = parts
  let strings: Promise<readonly string[]> | undefined
  let counts = noCounts()
  const rows = async function* () {
    strings ??= readSharedStrings(parts, workbook.sharedStringsPart)
    counts = noCounts()
    yield* readSheetRows(parts, workbook, sheet, await strings, counts)
  }
  return {
    label,
    sheets: workbook.sheets.map(({ name, isHidden }) => ({ name, isHidden })),
    sheetName: sheet.name,
    notices: () => noticesOf(`${label}, sheet "${sheet.name}"`, sheet, counts),
    rows,
    scannedRecords: (choose) => recordsOf(rows(), choose),
    close: () => {
      parts.close()
    },
  }
}

async function* recordsOf(
  batches: AsyncGenerator<readonly SheetRow[]>,
  choose: (header: readonly string[]) => readonly number[],
): AsyncGenerator<readonly ScannedRecord[]> {
  let chosen: readonly number[] | null = null
  for await (const batch of batches) {
    const records: ScannedRecord[] = []
    for (const { row, cells } of batch) {
      if (chosen === null) chosen = choose(headerOf(cells))
      else records.push({ cells: chosen.map((column) => cells.get(column) ?? ''), line: row, reason: null })
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
  const told: [count: number, one: string, many: string][] = [
    [counts.errorCount, 'cell holds an error and is', 'cells hold an error and are'],
    [
      counts.uncachedCount,
      'formula has no stored result: its cell is',
      'formulas have no stored result: their cells are',
    ],
  ]
  const notices = told.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${label}: ${count} ${count === 1 ? one : many} read as empty`],
  )
  if (counts.uncachedCount > 0)
    notices.push(`${label}: open it in a spreadsheet program and save it, which stores results`)
  if (counts.longNumberCount > 0) {
    notices.push(
      `${label}: numbers of more than 15 digits in ${counts.longNumberCount} cells, of which Excel keeps 15`,
    )
  }
  if (counts.hiddenRowCount > 0)
    notices.push(`${label}: hidden rows are read like others (${counts.hiddenRowCount})`)
  if (isHidden) notices.push(`${label}: the sheet is hidden`)
  return notices
}
