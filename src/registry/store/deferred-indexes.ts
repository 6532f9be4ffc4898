import type { Sqlite } from '../../platform/sqlite.js'

/** Tables of which one import may fill millions of rows. */
const filledTables = ['legal_entities', 'names', 'identifiers']

/**
 * Takes the indexes off tables that are still empty, and returns what puts them back: an index made of all
 * rows at once costs a fraction of one that is kept up row by row. Those that keep ids unique stay.
 */
export function deferIndexes(database: Sqlite): () => void {
  const indexes = database
    .prepare<string[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master
       WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${filledTables.map(() => '?').join(', ')})`,
    )
    .all(...filledTables)
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  return () => {
    for (const { sql } of indexes) database.exec(sql)
  }
}
