import { sqlPath, type DuckDb } from './duckdb.js'
import type { Column } from './part-sql.js'

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
