import type { TableSink } from '../../tables/csv-text.js'
import { xlsxLimits } from '../../tables/limits.js'
import { cellTooLong } from '../../tables/xlsx/write/sheet-writer.js'
import { WorkbookWriter } from '../../tables/xlsx/write/workbook-writer.js'
import type { WrittenRow } from '../../tables/xlsx/write/written-row.js'
import { basisFileColumns, type BasisCells } from './answer-cells.js'
import { BasisWriter, joinAnswers, type WriteOptions } from './joined-rows.js'
import type { WrittenInput } from './sample.js'
import type { StagedFile } from './staged-file.js'
import { xlsxBasisRow, xlsxCells } from './xlsx-cells.js'

/** The user's cells as they are, then ours; the basis in a sheet behind. Returns the number of its lines. */
export async function writeXlsx(
  options: WriteOptions,
  outerBasis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { input, columns, nameColumn, sheetBehind } = options
  const book = new WorkbookWriter(`${file.temporary}.parts`)
  try {
    const sheets = book.addSheets(input.sheetName ?? 'rows', [
      ...input.sheetColumns,
      ...columns.map(({ outputName, kind }) => ({ name: outputName, isText: kind === 'text' })),
    ])
    const basis =
      options.basis === 'inline' ? new BasisWriter(basisSheet(book), input.textRows([nameColumn])) : null
    try {
      const join = (row: WrittenRow, line: string) => [...row, ...xlsxCells(line, columns)]
      for await (const rows of joinAnswers(input.cellRows(), options, basis ?? outerBasis, join))
        await sheets.add(rows)
    } finally {
      await basis?.end()
    }
    if (sheetBehind !== undefined) {
      const behind = book.addSheets(sheetBehind.sheetName ?? 'rows', sheetBehind.sheetColumns)
      for await (const rows of sheetBehind.cellRows()) await behind.add(rows)
    }
    await book.write((bytes) => file.write(bytes))
    return basis?.lineCount ?? 0
  } finally {
    await book.remove()
  }
}

/**
 * Every text of the user's has to fit into a cell before anything is paid for: none is cut. Throws OUTPUT_COLUMN_UNFIT
 * with the row and the column.
 */
export async function assertCellsFit(input: WrittenInput, signal: AbortSignal): Promise<void> {
  let rowNumber = 0
  for await (const rows of input.cellRows()) {
    signal.throwIfAborted()
    for (const row of rows) {
      rowNumber++
      const index = row.findIndex((cell) => typeof cell === 'string' && cell.length > xlsxLimits.cellCharsMax)
      const cell = row[index]
      if (typeof cell === 'string') throw cellTooLong(input.columns[index] ?? '', rowNumber, cell.length)
    }
  }
}

function basisSheet(book: WorkbookWriter): TableSink<BasisCells> {
  const sheets = book.addSheets(
    'basis',
    basisFileColumns.map((name) => ({ name, isText: !numberColumns.has(name) })),
  )
  return { add: (rows) => sheets.add(rows.map(xlsxBasisRow)) }
}

const numberColumns: ReadonlySet<string> = new Set(['row_number', 'authority_tier'])
