import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AwsClient } from 'aws4fetch'
import { findPostgres, startPostgres } from '../test/support/postgres-server.js'
import { startS3Store } from '../test/support/s3-store.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const distinctCount = 2_000
const roundCount = 3

/**
 * A run again over rows that are all answered: from file to file, from table to table and from object to object. Table and
 * object are compared with the file, plus a copy of the same input and output by `psql` or a plain transfer.
 */
export async function reportPlaces(say: Say, rowCount: number): Promise<void> {
  const programs = findPostgres()
  if (programs === null) {
    say('PostgreSQL is not installed')
    return
  }
  const folder = mkdtempSync(join(diskFolder(), 'enrich-places-'))
  const server = await startPostgres(programs)
  const store = await startS3Store()
  try {
    const input = join(folder, 'in.csv')
    await writeRows(input, rowCount)
    const url = server.url()
    const psql = (text: string) =>
      execFileSync(join(programs, 'psql'), [url, '-XAtqc', text], {
        encoding: 'utf8',
        env: { ...process.env, PGOPTIONS: '-c client_min_messages=warning' },
      })
    psql('CREATE TABLE rows(id int, company text, amount numeric(12,2), since timestamp)')
    psql(`\\copy rows FROM '${input}' WITH (FORMAT csv, HEADER)`)
    const objects = openObjects(store)
    await objects.put('in.csv', input)
    const run = (from: string, to: string) =>
      measure(from, to, join(folder, 'checkpoint.sqlite'), store.environment)
    const out = join(folder, 'out.csv')
    await run(input, out)
    await run(`${url}#rows`, `${url}#enriched`)
    await run('s3://bucket/in.csv', 's3://bucket/out.csv')
    const takes = { files: [], tables: [], psql: [], objects: [], transfer: [] } as Record<string, Take[]>
    for (let round = 0; round < roundCount; round++) {
      takes['files']?.push(await run(input, out))
      takes['tables']?.push(await run(`${url}#rows`, `${url}#enriched`))
      takes['psql']?.push(
        time(() => {
          psql(`\\copy rows TO '${join(folder, 'copied.csv')}' WITH (FORMAT csv, HEADER)`)
          psql(`\\copy enriched TO '${join(folder, 'enriched.csv')}' WITH (FORMAT csv, HEADER)`)
          psql('CREATE TABLE IF NOT EXISTS copied (LIKE enriched); TRUNCATE copied')
          psql(`\\copy copied FROM '${join(folder, 'enriched.csv')}' WITH (FORMAT csv, HEADER)`)
        }),
      )
      takes['objects']?.push(await run('s3://bucket/in.csv', 's3://bucket/out.csv'))
      const startedAtMs = performance.now()
      await objects.get('in.csv', join(folder, 'got.csv'))
      await objects.put('again.csv', out)
      takes['transfer']?.push({ ms: performance.now() - startedAtMs, peakBytes: 0 })
    }
    const median = (name: string) => middle((takes[name] ?? []).map(({ ms }) => ms))
    const peak = (name: string) => Math.max(...(takes[name] ?? []).map(({ peakBytes }) => peakBytes))
    const megabytes = (name: string) => grouped(peak(name) / 1e6)
    say(
      `  rows                              ${grouped(rowCount)}, ${grouped(statSync(input).size / 1e6)} MB in, ${grouped(statSync(out).size / 1e6)} MB out`,
    )
    say(
      `  table to table / (files + psql)   ${ratio(median('tables') / (median('files') + median('psql')))}   (limit 1.3)`,
    )
    say(
      `  object to object / (files + copy) ${ratio(median('objects') / (median('files') + median('transfer')))}   (limit 1.3)`,
    )
    say(
      `  peak memory in MB                 files ${megabytes('files')}, tables ${megabytes('tables')}, objects ${megabytes('objects')}`,
    )
    say(
      `  same cells as the file            tables ${String(isSameTable(psql, out))}, objects ${String(hash(readFileSync(out)) === hash(store.read('out.csv')))}`,
    )
  } finally {
    await store.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Take {
  readonly ms: number
  /** 0 if not measured. */
  readonly peakBytes: number
}

function time(work: () => void): Take {
  const startedAtMs = performance.now()
  work()
  return { ms: performance.now() - startedAtMs, peakBytes: 0 }
}

async function measure(
  from: string,
  to: string,
  checkpoint: string,
  env: Readonly<Record<string, string>>,
): Promise<Take> {
  const report = `${checkpoint}.peak`
  const files = [from, '-o', to, '--basis', 'none', '--checkpoint', checkpoint]
  const command = [process.execPath, main, ...files, '--name-column', 'company', '--quiet']
  const startedAtMs = performance.now()
  // The store is in this process, so that it must not wait.
  const child = spawn('/usr/bin/env', ['time', '-f', '%M', '-o', report, ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
  const ms = performance.now() - startedAtMs
  if (child.exitCode !== 0) throw new Error(`the run ended with exit code ${String(child.exitCode)}`)
  return { ms, peakBytes: Number(readFileSync(report, 'utf8').trim().split('\n').at(-1)) * 1024 }
}

async function writeRows(path: string, rowCount: number): Promise<void> {
  const file = createWriteStream(path)
  file.write('id,company,amount,since\n')
  const linesPerWrite = 10_000
  for (let first = 0; first < rowCount; first += linesPerWrite) {
    const lines = Array.from({ length: Math.min(linesPerWrite, rowCount - first) }, (_, at) => {
      const id = first + at
      return `${id},Company ${id % distinctCount},${(id % 9_973) / 100},2026-01-02 03:04:05\n`
    })
    if (!file.write(lines.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

function openObjects({ endpoint, environment }: Awaited<ReturnType<typeof startS3Store>>) {
  const client = new AwsClient({
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  })
  const send = async (key: string, init: RequestInit) => {
    const reply = await client.fetch(`${endpoint}/bucket/${key}`, init)
    if (!reply.ok) throw new Error(`the store refused ${key}: ${reply.status}`)
    return Buffer.from(await reply.arrayBuffer())
  }
  return {
    put: (key: string, path: string) => send(key, { method: 'PUT', body: readFileSync(path) }),
    get: async (key: string, path: string) => {
      writeFileSync(path, await send(key, {}))
    },
  }
}

/** Columns with the same text in both; times, JSON and numbers with decimals are written differently. */
const comparedNames = [
  'id',
  'company',
  'since',
  'enrich_status',
  'enrich_confidence',
  'enrich_legal_name',
  'enrich_reason',
]

/** Whether the enriched table has the cells of the output file. */
function isSameTable(psql: (text: string) => string, out: string): boolean {
  const names = execFileSync('head', ['-n', '1', out], { encoding: 'utf8' }).trim().split(',')
  const texts = comparedNames.map((name) => `coalesce("${name}"::text, '')`).join(` || '|' || `)
  const digest = (table: string) => psql(`SELECT count(*), sum(hashtextextended(${texts}, 0)) FROM ${table}`)
  psql(`CREATE TABLE of_file (${names.map((name) => `"${name}" text`).join(', ')})`)
  psql(`\\copy of_file FROM '${out}' WITH (FORMAT csv, HEADER)`)
  const amounts = psql(
    'SELECT count(*) FROM of_file f JOIN enriched e ON f.id = e.id::text WHERE f.amount::numeric IS DISTINCT FROM e.amount',
  )
  return digest('of_file') === digest('enriched') && Number(amounts) === 0
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const middle = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
