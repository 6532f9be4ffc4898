import { sqlName, sqlPath, sqlText } from './duckdb.js'
import { parquetLimits, columnSlices, leafCountOf } from './limits.js'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export interface LineFile {
  readonly path: string
  readonly rowCount: number
  readonly byteCount: number
  readonly lineBytesMax: number
}

/**
 * Writes lines to one file after the other. They are gathered as bytes in one buffer: as texts they would be
 * hundreds of megabytes of garbage.
 */
export class LineWriter {
  /** Of the file that is being written. */
  rowCount = 0
  byteCount = 0
  private lineBytesMax = 0
  private buffer = Buffer.allocUnsafe(2 * parquetLimits.writeBytes)
  private length = 0
  private fileCount = 0
  private handle: FileHandle | null = null

  constructor(
    private readonly folder: string,
    private readonly prefix: string,
  ) {}

  /** Adds a line made of texts, which may be UTF-8 already; `flush` where it is due. */
  add(...texts: readonly (string | Buffer)[]): void {
    let bytesMax = 1
    // A UTF-16 unit is at most three bytes of UTF-8.
    for (const text of texts) bytesMax += 3 * text.length
    if (this.length + bytesMax > this.buffer.length) this.grow(bytesMax)
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

  /** Whether the file is to be cut here. */
  get isFull(): boolean {
    return this.rowCount >= parquetLimits.fileRowsMax || this.byteCount >= parquetLimits.fileBytesMax
  }

  async flush(): Promise<void> {
    this.handle ??= await open(this.path, 'wx', 0o600)
    const bytes = this.buffer.subarray(0, this.length)
    this.length = 0
    await this.handle.writeFile(bytes)
  }

  /** Ends the file; what is added from here on goes to the next. */
  async cut(): Promise<LineFile> {
    await this.flush()
    await this.close()
    const { path, rowCount, byteCount, lineBytesMax } = this
    this.fileCount++
    this.rowCount = this.byteCount = this.lineBytesMax = 0
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

  private grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(2 * (this.length + bytes))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

/** A column by its name, and its type in SQL. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** A column whose cells stand under a key of lines of JSON; those of type JSON there as texts, which stay as they are. */
export interface LineColumn extends Column {
  readonly key: string
}

/** Under this key a line has its number. */
export const numberKey = '#'
const number = sqlName(numberKey)

/** Each dictionary page is reserved, a column and thread; DuckDB's own size of one is 1 MiB. */
const dictionaryPageBytes = 64 * 1024

/** Lines of JSON as a relation, its columns named by their keys. */
export function linesRelation(files: readonly LineFile[], columns: readonly LineColumn[]): string {
  const structure = columns.map(
    ({ key, type }) => `${sqlName(key)}: ${sqlText(type === 'JSON' ? 'VARCHAR' : type)}`,
  )
  const lineBytesMax = files.reduce((most, file) => Math.max(most, file.lineBytesMax), 0)
  const objectBytesMax = Math.max(lineBytesMax + 1024, parquetLimits.lineBytesMin)
  return (
    `read_json([${files.map(({ path }) => sqlPath(path)).join(', ')}], format = 'newline_delimited', ` +
    `columns = {${structure.join(', ')}}, maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
  )
}

/** Rows of a part: `r.` stands before what its cells name. A scan and nothing else, so that rows come 2,048 at a time. */
export interface RowRelation {
  readonly scan: string
  /** An expression a column. */
  readonly cells: readonly string[]
}

export interface PartQuery {
  /** The rows of the part, by the columns that are asked of them. */
  readonly rows: (columns: readonly LineColumn[]) => RowRelation
  /** A table of the number of each row's line, in order. */
  readonly numbersTable: string
  readonly rowColumns: readonly LineColumn[]
  readonly lineColumns: readonly LineColumn[]
  /** Parquet files of lines, their columns named by their keys. */
  readonly linePaths: readonly string[]
  /** A table of the numbers of the lines that the rows have, where there are others. */
  readonly wantedTable: string | null
}

/**
 * A query a slice of the rows' columns, in their order: as many as one statement can write. All cut the rows into the
 * same row groups as `linesQuery`: those of the numbers' table.
 */
export function rowQueries({ rows, rowColumns, numbersTable }: PartQuery): readonly string[] {
  return sliced(rowColumns).map((columns) => {
    const { scan, cells } = rows(columns)
    const chosen = columns.map(({ name }, index) => `${cells[index] ?? 'NULL'} AS ${sqlName(name)}`)
    return `SELECT ${chosen.join(', ')} FROM ${scan} AS r POSITIONAL JOIN ${numbersTable}`
  })
}

/**
 * The columns of the lines, to be copied by thread: threads that share a join take rows as they come, each whole row
 * groups of its own. The first column says where each row belongs (`placeOf`).
 *
 * A line is asked for as one value, which makes DuckDB fill it in beside each row as it stands. A LEFT JOIN gives first
 * the rows that are found at once, and behind these, 2,048 at a time, those whose number collides with another in the
 * hash table: some six of a million.
 */
export function linesQuery(query: PartQuery, groupRowsMax: number): string {
  const { lineColumns, numbersTable } = query
  const chosen = lineColumns.map((column) => `${cellOf('line', column)} AS ${sqlName(column.name)}`)
  const cells = lineColumns.map(({ key }) => `${sqlName(key)}: l.${sqlName(key)}`)
  const line = `(SELECT {${cells.join(', ')}} FROM ${linesBehind(query)} AS l WHERE l.${number} = r.${number})`
  return (
    `SELECT ${[number, ...chosen].join(', ')} FROM ` +
    `(SELECT ${placeOf('r.rowid', groupRowsMax)} AS ${number}, ${line} AS line FROM ${numbersTable} AS r)`
  )
}

/** A place counts so many rows, and begins again. */
const countedRows = 256

/** Of a row by its number from 0 on: how many row groups are above it, and a count that goes from each row to the next. */
export const placeOf = (row: string, groupRowsMax: number): string =>
  `(${row} // ${groupRowsMax} * ${countedRows} + ${row} % ${countedRows})::INTEGER`

/** How many row groups are above the first row of one, by its place. */
export const groupsAbove = (place: number): number => Math.floor(place / countedRows)

/** Gives a row where rows of these files do not stand as their places, the first column, count them. */
export function disorderQuery(paths: readonly string[]): string {
  const ahead = `(file_row_number - ${number}) & ${countedRows - 1}`
  return (
    `SELECT 1 FROM read_parquet([${paths.map(sqlPath).join(', ')}], file_row_number = true) ` +
    `GROUP BY ${number} // ${countedRows} HAVING min(${ahead}) <> max(${ahead}) LIMIT 1`
  )
}

function linesBehind({ linePaths, lineColumns, wantedTable }: PartQuery): string {
  if (linePaths.length === 0) return noRows(lineColumns)
  const lines = `read_parquet([${linePaths.map(sqlPath).join(', ')}])`
  return wantedTable === null
    ? lines
    : `(SELECT * FROM ${lines} WHERE ${number} IN (SELECT ${number} FROM ${wantedTable}))`
}

export function sliced(columns: readonly LineColumn[]): (readonly LineColumn[])[] {
  return columnSlices(columns.map(({ type }) => leafCountOf(type))).map((slice) => columns.slice(...slice))
}

export function cellOf(table: string, { key, type }: LineColumn): string {
  return `${table}.${sqlName(key)}${type === 'JSON' ? '::JSON' : ''}`
}

/** A relation of these columns without a row. */
export function noRows(columns: readonly LineColumn[]): string {
  const cells = [`NULL::UINTEGER AS ${number}`].concat(
    columns.map(({ key, type }) => `NULL::${type} AS ${sqlName(key)}`),
  )
  return `(SELECT ${cells.join(', ')} WHERE false)`
}

/** Only these rows of a relation, which fit in a row group. */
export function rowRange(relation: string, firstRow: number, rowCount: number): string {
  return `(SELECT * FROM ${relation} LIMIT ${rowCount} OFFSET ${firstRow})`
}

/** Only these rows of a file that `copyWaiting` made. */
export function waitingRange(path: string, firstRow: number, rowCount: number): string {
  return (
    `(SELECT * FROM read_parquet(${sqlPath(path)}, file_row_number = true) ` +
    `WHERE file_row_number BETWEEN ${firstRow} AND ${firstRow + rowCount - 1})`
  )
}

/** What is read again soon, as Parquet. */
export function copyWaiting(path: string, select: string): string {
  return `COPY (${select}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE 2048)`
}

export interface CopyOptions {
  readonly groupRowsMax: number
  /** Key-value metadata. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether each thread writes a file of its own, into a folder. */
  readonly isByThread: boolean
}

export function copyPart(
  path: string,
  select: string,
  { groupRowsMax, metadata, isByThread }: CopyOptions,
): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${sqlText(key)}: ${sqlText(value)}`)
  // A higher level of zstd takes a quarter more time for files that are a twentieth smaller.
  const options = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    'COMPRESSION_LEVEL 1',
    `ROW_GROUP_SIZE ${groupRowsMax}`,
  ]
  options.push(`STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionaryPageBytes}`)
  if (isByThread) options.push('PER_THREAD_OUTPUT')
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`
}
