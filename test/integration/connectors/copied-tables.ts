import { join } from 'node:path'
import type { Connector, SourceOptions, TargetOptions } from '../../../src/connectors/connector.js'
import { openDuckDb } from '../../../src/parquet/duckdb.js'
import { quoteSqlName, quoteSqlText } from '../../../src/core/text.js'
import { makeFolder } from '../../support/temporary-folder.js'

export { makeFolder }

/** Fetches into a new folder; gives the path of the copy and the notices. */
export async function fetchTable(
  connector: Connector,
  address: string,
  options: Partial<SourceOptions> = {},
): Promise<{ path: string; label: string; notices: string[] }> {
  const notices: string[] = []
  const source = connector.openSource(address, {
    environment: {},
    query: null,
    notice: (text) => notices.push(text),
    ...options,
  })
  try {
    const [file] = await source.fetch(makeFolder())
    return { path: file!.path, label: file!.label, notices }
  } finally {
    await source.close()
  }
}

/** Tries and publishes a file. */
export async function publishTable(
  connector: Connector,
  address: string,
  path: string,
  options: Partial<TargetOptions> = {},
): Promise<void> {
  const target = openTarget(connector, address, options)
  try {
    await target.tryWriting(path)
    await target.publish(path)
  } finally {
    await target.close()
  }
}

export const openTarget = (connector: Connector, address: string, options: Partial<TargetOptions> = {}) =>
  connector.openTarget(address, {
    environment: {},
    mode: 'replace',
    keyColumn: null,
    removedColumns: 'report',
    notice: () => undefined,
    ...options,
  })

export async function queryDuckDb(sql: string): Promise<readonly (readonly unknown[])[]> {
  const duckDb = await openDuckDb(null)
  try {
    return await duckDb.all(sql)
  } finally {
    duckDb.close()
  }
}

/** Writes the result of a query as Parquet; `types` is stored as the columns' types in a database of this kind. */
export async function writeParquet(
  select: string,
  stored?: { kind: string; types: Record<string, string> },
): Promise<string> {
  const path = join(makeFolder(), 'rows.parquet')
  const metadata =
    stored === undefined
      ? ''
      : `, KV_METADATA {'enrich.column_types': ${quoteSqlText(JSON.stringify(stored))}}`
  await queryDuckDb(`COPY (${select}) TO ${quoteSqlText(path)} (FORMAT parquet${metadata})`)
  return path
}

/** The types of a file's columns, by name. */
export async function readTypes(path: string): Promise<Record<string, string>> {
  const rows = await queryDuckDb(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${quoteSqlName(path)})`,
  )
  return Object.fromEntries(rows.map(([name, type]) => [String(name), String(type)]))
}

/** Files that do not fit a table with the columns `id` (integer, without a default), `name` and `note`. */
export const unfitFiles = [
  ['SELECT 10::INTEGER AS id, 2 AS more', { mode: 'append' }],
  ['SELECT 1::INTEGER AS id UNION ALL SELECT 1', { mode: 'upsert', keyColumn: 'id' }],
  ['SELECT NULL::INTEGER AS id', { mode: 'upsert', keyColumn: 'id' }],
  ['SELECT 1 AS name', { mode: 'upsert', keyColumn: 'id' }],
] as const

/** Texts that are not one SELECT on the table `t`. */
export const refusedQueries = [
  'DELETE FROM t',
  'SELECT 1; DELETE FROM t',
  'SELECT 1) q; DELETE FROM t; --',
  'SELECT * FROM nothing',
  '',
]
