import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { matchName } from '../src/registry/answer/resolve.js'
import { matchedConfidenceMin } from '../src/contract/result.js'
import { openRegistry } from '../src/registry/registry.js'
import { indexFitCompanies, readFitCompanies } from './fit-companies.js'
import { completeExpected, readFitLists } from './fit-lists.js'
import { diskFolder } from './support.js'

/**
 * `npx tsx bench/small-registries.ts --whole REGISTRY --file lei_entities.csv … --list dev=QUERIES.csv …`: loads a few
 * rows of the files at a time, and asks the lists for companies that these rows do not have. In a small registry no
 * other company tells that a name is common: it must not make answers up. Prints the share of absent companies that
 * are answered, and the share of held ones, by the number of companies.
 */
const { values } = parseArgs({
  options: {
    whole: { type: 'string' },
    file: { type: 'string', multiple: true, default: [] },
    list: { type: 'string', multiple: true, default: [] },
    sizes: { type: 'string', default: '2x40,100x8,1000x4,10000x1' },
    errors: { type: 'boolean', default: false },
  },
})
if (values.whole === undefined) throw new Error('--whole is needed')

const whole = openRegistry(values.whole, { readonly: true })
const index = indexFitCompanies(readFitCompanies(whole))
whole.close()
const queries = readFitLists(values.list).map((query) => completeExpected(query, index))
const files = values.file.map((path) => {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  return { name: path.split('/').at(-1) ?? 'rows.csv', header, lines }
})
const linesTotal = files.reduce((sum, { lines }) => sum + lines.length, 0)

let seed = 7
function drawBelow(limit: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

for (const text of values.sizes.split(',')) {
  const [size = 0, draws = 1] = text.split('x').map(Number)
  let [absent, answered, sure, held, found] = [0, 0, 0, 0, 0]
  for (let draw = 0; draw < draws; draw++) {
    const folder = mkdtempSync(join(diskFolder(), 'enrich-small-'))
    try {
      const registryPath = loadSome(folder, size)
      const registry = openRegistry(registryPath, { readonly: true })
      const idOf = new Set(readFitCompanies(registry).flatMap(({ ids }) => [...ids]))
      for (const query of queries) {
        const location = [query.city, query.region, query.postcode, query.country].filter(
          (part) => part !== '',
        )
        const asked = { name: query.name, location: location.join(', ') || null, context: null }
        const { decision } = matchName(asked, registry.resolveDeps)
        const isAnswered = decision.kind !== 'none' && decision.confidence >= matchedConfidenceMin
        if ([...query.expected].some((id) => idOf.has(id))) {
          held++
          found += Number(isAnswered)
          continue
        }
        absent++
        answered += Number(isAnswered)
        sure += Number(isAnswered && decision.confidence >= 95)
        if (isAnswered && values.errors)
          console.log(
            `  ${size}: ${query.kind}: ${query.name} | ${location.join(', ')} | ${decision.best.evidence.comparison.candidate.name} | ${decision.confidence}`,
          )
      }
      registry.close()
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const share = (part: number, of: number) => `${((100 * part) / Math.max(1, of)).toFixed(2)} %`
  console.log(
    `${size} companies, ${draws} times: ${absent} absent, answered ${answered} (${share(answered, absent)}), ${sure} at 95 or more; ${held} held, answered ${share(found, held)}`,
  )
}

function loadSome(folder: string, size: number): string {
  const drawn = new Set<number>()
  while (drawn.size < Math.min(size, linesTotal)) drawn.add(drawBelow(linesTotal))
  let start = 0
  const paths = files.flatMap(({ name, header, lines }) => {
    const kept = lines.filter((_, at) => drawn.has(start + at))
    start += lines.length
    if (kept.length === 0) return []
    writeFileSync(join(folder, name), `${[header, ...kept].join('\n')}\n`)
    return [join(folder, name)]
  })
  const registryPath = join(folder, 'registry.sqlite')
  execFileSync(process.execPath, [
    'dist/cli/main.js',
    'registry',
    'load',
    '--registry',
    registryPath,
    ...paths,
  ])
  return registryPath
}
