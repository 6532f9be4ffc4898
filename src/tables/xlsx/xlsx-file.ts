import type { ChooseColumns, LocatedRecord } from '../records.js'
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
   * The rows below the first that holds a text, which is the header, as readers of delimited files give them; the
   * number of the row is their line.
   */
  records(choose: ChooseColumns): AsyncGenerator<readonly LocatedRecord[]>
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
    records: (choose) => recordsOf(rows(), choose),
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
