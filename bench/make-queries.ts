import { copyFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openRegistry } from '../src/registry/registry.js'
import { seededFractions } from '../src/platform/random.js'
import { nameChanges, type NameChange } from './query-changes.js'
import { csvLine } from './support.js'

/**
 * `npx tsx bench/make-queries.ts --registry R --out QUERIES.csv --registry-out R2`: labelled queries made of a
 * registry's own rows, changed as people and columns change names. A share of its companies is left out of
 * R2, a copy: queries for these have no answer there, though much like them may stand in it. One seed makes
 * the same queries.
 */
const { values } = parseArgs({
  options: {
    registry: { type: 'string' },
    out: { type: 'string' },
    'registry-out': { type: 'string' },
    'per-stratum': { type: 'string', default: '200' },
    'leave-out': { type: 'string', default: '0.05' },
    seed: { type: 'string', default: '1' },
  },
})
const { registry: from, out, 'registry-out': registryOut } = values
if (from === undefined || out === undefined || registryOut === undefined)
  throw new Error('--registry, --out and --registry-out are needed')
const fraction = seededFractions(Number(values.seed))
const perStratum = Number(values['per-stratum'])

interface Company {
  entity_number: number
  id: string
  name: string
  core_key: string
  full_key: string
  city: string | null
  region: string | null
  postal_code: string | null
  country_code: string | null
  city_key: string
  postal_key: string
}

const registry = openRegistry(from, { readonly: true })
const companies = registry.database
  .prepare<[], Company>(
    `SELECT l.entity_number, e.id, l.legal_name AS name, n.core_key, n.full_key, a.city, a.region, a.postal_code,
       a.country_code, a.city_key, a.postal_key
     FROM legal_entities l
     JOIN entities e ON e.number = l.entity_number
     JOIN names n ON n.legal_entity_number = l.number AND n.kind = 'legal'
     JOIN addresses a ON a.legal_entity_number = l.number AND a.kind = 'headquarters'
     WHERE l.removed_from_source = 0 AND l.subtype = 'incorporated_entity' AND n.core_key <> '' ORDER BY l.number`,
  )
  .all()
const namesOf = registry.database.prepare<[string, number], { name: string }>(
  `SELECT n.name FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number
   WHERE n.kind = ? AND l.entity_number = ?`,
)
const byCore = new Map<string, Company[]>()
for (const company of companies) {
  const known = byCore.get(company.core_key)
  if (known) known.push(company)
  else byCore.set(company.core_key, [company])
}

/** Another registration of the company, as far as names and places tell: a label names both. */
function isTwin(a: Company, b: Company): boolean {
  if (a.entity_number === b.entity_number) return true
  const isUnplaced = [a, b].some(({ city_key, postal_key }) => city_key === '' && postal_key === '')
  if (isUnplaced) return a.full_key === b.full_key
  return (
    (a.city_key !== '' && a.city_key === b.city_key) || (a.postal_key !== '' && a.postal_key === b.postal_key)
  )
}
const twinsOf = (company: Company) =>
  (byCore.get(company.core_key) ?? []).filter((other) => isTwin(company, other))

const leaveOut = Number(values['leave-out'])
const left = new Set<number>()
for (const company of companies) {
  const hasTwin = twinsOf(company).some(({ entity_number }) => entity_number !== company.entity_number)
  if (fraction() < leaveOut && !hasTwin) left.add(company.entity_number)
}
const kept = companies.filter(({ entity_number }) => !left.has(entity_number))
const gone = companies.filter(({ entity_number }) => left.has(entity_number))

type PlaceChange = 'true' | 'none' | 'country' | 'elsewhere' | 'abroad'

function placeOf(company: Company, change: PlaceChange): string {
  const other = pickFrom(kept)
  switch (change) {
    case 'none':
      return ''
    case 'country':
      return company.country_code ?? ''
    case 'abroad':
      return company.country_code === 'GB' ? 'Denver, CO, US' : 'Leeds, LS1 4AP, GB'
    case 'elsewhere':
      return [other.city, other.region, other.postal_code].filter(Boolean).join(', ')
    case 'true': {
      const parts = fraction() < 0.5 ? [company.city, company.region] : [company.city, company.postal_code]
      const country = fraction() < 0.7 ? [company.country_code] : []
      return [...parts, ...country].filter(Boolean).join(', ')
    }
  }
}

function pickFrom<T>(items: readonly T[]): T {
  const item = items[Math.floor(fraction() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** As a column of a customer file has them: mostly a place, sometimes the country or nothing. */
function usualPlace(): PlaceChange {
  const at = fraction()
  return at < 0.7 ? 'true' : at < 0.85 ? 'country' : 'none'
}

const lines = ['query_id,query_name,location,expected,id_type,stratum']
let made = 0

function addQueries(
  stratum: string,
  count: number,
  from: readonly Company[],
  change: NameChange,
  place: () => PlaceChange,
  kind: 'legal' | 'other' | 'former' = 'legal',
): void {
  let found = 0
  for (let tries = 0; found < count && tries < count * 60; tries++) {
    const company = pickFrom(from)
    const listed = kind === 'legal' ? [company] : namesOf.all(kind, company.entity_number)
    if (listed.length === 0) continue
    const name = change(pickFrom(listed).name, fraction)
    if (name === null || name.trim().length < 2) continue
    const expected = left.has(company.entity_number) ? [] : twinsOf(company).map(({ id }) => id)
    const cells = [name, placeOf(company, place()), [...new Set(expected)].join('|'), 'entity', stratum]
    lines.push(csvLine([`g${++made}`, ...cells]))
    found++
  }
}

for (const [stratum, change] of Object.entries(nameChanges)) {
  addQueries(stratum, stratum === 'initials' ? perStratum / 4 : perStratum, kept, change, usualPlace)
}
const asIs = nameChanges['exact'] ?? ((name: string) => name)
addQueries('other_name', perStratum, kept, asIs, usualPlace, 'other')
addQueries('former_name', perStratum, kept, asIs, usualPlace, 'former')
addQueries('no_place', perStratum, kept, asIs, () => 'none')
addQueries('place_elsewhere', perStratum / 2, kept, asIs, () => 'elsewhere')
addQueries('country_abroad', perStratum / 4, kept, asIs, () => 'abroad')
for (const [stratum, change] of Object.entries(nameChanges)) {
  if (stratum !== 'initials') addQueries('left_out', perStratum / 5, gone, change, usualPlace)
}
for (const kind of ['other', 'former'] as const)
  addQueries('left_out', perStratum / 5, gone, asIs, usualPlace, kind)
for (const place of ['none', 'elsewhere', 'abroad'] as const)
  addQueries('left_out', perStratum / 5, gone, asIs, () => place)
for (const word of 'Energy Bank Capital Fund Trust First Global Group Insurance Solutions Holdings Services'.split(
  ' ',
)) {
  lines.push(csvLine([`g${++made}`, word, '', '', 'entity', 'one_generic_word']))
}
writeFileSync(out, `${lines.join('\n')}\n`)
registry.close()

copyFileSync(from, registryOut)
const copy = openRegistry(registryOut)
const forget = copy.database.prepare(
  'UPDATE legal_entities SET removed_from_source = 1 WHERE entity_number = ?',
)
copy.database.transaction(() => {
  for (const number of left) forget.run(number)
})()
copy.close()
console.log(`${made} queries; ${left.size} of ${companies.length} companies are left out of ${registryOut}`)
