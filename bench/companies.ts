import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import type { Chance } from '../test/simulation/chance.js'

export interface Company {
  name: string
  city: string
  region: string
  country: string
}

const registryPath = fileURLToPath(new URL('../fixtures/registry/companies.csv', import.meta.url))
const legalFormWord =
  /^(inc|llc|ltd|limited|corp|corporation|company|co|plc|ag|se|gmbh|nv|sa|holdings?|group)\W*$/i

/** Companies that are nobody's, put together from the words, forms and places of the shipped registry; no two alike. */
export function makeCompanies(count: number, chance: Chance): Company[] {
  const { heads, tails, forms, places } = readParts()
  // By what the pipeline tells names apart by: letter case does not.
  const names = new Map<string, string>()
  while (names.size < count) {
    const tail = chance.happens(0.6) ? [chance.pick(tails)] : [chance.pick(tails), chance.pick(tails)]
    const name = [chance.pick(heads), ...tail, chance.pick(forms)].join(' ')
    names.set(name.normalize('NFKC').toLowerCase(), name)
  }
  return Array.from(names.values(), (name) => ({ name, ...chance.pick(places) }))
}

function readParts(): { heads: string[]; tails: string[]; forms: string[]; places: Omit<Company, 'name'>[] } {
  const rows: Record<string, string>[] = parse(readFileSync(registryPath), { columns: true })
  const heads = new Set<string>()
  const tails = new Set<string>()
  const forms = new Set<string>()
  const places = new Map<string, Omit<Company, 'name'>>()
  for (const row of rows) {
    const [head = '', ...rest] = (row['name'] ?? '').split(/[\s,]+/).filter((word) => /\p{L}{2}/u.test(word))
    if (head !== '') heads.add(head)
    for (const word of rest) if (!legalFormWord.test(word)) tails.add(word)
    if (row['legal_form']) forms.add(row['legal_form'])
    const { city = '', region = '', country = '' } = row
    if (city && region && country) places.set(`${city} ${region}`, { city, region, country })
  }
  return { heads: [...heads], tails: [...tails], forms: [...forms], places: [...places.values()] }
}
