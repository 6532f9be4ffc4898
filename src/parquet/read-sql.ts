import { quoteSqlPath, type Column, type DuckDb } from './duckdb.js'
import { quoteSqlName, quoteSqlText } from '../core/text.js'
import { columnTypesKey } from './part-sql.js'

export interface ReadFile {
  readonly path: string
  /** Shown in errors. */
  readonly label: string
}

/** A cell that every row of a file has in addition to those of the file. */
interface ConstantCell {
  readonly name: string
  readonly value: string | null
  readonly type: 'text' | 'integer' | 'date'
}

/** Rules for the columns of several files. */
export interface ColumnRules {
  /** Returns the constant cells of each file, by the columns of each file, and notices about them. */
  readonly addCells: (own: readonly (readonly string[])[]) => {
    readonly cells: readonly (readonly ConstantCell[])[]
    readonly notices: readonly string[]
  }
  /** Returns the names under which the columns of each file are read: equal names are one column. */
  readonly uniteNames: (names: readonly (readonly string[])[]) => readonly (readonly string[])[]
}

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

/** Returns the SQL for bytes as text: decoded if they are UTF-8, else with escapes such as `\xFF`. Cannot fail. */
export function buildDecodedText(value: string): string {
  const text = buildLossyText(value)
  return `CASE WHEN encode(${text}) = ${value} THEN ${text} ELSE ${value}::VARCHAR END`
}

/** Returns the SQL for bytes as text, with `?` for those that are not UTF-8. DuckDB 1.5.5 changes the bytes themselves, so they are copied. */
export const buildLossyText = (value: string): string => `decode(${value} || ''::BLOB, 'replace')`

/**
 * Returns the SQL for a decimal of more than 38 digits as a floating-point number. DuckDB 1.5.5 reads such a number eight
 * bytes at a time, and fills the last bytes with zeros at the wrong end. It adds the 1 of a negative number after that.
 */
export function buildDecimal(value: string, logicalType: string, bytes: number): string {
  const scale = `1e${/scale=(\d+)/.exec(logicalType)?.[1] ?? '0'}`
  const factor = `${2 ** (8 * (8 - (bytes % 8)))}e0`
  const negative = `-(round((-${value} * ${scale} - 1) / ${factor}) + 1) / ${scale}`
  return `CASE WHEN ${value} < 0 THEN ${negative} ELSE round(${value} * ${scale} / ${factor}) / ${scale} END`
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
  return getNestedKind(type) === null ? `${value}::VARCHAR` : buildJsonText(value, type)
}

/** Returns the SQL for a nested value as JSON text: bytes as text, and numbers that JSON does not have as strings. */
export function buildJsonText(value: string, type: string): string {
  const text = `to_json(${mapLeaves(value, type, decodeLeaf)})::VARCHAR`
  if (!/\b(FLOAT|DOUBLE)\b/.test(type)) return text
  const quoted = `to_json(${mapLeaves(value, type, quoteLeaf)})::VARCHAR`
  return `CASE WHEN regexp_matches(${text}, 'NaN|Infinity') THEN ${quoted} ELSE ${text} END`
}

/** Returns the SQL for a value without nesting; `null` to leave it unchanged. */
type LeafMapper = (value: string, type: string) => string | null

const decodeLeaf: LeafMapper = (value, type) => (type === 'BLOB' ? buildDecodedText(value) : null)

const quoteLeaf: LeafMapper = (value, type) => {
  if (type !== 'FLOAT' && type !== 'DOUBLE') return decodeLeaf(value, type)
  const name = `CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} > 0 THEN 'Infinity' ELSE '-Infinity' END`
  return `CASE WHEN isfinite(${value}) THEN to_json(${value}) WHEN ${value} IS NOT NULL THEN to_json(${name}) END`
}

function mapLeaves(value: string, type: string, mapLeaf: LeafMapper, depth = 0): string {
  const item = `x${depth}`
  const map = (inner: string, own: string) => mapLeaves(inner, own, mapLeaf, depth + 1)
  const leaf = mapLeaf(value, type)
  if (leaf !== null) return leaf
  switch (getNestedKind(type)) {
    case 'list': {
      const inner = map(item, type.replace(/\[\d*\]$/, ''))
      return inner === item ? value : `list_transform(${value}, lambda ${item}: ${inner})`
    }
    case 'map': {
      const [key = '', own = ''] = splitMembers(type.slice('MAP('.length, -1)).map((text) => text.trim())
      const [from, to] = [map(`${item}.key`, key), map(`${item}.value`, own)]
      if (from === `${item}.key` && to === `${item}.value`) return value
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: {key: ${from}, value: ${to}}))`
    }
    case 'struct': {
      const members = splitStruct(type).map(({ key, type: own }) => {
        const member = `struct_extract(${value}, ${quoteSqlText(key)})`
        return { key, member, mapped: map(member, own) }
      })
      if (members.every(({ member, mapped }) => member === mapped)) return value
      const cells = members.map(({ key, mapped }) => `${quoteSqlName(key)}: ${mapped}`)
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE {${cells.join(', ')}} END`
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
      type === 'JSON' ? `translate(${column}::VARCHAR, E'\\r\\n', '  ')` : buildJsonText(column, type)
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
  const types = await readColumnTypes(duckDb, path)
  return { metadata: types === null ? metadata : { ...metadata, [columnTypesKey]: types }, unfitColumn }
}

/** Returns the types that the columns of a table's copy have in their database, as JSON; `null` for another file. */
export const readColumnTypes = (duckDb: DuckDb, path: string): Promise<string | null> =>
  readMetadata(duckDb, path, columnTypesKey)

async function readMetadata(duckDb: DuckDb, file: string, key: string): Promise<string | null> {
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
