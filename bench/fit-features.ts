import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { openRegistry } from '../src/registry/registry.js'
import { FitCacheWriter } from './fit-cache.js'
import { indexFitCompanies, readFitCompanies } from './fit-companies.js'
import type { FitMatcherModule, FitQuery } from './fit-data.js'
import { completeExpected, readFitLists, removeCompany } from './fit-lists.js'
import { generateFitRows } from './fit-rows.js'
import { csvLine } from './support.js'

/**
 * `npx tsx bench/fit-features.ts --registry R --matcher MODULE --cache FILE --list dev=QUERIES.csv …`: collects the rows
 * of the fit (see fit-align.ts) and stores the candidates of the matcher with their features. Rows are the labelled
 * lists, each of their queries without its company, and rows made of the registry (`--seed`, `--scale`).
 * `--part 0/2` takes every second row: run the parts at the same time.
 * `--rows FILE` writes the rows as CSV, and needs no matcher.
 */
const { values } = parseArgs({
  options: {
    registry: { type: 'string' },
    matcher: { type: 'string' },
    cache: { type: 'string' },
    list: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '11' },
    /** Multiplies the number of generated rows. */
    scale: { type: 'string', default: '1' },
    part: { type: 'string', default: '0/1' },
    rows: { type: 'string' },
  },
})
const { registry: registryPath, matcher: matcherPath, cache: cachePath } = values
if (registryPath === undefined) throw new Error('--registry is needed')

function collectRows(path: string): FitQuery[] {
  const registry = openRegistry(path, { readonly: true })
  const index = indexFitCompanies(readFitCompanies(registry))
  registry.close()
  const lists = readFitLists(values.list).map((query) => completeExpected(query, index))
  const copies = lists.flatMap((query) => removeCompany(query, index, 1) ?? [])
  return [...lists, ...copies, ...generateFitRows(index, Number(values.seed), Number(values.scale))]
}

const rows = collectRows(registryPath)
if (values.rows !== undefined) writeRows(values.rows)
if (matcherPath !== undefined && cachePath !== undefined) await writeCache(matcherPath, cachePath)
else if (values.rows === undefined) throw new Error('--matcher and --cache are needed, or --rows')

function writeRows(path: string): void {
  const header = ['set', 'kind', 'name', 'city', 'region', 'postcode', 'country', 'expected', 'operations']
  const lines = rows.map((row) => [
    ...[row.set, row.kind, row.name, row.city, row.region, row.postcode, row.country],
    [...row.expected].join('|'),
    row.operations.join('+'),
  ])
  writeFileSync(path, [header, ...lines].map((cells) => `${csvLine(cells)}\n`).join(''))
}

async function writeCache(modulePath: string, path: string): Promise<void> {
  const module_ = (await import(pathToFileURL(resolve(modulePath)).href)) as FitMatcherModule
  const matcher = await module_.openFitMatcher(registryPath ?? '')
  const writer = new FitCacheWriter(module_.candidateFeatureNames)
  const [part = 0, parts = 1] = values.part.split('/').map(Number)
  const own = rows.filter((_, at) => at % parts === part)
  const started = process.cpuUsage()
  for (const query of own) writer.add(query, matcher.listFitCandidates(query))
  const { user, system } = process.cpuUsage(started)
  writer.save(path)
  console.log(
    `${own.length} rows, ${((user + system) / 1000 / own.length).toFixed(2)} ms of CPU each, in ${path}`,
  )
}
