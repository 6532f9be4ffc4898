import { UserError } from '../../core/errors.js'
import { sqlPath, type DuckDb } from '../../parquet/duckdb.js'
import type { SourceFile } from './sources.js'

/** Types that a Parquet output cannot hold as they are, wherever they stand in a type in SQL. */
const unfitType = /(?:^|[ (])(GEOMETRY|VARIANT)(?:$|[(),[])/

export const isGeometry = (type: string): boolean => type.startsWith('GEOMETRY')

/**
 * The `geo` metadata of GeoParquet files, for an output whose geometry stands in it as WKB, as it does in them. Empty
 * where there is no geometry. What it says of the rows (`bbox`) is kept where the rows are those of one whole file.
 * Throws OUTPUT_COLUMN_UNFIT for geometry of another kind (Parquet's own GEOMETRY and GEOGRAPHY), and for VARIANT.
 */
export async function geoMetadata(
  duckDb: DuckDb,
  files: readonly SourceFile[],
  columns: readonly { readonly name: string; readonly type: string }[],
  isWhole: boolean,
): Promise<{ metadata: Readonly<Record<string, string>>; unfit: UserError | null }> {
  const special = columns.filter(({ type }) => unfitType.test(type.replace(/'(?:[^']|'')*'/g, '')))
  if (special.length === 0) return { metadata: {}, unfit: null }
  const texts = new Set<string | null>()
  const annotated = new Set<string>()
  for (const file of files) {
    const path = sqlPath(file.path)
    const [geo] = await duckDb.all(
      `SELECT decode(value) FROM parquet_kv_metadata(${path}) WHERE key = 'geo'::BLOB`,
    )
    texts.add(geo === undefined ? null : withoutRows(String(geo[0]), isWhole && files.length === 1))
    const own = await duckDb.all(
      `SELECT name FROM parquet_schema(${path}) WHERE regexp_matches(logical_type, '^Geo(metry|graphy)')`,
    )
    for (const [name] of own) annotated.add(String(name))
  }
  const [text = null] = texts
  const isKept = ({ name, type }: { name: string; type: string }) =>
    isGeometry(type) && texts.size === 1 && text !== null && !annotated.has(name)
  const refused = special.find((column) => !isKept(column))
  if (refused !== undefined || text === null) return { metadata: {}, unfit: unfitColumn(refused?.name ?? '') }
  return { metadata: { geo: text }, unfit: null }
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

function unfitColumn(name: string): UserError {
  return new UserError(
    'OUTPUT_COLUMN_UNFIT',
    `the column ${name} is a GEOMETRY, GEOGRAPHY or VARIANT of Parquet's own, which cannot be written to Parquet here`,
    {
      hint: 'write CSV or NDJSON, which hold it as text, or leave it out of the input; geometry of GeoParquet 1 is kept',
    },
  )
}
