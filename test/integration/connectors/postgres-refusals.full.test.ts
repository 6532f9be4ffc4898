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

const cases: readonly Case[] = [
  {
    sqlState: '42P01',
    code: 'QUERY_REFUSED',
    query: 'SELECT * FROM nowhere',
    names: 'the table nowhere does not',
  },
  {
    sqlState: '42703',
    code: 'QUERY_REFUSED',
    query: 'SELECT colour FROM t',
    names: 'the column colour does not',
  },
  { sqlState: '42703', code: 'QUERY_REFUSED', query: 'SELECT t.colour FROM t', names: 'the column t.colour' },
  {
    sqlState: '42601',
    code: 'QUERY_REFUSED',
    query: 'SELECT FORM FORM t',
    names: 'the syntax is wrong at t',
  },
  { sqlState: '42601', code: 'QUERY_REFUSED', query: 'SELECT (1', names: 'is not complete' },
  {
    sqlState: '42883',
    code: 'QUERY_REFUSED',
    query: 'SELECT fold(id) FROM t',
    names: 'the function fold(integer)',
  },
  { sqlState: '42803', code: 'QUERY_REFUSED', query: 'SELECT id, count(*) FROM t', names: 'GROUP BY' },
  { sqlState: '42702', code: 'QUERY_REFUSED', query: 'SELECT id FROM t, t AS u', names: 'the name id' },
  {
    sqlState: '42704',
    code: 'QUERY_REFUSED',
    query: 'SELECT id::colour FROM t',
    names: 'colour does not exist',
  },
  {
    sqlState: '3F000',
    code: 'QUERY_REFUSED',
    query: `SELECT pg_get_serial_sequence('t', 'id'), nextval('no.s')`,
    names: 'no',
  },
  {
    sqlState: '22012',
    code: 'QUERY_REFUSED',
    query: 'SELECT 1 / (id - id) AS a FROM t',
    names: 'divided by zero',
  },
  {
    sqlState: '22P02',
    code: 'QUERY_REFUSED',
    query: 'SELECT name::integer AS a FROM t',
    names: 'the type integer',
  },
  {
    sqlState: '22P02',
    code: 'QUERY_REFUSED',
    query: 'SELECT name::uuid AS a FROM t',
    names: 'the type uuid',
  },
  {
    sqlState: '22P02',
    code: 'QUERY_REFUSED',
    query: 'SELECT name::json AS a FROM t',
    names: 'the type json',
  },
  { sqlState: '22007', code: 'QUERY_REFUSED', query: 'SELECT name::date AS a FROM t', names: 'date or time' },
  {
    sqlState: '22003',
    code: 'QUERY_REFUSED',
    query: 'SELECT id + 2147483647 AS a FROM t',
    names: 'the type integer',
  },
  {
    sqlState: '22003',
    code: 'QUERY_REFUSED',
    query: 'SELECT (id * 5000)::numeric(5, 2) AS a FROM t',
    names: 'a number is out of the range',
  },
  {
    sqlState: '22021',
    code: 'QUERY_REFUSED',
    query: `SELECT convert_from('\\xff', 'UTF8') AS a FROM t`,
    names: 'encoding',
  },
  {
    sqlState: '25006',
    code: 'QUERY_REFUSED',
    query: `SELECT nextval('numbers') AS a`,
    names: 'would change the database',
  },
  {
    sqlState: '53400',
    code: 'QUERY_REFUSED',
    query: 'SELECT i, md5(i::text) AS a FROM generate_series(1, 300000) i ORDER BY a',
    user: 'small',
    names: 'lacks memory or another resource',
  },
  { sqlState: '55P03', code: 'INPUT_UNREADABLE', source: 'locked', user: 'hasty', names: 'holds a lock' },
  { sqlState: '42501', code: 'ACCESS_DENIED', source: 'closed', user: 'stranger', names: 'the table closed' },
  {
    sqlState: '42501',
    code: 'ACCESS_DENIED',
    target: 'new_one',
    user: 'stranger',
    names: 'the schema public',
  },
  {
    sqlState: '53300',
    code: 'STORE_UNREACHABLE',
    source: 't',
    user: 'crowded',
    names: 'no more connections',
  },
  {
    sqlState: '28P01',
    code: 'ACCESS_DENIED',
    source: 't',
    password: `${plantedSecret}-wrong`,
    names: 'the user or the password',
  },
  {
    sqlState: '28000',
    code: 'ACCESS_DENIED',
    source: 't',
    user: 'nologin',
    names: 'the user or the password',
  },
  {
    sqlState: '3D000',
    code: 'INPUT_NOT_FOUND',
    source: 't',
    database: 'nowhere',
    names: 'no database nowhere',
  },
  {
    sqlState: '3D000',
    code: 'OUTPUT_UNWRITABLE',
    target: 't',
    database: 'nowhere',
    names: 'no database nowhere',
  },
  {
    sqlState: '25006',
    code: 'OUTPUT_UNWRITABLE',
    target: 't',
    user: 'reader',
    names: 'does not accept writes',
  },
  { sqlState: '23505', code: 'OUTPUT_TABLE_UNFIT', target: 'one_name', names: 'one_name_name_key' },
  {
    sqlState: '23502',
    code: 'OUTPUT_TABLE_UNFIT',
    target: 'filled',
    rows: row('NULL::VARCHAR'),
    names: 'the column name',
  },
  { sqlState: '23514', code: 'OUTPUT_TABLE_UNFIT', target: 'checked', names: 'short_names' },
  { sqlState: '23514', code: 'OUTPUT_TABLE_UNFIT', target: 'parted', names: 'partition' },
  { sqlState: '23503', code: 'OUTPUT_TABLE_UNFIT', target: 'child', names: 'child_name_fkey' },
  { sqlState: '23P01', code: 'OUTPUT_TABLE_UNFIT', target: 'apart', names: 'apart_name_excl' },
  { sqlState: '22001', code: 'OUTPUT_TABLE_UNFIT', target: 'narrow', names: 'the column name' },
  { sqlState: '42704', code: 'OUTPUT_UNWRITABLE', target: 'posing', names: 'the function pose' },
  { sqlState: 'P0001', code: 'OUTPUT_UNWRITABLE', target: 'guarded', names: 'the function refuse' },
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
