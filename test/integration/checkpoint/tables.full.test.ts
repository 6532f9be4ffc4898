import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { getColumns, tableNames, type Columns } from '../../../src/pipeline/checkpoint/tables.js'
import { getInboxPath } from '../../../src/pipeline/checkpoint/paths.js'
import { openFileInbox } from '../../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import { loadDriver } from '../../../src/platform/sqlite.js'
import { findPostgres, sharedPostgres } from '../../support/postgres-server.js'
import { job, scope, startMs } from './support.js'

const sorted = (columns: Readonly<Record<string, string>>) => Object.entries(columns).sort()

const fileTypes: Readonly<Record<string, string>> = {
  integer: 'INTEGER',
  bigint: 'INTEGER',
  boolean: 'INTEGER',
  text: 'TEXT',
  bytea: 'BLOB',
  packed: 'BLOB',
}

const typesOf = (columns: Columns, typeOf: (type: string) => string | undefined) =>
  sorted(Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, typeOf(type) ?? type])))

describe('the description of the tables', () => {
  test('says what a file has', () => {
    const folder = mkdtempSync(join(tmpdir(), 'enrich-tables-'))
    const path = join(folder, 'checkpoint.sqlite')
    openCheckpoint({ path, scope, job, nowMs: startMs, random: systemRandom }).close()
    void openFileInbox(path, startMs).close()
    const databases = [path, getInboxPath(path)].map((file) => new (loadDriver())(file, { readonly: true }))
    const found = databases.flatMap((database) =>
      database
        .prepare<[], { tab: string; name: string; type: string }>(
          `SELECT t.name AS tab, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`,
        )
        .all(),
    )
    for (const table of tableNames) {
      const columns = found.filter(({ tab }) => tab === table).map(({ name, type }) => [name, type] as const)
      const described = getColumns(table, 'columns', 'inFile')
      const isInFile = Object.keys(described).length > 0
      expect([table, sorted(Object.fromEntries(columns))]).toEqual([
        table,
        isInFile ? typesOf(described, (type) => fileTypes[type]) : [],
      ])
    }
    const names: readonly string[] = tableNames
    expect([...new Set(found.map(({ tab }) => tab))].filter((table) => !names.includes(table))).toEqual([])
    for (const database of databases) database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const programs = findPostgres()
  test.skipIf(programs === null)('says what a server has', async () => {
    const server = await sharedPostgres(programs ?? '')
    const url = server.createDatabase('tables')
    await (await openShared(url, { clock: systemClock, random: systemRandom })).close()
    const postgres = connectPostgres(parsePostgresUrl(url))
    const found = await postgres.query<{ tab: string; name: string; type: string }>(
      `SELECT table_name AS tab, column_name AS name,
         replace(data_type, 'timestamp with time zone', 'timestamptz') AS type
       FROM information_schema.columns WHERE table_schema = 'enrich'`,
    )
    for (const table of tableNames) {
      const tableOnServer = table === 'deliveries' ? 'inbox' : table
      const columns = found.filter(({ tab }) => tab === tableOnServer).map(({ name, type }) => [name, type])
      const described = getColumns(table, 'columns', 'onServer', 'derived')
      expect([table, sorted(Object.fromEntries(columns) as Record<string, string>)]).toEqual([
        table,
        typesOf(described, (type) => (type === 'packed' ? 'bytea' : undefined)),
      ])
    }
    await postgres.close()
    await server.stop()
  })
})
