import { join } from 'node:path'
import { quoteSqlName, type DuckDb } from '../../parquet/duckdb.js'
import { readMemoryBytes } from '../../parquet/limits.js'
import type { Column } from '../../parquet/part-sql.js'
import { parseDatabaseFile, type TableName } from '../address.js'
import type { Source, SourceOptions } from '../connector.js'
import { attachedName, explainDuckDb, withDuckDbFile } from './duckdb-file.js'
import { assertColumnNames, buildSourceCopy, describeColumns, formatTextNotice } from './local-parquet.js'
import { createMissingError, formatTable, parseSourceAddress } from './table-names.js'
import { createTableSource } from './table-source.js'

// Tables and queries of DuckDB: `duckdb:FILE#schema.table`.
export { openDuckDbTarget as openTarget } from './duckdb-target.js'

/** Types that Parquet does not keep, at any depth. */
const unkeptType =
  /\b(U?HUGEINT|BIGNUM|INTERVAL|BIT|ENUM|UNION|VARIANT|GEOMETRY|TIME_NS|TIME WITH TIME ZONE)\b/

const isKept = ({ type }: Column): boolean =>
  !unkeptType.test(
    type.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '').replaceAll('TIMESTAMP WITH TIME ZONE', ''),
  )

/** Throws ADDRESS_INVALID. */
export function openSource(address: string, options: SourceOptions): Source {
  const { database, table, from, suffix } = parseSourceAddress(address, options)
  const file = { path: parseDatabaseFile(database), label: database + suffix, use: 'input', options } as const
  const { label } = file
  return createTableSource(label, options, (path, folder) =>
    withDuckDbFile(file, join(folder, 'duckdb'), async (duckDb) => {
      if (table !== null) await assertExists(duckDb, table, label)
      const columns = await describeColumns(duckDb, `${from} AS q`).catch((error: unknown) => {
        throw explainDuckDb(label, table === null ? 'QUERY_REFUSED' : 'INPUT_UNREADABLE', error)
      })
      assertColumnNames(columns, label)
      const cells = columns.map((column) => {
        const name = quoteSqlName(column.name)
        return isKept(column) ? name : `${name}::VARCHAR AS ${name}`
      })
      const types = new Map(columns.map(({ name, type }) => [name, type]))
      await duckDb.limitMemory(readMemoryBytes(columns.length))
      const select = `SELECT ${cells.join(', ')} FROM ${from} AS q`
      await duckDb.run(buildSourceCopy(path, select, 'duckdb', types))
      return formatTextNotice(columns.filter((column) => !isKept(column)))
    }),
  )
}

async function assertExists(duckDb: DuckDb, table: TableName, label: string): Promise<void> {
  const rows = await duckDb.all(
    `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '${attachedName}'
     UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = '${attachedName}' AND NOT internal ORDER BY ALL`,
  )
  const tables = rows.map(([schema, name]) => ({
    schema: schema === 'main' ? null : String(schema),
    name: String(name),
  }))
  const fold = ({ schema, name }: TableName) =>
    JSON.stringify([schema ?? 'main', name].map((text) => text.toLowerCase()))
  if (!tables.some((one) => fold(one) === fold(table)))
    throw createMissingError(label, table, tables.map(formatTable))
}
