import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unreachable } from '../../core/errors.js'
import { openParquetWriter } from '../../parquet/parquet-writer.js'
import { WorkbookWriter } from '../../tables/xlsx/write/workbook-writer.js'
import type { WrittenCell } from '../../tables/xlsx/write/written-row.js'
import { neutraliseFormula } from '../rules/columns.js'
import { csvHeader, csvStyleOf, csvText } from './csv-text.js'
import type { OutputForm } from './output-format.js'
import { writeFailure } from './output-path.js'
import { sinkOf, type OutputSink } from './packed-output.js'
import { copyTo } from './publish.js'
import { RowSpool } from './row-spool.js'
import { StagedFile } from './staged-file.js'
import { linkedText } from './xlsx-cells.js'

export interface PlainColumn {
  readonly name: string
  /** `user_text` is the user's own, and stays as it is; other texts that a spreadsheet would run are neutralised. */
  readonly kind: 'text' | 'user_text' | 'integer'
}

export type PlainRow = readonly (string | number | null)[]

/** A table of ours that stands for itself: its rows are no input's. */
export interface PlainTable {
  /** What it is, for a sheet. */
  readonly name: string
  readonly columns: readonly PlainColumn[]
  readonly rows: Iterable<readonly PlainRow[]> | AsyncIterable<readonly PlainRow[]>
  /** Behind it in a file of sheets, where one is written; other formats have no place for it. */
  readonly notes?: Omit<PlainTable, 'notes'>
}

export interface PlainTableTarget extends OutputForm {
  /** `-` for standard output. */
  readonly path: string
  readonly bom: boolean
  /** What writing Parquet may hold in memory. */
  readonly memoryBytes: number
  readonly stdout?: NodeJS.WritableStream | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes a table and puts it in place whole. On any failure, and on abort, what stood there before still stands there.
 * Throws OUTPUT_UNWRITABLE, DISK_FULL, and the signal's reason.
 */
export async function publishTable(table: PlainTable, target: PlainTableTarget): Promise<void> {
  const folder = target.path === '-' ? mkdtempSync(join(tmpdir(), 'enrich-')) : null
  let file: StagedFile | null = null
  try {
    file = new StagedFile(folder === null ? target.path : join(folder, 'output'))
    await writeTable(stoppable(table, target.signal), file, target)
    await file.close()
    if (folder === null) file.publish()
    else await copyTo(target.stdout ?? process.stdout, file.temporary)
  } catch (error) {
    throw writeFailure(target.path, error)
  } finally {
    await file?.discard()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes no row where the table is to be written, and removes it: throws what `publishTable` throws. */
export async function tryTable(table: Omit<PlainTable, 'rows'>, target: PlainTableTarget): Promise<void> {
  if (target.path === '-') return
  let file: StagedFile | null = null
  try {
    file = new StagedFile(target.path)
    await writeTable({ ...table, rows: [] }, file, target)
  } catch (error) {
    throw writeFailure(target.path, error)
  } finally {
    await file?.discard()
  }
}

function stoppable(table: PlainTable, signal: AbortSignal | undefined): PlainTable {
  const { rows } = table
  const untilAborted = async function* () {
    for await (const batch of rows) {
      signal?.throwIfAborted()
      yield batch
    }
  }
  return { ...table, rows: untilAborted() }
}

async function writeTable(table: PlainTable, file: StagedFile, target: PlainTableTarget): Promise<void> {
  const sink = sinkOf(file, target.isPacked)
  switch (target.format) {
    case 'csv':
      await writeCsvTable(table, sink, target)
      return sink.end()
    case 'ndjson':
      await writeNdjsonTable(table, sink)
      return sink.end()
    case 'xlsx':
      return writeSheetTable(table, file)
    case 'parquet':
      return writeParquetTable(table, file, target.memoryBytes)
    default:
      return unreachable(target.format)
  }
}

async function writeCsvTable(
  { columns, rows }: PlainTable,
  sink: OutputSink,
  { path, bom }: PlainTableTarget,
): Promise<void> {
  const style = csvStyleOf(path, { delimiter: null, files: [] }, bom)
  const cellOf = (cell: string | number | null, at: number) => {
    const text = cell === null ? '' : String(cell)
    return columns[at]?.kind === 'text' ? neutraliseFormula(text) : text
  }
  await sink.write(
    csvHeader(
      columns.map(({ name }) => name),
      style,
    ),
  )
  for await (const batch of rows)
    await sink.write(
      csvText(
        batch.map((row) => row.map(cellOf)),
        style.delimiter,
      ),
    )
}

async function writeNdjsonTable({ columns, rows }: PlainTable, sink: OutputSink): Promise<void> {
  const keys = columns.map(({ name }) => JSON.stringify(name))
  const lineOf = (row: PlainRow) => `{${membersOf(keys, row)}}\n`
  await sink.write('')
  for await (const batch of rows) await sink.write(batch.map(lineOf).join(''))
}

const membersOf = (keys: readonly string[], row: PlainRow): string =>
  keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(',')

async function writeSheetTable({ notes, ...table }: PlainTable, file: StagedFile): Promise<void> {
  const book = new WorkbookWriter(`${file.temporary}.parts`)
  try {
    for (const { name, columns, rows } of notes === undefined ? [table] : [table, notes]) {
      const sheets = book.addSheets(
        name,
        columns.map((column) => ({ name: column.name, isText: column.kind !== 'integer' })),
      )
      for await (const batch of rows) await sheets.add(batch.map((row) => row.map(sheetCell)))
    }
    await book.write((bytes) => file.write(bytes))
  } finally {
    await book.remove()
  }
}

function sheetCell(cell: string | number | null): WrittenCell {
  if (cell === null || cell === '') return null
  return typeof cell === 'number' ? { kind: 'number', value: String(cell), format: 0 } : linkedText(cell)
}

async function writeParquetTable(
  { columns, rows }: PlainTable,
  file: StagedFile,
  memoryBytes: number,
): Promise<void> {
  const spool = new RowSpool(file.path, '')
  try {
    const keys = columns.map((_, at) => `"c${at}"`)
    for await (const batch of rows) await spool.add(batch.map((row) => ({ members: membersOf(keys, row) })))
    await spool.end()
    const writer = await openParquetWriter({
      path: file.temporary,
      folder: `${file.temporary}.parts`,
      metadata: {},
      rowColumns: columns.map(({ name, kind }, at) => ({
        ...{ key: `c${at}`, name },
        type: kind === 'integer' ? 'BIGINT' : 'VARCHAR',
      })),
      readsParquet: false,
      lineColumns: [],
      lines: nothingBehind,
      memoryBytes,
    })
    try {
      await writer.addFiles(spool.files, (_, count) => new Uint32Array(count))
      await writer.end()
    } finally {
      await writer.close()
    }
  } finally {
    await spool.remove()
  }
}

/** Rows that have all their columns themselves. */
const nothingBehind = { numbers: Uint32Array.of(0), lines: () => ['{}'] }
