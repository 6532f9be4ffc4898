import { parseName } from '../src/registry/normalize/parsed-name.js'
import type { WritableRegistry } from '../src/registry/registry.js'

/** One registration that queries may be made of. */
export interface LabelledCompany {
  readonly entityNumber: number
  readonly id: string
  readonly name: string
  readonly coreKey: string
  readonly fullKey: string
  /** The words of its name without form. */
  readonly tokens: readonly string[]
  readonly city: string | null
  readonly region: string | null
  readonly postalCode: string | null
  /** Of its address, else of its jurisdiction. */
  readonly countryCode: string | null
  readonly cityKey: string
  readonly postalKey: string
  readonly sic: string | null
  readonly ticker: string | null
  readonly isBusiness: boolean
  readonly isBritish: boolean
}

interface Row {
  entity_number: number
  id: string
  name: string
  core_key: string
  full_key: string
  tokens: string
  city: string | null
  region: string | null
  postal_code: string | null
  country_code: string | null
  city_key: string
  postal_key: string
  sic: string | null
  ticker: string | null
  subtype: string
  jurisdiction: string | null
}

/** All registrations that their registers still name, in the order of the file. */
export function readCompanies({ database }: WritableRegistry): LabelledCompany[] {
  return database
    .prepare<[], Row>(
      `SELECT l.entity_number, e.id, l.legal_name AS name, n.core_key, n.full_key, n.tokens, a.city, a.region,
         a.postal_code, a.country_code, a.city_key, a.postal_key, l.sic, l.subtype, l.jurisdiction,
         (SELECT value FROM identifiers i WHERE i.legal_entity_number = l.number AND i.type = 'ticker'
          ORDER BY i.position LIMIT 1) AS ticker
       FROM legal_entities l
       JOIN entities e ON e.number = l.entity_number
       JOIN names n ON n.legal_entity_number = l.number AND n.kind = 'legal'
       JOIN addresses a ON a.legal_entity_number = l.number
       WHERE l.removed_from_source = 0 AND n.core_key <> '' ORDER BY l.number`,
    )
    .all()
    .map(companyOf)
}

/** Which companies bear a name, be it a former one, by what is left of it without its form. */
export function readBearers({ database }: WritableRegistry): ReadonlyMap<string, ReadonlySet<number>> {
  const rows = database
    .prepare<[], { core_key: string; entity_number: number }>(
      'SELECT n.core_key, l.entity_number FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number',
    )
    .all()
  const bearers = new Map<string, Set<number>>()
  for (const { core_key, entity_number } of rows) {
    const known = bearers.get(core_key)
    if (known) known.add(entity_number)
    else bearers.set(core_key, new Set([entity_number]))
  }
  return bearers
}

function companyOf(row: Row): LabelledCompany {
  const jurisdiction = row.jurisdiction ?? ''
  return {
    entityNumber: row.entity_number,
    id: row.id,
    name: row.name,
    coreKey: row.core_key,
    fullKey: row.full_key,
    tokens: row.tokens.split(' '),
    city: row.city,
    region: row.region?.replace(/^[A-Z]{2}-/, '') ?? null,
    postalCode: row.postal_code,
    countryCode: row.country_code ?? (jurisdiction.slice(0, 2).toUpperCase() || null),
    cityKey: row.city_key,
    postalKey: row.postal_key,
    sic: row.sic,
    ticker: row.ticker,
    isBusiness: row.subtype === 'incorporated_entity',
    isBritish: jurisdiction.startsWith('gb'),
  }
}

/** Another registration of the company, as far as names and places tell: a label names both. */
export function isTwin(a: LabelledCompany, b: LabelledCompany): boolean {
  if (a.entityNumber === b.entityNumber) return true
  const isUnplaced = [a, b].some(({ cityKey, postalKey }) => cityKey === '' && postalKey === '')
  if (isUnplaced) return a.fullKey === b.fullKey
  return (a.cityKey !== '' && a.cityKey === b.cityKey) || (a.postalKey !== '' && a.postalKey === b.postalKey)
}

export interface CompanyIndex {
  /** The company and its twins. */
  twinsOf(company: LabelledCompany): LabelledCompany[]
  /** The name is, but for its form, that of another company alone. */
  isNameOfAnother(name: string, company: LabelledCompany): boolean
  /** A name is, or begins with, these words, or holds them all: a company that is made up must not. */
  isKnown(name: string): boolean
  /** A company bears the name; with its very legal form, where that is what tells it. */
  isNameHeld(name: string, isToldByForm: boolean): boolean
  /** Others that have the same first words. */
  withHead(tokens: readonly string[]): LabelledCompany[]
}

const headWordsMax = 3

export function indexCompanies(
  companies: readonly LabelledCompany[],
  bearers: ReadonlyMap<string, ReadonlySet<number>>,
): CompanyIndex {
  const byCore = new Map<string, LabelledCompany[]>()
  const byHead = new Map<string, LabelledCompany[]>()
  const byWord = new Map<string, Set<LabelledCompany>>()
  for (const company of companies) {
    put(byCore, company.coreKey, company)
    for (let count = 1; count <= Math.min(headWordsMax, company.tokens.length); count++)
      put(byHead, company.tokens.slice(0, count).join(' '), company)
    for (const word of company.tokens) {
      const known = byWord.get(word)
      if (known) known.add(company)
      else byWord.set(word, new Set([company]))
    }
  }
  const twinsOf = (company: LabelledCompany) =>
    (byCore.get(company.coreKey) ?? []).filter((other) => isTwin(company, other))
  return {
    twinsOf,
    isNameOfAnother(name, company) {
      const { coreKey } = parseName(name)
      if (coreKey === company.coreKey) return false
      const others = bearers.get(coreKey)
      return others !== undefined && !others.has(company.entityNumber)
    },
    isKnown(name) {
      const { tokens, coreKey } = parseName(name)
      if (tokens.length === 0 || bearers.has(coreKey)) return true
      const [first, ...others] = tokens.map((word) => byWord.get(word) ?? new Set<LabelledCompany>())
      return [...(first ?? [])].some((company) => others.every((holders) => holders.has(company)))
    },
    isNameHeld(name, isToldByForm) {
      const { coreKey, fullKey } = parseName(name)
      const isHeld = bearers.has(coreKey)
      return isToldByForm ? (byCore.get(coreKey) ?? []).some((other) => other.fullKey === fullKey) : isHeld
    },
    withHead: (tokens) => byHead.get(tokens.join(' ')) ?? [],
  }
}

function put<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
