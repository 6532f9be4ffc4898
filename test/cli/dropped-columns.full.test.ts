import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/platform/sqlite.js'
import { at, createPlace, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { findPostgres, sharedPostgres } from '../support/postgres-server.js'

const definition = `CREATE TABLE kept (company TEXT, notes TEXT NOT NULL, "my score" INTEGER, free TEXT DEFAULT 'x')`
const statements = [
  definition,
  'CREATE INDEX by_score ON kept("my score")',
  'CREATE INDEX by_company ON kept(company)',
  `INSERT INTO kept VALUES ('Old', 'mine', 7, 'y')`,
]

interface Table {
  readonly address: string
  run(sql: string): Promise<void>
  /** Cells of one row, joined by `|`. */
  read(sql: string): Promise<string>
  readonly indexes: string
}

const kinds: Readonly<
  Record<string, (place: CliPlace, close: (end: () => Promise<void>) => void) => Promise<Table>>
> = {
  sqlite: (place) => {
    const database = new (loadDriver())(place.path('t.db'))
    const run = (sql: string) => Promise.resolve(void database.exec(sql))
    const read = (sql: string) =>
      Promise.resolve(
        (database.prepare(sql).raw().all() as unknown[][]).map((row) => row.join('|')).join('\n'),
      )
    const indexes = `SELECT group_concat(name) FROM sqlite_schema WHERE type = 'index'`
    return Promise.resolve({ address: 'sqlite:t.db#kept', run, read, indexes })
  },
  duckdb: (place) => {
    const query = async (sql: string) => {
      const instance = await DuckDBInstance.create(place.path('t.duckdb'))
      const connection = await instance.connect()
      const rows = (await connection.runAndReadAll(sql)).getRowsJson()
      connection.closeSync()
      instance.closeSync()
      return rows.map((row) => row.map(String).join('|')).join('\n')
    }
    const run = async (sql: string) => void (await query(sql))
    return Promise.resolve({
      address: 'duckdb:t.duckdb#kept',
      run,
      read: query,
      indexes: 'SELECT string_agg(index_name) FROM duckdb_indexes()',
    })
  },
  postgres: async (_place, close) => {
    const server = await sharedPostgres(findPostgres() ?? '')
    close(() => server.stop())
    const read = (sql: string) => Promise.resolve(server.sql(sql))
    const run = async (sql: string) => void (await read(sql))
    const indexes = `SELECT string_agg(indexname, ',' ORDER BY 1) FROM pg_indexes WHERE tablename = 'kept'`
    return { address: `${server.url()}#kept`, run, read, indexes }
  },
}

describe.each(Object.keys(kinds).filter((kind) => kind !== 'postgres' || findPostgres() !== null))(
  'a replaced table of %s',
  (kind) => {
    test('keeps columns that the output does not have, unless the flag says that they may go', async (context) => {
      const place = createPlace()
      const service = await startHosted({}, context.onTestFinished)
      const table = await kinds[kind]!(place, (end) => {
        context.onTestFinished(end)
      })
      for (const statement of statements) await table.run(statement)
      place.write('list.csv', 'company\nApple Inc\n')
      const { env = {} } = at(service)
      const refused = await place.run(['list.csv', '-o', table.address], { env })
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('error OUTPUT_TABLE_UNFIT: '),
      ])
      expect(refused.stderr).toMatch(
        /would lose the columns notes and my score, with the indexes and constraints by_score:/,
      )
      expect(refused.stderr).toContain('--drop-columns')
      expect(service.runs).toEqual([])
      expect(await table.read('SELECT * FROM kept')).toBe('Old|mine|7|y')
      const written = await place.run(['list.csv', '-o', table.address, '--drop-columns'])
      expect([written.code, written.stderr]).toEqual([
        0,
        expect.stringContaining('loses the columns notes and my score'),
      ])
      expect(written.stderr.match(/loses the columns/g)).toHaveLength(1)
      expect(await table.read('SELECT company, free FROM kept')).toBe('Apple Inc|x')
      expect(await table.read(table.indexes)).toBe('by_company')
      const again = await place.run(['list.csv', '-o', table.address])
      expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('lose')])
    })
  },
)
