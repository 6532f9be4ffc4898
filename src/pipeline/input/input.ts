import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { UserError, unreachable, withHintFirst } from '../../core/errors.js'
import { makeFolder } from '../../platform/files.js'
import type { SheetColumn } from '../../tables/xlsx/cells.js'
import { namedJob, blocksOf, type Partition } from '../lookups/partition.js'
import { noNested, type NestedColumns } from '../lookups/nested-columns.js'
import {
  noRows,
  rowsOfPart,
  type RowFilter,
  type CellRow,
  type InputTable,
  type MemberRow,
  type MemberRows,
  type ReadOptions,
  type RelationRows,
  type TextRow,
} from './table.js'
import {
  formatOfPath,
  hashFiles,
  hashList,
  isUnchanged,
  resolveFiles,
  spool,
  type InputFormat,
  type SourceFile,
} from './sources.js'

export { formatOfPath, type SourceFile } from './sources.js'
export type { CellType, MemberRow, MemberRows, RelationRows, TextRow } from './table.js'

export interface InputOptions extends Omit<ReadOptions, 'chosen'> {
  /** Files and globs, or `-` alone for standard input. */
  readonly paths: readonly string[]
  /** Needed for standard input and for names without a known extension. */
  readonly format?: InputFormat | undefined
  /** Read the rows of one part alone; of several files whole ones, of Parquet row groups. Not with `rowsMax`. */
  readonly partition?: Partition | undefined
  /** Where standard input is kept while it is needed, and where DuckDB puts what does not fit in memory. */
  readonly spoolFolder: string
  readonly stdin?: NodeJS.ReadableStream | undefined
}

/** One table out of one or several files. Every method that gives rows reads the files anew, in order. */
export interface Input {
  readonly format: InputFormat
  readonly files: readonly SourceFile[]
  /** What is read of the files, at a guess where that is a part of them. */
  readonly bytes: number
  /** In order. Rows with more cells than the header may add some during the first pass. */
  readonly columns: readonly string[]
  /** Those of `columns` that hold further values. Wherever columns are read as text, their members may be named. */
  readonly nested: NestedColumns
  /**
   * The first pass: the chosen columns of every row as text, null where there is none. Every defect that
   * opening did not find is thrown from here. Throws INPUT_NO_ROWS after the last row of none.
   */
  keyRows(columns: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** The same with each row as it is handed to Parquet; null where rows are handed over as chunks. */
  keyMemberRows(columns: readonly string[]): AsyncIterable<readonly MemberRow[]> | null
  /** A look at the chosen columns before the first pass; it counts as none. */
  sampleRows(columns: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** Columns as text, all of them unless some are named. */
  textRows(columns?: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** Each row as the text of one JSON object. */
  objectRows(): AsyncIterable<readonly string[]>
  /** The columns of a sheet of Excel that the rows are written to. */
  readonly sheetColumns: readonly SheetColumn[]
  /** Each row as cells of a sheet of Excel. */
  cellRows(): AsyncIterable<readonly CellRow[]>
  /** How the rows are handed to DuckDB to be written as Parquet. */
  parquetSource(): RelationRows | MemberRows
  /** Of a CSV; null where its files have different ones, and for every other format. */
  readonly delimiter: string | null
  /** Of an Excel file; null where files have different ones, and for every other format. */
  readonly sheetName: string | null
  /** Another sheet of an Excel file that most likely holds the companies, with the flag that reads it; null if none does. */
  readonly sheetHint: string | null
  /**
   * What to tell the user: guessed encodings, lines left out above the header, ragged rows. Once it is open,
   * what decides how it is read; complete after the first pass.
   */
  notes(): readonly string[]
  /** SHA-256 over the sizes and bytes of the files, in order, in hexadecimal: all of them are read. */
  fingerprint(): Promise<string>
  /** SHA-256 over the names and sizes of the files, in order, in hexadecimal. */
  listFingerprint(): string
  /** Throws INPUT_CHANGED if a file is not the one that was opened. */
  assertUnchanged(): void
  close(): Promise<void>
}

/**
 * Opens files, globs or standard input as one table. Throws the INPUT_ codes: what is missing, unreadable,
 * mixed, without the sheet that is named, empty, badly coded or too wide; for NDJSON and JSON also every bad object, for Excel every bad cell.
 */
export async function openInput(options: InputOptions): Promise<Input> {
  const { files, removeSpool } = await openFiles(options)
  try {
    const format = options.format ?? commonFormat(files)
    assertSheets(format, options)
    const { partition = null } = options
    // One file can be cut between rows alone, and where these begin only its reader knows.
    const isCut = partition !== null && files.length === 1 && format !== 'parquet'
    const table = await openTable(files, format, options)
    const within: RowFilter = isCut ? rowsOfPart(table, partition, labelsOf(files)) : (open) => open()
    return inputOf({ format, files, table, within, partition, removeSpool })
  } catch (error) {
    removeSpool()
    throw error
  }
}

/** Throws INPUT_NOT_FOUND where a file is missing; standard input always is there. */
export async function assertInputFound({ paths }: InputOptions): Promise<void> {
  if (!paths.includes('-')) await resolveFiles(paths)
}

async function openFiles(
  options: InputOptions,
): Promise<{ files: readonly SourceFile[]; removeSpool: () => void }> {
  if (!options.paths.includes('-')) {
    const files = await resolveFiles(options.paths)
    if (files.length === 0)
      throw new UserError('INPUT_NOT_FOUND', 'no input file was named', { hint: 'name a file' })
    return { files, removeSpool: () => undefined }
  }
  if (options.paths.length > 1) {
    throw new UserError('USAGE_INVALID', 'standard input (-) stands alone', {
      hint: 'pass - or files, not both',
    })
  }
  if (options.format === undefined) {
    throw new UserError('INPUT_FORMAT_UNKNOWN', 'standard input has no name to tell its format by', {
      hint: 'pass --input-format csv, parquet, ndjson, json or xlsx',
    })
  }
  const { file, remove } = await spool(options.stdin ?? process.stdin, options.spoolFolder)
  return { files: [file], removeSpool: remove }
}

function commonFormat(files: readonly SourceFile[]): InputFormat {
  let common: InputFormat | undefined
  for (const { label } of files) {
    const format = formatOfPath(label)
    if (format === null) {
      throw new UserError('INPUT_FORMAT_UNKNOWN', `the name of ${label} tells no format`, {
        hint: 'pass --input-format csv, parquet, ndjson, json or xlsx; known are .csv .tsv .txt .parquet .pq .ndjson .jsonl .json .xlsx .xlsm',
      })
    }
    common ??= format
    if (format !== common) {
      throw new UserError('INPUT_FORMATS_MIXED', `the input files are both ${common} and ${format}`, {
        hint: 'pass files of one format at a time',
      })
    }
  }
  return common ?? 'csv'
}

/** A sheet that is named and not looked for would leave it open whose rows are asked. */
function assertSheets(format: InputFormat, { paths, sheet }: InputOptions): void {
  if (sheet === undefined || format === 'xlsx') return
  const input = paths.length === 1 && paths[0] === '-' ? 'standard input' : paths.join(', ')
  throw new UserError(
    'INPUT_WITHOUT_SHEETS',
    `${input} is ${format}, and has no sheet ${JSON.stringify(sheet)}`,
    {
      hint: 'sheets are of Excel files: name one, or leave out --sheet (input.sheet in a config)',
    },
  )
}

/** The reader of a format is loaded when a file has it. */
async function openTable(
  files: readonly SourceFile[],
  format: InputFormat,
  options: InputOptions,
): Promise<InputTable> {
  const { rowsMax, partition } = options
  if (format === 'parquet') {
    const temporaryFolder = overflowFolder(options.spoolFolder)
    return (await import('./parquet.js')).openParquet(files, { rowsMax, partition, temporaryFolder })
  }
  const chosen = partition === undefined || files.length === 1 ? undefined : partFiles(files, partition)
  return openText(files, format, { ...options, chosen })
}

const partFiles = (files: readonly SourceFile[], partition: Partition): ReadonlySet<SourceFile> => {
  const { first, end } = blocksOf(
    files.map(({ bytes }) => bytes),
    partition,
  )
  return new Set(files.slice(first, end))
}

const labelsOf = (files: readonly SourceFile[]): string => files.map(({ label }) => label).join(', ')

async function openText(
  files: readonly SourceFile[],
  format: Exclude<InputFormat, 'parquet'>,
  options: ReadOptions,
): Promise<InputTable> {
  switch (format) {
    case 'csv':
      return (await import('./csv.js')).openCsv(files, options)
    case 'ndjson':
    case 'json':
      return (await import('./ndjson.js')).openObjects(files, format, options)
    case 'xlsx':
      return (await import('./xlsx.js')).openSheets(files, options)
    default:
      return unreachable(format)
  }
}

/** Commands that only look work in a folder that cannot be written. */
function overflowFolder(wanted: string): string {
  try {
    makeFolder(wanted)
    return wanted
  } catch {
    return tmpdir()
  }
}

interface OpenedInput {
  readonly format: InputFormat
  readonly files: readonly SourceFile[]
  readonly table: InputTable
  readonly within: RowFilter
  readonly partition: Partition | null
  readonly removeSpool: () => void
}

function inputOf(opened: OpenedInput): Input {
  const { format, files, table, within, partition, removeSpool } = opened
  let fingerprint: Promise<string> | undefined
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const parquetSource = (): RelationRows | MemberRows => {
    const source = table.parquetSource()
    return source.kind === 'relation'
      ? source
      : { ...source, rows: (columns) => within(() => source.rows(columns)) }
  }
  return {
    format,
    files,
    bytes: partition === null ? bytes : Math.ceil(bytes / partition.count),
    get columns() {
      return table.columns
    },
    get sheetColumns() {
      return table.columns.map((name) => ({ name, isText: format === 'csv' }))
    },
    nested: table.nested ?? noNested,
    delimiter: table.delimiter ?? null,
    sheetName: table.sheetName ?? null,
    sheetHint: table.sheetHint ?? null,
    keyRows: (columns) =>
      firstPass(
        opened,
        within(() => table.textRows(columns)),
      ),
    keyMemberRows: (columns) => {
      const source = parquetSource()
      return source.kind === 'relation' ? null : firstPass(opened, source.rows(columns))
    },
    // Of the whole: what is asked by it has to be the same in all parts.
    sampleRows: (columns) => table.textRows(columns, true),
    textRows: (columns = table.columns) => within(() => table.textRows(columns)),
    objectRows: () => within(() => table.objectRows()),
    cellRows: () => within(() => table.cellRows()),
    parquetSource,
    notes: () => table.notes?.() ?? [],
    fingerprint: () => (fingerprint ??= hashFiles(files)),
    listFingerprint: () => hashList(files),
    assertUnchanged: () => {
      const changed = files.find((file) => !isUnchanged(file))
      if (changed !== undefined) throw inputChanged(changed.label)
    },
    close: () => {
      table.close?.()
      removeSpool()
      return Promise.resolve()
    },
  }
}

/** A part may have no rows: others have them. */
async function* firstPass<Row>(
  { table, files, partition }: OpenedInput,
  rows: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  await table.validate?.()
  const columnCount = table.columns.length
  let hasRows = partition !== null
  for await (const batch of rows) {
    hasRows ||= batch.length > 0
    yield batch
  }
  if (!hasRows) throw withHintFirst(noRows(labelsOf(files)), table.sheetHint ?? null)
  // Of one file that is cut by its rows each part has read all of them.
  if (partition === null || files.length === 1 || table.columns.length === columnCount) return
  throw new UserError(
    'PARTITION_UNSUPPORTED',
    'some rows have more cells than their header, so that this part would have other columns than the others',
    { hint: `mend the rows, or name these columns in the header; ${(table.notes?.() ?? []).join('; ')}` },
  )
}

export function inputChanged(label: string): UserError {
  return new UserError('INPUT_CHANGED', `${label} changed while it was being read`, {
    hint: 'run the same command again: what is answered already is not asked again',
  })
}

/**
 * Names the job of an input: as the user does, or by where its files are, not by what is in them. Tomorrow's file of the
 * same name is the same job.
 */
export function nameJob(input: Pick<Input, 'files'>, name: string | null): string {
  return name === null ? JSON.stringify(input.files.map(({ label }) => resolve(label))) : namedJob(name)
}
