import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { importCsvInto } from '../src/registry/import/import-csv.js'
import { openRegistry } from '../src/registry/registry.js'
import { Chance } from '../test/simulation/chance.js'
import { makeCompanies } from './companies.js'
import { runMetered, type Metered } from './metered.js'
import { agent, apiKey, latencies, serve, spread } from './service.js'
import { csvLine, diskFolder, grouped, ratio, type Say } from './support.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const companyCount = 30_000
const rowCount = 4_000
const roundCount = 3
const matcherCounts = [0, 1, 2] as const

/**
 * What threads give: a file of names on the embedded service, searches of `enrich serve`, and easy ones beside a hard
 * one. Needs `npm run build`, and as many cores as it is to show.
 */
export async function reportThreads(say: Say, registryPath: string | null): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-threads-'))
  try {
    const registry = registryPath ?? (await makeRegistry(folder))
    const names = namesIn(registry)
    await reportBulk(say, folder, registry, names)
    const hard = hardestOf(registry, names)
    say(
      `  the hardest of ${grouped(names.length)} names takes ${hard.ms.toFixed(0)} ms in a search: ${hard.name}`,
    )
    for (const matchers of matcherCounts)
      await reportServing(say, { folder, registry, names, hard: hard.name, matchers })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeRegistry(folder: string): Promise<string> {
  const csv = join(folder, 'companies.csv')
  const lines = makeCompanies(companyCount, new Chance(1)).map(({ name, city, region, country }, at) =>
    csvLine([`c${at}`, name, city, region, country]),
  )
  writeFileSync(csv, ['id,name,city,region,country', ...lines, ''].join('\n'))
  const registry = join(folder, 'registry.sqlite')
  await importCsvInto(registry, { path: csv, idType: 'registration_id', sourceName: 'bench' })
  return registry
}

/** Names from all over the registry, one in three without its last word. */
function namesIn(registryPath: string): string[] {
  const registry = openRegistry(registryPath, { readonly: true })
  const { database } = registry
  const last = database.prepare<[], number>('SELECT max(number) FROM names').pluck().get() ?? 0
  const nameOf = database.prepare<[number], string>('SELECT name FROM names WHERE number = ?').pluck()
  const names = Array.from(
    { length: rowCount },
    (_, at) => nameOf.get(1 + Math.floor((at * last) / rowCount)) ?? '',
  )
  registry.close()
  const asked = names.map((name, at) => (at % 3 === 0 ? name.replace(/ \S+$/, '') : name))
  return [...new Set(asked.filter((name) => /\p{L}{3}/u.test(name)))]
}

function hardestOf(registryPath: string, names: readonly string[]): { name: string; ms: number } {
  const registry = openRegistry(registryPath, { readonly: true })
  registry.search({ name: 'warm', limit: 1 })
  let hardest = { name: '', ms: 0 }
  for (const name of names) {
    const fromMs = performance.now()
    registry.search({ name, limit: 10 })
    const ms = performance.now() - fromMs
    // Asked again: the first time may have been the disk's.
    if (ms > hardest.ms) {
      const againFromMs = performance.now()
      registry.search({ name, limit: 10 })
      hardest = [hardest, { name, ms: performance.now() - againFromMs }].reduce((a, b) =>
        b.ms > a.ms ? b : a,
      )
    }
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

interface Serving {
  readonly folder: string
  readonly registry: string
  readonly names: readonly string[]
  readonly hard: string
  readonly matchers: number
}

const searchOf = (name: string) => ({
  method: 'GET' as const,
  path: `/v2/search?name=${encodeURIComponent(name)}`,
})
const callerCount = 32
const secondsOfEach = 6

async function reportServing(say: Say, { folder, registry, names, hard, matchers }: Serving): Promise<void> {
  const data = mkdtempSync(join(folder, 'data-'))
  const served = await serve(data, ['--registry', registry, '--matchers', String(matchers)])
  const easy = (at: number) => searchOf(names[(at * 7) % names.length] ?? '')
  try {
    await latencies(served.url, 100, 2, easy)
    const { perSecond, sorted } = await asFastAsItGoes(served.url, easy)
    const alone = await latencies(served.url, 50, secondsOfEach, easy)
    const stop = new AbortController()
    const [beside, hardCount] = await Promise.all([
      latencies(served.url, 50, secondsOfEach, easy).finally(() => {
        stop.abort()
      }),
      oneAfterTheOther(served.url, hard, stop.signal),
    ])
    say(
      `  serving, ${matchers} threads: ${grouped(perSecond)} searches a second of ${callerCount} callers, ${spread(sorted)}; ` +
        `50 a second: ${spread(alone)}; beside hard ones (${hardCount} of them): ${spread(beside)}`,
    )
  } finally {
    await served.stop()
  }
}

async function ask(url: string, path: string): Promise<void> {
  const reply = await request(url + path, { headers: { apikey: apiKey }, dispatcher: agent })
  await reply.body.dump()
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode}`)
}

async function asFastAsItGoes(url: string, easy: (at: number) => { path: string }) {
  const tookMs: number[] = []
  const startMs = performance.now()
  let at = 0
  const caller = async () => {
    while (performance.now() - startMs < secondsOfEach * 1000) {
      const fromMs = performance.now()
      await ask(url, easy(at++).path)
      tookMs.push(performance.now() - fromMs)
    }
  }
  await Promise.all(Array.from({ length: callerCount }, caller))
  const sorted = tookMs.sort((a, b) => a - b)
  return { perSecond: (tookMs.length * 1000) / (performance.now() - startMs), sorted }
}

async function oneAfterTheOther(url: string, name: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (; !signal.aborted; count++) await ask(url, searchOf(name).path)
  return count
}
