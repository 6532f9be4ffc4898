import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Connector } from '../../../src/connectors/connector.js'
import * as duckDbConnector from '../../../src/connectors/databases/duckdb.js'
import * as sqliteConnector from '../../../src/connectors/databases/sqlite.js'
import { explainDuckDb } from '../../../src/connectors/databases/duckdb-file.js'
import { openDuckDb } from '../../../src/parquet/duckdb.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { openParquetFiles } from '../../../src/parquet/parquet-files.js'
import { fetchTable, makeFolder, publishTable, queryDuckDb, writeParquet } from './copied-tables.js'
import { expectRefusal, plantedSecret, plantedValue } from './refusals.js'

interface Case {
  readonly code: string
  readonly names: string
  readonly query?: string
  readonly target?: string
  readonly rows?: string
}

const planted = `SELECT 1::INTEGER AS id, '${plantedValue}' AS name`

/** Tables of both kinds of databases. */
const tables = [
  `CREATE TABLE t (id integer, name text)`,
  `INSERT INTO t VALUES (1, '${plantedValue}')`,
  `CREATE TABLE one_name (id integer, name text UNIQUE)`,
  `INSERT INTO one_name SELECT * FROM t`,
  `CREATE TABLE filled (id integer, name text NOT NULL)`,
  `CREATE TABLE checked (id integer, name text CHECK (length(name) < 3))`,
  `CREATE TABLE parent (name text PRIMARY KEY)`,
  `CREATE TABLE child (id integer, name text REFERENCES parent (name))`,
]

async function makeDuckDb(): Promise<string> {
  const path = join(makeFolder(), 'data.duckdb')
  const duckDb = await openDuckDb(null)
  try {
    await duckDb.run(`ATTACH '${path}' AS file; USE file`)
    for (const sql of tables) await duckDb.run(sql)
  } finally {
    duckDb.close()
  }
  return path
}

function makeSqlite(): string {
  const path = join(makeFolder(), 'data.sqlite')
  const database = openSqlite(path, { synchronous: 'OFF', journal: 'DELETE' })
  for (const sql of tables) database.exec(sql)
  database.close()
  return path
}

const attempt = async (connector: Connector, address: string, { query, target, rows = planted }: Case) =>
  target === undefined
    ? fetchTable(connector, address, { query: query ?? null })
    : publishTable(connector, `${address}#${target}`, await writeParquet(rows), { mode: 'append' })

const missingName = `SELECT 1::INTEGER AS id, NULL::VARCHAR AS name`

test.each<Case>([
  { query: 'SELECT colour FROM t', code: 'QUERY_REFUSED', names: 'the column colour does not exist' },
  { query: 'SELECT x.colour FROM t AS x', code: 'QUERY_REFUSED', names: 'the column colour does not exist' },
  { query: 'SELECT * FROM nowhere', code: 'QUERY_REFUSED', names: 'the table nowhere does not exist' },
  { query: 'SELECT fold(id) FROM t', code: 'QUERY_REFUSED', names: 'the function fold does not exist' },
  { query: 'SELECT lower(1, 2)', code: 'QUERY_REFUSED', names: 'the function lower(' },
  { query: 'SELECT FORM FORM t', code: 'QUERY_REFUSED', names: 'the syntax is wrong at t' },
  { query: 'SELECT id, count(*) FROM t', code: 'QUERY_REFUSED', names: 'GROUP BY' },
  { query: 'SELECT id FROM t, t AS u', code: 'QUERY_REFUSED', names: 'the name id is ambiguous' },
  { query: 'SELECT name::colour FROM t', code: 'QUERY_REFUSED', names: 'the type colour does not exist' },
  { query: 'SELECT name::INTEGER AS a FROM t', code: 'QUERY_REFUSED', names: 'to the type INT32' },
  { query: 'SELECT name::DATE AS a FROM t', code: 'QUERY_REFUSED', names: 'date or time' },
  { query: 'SELECT name::JSON AS a FROM t', code: 'QUERY_REFUSED', names: 'not valid JSON' },
  { query: 'SELECT [id]::INTEGER AS a FROM t', code: 'QUERY_REFUSED', names: 'INTEGER[] -> INTEGER' },
  {
    query: 'SELECT id + 2147483647::INTEGER AS a FROM t',
    code: 'QUERY_REFUSED',
    names: 'out of the range',
  },
  { query: 'SELECT error(name) AS a FROM t', code: 'QUERY_REFUSED', names: 'a value in it is not valid' },
  { query: 'SELECT (SELECT i FROM range(3) r(i)) AS a', code: 'QUERY_REFUSED', names: 'several rows' },
  { query: `FROM read_parquet('/nowhere/a.parquet')`, code: 'QUERY_REFUSED', names: '/nowhere/a.parquet' },
  { query: `FROM postgres_scan('a', 'b', 'c')`, code: 'QUERY_REFUSED', names: 'postgres_scan' },
  { target: 'one_name', code: 'OUTPUT_TABLE_UNFIT', names: 'the key name' },
  { target: 'filled', rows: missingName, code: 'OUTPUT_TABLE_UNFIT', names: 'the column filled.name' },
  { target: 'checked', code: 'OUTPUT_TABLE_UNFIT', names: 'length' },
  { target: 'child', code: 'OUTPUT_TABLE_UNFIT', names: 'the foreign key on name' },
])('DuckDB: an error is explained in our words: $names', async (one) => {
  const path = await makeDuckDb()
  await expectRefusal(() => attempt(duckDbConnector, `duckdb:${path}`, one), one)
})

test.each<Case>([
  { query: 'SELECT colour FROM t', code: 'QUERY_REFUSED', names: 'the column colour does not exist' },
  { query: 'SELECT * FROM nowhere', code: 'QUERY_REFUSED', names: 'the table nowhere does not exist' },
  { query: 'SELECT fold(id) FROM t', code: 'QUERY_REFUSED', names: 'the function fold does not exist' },
  { query: 'SELECT FORM FORM t', code: 'QUERY_REFUSED', names: 'the syntax is wrong at t' },
  {
    query: 'SELECT t.id FROM t, t AS u WHERE id = 1',
    code: 'QUERY_REFUSED',
    names: 'the name id is ambiguous',
  },
  { query: `SELECT json_extract(name, '$.a') AS a FROM t`, code: 'QUERY_REFUSED', names: 'not valid JSON' },
  { target: 'one_name', code: 'OUTPUT_TABLE_UNFIT', names: 'one_name.name' },
  { target: 'filled', rows: missingName, code: 'OUTPUT_TABLE_UNFIT', names: 'the column filled.name' },
  { target: 'checked', code: 'OUTPUT_TABLE_UNFIT', names: 'length' },
])('SQLite: an error is explained in our words: $names', async (one) => {
  const path = makeSqlite()
  await expectRefusal(() => attempt(sqliteConnector, `sqlite:${path}`, one), one)
})

/** Changes bytes of a file. */
function rewrite(path: string, change: (bytes: Buffer) => Buffer): string {
  writeFileSync(path, change(readFileSync(path)))
  return path
}

const overwriteEnd = (bytes: Buffer): Buffer =>
  Buffer.from(bytes).fill(0x41, bytes.length - 200, bytes.length - 10)

test.each([
  ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), 'cut off'],
  ['has a damaged end', overwriteEnd, 'damaged'],
  ['is of another format', () => Buffer.from('name,city\nA,B\n'.repeat(10)), 'another format'],
  ['is too small', () => Buffer.from('PAR1'), 'too small'],
])('a Parquet file that %s is refused in our words', async (_title, change, names) => {
  const path = rewrite(
    await writeParquet(`SELECT i, '${plantedValue}' AS name FROM range(1000) r(i)`),
    change,
  )
  const open = () =>
    openParquetFiles([{ path, label: path }], {
      addCells: (own) => ({ cells: own.map(() => []), notices: [] }),
      uniteNames: (names) => names,
      chooseRowGroups: null,
      columnsMax: 10,
      temporaryFolder: makeFolder(),
    })
  await expectRefusal(open, { code: 'INPUT_PARQUET_INVALID', names })
})

test.each<readonly [string, (path: string) => void, string]>([
  ['is cut off', (path) => rewrite(path, (bytes) => bytes.subarray(0, 14_000)), 'damaged or cut off'],
  ['is damaged', (path) => rewrite(path, (bytes) => Buffer.from(bytes).fill(0x41, 8192, 14_000)), 'damaged'],
  ['is of a newer version', (path) => rewrite(path, toNewerVersion), 'another version of DuckDB'],
  [
    'is not a database',
    (path) => rewrite(path, () => Buffer.alloc(9000, 'text')),
    'not a database of DuckDB',
  ],
])('a database of DuckDB that %s is refused in our words', async (_title, change, names) => {
  const path = await makeDuckDb()
  change(path)
  await expectRefusal(() => fetchTable(duckDbConnector, `duckdb:${path}#t`), {
    code: 'INPUT_UNREADABLE',
    names,
  })
})

/** Sets the version of the first header, and its checksum: a sum of words, each multiplied by a constant. */
function toNewerVersion(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeBigUInt64LE(999n, 12)
  let sum = 5381n
  for (let at = 8; at < 4096; at += 8)
    sum ^= (changed.readBigUInt64LE(at) * 0xbf58_476d_1ce4_e5b9n) & 0xffff_ffff_ffff_ffffn
  changed.writeBigUInt64LE(sum, 0)
  return changed
}

test('an encrypted database of DuckDB is refused in our words', async () => {
  const path = join(makeFolder(), 'secret.duckdb')
  await queryDuckDb(
    `SET force_mbedtls_unsafe = 'true'; ATTACH '${path}' AS secret (ENCRYPTION_KEY '${plantedSecret}')`,
  )
  expect(existsSync(path)).toBe(true)
  await expectRefusal(() => fetchTable(duckDbConnector, `duckdb:${path}#t`), {
    code: 'INPUT_UNREADABLE',
    names: 'encrypted',
  })
})

test('a statement of DuckDB that needs too much memory is refused in our words', async () => {
  const duckDb = await openDuckDb(null, 50_000_000)
  onTestFinished(() => {
    duckDb.close()
  })
  const run = () =>
    duckDb.run(`SELECT list('${plantedValue}' || i) FROM range(3000000) r(i)`).catch((error: unknown) => {
      throw explainDuckDb('duckdb:a.duckdb#t', 'INPUT_UNREADABLE', error)
    })
  await expectRefusal(run, { code: 'MEMORY_SHORT', names: 'memory' })
})

test.each<readonly [string, (bytes: Buffer) => Buffer, string]>([
  ['is damaged', (bytes) => Buffer.from(bytes).fill(0x41, 100, 4000), 'damaged'],
  ['is not a database', () => Buffer.alloc(9000, 'text'), 'not a database of SQLite'],
])('a database of SQLite that %s is refused in our words', async (_title, change, names) => {
  const path = rewrite(makeSqlite(), change)
  await expectRefusal(() => fetchTable(sqliteConnector, `sqlite:${path}#t`), {
    code: 'INPUT_UNREADABLE',
    names,
  })
})
