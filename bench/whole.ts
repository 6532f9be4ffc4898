import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDuckDb, quoteSqlPath } from '../src/parquet/duckdb.js'
import { quoteSqlText } from '../src/core/text.js'
import type { RunEvent } from '../src/pipeline/history/run-summary.js'
import type { Statement } from './duckdb-peer.js'
import type { MatcherFigures, MatcherWork } from './matcher-peer.js'
import { runMetered, runPeer, type Metered } from './metered.js'
import { grouped, ratio, type Say } from './support.js'
import { wholeWorld, type WholeWorld } from './whole-world.js'
import { readJsonLines } from '../test/support/json-lines.js'

const built = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const main = built('cli/main.js')

/** How much of the matcher's own CPU a row may cost, from the first row read to the file written. */
const matcherCpuTimesMax = 2.5

/** The whole of it on the embedded service: from the first row read to the file written. */
export async function reportWhole(say: Say, nameCount = 100_000, companyCount = 90_000): Promise<void> {
  if (!existsSync(main)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const world = await wholeWorld(companyCount, nameCount)
  say(`  ${grouped(nameCount)} names, ${grouped(companyCount)} companies; in ${world.folder}`)
  const folder = mkdtempSync(join(world.folder, 'run-'))
  try {
    const ours = join(folder, 'ours.parquet')
    const run = await runEnrich(world, folder, ours, nameCount)
    const matcher = await runMatcher(world)
    const writer = await runPeer('./duckdb-peer.ts', await copyStatement(ours, folder))
    const start = await runMetered([main, '--version'])
    say(`  the command: ${figuresOf(run, nameCount)}, ${grouped(run.peakBytes / 1_000_000)} MB at the peak`)
    say(
      `    the matcher alone, ${grouped(matcher.questionCount)} questions: ${figuresOf(matcher, nameCount)}`,
    )
    say(`    DuckDB alone, writing the same file: ${figuresOf(writer, nameCount)}`)
    const times = (run.cpuMs - start.cpuMs) / matcher.cpuMs
    say(
      `  CPU: ${ratio(times)} times the matcher's own, ${ratio(times / matcherCpuTimesMax)} of the limit of ` +
        `${matcherCpuTimesMax}; ${ratio(run.cpuMs / (matcher.cpuMs + writer.cpuMs))} times both peers together`,
    )
    say(
      `  time: ${ratio(run.wallMs / (matcher.wallMs + writer.wallMs))} times both peers, one after the other`,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function figuresOf({ wallMs, cpuMs }: Pick<Metered, 'wallMs' | 'cpuMs'>, rowCount: number): string {
  const seconds = wallMs / 1000
  return (
    `${seconds.toFixed(1)} s, ${grouped(rowCount / seconds)} rows a second, ` +
    `${(cpuMs / rowCount).toFixed(3)} ms of CPU a row`
  )
}

/** Throws unless every row was answered. */
async function runEnrich(world: WholeWorld, folder: string, to: string, nameCount: number): Promise<Metered> {
  const args = [main, world.input, '-o', to, '--registry', world.registry, '--json']
  const run = await runMetered(args, { cwd: folder })
  const finished = readJsonLines<RunEvent>(run.stdout).find((event) => event.type === 'finished')
  if (finished?.summary.rowCount !== nameCount || finished.summary.pendingCount > 0)
    throw new Error(`not all was answered: ${JSON.stringify(finished?.summary)}`)
  return run
}

async function runMatcher(world: WholeWorld): Promise<MatcherFigures> {
  const registryModule = built('registry/registry.js')
  const work: MatcherWork = { registryModule, registry: world.registry, input: world.input }
  return JSON.parse((await runPeer('./matcher-peer.ts', work)).stdout) as MatcherFigures
}

/** Our output read and written again, in row groups as large as ours. */
async function copyStatement(ours: string, temporaryFolder: string): Promise<Statement> {
  const duckDb = await openDuckDb(temporaryFolder)
  try {
    const sql = `SELECT max(row_group_num_rows) FROM parquet_metadata(${quoteSqlPath(ours)})`
    const [groupRows] = (await duckDb.all(sql))[0] ?? []
    const to = join(temporaryFolder, 'theirs.parquet')
    return {
      sql:
        `COPY (SELECT * FROM read_parquet(${quoteSqlPath(ours)})) TO ${quoteSqlText(to)} ` +
        `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${String(groupRows)})`,
      temporaryFolder,
    }
  } finally {
    duckDb.close()
  }
}
