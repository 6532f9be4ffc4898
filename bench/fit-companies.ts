import type { WritableRegistry } from '../src/registry/registry.js'
import { toFitId } from './fit-data.js'
import { formWords } from './fit-forms.js'

/** A company of a registry, with what rows of the fit are made of. */
export interface FitCompany {
  readonly id: string
  /** All ids, as `FitQuery.expected` writes them. */
  readonly ids: readonly string[]
  /** Legal names first. */
  readonly names: readonly string[]
  readonly legalName: string
  readonly city: string
  readonly region: string
  readonly postcode: string
  /** ISO 3166-1, two letters; empty if unknown. */
  readonly country: string
  /** Empty if its shares are not listed. */
  readonly ticker: string
}

export interface FitIndex {
  readonly companies: readonly FitCompany[]
  readonly towns: readonly string[]
  readonly byId: ReadonlyMap<string, FitCompany>
  /** True if the registry has a company of this name, with or without its legal form. */
  isName(name: string): boolean
  isWord(word: string): boolean
  /** Companies that have one of the names of the company, and the company. */
  listNamesakes(company: FitCompany): FitCompany[]
  /** Companies with this name, be it without the form. */
  listBearers(name: string): readonly FitCompany[]
  /** Number of companies whose name begins with these words, at most `prefixCountMax`. */
  countPrefix(words: readonly string[]): number
}

const prefixCountMax = 50
const prefixWordsMax = 4

interface Row {
  readonly entity: string
  readonly number: number
  readonly kind: string
  readonly name: string
  readonly city: string | null
  readonly region: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

/** Reads the companies that the registers of a registry still list. */
export function readFitCompanies({ database }: WritableRegistry): FitCompany[] {
  const ids = new Map<number, string[]>()
  const tickers = new Map<number, string>()
  const stated = database
    .prepare<[], { type: string; value: string; jurisdiction: string; number: number }>(
      `SELECT i.type, i.value, i.jurisdiction, l.entity_number AS number FROM identifiers i
       JOIN legal_entities l ON l.number = i.legal_entity_number`,
    )
    .all()
  for (const { type, value, jurisdiction, number } of stated) {
    if (type === 'ticker') tickers.set(number, tickers.get(number) ?? value)
    const id = toFitId(type, value, jurisdiction)
    if (id !== null) append(ids, number, id)
  }
  const rows = database
    .prepare<[], Row>(
      `SELECT e.id AS entity, l.entity_number AS number, n.kind, n.name, a.city, a.region, a.postal_code,
         COALESCE(a.country_code, upper(substr(l.jurisdiction, 1, 2))) AS country
       FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number
       JOIN entities e ON e.number = l.entity_number
       LEFT JOIN addresses a ON a.legal_entity_number = l.number
       WHERE l.removed_from_source = 0 ORDER BY l.entity_number, n.kind <> 'legal', n.number`,
    )
    .all()
  const byCompany = new Map<number, Row[]>()
  for (const row of rows) append(byCompany, row.number, row)
  return [...byCompany].map(([number, all]) => {
    const placed = all.find(({ city, postal_code }) => city !== null || postal_code !== null) ?? all[0]
    const entity = all[0]?.entity ?? ''
    return {
      id: entity,
      ids: [...new Set([...(ids.get(number) ?? []), entity])],
      names: [...new Set(all.map(({ name }) => name))],
      legalName: all[0]?.name ?? '',
      city: placed?.city ?? '',
      region: placed?.region?.replace(/^[A-Z]{2}-/, '') ?? '',
      postcode: placed?.postal_code ?? '',
      country: placed?.country ?? '',
      ticker: tickers.get(number) ?? '',
    }
  })
}

/** Words of a name in small letters without accents and signs; a stand-in for the matcher's own reading. */
export function foldWords(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/\b(?:\p{L}\.\s?)+\p{L}\b\.?/gu, (initials) => initials.replace(/[.\s]/g, ''))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'and' && word !== 'the')
}

export function dropForms(words: readonly string[]): readonly string[] {
  const core = words.filter((word, at) => at === 0 || !formWords.has(word))
  return core.length === 0 ? words : core
}

/** Keys of a name: all of its words, and those that are no legal form. */
function buildKeys(name: string): string[] {
  const words = foldWords(name)
  return words.length === 0 ? [] : [...new Set([words.join(''), dropForms(words).join('')])]
}

export function indexFitCompanies(companies: readonly FitCompany[]): FitIndex {
  const byKey = new Map<string, FitCompany[]>()
  const byPrefix = new Map<string, Set<string>>()
  const vocabulary = new Set<string>()
  for (const company of companies)
    for (const name of company.names) {
      const words = foldWords(name)
      for (const word of words) vocabulary.add(word)
      for (const key of buildKeys(name)) {
        const known = byKey.get(key)
        if (known === undefined) byKey.set(key, [company])
        else if (known.at(-1) !== company) known.push(company)
      }
      const core = dropForms(words)
      for (let count = 1; count <= Math.min(prefixWordsMax, core.length); count++) {
        const prefix = core.slice(0, count).join(' ')
        const known = byPrefix.get(prefix) ?? new Set()
        byPrefix.set(prefix, known)
        if (known.size < prefixCountMax) known.add(company.id)
      }
    }
  const listBearers = (name: string) => [...new Set(buildKeys(name).flatMap((key) => byKey.get(key) ?? []))]
  return {
    companies,
    towns: [...new Set(companies.map(({ city }) => city.trim()))].filter((city) => /^\p{L}{3}/u.test(city)),
    byId: new Map(companies.flatMap((company) => company.ids.map((id) => [id, company] as const))),
    isName: (name) => buildKeys(name).some((key) => byKey.has(key)),
    isWord: (word) => vocabulary.has(word),
    listNamesakes: (company) => [...new Set([company, ...company.names.flatMap(listBearers)])],
    listBearers,
    countPrefix: (words) => byPrefix.get(words.slice(0, prefixWordsMax).join(' '))?.size ?? 0,
  }
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}
