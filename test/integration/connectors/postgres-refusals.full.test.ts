import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as postgresConnector from '../../../src/connectors/databases/postgres.js'
import { canMount, mountSmallDisk } from '../../crash/small-disk.js'
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres-server.js'
import { fetchTable, publishTable, writeParquet } from './copied-tables.js'
import { expectRefusal, findEngineCode, plantedSecret, plantedValue } from './refusals.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres()

interface Case {
  readonly sqlState: string
  readonly code: string
  readonly names: string
  /** A query to read, a table to read, or a table to which rows are added. */
  readonly query?: string
  readonly source?: string
  readonly target?: string
  readonly rows?: string
  readonly user?: string
  readonly database?: string
  readonly password?: string
}

const row = (name: string, id = 1) => `SELECT ${id}::INTEGER AS id, ${name} AS name`

const refused = (
  sqlState: string,
  code: string,
  names: string,
  more: Omit<Case, 'sqlState' | 'code' | 'names'>,
): Case => ({ sqlState, code, names, ...more })

const cases: readonly Case[] = [
  refused('42P01', 'QUERY_REFUSED', 'the table nowhere does not', { query: 'SELECT * FROM nowhere' }),
  refused('42703', 'QUERY_REFUSED', 'the column colour does not', { query: 'SELECT colour FROM t' }),
  refused('42703', 'QUERY_REFUSED', 'the column t.colour', { query: 'SELECT t.colour FROM t' }),
  refused('42601', 'QUERY_REFUSED', 'the syntax is wrong at t', { query: 'SELECT FORM FORM t' }),
  refused('42601', 'QUERY_REFUSED', 'is not complete', { query: 'SELECT (1' }),
  refused('42883', 'QUERY_REFUSED', 'the function fold(integer)', { query: 'SELECT fold(id) FROM t' }),
  refused('42803', 'QUERY_REFUSED', 'GROUP BY', { query: 'SELECT id, count(*) FROM t' }),
  refused('42702', 'QUERY_REFUSED', 'the name id', { query: 'SELECT id FROM t, t AS u' }),
  refused('42704', 'QUERY_REFUSED', 'colour does not exist', { query: 'SELECT id::colour FROM t' }),
  refused('3F000', 'QUERY_REFUSED', 'no', {
    query: `SELECT pg_get_serial_sequence('t', 'id'), nextval('no.s')`,
  }),
  refused('22012', 'QUERY_REFUSED', 'divided by zero', { query: 'SELECT 1 / (id - id) AS a FROM t' }),
  refused('22P02', 'QUERY_REFUSED', 'the type integer', { query: 'SELECT name::integer AS a FROM t' }),
  refused('22P02', 'QUERY_REFUSED', 'the type uuid', { query: 'SELECT name::uuid AS a FROM t' }),
  refused('22P02', 'QUERY_REFUSED', 'the type json', { query: 'SELECT name::json AS a FROM t' }),
  refused('22007', 'QUERY_REFUSED', 'date or time', { query: 'SELECT name::date AS a FROM t' }),
  refused('22003', 'QUERY_REFUSED', 'the type integer', { query: 'SELECT id + 2147483647 AS a FROM t' }),
  refused('22003', 'QUERY_REFUSED', 'a number is out of the range', {
    query: 'SELECT (id * 5000)::numeric(5, 2) AS a FROM t',
  }),
  refused('22021', 'QUERY_REFUSED', 'encoding', {
    query: `SELECT convert_from('\\xff', 'UTF8') AS a FROM t`,
  }),
  refused('25006', 'QUERY_REFUSED', 'would change the database', { query: `SELECT nextval('numbers') AS a` }),
  refused('53400', 'QUERY_REFUSED', 'lacks memory or another resource', {
    query: 'SELECT i, md5(i::text) AS a FROM generate_series(1, 300000) i ORDER BY a',
    user: 'small',
  }),
  refused('55P03', 'INPUT_UNREADABLE', 'holds a lock', { source: 'locked', user: 'hasty' }),
  refused('42501', 'ACCESS_DENIED', 'the table closed', { source: 'closed', user: 'stranger' }),
  refused('42501', 'ACCESS_DENIED', 'the schema public', { target: 'new_one', user: 'stranger' }),
  refused('53300', 'STORE_UNREACHABLE', 'no more connections', { source: 't', user: 'crowded' }),
  refused('28P01', 'ACCESS_DENIED', 'the user or the password', {
    source: 't',
    password: `${plantedSecret}-wrong`,
  }),
  refused('28000', 'ACCESS_DENIED', 'the user or the password', { source: 't', user: 'nologin' }),
  refused('3D000', 'INPUT_NOT_FOUND', 'no database nowhere', { source: 't', database: 'nowhere' }),
  refused('3D000', 'OUTPUT_UNWRITABLE', 'no database nowhere', { target: 't', database: 'nowhere' }),
  refused('25006', 'OUTPUT_UNWRITABLE', 'does not accept writes', { target: 't', user: 'reader' }),
  refused('23505', 'OUTPUT_TABLE_UNFIT', 'one_name_name_key', { target: 'one_name' }),
  refused('23502', 'OUTPUT_TABLE_UNFIT', 'the column name', { target: 'filled', rows: row('NULL::VARCHAR') }),
  refused('23514', 'OUTPUT_TABLE_UNFIT', 'short_names', { target: 'checked' }),
  refused('23514', 'OUTPUT_TABLE_UNFIT', 'partition', { target: 'parted' }),
  refused('23503', 'OUTPUT_TABLE_UNFIT', 'child_name_fkey', { target: 'child' }),
  refused('23P01', 'OUTPUT_TABLE_UNFIT', 'apart_name_excl', { target: 'apart' }),
  refused('22001', 'OUTPUT_TABLE_UNFIT', 'the column name', { target: 'narrow' }),
  refused('42704', 'OUTPUT_UNWRITABLE', 'the function pose', { target: 'posing' }),
  refused('P0001', 'OUTPUT_UNWRITABLE', 'the function refuse', { target: 'guarded' }),
]

const setup = `
  CREATE TABLE t (id integer, name text); INSERT INTO t VALUES (1, '${plantedValue}');
  CREATE TABLE locked (LIKE t); CREATE TABLE closed (LIKE t); CREATE SEQUENCE numbers;
  CREATE TABLE one_name (id integer, name text UNIQUE); INSERT INTO one_name TABLE t;
  CREATE TABLE filled (id integer, name text NOT NULL);
  CREATE TABLE checked (id integer, name text CONSTRAINT short_names CHECK (length(name) < 3));
  CREATE TABLE parted (id integer, name text) PARTITION BY LIST (id);
  CREATE TABLE parent (name text PRIMARY KEY); CREATE TABLE child (id integer, name text REFERENCES parent);
  CREATE TABLE apart (id integer, name text, EXCLUDE USING btree (name WITH =)); INSERT INTO apart TABLE t;
  CREATE TABLE narrow (id integer, name varchar(5)); CREATE TABLE guarded (LIKE t);
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no %', NEW.name; END $$;
  CREATE TABLE posing (LIKE t); CREATE FUNCTION pose() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'no "%"', NEW.name USING ERRCODE = 'undefined_object'; END $$;
  CREATE TRIGGER pose BEFORE INSERT ON posing FOR EACH ROW EXECUTE FUNCTION pose();
  CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION refuse();
  ALTER ROLE postgres PASSWORD '${plantedSecret}';
  CREATE ROLE hasty LOGIN PASSWORD '${plantedSecret}'; ALTER ROLE hasty SET lock_timeout = 100; ALTER ROLE hasty SET statement_timeout = 300;
  CREATE ROLE small LOGIN PASSWORD '${plantedSecret}'; ALTER ROLE small SET temp_file_limit = '1MB'; ALTER ROLE small SET work_mem = '64kB';
  CREATE ROLE reader LOGIN PASSWORD '${plantedSecret}'; ALTER ROLE reader SET default_transaction_read_only = on;
  CREATE ROLE stranger LOGIN PASSWORD '${plantedSecret}'; CREATE ROLE nologin PASSWORD '${plantedSecret}';
  CREATE ROLE crowded LOGIN CONNECTION LIMIT 0 PASSWORD '${plantedSecret}';
  GRANT ALL ON t, locked TO hasty, small, reader, crowded`

describe.skipIf(programs === null)('errors of PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(programs!, {
      fsync: false,
      auth: 'scram-sha-256',
      settings: { max_prepared_transactions: '1' },
    })
    server.sql(setup)
  })
  afterAll(() => server.stop())

  const attempt = async ({ query, source, target, rows, user, database, password = plantedSecret }: Case) => {
    const url = server.url({
      ...(user !== undefined && { user }),
      ...(database !== undefined && { database }),
    })
    const environment = { PGPASSWORD: password }
    if (query !== undefined) return fetchTable(postgresConnector, url, { query, environment })
    if (source !== undefined) return fetchTable(postgresConnector, `${url}#${source}`, { environment })
    const path = await writeParquet(rows ?? row(`'${plantedValue}'`))
    return publishTable(postgresConnector, `${url}#${target!}`, path, { mode: 'append', environment })
  }

  test.each(cases)('$sqlState is explained in our words: $names', async (one) => {
    const lock = one.source === 'locked' ? lockTable() : null
    try {
      const error = await expectRefusal(() => attempt(one), one)
      expect(findEngineCode(error)).toBe(one.sqlState)
    } finally {
      lock?.()
    }
  })

  test('an error without a text of its own gets its SQLSTATE, and the text of the server', async () => {
    const query = 'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT r.a FROM r, r AS s) TABLE r'
    await expect(attempt({ sqlState: '', code: '', names: '', query })).rejects.toMatchObject(
      errorWith('QUERY_REFUSED', { message: /PostgreSQL refused it \(SQLSTATE 42P19\): ".*recursive/ }),
    )
  })

  test('a statement that is cancelled is explained in our words', async () => {
    const cancel = setInterval(() => {
      server.sql(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%pg_sleep%'`)
    }, 200)
    const query = 'SELECT pg_sleep(60) AS a'
    const one = {
      sqlState: '57014',
      code: 'STORE_UNREACHABLE',
      names: 'took too long, or was cancelled',
      query,
    }
    const error = await expectRefusal(() => attempt(one), one).finally(() => {
      clearInterval(cancel)
    })
    expect(findEngineCode(error)).toBe(one.sqlState)
  })

  test.skipIf(!canMount())('a full disk of the server is explained in our words', async () => {
    const path = join(server.folder, 'small')
    const disk = mountSmallDisk(path, '24m')!
    try {
      const space = join(path, 'space')
      mkdirSync(space)
      const { uid, gid } = statSync(server.folder)
      chownSync(space, uid, gid)
      server.sql(`CREATE TABLESPACE small LOCATION '${space}'`)
      server.sql('CREATE TABLE large (id integer, name text) TABLESPACE small')
      disk.fillBut(0)
      const rows = `SELECT i::INTEGER AS id, '${plantedValue}' || md5(i::VARCHAR) AS name FROM range(40000) r(i)`
      const one = { sqlState: '53100', code: 'OUTPUT_UNWRITABLE', names: 'the disk of the server is full' }
      const error = await expectRefusal(() => attempt({ ...one, target: 'large', rows }), one)
      expect(findEngineCode(error)).toBe(one.sqlState)
      expect(error.hint).not.toContain('checkpoint')
      server.sql('DROP TABLE large')
      server.sql('DROP TABLESPACE small')
    } finally {
      disk.unmount()
    }
  })

  /** Holds a lock by a prepared transaction, which needs no session. */
  function lockTable(): () => void {
    server.sql(`BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE; PREPARE TRANSACTION 'lock'`)
    return () => {
      server.sql(`ROLLBACK PREPARED 'lock'`)
    }
  }
})
