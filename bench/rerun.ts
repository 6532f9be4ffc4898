import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { columnKinds } from '../src/pipeline/answers/column-kinds.js'
import { answerColumns, selectColumns } from '../src/pipeline/answers/columns.js'
import type { RunEvent } from '../src/pipeline/history/run-summary.js'
import { openDuckDb, quoteSqlPath } from '../src/parquet/duckdb.js'
import { quoteSqlText } from '../src/core/text.js'
import type { CsvPass } from './csv-peer.js'
import type { Statement } from './duckdb-peer.js'
import { runMetered, runPeer, type Metered } from './metered.js'
import { deadBaseUrl, keyColumns, rerunWorld, type RerunShape, type RerunWorld } from './rerun-world.js'
import { grouped, ratio, type Say } from './support.js'

const writtenColumns = selectColumns({ prefix: 'enrich_', basis: 'inline' })
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** The command over rows that are all answered: reading, joining and writing, and nothing to ask. */
export async function reportRerun(
  say: Say,
  shape: RerunShape,
  formats: readonly ('csv' | 'parquet')[] = ['csv', 'parquet'],
): Promise<void> {
  const { rowCount, extraColumnCount } = shape
  if (!existsSync(main)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const madeFromMs = performance.now()
  const world = await rerunWorld(shape)
  const madeSeconds = (performance.now() - madeFromMs) / 1000
  say(
    `  ${grouped(rowCount)} rows of ${grouped(10 + extraColumnCount)} columns, ${grouped(world.lookupCount)} companies, ${writtenColumns.length} columns added; ` +
      `in ${world.folder} after ${madeSeconds.toFixed(0)} s`,
  )
  const folder = mkdtempSync(join(world.folder, 'run-'))
  try {
    for (const format of formats) {
      const ours = join(folder, 'ours.parquet')
      const theirs = join(folder, 'theirs.parquet')
      // The first run into a history records every row, the next one finds nothing new.
      const checkpoint = join(folder, `${format}.sqlite`)
      copyFileSync(world.checkpoint, checkpoint)
      const first = await runEnrich(world, checkpoint, world[format], ours, rowCount)
      say(`  ${format} to parquet, first run: ${figuresOf(first, rowCount)}`)
      const run = await runEnrich(world, checkpoint, world[format], ours, rowCount)
      say(`    next run: ${figuresOf(run, rowCount)}`)
      const peer = await runPeer('./duckdb-peer.ts', await joinStatement(world, format, ours, theirs, folder))
      await assertSame(folder, ours, theirs)
      say(`    the same join in DuckDB alone: ${figuresOf(peer, rowCount)}`)
      say(`    ours to DuckDB's: first run ${ratiosOf(first, peer)}`)
      say(`                      next run ${ratiosOf(run, peer)}`)
      const [ourBytes, theirBytes] = [ours, theirs].map((path) => grouped(statSync(path).size / 1_000_000))
      say(`    outputs alike: ${ourBytes ?? ''} MB and ${theirBytes ?? ''} MB`)
      if (format === 'csv') {
        const pass: CsvPass = { from: world.csv, to: join(folder, 'pass.csv') }
        const plain = await runPeer('./csv-peer.ts', pass)
        say(
          `    csv-parse into csv-stringify: ${figuresOf(plain, rowCount)}; ours to that: ${ratiosOf(run, plain)}`,
        )
      }
      rmSync(ours)
      rmSync(theirs)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function figuresOf({ wallMs, cpuMs, peakBytes }: Metered, rowCount: number): string {
  const seconds = wallMs / 1000
  return (
    `${seconds.toFixed(1)} s, ${grouped(rowCount / seconds)} rows a second, ` +
    `${(cpuMs / 1000).toFixed(1)} s of CPU, ${grouped(peakBytes / 1_000_000)} MB at the peak`
  )
}

const ratiosOf = (run: Metered, peer: Metered): string =>
  `${ratio(run.wallMs / peer.wallMs)} of the time, ${ratio(run.cpuMs / peer.cpuMs)} of the CPU, ` +
  `${ratio(run.peakBytes / peer.peakBytes)} of the memory`

/** Throws unless every row was answered before and nothing was submitted. */
async function runEnrich(
  world: RerunWorld,
  checkpoint: string,
  from: string,
  to: string,
  rowCount: number,
): Promise<Metered> {
  const args = [main, from, '-o', to, '--checkpoint', checkpoint, '--base-url', deadBaseUrl, '--json']
  const run = await runMetered(args, {
    cwd: world.folder,
    env: { ENRICH_API_KEY: 'key-of-the-rerun-bench' },
  })
  const events = run.stdout.trim().split('\n')
  const finished = events
    .map((line) => JSON.parse(line) as RunEvent)
    .find((event) => event.type === 'finished')
  if (finished === undefined) throw new Error('the run told no summary')
  const { summary } = finished
  const { billedCount, pollCount, pendingCount, cachedCount, lookupCount } = summary
  if (
    summary.rowCount !== rowCount ||
    cachedCount !== lookupCount ||
    billedCount + pollCount + pendingCount > 0
  )
    throw new Error(`not all was answered before: ${JSON.stringify(summary)}`)
  return run
}

/** Read, hash join, write: in groups as large as ours, so that both write the same file. */
async function joinStatement(
  world: RerunWorld,
  format: 'csv' | 'parquet',
  ours: string,
  to: string,
  temporaryFolder: string,
): Promise<Statement> {
  const [groupRows] = await query(
    temporaryFolder,
    `SELECT max(row_group_num_rows) FROM parquet_metadata(${quoteSqlPath(ours)})`,
  )
  const read =
    format === 'csv'
      ? `read_csv(${quoteSqlPath(world.csv)}, header = true, all_varchar = true)`
      : `read_parquet(${quoteSqlPath(world.parquet)})`
  const known = new Set<string>(answerColumns.map(({ name }) => name))
  const added = writtenColumns.map(({ name, kind, outputName }) => {
    // Nobody decided anything, and no candidates were kept.
    const value = known.has(name) ? `answer.${name}` : `NULL::${columnKinds[kind].sqlType}`
    return `${value} AS ${outputName}`
  })
  const on = keyColumns.map((name) => `input.${name} = answer.asked_${name}`)
  return {
    sql:
      `COPY (SELECT input.*, ${added.join(', ')} FROM ${read} AS input ` +
      `LEFT JOIN read_parquet(${quoteSqlPath(world.answers)}) AS answer ON ${on.join(' AND ')}) ` +
      `TO ${quoteSqlText(to)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${String(groupRows)})`,
    temporaryFolder,
  }
}

/** Throws unless both files hold the same rows, and ours in the order of the input: the peer's join keeps none. */
async function assertSame(folder: string, ours: string, theirs: string): Promise<void> {
  const fingerprint = (path: string) =>
    query(
      folder,
      `SELECT count(*), bit_xor(hash(o)), sum(hash(o)) FROM read_parquet(${quoteSqlPath(path)}) AS o`,
    )
  const [one, other] = [String(await fingerprint(ours)), String(await fingerprint(theirs))]
  if (one !== other) throw new Error(`the outputs differ (rows, hashes): ours ${one}, the peer's ${other}`)
  const [misplaced] = await query(
    folder,
    `SELECT count(*) FROM read_parquet(${quoteSqlPath(ours)}, file_row_number = true)
     WHERE row_id::BIGINT <> file_row_number + 1`,
  )
  if (misplaced !== 0n) throw new Error(`${String(misplaced)} rows are out of order`)
}

/** The one row of a result. */
async function query(folder: string, sql: string): Promise<readonly unknown[]> {
  const duckDb = await openDuckDb(folder)
  try {
    return (await duckDb.all(sql))[0] ?? []
  } finally {
    duckDb.close()
  }
}
