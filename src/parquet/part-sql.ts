import { sqlName, sqlPath, sqlText } from './duckdb.js'
import { parquetLimits } from './limits.js'
import type { LineFile } from './line-writer.js'
import { columnSlices, leafCountOf } from './memory-budget.js'
import type { PlannedPart } from './part-plan.js'

/** A column by its name, and its type in SQL. */
export interface Column {
  readonly name: string
  readonly type: string
}

/** A column whose cells stand under a key of lines of JSON; those of type JSON there as texts, which stay as they are. */
export interface LineColumn extends Column {
  readonly key: string
}

/** Under this key a row has the number of its line, and a line its own. */
export const numberKey = '#'
const number = sqlName(numberKey)

/** Each dictionary page is reserved, a column and thread; DuckDB's own size of one is 1 MiB. */
const dictionaryPageBytes = 64 * 1024

/** Lines of JSON as a relation: their numbers, and columns named by their keys. */
export function linesRelation(files: readonly LineFile[], columns: readonly LineColumn[]): string {
  const structure = [`${number}: 'UINTEGER'`].concat(
    columns.map(({ key, type }) => `${sqlName(key)}: ${sqlText(type === 'JSON' ? 'VARCHAR' : type)}`),
  )
  const lineBytesMax = files.reduce((most, file) => Math.max(most, file.lineBytesMax), 0)
  const objectBytesMax = Math.max(lineBytesMax + 1024, parquetLimits.lineBytesMin)
  return (
    `read_json([${files.map(({ path }) => sqlPath(path)).join(', ')}], format = 'newline_delimited', ` +
    `columns = {${structure.join(', ')}}, maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
  )
}

/** Rows of a part, by the columns that are asked of them, and the files of the lines behind them. */
export interface PartQuery {
  readonly rows: (columns: readonly LineColumn[]) => string
  readonly rowColumns: readonly LineColumn[]
  readonly lineColumns: readonly LineColumn[]
  /** Parquet files of lines, their columns named by their keys. */
  readonly linePaths: readonly string[]
  /** A table of the numbers of the lines that the rows have, where there are others. */
  readonly wantedTable: string | null
}

/**
 * A query a slice of columns: as many of the rows' as one statement can write, and those of the lines, of which the one
 * with the most parts goes alone: it is most of the work, and two statements run beside each other.
 */
export function partQueries(query: PartQuery): readonly string[] {
  const { rows, rowColumns, lineColumns } = query
  const most = Math.max(1, ...lineColumns.map(({ type }) => leafCountOf(type)))
  const heavyIndex = lineColumns.findIndex(({ type }) => most > 1 && leafCountOf(type) === most)
  const cuts = heavyIndex === -1 ? [lineColumns.length] : [heavyIndex, heavyIndex + 1, lineColumns.length]
  const [besideRows = [], ...alone] = cuts.map((end, index) => lineColumns.slice(cuts[index - 1] ?? 0, end))
  const rowSlices = sliced(rowColumns)
  const queries = rowSlices.map((slice, index) =>
    queryOf(query, slice, index === rowSlices.length - 1 ? besideRows : []),
  )
  return [
    ...queries,
    ...alone.filter(({ length }) => length > 0).map((columns) => queryOf(query, [], columns)),
  ]

  function queryOf(from: PartQuery, ours: readonly LineColumn[], lines: readonly LineColumn[]): string {
    const chosen = [
      ...ours.map((column) => chosenFrom('r', column)),
      ...lines.map((column) => chosenFrom('l', column)),
    ]
    const select = `SELECT ${chosen.join(', ')} FROM ${rows(ours)} AS r`
    return lines.length === 0
      ? select
      : `${select} LEFT JOIN ${linesBehind(from)} AS l ON r.${number} = l.${number}`
  }
}

function linesBehind({ linePaths, lineColumns, wantedTable }: PartQuery): string {
  if (linePaths.length === 0) return noRows(lineColumns)
  const lines = `read_parquet([${linePaths.map(sqlPath).join(', ')}])`
  return wantedTable === null
    ? lines
    : `(SELECT * FROM ${lines} WHERE ${number} IN (SELECT ${number} FROM ${wantedTable}))`
}

function sliced(columns: readonly LineColumn[]): (readonly LineColumn[])[] {
  return columnSlices(columns.map(({ type }) => leafCountOf(type))).map((slice) => columns.slice(...slice))
}

function chosenFrom(table: string, { key, name, type }: LineColumn): string {
  return `${table}.${sqlName(key)}${type === 'JSON' ? '::JSON' : ''} AS ${sqlName(name)}`
}

/** A relation of these columns without a row. */
export function noRows(columns: readonly LineColumn[]): string {
  const cells = [`NULL::UINTEGER AS ${number}`].concat(
    columns.map(({ key, type }) => `NULL::${type} AS ${sqlName(key)}`),
  )
  return `(SELECT ${cells.join(', ')} WHERE false)`
}

/** Only these rows of a relation. */
export function rowRange(relation: string, firstRow: number, rowCount: number): string {
  return `(SELECT * FROM ${relation} LIMIT ${rowCount} OFFSET ${firstRow})`
}

/** Lines as Parquet that is read again soon. */
export function copyLines(path: string, relation: string): string {
  return `COPY (SELECT * FROM ${relation}) TO ${sqlText(path)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE 2048)`
}

export function copyPart(
  path: string,
  select: string,
  { groupRowsMax }: PlannedPart,
  metadata: Readonly<Record<string, string>>,
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
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`
}
