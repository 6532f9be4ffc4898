import type { ColumnKind, OutputColumn } from '../../core/columns.js'
import { sqlName, sqlPath, sqlText } from '../../platform/duckdb.js'
import type { CellType, MemberRows } from '../reader/input.js'
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

/** The answers of lines, beside the rows of a relation, by position. */
export function besideRows(rows: string, columns: readonly OutputColumn[], lines: LineFile): string {
  const structure = columns.map(({ name, kind }) => `${sqlName(name)}: ${sqlText(answerTypes[kind])}`)
  const ours = columns.map(({ name, outputName }) => `answer.${sqlName(name)} AS ${sqlName(outputName)}`)
  // Without a column of ours the lines are read for their number alone.
  const answers = readJson(lines, structure.length === 0 ? [`"status": 'VARCHAR'`] : structure)
  return `SELECT ${['input.*', ...ours].join(', ')} FROM ${rows} AS input POSITIONAL JOIN ${answers} AS answer`
}

/** Lines that hold the members of a row, `c0` and so on, and those of its answer. */
export function fromMembers(
  names: readonly string[],
  types: MemberRows['types'],
  columns: readonly OutputColumn[],
  lines: LineFile,
): string {
  const structure = [
    ...types.map((type, index) => `c${index}: ${sqlText(cellTypes[type])}`),
    ...columns.map(({ name, kind }) => `${sqlName(name)}: ${sqlText(answerTypes[kind])}`),
  ]
  const theirs = names.map((name, index) => {
    return `${types[index] === 'json' ? `c${index}::JSON` : `c${index}`} AS ${sqlName(name)}`
  })
  const ours = columns.map(({ name, outputName }) => `${sqlName(name)} AS ${sqlName(outputName)}`)
  return `SELECT ${[...theirs, ...ours].join(', ')} FROM ${readJson(lines, structure)}`
}

function readJson({ path, lineBytesMax }: LineFile, structure: readonly string[]): string {
  const objectBytesMax = Math.max(lineBytesMax + 1024, writerBounds.lineBytesMin)
  return (
    `read_json(${sqlPath(path)}, format = 'newline_delimited', columns = {${structure.join(', ')}}, ` +
    `maximum_object_size = ${objectBytesMax}, compression = 'uncompressed')`
  )
}

/** A part is one row group. */
export function copyTo(path: string, select: string, metadata: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${sqlText(key)}: ${sqlText(value)}`)
  const options = ['FORMAT parquet', 'COMPRESSION zstd', `ROW_GROUP_SIZE ${writerBounds.partRowsMax}`]
  if (pairs.length > 0) options.push(`KV_METADATA {${pairs.join(', ')}}`)
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`
}
