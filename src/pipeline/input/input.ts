import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { isAddress, toAbsolute } from '../../connectors/connectors.js'
import { UserError, assertNever, withHintFirst } from '../../core/errors.js'
import { quoteExcerpt } from '../../core/text.js'
import { makeFolder } from '../../platform/files.js'
import {
  createPartFilter,
  toNamedJob,
  getBlocks,
  type Partition,
  type RowFilter,
} from '../../core/partition.js'
import { noNested, type NestedColumns } from './columns.js'
import {
  createNoRowsError,
  judgeHeader,
  type CellRow,
  type InputFile,
  type InputTable,
  type MemberRow,
  type MemberRows,
  type ReadOptions,
  type RelationRows,
  type TextRow,
} from './table.js'
import { type InputFormat, formatOfPath } from '../../core/file-formats.js'
import { assertContent, createUnknownFormatError, hashFiles, hashList, isUnchanged } from './file-content.js'
import {
  assertHeaderless,
  assertSheets,
  describeRepeatedFiles,
  findFiles,
  openFiles,
  type FileAccess,
  type FileRequest,
  type SourceFile,
} from './sources.js'

export type { SourceFile } from './sources.js'
export type { CellType, InputFile, MemberRow, MemberRows, RelationRows, TextRow } from './table.js'

/** Files to read, and how to read them: plain data. */
export interface InputOptions extends Omit<ReadOptions, 'chosen'>, FileRequest {}

export interface InputAccess extends FileAccess {
  /** Read only the rows of one part: whole files if there are several, row groups for Parquet. Not with `rowsMax`. */
  readonly partition?: Partition | undefined
}

/** One table made of one or several files. */
export interface Input {
  readonly format: InputFormat
  readonly files: readonly SourceFile[]
  /** Size of the files, or of the part that is read (estimated). */
  readonly bytes: number
  /** In input order. During the first pass, rows with more cells than the header may add columns. */
  readonly columns: readonly string[]
  readonly layout: InputLayout
  readonly rows: InputRows
  readonly identity: InputIdentity
  /** Notices for the user: detected encodings, and the doubts. Complete after the first pass. */
  listNotes(): readonly string[]
  /** Why the reading is doubtful: ragged rows, left out lines, an uncertain delimiter. Complete after the first pass. */
  listDoubts(): readonly string[]
  close(): Promise<void>
}

/** How the files of an input are laid out. */
export interface InputLayout {
  /** False if the columns have numbers instead of names. */
  readonly hasHeader: boolean
  /** Columns with nested values. Methods that read columns as text also accept the dotted paths of their members. */
  readonly nested: NestedColumns
  /** Delimiter of the CSV files; `null` for other formats, or if the files differ. */
  readonly delimiter: string | null
  /** Sheet of the Excel files; `null` for other formats, or if the files differ. */
  readonly sheetName: string | null
  /** Text that names another sheet with a table of companies, and its flag, or `null`. */
  readonly sheetHint: string | null
  /** Columns of the Excel sheet that the rows are written to. */
  readonly sheetColumns: readonly { readonly name: string; readonly isText: boolean }[]
  /** The files with their columns, in order. */
  listFiles(): readonly InputFile[]
}

/** Reads the rows of an input. Each method reads the files again, in order. */
export interface InputRows {
  /**
   * The first pass: reads the chosen columns of every row as text, `null` for absent cells. Throws every defect that
   * opening did not find, and INPUT_NO_ROWS at the end if there were no rows.
   */
  keys(columns: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** The same, with each row in its form for Parquet. Returns `null` if DuckDB reads the rows itself. */
  keyMembers(columns: readonly string[]): AsyncIterable<readonly MemberRow[]> | null
  /** Reads the chosen columns of the first rows. Does not count as the first pass. */
  sample(columns: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** Reads columns as text, by default all of them. */
  texts(columns?: readonly string[]): AsyncIterable<readonly TextRow[]>
  /** Reads each row as the text of a JSON object. */
  objects(): AsyncIterable<readonly string[]>
  /** Reads each row as cells of an Excel sheet. */
  cells(): AsyncIterable<readonly CellRow[]>
  /** Returns the rows in the form in which DuckDB writes them as Parquet. */
  parquet(): RelationRows | MemberRows
}

/** Tells whether the files of an input are still the same. */
interface InputIdentity {
  /** Returns the SHA-256, in hexadecimal, of the sizes and bytes of the files, in order. Reads all of them. */
  hashContent(): Promise<string>
  /** Returns the SHA-256, in hexadecimal, of the names and sizes of the files, in order. */
  hashList(): string
  /** Throws INPUT_CHANGED if a file has changed since it was opened. */
  assertUnchanged(): void
}

/**
 * Opens files, globs or standard input as one table. Throws INPUT_* errors for inputs that are missing, unreadable,
 * mixed, empty, badly encoded, too wide or without the named sheet; also for every bad object of NDJSON and JSON and
 * every bad cell of Excel.
 *
 * @example
 * const input = await openInput({ paths: ['companies.csv'], spoolFolder: '.enrich' })
 * for await (const rows of input.rows.texts(['name'])) print(rows)
 */
export async function openInput(options: InputOptions, access: InputAccess = {}): Promise<Input> {
  const { files, removeSpool } = await openFiles(options, access)
  try {
    // The copy of a table has one format.
    const format = files[0]?.format ?? options.format ?? (await detectCommonFormat(files))
    assertSheets(format, options)
    assertHeaderless(format, options)
    for (const file of files) await assertContent(file, format)
    const { partition = null } = access
    // A single file can only be cut between rows, and only its reader finds them.
    const isCut = partition !== null && files.length === 1 && format !== 'parquet'
    const table = await openTable(files, format, { ...options, partition: partition ?? undefined })
    const readAll = () => table.textRows([])
    const within: RowFilter = isCut
      ? createPartFilter(readAll, partition, () => createNoRowsError(formatLabels(files)))
      : (open) => open()
    const hasHeader = options.hasHeader ?? true
    return createInput({ format, files, table, within, partition, hasHeader, removeSpool })
  } catch (error) {
    removeSpool()
    throw error
  }
}

/** Throws INPUT_NOT_FOUND if a file is missing. Standard input always exists. */
export async function assertInputFound({ paths }: InputOptions): Promise<void> {
  const local = paths.filter((path) => path !== '-' && !isAddress(path))
  for (const path of local) await findFiles(path)
}

async function detectCommonFormat(files: readonly SourceFile[]): Promise<InputFormat> {
  let common: InputFormat | undefined
  for (const file of files) {
    const { format = formatOfPath(file.label) } = file
    if (format === null) throw await createUnknownFormatError(file)
    common ??= format
    if (format !== common) {
      throw new UserError('INPUT_FORMATS_MIXED', `the input files are both ${common} and ${format}`, {
        hint: 'pass files of one format only',
      })
    }
  }
  return common ?? 'csv'
}

/** Loads the reader of a format only if it is needed. */
async function openTable(
  files: readonly SourceFile[],
  format: InputFormat,
  options: InputOptions & Pick<InputAccess, 'partition'>,
): Promise<InputTable> {
  const { rowsMax, partition } = options
  if (format === 'parquet') {
    const temporaryFolder = chooseOverflowFolder(options.spoolFolder)
    return (await import('./parquet.js')).openParquet(files, { rowsMax, partition, temporaryFolder })
  }
  const chosen = partition === undefined || files.length === 1 ? undefined : selectPartFiles(files, partition)
  return openText(files, format, { ...options, chosen })
}

const selectPartFiles = (files: readonly SourceFile[], partition: Partition): ReadonlySet<SourceFile> => {
  const { first, end } = getBlocks(
    files.map(({ bytes }) => bytes),
    partition,
  )
  return new Set(files.slice(first, end))
}

const formatLabels = (files: readonly SourceFile[]): string => files.map(({ label }) => label).join(', ')

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
      return assertNever(format)
  }
}

/** Falls back to the system's temporary folder: read-only commands also run in folders that cannot be written. */
function chooseOverflowFolder(wanted: string): string {
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
  readonly hasHeader: boolean
  readonly removeSpool: () => void
}

function createInput(opened: OpenedInput): Input {
  const { format, files, table, partition, hasHeader, removeSpool } = opened
  const { layout } = table
  let fingerprint: Promise<string> | undefined
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return {
    format,
    files,
    bytes: partition === null ? bytes : Math.ceil(bytes / partition.count),
    get columns() {
      return table.columns
    },
    layout: {
      hasHeader,
      nested: layout.nested ?? noNested,
      delimiter: layout.delimiter ?? null,
      sheetName: layout.sheetName ?? null,
      sheetHint: layout.sheetHint ?? null,
      get sheetColumns() {
        return table.columns.map((name) => ({ name, isText: format === 'csv' }))
      },
      listFiles: () => layout.listFiles(),
    },
    rows: createRows(opened),
    identity: {
      hashContent: () => (fingerprint ??= hashFiles(files)),
      hashList: () => hashList(files),
      assertUnchanged: () => {
        const changed = files.find((file) => !isUnchanged(file))
        if (changed !== undefined) throw createInputChangedError(changed.label)
      },
    },
    listNotes: () => [...describeFiles(opened), ...(table.listNotes?.() ?? [])],
    listDoubts: () => [...describeFiles(opened), ...(table.listDoubts?.() ?? [])],
    close: () => {
      table.close?.()
      removeSpool()
      return Promise.resolve()
    },
  }
}

function createRows(opened: OpenedInput): InputRows {
  const { table, within } = opened
  const parquet = (): RelationRows | MemberRows => {
    const source = table.parquetSource()
    return source.kind === 'relation'
      ? source
      : { ...source, readMembers: (columns) => within(() => source.readMembers(columns)) }
  }
  return {
    keys: (columns) =>
      readFirstPass(
        opened,
        within(() => table.textRows(columns)),
      ),
    keyMembers: (columns) => {
      const source = parquet()
      return source.kind === 'relation' ? null : readFirstPass(opened, source.readMembers(columns))
    },
    // From the whole input: settings derived from the sample must be the same in all parts.
    sample: (columns) => table.textRows(columns, true),
    texts: (columns = table.columns) => within(() => table.textRows(columns)),
    objects: () => within(() => table.objectRows()),
    cells: () => within(() => table.cellRows()),
    parquet,
  }
}

function describeFiles({ table, files }: OpenedInput): string[] {
  const headers = table.layout.listFiles().flatMap(({ label, header }) => {
    if (header === null || judgeHeader(header) !== 'surely') return []
    return [`${label}: the header, ${header.place}, looks like a row of data: ${quoteExcerpt(header.text)}`]
  })
  return [...describeRepeatedFiles(files), ...headers]
}

/** A part without rows is valid, because other parts have them. */
async function* readFirstPass<Row>(
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
  if (!hasRows) throw withHintFirst(createNoRowsError(formatLabels(files)), table.layout.sheetHint ?? null)
  // For a single file, each part has read all of its rows.
  if (partition === null || files.length === 1 || table.columns.length === columnCount) return
  throw new UserError(
    'PARTITION_UNSUPPORTED',
    'some rows have more cells than their header, so the columns of this partition would differ from those of the others',
    { hint: `fix the rows, or name these columns in the header; ${(table.listNotes?.() ?? []).join('; ')}` },
  )
}

export function createInputChangedError(label: string): UserError {
  return new UserError('INPUT_CHANGED', `${label} changed while it was being read`, {
    hint: 'run the same command again; existing answers are reused',
  })
}

/**
 * Names the job of an input: the user's name, or one derived from the paths of the files and not their content.
 * Tomorrow's file at the same path belongs to the same job.
 */
export function nameJob(input: Pick<Input, 'files'>, name: string | null): string {
  return name === null
    ? JSON.stringify(input.files.map(({ label }) => toAbsolute(label, resolve)))
    : toNamedJob(name)
}
