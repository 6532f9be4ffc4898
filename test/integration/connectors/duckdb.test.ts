import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as duckDbConnector from '../../../src/connectors/databases/duckdb.js'
import { openDuckDb } from '../../../src/parquet/duckdb.js'
import {
  fetchTable,
  makeFolder,
  publishTable,
  queryDuckDb,
  readTypes,
  writeParquet,
} from './copied-tables.js'
import { errorWith } from '../../support/error-with.js'

/** Runs statements on a file, and gives the rows of the last one. */
async function runOn(
  path: string,
  ...statements: readonly string[]
): Promise<readonly (readonly unknown[])[]> {
  const duckDb = await openDuckDb(null)
  try {
    await duckDb.run(`ATTACH '${path}' AS data`)
    await duckDb.run('USE data')
    let rows: readonly (readonly unknown[])[] = []
    for (const statement of statements) rows = await duckDb.all(statement)
    return rows
  } finally {
    duckDb.close()
  }
}

async function makeDatabase(...statements: readonly string[]): Promise<string> {
  const path = join(makeFolder(), 'data.duckdb')
  await runOn(path, ...statements)
  return path
}

const publish = (path: string, table: string, file: string, options = {}) =>
  publishTable(duckDbConnector, `duckdb:${path}#${table}`, file, options)
const fetch = (path: string, table: string) => fetchTable(duckDbConnector, `duckdb:${path}#${table}`)

describe('DuckDB', () => {
  test('each type survives the way to a file and back', async () => {
    const path = await makeDatabase(
      `CREATE TABLE t AS SELECT 170141183460469231731687303715884105727::HUGEINT h, 'b''c'::ENUM('a', 'b''c') e, INTERVAL '1 month 2 days 3.000001 seconds' i, '101'::BIT b,
        '12:00:00+02'::TIMETZ tz, [1::HUGEINT, NULL] hl, {'a': INTERVAL 1 DAY, 'b c': 'x"y''z'} st, MAP {'a': 1} m, [1, 2]::INTEGER[2] ar, '2020-01-01 00:00:00.123456789'::TIMESTAMP_NS ns,
        '2020-01-01 00:00:00.123'::TIMESTAMP_MS ms, '2020-01-01'::TIMESTAMP_S s, 1.5::DECIMAL(38, 2) d, 1::UHUGEINT uh, '5'::BIGNUM bn, '{"a": 1.00}'::JSON j, '\\x00\\xFF'::BLOB bl, 18446744073709551615::UBIGINT ub,
        1::UTINYINT ut, '00000000-0000-0000-0000-000000000001'::UUID id, 'NaN'::DOUBLE n, DATE '0044-03-15 (BC)' bc, TIMESTAMPTZ '2020-01-01 00:00:00+00' z, TIME '12:00:00.5' ti, '' v, chr(65279) || chr(0) AS "größe ""x""", [{'a': [1]}] ls`,
      'INSERT INTO t (v) VALUES (NULL)',
    )
    const { path: file, notices } = await fetch(path, 't')
    expect(notices).toEqual([
      `The columns h (HUGEINT), e (ENUM('a', 'b''c')), i (INTERVAL), b (BIT), tz (TIME WITH TIME ZONE), hl (HUGEINT[]), st (STRUCT(a INTERVAL, "b c" VARCHAR)), uh (UHUGEINT) and bn (BIGNUM) are kept as text in files; a table gets their types back`,
    ])
    expect(await readTypes(file)).toMatchObject({
      h: 'VARCHAR',
      d: 'DECIMAL(38,2)',
      ub: 'UBIGINT',
      j: 'JSON',
      ar: 'INTEGER[]',
    })
    await publish(path, 'copy', file)
    const digest = (table: string) =>
      runOn(path, `SELECT count(*), bit_xor(hash(t)), bit_xor(hash(t::VARCHAR)) FROM ${table} t`)
    const types = (table: string) => runOn(path, `SELECT column_name, column_type FROM (DESCRIBE ${table})`)
    expect(await digest('copy')).toEqual(await digest('t'))
    expect(await types('copy')).toEqual(await types('t'))
    await publish(path, 'copy', file)
    expect(await digest('copy')).toEqual(await digest('t'))
  })

  test('schemas, views and quoted names are read', async () => {
    const path = await makeDatabase(
      'CREATE SCHEMA "My.S"',
      'CREATE TABLE "My.S"."t.x" AS SELECT 1 AS a',
      'CREATE VIEW v AS SELECT a + 1 AS b FROM "My.S"."t.x"',
    )
    expect(await queryDuckDb(`FROM '${(await fetch(path, '"My.S"."t.x"')).path}'`)).toEqual([[1]])
    expect(await queryDuckDb(`FROM '${(await fetch(path, 'v')).path}'`)).toEqual([[2]])
    await expect(fetch(path, 'w')).rejects.toMatchObject({
      code: 'INPUT_NOT_FOUND',
      hint: 'tables with similar names: v, "My.S"."t.x"',
    })
  })

  test('a replaced table keeps indexes, constraints, comments and views', async () => {
    const path = await makeDatabase(
      `CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, gone VARCHAR, num INTEGER, noted VARCHAR DEFAULT 'x')`,
      `INSERT INTO t VALUES (1, 'a', 'g', 1, 'y'), (2, 'b', 'g', 1, 'y')`,
      'CREATE INDEX by_name ON t (name)',
      'CREATE INDEX by_gone ON t (gone)',
      `COMMENT ON TABLE t IS 'companies'`,
      `COMMENT ON COLUMN t.name IS 'the name'`,
      'CREATE VIEW v AS SELECT id, name FROM t',
    )
    const facts = async () => [
      await runOn(path, 'FROM t ORDER BY id'),
      await runOn(path, 'SELECT index_name FROM duckdb_indexes() ORDER BY ALL'),
      await runOn(
        path,
        'SELECT comment FROM duckdb_tables() UNION ALL SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL',
      ),
      await runOn(
        path,
        `SELECT constraint_text FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'`,
      ),
      await runOn(path, 'SELECT count(*) FROM v'),
    ]
    const rest = [[['companies'], ['the name']], [['PRIMARY KEY(id)']], [[2n]]]
    await publish(
      path,
      't',
      await writeParquet(`SELECT i::INTEGER AS id, 'n' AS name, 'h' AS gone, 7 AS num FROM range(1, 3) r(i)`),
    )
    expect(await facts()).toEqual([
      [
        [1, 'n', 'h', 7, 'x'],
        [2, 'n', 'h', 7, 'x'],
      ],
      [['by_gone'], ['by_name']],
      ...rest,
    ])
    await publish(
      path,
      't',
      await writeParquet(
        `SELECT i::INTEGER AS id, 'n' AS name, '007' AS num, 0.5::DOUBLE AS enrich_score FROM range(1, 3) r(i)`,
      ),
    )
    expect(await facts()).toEqual([
      [
        [1, 'n', '007', 'x', 0.5],
        [2, 'n', '007', 'x', 0.5],
      ],
      [['by_name']],
      ...rest,
    ])
  })

  test('views, missing schemas and tables with references are named', async () => {
    const file = await writeParquet('SELECT 1 AS a')
    const path = await makeDatabase(
      'CREATE VIEW v AS SELECT 1 AS a',
      'CREATE TABLE p (a INTEGER PRIMARY KEY)',
      'CREATE TABLE c (a INTEGER REFERENCES p (a))',
    )
    await expect(publish(path, 'p', await writeParquet('SELECT 1 AS a, 2 AS b'))).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
    })
    await expect(publish(path, 'v', file)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    await expect(publish(path, 'nowhere.t', file)).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { hint: 'CREATE SCHEMA' }),
    )
  })

  test('views on removed columns and generated columns are named, and a broken view elsewhere is not', async () => {
    const path = await makeDatabase(
      'CREATE TABLE t AS SELECT 1 AS a, 2 AS gone',
      'CREATE VIEW on_gone AS SELECT gone FROM t',
      'CREATE TABLE dropped AS SELECT 1 AS a',
      'CREATE VIEW broken AS SELECT a FROM dropped',
      'DROP TABLE dropped',
      'CREATE TABLE derived (a INTEGER, twice INTEGER GENERATED ALWAYS AS (a * 2))',
    )
    const attempt = async (table: string, select: string) => publish(path, table, await writeParquet(select))
    for (const [table, message] of [
      ['t', 'on_gone'],
      ['derived', 'generated columns'],
    ] as const)
      await expect(attempt(table, 'SELECT 1 AS a, 3 AS b')).rejects.toMatchObject(
        errorWith('OUTPUT_UNWRITABLE', { message }),
      )
    await attempt('t', `SELECT 1 AS a, 2 AS gone, 3 AS b`)
    await attempt('derived', 'SELECT 5::INTEGER AS a')
    expect(await runOn(path, 'FROM derived')).toEqual([[5, 10]])
  })

  test('a process that has the file open is named', async () => {
    const path = await makeDatabase('CREATE TABLE t AS SELECT 1 AS a')
    const holder = spawn(
      process.execPath,
      [
        '-e',
        `
      const duckDb = require('@duckdb/node-api')
      duckDb.DuckDBInstance.create(${JSON.stringify(path)}).then((held) => { globalThis.held = held; console.log('open'); setInterval(() => {}, 1000) })`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(holder.stdout, 'data')
    const file = await writeParquet('SELECT 1 AS a')
    const attempts = await Promise.allSettled([publish(path, 't', file), fetch(path, 't')])
    holder.kill('SIGKILL')
    for (const attempt of attempts)
      expect(attempt).toMatchObject({
        reason: {
          code: 'STORE_UNREACHABLE',
          message: expect.stringContaining(`PID ${holder.pid}`) as string,
        },
      })
    await once(holder, 'exit')
  })
})
