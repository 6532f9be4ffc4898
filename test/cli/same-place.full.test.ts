import { DuckDBInstance } from '@duckdb/node-api'
import { linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/platform/sqlite.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.js'
import { findPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.js'
import { startS3Store, type S3Store } from '../support/s3-store.js'

const Database = loadDriver()

interface Ended {
  readonly code: number | null
  readonly stderr: string
}

const expectRefused = ({ code, stderr }: Ended, title: string) => {
  expect([code, stderr], title).toEqual([2, expect.stringContaining('error OUTPUT_IS_INPUT: ')])
  expect(stderr, title).toContain('hint: ')
}

const expectWritten = ({ code, stderr }: Ended, title: string) => {
  expect([code, stderr], title).toEqual([0, expect.stringContaining('  written   ')])
}

const rows = `(company TEXT, town TEXT); INSERT INTO companies VALUES ('Apple Inc', 'Cupertino')`

/** Creates files of SQLite with the same tables and views. */
function createSqlite(place: CliPlace, ...names: readonly string[]): void {
  for (const name of names) {
    const database = new Database(place.path(name))
    database.exec(`CREATE TABLE companies ${rows};
      CREATE TABLE other (company TEXT, town TEXT);
      CREATE INDEX by_town ON companies(town, company);
      CREATE VIEW seen AS SELECT * FROM companies WHERE company <> '';
      CREATE VIEW covered AS SELECT town, company FROM companies WHERE town > '';
      CREATE VIEW twice AS SELECT * FROM seen UNION ALL SELECT * FROM other`)
    database.close()
  }
}

async function createDuckDb(place: CliPlace, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const instance = await DuckDBInstance.create(place.path(name))
    const connection = await instance.connect()
    await connection.run(`CREATE TABLE companies ${rows};
      CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.companies AS FROM companies;
      CREATE VIEW seen AS FROM companies; CREATE VIEW twice AS FROM seen WHERE town > '';
      COPY companies TO '${place.path('list.parquet')}'; COPY companies TO '${place.path('list.csv')}';
      CREATE VIEW of_file AS FROM '${place.path('list.parquet')}';
      CREATE VIEW of_files AS FROM read_csv('${place.path('*.csv')}');
      CREATE MACRO of_macro() AS TABLE FROM companies; CREATE VIEW through_macro AS FROM of_macro();
      CHECKPOINT`)
    connection.closeSync()
    instance.closeSync()
  }
}

describe('an output that is an input under another name is refused, and the input stays', () => {
  test('in SQLite', async () => {
    const place = createPlace()
    mkdirSync(place.path('folder'))
    createSqlite(place, 'crm.db')
    symlinkSync('../crm.db', place.path('folder/link.db'))
    linkSync(place.path('crm.db'), place.path('hard.db'))
    const before = readFileSync(place.path('crm.db'))
    place.write('query.sql', 'SELECT * FROM companies')
    const own = 'sqlite:crm.db#companies'
    const pairs = [
      [own, own],
      [own, 'sqlite:crm.db#Companies'],
      [own, 'sqlite:crm.db#"companies"'],
      ['sqlite:CRM.db#companies'.replace('CRM', './crm'), own],
      [own, `sqlite:${place.path('crm.db')}#companies`],
      [own, `sqlite://${place.path('crm.db')}#companies`],
      [own, `sqlite:file://${place.path('crm.db')}#companies`],
      [own, 'sqlite:file:crm.db#companies'],
      [own, 'SQLITE:crm.db#companies'],
      [own, 'sqlite:folder/link.db#companies'],
      ['sqlite:hard.db#companies', own],
      ['sqlite:crm.db#seen', own],
      ['sqlite:crm.db#covered', own],
      ['sqlite:crm.db#twice', 'sqlite:folder/../crm.db#COMPANIES'],
      [own, 'sqlite:crm.db#seen'],
    ] as const
    for (const [input, output] of pairs)
      expectRefused(await place.run([input, '-o', output]), `${input} ${output}`)
    const flags = [
      ['--mode', 'append'],
      ['--mode', 'upsert', '--row-key', 'company'],
    ]
    for (const mode of flags)
      expectRefused(await place.run(['sqlite:crm.db#seen', '-o', own, ...mode]), String(mode))
    expectRefused(await place.run(['sqlite:crm.db', '--query', 'query.sql', '-o', own]), 'query')
    place.write('list.csv', 'company,town\nFacebook Inc,Menlo Park\n')
    const asChanges = ['-o', 'out.csv', '--changes', 'sqlite:crm.db#COMPANIES']
    expectRefused(await place.run([own, ...asChanges]), 'changes')
    expectRefused(await place.run(['plan', own, '-o', 'sqlite:./crm.db#Companies']), 'plan')
    expect(readFileSync(place.path('crm.db')).equals(before)).toBe(true)
    expect(place.names()).toEqual(['crm.db', 'folder', 'hard.db', 'list.csv', 'query.sql'])
  })

  test('in DuckDB, also through views of files', async () => {
    const place = createPlace()
    await createDuckDb(place, 'crm.duckdb')
    symlinkSync('crm.duckdb', place.path('link.duckdb'))
    const read = () =>
      ['crm.duckdb', 'list.parquet', 'list.csv'].map((name) => readFileSync(place.path(name)).toString('hex'))
    const before = read()
    const own = 'duckdb:crm.duckdb#companies'
    const pairs = [
      [own, 'duckdb:crm.duckdb#COMPANIES'],
      [own, 'duckdb:crm.duckdb#main.companies'],
      [own, 'duckdb:./crm.duckdb#Main."Companies"'],
      [own, 'duckdb:link.duckdb#companies'],
      [own, `duckdb:file:${place.path('crm.duckdb')}#companies`],
      ['duckdb:crm.duckdb#twice', own],
      ['duckdb:crm.duckdb#through_macro', own],
      [own, 'duckdb:crm.duckdb#seen'],
      ['duckdb:crm.duckdb#of_file', 'list.parquet'],
      ['duckdb:crm.duckdb#of_files', './list.csv'],
      [own, 'crm.duckdb'],
    ] as const
    for (const [input, output] of pairs) {
      const format = output === 'crm.duckdb' ? ['--format', 'csv'] : []
      expectRefused(await place.run([input, '-o', output, ...format]), `${input} ${output}`)
    }
    expectRefused(
      await place.run(['list.parquet', own, '-o', 'duckdb:link.duckdb#companies']),
      'one of two inputs',
    )
    expect(read()).toEqual(before)
  })

  test('as an export', async () => {
    const place = createPlace()
    createSqlite(place, 'crm.db')
    expectWritten(await place.run(['sqlite:crm.db#companies', '-o', 'out.csv']), 'run')
    const before = readFileSync(place.path('crm.db'))
    expectRefused(
      await place.run(['export', 'sqlite:crm.db#companies', '-o', 'sqlite:./crm.db#Companies']),
      'export',
    )
    expect(readFileSync(place.path('crm.db')).equals(before)).toBe(true)
  })
})

describe('an output that is similar to an input is written', () => {
  test('in SQLite and DuckDB: another table, another file, another schema', async () => {
    const place = createPlace()
    createSqlite(place, 'crm.db', 'copy.db')
    await createDuckDb(place, 'crm.duckdb')
    place.write('query.sql', `SELECT 'Facebook Inc' AS company, 'x' AS town, s.enrich_lei FROM kept AS s`)
    const pairs = [
      ['sqlite:crm.db#companies', 'sqlite:copy.db#companies'],
      ['sqlite:crm.db#seen', 'sqlite:crm.db#other'],
      ['sqlite:crm.db#companies', 'sqlite:crm.db#companies_enriched'],
      ['duckdb:crm.duckdb#companies', 'duckdb:crm.duckdb#elsewhere.companies'],
      ['duckdb:crm.duckdb#of_file', 'other.parquet'],
    ] as const
    for (const [input, output] of pairs)
      expectWritten(await place.run([input, '-o', output]), `${input} ${output}`)
  })

  test('by a query that reads the table which its rows are added to', async () => {
    const place = createPlace()
    createSqlite(place, 'crm.db')
    const [from, to] = ['sqlite:crm.db', 'sqlite:crm.db#kept']
    expectWritten(await place.run(['sqlite:crm.db#companies', '-o', to]), 'first')
    place.write(
      'new.sql',
      'SELECT company, town FROM companies WHERE company NOT IN (SELECT company FROM kept)',
    )
    const database = new Database(place.path('crm.db'))
    database.exec(`INSERT INTO companies VALUES ('Facebook Inc', 'Menlo Park')`)
    database.close()
    expectWritten(await place.run([from, '--query', 'new.sql', '-o', to, '--mode', 'append']), 'append')
    expectRefused(await place.run([from, '--query', 'new.sql', '-o', to]), 'replace')
  })
})

describe('objects', () => {
  let store: S3Store
  beforeAll(async () => {
    store = await startS3Store()
  })
  afterAll(() => store.close())

  test('are the same object however the address is written, alone, by a pattern, or as the basis', async () => {
    const place = createPlace()
    const env = store.environment
    place.write('list.csv', 'company,town\nApple Inc,Cupertino\n')
    for (const key of ['list.csv', 'a b.csv', 'folder/list.csv', 'out.csv.basis.csv'])
      expectWritten(
        await place.run(['list.csv', '-o', `s3://bucket/${key}`, '--basis', 'none'], { env }),
        key,
      )
    const before = store.keys().map((key) => store.read(key).toString())
    const pairs = [
      ['s3://bucket/list.csv', 'S3://bucket/list.csv'],
      ['s3://bucket/*.csv', 's3://bucket/a b.csv'],
      ['s3://bucket/**/list.csv', 's3://bucket/folder/list.csv'],
      ['s3://bucket/out.csv.basis.csv', 's3://bucket/out.csv'],
    ] as const
    for (const [input, output] of pairs)
      expectRefused(await place.run([input, '-o', output], { env }), `${input} ${output}`)
    const through = {
      ...env,
      STORAGE_EMULATOR_HOST: store.environment['AWS_ENDPOINT_URL_S3']!.replace('127.0.0.1', 'localhost'),
    }
    const google = {
      ...through,
      GOOGLE_HMAC_KEY_ID: env['AWS_ACCESS_KEY_ID']!,
      GOOGLE_HMAC_SECRET: env['AWS_SECRET_ACCESS_KEY']!,
    }
    expectRefused(
      await place.run(['s3://bucket/list.csv', '-o', 'gs://bucket/list.csv'], { env: google }),
      'endpoint',
    )
    expectRefused(
      await place.run(['s3://bucket/list.csv', '-o', 'o.csv', '--changes', 'S3://bucket/list.csv'], { env }),
      'changes',
    )
    expect(store.keys().map((key) => store.read(key).toString())).toEqual(before)
    expectWritten(
      await place.run(['s3://bucket/list.csv', '-o', 's3://bucket/List.csv', '--prefix', 'b_'], { env }),
      'other key',
    )
    expectWritten(
      await place.run(['s3://bucket/list.csv', '-o', 's3://bucket/copy/list.csv', '--prefix', 'b_'], { env }),
      'other folder',
    )
  })
})

const programs = findPostgres() ?? ''

describe.skipIf(programs === '')('PostgreSQL', () => {
  let server: PostgresServer
  let other: PostgresServer
  const databases = ['crm', 'copy']
  beforeAll(async () => {
    server = await startPostgres(programs)
    other = await startPostgres(programs)
    for (const one of [server, other]) {
      for (const database of databases) {
        one.sql(`CREATE DATABASE ${database}`)
        one.sql(
          `CREATE TABLE companies(company text, town text); CREATE TABLE "Companies"(company text, town text);
           CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.companies(company text, town text);
           CREATE VIEW seen AS SELECT * FROM companies; CREATE VIEW twice AS SELECT * FROM seen WHERE town > '';
           CREATE MATERIALIZED VIEW stored AS SELECT * FROM twice;
           CREATE FUNCTION read_all() RETURNS SETOF companies LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM companies; END $$;
           CREATE VIEW called AS SELECT * FROM read_all();
           CREATE TABLE parts(company text, town text) PARTITION BY LIST (town);
           CREATE TABLE part_one PARTITION OF parts DEFAULT;
           CREATE TABLE parent(company text, town text); CREATE TABLE child() INHERITS (parent);
           CREATE EXTENSION IF NOT EXISTS postgres_fdw;
           CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${one.port}', dbname '${database}');
           CREATE USER MAPPING FOR PUBLIC SERVER loop OPTIONS (user 'postgres', password_required 'false');
           CREATE FOREIGN TABLE far(company text, town text) SERVER loop OPTIONS (schema_name 'public', table_name 'seen');
           CREATE VIEW near AS SELECT * FROM far;
           INSERT INTO companies VALUES ('Apple Inc', 'Cupertino'); INSERT INTO elsewhere.companies TABLE companies;
           INSERT INTO parts TABLE companies; INSERT INTO child TABLE companies; INSERT INTO "Companies" TABLE companies;
           REFRESH MATERIALIZED VIEW stored`,
          database,
        )
      }
    }
    server.sql(
      `CREATE SERVER across FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'localhost', port '${other.port}', dbname 'crm');
       CREATE USER MAPPING FOR PUBLIC SERVER across OPTIONS (user 'postgres', password_required 'false');
       CREATE FOREIGN TABLE across(company text, town text) SERVER across OPTIONS (schema_name 'public', table_name 'companies')`,
      'crm',
    )
  })
  afterAll(() => Promise.all([server.stop(), other.stop()]))

  const dump = () =>
    [server, other].map((one) =>
      ['companies', '"Companies"', 'elsewhere.companies', 'parts', 'parent'].map((table) =>
        one.sql(`TABLE ${table}`, 'crm'),
      ),
    )

  test('knows its tables by every name, host, socket and view', async (context) => {
    const place = createPlace()
    const url = server.url({ database: 'crm' })
    const before = dump()
    const own = `${url}#companies`
    const localhost = url.replace('127.0.0.1', 'localhost')
    const socket = `postgres:///crm?host=${server.folder}&port=${server.port}&user=postgres`
    const pairs = [
      [`${url}?sslmode=disable#companies`, `${url}?sslmode=disable#companies`],
      [own, `${url}#public.companies`],
      [own, `${url}#"companies"`],
      [`${localhost}#companies`, own],
      [own, `${url.replace('postgres:', 'postgresql:')}#companies`],
      [own, `${url}?sslmode=prefer#companies`],
      [`${url}#twice`, own],
      [`${url}#stored`, own],
      [`${url}#called`, own],
      [`${url}#far`, own],
      [`${url}#near`, `${localhost}#public.companies`],
      [`${url}#across`, `${other.url({ database: 'crm' })}#companies`],
      [`${url}#parts`, `${url}#part_one`],
      [`${url}#part_one`, `${url}#parts`],
      [`${url}#parent`, `${url}#child`],
      [own, `${url}#seen`],
    ]
    if (socket !== '') pairs.push([own, `${socket}#companies`])
    for (const [input, output] of pairs)
      expectRefused(await place.run([input!, '-o', output!]), `${input} ${output}`)
    if (hasPgbouncer()) {
      const bouncer = await startPgbouncer(server)
      context.onTestFinished(() => bouncer.stop())
      expectRefused(
        await place.run([`${bouncer.url({ database: 'crm' })}#companies`, '-o', own]),
        'pgbouncer',
      )
    }
    place.write('q.sql', 'SELECT * FROM read_all()')
    expectRefused(await place.run([url, '--query', 'q.sql', '-o', own]), 'query')
    expectRefused(
      await place.run([own, '-o', 'o.csv', '--changes', `${localhost}#public.companies`]),
      'changes',
    )
    expect(dump()).toEqual(before)
    const twice = await place.run([own, '-o', `${url}#fresh`, '--changes', `${localhost}#public.fresh`])
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('error OUTPUT_IS_OURS: ')])
  })

  test('writes the table of the same name in another schema, database or server', async () => {
    const place = createPlace()
    const url = server.url({ database: 'crm' })
    for (const output of [
      `${url}#"Companies"`,
      `${url}#elsewhere.companies`,
      `${server.url({ database: 'copy' })}#companies`,
      `${other.url({ database: 'crm' })}#companies`,
    ]) {
      expectWritten(await place.run([`${url}#companies`, '-o', output]), output)
    }
    expect(server.sql('SELECT company, town FROM companies', 'crm')).toBe('Apple Inc|Cupertino')
  })
})
