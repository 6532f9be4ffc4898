import type { ColumnKind, OutputColumn } from '../rules/columns.js'
import { sqlName, sqlPath, sqlText } from '../../parquet/duckdb.js'
import { columnSlices, dictionaryPageBytes, leafCountOf } from '../../parquet/memory-budget.js'
import type { CellType, ChunkRows, MemberRows } from '../input/input.js'
import { writerBounds } from './bounds.js'
import type { LineFile } from './line-writer.js'

const struct = (fields: readonly string[], last = '') =>
  `STRUCT(${fields.map((field) => `"${field}" VARCHAR`).join(', ')}${last})`
const citationType = struct(['url', 'excerpt', 'source_type'], ', "authority_tier" INTEGER')

const answerTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  integer: 'INTEGER',
  timestamp: 'TIMESTAMPTZ',
  boolean: 'BOOLEAN',
  factors: `${struct(['code', 'type', 'description', 'impact'])}[]`,
  actions: `${struct(['code', 'description'])}[]`,
  basis: `${struct(['field', 'value', 'confidence', 'reasoning'], `, "citations" ${citationType}[]`)}[]`,
}

const cellTypes: Readonly<Record<CellType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
}

/** How many leaf columns of Parquet columns of ours make. */
export function answerLeafCount(columns: readonly OutputColumn[]): number {
  return columns.reduce((sum, { kind }) => sum + leafCountOf(answerTypes[kind]), 0)
}

/** Rows of a table that are a part. */
export interface TableRows {
  readonly table: string
  readonly firstRow: number
  readonly columns: ChunkRows['columns']
}

/** The answers of lines, beside rows of a table, by position: a statement a slice of columns. */
export function besideRows(
  { table, firstRow, columns: theirs }: TableRows,
  columns: readonly OutputColumn[],
  lines: LineFile,
): readonly string[] {
  const slices = columnSlices(theirs.map(({ type }) => leafCountOf(type)))
  return slices.map(([first, end], index) => {
    const names = theirs.slice(first, end).map(({ name }) => sqlName(name))
    const rows = `(SELECT ${names.join(', ')} FROM ${table} LIMIT ${lines.rowCount} OFFSET ${firstRow})`
    return index < slices.length - 1 ? `SELECT * FROM ${rows}` : withAnswers(rows, columns, lines)
  })
}

function withAnswers(rows: string, columns: readonly OutputColumn[], lines: LineFile): string {
  const structure = columns.map(({ name, kind }) => `${sqlName(name)}: ${sqlText(answerTypes[kind])}`)
  const ours = columns.map(({ name, outputName }) => `answer.${sqlName(name)} AS ${sqlName(outputName)}`)
  // Without a column of ours the lines are read for their number alone.
  const answers = readJson(lines, structure.length === 0 ? [`"status": 'VARCHAR'`] : structure)
  return `SELECT ${['input.*', ...ours].join(', ')} FROM ${rows} AS input POSITIONAL JOIN ${answers} AS answer`
}

/** Lines that hold the members of a row, `c0` and so on, and those of its answer: a statement a slice of columns. */
export function fromMembers(
  names: readonly string[],
  types: MemberRows['types'],
  columns: readonly OutputColumn[],
  lines: LineFile,
): readonly string[] {
  const slices = columnSlices(types.map(() => 1))
  return slices.map(([first, end], index) => {
    const ours = index < slices.length - 1 ? [] : columns
    const structure = [
      ...types.slice(first, end).map((type, at) => `c${first + at}: ${sqlText(cellTypes[type])}`),
      ...ours.map(({ name, kind }) => `${sqlName(name)}: ${sqlText(answerTypes[kind])}`),
    ]
    const chosen = [
      ...names.slice(first, end).map((name, at) => {
        const cell = `c${first + at}`
        return `${types[first + at] === 'json' ? `${cell}::JSON` : cell} AS ${sqlName(name)}`
      }),
      ...ours.map(({ name, outputName }) => `${sqlName(name)} AS ${sqlName(outputName)}`),
    ]
    return `SELECT ${chosen.join(', ')} FROM ${readJson(lines, structure)}`
  })
}

function readJson({ path, lineBytesMax }: LineFile, structure: readonly string[]): string {
  const objectBytesMax = Math.max(lineBytesMax + 1024, writerBounds.lineBytesMin)
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
  const options = ['FORMAT parquet', 'COMPRESSION zstd', `ROW_GROUP_SIZE ${writerBounds.partRowsMax}`]
  const pageBytes = dictionaryPageBytes(leafCount)
  if (pageBytes !== null) options.push(`STRING_DICTIONARY_PAGE_SIZE_LIMIT ${pageBytes}`)
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`
}
