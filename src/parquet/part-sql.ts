import { sqlName, sqlPath, sqlText } from './duckdb.js'
import { parquetLimits } from './limits.js'
import type { LineFile } from './line-writer.js'
import { columnSlices, dictionaryPageBytes, leafCountOf } from './memory-budget.js'

/** A column by its name, and its type in SQL. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** A column whose cells stand under a key of lines of JSON; those of type JSON there as texts, which stay as they are. */
export interface LineColumn extends Column {
  readonly key: string
}

/** Rows of a table that are a part. */
export interface TableRows {
  readonly table: string
  readonly firstRow: number
  readonly columns: readonly Column[]
}

/** The cells of lines, beside rows of a table, by position: a query a slice of columns. */
export function besideChunks(
  { table, firstRow, columns }: TableRows,
  lineColumns: readonly LineColumn[],
  lines: LineFile,
): readonly string[] {
  return sliced(columns).map((slice, index, slices) => {
    const names = slice.map(({ name }) => sqlName(name)).join(', ')
    const rows = `(SELECT ${names} FROM ${table} LIMIT ${lines.rowCount} OFFSET ${firstRow})`
    if (index < slices.length - 1) return `SELECT * FROM ${rows}`
    const chosen = ['part.*', ...lineColumns.map((column) => chosenFrom('line.', column))].join(', ')
    // Without a column of theirs the lines are read for their number alone.
    const read = readJson(
      lines,
      lineColumns.length === 0 ? [{ key: 'none', name: '', type: 'VARCHAR' }] : lineColumns,
    )
    return `SELECT ${chosen} FROM ${rows} AS part POSITIONAL JOIN ${read} AS line`
  })
}

/** The cells of lines that hold whole rows: a query a slice of columns. */
export function fromLines(lineColumns: readonly LineColumn[], lines: LineFile): readonly string[] {
  return sliced(lineColumns).map((slice) => {
    const chosen = slice.map((column) => chosenFrom('', column)).join(', ')
    return `SELECT ${chosen} FROM ${readJson(lines, slice)}`
  })
}

function sliced<Each extends Column>(columns: readonly Each[]): (readonly Each[])[] {
  return columnSlices(columns.map(({ type }) => leafCountOf(type))).map((slice) => columns.slice(...slice))
}

function chosenFrom(table: string, { key, name, type }: LineColumn): string {
  return `${table}${sqlName(key)}${type === 'JSON' ? '::JSON' : ''} AS ${sqlName(name)}`
}

function readJson({ path, lineBytesMax }: LineFile, columns: readonly LineColumn[]): string {
  const structure = columns.map(
    ({ key, type }) => `${sqlName(key)}: ${sqlText(type === 'JSON' ? 'VARCHAR' : type)}`,
  )
  const objectBytesMax = Math.max(lineBytesMax + 1024, parquetLimits.lineBytesMin)
  return (
    `read_json(${sqlPath(path)}, format = 'newline_delimited', columns = {${structure.join(', ')}}, ` +
    `maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
  )
}

/** A part is one row group. */
export function copyTo(
  path: string,
  select: string,
  metadata: Readonly<Record<string, string>>,
  leafCount: number,
): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${sqlText(key)}: ${sqlText(value)}`)
  const options = ['FORMAT parquet', 'COMPRESSION zstd', `ROW_GROUP_SIZE ${parquetLimits.partRowsMax}`]
  const pageBytes = dictionaryPageBytes(leafCount)
  if (pageBytes !== null) options.push(`STRING_DICTIONARY_PAGE_SIZE_LIMIT ${pageBytes}`)
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`
}
