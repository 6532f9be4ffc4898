/** One statement of DuckDB in a process of its own, with all the memory it likes. Argument: `Statement`. */
import { DuckDBInstance } from '@duckdb/node-api'

export interface Statement {
  sql: string
  temporaryFolder: string
}

const { sql, temporaryFolder } = JSON.parse(process.argv[1] ?? '') as Statement
const instance = await DuckDBInstance.create(':memory:', {
  threads: '2',
  temp_directory: temporaryFolder,
  preserve_insertion_order: 'true',
})
const connection = await instance.connect()
await connection.run(sql)
connection.closeSync()
instance.closeSync()
