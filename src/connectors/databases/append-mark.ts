import { quoteSqlText } from '../../parquet/duckdb.js'
import type { AppendMarks } from '../connector.js'

/** Returns the statements that store a mark as the only row of its table, in the SQL of all databases. */
export const buildMarkStatements = (table: string, mark: string): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${table} (mark text)`,
  `DELETE FROM ${table}`,
  `INSERT INTO ${table} VALUES (${quoteSqlText(mark)})`,
]

/** `execute` runs one statement in a transaction. */
export const createMarks = (
  table: string,
  read: AppendMarks['read'],
  execute: (sql: string) => Promise<void>,
): AppendMarks => ({
  read,
  update: (mark) => execute(`UPDATE ${table} SET mark = ${quoteSqlText(mark)}`),
  remove: () => execute(`DROP TABLE IF EXISTS ${table}`),
})
