import { sqlName, sqlPath, sqlText, type DuckDb } from './duckdb.js'
import type { Column } from './part-sql.js'

/** Files as one relation, columns united by name; all rows, or only the first. */
export function sqlRelation(paths: readonly string[], rowsMax?: number): string {
  const list = paths.map(sqlPath).join(', ')
  const read = `read_parquet([${list}], union_by_name = true, hive_partitioning = false, filename = false)`
  return rowsMax === undefined ? read : `(SELECT * FROM ${read} LIMIT ${rowsMax})`
}

/** The columns of one file. Its schema is a tree written depth first; the children of its root are they. */
export async function columnNames(duckDb: DuckDb, path: string): Promise<readonly string[]> {
  const rows = await duckDb.all(`SELECT name, num_children FROM parquet_schema(${sqlPath(path)})`)
  const names: string[] = []
  let inside = 0
  for (const [name, children] of rows.slice(1)) {
    if (inside === 0) names.push(String(name))
    else inside--
    inside += Number(children ?? 0)
  }
  return names
}

/** DuckDB's text form; nested values as JSON text; bytes as text where they are text (older writers say no more). */
export const textExpression = ({ name, type }: Column): string => toText(sqlName(name), type)

/** The same of a member of a struct; null where a struct on the way to it is. */
export function memberTextExpression({ name }: Column, { path, type }: StructMember): string {
  const value = path.reduce((inner, key) => `struct_extract(${inner}, ${sqlText(key)})`, sqlName(name))
  return toText(value, type)
}

function toText(value: string, type: string): string {
  if (type === 'VARCHAR') return value
  if (type === 'BLOB') return `coalesce(try(decode(${value})), ${value}::VARCHAR)`
  return nestedKind(type) === null ? `${value}::VARCHAR` : `to_json(${value})::VARCHAR`
}

/** Whether cells of a type hold further values; null for texts, numbers and all other types with one value. */
export function nestedKind(type: string): 'struct' | 'list' | 'map' | 'union' | null {
  if (type.endsWith(']')) return 'list'
  if (type.startsWith('STRUCT(')) return 'struct'
  if (type.startsWith('MAP(')) return 'map'
  return type.startsWith('UNION(') ? 'union' : null
}

/** A member of a struct, or of a struct in it, that has one value. */
export interface StructMember {
  readonly path: readonly string[]
  readonly type: string
}

/** The members of a struct by its type in SQL, `STRUCT("name" VARCHAR, place STRUCT(city VARCHAR))`, in order. */
export function structMembers(type: string): StructMember[] {
  if (nestedKind(type) !== 'struct') return []
  return splitMembers(type.slice('STRUCT('.length, -1)).flatMap((text) => {
    const [, quoted, bare = '', own = ''] = /^\s*(?:"((?:[^"]|"")*)"|(\S+))\s+([^]*)$/.exec(text) ?? []
    const key = quoted?.replaceAll('""', '"') ?? bare
    if (nestedKind(own) === null) return [{ path: [key], type: own }]
    return structMembers(own).map((member) => ({ ...member, path: [key, ...member.path] }))
  })
}

/** At the commas that are in no brackets and no quotes. */
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

/**
 * A row of a relation as the text of a JSON object, by the relation's alias; `quoteNonFinite` makes it one in every case.
 */
export function objectExpression(columns: readonly Column[], alias: string): string {
  return columns.some(({ type }) => type === 'JSON')
    ? membersAsJson(columns)
    : `to_json(${sqlName(alias)})::VARCHAR`
}

/** `to_json` of a whole row would read JSON values anew and round their numbers; their text is taken instead. */
function membersAsJson(columns: readonly Column[]): string {
  const members = columns.map(({ name, type }) => {
    const column = sqlName(name)
    // A line break can stand in JSON text only where a space can.
    const json =
      type === 'JSON' ? `translate(${column}::VARCHAR, E'\\r\\n', '  ')` : `to_json(${column})::VARCHAR`
    return `${sqlText(`${JSON.stringify(name)}:`)} || coalesce(${json}, 'null')`
  })
  return `'{' || ${members.join(" || ',' || ")} || '}'`
}

/** DuckDB writes NaN and Infinity bare, which is no JSON: they become strings. */
export function quoteNonFinite(json: string): string {
  if (!/NaN|Infinity/.test(json)) return json
  return json.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

/** Types that a Parquet output cannot hold as they are, wherever they stand in a type in SQL. */
const unfitType = /(?:^|[ (])(GEOMETRY|VARIANT)(?:$|[(),[])/

export const isGeometry = (type: string): boolean => type.startsWith('GEOMETRY')

export interface GeoMetadata {
  readonly metadata: Readonly<Record<string, string>>
  /** A column that Parquet cannot be written of; null where there is none. */
  readonly unfitColumn: string | null
}

/**
 * The `geo` metadata of GeoParquet files, for a file whose geometry stands in it as WKB, as it does in them. Empty where
 * there is no geometry. What it says of the rows (`bbox`) is kept where the rows are those of one whole file. Unfit are
 * geometry of another kind (Parquet's own GEOMETRY and GEOGRAPHY), and VARIANT.
 */
export async function geoMetadata(
  duckDb: DuckDb,
  paths: readonly string[],
  columns: readonly Column[],
  isWhole: boolean,
): Promise<GeoMetadata> {
  const special = columns.filter(({ type }) => unfitType.test(type.replace(/'(?:[^']|'')*'/g, '')))
  if (special.length === 0) return { metadata: {}, unfitColumn: null }
  const texts = new Set<string | null>()
  const annotated = new Set<string>()
  for (const file of paths) {
    const path = sqlPath(file)
    const [geo] = await duckDb.all(
      `SELECT decode(value) FROM parquet_kv_metadata(${path}) WHERE key = 'geo'::BLOB`,
    )
    texts.add(geo === undefined ? null : withoutRows(String(geo[0]), isWhole && paths.length === 1))
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

function withoutRows(text: string, isWhole: boolean): string | null {
  if (isWhole) return text
  try {
    const geo = JSON.parse(text) as { columns?: Record<string, { bbox?: unknown }> }
    for (const column of Object.values(geo.columns ?? {})) delete column.bbox
    return JSON.stringify(geo)
  } catch {
    return null
  }
}
