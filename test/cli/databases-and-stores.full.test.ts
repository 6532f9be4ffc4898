import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, createPlace, type CliPlace, type RunningCli } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { createServer } from 'node:http'
import * as duckdb from '../../src/connectors/databases/duckdb.js'
import * as postgres from '../../src/connectors/databases/postgres.js'
import * as sqlite from '../../src/connectors/databases/sqlite.js'
import { fetchTable, queryDuckDb } from '../integration/connectors/copied-tables.js'
import { closeAtOnce, listenOnLoopback } from '../support/loopback-server.js'
import { startStatementProxy } from '../support/statement-proxy.js'
import {
  findPostgres,
  sharedPostgres,
  startPostgres,
  type PostgresServer,
} from '../support/postgres-server.js'
import { plantedSecret, startS3Store, type S3Store } from '../support/s3-store.js'

const programs = findPostgres() ?? ''
// Another one in each process: command lines of all processes are searched for it.
const password = `canary-of-postgres-${process.pid}`

/** Files of a folder at any depth that contain a text. */
const findText = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text))

/** Runs an action, during which no process may have the text in its command line. */
async function expectUnlisted<Result>(text: string, action: () => Promise<Result>): Promise<Result> {
  const seen = new Set<string>()
  let lookCount = 0
  const watch = setInterval(() => {
    lookCount++
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const line = readCommandLine(pid)
      if (line.includes(text)) seen.add(line)
    }
  }, 20)
  const result = await action()
  clearInterval(watch)
  expect([lookCount > 5, ...seen]).toEqual([true])
  return result
}

/** Returns '' for a process that has ended. */
function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** What a run leaves in the folder of the checkpoint besides the checkpoint. */
const listLocalLeftovers = (place: CliPlace): string[] =>
  readdirSync(place.path('.enrich')).filter((name) => !name.startsWith('checkpoint'))

describe('objects', () => {
  let store: S3Store
  beforeAll(async () => {
    store = await startS3Store()
  })
  afterAll(() => store.close())

  test('a list in S3 becomes a Parquet file in S3; the second night submits nothing, and no secret is stored', async () => {
    const place = createPlace()
    const env = store.environment
    place.write('list.csv', 'company,town\nApple Inc,Cupertino\nFacebook Inc,Menlo Park\n')
    expect(
      await place.run(['list.csv', '-o', 's3://bucket/list.csv', '--basis', 'none'], { env }),
    ).toMatchObject({
      code: 0,
    })
    const night = ['s3://bucket/list.csv', '-o', 's3://bucket/out.parquet', '--prefix', 'night_']
    const flags = ['--name-column', 'company', '--changes', 's3://bucket/changes.ndjson']
    const plan = await place.run(['plan', ...night.slice(0, 1), '--name-column', 'company'], { env })
    expect(plan.stdout).toContain('2  rows')
    const first = await place.run([...night, ...flags], { env })
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringContaining('written   s3://bucket/out.parquet'),
    ])
    const second = await expectUnlisted(plantedSecret, () =>
      place.run([...night, ...flags, '--json'], { env }),
    )
    expect(second.stdout).toContain('"toSubmit":0')
    expect(store.read('out.parquet').subarray(0, 4).toString()).toBe('PAR1')
    expect(store.keys()).toEqual(['changes.ndjson', 'list.csv', 'out.parquet'])
    expect(store.uploads()).toEqual([])
    expect(listLocalLeftovers(place)).toEqual([])
    const diff = await place.run(['diff', '-o', 's3://bucket/diff.csv'], { env })
    expect(diff.code).toBe(0)
    expect(store.keys()).toContain('diff.csv')
    expect(findText(place.folder, plantedSecret)).toEqual([])
    expect(findText(place.temporaryFolder, plantedSecret)).toEqual([])
    expect(`${first.stderr}${second.stdout}${second.stderr}`).not.toContain(plantedSecret)
  })

  test('an output that refuses to be written ends the run before the first submission', async (context) => {
    const place = createPlace()
    const service = await startHosted({}, context.onTestFinished)
    place.write('list.csv', 'company\nApple Inc\n')
    const env = { ...store.environment, ...at(service).env }
    const refuse = { ...env, AWS_SECRET_ACCESS_KEY: 'another-key' }
    const denied = await place.run(['list.csv', '-o', 's3://bucket/x.csv'], { env: refuse })
    expect([denied.code, denied.stderr]).toEqual([4, expect.stringContaining('error ACCESS_DENIED: ')])
    const missing = await place.run(['list.csv', '-o', 's3://no-bucket/x.csv'], { env })
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('error OUTPUT_UNWRITABLE: ')])
    expect(service.runs).toEqual([])
  })

  test('after Ctrl-C, --partial publishes the answers so far', async (context) => {
    const place = createPlace()
    const runTakes = { ms: 3_600_000 }
    const service = await startHosted({ runTakes }, context.onTestFinished)
    place.write('list.csv', 'company\nApple Inc\n')
    const running = place.start(
      ['list.csv', '-o', 's3://bucket/partial.csv', '--basis', 'none', '--partial'],
      {
        env: { ...store.environment, ...at(service).env },
      },
    )
    await expect.poll(() => service.runs.length).toBe(1)
    running.child.kill('SIGINT')
    const { code, stderr } = await running.ended
    expect([code, stderr]).toEqual([130, expect.stringContaining('written   s3://bucket/partial.csv')])
    expect(store.read('partial.csv').toString()).toMatch(/^Apple Inc,pending,/m)
  })

  test.each([
    [['s3://bucket/list.csv', '-o', 's3://bucket/list.csv'], 'OUTPUT_IS_INPUT'],
    [['list.csv', '-o', 'out.csv', '--checkpoint', 's3://bucket/c.sqlite'], 'PATH_IS_ADDRESS'],
    [['list.csv', '-o', 'out.csv', '--report', 's3://bucket/r.html'], 'PATH_IS_ADDRESS'],
    [['s3://bucket/none.csv', '-o', 'out.csv'], 'INPUT_NOT_FOUND'],
    [['list.csv', '-o', 's3://bucket/out.csv', '--mode', 'append'], 'USAGE_INVALID'],
    [['list.csv', '-o', 'out.csv', '--query', 'q.sql'], 'USAGE_INVALID'],
    [['https://user:secret@host.example/list.csv', '-o', 'out.csv'], 'ADDRESS_HAS_SECRET'],
    [['list.csv', '-o', 'https://host.example/out.csv'], 'ADDRESS_INVALID'],
  ])('%j ends with %s and changes nothing', async (args, code) => {
    const place = createPlace()
    place.write('list.csv', 'company\nApple Inc\n')
    const keys = store.keys()
    const { stderr, code: exitCode } = await place.run(args, { env: store.environment })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`error ${code}: `)])
    expect(stderr).toContain('hint: ')
    expect(stderr).not.toContain('secret@')
    expect(store.keys()).toEqual(keys)
  })
})

describe.skipIf(programs === '')('tables', () => {
  let server: PostgresServer
  let url = ''
  const env = { PGPASSWORD: password }
  beforeAll(async () => {
    server = await startPostgres(programs, { auth: 'scram-sha-256' })
    server.sql(`CREATE ROLE etl LOGIN PASSWORD '${password}'`)
    server.sql('CREATE DATABASE crm OWNER etl')
    url = server.url({ user: 'etl', database: 'crm' })
    server.sql(
      `SET ROLE etl;
       CREATE TYPE size AS ENUM ('small', 'large');
       CREATE TABLE suppliers(id int PRIMARY KEY, company text, town text, spend numeric, since timestamptz, tags text[], extra jsonb, kind size, mark bytea);
       INSERT INTO suppliers VALUES
         (1, 'Apple Inc', 'Cupertino', 12345678901234567890.123456789, '2024-01-02 03:04:05.678+02', '{a,"b c",NULL}', '{"x": [1]}', 'small', '\\x00ff'),
         (2, 'Facebook Inc', 'Menlo Park', NULL, NULL, NULL, NULL, NULL, NULL),
         (3, '', 'Nowhere', 0.10, 'infinity', '{}', 'null', 'large', '')`,
      'crm',
    )
  })
  afterAll(() => server.stop())

  const countEqual = (other: string) =>
    server.sql(
      `SELECT count(*) FROM suppliers s JOIN ${other} o USING (id) WHERE (s.company, s.town, s.spend, s.since, s.tags, s.extra, s.kind, s.mark)
       IS NOT DISTINCT FROM (o.company, o.town, o.spend, o.since, o.tags, o.extra, o.kind, o.mark)`,
      'crm',
    )

  test('from table to table, every cell and its type is kept; changes are appended each night', async () => {
    const place = createPlace()
    const night = [
      `${url}#suppliers`,
      '-o',
      `${url}#enriched`,
      '--row-key',
      'id',
      '--changes',
      `${url}#changes`,
    ]
    const first = await place.run(night, { env })
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('are kept as text in files')])
    expect(countEqual('enriched')).toBe('3')
    server.sql("UPDATE suppliers SET company = 'Microsoft Corporation', town = 'Redmond' WHERE id = 2", 'crm')
    const second = await expectUnlisted(password, () => place.run(night, { env }))
    expect(second.code).toBe(0)
    expect(countEqual('enriched')).toBe('3')
    expect(server.sql('SELECT DISTINCT row_key, name FROM changes', 'crm')).toBe('2|Microsoft Corporation')
    expect(server.sql('SELECT enrich_legal_name FROM enriched WHERE id = 2', 'crm')).toBe(
      'Microsoft Corporation',
    )
    expect(listLocalLeftovers(place)).toEqual([])
    expect(findText(place.folder, password)).toEqual([])
    expect(
      server.sql(
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
        'crm',
      ),
    ).toBe('3')
  })

  test('a part of a job reads and writes files', async () => {
    const place = createPlace()
    place.write('list.csv', 'company\nApple Inc\n')
    const part = ['--partition', '1/2', '--job', 'n', '--checkpoint', url]
    for (const args of [
      [`${url}#suppliers`, '-o', 'out.csv'],
      ['list.csv', '-o', `${url}#parts`],
    ]) {
      const { code, stderr } = await place.run([...args, ...part], { env })
      expect([code, stderr]).toEqual([2, expect.stringContaining('error PARTITION_UNSUPPORTED: ')])
    }
  })

  test('doctor tests input and output, and says which one is refused', async () => {
    const place = createPlace()
    place.write(
      'pipeline.config.json',
      JSON.stringify({ input: { paths: [`${url}#suppliers`] }, output: { path: `${url}#doctored` } }),
    )
    const well = await place.run(['doctor'], { env })
    expect([well.code, well.stdout]).toEqual([0, expect.stringContaining('#doctored can be written')])
    expect(server.sql("SELECT to_regclass('doctored') IS NULL", 'crm')).toBe('t')
    const wrong = await place.run(['doctor'], { env: { PGPASSWORD: 'wrong' } })
    expect([wrong.code, wrong.stdout]).toEqual([4, expect.stringContaining('ACCESS_DENIED')])
  })
})

const kinds = ['sqlite', 'duckdb', ...(programs === '' ? [] : (['postgres'] as const))] as const
describe.each(kinds)('tables of %s that are appended to', (kind) => {
  test('have the rows and changes of each night once, although runs were killed before their end', async (context) => {
    const place = createPlace()
    const server = kind === 'postgres' ? await sharedPostgres(programs) : null
    if (server !== null) context.onTestFinished(() => server.stop())
    const proxy = server === null ? null : await startStatementProxy(server.port)
    context.onTestFinished(() => proxy?.close())
    const database =
      server?.url().replace(`:${server.port}/`, `:${proxy?.port}/`) ?? `${kind}:${place.path('data.db')}`
    const connector = { sqlite, duckdb, postgres }[kind]
    const readAll = async (table: string, cells: string) => {
      const query = `SELECT ${cells} FROM ${table}`
      const { path } = await fetchTable(connector, database, { query })
      return queryDuckDb(`FROM '${path}' ORDER BY ALL`)
    }
    let running: RunningCli | null = null
    const kill = () => running?.child.kill('SIGKILL')
    const listener = createServer(kill)
    const notify = ['--notify', `http://127.0.0.1:${await listenOnLoopback(listener)}/`]
    context.onTestFinished(() => closeAtOnce(listener))
    const night = ['in.csv', '-o', `${database}#appended`, '--mode', 'append', '--row-key', 'id']
    night.push('--changes', `${database}#changes`)
    const start = (...flags: string[]) => (running = place.start([...night, ...flags])).ended
    const finish = async () => {
      const { code, stderr } = await place.run(night)
      expect([code, stderr]).toEqual([0, expect.stringContaining('written ')])
    }
    const write = (company: string) =>
      place.write('in.csv', `id,company\n1,Apple Inc\n2,${company}\n3,Microsoft Corporation\n`)
    write('Facebook Inc')
    await finish()
    write('Alphabet Inc')
    let nightCount = 2
    for (let committed = 1; proxy !== null; committed++) {
      let commitCount = 0
      proxy.begin((_number, text) => {
        if (!text.includes('COMMIT') || ++commitCount !== committed) return 'pass'
        kill()
        // The run has ended: only its marks are still there.
        if (text.startsWith('DROP')) nightCount++
        return 'cut_reply'
      })
      if ((await start()).code === null) continue
      nightCount++
      break
    }
    proxy?.begin(() => 'pass')
    // After the first of these nights, rows and changes are in the tables.
    for (let count = 0; count < 2; count++) expect((await start(...notify)).code).toBe(null)
    await finish()
    const nights = (count: number) =>
      ['Alphabet Inc', 'Apple Inc', 'Facebook Inc', 'Microsoft Corporation'].flatMap((name) => {
        const times = name === 'Facebook Inc' ? 1 : name === 'Alphabet Inc' ? count - 1 : count
        return new Array<readonly string[]>(times).fill([name])
      })
    expect(await readAll('appended', 'company')).toEqual(nights(nightCount))
    const changes = await readAll('changes', 'row_key, kind')
    expect(changes).toEqual([['2', 'entity_changed']])
    await finish()
    expect(await readAll('appended', 'company')).toEqual(nights(nightCount + 1))
    expect(await readAll('changes', 'row_key, kind')).toEqual(changes)
    const catalog = kind === 'postgres' ? 'pg_class WHERE relname' : 'sqlite_master WHERE name'
    expect(await readAll(`${catalog} LIKE 'enrich_%'`, 'count(*) AS n')).toEqual([[0n]])
  })
})
