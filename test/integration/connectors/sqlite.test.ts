import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as sqliteConnector from '../../../src/connectors/databases/sqlite.js'
import { loadDriver, type Sqlite } from '../../../src/platform/sqlite.js'
import {
  fetchTable,
  makeFolder,
  openTarget,
  publishTable,
  queryDuckDb,
  readTypes,
  writeParquet,
} from './copied-tables.js'
import { errorWith } from '../../support/error-with.js'

function makeDatabase(sql: string): { path: string; database: Sqlite } {
  const path = join(makeFolder(), 'data.db')
  const database = new (loadDriver())(path)
  database.defaultSafeIntegers(true)
  database.exec(sql)
  return { path, database }
}

const readRows = (database: Sqlite, table: string) => {
  const names = database.prepare(`SELECT name FROM pragma_table_xinfo('${table}')`).pluck().all() as string[]
  const cells = names.map((name) => `quote("${name.replaceAll('"', '""')}")`)
  return database
    .prepare(`SELECT ${cells.join(', ')} FROM ${table} ORDER BY 1`)
    .raw(true)
    .all()
}
const readSchema = (database: Sqlite, table: string) =>
  database.prepare(`SELECT name, type FROM pragma_table_info('${table}')`).raw(true).all()
const publish = (path: string, table: string, file: string, options = {}) =>
  publishTable(sqliteConnector, `sqlite:${path}#${table}`, file, options)
const fetch = (path: string, table: string) => fetchTable(sqliteConnector, `sqlite:${path}#${table}`)

describe('SQLite', () => {
  test.each([
    ['a table', 't'],
    ['a view', 'v'],
  ])('text that is not UTF-8 is refused with its column and row: %s', async (_what, table) => {
    const { path, database } = makeDatabase(`
      CREATE TABLE t (name TEXT, "so ""what" TEXT, city TEXT);
      CREATE VIEW v AS SELECT * FROM t;
      INSERT INTO t VALUES ('Citro' || char(0xfffd) || 'n', 'a', 'Köln'), ('Müller', CAST(x'4dfc6c6c6572' AS TEXT), NULL), (NULL, CAST(x'4de9' AS TEXT), 'Berlin');`)
    await expect(fetch(path, table)).rejects.toMatchObject({
      code: 'INPUT_ENCODING_WRONG',
      message: `sqlite:${path}#${table}: the column "so \\"what" has text that is not UTF-8 in 2 rows, first in row 2`,
      hint: expect.stringContaining('--encoding') as string,
    })
    database.exec(`UPDATE t SET "so ""what" = 'b'`)
    expect((await fetch(path, table)).notices).toEqual([])
  })

  test('a new table with more columns than SQLite allows is refused with the limit', async () => {
    const { path, database } = makeDatabase('CREATE TABLE other (a)')
    const cells = Array.from({ length: 2_001 }, (_, at) => `${at} AS c${at}`)
    const file = await writeParquet(`SELECT ${cells.join(', ')}`)
    await expect(publish(path, 't', file)).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
      hint: expect.stringContaining('at most 2,000 columns') as string,
    })
    expect(readSchema(database, 't')).toEqual([])
  })

  test('text of a database in UTF-16 is read', async () => {
    const { path } = makeDatabase(`PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (name TEXT);
      INSERT INTO t VALUES ('Müller' || char(0xfffd));`)
    expect((await fetch(path, 't')).notices).toEqual([])
  })

  test('each storage class and declared type survives the way to a file and back', async () => {
    const { path, database } = makeDatabase(`
      CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB, n NUMERIC, d DATETIME, v VARCHAR(20), free, "größe ""x" DECIMAL(10, 2), allnull INT);
      INSERT INTO t VALUES (1, 0.1, '', x'', 1, '2024-01-01', 'a', NULL, 1.5, NULL),
        (9223372036854775807, -1e308, 'a"b,' || char(13, 10) || 'c' || char(65279), x'00ff', 2.5, NULL, NULL, 7, 2, NULL),
        (-9223372036854775808, 5e-324, char(65279) || '007', NULL, NULL, '', char(0) || 'x', 8, NULL, NULL), (NULL, 1e999, NULL, NULL, -3, NULL, NULL, NULL, NULL, NULL);`)
    const { path: file, notices, label } = await fetch(path, 't')
    expect(notices).toEqual([])
    expect(label).toBe(`sqlite:${path}#t`)
    expect(await readTypes(file)).toEqual({
      i: 'BIGINT',
      r: 'DOUBLE',
      s: 'VARCHAR',
      b: 'BLOB',
      n: 'DOUBLE',
      d: 'VARCHAR',
      v: 'VARCHAR',
      free: 'BIGINT',
      'größe "x': 'DOUBLE',
      allnull: 'VARCHAR',
    })
    await publish(path, 'copy', file)
    expect(readRows(database, 'copy')).toEqual(readRows(database, 't'))
    expect(readSchema(database, 'copy').slice(0, 7)).toEqual(readSchema(database, 't').slice(0, 7))
    await publish(path, 'copy', file)
    expect(readRows(database, 'copy')).toEqual(readRows(database, 't'))
  })

  test('values of several types in one column are kept as text, and the column is named', async () => {
    const { path } = makeDatabase(
      `CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 9007199254740993), ('x', 0.5), (2.0, 1), (x'ff', 1);`,
    )
    const { path: file, notices } = await fetch(path, 't')
    expect(notices).toEqual(['Columns with values of several types are kept as text: a and b'])
    expect(await queryDuckDb(`SELECT a, b FROM '${file}'`)).toEqual([
      ['1', '9007199254740993'],
      ['x', '0.5'],
      ['2.0', '1'],
      ['\\xff', '1'],
    ])
  })

  test('a database that another program writes in WAL mode is read', async () => {
    const { path, database } = makeDatabase(
      `PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)`,
    )
    database.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (2)')
    expect(await queryDuckDb(`FROM '${(await fetch(path, 't')).path}'`)).toEqual([[1n]])
    database.exec('COMMIT')
    expect(await queryDuckDb(`FROM '${(await fetch(path, 't')).path}'`)).toEqual([[1n], [2n]])
  })

  test('a replaced table keeps indexes, triggers, views and its own columns', async () => {
    const { path, database } = makeDatabase(`
      CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, gone TEXT, num INTEGER, at TEXT DEFAULT 'x', twice INTEGER AS (id * 2));
      CREATE INDEX by_num ON t (num); CREATE INDEX by_gone ON t (gone); CREATE TABLE log (id); CREATE VIEW v AS SELECT id, name FROM t;
      CREATE TRIGGER added AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END;
      INSERT INTO t (id, name, gone) VALUES (1, 'a', 'g'); DELETE FROM log;`)
    await publish(
      path,
      't',
      await writeParquet(
        `SELECT 1::BIGINT AS id, 'a' AS name, '007' AS num, 0.5::DOUBLE AS enrich_score UNION ALL SELECT 2, 'b', NULL, NULL`,
      ),
    )
    expect(readRows(database, 't')).toEqual([
      ['1', "'a'", "'x'", '2', "'007'", '0.5'],
      ['2', "'b'", "'x'", '4', 'NULL', 'NULL'],
    ])
    const kept = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL ORDER BY 1`,
      )
      .pluck()
      .all()
    expect(kept).toEqual(['added', 'by_num', 'v'])
    expect(readRows(database, 'log')).toHaveLength(2)
  })

  test('readers see the old table until all is written', async () => {
    const { path, database } = makeDatabase(
      `PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)`,
    )
    const file = await writeParquet('SELECT i AS a FROM range(50000) r(i)')
    const target = openTarget(sqliteConnector, `sqlite:${path}#t`)
    const counts = new Set<bigint>()
    const publishing = target.publish(file).then(() => true)
    let isDone = false
    while (!isDone) {
      isDone = await Promise.race([publishing, new Promise<false>((resolve) => setImmediate(resolve, false))])
      counts.add(database.prepare('SELECT count(*) FROM t').pluck().get() as bigint)
    }
    expect([...counts]).toEqual([1n, 50_000n])
  })

  test('what a killed process left in a journal is rolled back before a table is read', async () => {
    const { path, database } = makeDatabase(`CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('old')`)
    database.exec(
      `PRAGMA cache_size = 1; BEGIN; DELETE FROM t; INSERT INTO t SELECT hex(randomblob(2000)) FROM json_each('[1,2,3,4,5,6,7,8,9]')`,
    )
    const killed = join(makeFolder(), 'data.db')
    for (const end of ['', '-journal']) copyFileSync(path + end, killed + end)
    expect(await queryDuckDb(`FROM '${(await fetch(killed, 't')).path}'`)).toEqual([['old']])
  })

  test('strict tables are replaced; virtual tables, triggers and keys that refuse it are named, with a hint', async () => {
    const { path, database } = makeDatabase(`
      CREATE TABLE strict_t (a INTEGER) STRICT; CREATE VIRTUAL TABLE words USING fts5(a); CREATE TABLE keyed (k TEXT PRIMARY KEY, a);
      CREATE TABLE refusing (a); CREATE TRIGGER r BEFORE INSERT ON refusing BEGIN SELECT RAISE(ABORT, 'refused'); END;`)
    const file = await writeParquet(`SELECT 1 AS a, 'x' AS b`)
    await publish(path, 'strict_t', file)
    expect(readRows(database, 'strict_t')).toEqual([['1', "'x'"]])
    for (const table of ['words', 'keyed', 'refusing'])
      await expect(publish(path, table, file), table).rejects.toMatchObject(
        errorWith(expect.stringMatching(/^OUTPUT_(UNWRITABLE|TABLE_UNFIT)$/) as string, { hint: /./ }),
      )
  })

  test('our own databases are refused as outputs', async () => {
    const file = await writeParquet('SELECT 1 AS a')
    for (const id of [0x656e7263, 0x656e7267, 0x656e7269, 0x656e7276]) {
      const { path, database } = makeDatabase(`PRAGMA application_id = ${id}; CREATE TABLE t (a)`)
      for (const suffix of ['', '.lock', '-wal'])
        await expect(publish(path + suffix, 't', file)).rejects.toMatchObject({ code: 'OUTPUT_IS_OURS' })
      database.close()
    }
  })

  test('missing tables, views, tables with references and addresses of another form are named', async () => {
    const file = await writeParquet('SELECT 1 AS a')
    const { path } = makeDatabase(
      'CREATE TABLE companies (a); CREATE TABLE parent (id PRIMARY KEY); CREATE TABLE child (p REFERENCES parent); CREATE VIEW v AS SELECT 1',
    )
    await expect(fetch(path, 'company')).rejects.toMatchObject({
      code: 'INPUT_NOT_FOUND',
      hint: 'tables with similar names: companies, parent, child, v',
    })
    await expect(publish(path, 'v', file)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    await expect(publish(path, 'parent', file)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    for (const address of [
      'sqlite:#t',
      'sqlite://host/x#t',
      `sqlite:${path}`,
      `sqlite:${path}#`,
      `sqlite:${path}#a.b`,
    ])
      expect(() => openTarget(sqliteConnector, address), address).toThrow(
        expect.objectContaining({ code: 'ADDRESS_INVALID' }),
      )
  })

  test('a lock of another process is waited for, and then named', async () => {
    const { path, database } = makeDatabase('CREATE TABLE t (a INTEGER)')
    const file = await writeParquet('SELECT 1 AS a')
    database.exec('BEGIN EXCLUSIVE')
    const publishing = publish(path, 't', file)
    setTimeout(() => {
      database.exec('COMMIT')
    }, 500)
    await publishing
    database.exec('BEGIN EXCLUSIVE')
    const attempts = [publish(path, 't', file), fetch(path, 't')]
    for (const attempt of await Promise.allSettled(attempts))
      expect(attempt).toMatchObject({ reason: { code: 'STORE_UNREACHABLE' } })
    database.exec('COMMIT')
  })
})
