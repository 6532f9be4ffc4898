import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Chance } from '../test/simulation/chance.js'
import { importRegister } from '../src/registry/load.js'
import { openRegistry } from '../src/registry/registry.js'
import { runMetered } from './metered.js'
import { makeQueries, type ScaleQuery } from './registry-queries.js'
import { columnSets, writeRegister, type SampleRow } from './registry-rows.js'
import { readNameWords } from './registry-words.js'
import { diskFolder, grouped } from './support.js'

/**
 * `npx tsx bench/registry-scale.ts --names FILE.csv --rows 3000000`: a register of so many companies, made by
 * recombining the words of real names, is imported and asked. `--names` may be given several times; `--folder`
 * is kept, so that a second run need not make and import it again. Nothing here asserts a time.
 */
const { values } = parseArgs({
  options: {
    names: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '300000' },
    columns: { type: 'string', default: 'all' },
    seed: { type: 'string', default: '1' },
    queries: { type: 'string', default: '200' },
    folder: { type: 'string' },
    part: { type: 'string', default: 'all' },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const rowCount = Number(values.rows)
const folder = values.folder ?? join(diskFolder(), `enrich-bench-registry-${process.pid}`)
const paths = {
  register: join(folder, `register-${rowCount}.csv`),
  sample: join(folder, `sample-${rowCount}.json`),
  registry: join(folder, `registry-${rowCount}.sqlite`),
}

switch (values.part) {
  case 'import':
    await importRegister(paths.registry, {
      format: 'csv',
      path: paths.register,
      idType: 'registration_id',
      sourceName: 'bench',
    })
    break
  case 'ask':
    ask()
    break
  default:
    await run()
}

async function run(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  try {
    if (!existsSync(paths.sample)) {
      const words = await readNameWords(values.names)
      const columns = columnSets[values.columns === 'six' ? 'six' : 'all']
      await writeRegister(
        paths.register,
        paths.sample,
        { rowCount, columns },
        words,
        new Chance(Number(values.seed)),
      )
    }
    say(`${grouped(rowCount)} companies, ${megabytes(statSync(paths.register).size)} of CSV`)
    if (values.part === 'make') return
    if (!existsSync(paths.registry)) await reportImport()
    const { size } = statSync(paths.registry)
    say(`  registry: ${megabytes(size)}, ${(size / rowCount).toFixed(0)} bytes a row`)
    say((await runMetered(partArgs('ask'))).stdout.trimEnd())
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

async function reportImport(): Promise<void> {
  const { wallMs, cpuMs, peakBytes } = await runMetered(partArgs('import'))
  const perSecond = grouped(rowCount / (wallMs / 1000))
  say(
    `  import: ${(wallMs / 1000).toFixed(1)} s, ${perSecond} rows a second, ${(cpuMs / 1000).toFixed(1)} s of CPU, ` +
      `${megabytes(peakBytes)} at the peak`,
  )
}

function partArgs(part: string): string[] {
  const options = Object.entries({
    part,
    rows: values.rows,
    folder,
    seed: values.seed,
    queries: values.queries,
  })
  const script = fileURLToPath(import.meta.url)
  return ['--expose-gc', '--import', 'tsx', script, ...options.map(([name, value]) => `--${name}=${value}`)]
}

/** Opens the registry as a service does, and asks. A query's time is wall time: on a busy machine an upper bound. */
function ask(): void {
  const sample = JSON.parse(readFileSync(paths.sample, 'utf8')) as SampleRow[]
  // Other names for each, so that neither finds what the other left in memory.
  const queriesBy = (seed: number) => makeQueries(sample, Number(values.queries), new Chance(seed))
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const openedFromMs = performance.now()
  const registry = openRegistry(paths.registry, { readonly: true })
  registry.search({ name: 'zz', limit: 1 })
  say(`  opening, with the first answer: ${(performance.now() - openedFromMs).toFixed(0)} ms`)
  globalThis.gc?.()
  say(`  memory after it: ${megabytes(process.memoryUsage().rss - before)} more than before`)
  measure(
    'search',
    queriesBy(Number(values.seed) + 1),
    ({ name }) => registry.search({ name, limit: 20 }).hits.length > 0,
  )
  measure(
    'resolution',
    queriesBy(Number(values.seed) + 2),
    ({ name, location }) => registry.resolve({ name, location, context: null }).match_confidence > 0,
  )
  globalThis.gc?.()
  say(`  memory in the end: ${megabytes(process.memoryUsage().rss - before)} more than before`)
  registry.close()
}

/** What a query took: CPU time is the query's own, also where other processes want the core. */
interface Took {
  readonly kind: string
  readonly wallMs: number
  readonly cpuMs: number
  readonly isFound: boolean
}

function measure(
  what: string,
  queries: readonly ScaleQuery[],
  isFoundBy: (query: ScaleQuery) => boolean,
): void {
  const all = queries.map((query): Took => {
    const cpuFrom = process.cpuUsage()
    const fromMs = performance.now()
    const isFound = isFoundBy(query)
    const wallMs = performance.now() - fromMs
    const { user, system } = process.cpuUsage(cpuFrom)
    return { kind: query.kind, wallMs, cpuMs: (user + system) / 1000, isFound }
  })
  say(`  ${what}, ms: ${figuresOf(all)}`)
  for (const kind of new Set(all.map((took) => took.kind))) {
    const ofKind = all.filter((took) => took.kind === kind)
    const share = Math.round((100 * ofKind.filter(({ isFound }) => isFound).length) / ofKind.length)
    say(`    ${kind.padEnd(14)} ${figuresOf(ofKind)}; something found for ${share} %`)
  }
}

function figuresOf(all: readonly Took[]): string {
  const wall = percentilesOf(all.map(({ wallMs }) => wallMs))
  return `${wall}; of CPU ${percentilesOf(all.map(({ cpuMs }) => cpuMs))}`
}

function percentilesOf(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2)
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} max ${at(1)}`
}

function megabytes(bytes: number): string {
  return `${grouped(bytes / 1_000_000)} MB`
}
