import { sqlName, sqlPath, sqlText, type DuckDb } from './duckdb.js'
import { isGeometry } from './geo-metadata.js'
import type { Column } from './part-sql.js'

/** Files as one relation, columns united by name; all rows, or only the first. */
export function sqlRelation(paths: readonly string[], rowsMax: number | undefined): string {
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
export function textExpression({ name, type }: Column): string {
  const column = sqlName(name)
  if (type === 'VARCHAR') return column
  if (type === 'BLOB') return `coalesce(try(decode(${column})), ${column}::VARCHAR)`
  if (/[[(]/.test(type) && !type.startsWith('DECIMAL') && !isGeometry(type))
    return `to_json(${column})::VARCHAR`
  return `${column}::VARCHAR`
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
