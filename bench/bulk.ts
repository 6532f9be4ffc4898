import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importRegister } from '../src/registry/load.js'
import { Chance } from '../test/simulation/chance.js'
import { runMetered, runPeer, type Metered } from './metered.js'
import type { AskPeer } from './bulk-peer.js'
import { makeQueries } from './registry-queries.js'
import { writeRegister, type SampleRow } from './registry-rows.js'
import { coinedWord, readNameWords } from './registry-words.js'
import { csvLine, diskFolder, grouped, ratio, type Say } from './support.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const companyCount = 90_000
const headCount = 40_000
const pairCount = 3
/** What both cost to start is taken off: the same over so few names. */
const fewNames = 20

/**
 * A file of names on the embedded service, from the first row read to the output written, against the matcher
 * alone: the same names, asked of the same registry in a process of their own, with their answers as JSON.
 * In turn, so that a machine that is busy is busy for both. Needs `npm run build`. `against` is a folder with another
 * built commit, which enriches the same file in the same turns. The first 20,000 names take longer than later ones.
 */
export async function reportBulk(
  say: Say,
  { against, nameCount }: { against: string | null; nameCount: number },
): Promise<void> {
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-bulk-'))
  try {
    const { registry, names, few } = await makeWorld(folder, nameCount)
    say(`  ${grouped(nameCount)} names over a registry of ${grouped(companyCount)} companies`)
    const ask = (path: string) => runPeer('./bulk-peer.ts', { root, registry, names: path } satisfies AskPeer)
    const enrich = (path: string) => runEnrich(root, folder, path, registry)
    const enrichBefore = (path: string) =>
      against === null ? null : runEnrich(against, folder, path, registry)
    const [askStart, enrichStart, beforeStart] = [await ask(few), await enrich(few), await enrichBefore(few)]
    const wholes: PerRow[] = []
    const befores: PerRow[] = []
    const ratios: number[] = []
    for (let pair = 0; pair < pairCount; pair++) {
      const matcher = perRow(await ask(names), askStart, nameCount)
      const whole = perRow(await enrich(names), enrichStart, nameCount)
      const before = await enrichBefore(names)
      wholes.push(whole)
      ratios.push(whole.cpuMs / matcher.cpuMs)
      say(`  ${describe(whole)}; the matcher alone ${matcher.cpuMs.toFixed(3)}`)
      if (before === null || beforeStart === null) continue
      befores.push(perRow(before, beforeStart, nameCount))
      say(`  before: ${befores.map(describe).at(-1) ?? ''}`)
    }
    say(
      `  the whole in CPU of the matcher: ${ratio(median(ratios))}, the median of ${pairCount}; the limit is 2.5`,
    )
    const of = (runs: readonly PerRow[], figure: keyof PerRow) => median(runs.map((run) => run[figure]))
    const share = (figure: keyof PerRow) => ratio(of(wholes, figure) / of(befores, figure))
    if (against !== null)
      say(
        `  compared with before: ${share('wallMs')} of the time, ${share('cpuMs')} of the CPU, ` +
          `${share('mainCpuMs')} of the first thread's`,
      )
    const [cpuMs, mainCpuMs] = [of(wholes, 'cpuMs'), of(wholes, 'mainCpuMs')]
    // Either all cores are busy, or the first thread is.
    const rowsWith = (cores: number) => 1000 / Math.max(mainCpuMs, cpuMs / cores)
    const more = [8, 16].map((cores) => `${cores} cores ${ratio(rowsWith(cores) / rowsWith(1))}`)
    say(`  rows a second that the CPU allows, in those of one core: ${more.join(', ')}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeWorld(
  folder: string,
  nameCount: number,
): Promise<{ registry: string; names: string; few: string }> {
  const path = (name: string) => join(folder, name)
  const chance = new Chance(1)
  const known = await readNameWords([join(root, 'fixtures/registry/companies.csv')])
  // As many first words as a register of this size has: of a few hundred, each name would resemble a thousand others.
  const words = { ...known, heads: Array.from({ length: headCount }, () => coinedWord(known, chance)) }
  await writeRegister(path('register.csv'), path('sample.json'), { rowCount: companyCount }, words, chance)
  const registry = path('registry.sqlite')
  await importRegister(registry, {
    format: 'csv',
    path: path('register.csv'),
    idType: 'registration_id',
    sourceName: 'bench',
  })
  const sample = JSON.parse(readFileSync(path('sample.json'), 'utf8')) as SampleRow[]
  const rows = new Map<string, string>()
  while (rows.size < nameCount) {
    for (const { name, location } of makeQueries(sample, 1_000, chance)) {
      if (rows.size < nameCount && name.trim().length > 2)
        rows.set(name.toLowerCase(), csvLine([name, location ?? '']))
    }
  }
  const lines = [...rows.values()]
    .map((line) => ({ line, at: chance.fraction() }))
    .sort((one, other) => one.at - other.at)
    .map(({ line }) => line)
  const write = (name: string, some: readonly string[]) => {
    writeFileSync(path(name), `company_name,location\n${some.join('\n')}\n`)
    return path(name)
  }
  return { registry, names: write('names.csv', lines), few: write('few.csv', lines.slice(0, fewNames)) }
}

/** A checkpoint of its own each time: nothing is known. */
async function runEnrich(tree: string, folder: string, names: string, registry: string): Promise<Metered> {
  const cwd = mkdtempSync(join(folder, 'run-'))
  const main = join(tree, 'dist/cli/main.js')
  const metered = await runMetered([main, names, '-o', 'out.parquet', '--registry', registry], { cwd })
  rmSync(cwd, { recursive: true })
  return metered
}

type PerRow = Readonly<Record<'wallMs' | 'cpuMs' | 'mainCpuMs', number>>

function perRow(whole: Metered, start: Metered, nameCount: number): PerRow {
  const of = (figure: keyof PerRow) => (whole[figure] - start[figure]) / (nameCount - fewNames)
  return { wallMs: of('wallMs'), cpuMs: of('cpuMs'), mainCpuMs: of('mainCpuMs') }
}

const describe = ({ wallMs, cpuMs, mainCpuMs }: PerRow) =>
  `${grouped(1000 / wallMs)} rows a second, ${cpuMs.toFixed(3)} ms of CPU a row, ${mainCpuMs.toFixed(3)} of them the first thread's`

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
