import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { matchedConfidenceMin } from '../src/contract/result.js'
import { estimateCompanyConfidence, rankCompanies } from '../src/registry/match/rank.js'
import { findCandidateNames, readQuery } from '../src/registry/answer/resolve.js'
import { openRegistry } from '../src/registry/registry.js'

/**
 * `npx tsx bench/name-pairs.ts --registry FILE PAIRS.csv …`: judges pairs of names, as tests of other matchers have
 * them (columns `left`, `right`, `is_same`). The registry must have the right names, beside many others that tell how
 * rare a word is. A pair is the same if the left name, asked alone, would be answered with the right one.
 */
const { values, positionals } = parseArgs({
  options: { registry: { type: 'string' }, errors: { type: 'boolean', default: false } },
  allowPositionals: true,
})
if (values.registry === undefined) throw new Error('--registry is needed')
const { resolveDeps } = openRegistry(values.registry, { readonly: true })
const vocabulary = resolveDeps.vocabulary()

function rate(left: string, right: string): number {
  const query = readQuery({ name: left, location: null }, vocabulary)
  if (query === null) return 0
  const names = findCandidateNames(query, resolveDeps).filter(({ name }) => name === right)
  const [best] = rankCompanies(query, names.slice(0, 1), vocabulary).ranked
  return best === undefined ? 0 : estimateCompanyConfidence(best.share, best.evidence)
}

for (const path of positionals) {
  const pairs: Record<string, string>[] = parse(readFileSync(path), { columns: true })
  let [right, wrong, same] = [0, 0, 0]
  for (const { left = '', right: held = '', is_same } of pairs) {
    const isSame = is_same === 'true'
    const confidence = rate(left, held)
    const isAccepted = confidence >= matchedConfidenceMin
    if (isSame) same++
    if (isAccepted && isSame) right++
    if (isAccepted && !isSame) wrong++
    if (values.errors && isAccepted !== isSame) console.log(`${isSame} ${confidence} | ${left} | ${held}`)
  }
  const [precision, recall] = [right / Math.max(1, right + wrong), right / Math.max(1, same)]
  const f1 = (2 * precision * recall) / Math.max(1e-9, precision + recall)
  console.log(
    `${path.split('/').at(-1)}: ${pairs.length} pairs, ${same} the same; precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}`,
  )
}
