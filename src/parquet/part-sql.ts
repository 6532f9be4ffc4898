import {
  collectGarbage,
  quoteSqlPath,
  type Column,
  parquetLimits,
  sliceColumns,
  countLeaves,
} from './duckdb.js'
import { quoteSqlName, quoteSqlText } from '../core/text.js'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export interface LineFile {
  readonly path: string
  readonly rowCount: number
  readonly byteCount: number
  readonly lineBytesMax: number
}

/** Writes lines to a series of files, with a byte buffer: strings would leave hundreds of MB of garbage. */
export class LineWriter {
  /** Rows in the current file. */
  rowCount = 0
  byteCount = 0
  private lineBytesMax = 0
  private buffer = Buffer.allocUnsafe(2 * parquetLimits.writeBytes)
  private length = 0
  private fileCount = 0
  private handle: FileHandle | null = null
  private uncollectedBytes = 0

  /** `collectsGarbage`: after some files, because lines made from text rows leave much of it. */
  constructor(
    private readonly folder: string,
    private readonly prefix: string,
    private readonly collectsGarbage = false,
  ) {}

  /** Adds a line made of texts, as strings or UTF-8. Call `flush` if it is due. */
  add(...texts: readonly (string | Buffer)[]): void {
    let bytesMax = 1
    // A UTF-16 unit takes at most three bytes in UTF-8.
    for (const text of texts) bytesMax += 3 * text.length
    if (this.length + bytesMax > this.buffer.length) this.expandBuffer(bytesMax)
    const start = this.length
    for (const text of texts)
      this.length +=
        typeof text === 'string' ? this.buffer.write(text, this.length) : text.copy(this.buffer, this.length)
    this.buffer[this.length++] = 0x0a
    const lineBytes = this.length - start
    this.rowCount++
    this.byteCount += lineBytes
    this.lineBytesMax = Math.max(this.lineBytesMax, lineBytes)
  }

  get isFlushDue(): boolean {
    return this.length >= parquetLimits.writeBytes
  }

  /** Whether the file has reached its limits. */
  get isFull(): boolean {
    return this.rowCount >= parquetLimits.fileRowsMax || this.byteCount >= parquetLimits.fileBytesMax
  }

  async flush(): Promise<void> {
    this.handle ??= await open(this.path, 'wx', 0o600)
    const bytes = this.buffer.subarray(0, this.length)
    this.length = 0
    await this.handle.writeFile(bytes)
  }

  /** Ends the file. Later lines go to the next one. */
  async cut(): Promise<LineFile> {
    await this.flush()
    await this.close()
    const { path, rowCount, byteCount, lineBytesMax } = this
    this.fileCount++
    this.rowCount = this.byteCount = this.lineBytesMax = 0
    this.uncollectedBytes += byteCount
    if (this.collectsGarbage && this.uncollectedBytes >= parquetLimits.collectEveryRowBytes) {
      this.uncollectedBytes = 0
      collectGarbage()
    }
    return { path, rowCount, byteCount, lineBytesMax }
  }

  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close()
  }

  private get path(): string {
    return join(this.folder, `${this.prefix}${this.fileCount}.ndjson`)
  }

  private expandBuffer(bytes: number): void {
    const larger = Buffer.allocUnsafe(2 * (this.length + bytes))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

/** A column filled from a key of JSON lines. Values of type JSON are strings in the lines and keep their text. */
export interface LineColumn extends Column {
  readonly key: string
}

/** Key of a line's number. */
export const numberKey = '#'
const number = quoteSqlName(numberKey)

/** Reserved for each column and thread; DuckDB's default is 1 MiB. */
const dictionaryPageBytes = 64 * 1024

/** Returns a relation of JSON lines, with the keys as column names. */
export function buildLinesRelation(files: readonly LineFile[], columns: readonly LineColumn[]): string {
  const structure = columns.map(
    ({ key, type }) => `${quoteSqlName(key)}: ${quoteSqlText(type === 'JSON' ? 'VARCHAR' : type)}`,
  )
  const lineBytesMax = files.reduce((most, file) => Math.max(most, file.lineBytesMax), 0)
  const objectBytesMax = Math.max(lineBytesMax + 1024, parquetLimits.lineBytesMin)
  return (
    `read_json([${files.map(({ path }) => quoteSqlPath(path)).join(', ')}], format = 'newline_delimited', ` +
    `columns = {${structure.join(', ')}}, maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
  )
}

/** Rows of a part. `r` refers to the row in cells. A plain scan, so that rows come in vectors of 2,048. */
export interface RowRelation {
  readonly scan: string
  /** One expression a column. */
  readonly cells: readonly string[]
}

export interface PartQuery {
  readonly rows: (columns: readonly LineColumn[]) => RowRelation
  /** Table with the line number of each row, in order. */
  readonly numbersTable: string
  readonly rowColumns: readonly LineColumn[]
  readonly lineColumns: readonly LineColumn[]
  /** Parquet files of lines, with the keys as column names. */
  readonly linePaths: readonly string[]
  /** Table of the line numbers that are needed; `null` if all are. */
  readonly wantedTable: string | null
}

/**
 * Returns one query for each slice of the rows' columns, in order. All produce the same row groups as `buildLinesQuery`,
 * those of the numbers table.
 */
export function buildRowQueries({ rows, rowColumns, numbersTable }: PartQuery): readonly string[] {
  return sliceLineColumns(rowColumns).map((columns) => {
    const { scan, cells } = rows(columns)
    const chosen = columns.map(({ name }, index) => `${cells[index] ?? 'NULL'} AS ${quoteSqlName(name)}`)
    return `SELECT ${chosen.join(', ')} FROM ${scan} AS r POSITIONAL JOIN ${numbersTable}`
  })
}

/**
 * Returns the query for the columns of the lines, to be copied by thread: each thread writes whole row groups, in any
 * order, and the first column gives each row's place (`placeOf`). Each line is selected as one value in a subquery, for
 * which DuckDB keeps the order of rows. A LEFT JOIN does not: within 2,048 rows, it moves those with hash collisions
 * (about six in a million) to the end.
 */
export function buildLinesQuery(query: PartQuery, groupRowsMax: number): string {
  const { lineColumns, numbersTable } = query
  const chosen = lineColumns.map((column) => `${buildCell('line', column)} AS ${quoteSqlName(column.name)}`)
  const cells = lineColumns.map(({ key }) => `${quoteSqlName(key)}: l.${quoteSqlName(key)}`)
  const line = `(SELECT {${cells.join(', ')}} FROM ${buildLineScan(query)} AS l WHERE l.${number} = r.${number})`
  return (
    `SELECT ${[number, ...chosen].join(', ')} FROM ` +
    `(SELECT ${buildPlace('r.rowid', groupRowsMax)} AS ${number}, ${line} AS line FROM ${numbersTable} AS r)`
  )
}

/** Rows counted in a place before it wraps around. */
const countedRows = 256

/** Returns the SQL for a row's place: the number of earlier row groups, and a wrapping row count. */
export const buildPlace = (row: string, groupRowsMax: number): string =>
  `(${row} // ${groupRowsMax} * ${countedRows} + ${row} % ${countedRows})::INTEGER`

/** Returns the number of earlier row groups for the place of a group's first row. */
export const countGroupsBefore = (place: number): number => Math.floor(place / countedRows)

/** Returns a query that finds a row in files whose rows are not in the order of their places, the first column. */
export function buildDisorderQuery(paths: readonly string[]): string {
  const ahead = `(file_row_number - ${number}) & ${countedRows - 1}`
  return (
    `SELECT 1 FROM read_parquet([${paths.map(quoteSqlPath).join(', ')}], file_row_number = true) ` +
    `GROUP BY ${number} // ${countedRows} HAVING min(${ahead}) <> max(${ahead}) LIMIT 1`
  )
}

function buildLineScan({ linePaths, lineColumns, wantedTable }: PartQuery): string {
  if (linePaths.length === 0) return buildEmptyRelation(lineColumns)
  const lines = `read_parquet([${linePaths.map(quoteSqlPath).join(', ')}])`
  return wantedTable === null
    ? lines
    : `(SELECT * FROM ${lines} WHERE ${number} IN (SELECT ${number} FROM ${wantedTable}))`
}

export function sliceLineColumns(columns: readonly LineColumn[]): (readonly LineColumn[])[] {
  return sliceColumns(columns.map(({ type }) => countLeaves(type))).map((slice) => columns.slice(...slice))
}

export function buildCell(table: string, { key, type }: LineColumn): string {
  return `${table}.${quoteSqlName(key)}${type === 'JSON' ? '::JSON' : ''}`
}

export function buildEmptyRelation(columns: readonly LineColumn[]): string {
  const cells = [`NULL::UINTEGER AS ${number}`].concat(
    columns.map(({ key, type }) => `NULL::${type} AS ${quoteSqlName(key)}`),
  )
  return `(SELECT ${cells.join(', ')} WHERE false)`
}

/** Returns a range of rows of a relation, at most a row group. */
export function buildRowRange(relation: string, firstRow: number, rowCount: number): string {
  return `(SELECT * FROM ${relation} LIMIT ${rowCount} OFFSET ${firstRow})`
}

/** Returns a range of rows of a file from `buildTemporaryCopy`. */
export function buildTemporaryRange(path: string, firstRow: number, rowCount: number): string {
  return (
    `(SELECT * FROM read_parquet(${quoteSqlPath(path)}, file_row_number = true) ` +
    `WHERE file_row_number BETWEEN ${firstRow} AND ${firstRow + rowCount - 1})`
  )
}

/** Returns the statement that writes temporary data as Parquet. */
export function buildTemporaryCopy(path: string, select: string): string {
  return `COPY (${select}) TO ${quoteSqlText(path)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE 2048)`
}

/**
 * Returns the statement that writes the rows of a query as a Parquet file, with the types that the columns have in their
 * database, as JSON: `readColumnTypes` returns them.
 */
export const buildTypedCopy = (path: string, select: string, columnTypes: string): string =>
  buildPartCopy(path, select, {
    groupRowsMax: parquetLimits.rowGroupRowsMax,
    metadata: { [columnTypesKey]: columnTypes },
    isByThread: false,
  })

/** Metadata with the types that the columns have in their database. */
export const columnTypesKey = 'enrich.column_types'

interface CopyOptions {
  readonly groupRowsMax: number
  readonly metadata: Readonly<Record<string, string>>
  /** Whether each thread writes its own file, into a folder. */
  readonly isByThread: boolean
}

export function buildPartCopy(
  path: string,
  select: string,
  { groupRowsMax, metadata, isByThread }: CopyOptions,
): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${quoteSqlText(key)}: ${quoteSqlText(value)}`)
  // A higher level takes 25 % longer for files that are 5 % smaller.
  const options = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    'COMPRESSION_LEVEL 1',
    `ROW_GROUP_SIZE ${groupRowsMax}`,
  ]
  options.push(`STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionaryPageBytes}`)
  if (isByThread) options.push('PER_THREAD_OUTPUT')
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${quoteSqlText(path)} (${options.join(', ')})`
}
