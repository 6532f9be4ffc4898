import { copyFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createSeededFractions } from '../src/platform/clock.js'
import { findSicLabel } from '../src/registry/reference/industry-codes.js'
import { openRegistry } from '../src/registry/registry.js'
import { indexCompanies, readBearers, readCompanies, type LabelledCompany } from './labelled-companies.js'
import { madeUpNames, siblingNames, type NameWords } from './made-up-names.js'
import { bare, words } from './name-pieces.js'
import { fundChanges, headChanges, nameChanges, placelessChanges, type NameChange } from './query-changes.js'
import { isFundName } from './query-changes-issuers.js'
import { csvLine } from './support.js'

/**
 * `npx tsx bench/make-queries.ts --registry R --out QUERIES.csv`: labelled queries made of a registry's own rows,
 * changed as people and columns change names, so many of each kind (`--per-stratum`), and of names that no row has.
 * Listed companies, British ones and those of other countries are asked more often than they stand in R, as in the
 * files of customers. With `--registry-out R2` a share (`--leave-out`) of the companies is left out of R2, a copy:
 * queries for these have no answer there, though much like them may stand in it. One seed makes the same queries.
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
if (from === undefined || out === undefined) throw new Error('--registry and --out are needed')
const fraction = createSeededFractions(Number(values.seed))
const perStratum = Number(values['per-stratum'])
/** Some ways apply to one name in a thousand. */
const triesPerQuery = 2000

const registry = openRegistry(from, { readonly: true })
const companies = readCompanies(registry)
const index = indexCompanies(companies, readBearers(registry))
const namesOf = registry.database
  .prepare<[string, number], string>(
    `SELECT n.name FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number
     WHERE n.kind = ? AND l.entity_number = ?`,
  )
  .pluck()

const left = leaveOut(registryOut === undefined ? 0 : Number(values['leave-out']))
const kept = companies.filter(({ entityNumber }) => !left.has(entityNumber))
const gone = companies.filter(({ entityNumber }) => left.has(entityNumber))
const businesses = kept.filter(({ isBusiness }) => isBusiness)
const listed = kept.filter(({ ticker }) => ticker !== null)
const british = kept.filter(({ isBritish }) => isBritish)
const foreign = kept.filter(({ ticker, countryCode }) => ticker === null && isForeign(countryCode))
const funds = kept.filter(({ name }) => isFundName(name))

function leaveOut(share: number): Set<number> {
  const chosen = new Set<number>()
  for (const company of companies) {
    const hasTwin = index.twinsOf(company).some(({ entityNumber }) => entityNumber !== company.entityNumber)
    if (share > 0 && fraction() < share && !hasTwin) chosen.add(company.entityNumber)
  }
  return chosen
}

function isForeign(countryCode: string | null): boolean {
  return countryCode !== null && countryCode !== 'US' && countryCode !== 'GB'
}

function pickFrom<T>(items: readonly T[]): T {
  const item = items[Math.floor(fraction() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Of those of a kind where there are any, else of all. */
const someOf = (those: readonly LabelledCompany[]) => pickFrom(those.length > 0 ? those : kept)

function usualCompany(): LabelledCompany {
  const at = fraction()
  const those = at < 0.4 ? listed : at < 0.6 ? british : at < 0.75 ? foreign : at < 0.95 ? businesses : kept
  return someOf(those)
}

const companiesByKind: Readonly<Record<string, readonly LabelledCompany[]>> = {
  uk_trading_name: british,
  letters_plain: foreign,
  letters_closed: foreign,
  letters_spelled_out: foreign,
  accents_lost: foreign,
  ticker_added: listed,
}

/** Which company a kind asks for: half of them from where the kind is at home. */
function companyFor(kind: string): LabelledCompany {
  const home = companiesByKind[kind] ?? (headChanges.has(kind) ? listed : fundChanges.has(kind) ? funds : [])
  return home.length > 0 && fraction() < 0.5 ? pickFrom(home) : usualCompany()
}

type PlaceChange = 'true' | 'none' | 'country' | 'elsewhere' | 'abroad' | 'region' | 'postcode'

const countryName = new Intl.DisplayNames(['en'], { type: 'region' })

/** As lists have it: mostly the code. */
function countryOf({ countryCode }: LabelledCompany): string {
  if (countryCode === null || !/^[A-Z]{2}$/.test(countryCode)) return ''
  return fraction() < 0.75 ? countryCode : (countryName.of(countryCode) ?? countryCode)
}

function placeOf(company: LabelledCompany, change: PlaceChange): string {
  const { city, region, postalCode, countryCode } = company
  const listOf = (parts: readonly (string | null)[]) => parts.filter(Boolean).join(', ')
  switch (change) {
    case 'none':
      return ''
    case 'country':
      return countryOf(company)
    case 'abroad':
      return countryCode === 'GB' ? 'Denver, CO, US' : 'Leeds, LS1 4AP, GB'
    case 'elsewhere': {
      const other = otherTown(company)
      return listOf([other.city, other.region, fraction() < 0.6 ? countryOf(company) : null])
    }
    case 'region':
      return listOf([region, countryOf(company)])
    case 'postcode':
      return fraction() < 0.5 ? (postalCode?.split(/[\s-]/)[0] ?? '') : (postalCode ?? '')
    case 'true': {
      if (city === null && postalCode === null) return countryOf(company)
      const parts = fraction() < 0.6 ? [city, region] : [city, postalCode]
      return listOf([...parts, fraction() < 0.75 ? countryOf(company) : null])
    }
  }
}

/** Another company's town in the same country: the seat of old, or that of a site. */
function otherTown(company: LabelledCompany): LabelledCompany {
  for (let tries = 0; tries < triesPerQuery; tries++) {
    const other = pickFrom(kept)
    const isThere = other.city !== null && other.countryCode === company.countryCode
    if (isThere && other.cityKey !== company.cityKey) return other
  }
  return company
}

/** As a column of a customer's file has them: mostly a place, sometimes the country, another town or nothing. */
function usualPlace({ ticker }: LabelledCompany): PlaceChange {
  const at = fraction()
  // Large companies have sites in many places.
  const elsewhere = ticker === null ? 0.07 : 0.25
  return at < 0.12 ? 'none' : at < 0.35 ? 'country' : at < 0.35 + elsewhere ? 'elsewhere' : 'true'
}
/** Without any, a name less its "(UK)" is the group's. */
const somePlace = (): PlaceChange => (fraction() < 0.3 ? 'country' : 'true')
const countryOrNone = (): PlaceChange => (fraction() < 0.5 ? 'none' : 'country')

const lines = ['query_id,query_name,location,context,expected,id_type,stratum']
let made = 0

function addLine(name: string, place: string, context: string, expected: readonly string[], stratum: string) {
  const cells = [name, place, context, [...new Set(expected)].join('|'), 'entity', stratum]
  lines.push(csvLine([`g${++made}`, ...cells]))
}

const expectedOf = (company: LabelledCompany) =>
  left.has(company.entityNumber) ? [] : index.twinsOf(company).map(({ id }) => id)

interface Asked {
  readonly company: () => LabelledCompany
  readonly change: NameChange
  readonly place?: (company: LabelledCompany) => PlaceChange
  readonly kind?: 'legal' | 'other' | 'former'
}

function addQueries(
  stratum: string,
  count: number,
  { company: choose, change, place = usualPlace, kind = 'legal' }: Asked,
): void {
  const asked = new Set<string>()
  for (let tries = 0; asked.size < count && tries < count * triesPerQuery; tries++) {
    const company = choose()
    const held = kind === 'legal' ? [company.name] : namesOf.all(kind, company.entityNumber)
    if (held.length === 0) continue
    const name = change(pickFrom(held), fraction, company)?.trim() ?? ''
    if (name.length < 2 || asked.has(name) || index.isNameOfAnother(name, company)) continue
    asked.add(name)
    addLine(name, placeOf(company, place(company)), '', expectedOf(company), stratum)
  }
}

/** The first word or two of a name that others begin with too; the context tells what this one does or where. */
function addContextQueries(stratum: string, count: number): void {
  let found = 0
  for (let tries = 0; found < count && tries < count * triesPerQuery; tries++) {
    const company = usualCompany()
    const length = fraction() < 0.7 ? 1 : 2
    const head = words(bare(company.name)).slice(0, length).join(' ')
    const others = index
      .withHead(company.tokens.slice(0, length))
      .filter((other) => other.entityNumber !== company.entityNumber)
    if (company.tokens.length <= length || head.length < 4 || others.length === 0 || others.length > 40)
      continue
    const context = contextOf(company, others)
    if (context === null || index.isNameOfAnother(head, company)) continue
    addLine(head, placeOf(company, countryOrNone()), context, expectedOf(company), stratum)
    found++
  }
}

/** What none of the others shares: the industry, or the town. */
function contextOf(company: LabelledCompany, others: readonly LabelledCompany[]): string | null {
  const { sic, city, cityKey } = company
  const label = sic === null ? null : findSicLabel(sic)
  const industry = label !== null && !others.some((other) => other.sic === sic) ? label.toLowerCase() : null
  const town = city !== null && !others.some((other) => other.cityKey === cityKey) ? city : null
  if (industry !== null && (town === null || fraction() < 0.6))
    return pickFrom([industry, `supplier; ${industry}`, `Industry: ${industry}`, `works in ${industry}`])
  return town === null ? null : pickFrom([`office in ${town}`, town, `contact based in ${town}`])
}

function addMadeUp(count: number): void {
  const known = registryWords()
  for (const [stratum, make] of Object.entries(madeUpNames)) {
    const asked = new Set<string>()
    for (let tries = 0; asked.size < count && tries < count * triesPerQuery; tries++) {
      const name = make(known, fraction)
      if (asked.has(name) || index.isKnown(name)) continue
      asked.add(name)
      const at = fraction()
      const place = at < 0.6 ? 'true' : at < 0.8 ? 'country' : 'none'
      addLine(name, placeOf(pickFrom(kept), place), '', [], stratum)
    }
  }
}

/** Of names that are not held; the place is that of the company whose name they are made of, or none. */
function addSiblings(count: number): void {
  for (const [stratum, change] of Object.entries(siblingNames)) {
    const asked = new Set<string>()
    for (let tries = 0; asked.size < count && tries < count * triesPerQuery; tries++) {
      const company =
        stratum === 'sibling_foreign_form' && fraction() < 0.5 ? someOf(british) : usualCompany()
      const name = change(company.name, fraction, company)
      if (name === null || asked.has(name) || index.isNameHeld(name, stratum === 'sibling_foreign_form'))
        continue
      asked.add(name)
      const place = stratum === 'sibling_foreign_form' || fraction() < 0.3 ? 'none' : usualPlace(company)
      addLine(name, placeOf(company, place), '', [], stratum)
    }
  }
}

/** Words of three companies or more, so that none is one company's own name, and of few enough to be telling. */
function registryWords(): NameWords {
  const counts = new Map<string, number>()
  for (const { tokens } of companies)
    for (const word of new Set(tokens)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const distinctive = [...counts]
    .filter(([word, count]) => count >= 3 && count <= 60 && /^[a-z]{4,}$/.test(word))
    .map(([word]) => word)
  const towns = [...new Set(companies.map(({ cityKey }) => cityKey))].filter((key) =>
    /^[a-z]{4,12}$/.test(key),
  )
  return { distinctive, towns }
}

for (const [stratum, change] of Object.entries(nameChanges)) {
  const place = placelessChanges.has(stratum)
    ? countryOrNone
    : stratum === 'uk_trading_name'
      ? somePlace
      : usualPlace
  const count = stratum === 'initials' ? perStratum / 4 : perStratum
  addQueries(stratum, count, { company: () => companyFor(stratum), change, place })
}
const asIs: NameChange = (name) => name
const company = usualCompany
const withRegion = businesses.filter(({ region }) => region !== null)
const withPostcode = businesses.filter(({ postalCode }) => postalCode !== null)
addQueries('other_name', perStratum, { company, change: asIs, kind: 'other' })
addQueries('former_name', perStratum, { company, change: asIs, kind: 'former' })
addQueries('no_place', perStratum, { company, change: asIs, place: () => 'none' })
addQueries('region_only', perStratum / 2, {
  company: () => someOf(withRegion),
  change: bare,
  place: () => 'region',
})
addQueries('postcode_only', perStratum / 2, {
  company: () => someOf(withPostcode),
  change: bare,
  place: () => 'postcode',
})
addQueries('place_elsewhere', perStratum / 2, { company, change: asIs, place: () => 'elsewhere' })
addQueries('bare_name_elsewhere', perStratum / 2, { company, change: bare, place: () => 'elsewhere' })
addQueries('country_abroad', perStratum / 4, { company, change: asIs, place: () => 'abroad' })
addContextQueries('context_of_head', perStratum)
addMadeUp(perStratum / 2)
addSiblings(perStratum * 2)
if (gone.length > 0) {
  const missing = () => pickFrom(gone)
  for (const [stratum, change] of Object.entries(nameChanges))
    if (stratum !== 'initials') addQueries('left_out', perStratum / 5, { company: missing, change })
  for (const kind of ['other', 'former'] as const)
    addQueries('left_out', perStratum / 5, { company: missing, change: asIs, kind })
}
const genericWords = 'Energy Bank Capital Fund Trust First Global Group Insurance Solutions Holdings Services'
for (const word of genericWords.split(' ')) addLine(word, '', '', [], 'one_generic_word')
writeFileSync(out, `${lines.join('\n')}\n`)
registry.close()
if (registryOut !== undefined) writeWithout(registryOut)
console.log(`${made} queries of ${companies.length} registrations`)

function writeWithout(path: string): void {
  copyFileSync(from ?? '', path)
  const copy = openRegistry(path)
  const forget = copy.database.prepare(
    'UPDATE legal_entities SET removed_from_source = 1 WHERE entity_number = ?',
  )
  copy.database.transaction(() => {
    for (const entityNumber of left) forget.run(entityNumber)
  })()
  copy.close()
  console.log(`${left.size} companies are left out of ${path}`)
}
