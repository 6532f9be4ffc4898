import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { DuckDBInstance } from '@duckdb/node-api'
import { openSqlite } from '../src/platform/sqlite.js'
import { findPostgres, startPostgres } from '../test/support/postgres-server.js'
import { startS3Store } from '../test/support/s3-store.js'

interface OutputRow {
  readonly name: string
  readonly status: string
}

export interface KillAddresses {
  readonly input: string
  readonly output: string
  /** Flags that the addresses need. */
  readonly flags?: readonly string[]
}

/** Where the kills read the rows from, and where they write them to. */
export interface KillPlace {
  readonly environment: Readonly<Record<string, string>>
  /** Writes the input of a job. Returns the addresses of input and output. */
  prepare(job: number, folder: string, names: readonly string[]): Promise<KillAddresses>
  /** Rows of the output in the order of the input; null if there is none yet. */
  readOutput(job: number, folder: string): Promise<readonly OutputRow[] | null>
  /** Staging tables, unfinished uploads and other objects that a killed run left. */
  listLeftovers(job: number): Promise<readonly string[]>
  /** Rows that a killed run wrote in a wrong place; only where a killed run can leave a part of the output. */
  countTornRows?(folder: string, names: readonly string[]): number
  close(): Promise<void>
}

const placeKinds = ['files', 'stdio', 'postgres', 's3', 'sqlite', 'duckdb'] as const
type PlaceKind = (typeof placeKinds)[number]

/** Opens a place, or two as `postgres+s3`: rows are read from the first and written to the second. */
export async function openPlaces(text: string): Promise<KillPlace> {
  const kinds = text.split('+').map((name) => placeKinds.find((kind) => kind === name))
  const [from, to = from] = kinds
  if (from === undefined || to === undefined || kinds.length > 2)
    throw new Error(`--through takes ${placeKinds.join(', ')}, or two of them as postgres+s3`)
  const source = await openPlace(from)
  if (from === to) return source
  const target = await openPlace(to)
  return {
    environment: { ...source.environment, ...target.environment },
    prepare: async (...job) => {
      const [first, second] = [await source.prepare(...job), await target.prepare(...job)]
      return {
        input: first.input,
        output: second.output,
        flags: [...new Set([first, second])].flatMap(({ flags = [] }) => flags),
      }
    },
    readOutput: (job, folder) => target.readOutput(job, folder),
    listLeftovers: async (job) => [
      ...(await source.listLeftovers(job)),
      ...(await target.listLeftovers(job)),
    ],
    close: async () => {
      await source.close()
      await target.close()
    },
  }
}

function openPlace(kind: PlaceKind): Promise<KillPlace> {
  switch (kind) {
    case 'files':
      return Promise.resolve(files)
    case 'stdio':
      return Promise.resolve(stdio)
    case 'postgres':
      return openPostgresPlace()
    case 's3':
      return openS3Place()
    case 'sqlite':
      return Promise.resolve(sqlite)
    case 'duckdb':
      return Promise.resolve(duckdb)
  }
}

const toCsv = (names: readonly string[]) =>
  `line,name\n${names.map((name, line) => `${line},${name}\n`).join('')}`
const parseOutput = (content: Buffer): readonly OutputRow[] =>
  parse<Record<string, string>>(content, { columns: true }).map((row) => ({
    name: row['name'] ?? '',
    status: row['enrich_status'] ?? '',
  }))
const close = () => Promise.resolve()
const none = () => Promise.resolve([])

const files: KillPlace = {
  environment: {},
  prepare: (_job, folder, names) => {
    writeFileSync(join(folder, 'in.csv'), toCsv(names))
    return Promise.resolve({ input: join(folder, 'in.csv'), output: join(folder, 'out.csv') })
  },
  readOutput: (_job, folder) => {
    try {
      return Promise.resolve(parseOutput(readFileSync(join(folder, 'out.csv'))))
    } catch {
      return Promise.resolve(null)
    }
  },
  listLeftovers: none,
  close,
}

/** Standard input and output; the kills connect them to these files. */
const stdio: KillPlace = {
  environment: {},
  prepare: (_job, folder, names) => {
    writeFileSync(join(folder, 'in.csv'), toCsv(names))
    const flags = ['--input-format', 'csv', '--format', 'csv', '--job', 'stdio']
    return Promise.resolve({ input: '-', output: '-', flags })
  },
  readOutput: (_job, folder) => Promise.resolve(parseOutput(readFileSync(join(folder, 'stdout')))),
  listLeftovers: none,
  countTornRows: (folder, names) => {
    // The last line may be cut; this writes no line breaks in cells.
    const lines = readFileSync(join(folder, 'stdout'), 'utf8').split('\n').slice(1, -1)
    return lines.filter((line, at) => !line.startsWith(`${at},${names[at] ?? ''},`)).length
  },
  close,
}

const literals = (names: readonly string[]) => names.map((name, at) => `(${at}, '${name}')`).join(', ')

async function openPostgresPlace(): Promise<KillPlace> {
  const programs = findPostgres()
  if (programs === null) throw new Error('PostgreSQL is not installed')
  const server = await startPostgres(programs)
  const url = server.url()
  return {
    environment: {},
    prepare: (job, _folder, names) => {
      server.sql(`CREATE TABLE in_${job} AS SELECT * FROM (VALUES ${literals(names)}) v(line, name)`)
      return Promise.resolve({ input: `${url}#in_${job}`, output: `${url}#out_${job}` })
    },
    readOutput: (job) => {
      if (server.sql(`SELECT to_regclass('out_${job}') IS NULL`) === 't') return Promise.resolve(null)
      const rows = server.sql(
        `SELECT json_build_object('name', name, 'status', enrich_status) FROM out_${job} ORDER BY line::integer`,
      )
      return Promise.resolve(rows.split('\n').map((row) => JSON.parse(row) as OutputRow))
    },
    listLeftovers: () => {
      const names = server.sql(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
      )
      return Promise.resolve(names.split('\n').filter((name) => !/^(in|out)_\d+$/.test(name)))
    },
    close: () => server.stop(),
  }
}

async function openS3Place(): Promise<KillPlace> {
  const store = await startS3Store()
  return {
    environment: store.environment,
    prepare: async (job, _folder, names) => {
      const { AwsClient } = await import('aws4fetch')
      const client = new AwsClient({
        accessKeyId: store.environment['AWS_ACCESS_KEY_ID'] ?? '',
        secretAccessKey: store.environment['AWS_SECRET_ACCESS_KEY'] ?? '',
        service: 's3',
        region: 'us-east-1',
      })
      const put = await client.fetch(`${store.endpoint}/bucket/in-${job}.csv`, {
        method: 'PUT',
        body: toCsv(names),
      })
      if (!put.ok) throw new Error(`the store refused the input: ${put.status}`)
      return { input: `s3://bucket/in-${job}.csv`, output: `s3://bucket/out-${job}.csv` }
    },
    readOutput: (job) => {
      try {
        return Promise.resolve(parseOutput(store.read(`out-${job}.csv`)))
      } catch {
        return Promise.resolve(null)
      }
    },
    listLeftovers: () =>
      Promise.resolve([
        ...store.uploads(),
        ...store.keys().filter((key) => !/^(in|out)-\d+\.csv(\.basis\.csv)?$/.test(key)),
      ]),
    close: () => store.close(),
  }
}

const sqlite: KillPlace = {
  environment: {},
  prepare: (_job, folder, names) => {
    const database = openSqlite(join(folder, 'data.sqlite'), { synchronous: 'NORMAL' })
    database.exec(
      `CREATE TABLE companies(line INTEGER, name TEXT); INSERT INTO companies VALUES ${literals(names)}`,
    )
    database.close()
    const address = `sqlite:${join(folder, 'data.sqlite')}`
    return Promise.resolve({ input: `${address}#companies`, output: `${address}#enriched` })
  },
  readOutput: (_job, folder) => {
    const database = openSqlite(join(folder, 'data.sqlite'), { synchronous: 'NORMAL' })
    try {
      return Promise.resolve(
        database
          .prepare<[], OutputRow>(
            'SELECT name, enrich_status AS status FROM enriched ORDER BY CAST(line AS INTEGER)',
          )
          .all(),
      )
    } catch {
      return Promise.resolve(null)
    } finally {
      database.close()
    }
  },
  listLeftovers: none,
  close,
}

const runDuckDb = async (folder: string, sql: string) => {
  const instance = await DuckDBInstance.create(join(folder, 'data.duckdb'))
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRows()
  } finally {
    // An open connection keeps the lock of the file.
    connection.closeSync()
    instance.closeSync()
  }
}

const duckdb: KillPlace = {
  environment: {},
  prepare: async (_job, folder, names) => {
    await runDuckDb(
      folder,
      `CREATE TABLE companies AS SELECT * FROM (VALUES ${literals(names)}) v(line, name)`,
    )
    const address = `duckdb:${join(folder, 'data.duckdb')}`
    return { input: `${address}#companies`, output: `${address}#enriched` }
  },
  readOutput: async (_job, folder) => {
    const rows = await runDuckDb(
      folder,
      'SELECT name, enrich_status FROM enriched ORDER BY CAST(line AS INTEGER)',
    ).catch(() => null)
    return rows?.map(([name, status]) => ({ name: String(name), status: String(status) })) ?? null
  },
  listLeftovers: none,
  close,
}
