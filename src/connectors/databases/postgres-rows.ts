import type { Column, DuckDb } from '../../parquet/duckdb.js'
import { quoteSqlName } from '../../core/text.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import { buildJsonText, getNestedKind } from '../../parquet/parquet-files.js'
import { createNulError, type ConnectorOptions } from '../connector.js'
import { buildFileRelation, withDuckDb, type CsvColumn, type FileColumn } from './local-parquet.js'

export interface RowsToSend {
  readonly path: string
  readonly columns: readonly FileColumn[]
  /** In SQL. */
  readonly table: string
  /** Whether the transaction created the table: then older snapshots see its rows too. */
  readonly isNew: boolean
}

/** Copies the rows of a file into a table. Throws OUTPUT_UNWRITABLE for a text with a NUL. */
export async function sendRows(
  session: PostgresSession,
  { path, columns, table, isNew }: RowsToSend,
  options: Pick<ConnectorOptions, 'signal'>,
): Promise<void> {
  const names = columns.map(({ name }) => quoteSqlName(name))
  const cells = columns.map(({ name, type }) => formatCsvCell(quoteSqlName(name), type))
  const relation = buildFileRelation(path)
  await withDuckDb(`${path}.duckdb`, options, async (duckDb) => {
    const readLines = async function* () {
      for await (const chunk of duckDb.stream(
        `SELECT concat_ws(',', ${cells.join(', ')}) FROM ${relation}`,
      )) {
        const text = `${chunk.getColumnValues(0).join('\n')}\n`
        if (text.includes('\0')) await assertNoNul(duckDb, relation, columns)
        yield text
      }
    }
    const freeze = isNew ? ', FREEZE' : ''
    const lines = readLines()
    try {
      await session.copyIn(`COPY ${table} (${names.join(', ')}) FROM STDIN (FORMAT csv${freeze})`, lines)
    } finally {
      // If the connection broke, DuckDB may still read a chunk, and closing it meanwhile would end the process.
      duckDb.interrupt()
      await lines.return()
    }
  })
}

/** Types whose values may contain text. */
const textType = /VARCHAR|JSON|ENUM|STRUCT|MAP|UNION|\[/

/** Throws OUTPUT_UNWRITABLE for a text with a NUL. */
export async function assertNoNul(
  duckDb: DuckDb,
  relation: string,
  columns: readonly Column[],
): Promise<void> {
  const texts = columns.filter(({ type }) => textType.test(type))
  if (texts.length === 0) return
  const checks = texts.map(({ name }) => `bool_or(contains(${quoteSqlName(name)}::VARCHAR, chr(0)))`)
  const [found] = await duckDb.all(`SELECT ${checks.join(', ')} FROM ${relation}`)
  const column = texts.find((_column, index) => found?.[index] === true)
  if (column === undefined) return
  throw createNulError(column.name)
}

/** How a column of PostgreSQL is copied to a file. */
interface CopiedColumn extends CsvColumn {
  /** In PostgreSQL's SQL: the text of the cell. */
  readonly select: string
}

const plainTypes: Readonly<Record<string, string>> = {
  boolean: 'BOOLEAN',
  smallint: 'SMALLINT',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  real: 'FLOAT',
  'double precision': 'DOUBLE',
  date: 'DATE',
  'timestamp without time zone': 'TIMESTAMP',
  'timestamp with time zone': 'TIMESTAMPTZ',
  'time without time zone': 'TIME',
  uuid: 'UUID',
  json: 'JSON',
  jsonb: 'JSON',
  bytea: 'BLOB',
  text: 'VARCHAR',
  'character varying': 'VARCHAR',
  character: 'VARCHAR',
  bpchar: 'VARCHAR',
  name: 'VARCHAR',
}

/** Returns DuckDB's type that keeps every value of a type of PostgreSQL, or `null`. */
function findScalarType(type: string): string | null {
  const [, precision, scale] = /^numeric\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined && scale !== undefined) {
    return Number(precision) <= 38 && Number(scale) <= Number(precision)
      ? `DECIMAL(${precision},${scale})`
      : null
  }
  return plainTypes[type.replace(/\(\d+\)/, '')] ?? null
}

/** Whether a type is kept in a file. `type` is the text of PostgreSQL's `format_type`. */
const findFileType = (type: string): string | null => {
  if (!type.endsWith('[]')) return findScalarType(type)
  const element = type.slice(0, -2)
  // Casting an array of `character` to text removes final spaces.
  if (/^(character\(|character$|bpchar)/.test(element)) return null
  const found = findScalarType(element)
  return found === null ? null : `${found}[]`
}

/** Describes the copy of a column; `null` if its values can only be kept as text. */
export function describeTypedColumn(name: string, type: string): CopiedColumn | null {
  const found = findFileType(type)
  if (found === null) return null
  const column = `q.${quoteSqlName(name)}`
  if (!found.endsWith('[]'))
    return {
      name,
      type: found,
      select: column,
      convert: (text) => convertScalar(text, found),
      isMisfit: canMisfit(found) ? (text) => isScalarMisfit(text, found) : null,
    }
  const element = found.slice(0, -2)
  // An array of several dimensions, or not counted from 1, stays text, which is no JSON and fails to convert.
  const isPlain = `pg_catalog.array_ndims(${column}) = 1 AND pg_catalog.array_lower(${column}, 1) = 1`
  return {
    name,
    type: found,
    select: `CASE WHEN ${isPlain} OR pg_catalog.cardinality(${column}) = 0 THEN pg_catalog.to_json(${column}::pg_catalog.text[])::pg_catalog.text ELSE ${column}::pg_catalog.text END`,
    convert: (text) => `list_transform(${text}::JSON::VARCHAR[], lambda x: ${convertScalar('x', element)})`,
    isMisfit: (text) => {
      const items = `try_cast(try_cast(${text} AS JSON) AS VARCHAR[])`
      const misfits = canMisfit(element)
        ? `coalesce(list_bool_or(list_transform(${items}, lambda x: ${isScalarMisfit('x', element)})), false)`
        : 'false'
      return `(${text} IS NOT NULL AND (${items} IS NULL OR ${misfits}))`
    },
  }
}

export function describeTextColumn(name: string): CopiedColumn {
  return {
    name,
    type: 'VARCHAR',
    select: `q.${quoteSqlName(name)}::pg_catalog.text`,
    convert: (text) => text,
    isMisfit: null,
  }
}

function convertScalar(text: string, type: string): string {
  if (type === 'VARCHAR') return text
  if (type === 'BLOB') return `unhex(substr(${text}, 3))`
  if (isTime(type)) return `(CASE WHEN ${isOutside(text)} THEN 'outside' ELSE ${text} END)::${type}`
  const [, precision, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(type) ?? []
  // A hundred times as fast: up to 18 digits, DuckDB computes with 64 bits.
  if (Number(precision) > 18 && Number(scale) <= 18)
    return `coalesce(try_cast(${text} AS DECIMAL(18,${scale ?? ''})), ${text}::${type})::${type}`
  return `${text}::${type}`
}

const isTime = (type: string): boolean => type === 'DATE' || type.startsWith('TIME')

/** DuckDB writes other texts for these times, and other readers of Parquet misread them. */
const isOutside = (text: string): string => `regexp_matches(${text}, 'BC|inf|^24:')`

const canMisfit = (type: string): boolean => type !== 'VARCHAR' && type !== 'BLOB'

/** Returns the SQL whether a text is not NULL and does not fit the type. */
function isScalarMisfit(text: string, type: string): string {
  const fails = `try_cast(${text} AS ${type}) IS NULL`
  return `(${text} IS NOT NULL AND (${isTime(type) ? `${isOutside(text)} OR ` : ''}${fails}))`
}

const newTypes: Readonly<Record<string, string>> = {
  VARCHAR: 'text',
  BOOLEAN: 'boolean',
  TINYINT: 'smallint',
  UTINYINT: 'smallint',
  SMALLINT: 'smallint',
  USMALLINT: 'integer',
  INTEGER: 'integer',
  UINTEGER: 'bigint',
  BIGINT: 'bigint',
  UBIGINT: 'numeric(20,0)',
  HUGEINT: 'numeric',
  UHUGEINT: 'numeric',
  BIGNUM: 'numeric',
  FLOAT: 'real',
  DOUBLE: 'double precision',
  DATE: 'date',
  TIME: 'time without time zone',
  'TIME WITH TIME ZONE': 'time with time zone',
  TIMESTAMP: 'timestamp without time zone',
  TIMESTAMP_S: 'timestamp without time zone',
  TIMESTAMP_MS: 'timestamp without time zone',
  'TIMESTAMP WITH TIME ZONE': 'timestamp with time zone',
  INTERVAL: 'interval',
  UUID: 'uuid',
  JSON: 'jsonb',
  BLOB: 'bytea',
}

/** Returns the type of a new column for a type of DuckDB. Nanoseconds become text, which keeps all digits. */
export function toPostgresType(type: string): string {
  const [, precision, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined && scale !== undefined) return `numeric(${precision},${scale})`
  const element = getListElement(type)
  if (element !== null) return `${toPostgresType(element)}[]`
  return getNestedKind(type) === null ? (newTypes[type] ?? 'text') : 'jsonb'
}

/** Returns the element type of a list of single values; `null` for other types. */
function getListElement(type: string): string | null {
  if (getNestedKind(type) !== 'list') return null
  const element = type.replace(/\[\d*\]$/, '')
  return getNestedKind(element) === null ? element : null
}

/** Returns the SQL of DuckDB that formats a value as a text that PostgreSQL reads. */
function formatCell(value: string, type: string): string {
  const element = getListElement(type)
  if (element !== null) {
    const text = `replace(replace(${formatCell('x', element)}, '\\', '\\\\'), '"', '\\"')`
    const items = `list_transform(${value}, lambda x: CASE WHEN x IS NULL THEN 'NULL' ELSE '"' || ${text} || '"' END)`
    return `'{' || array_to_string(${items}, ',') || '}'`
  }
  if (getNestedKind(type) !== null) return buildJsonText(value, type)
  if (type === 'BLOB') return `'\\x' || lower(hex(${value}))`
  if (/^(DATE|TIMESTAMP(_S|_MS| WITH TIME ZONE)?)$/.test(type)) {
    const beforeChrist = `regexp_replace(${value}::VARCHAR, '^(.*) \\(BC\\)(.*)$', '\\1\\2 BC')`
    return `CASE WHEN ${value} < DATE '0001-01-01' THEN ${beforeChrist} ELSE ${value}::VARCHAR END`
  }
  return type === 'VARCHAR' ? value : `${value}::VARCHAR`
}

/** Types whose texts contain no comma, quote or line break. */
const plainText =
  /^(BOOLEAN|BLOB|DATE|DECIMAL.*|DOUBLE|FLOAT|TIME.*|UUID|(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER))$/

/** Returns the SQL of DuckDB that formats a value as a cell of CSV; NULL is an empty cell without quotes. */
function formatCsvCell(value: string, type: string): string {
  const text = formatCell(value, type)
  const isPlain = plainText.test(type) && !type.endsWith(']')
  return `coalesce(${isPlain ? text : `'"' || replace(${text}, '"', '""') || '"'`}, '')`
}
