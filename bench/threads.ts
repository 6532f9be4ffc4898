import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importRegister } from '../src/registry/load.js'
import { openRegistry } from '../src/registry/registry.js'
import { Chance } from '../test/simulation/chance.js'
import { makeCompanies } from './companies.js'
import { runMetered, type Metered } from './metered.js'
import { csvLine, diskFolder, grouped, ratio, type Say } from './support.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const companyCount = 30_000
const rowCount = 4_000
const roundCount = 3
const matcherCounts = [0, 1, 2] as const

/** A file of names on the embedded service, with threads and without. Needs `npm run build`, and free cores. */
export async function reportThreads(say: Say, registryPath: string | null): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-threads-'))
  try {
    const registry = registryPath ?? (await makeRegistry(folder))
    const names = namesIn(registry, rowCount)
    await reportBulk(say, folder, registry, names)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function makeRegistry(folder: string): Promise<string> {
  const csv = join(folder, 'companies.csv')
  const lines = makeCompanies(companyCount, new Chance(1)).map(({ name, city, region, country }, at) =>
    csvLine([`c${at}`, name, city, region, country]),
  )
  writeFileSync(csv, ['id,name,city,region,country', ...lines, ''].join('\n'))
  const registry = join(folder, 'registry.sqlite')
  await importRegister(registry, { format: 'csv', path: csv, idType: 'registration_id', sourceName: 'bench' })
  return registry
}

/** Names from all over the registry, one in three without its last word. */
export function namesIn(registryPath: string, count: number): string[] {
  const registry = openRegistry(registryPath, { readonly: true })
  const { database } = registry
  const last = database.prepare<[], number>('SELECT max(number) FROM names').pluck().get() ?? 0
  const nameOf = database.prepare<[number], string>('SELECT name FROM names WHERE number = ?').pluck()
  const names = Array.from(
    { length: count },
    (_, at) => nameOf.get(1 + Math.floor((at * last) / count)) ?? '',
  )
  registry.close()
  const asked = names.map((name, at) => (at % 3 === 0 ? name.replace(/ \S+$/, '') : name))
  return [...new Set(asked.filter((name) => /\p{L}{3}/u.test(name)))]
}

export function findHardest(registryPath: string, names: readonly string[]): { name: string; ms: number } {
  const registry = openRegistry(registryPath, { readonly: true })
  const measureMs = (name: string) => {
    const fromMs = performance.now()
    registry.search({ name, limit: 10 })
    return performance.now() - fromMs
  }
  measureMs('warm')
  let hardest = { name: '', ms: 0 }
  for (const name of names) {
    if (measureMs(name) <= hardest.ms) continue
    // Asked again: the first time may have been the disk's.
    const ms = measureMs(name)
    if (ms > hardest.ms) hardest = { name, ms }
  }
  registry.close()
  return hardest
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

/** The same file with as many threads, in turns, so that a busy machine is busy for all of them. */
async function reportBulk(
  say: Say,
  folder: string,
  registry: string,
  names: readonly string[],
): Promise<void> {
  writeFileSync(join(folder, 'names.csv'), ['name', ...names.map((name) => csvLine([name])), ''].join('\n'))
  const runs = new Map<number, Metered[]>(matcherCounts.map((matchers) => [matchers, []]))
  for (let round = 0; round < roundCount; round++) {
    for (const matchers of matcherCounts) {
      const cwd = mkdtempSync(join(folder, 'run-'))
      writeFileSync(join(cwd, 'pipeline.config.json'), JSON.stringify({ service: { matchers } }))
      const args = [main, join(folder, 'names.csv'), '-o', 'out.csv', '--registry', registry, '--quiet']
      runs.get(matchers)?.push(await runMetered(args, { cwd }))
      rmSync(cwd, { recursive: true, force: true })
    }
  }
  const of = (matchers: number, figure: (run: Metered) => number) =>
    median((runs.get(matchers) ?? []).map(figure))
  const wall = (matchers: number) => of(matchers, ({ wallMs }) => wallMs)
  for (const matchers of matcherCounts) {
    const perRow = (figure: (run: Metered) => number) => (of(matchers, figure) / names.length).toFixed(2)
    say(
      `  ${grouped(names.length)} names, ${matchers} threads: ${grouped((names.length * 1000) / wall(matchers))} rows a ` +
        `second (${ratio(wall(0) / wall(matchers))} of none); ms a row: ${perRow(({ cpuMs }) => cpuMs)} of CPU, the first ` +
        `thread's ${perRow(({ mainCpuMs }) => mainCpuMs)}, which waited ${perRow(({ mainWaitedMs }) => mainWaitedMs)} for ` +
        `a core; peak ${grouped(of(matchers, ({ peakBytes }) => peakBytes) / 1e6)} MB`,
    )
  }
  const mainMs = (matchers: number) => of(matchers, ({ mainCpuMs }) => mainCpuMs)
  say(
    `  what the first thread allows, where there are cores for all: ${ratio(mainMs(0) / mainMs(2))} of none`,
  )
}
