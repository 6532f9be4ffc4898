import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { Client } from 'pg'
import { openSqlite } from '../src/platform/sqlite.js'
import { findPostgres, startPostgres } from '../test/support/postgres-server.js'
import { startS3Store } from '../test/support/s3-store.js'

/**
 * `npm run goldens -- --write FOLDER`: 30 runs of the real command, one folder each with its messages and outputs as text.
 * Write them once before a change and once after it, and compare the two folders with `diff -r`: a change of the structure
 * changes nothing. `--main PATH` runs another build's `dist/cli/main.js`, `--only NAME` one run. Ids, times, ports and
 * durations are replaced. Needs `npm run build` and PostgreSQL.
 */
const { values } = parseArgs({
  options: {
    write: { type: 'string' },
    main: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
    only: { type: 'string' },
  },
})
if (values.write === undefined) throw new Error('pass --write FOLDER')
const target = resolve(values.write)
const main = resolve(values.main)
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const apiKey = 'key-of-the-goldens'

/** A folder in which commands run. What they print is collected. */
interface Place {
  readonly folder: string
  readonly environment: Record<string, string>
  /** Runs a command to its end. `--json` output and messages are part of the golden text. */
  run(...args: string[]): Promise<void>
  /** Starts a command and kills it as soon as the service has `count` submissions. */
  runAndKill(count: number, ...args: string[]): Promise<void>
  print(text: string): void
}

const services: ChildProcess[] = []
const programs = findPostgres()
if (programs === null) throw new Error('PostgreSQL is not installed')
const postgres = await startPostgres(programs)
const s3 = await startS3Store()

/** What differs between two runs of one build. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00(:00)?)?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b(enr|trun|reqa?)_[0-9A-Za-z_-]+|\brun_[0-9A-Za-z]{16,}/g, '<id>'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
  [/process \d+ on \S+/g, 'process <id>'],
  [/[\d.,]+ (submissions|polls?|lookups|rows) (a|per) (minute|second)/g, '<rate>'],
  [/[\d,]+ polls? \([\d.]+ per answer\)/g, '<polls>'],
  [/\b(in|after|about) ([\d.]+ ?(ms|s|min|h|d)\b ?)+/g, '$1 <duration>'],
  [/"(polls?|pollCount|durationMs|seconds|elapsed\w*|\w*Ms|\w*PerMinute)":[\d.]+/g, '"$1":<n>'],
  [/^.* done · .*\n/gm, ''],
  [/"query_time_ms":\d+/g, '"query_time_ms":<n>'],
  // Durations in lists of runs, and charts of what happened when.
  [/(<dd>| {2})[\d.]+(ms|s)\b/g, '$1<duration>'],
  [/<svg[^]*?<\/svg>/g, '<chart>'],
  [/(key|password)=\S+/g, '$1=<secret>'],
]

function normalize(text: string, folder: string): string {
  return volatile.reduce(
    (told, [pattern, stands]) => told.replace(pattern, stands),
    text.replaceAll(folder, '<folder>').replaceAll(fixture(''), '<fixtures>/'),
  )
}

function openPlace(name: string): Place & { end(): void } {
  const folder = mkdtempSync(join(tmpdir(), `enrich-golden-`))
  const printed: string[] = []
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    XDG_STATE_HOME: join(folder, '.state'),
    XDG_CACHE_HOME: join(tmpdir(), 'enrich-golden-cache'),
    ...s3.environment,
  }
  cpSync(fixture('companies.csv'), join(folder, 'companies.csv'))
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [main, ...args], { cwd: folder, env: environment })
  const run = async (...args: string[]) => {
    const child = start(args)
    const [out, told]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => told.push(chunk))
    child.stdin.end()
    await once(child, 'close')
    printed.push(`$ enrich ${args.join(' ')}\n`, String(Buffer.concat(told)), String(Buffer.concat(out)))
    printed.push(`(exit ${String(child.exitCode)})\n\n`)
  }
  return {
    folder,
    environment,
    run,
    print: (text) => printed.push(text),
    runAndKill: async (count, ...args) => {
      const child = start([...args, '--quiet'])
      const exited = once(child, 'exit')
      const isEnough = () => {
        try {
          return countRows(join(folder, '.enrich/checkpoint.sqlite'), 'submissions') >= count
        } catch {
          return false
        }
      }
      while (child.exitCode === null && !isEnough()) await new Promise((done) => setTimeout(done, 5))
      child.kill('SIGKILL')
      await exited
    },
    end: () => {
      mkdirSync(join(target, name), { recursive: true })
      writeFileSync(join(target, name, 'printed.txt'), normalize(printed.join(''), folder))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function countRows(path: string, table: string): number {
  const database = openSqlite(path, { synchronous: 'NORMAL' })
  try {
    return database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0
  } finally {
    database.close()
  }
}

/** Writes a file of the run as text: tables as JSON lines, workbooks as the XML of their sheets. */
async function keep(place: Place, name: string, ...files: string[]): Promise<void> {
  const folder = join(target, name)
  mkdirSync(folder, { recursive: true })
  for (const file of files) {
    const path = join(place.folder, file)
    const text = existsSync(path) ? await readAsText(path) : '(there is no such file)'
    writeFileSync(join(folder, `${file.replaceAll('/', '_')}.txt`), normalize(text, place.folder))
  }
}

async function readAsText(path: string): Promise<string> {
  if (path.endsWith('.parquet')) return query(null, `SELECT * FROM '${path}'`)
  if (path.endsWith('.gz')) return String(gunzipSync(readFileSync(path)))
  if (path.endsWith('.xlsx'))
    return execFileSync('python3', ['-c', readSheets, path], { encoding: 'utf8', maxBuffer: 1e9 })
  return readFileSync(path, 'utf8')
}

const readSheets = `
import sys, zipfile
book = zipfile.ZipFile(sys.argv[1])
for name in sorted(book.namelist()):
    print('==', name)
    print(book.read(name).decode())`

/** Rows of a query in DuckDB as JSON lines. */
async function query(file: string | null, sql: string): Promise<string> {
  const instance = await DuckDBInstance.create(file ?? ':memory:')
  const connection = await instance.connect()
  try {
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
    return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Starts a service of this build on a free port. Returns the environment of its clients. */
async function serve(place: Place): Promise<void> {
  const args = ['serve', '--listen', '127.0.0.1:0', '--limits', 'none', '--research-seconds', '0:0']
  const child = spawn(process.execPath, [main, ...args, '--data', join(place.folder, '.service')], {
    cwd: place.folder,
    env: { ...place.environment, ENRICH_SERVE_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  services.push(child)
  let told = ''
  for await (const chunk of child.stderr) {
    told += String(chunk)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(told)
    if (url === null) continue
    child.stderr.resume()
    Object.assign(place.environment, { ENRICH_BASE_URL: url[0], ENRICH_API_KEY: apiKey })
    writeFileSync(
      join(place.folder, 'pipeline.config.json'),
      JSON.stringify({
        limits: { submitPerMinute: 12_000, pollPerMinute: 24_000 },
        polling: { firstAfterSeconds: 0, intervalSeconds: 0.1 },
      }),
    )
    return
  }
  throw new Error(`the service did not start: ${told}`)
}

async function request(place: Place, method: string, path: string, body?: unknown): Promise<void> {
  const reply = await fetch(`${place.environment['ENRICH_BASE_URL'] ?? ''}${path}`, {
    method,
    headers: { apikey: apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  place.print(`${method} ${path}\n${reply.status}\n${await reply.text()}\n\n`)
}

const all = ['entity', 'hierarchy', 'domain'].join(',')
const csv = 'companies.csv'

/** Runs from a first input to outputs, by name. Each writes what is compared. */
const runs: Readonly<Record<string, (place: Place, name: string) => Promise<void>>> = {
  ...Object.fromEntries(
    ['out.csv', 'out.parquet', 'out.ndjson', 'out.xlsx', 'out.csv.gz', 'out.ndjson.gz'].map((output) => [
      `csv-to-${output.slice(4)}`,
      async (place: Place, name: string) => {
        await place.run('plan', csv)
        await place.run(csv, '-o', output)
        await place.run(csv, '-o', output)
        await keep(place, name, output, 'out.csv.basis.csv')
      },
    ]),
  ),
  ...Object.fromEntries(
    ['parquet', 'ndjson', 'xlsx', 'csv.gz'].map((format) => [
      `${format}-to-csv`,
      async (place: Place, name: string) => {
        await place.run(csv, '-o', `again.${format}`, '--columns', 'status')
        await place.run(`again.${format}`, '-o', 'out.csv', '--prefix', 'new_')
        await keep(place, name, 'out.csv', 'out.csv.basis.csv')
      },
    ]),
  ),
  ...Object.fromEntries(
    ['inline', 'none', 'file'].map((basis) => [
      `basis-${basis}`,
      async (place: Place, name: string) => {
        await place.run(csv, '-o', 'out.csv', '--basis', basis, '--limit', '40')
        await keep(place, name, 'out.csv', 'out.csv.basis.csv')
      },
    ]),
  ),
  budget: async (place, name) => {
    await place.run(csv, '-o', 'out.csv', '--max-lookups', '20', '--partial')
    await place.run('status')
    await place.run(csv, '-o', 'out.csv')
    await keep(place, name, 'out.csv')
  },
  stages: async (place, name) => {
    await place.run(csv, '-o', 'out.ndjson', '--with', all)
    await place.run('status', '--json')
    await keep(place, name, 'out.ndjson')
  },
  hosted: async (place, name) => {
    await serve(place)
    await place.run(csv, '-o', 'out.parquet', '--report', 'report.html')
    await place.run('status')
    await keep(place, name, 'out.parquet', 'report.html')
  },
  'hosted-killed': async (place, name) => {
    await serve(place)
    await place.runAndKill(30, csv, '-o', 'out.csv')
    await place.runAndKill(90, csv, '-o', 'out.csv')
    await place.run(csv, '-o', 'out.csv', '--resubmit-uncertain', '--quiet')
    await keep(place, name, 'out.csv', 'out.csv.basis.csv')
  },
  'hosted-stages': async (place, name) => {
    await serve(place)
    await place.run(csv, '-o', 'out.ndjson', '--with', all, '--json', '--quiet')
    await keep(place, name, 'out.ndjson')
  },
  'embedded-killed': async (place, name) => {
    await place.runAndKill(40, csv, '-o', 'out.csv')
    await place.run(csv, '-o', 'out.csv', '--quiet')
    await keep(place, name, 'out.csv', 'out.csv.basis.csv')
  },
  'shared-checkpoint': async (place, name) => {
    const checkpoint = ['--checkpoint', postgres.createDatabase('shared')]
    await place.run(csv, '-o', 'out.csv', ...checkpoint)
    await place.run('status', ...checkpoint)
    await place.run('export', csv, '-o', 'again.ndjson', ...checkpoint)
    await keep(place, name, 'out.csv', 'out.csv.basis.csv', 'again.ndjson')
  },
  'shared-stages': async (place, name) => {
    const checkpoint = ['--checkpoint', postgres.createDatabase('stages')]
    await serve(place)
    await place.run(csv, '-o', 'out.ndjson', '--with', all, '--quiet', ...checkpoint)
    await keep(place, name, 'out.ndjson')
  },
  partitions: async (place, name) => {
    const checkpoint = ['--checkpoint', postgres.createDatabase('partitions')]
    for (const part of ['1/3', '2/3', '3/3'])
      await place.run(csv, '-o', 'out.csv', '--partition', part, '--job', 'golden', ...checkpoint)
    await place.run('collect', '--job', 'golden', '-o', 'whole.csv', ...checkpoint)
    await keep(place, name, 'whole.csv')
  },
  'moved-to-server': async (place, name) => {
    await place.run(csv, '-o', 'out.csv', '--limit', '60')
    const server = postgres.createDatabase('moved')
    await place.run('checkpoint', 'migrate', '.enrich/checkpoint.sqlite', server)
    await place.run(csv, '-o', 'out.csv', '--checkpoint', server)
    await keep(place, name, 'out.csv')
  },
  postgres: async (place) => {
    const url = postgres.createDatabase('rows')
    await place.run(csv, '-o', `${url}#input`, '--columns', 'status')
    await place.run(`${url}#input`, '-o', `${url}#output`, '--prefix', 'new_')
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ row: string }>('SELECT row_to_json(o)::text AS row FROM output o')
    for (const { row } of rows) place.print(`${row}\n`)
    await client.end()
  },
  sqlite: async (place) => {
    await place.run(csv, '-o', 'sqlite:data.sqlite#input', '--columns', 'status')
    await place.run('sqlite:data.sqlite#input', '-o', 'sqlite:data.sqlite#output', '--prefix', 'new_')
    const database = openSqlite(join(place.folder, 'data.sqlite'), { synchronous: 'NORMAL' })
    for (const row of database.prepare('SELECT * FROM output').all()) place.print(`${JSON.stringify(row)}\n`)
    database.close()
  },
  duckdb: async (place) => {
    await place.run(csv, '-o', 'duckdb:data.duckdb#input', '--columns', 'status')
    await place.run('duckdb:data.duckdb#input', '-o', 'duckdb:data.duckdb#output', '--prefix', 'new_')
    place.print(await query(join(place.folder, 'data.duckdb'), 'SELECT * FROM output'))
  },
  objects: async (place) => {
    await place.run(csv, '-o', 's3://bucket/input.csv', '--columns', 'status')
    await place.run('s3://bucket/input.csv', '-o', 's3://bucket/output.ndjson', '--prefix', 'new_')
    place.print(String(s3.read('output.ndjson')))
  },
  changes: async (place, name) => {
    await place.run(csv, '-o', 'out.csv', '--changes', 'changes.csv', '--limit', '80')
    await place.run(csv, '-o', 'out.csv', '--changes', 'changes.csv', '--report', 'report.html')
    await place.run('diff', '-o', 'diff.ndjson')
    await place.run('runs')
    await keep(place, name, 'changes.csv', 'diff.ndjson', 'report.html')
  },
  'own-registry': async (place, name) => {
    const own = 'id,name,country\n1,Apple Inc.,US\n2,Nokia Oyj,FI\n3,SAP SE,DE\n'
    writeFileSync(join(place.folder, 'own.csv'), own)
    await place.run('registry', 'import', 'csv', 'own.csv', '--registry', 'own.sqlite')
    await serve(place)
    await place.run(csv, '-o', 'out.csv', '--first', 'own.sqlite', '--quiet')
    await keep(place, name, 'out.csv')
  },
  help: async (place) => {
    await place.run('--help')
    await place.run('--help-all')
    for (const command of commands) await place.run(command, '--help')
  },
  replies: async (place) => {
    await serve(place)
    const apple = { name: 'Apple', location: 'Cupertino' }
    for (const [method, path, body] of [
      ['POST', '/v3/entity-resolution/async', apple],
      ['POST', '/v3/entity-resolution/async', { location: 'Cupertino' }],
      ['GET', '/v2/search?name=Apple'],
      ['GET', '/v2/entity-resolution/async?name=Apple'],
      ['GET', '/v1/entities/unknown'],
      ['GET', '/v3/jobs/unknown'],
      ['GET', '/v3/runs/unknown'],
      ['GET', '/openapi.json'],
      ['GET', '/nowhere'],
    ] as const)
      await request(place, method, path, body)
  },
}
const commands =
  'run plan status export retry review runs diff report collect reconcile checkpoint registry serve accounts api receive mcp init doctor completion'.split(
    ' ',
  )

try {
  for (const [name, run] of Object.entries(runs)) {
    if (values.only !== undefined && values.only !== name) continue
    const place = openPlace(name)
    await run(place, name)
    place.end()
    for (const service of services.splice(0)) service.kill('SIGKILL')
    process.stderr.write(`${name}\n`)
  }
} finally {
  for (const service of services) service.kill('SIGKILL')
  await s3.close()
  await postgres.stop()
}
