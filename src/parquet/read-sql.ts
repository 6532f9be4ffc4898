import { quoteSqlName, quoteSqlPath, quoteSqlText, type DuckDb } from './duckdb.js'
import type { Column } from './part-sql.js'

/** A file of a relation, with the columns that differ from what DuckDB reads. */
export interface RelationFile {
  readonly path: string
  /** SQL in place of columns, by name. */
  readonly replaced: ReadonlyMap<string, string>
  /** Constant columns of the file; SQL types. */
  readonly added: readonly (Column & { readonly value: string | null })[]
  /** Whether the name of DuckDB's column with the number of the file is taken. */
  readonly hasFileIndex: boolean
}

export const toRelationFile = (path: string): RelationFile => ({
  path,
  replaced: new Map(),
  added: [],
  hasFileIndex: false,
})

export interface RelationOptions {
  readonly rowsMax?: number | undefined
  /** SQL that selects rows; may use `file_row_number`. */
  readonly filter?: string | undefined
}

/** Returns a relation of files, with columns united by name, and whether it is a plain scan. */
export function buildRelation(
  files: readonly RelationFile[],
  { rowsMax, filter }: RelationOptions = {},
): { readonly sql: string; readonly isScan: boolean } {
  const where = filter === undefined ? '' : ` WHERE ${filter}`
  const limit = rowsMax === undefined ? '' : ` LIMIT ${rowsMax}`
  const queries = groupFiles(files).map((group) => {
    const read = `read_parquet([${group.map(({ path }) => quoteSqlPath(path)).join(', ')}], union_by_name = true, hive_partitioning = false, filename = false)`
    const [first] = group
    const replaced = [...(first?.replaced ?? [])].map(([name, sql]) => `${sql} AS ${quoteSqlName(name)}`)
    const added = (first?.added ?? []).map(({ name, type }, column) => {
      const values = group.map((file) => {
        const value = file.added[column]?.value ?? null
        return value === null ? 'NULL' : quoteSqlText(value)
      })
      const [only = 'NULL', ...others] = new Set(values)
      const value = others.length === 0 ? only : `([${values.join(', ')}])[file_index::BIGINT + 1]`
      return `, ${value}::${type} AS ${quoteSqlName(name)}`
    })
    const star = replaced.length === 0 ? '*' : `* REPLACE (${replaced.join(', ')})`
    return {
      read,
      sql: `SELECT ${star}${added.join('')} FROM ${read}`,
      isPlain: star + added.join('') === '*',
    }
  })
  const [only] = queries
  if (only?.isPlain === true && queries.length === 1 && where + limit === '')
    return { sql: only.read, isScan: true }
  const united = queries.map(({ sql }) => sql + where).join(' UNION ALL BY NAME ')
  const sql = queries.length === 1 || limit === '' ? united : `SELECT * FROM (${united})`
  return { sql: `(${sql}${limit})`, isScan: false }
}

/** Groups consecutive files that one query can read. */
function groupFiles(files: readonly RelationFile[]): RelationFile[][] {
  const groups: { readonly key: string; readonly files: RelationFile[] }[] = []
  for (const [index, file] of files.entries()) {
    const added = file.added.map(({ name, type }) => [name, type])
    const isAlone = file.hasFileIndex && added.length > 0
    const key = JSON.stringify([[...file.replaced], added, isAlone ? index : null])
    const last = groups.at(-1)
    if (last?.key === key) last.files.push(file)
    else groups.push({ key, files: [file] })
  }
  return groups.map((group) => group.files)
}

/** The schema of a file, as far as DuckDB's types do not tell it. */
export interface FileSchema {
  /** Top-level columns. Bytes have no annotation, and may be the text of older writers. */
  readonly columns: ReadonlyMap<string, 'bytes' | 'text' | 'other'>
  /** How DuckDB reads some columns, also nested ones, by top-level column. */
  readonly changes: ReadonlyMap<string, TypeChange>
}

/** `double` and `microseconds`: digits may be lost. `float`: no value changes. */
export type TypeChange = 'microseconds' | 'double' | 'float'

/** Reads the schema of a file. `parquet_schema` lists the schema tree depth first. Names may differ only in case. */
export async function readFileSchema(
  duckDb: DuckDb,
  path: string,
): Promise<FileSchema & { readonly names: readonly string[] }> {
  const rows = await duckDb.all(
    `SELECT name, coalesce(num_children, 0)::INTEGER, coalesce(type, ''), coalesce(converted_type, ''), coalesce(logical_type, '') FROM parquet_schema(${quoteSqlPath(path)})`,
  )
  const names: string[] = []
  const columns = new Map<string, 'bytes' | 'text' | 'other'>()
  const changes = new Map<string, TypeChange>()
  let inside = 0
  for (const row of rows.slice(1)) {
    const [name, children, type, converted, logical] = row as [string, number, string, string, string]
    if (inside === 0) {
      names.push(name)
      columns.set(name, getKind(type, converted + logical))
    } else inside--
    inside += children
    const change = findTypeChange(type, logical)
    if (change !== null) changes.set(names.at(-1) ?? '', change)
  }
  return { names, columns, changes }
}

function getKind(type: string, annotation: string): 'bytes' | 'text' | 'other' {
  if (annotation === '') return type.endsWith('BYTE_ARRAY') ? 'bytes' : 'other'
  return /^(UTF8|ENUM|String|Enum)/.test(annotation) ? 'text' : 'other'
}

function findTypeChange(type: string, logical: string): TypeChange | null {
  const isNanoseconds = /NANOS=Nano/.test(logical) && !/^TimestampType\(isAdjustedToUTC=0/.test(logical)
  if (type === 'INT96' || isNanoseconds) return 'microseconds'
  if (Number(/^DecimalType\(.*precision=(\d+)/.exec(logical)?.[1] ?? 0) > 38) return 'double'
  return logical.startsWith('Float16') ? 'float' : null
}

/** Returns whether a column of bytes has values, and all are text. */
export async function isTextColumn(duckDb: DuckDb, paths: readonly string[], name: string): Promise<boolean> {
  const column = quoteSqlName(name)
  const rows = `${buildRelation(paths.map(toRelationFile)).sql} WHERE ${column} IS NOT NULL`
  if ((await duckDb.all(`SELECT 1 FROM ${rows} LIMIT 1`)).length === 0) return false
  const text = `decode(${column}, 'replace')`
  const isOther = `(encode(${text}) <> ${column} OR contains(${text}, chr(0)))`
  return (await duckDb.all(`SELECT 1 FROM ${rows} AND ${isOther} LIMIT 1`)).length === 0
}

/** Returns the SQL for bytes as text: decoded if they are UTF-8, else with escapes such as `\xFF`. Cannot fail. */
export function buildDecodedText(value: string): string {
  const text = `decode(${value}, 'replace')`
  return `CASE WHEN encode(${text}) = ${value} THEN ${text} ELSE ${value}::VARCHAR END`
}

/**
 * Returns DuckDB's text form; nested values as JSON text, bytes decoded if they are text, because older writers do not
 * mark text.
 */
export const buildTextExpression = ({ name, type }: Column): string => toText(quoteSqlName(name), type)

/** Returns the same for a struct member; NULL if an enclosing struct is. */
export function buildMemberTextExpression({ name }: Column, { path, type }: StructMember): string {
  const value = path.reduce(
    (inner, key) => `struct_extract(${inner}, ${quoteSqlText(key)})`,
    quoteSqlName(name),
  )
  return toText(value, type)
}

function toText(value: string, type: string): string {
  if (type === 'VARCHAR') return value
  if (type === 'BLOB') return buildDecodedText(value)
  return getNestedKind(type) === null
    ? `${value}::VARCHAR`
    : `to_json(${decodeMembers(value, type)})::VARCHAR`
}

/** Returns the SQL for a value with all bytes in it as text. */
function decodeMembers(value: string, type: string, depth = 0): string {
  if (!/\bBLOB\b/.test(type)) return value
  if (type === 'BLOB') return buildDecodedText(value)
  const item = `x${depth}`
  switch (getNestedKind(type)) {
    case 'list': {
      const element = type.replace(/\[\d*\]$/, '')
      return `list_transform(${value}, lambda ${item}: ${decodeMembers(item, element, depth + 1)})`
    }
    case 'map': {
      const [key = '', own = ''] = splitMembers(type.slice('MAP('.length, -1)).map((text) => text.trim())
      const entry = `{key: ${decodeMembers(`${item}.key`, key, depth + 1)}, value: ${decodeMembers(`${item}.value`, own, depth + 1)}}`
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry}))`
    }
    case 'struct': {
      const members = splitStruct(type).map(({ key, type: own }) => {
        const member = `struct_extract(${value}, ${quoteSqlText(key)})`
        return `${quoteSqlName(key)}: ${decodeMembers(member, own, depth + 1)}`
      })
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE {${members.join(', ')}} END`
    }
    default:
      return value
  }
}

/** Returns the kind of a nested type, or `null` for types with single values. */
export function getNestedKind(type: string): 'struct' | 'list' | 'map' | 'union' | null {
  if (type.endsWith(']')) return 'list'
  if (type.startsWith('STRUCT(')) return 'struct'
  if (type.startsWith('MAP(')) return 'map'
  return type.startsWith('UNION(') ? 'union' : null
}

/** A single-valued member of a struct, possibly in nested structs. */
export interface StructMember {
  readonly path: readonly string[]
  readonly type: string
}

/** Parses the members of a struct type such as `STRUCT("name" VARCHAR, place STRUCT(city VARCHAR))`, in order. */
export function parseStructMembers(type: string): StructMember[] {
  if (getNestedKind(type) !== 'struct') return []
  return splitStruct(type).flatMap(({ key, type: own }) => {
    if (getNestedKind(own) === null) return [{ path: [key], type: own }]
    return parseStructMembers(own).map((member) => ({ ...member, path: [key, ...member.path] }))
  })
}

/** Returns the members of a struct type. */
const splitStruct = (type: string): { readonly key: string; readonly type: string }[] =>
  splitMembers(type.slice('STRUCT('.length, -1)).map((text) => {
    const [, quoted, bare = '', own = ''] = /^\s*(?:"((?:[^"]|"")*)"|(\S+))\s+([^]*)$/.exec(text) ?? []
    return { key: quoted?.replaceAll('""', '"') ?? bare, type: own }
  })

/** Splits at commas outside brackets and quotes. */
function splitMembers(text: string): string[] {
  const members: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]/g)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (token === ',' && depth === 0) {
      members.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...members, text.slice(start)]
}

/** Returns the expression for a row as JSON text, by the relation's alias. Apply `quoteNonFinite` to the result. */
export function buildObjectExpression(columns: readonly Column[], alias: string): string {
  return columns.some(({ type }) => type === 'JSON' || /\bBLOB\b/.test(type))
    ? buildJsonMembers(columns)
    : `to_json(${quoteSqlName(alias)})::VARCHAR`
}

/** `to_json` of a whole row would parse JSON values and round their numbers; this keeps their text, and decodes bytes. */
function buildJsonMembers(columns: readonly Column[]): string {
  const members = columns.map(({ name, type }) => {
    const column = quoteSqlName(name)
    // In JSON text, line breaks only occur in places for spaces.
    const json =
      type === 'JSON'
        ? `translate(${column}::VARCHAR, E'\\r\\n', '  ')`
        : `to_json(${decodeMembers(column, type)})::VARCHAR`
    return `${quoteSqlText(`${JSON.stringify(name)}:`)} || coalesce(${json}, 'null')`
  })
  return `'{' || ${members.join(" || ',' || ")} || '}'`
}

/** Quotes NaN and Infinity, which DuckDB writes bare and JSON does not allow. */
export function quoteNonFinite(json: string): string {
  if (!/NaN|Infinity/.test(json)) return json
  return json.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

/** Types that a Parquet output cannot contain, at any depth of an SQL type. */
const unfitType = /(?:^|[ (])(GEOMETRY|VARIANT)(?:$|[(),[])/

export const isGeometry = (type: string): boolean => type.startsWith('GEOMETRY')

export interface ColumnMetadata {
  readonly metadata: Readonly<Record<string, string>>
  /** A column that cannot be written to Parquet, or `null`. */
  readonly unfitColumn: string | null
}

/** Metadata with the types that the columns have in their database. */
export const columnTypesKey = 'enrich.column_types'

/** Returns the metadata of the columns for an output: the types in their database, and `geo`. */
export async function readColumnMetadata(
  duckDb: DuckDb,
  paths: readonly string[],
  columns: readonly Column[],
  isWhole: boolean,
): Promise<ColumnMetadata> {
  const { metadata, unfitColumn } = await readGeoMetadata(duckDb, paths, columns, isWhole)
  const [path, ...others] = paths
  // A table has one copy.
  if (path === undefined || others.length > 0) return { metadata, unfitColumn }
  const types = await readMetadata(duckDb, path, columnTypesKey)
  return { metadata: types === null ? metadata : { ...metadata, [columnTypesKey]: types }, unfitColumn }
}

export async function readMetadata(duckDb: DuckDb, file: string, key: string): Promise<string | null> {
  const [row] = await duckDb.all(
    `SELECT decode(value) FROM parquet_kv_metadata(${quoteSqlPath(file)}) WHERE key = ${quoteSqlText(key)}::BLOB`,
  )
  return row === undefined ? null : String(row[0])
}

/**
 * Returns the `geo` metadata of GeoParquet files for an output, which stores geometry as WKB, too; empty without
 * geometry. Keeps facts about the rows (`bbox`) only for one whole file. Other geometry (Parquet's GEOMETRY and
 * GEOGRAPHY) and VARIANT cannot be written.
 */
async function readGeoMetadata(
  duckDb: DuckDb,
  paths: readonly string[],
  columns: readonly Column[],
  isWhole: boolean,
): Promise<ColumnMetadata> {
  const special = columns.filter(({ type }) => unfitType.test(type.replace(/'(?:[^']|'')*'/g, '')))
  if (special.length === 0) return { metadata: {}, unfitColumn: null }
  const texts = new Set<string | null>()
  const annotated = new Set<string>()
  for (const file of paths) {
    const path = quoteSqlPath(file)
    const geo = await readMetadata(duckDb, file, 'geo')
    texts.add(geo === null ? null : removeRowFacts(geo, isWhole && paths.length === 1))
    const typed = await duckDb.all(
      `SELECT name FROM parquet_schema(${path}) WHERE regexp_matches(logical_type, '^Geo(metry|graphy)')`,
    )
    for (const [name] of typed) annotated.add(String(name))
  }
  const [text = null] = texts
  const isKept = ({ name, type }: Column) =>
    isGeometry(type) && texts.size === 1 && text !== null && !annotated.has(name)
  const refused = special.find((column) => !isKept(column))
  if (refused !== undefined || text === null) return { metadata: {}, unfitColumn: refused?.name ?? '' }
  return { metadata: { geo: text }, unfitColumn: null }
}

function removeRowFacts(text: string, isWhole: boolean): string | null {
  if (isWhole) return text
  try {
    const geo = JSON.parse(text) as { columns?: Record<string, { bbox?: unknown }> }
    for (const column of Object.values(geo.columns ?? {})) delete column.bbox
    return JSON.stringify(geo)
  } catch {
    return null
  }
}
