import { quoteSqlName, quoteSqlPath, quoteSqlText, type DuckDb } from './duckdb.js'
import type { Column } from './part-sql.js'

/** Returns a relation of files, with columns united by name: all rows, or the first `rowsMax`. */
export function buildRelation(paths: readonly string[], rowsMax?: number): string {
  const list = paths.map(quoteSqlPath).join(', ')
  const read = `read_parquet([${list}], union_by_name = true, hive_partitioning = false, filename = false)`
  return rowsMax === undefined ? read : `(SELECT * FROM ${read} LIMIT ${rowsMax})`
}

/** Returns the top-level columns of a file. `parquet_schema` lists the schema tree depth first. */
export async function readColumnNames(duckDb: DuckDb, path: string): Promise<readonly string[]> {
  const rows = await duckDb.all(`SELECT name, num_children FROM parquet_schema(${quoteSqlPath(path)})`)
  const names: string[] = []
  let inside = 0
  for (const [name, children] of rows.slice(1)) {
    if (inside === 0) names.push(String(name))
    else inside--
    inside += Number(children ?? 0)
  }
  return names
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
  if (type === 'BLOB') return `coalesce(try(decode(${value})), ${value}::VARCHAR)`
  return getNestedKind(type) === null ? `${value}::VARCHAR` : `to_json(${value})::VARCHAR`
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
  return splitMembers(type.slice('STRUCT('.length, -1)).flatMap((text) => {
    const [, quoted, bare = '', own = ''] = /^\s*(?:"((?:[^"]|"")*)"|(\S+))\s+([^]*)$/.exec(text) ?? []
    const key = quoted?.replaceAll('""', '"') ?? bare
    if (getNestedKind(own) === null) return [{ path: [key], type: own }]
    return parseStructMembers(own).map((member) => ({ ...member, path: [key, ...member.path] }))
  })
}

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
  return columns.some(({ type }) => type === 'JSON')
    ? buildJsonMembers(columns)
    : `to_json(${quoteSqlName(alias)})::VARCHAR`
}

/** `to_json` of a whole row would parse JSON values and round their numbers; this keeps their text. */
function buildJsonMembers(columns: readonly Column[]): string {
  const members = columns.map(({ name, type }) => {
    const column = quoteSqlName(name)
    // In JSON text, line breaks only occur in places for spaces.
    const json =
      type === 'JSON' ? `translate(${column}::VARCHAR, E'\\r\\n', '  ')` : `to_json(${column})::VARCHAR`
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
