import { createCellTooLongError, xlsxLimits } from '../../tables/limits-and-errors.js'
import { openWorkbook, toSqlCell, type WrittenCell } from '../../tables/writers.js'
import { basisFileColumns, type BasisCells, getJson, parseText } from './answer-cells.js'
import { BasisWriter, joinAnswers, type WriteOptions, type WrittenInput } from './joined-rows.js'
import type { StagedFile } from './staged-file.js'
import { assertNever } from '../../core/errors.js'
import type { OutputColumn } from '../answers/columns.js'
import { sliceLine } from '../answers/joined-line.js'

/** Formats a row's answer cells: numbers, instants and booleans keep their type, all others are text. */
function toXlsxCells(line: string, columns: readonly OutputColumn[]): WrittenCell[] {
  const values = sliceLine(line)
  return columns.map(({ name, kind }): WrittenCell => {
    const json = getJson(values, name)
    if (json === 'null') return null
    switch (kind) {
      case 'text':
        return toLinkCell(parseText(json) ?? '')
      case 'timestamp':
        return toInstantCell(parseText(json) ?? '')
      case 'integer':
      case 'large_integer':
        return { kind: 'number', value: json, format: 0 }
      case 'boolean':
        return { kind: 'boolean', value: json === 'true' }
      case 'factors':
      case 'actions':
      case 'candidates':
      case 'basis':
      case 'texts':
      case 'chain':
        return formatListCell(json)
      default:
        return assertNever(kind)
    }
  })
}

function toXlsxBasisRow(cells: BasisCells): WrittenCell[] {
  return cells.map((text, index): WrittenCell => {
    const column = basisFileColumns[index]
    if (text === null || text === '') return null
    if (column === 'row_number' || column === 'authority_tier')
      return { kind: 'number', value: text, format: 0 }
    return toLinkCell(text)
  })
}

/** In UTC, to the second, as in CSV. */
function toInstantCell(text: string): WrittenCell {
  return toSqlCell(text.replace(/(:\d\d)\.\d+Z$/, '$1Z'), 'TIMESTAMP')
}

/** Longest link target that Excel accepts, in characters. */
const urlCharsMax = 2_000

/** Returns a text cell, or a link if the text is a URL. */
export function toLinkCell(whole: string): WrittenCell {
  const text = cut(whole)
  if (text.length > urlCharsMax || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return text
  return { kind: 'link', text, url: new URL(text).href }
}

/** Cuts a text to the length that Excel accepts. */
function cut(text: string): string {
  return text.length <= xlsxLimits.cellCharsMax ? text : `${text.slice(0, xlsxLimits.cellCharsMax - 1)}…`
}

/** A list as JSON, as far as it fits into a cell; the last entry counts the rest. Empty without entries. */
function formatListCell(json: string): string | null {
  if (json === '[]') return null
  if (json.length <= xlsxLimits.cellCharsMax) return json
  const list = JSON.parse(json) as unknown[]
  const entries = list.map((entry) => JSON.stringify(entry))
  const note = (count: number) => {
    const text = `"${count} more in Parquet and NDJSON"`
    return typeof list[0] === 'string' ? text : `{"description":${text}}`
  }
  let length = note(entries.length).length + 2
  const kept = entries.filter((entry) => (length += entry.length + 1) <= xlsxLimits.cellCharsMax)
  return `[${[...kept, note(entries.length - kept.length)].join(',')}]`
}

/** Writes the cells of input and answer, and the basis as a sheet. Returns the number of basis lines. */
export async function writeXlsx(
  options: WriteOptions,
  outerBasis: BasisWriter | null,
  file: StagedFile,
): Promise<number> {
  const { input, nameColumn, sheetBehind } = options
  const { columns, basis: place } = options.output
  const book = await openWorkbook(`${file.temporary}.parts`)
  try {
    const sheets = book.addSheets(input.layout.sheetName ?? 'rows', [
      ...input.layout.sheetColumns,
      ...columns.map(({ outputName, kind }) => ({ name: outputName, isText: kind === 'text' })),
    ])
    const basis =
      place === 'inline'
        ? new BasisWriter(
            toBasisSink(book.addSheets('basis', basisFileColumns.map(toBasisColumn))),
            input.rows.texts([nameColumn]),
          )
        : null
    try {
      const join = (row: readonly WrittenCell[], line: string) => [...row, ...toXlsxCells(line, columns)]
      for await (const rows of joinAnswers(input.rows.cells(), options, basis ?? outerBasis, join))
        await sheets.add(rows)
    } finally {
      await basis?.end()
    }
    if (sheetBehind !== undefined) {
      const behind = book.addSheets(sheetBehind.layout.sheetName ?? 'rows', sheetBehind.layout.sheetColumns)
      for await (const rows of sheetBehind.rows.cells()) await behind.add(rows)
    }
    await book.write((bytes) => file.write(bytes))
    return basis?.lineCount ?? 0
  } finally {
    await book.remove()
  }
}

/** Checks that texts fit into cells: none is cut. Throws OUTPUT_COLUMN_UNFIT with row and column. */
export async function assertCellsFit(input: WrittenInput, signal: AbortSignal): Promise<void> {
  let rowNumber = 0
  for await (const rows of input.rows.cells()) {
    signal.throwIfAborted()
    for (const row of rows) {
      rowNumber++
      const index = row.findIndex((cell) => typeof cell === 'string' && cell.length > xlsxLimits.cellCharsMax)
      const cell = row[index]
      if (typeof cell === 'string')
        throw createCellTooLongError(input.columns[index] ?? '', rowNumber, cell.length)
    }
  }
}

const toBasisSink = (sheets: { add(rows: readonly WrittenCell[][]): Promise<void> }) => ({
  add: (rows: readonly BasisCells[]) => sheets.add(rows.map(toXlsxBasisRow)),
})

const numberColumns: ReadonlySet<string> = new Set(['row_number', 'authority_tier'])

const toBasisColumn = (name: string) => ({ name, isText: !numberColumns.has(name) })
