import { parseArgs } from 'node:util'
import { isExpected } from '../src/registry/evaluate/evaluate.js'
import { readLabelledQueries } from '../src/registry/evaluate/labelled-query.js'
import { foldText } from '../src/registry/normalize/normalize-name.js'
import { openRegistry } from '../src/registry/registry.js'

/**
 * `npx tsx bench/fuzzy-peer.ts --registry R QUERIES.csv …`: what a spreadsheet's fuzzy join gives on the same rows, beside
 * which docs/maintainers/accuracy.md sets the matcher: the name that shares most letters in threes with the one asked for (Dice), the
 * place not looked at. Prints precision, recall and accepted absent names by the score from which a match is taken.
 */
const { values, positionals } = parseArgs({
  options: { registry: { type: 'string' } },
  allowPositionals: true,
})
const registry = openRegistry(values.registry ?? '', { readonly: true })
const rows = registry.database
  .prepare<[], { name: string; entity: number }>(
    'SELECT n.name, l.entity_number AS entity FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number',
  )
  .all()

function threesOf(name: string): Set<string> {
  const text = `  ${foldText(name).trim()} `
  return new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3)))
}

const sizes = new Uint16Array(rows.length)
const holders = new Map<string, number[]>()
for (const [at, { name }] of rows.entries()) {
  const threes = threesOf(name)
  sizes[at] = threes.size
  for (const three of threes) {
    const known = holders.get(three)
    if (known === undefined) holders.set(three, [at])
    else known.push(at)
  }
}

function bestFor(name: string): { entity: number; score: number } {
  const threes = threesOf(name)
  const shared = new Uint16Array(rows.length)
  for (const three of threes) for (const at of holders.get(three) ?? []) shared[at] = (shared[at] ?? 0) + 1
  let best = { entity: -1, score: 0 }
  for (const [at, count] of shared.entries()) {
    const score = (2 * count) / (threes.size + (sizes[at] ?? 0))
    if (score > best.score) best = { entity: rows[at]?.entity ?? -1, score }
  }
  return best
}

const judged: { isPositive: boolean; isRight: boolean; score: number }[] = []
for (const path of positionals) {
  for (const { name, stratum, expected } of await readLabelledQueries(path)) {
    if (stratum.startsWith('policy_') || stratum.startsWith('stretch_')) continue
    const { entity, score } = bestFor(name)
    const stored = expected.length === 0 ? null : registry.resolveDeps.reader.entityByNumber(entity)
    judged.push({
      isPositive: expected.length > 0,
      isRight: stored !== null && isExpected(stored, expected),
      score,
    })
  }
}
registry.close()
const share = (part: number, of: number) => (of === 0 ? '-' : (part / of).toFixed(3))
const positiveCount = judged.filter(({ isPositive }) => isPositive).length
console.log('score  precision  recall  absent accepted')
for (const least of [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]) {
  const accepted = judged.filter(({ score }) => score >= least)
  const right = accepted.filter(({ isRight }) => isRight).length
  const absent = accepted.filter(({ isPositive }) => !isPositive).length
  const absentCount = judged.length - positiveCount
  console.log(
    `${least.toFixed(2)}   ${share(right, accepted.length)}      ${share(right, positiveCount)}   ${share(absent, absentCount)}`,
  )
}
