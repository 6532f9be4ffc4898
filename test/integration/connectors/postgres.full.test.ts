import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as postgresConnector from '../../../src/connectors/databases/postgres.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'
import {
  fetchTable,
  openTarget,
  publishTable,
  queryDuckDb,
  readTypes,
  refusedQueries,
  unfitFiles,
  writeParquet,
} from './copied-tables.js'
import { errorWith } from '../../support/error-with.js'

const programs = findPostgres()

describe.skipIf(programs === null)('PostgreSQL', () => {
  let server: SharedPostgres
  let databaseCount = 0
  beforeAll(async () => {
    server = await sharedPostgres(programs!)
  })
  afterAll(() => server.stop())

  const fetch = (table: string, options = {}) =>
    fetchTable(postgresConnector, `${server.url()}#${table}`, options)
  const publish = (table: string, path: string, options = {}) =>
    publishTable(postgresConnector, `${server.url()}#${table}`, path, options)
  const fetchQuery = (query: string) => fetchTable(postgresConnector, server.url(), { query })
  /** A hash of all rows and the list of columns with their types. */
  const digest = (table: string) =>
    server.sql(`SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM ${table} t`) +
    server.sql(
      `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    )

  test('each type survives the way to a file and back', async () => {
    server.sql(
      `
      CREATE TYPE mood AS ENUM ('sad', 'it''s ok');
      CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
      CREATE TYPE pair AS (a integer, b text);
      CREATE TABLE every_type (
        id serial, b boolean, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision,
        n numeric, n2 numeric(20,4), n38 numeric(38,10), n39 numeric(39,1), neg numeric(3,-2), small numeric(2,5),
        t text, v varchar(20), c char(5), d date, ts timestamp, ts3 timestamp(3), tz timestamptz, ti time, tit timetz,
        iv interval, u uuid, j json, jb jsonb, by bytea, m mood, p positive, pr pair, ip inet, ci cidr, mac macaddr,
        r int4range, mr int4multirange, pt point, po polygon, bx box, mon money, x xml, tv tsvector, bi bit(3), vb varbit,
        ai integer[], at text[], an numeric(10,2)[], ab bytea[], atz timestamptz[], aj jsonb[], am mood[], ac char(3)[],
        "Name with "" quote" text, "größe 東" text, "Select" oid, "char" "char", path_ ltree_free);
      `.replace(', path_ ltree_free', ''),
    )
    const row = (values: string) =>
      server.sql(`INSERT INTO every_type SELECT (x).* FROM (SELECT ROW(${values})::every_type AS x) y`)
    row(`1, true, -32768, 2147483647, 9223372036854775807, 3.4028235e38, 0.1::float8 + 0.2, 1234567890123456789012345678901234567890.000100,
      1234567890123456.7890, 1234567890123456789012345678.0123456789, 12345678901234567890123456789012345678.5, 12300, 0.00012,
      E'a\\nb\\r\\n"quoted", \\t\\\\.', 'varchar', 'ab', '2024-02-29', '2024-02-29 23:59:59.999999', '2024-02-29 23:59:59.999', '2024-02-29 23:59:59.999999+05:30',
      '23:59:59.999999', '12:00:00+02', '1 year 2 mons -3 days 04:05:06.789', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a" : 1.00000000000000000000001, "a":2}', '{"b":[1,null]}',
      '\\x00ff5c', 'it''s ok', 5, ROW(1, 'x,"y'), '10.0.0.1/8', '10.0.0.0/8', '08:00:2b:01:02:03', '[1,5)', '{[1,3),[5,9)}', '(1,2)', '((0,0),(1,1),(1,0))', '((1,1),(0,0))', 12.34, '<a>1</a>', 'a:1 b:2', '101', '10101',
      '{1,NULL,3}', E'{"a,b",NULL,"","NULL","q\\\\"q","{x}"}', '{1.50,NULL}', '{"\\\\x00ff",NULL}', '{"2024-01-01 00:00:00+00"}', '{"{\\"a\\": 1}"}', '{sad}', '{a,bc}',
      'v1', 'v2', 12, 'x'`)
    row(`2, false, 0, 0, 0, 'NaN', '-Infinity', 'NaN', 0, 0, 0, 0, 0, '', '', '', '0001-01-01', '0001-01-01', '0001-01-01', '0001-01-01', '00:00', '00:00+00',
      '0', '00000000-0000-0000-0000-000000000000', 'null', 'null', '', 'sad', 1, ROW(NULL, ''), '::1', '::/0', '00:00:00:00:00:00', 'empty', '{}', '(0,0)', '((0,0))', '((0,0),(0,0))', 0, '', '', '000', '',
      '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '', '', 0, ''`)
    server.sql('INSERT INTO every_type (id) VALUES (3)')
    const { path, notices } = await fetch('every_type')
    const types = await readTypes(path)
    expect(types).toMatchObject({
      b: 'BOOLEAN',
      i8: 'BIGINT',
      f4: 'FLOAT',
      n: 'VARCHAR',
      n2: 'DECIMAL(20,4)',
      n38: 'DECIMAL(38,10)',
      n39: 'VARCHAR',
      d: 'DATE',
      ts: 'TIMESTAMP',
      tz: 'TIMESTAMP WITH TIME ZONE',
      ti: 'TIME',
      u: 'UUID',
      j: 'JSON',
      by: 'BLOB',
      m: 'VARCHAR',
      p: 'VARCHAR',
      ai: 'INTEGER[]',
      at: 'VARCHAR[]',
      an: 'DECIMAL(10,2)[]',
      ab: 'BLOB[]',
      ip: 'VARCHAR',
    })
    expect(notices).toHaveLength(1)
    expect(notices[0]).toContain('n (numeric)')
    expect(notices[0]).toContain('iv (interval)')
    const [cells] = await queryDuckDb(`SELECT n, iv, t, v, c, ip FROM '${path}' WHERE id = 1`)
    expect(cells).toEqual([
      '1234567890123456789012345678901234567890.000100',
      '1 year 2 mons -3 days +04:05:06.789',
      'a\nb\r\n"quoted", \t\\.',
      'varchar',
      'ab   ',
      '10.0.0.1/8',
    ])
    await publish('public.every_copy', path)
    const expected = digest('every_type')
    expect(digest('every_copy')).toBe(expected)
    // In place, too.
    await publish('every_copy', path)
    expect(digest('every_copy')).toBe(expected)
  })

  test('values that a file would change are kept as text, with their type', async () => {
    server.sql(`
      CREATE TABLE odd_values (id integer, d date, ts timestamp, tz timestamptz, n numeric(5,2), a integer[], s integer[], t time, w text);
      INSERT INTO odd_values VALUES (1, 'infinity', '-infinity', '0044-03-15 00:00:00+00 BC', 'NaN', '{{1,2},{3,4}}', '[2:3]={5,6}', '24:00:00', '');
      INSERT INTO odd_values VALUES (2, '2024-01-01', NULL, 'now', 1.50, '{1}', NULL, '00:00', NULL);`)
    const { path, notices } = await fetch('odd_values')
    expect(notices).toEqual([
      'The columns d (date), ts (timestamp without time zone), tz (timestamp with time zone), n (numeric(5,2)), a (integer[]), s (integer[]) and t (time without time zone) are kept as text in files; a table gets their types back',
    ])
    expect((await queryDuckDb(`SELECT d, ts, n, a, s FROM '${path}' WHERE id = 1`))[0]).toEqual(
      'infinity -infinity NaN {{1,2},{3,4}} [2:3]={5,6}'.split(' '),
    )
    await publish('odd_copy', path)
    expect(digest('odd_copy')).toBe(digest('odd_values'))
    expect(server.sql('SELECT id FROM odd_copy WHERE w IS NULL')).toBe('2')
  })

  test('one column, a first cell with a byte order mark and cells of many megabytes survive', async () => {
    server.sql(`
      CREATE TABLE one_column (t text);
      INSERT INTO one_column VALUES (U&'\\FEFFfirst'), (NULL), (''), (NULL), (repeat('x"é', 3000000));`)
    const { path } = await fetch('one_column')
    await publish('one_copy', path)
    expect(digest('one_copy')).toBe(digest('one_column'))
  })

  test('views, partitioned tables, generated columns and quoted names are read', async () => {
    server.sql(`
      CREATE SCHEMA "My.Schema";
      CREATE TABLE "My.Schema"."Ta.ble" (id integer, twice integer GENERATED ALWAYS AS (id * 2) STORED) ;
      INSERT INTO "My.Schema"."Ta.ble" SELECT generate_series(1, 3);
      CREATE VIEW a_view AS SELECT id + 1 AS "Next", twice FROM "My.Schema"."Ta.ble";
      CREATE TABLE parted (k integer) PARTITION BY LIST (k);
      CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1); INSERT INTO parted VALUES (1), (1);`)
    expect(
      await queryDuckDb(`SELECT sum(twice) FROM '${(await fetch('"My.Schema"."Ta.ble"')).path}'`),
    ).toEqual([[12n]])
    expect(await queryDuckDb(`SELECT sum("Next") FROM '${(await fetch('a_view')).path}'`)).toEqual([[9n]])
    expect(await queryDuckDb(`SELECT count(*) FROM '${(await fetch('parted')).path}'`)).toEqual([[2n]])
  })

  test('a query is one SELECT that changes nothing', async () => {
    server.sql(
      'CREATE TABLE queried (id integer, n numeric(10,2)); INSERT INTO queried VALUES (1, 2.5), (2, 3.5)',
    )
    const { path, label } = await fetchQuery(
      '-- chosen rows\nSELECT id, sum(n)::numeric(10,2) AS total FROM queried GROUP BY 1 -- end\n;\n',
    )
    expect(await readTypes(path)).toEqual({ id: 'INTEGER', total: 'DECIMAL(10,2)' })
    expect(label).toMatch(/ \(query\)$/)
    for (const query of [
      ...refusedQueries.map((text) => text.replace('FROM t', 'FROM queried')),
      'WITH d AS (DELETE FROM queried RETURNING *) SELECT * FROM d',
      "SELECT nextval('every_type_id_seq')",
      'COMMIT',
    ]) {
      await expect(fetchQuery(query), query).rejects.toMatchObject({ code: 'QUERY_REFUSED' })
    }
    expect(server.sql('SELECT count(*) FROM queried')).toBe('2')
    await expect(fetchQuery('SELECT 1 AS a, 2 AS "A"')).rejects.toMatchObject({
      code: 'INPUT_COLUMNS_DUPLICATE',
    })
  })

  test('a missing table is named with similar ones', async () => {
    server.sql(
      'CREATE TABLE companies_2024 (a integer); CREATE SCHEMA s2; CREATE TABLE s2.companies (a integer)',
    )
    await expect(fetch('companies_2023')).rejects.toMatchObject(
      errorWith('INPUT_NOT_FOUND', { hint: /^tables with similar names: companies_2024, s2\.companies/ }),
    )
    server.sql('CREATE TABLE no_columns ()')
    await expect(fetch('no_columns')).rejects.toMatchObject({ code: 'INPUT_EMPTY' })
  })

  test('a replaced table keeps indexes, grants, comments, views, triggers and columns that fill themselves', async () => {
    server.sql(`
      CREATE ROLE reader_${process.pid};
      CREATE TABLE kept (id bigint PRIMARY KEY, name varchar(100), gone text, noted timestamptz DEFAULT now(), twice bigint GENERATED ALWAYS AS (id * 2) STORED);
      INSERT INTO kept VALUES (1, 'old', 'x');
      CREATE INDEX kept_name ON kept (lower(name)); CREATE INDEX kept_gone ON kept (gone);
      COMMENT ON TABLE kept IS 'companies'; COMMENT ON COLUMN kept.name IS 'the name';
      GRANT SELECT ON kept TO reader_${process.pid};
      CREATE VIEW kept_view AS SELECT id, name FROM kept;
      ALTER TABLE kept ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON kept USING (true);`)
    const path = await writeParquet(
      `SELECT 7::BIGINT AS id, 'new' AS name, 0.5::DOUBLE AS enrich_score UNION ALL SELECT 8, NULL, NULL`,
    )
    await publish('kept', path)
    expect(server.sql('SELECT id, name, enrich_score, twice, noted IS NOT NULL FROM kept ORDER BY id')).toBe(
      '7|new|0.5|14|t\n8|||16|t',
    )
    expect(server.sql(`SELECT indexname FROM pg_indexes WHERE tablename = 'kept' ORDER BY 1`)).toBe(
      'kept_name\nkept_pkey',
    )
    expect(
      server.sql(
        `SELECT obj_description('kept'::regclass), col_description('kept'::regclass, 2), has_table_privilege('reader_${process.pid}', 'kept', 'SELECT')`,
      ),
    ).toBe('companies|the name|t')
    expect(server.sql('SELECT count(*) FROM kept_view')).toBe('2')
    expect(
      server.sql(
        `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'kept'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      ),
    ).toBe(
      'id bigint\nname character varying(100)\nnoted timestamp with time zone\ntwice bigint\nenrich_score double precision',
    )
    server.sql(`DROP OWNED BY reader_${process.pid}; DROP ROLE reader_${process.pid}`)
  })

  test('a view that uses a removed column, and rows that refer to the table, are named before anything is written', async () => {
    server.sql(`
      CREATE TABLE viewed (id integer, old text); CREATE VIEW on_old AS SELECT old FROM viewed; INSERT INTO viewed VALUES (1, 'x');
      CREATE TABLE parent (id integer PRIMARY KEY); INSERT INTO parent VALUES (1); CREATE TABLE child (p integer REFERENCES parent ON DELETE CASCADE); INSERT INTO child VALUES (1)`)
    const path = await writeParquet('SELECT 1::INTEGER AS id')
    const attempt = (table: string) =>
      openTarget(postgresConnector, `${server.url()}#${table}`).tryWriting(path)
    await expect(attempt('viewed')).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { message: 'on_old' }),
    )
    await expect(attempt('parent')).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { message: 'child' }),
    )
    await expect(attempt('on_old')).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    await expect(attempt('nowhere.t')).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { hint: 'CREATE SCHEMA "nowhere"' }),
    )
    expect(server.sql('SELECT count(*) FROM child')).toBe('1')
    await publish('parent', path, { mode: 'upsert', keyColumn: 'id' })
    expect(server.sql('SELECT count(*) FROM child')).toBe('1')
  })

  test('each type of a file has a type in a new table', async () => {
    const path =
      await writeParquet(`SELECT 'a' AS v, 1::TINYINT AS i1, 1::UINTEGER AS u4, 18446744073709551615::UBIGINT AS u8, 1.5::DECIMAL(38,3) AS de,
      DATE '0044-03-15 (BC)' AS bc, TIMESTAMP '2024-01-01 12:00:00' AS ts, TIMESTAMPTZ '2024-01-01 12:00:00+00' AS tz, TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS ns,
      '{"a":1}'::JSON AS j, '\\x00\\xFF'::BLOB AS b, uuid '00000000-0000-0000-0000-000000000001' AS u, ['a"b', NULL, '\\'] AS l, [{'a': 1}] AS ls, {'k': [1, 2]} AS s, MAP {'x': 1} AS m, [[1], [2]] AS ll,
      true AS t, 'NaN'::DOUBLE AS nan, 'inf'::FLOAT AS inf, INTERVAL '1 month 2 days' AS iv, ['\\x00'::BLOB] AS lb, TIME '12:00:00.5' AS ti`)
    await publish('new_types', path)
    expect(
      server.sql(
        `SELECT string_agg(format_type(atttypid, atttypmod), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'new_types'::regclass AND attnum > 0`,
      ),
    ).toBe(
      'text,smallint,bigint,numeric(20,0),numeric(38,3),date,timestamp without time zone,timestamp with time zone,text,jsonb,bytea,uuid,text[],jsonb,jsonb,jsonb,jsonb,boolean,double precision,real,interval,bytea[],time without time zone',
    )
    expect(server.sql('SELECT u8, de, bc, ns, j, b, l, ls, s, m, ll, nan, inf, iv, lb FROM new_types')).toBe(
      '18446744073709551615|1.500|0044-03-15 BC|2024-01-01 00:00:00.123456789|{"a": 1}|\\x00ff|{"a\\"b",NULL,"\\\\"}|[{"a": 1}]|{"k": [1, 2]}|{"x": 1}|[[1], [2]]|NaN|Infinity|1 mon 2 days|{"\\\\x00"}',
    )
  })

  test('append and upsert keep other rows and columns', async () => {
    server.sql(
      `CREATE TABLE added (id integer, name text, note text); INSERT INTO added VALUES (1, 'one', 'mine'), (2, 'two', NULL)`,
    )
    const path = await writeParquet(`SELECT 2::INTEGER AS id, 'zwei' AS name UNION ALL SELECT 3, ''`)
    await publish('added', path, { mode: 'upsert', keyColumn: 'id' })
    await publish('added', path, { mode: 'upsert', keyColumn: 'id' })
    expect(server.sql('SELECT * FROM added ORDER BY id')).toBe('1|one|mine\n2|zwei|\n3||')
    await publish('added', path, { mode: 'append' })
    expect(server.sql('SELECT count(*) FROM added')).toBe('5')
    await publish('added_new', path, { mode: 'append' })
    await publish('added_new', path, { mode: 'upsert', keyColumn: 'name' })
    expect(server.sql('SELECT count(*) FROM added_new')).toBe('2')
    for (const [select, options] of [...unfitFiles, [`SELECT 'abc' AS id`, { mode: 'append' }] as const])
      await expect(publish('added', await writeParquet(select), options), select).rejects.toMatchObject({
        code: 'OUTPUT_TABLE_UNFIT',
      })
    expect(server.sql('SELECT count(*) FROM added')).toBe('5')
  })

  test('names and values that PostgreSQL cannot keep are named', async () => {
    const fails = async (select: string, code: string, message: string) => {
      await expect(publish('unfit_names', await writeParquet(select))).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message) as string,
      })
    }
    await fails(`SELECT 1 AS "${'ü'.repeat(32)}"`, 'OUTPUT_COLUMN_UNFIT', 'longer than 63 bytes')
    await fails(`SELECT 1 AS xmin`, 'OUTPUT_COLUMN_UNFIT', 'xmin')
    await fails(`SELECT 'a' AS fine, 'x' || chr(0) AS with_nul`, 'OUTPUT_UNWRITABLE', 'with_nul')
    await fails(`SELECT 'a' AS fine, '{"a":"\\u0000"}'::JSON AS escaped`, 'OUTPUT_UNWRITABLE', 'escaped')
    expect(server.sql(`SELECT to_regclass('unfit_names') IS NULL`)).toBe('t')
  })

  test('a type that the server of the output does not have is named, and becomes text', async () => {
    const write = (types: Record<string, string>) =>
      writeParquet(`SELECT 'x' AS a, '1.5' AS c`, { kind: 'postgres', types })
    const notices: string[] = []
    const notice = (text: string) => notices.push(text)
    await publish('unknown_type', await write({ a: 'public.not_there', c: 'numeric(6,3)' }), { notice })
    expect(notices).toEqual([expect.stringMatching(/: a \(public\.not_there\)$/)])
    expect(server.sql('SELECT a, c, pg_typeof(a) FROM unknown_type')).toBe('x|1.500|text')
    for (const type of ['text); DROP TABLE unknown_type; --', 'text, more text', "text DEFAULT 'x'"])
      await expect(publish('no_type', await write({ a: type })), type).rejects.toMatchObject({
        code: 'OUTPUT_UNWRITABLE',
      })
    expect(server.sql('SELECT count(*) FROM unknown_type')).toBe('1')
  })

  test('the tables of a checkpoint and of our service are refused as outputs', async () => {
    const path = await writeParquet('SELECT 1 AS a')
    for (const [schema, head] of [
      ['enrich', 'checkpoint'],
      ['enrich_service', 'service'],
    ] as const) {
      server.sql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.lookups (a integer)`)
      await publish(`${schema}.lookups`, path)
      server.sql(`CREATE TABLE ${schema}.${head} (schema_version integer)`)
      for (const table of ['lookups', 'another'])
        await expect(publish(`${schema}.${table}`, path)).rejects.toMatchObject({ code: 'OUTPUT_IS_OURS' })
    }
  })

  const row = 'id integer, name text'
  const boom = `CREATE OR REPLACE FUNCTION boom() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'`
  const columns1550 = Array.from({ length: 1550 }, (_, index) => `c${index}`)
  test.each([
    ['a view', `CREATE VIEW t AS SELECT 1 AS id`, 'a view'],
    ['a materialized view', `CREATE MATERIALIZED VIEW t AS SELECT 1 AS id`, 'a materialized view'],
    ['a sequence', 'CREATE SEQUENCE t', 'a sequence'],
    ['a type', 'CREATE TYPE t AS (id integer)', 'a type'],
    [
      'a foreign table',
      `CREATE EXTENSION file_fdw SCHEMA pg_catalog; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE t (${row}) SERVER files OPTIONS (filename '/dev/null')`,
      'a foreign table',
    ],
    ['a table of a type', `CREATE TYPE r AS (${row}); CREATE TABLE t OF r`, 'typed table'],
    ['a table without a partition', `CREATE TABLE t (${row}) PARTITION BY LIST (id)`, 'no partition'],
    ['a rule', `CREATE TABLE t (${row}); CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING`, 'the rule r'],
    [
      'a trigger that refuses rows',
      `CREATE TABLE t (${row}); ${boom}; CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION boom()`,
      'refused',
    ],
    [
      'a deferred trigger that refuses rows',
      `CREATE TABLE t (${row}); ${boom}; CREATE CONSTRAINT TRIGGER b AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION boom()`,
      'refused',
    ],
    [
      'a check',
      `CREATE TABLE t (id integer CHECK (id > 5), name text)`,
      'the check t_id_check refuses a row',
    ],
    [
      'published deletions without a key',
      `CREATE TABLE t (${row}); CREATE PUBLICATION p FOR TABLE t`,
      'replica identity',
    ],
    [
      'columns that were dropped',
      `CREATE TABLE t (${columns1550.map((name) => `${name} integer`).join(', ')}); ALTER TABLE t ${columns1550.map((name) => `DROP COLUMN ${name}`).join(', ')}`,
      'more than the 1,600 columns that PostgreSQL allows',
    ],
  ])(
    'a table with %s is refused by the trial, with a hint, and not changed',
    async (_title, sql, message) => {
      const url = server.createDatabase(`refusing_${++databaseCount}`)
      const { pathname } = new URL(url)
      server.sql(sql, pathname.slice(1))
      const more = Array.from({ length: 60 }, (_, index) => `${index} AS x${index}`)
      const wide = sql.includes('c1549') ? `, ${more.join(', ')}` : ', 0.5 AS enrich_score'
      const path = await writeParquet(`SELECT 1::INTEGER AS id, 'a' AS name${wide}`)
      const target = openTarget(postgresConnector, `${url}#t`)
      await expect(target.tryWriting(path)).rejects.toMatchObject(
        errorWith(expect.stringMatching(/^OUTPUT_(UNWRITABLE|TABLE_UNFIT)$/) as string, {
          message,
          hint: /./,
        }),
      )
    },
  )

  test('system tables are refused', async () => {
    const path = await writeParquet('SELECT 1 AS a')
    for (const table of ['pg_class', 'information_schema.tables'])
      await expect(publish(table, path)).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
  })

  test('a trial writes to partitions, identities and generated columns, and keeps rows with the same keys', async () => {
    const path = await writeParquet(`SELECT 1::INTEGER AS id, 'new' AS name`)
    server.sql(`
      CREATE TABLE by_list (${row}) PARTITION BY LIST (id); CREATE TABLE by_list_1 PARTITION OF by_list FOR VALUES IN (1);
      CREATE TABLE always (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
      CREATE TABLE derived (id integer PRIMARY KEY, name text, twice integer GENERATED ALWAYS AS (id * 2) STORED)`)
    for (const table of ['by_list', 'always', 'derived']) {
      server.sql(
        `INSERT INTO ${table} (name, id) ${table === 'always' ? 'OVERRIDING SYSTEM VALUE' : ''} VALUES ('old', 1)`,
      )
      await openTarget(postgresConnector, `${server.url()}#${table}`).tryWriting(path)
      expect(server.sql(`SELECT id, name FROM ${table}`)).toBe('1|old')
      await publish(table, path)
      expect(server.sql(`SELECT id, name FROM ${table}`)).toBe('1|new')
    }
    await expect(publish('always', path, { mode: 'append' })).rejects.toMatchObject(
      errorWith('OUTPUT_TABLE_UNFIT', { hint: 'constraint' }),
    )
  })

  test('a NUL in any row of the input is found by the trial', async () => {
    const sample = await writeParquet(`SELECT 'a' AS note`)
    const input = await writeParquet(
      `SELECT CASE WHEN i = 5000 THEN 'a' || chr(0) ELSE 'b' END AS note, i FROM range(9000) r(i)`,
    )
    const target = openTarget(postgresConnector, `${server.url()}#with_nul`)
    await expect(target.tryWriting(sample, [input])).rejects.toMatchObject(
      errorWith('OUTPUT_UNWRITABLE', { message: 'the column note has a NUL' }),
    )
  })

  test('processes that create the same table at once all succeed', async () => {
    const path = await writeParquet('SELECT i AS a FROM range(1000) r(i)')
    const publishing = Array.from({ length: 4 }, () =>
      openTarget(postgresConnector, `${server.url()}#raced`, {
        mode: 'append',
        markTable: 'enrich_mark_raced',
      }).publish(path, '1'),
    )
    await Promise.all(publishing)
    expect(server.sql('SELECT count(*), count(DISTINCT a) FROM raced')).toBe('4000|1000')
  })
})
