import type { ChooseColumns, LocatedRecord } from '../records.js'
import { openZip } from '../zip-members.js'
import { typedCell, type Cell } from './cell.js'
import { kindOfCell, type CellKind } from './cell-kind.js'
import { cellText, type RawCell } from './cell-value.js'
import { refuseOtherKinds } from './magic.js'
import { Parts } from './parts.js'
import type { CellRange } from './references.js'
import { readSheetRows, type RowCounts, type SheetRow } from './sheet-rows.js'
import { readSharedStrings } from './strings.js'
import { chooseSheet, readWorkbook, type Sheet, type Workbook } from './workbook.js'

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
