import { iso31662 } from 'iso-3166'
import listed from './authorities.json' with { type: 'json' }
import { toPlainLetters } from '../../core/text.js'
import listedPlaces from './edgar-places.json' with { type: 'json' }
import words from './register-words.json' with { type: 'json' }

/** A register of companies, by its code in the GLEIF list of registration authorities. */
export interface AuthorityFacts {
  readonly name: string
  readonly organization: string
  /** Lower case, `us_de` or `gb`. */
  readonly jurisdiction: string
  readonly countryCode: string
  readonly website: string
}

/** The registers of most well-known companies. */
const authorities = new Map(
  Object.entries(listed).map(([code, facts]): [string, AuthorityFacts] => [
    code,
    { ...facts, countryCode: facts.jurisdiction.slice(0, 2).toUpperCase() },
  ]),
)

/** The register of each state of the United States, by jurisdiction: `us_de`. */
const stateAuthorities = new Map(
  [...authorities].flatMap(([code, { jurisdiction }]): [string, string][] =>
    jurisdiction.startsWith('us_') ? [[jurisdiction, code]] : [],
  ),
)

/** Returns the register of companies of a state (`us_de`), or `null` for any other jurisdiction. */
export function findStateAuthority(jurisdiction: string): string | null {
  return stateAuthorities.get(jurisdiction) ?? null
}

export const edgarAuthority = 'RA000665'

/**
 * Returns the Companies House register of a company number, by its letters: Scotland and Northern Ireland have
 * separate registers. `null` if it is not a company number: mutual societies have another register.
 */
export function findCompaniesHouseAuthority(companyNumber: string): string | null {
  if (!/^[A-Z0-9]{8}$/.test(companyNumber) || /^(?:IP|RS|SP|NP|NO)/.test(companyNumber)) return null
  if (companyNumber.startsWith('S')) return 'RA000587'
  return /^(?:N|R0)/.test(companyNumber) ? 'RA000586' : 'RA000585'
}

/** Returns the facts of a registration authority, or `null` for an unknown code. */
export function findAuthorityFacts(code: string): AuthorityFacts | null {
  return authorities.get(code) ?? null
}

/** Registers that number in sequence: a number, and the month in which it was about reached (`number month`). */
const cikTable = `
1000000 1995-09 1050000 1997-11 1075000 1998-12 1100000 1999-11 1150000 2001-09 1200000 2002-10 1250000 2003-07
1300000 2004-08 1350000 2006-01 1400000 2007-05 1450000 2008-11 1500000 2010-09 1550000 2012-05 1600000 2014-02
1650000 2015-08 1700000 2017-03 1750000 2018-08 1800000 2020-01 1850000 2021-03 1900000 2021-12 1950000 2022-10
2000000 2023-11 2050000 2025-01 2100000 2025-12`

const companiesHouseTable = `
3000000 1994-12 3500000 1998-02 4000000 2000-05 4200000 2001-04 4500000 2002-08 5000000 2003-12 5500000 2005-07 6000000 2006-11 7000000 2009-08 8000000 2012-03 9000000 2014-04
10000000 2016-02 11000000 2017-10 12000000 2019-05 13000000 2020-11 14000000 2022-03 15000000 2023-07 16000000 2024-10`

interface Anchor {
  readonly number: number
  readonly month: string
}

function parseAnchors(table: string): Anchor[] {
  const parts = table.trim().split(/\s+/)
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ number: Number(part), month: parts[index + 1] ?? '' }] : [],
  )
}

const cikAnchors = parseAnchors(cikTable)
const companiesHouseAnchors = parseAnchors(companiesHouseTable)

/** Returns the month (`YYYY-MM`) by which the SEC had issued a CIK, or `null` if it is newer than the table. */
export function findCikIssueMonth(cik: string): string | null {
  return cikAnchors.find(({ number }) => Number(cik) <= number)?.month ?? null
}

/** Returns the month (`YYYY-MM`) after which an English or Welsh company was formed, or `null` if unknown. */
export function findEarliestFormationMonth(companyNumber: string): string | null {
  if (!/^\d{7,8}$/.test(companyNumber)) return null
  return companiesHouseAnchors.findLast(({ number }) => Number(companyNumber) >= number)?.month ?? null
}

/** EDGAR's codes of places outside the United States, as ISO 3166 codes. */
const places = new Map(Object.entries(listedPlaces))

/** American places that ISO 3166-1 lists as countries. */
const territories = new Set(['AS', 'GU', 'MP', 'PR', 'UM', 'VI'])

/** A country and, if EDGAR's code has one, a state or province in the short form of addresses. */
export interface EdgarPlace {
  readonly countryCode: string
  readonly region: string | null
}

/** Parses an EDGAR code: "DE" is Delaware, "2M" Germany, "A6" Ontario. Returns `null` for an unknown code. */
export function parseEdgarPlace(code: string): EdgarPlace | null {
  const foreign = places.get(code.toUpperCase())
  if (foreign !== undefined) return { countryCode: foreign.slice(0, 2), region: foreign.slice(3) || null }
  const state = code.toUpperCase()
  if (territories.has(state)) return { countryCode: state, region: null }
  return isRegion('US', state) ? { countryCode: 'US', region: state } : null
}

/** Whether a country has a subdivision with this short code (ISO 3166-2). */
export const isRegion = (countryCode: string, code: string): boolean => regions.has(`${countryCode}-${code}`)
const regions = new Set(iso31662.map(({ code }) => code))

/** Converts a place of EDGAR to a jurisdiction code: `us_de`, `ca_on`, `ky`. */
export function toJurisdiction({ countryCode, region }: EdgarPlace): string {
  return (region === null ? countryCode : `${countryCode}_${region}`).toLowerCase()
}

/** Folds the spelling of a status: `Dissolved (s. 210)` is `dissolved s 210`. */
const toStatusKey = (text: string): string =>
  toPlainLetters(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, ''))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const toKeys = (list: string): string[] => list.split('|').map(toStatusKey)
const statuses = Object.entries(words.statuses).map(([status, list]) => ({ status, keys: toKeys(list) }))
const wholeStatuses = new Map(
  statuses.flatMap(({ status, keys }) => keys.map((key) => [key, status] as const)),
)
const codesByCountry: Readonly<Partial<Record<string, string>>> = words.statusCodes

/** Steps by which a longer text is read. A company whose liquidation has ended has ended; one in liquidation may be called active. */
const phraseSteps: readonly (readonly [status: string, isAtStart: boolean])[] = [
  ['inactive', true],
  ...['liquidation', 'bankruptcy', 'administration', 'restructuring'].map((one) => [one, false] as const),
  ['active', true],
  ...['strike-off in progress', 'suspended', 'inactive'].map((one) => [one, false] as const),
]
/** Shorter words are parts of too many phrases. */
const phraseCharsMin = 4
const negation = / (?:not|no|non|nicht|nie|ne|nao|niet|ikke|inte|ei|nem|не|όχι) $/u

function findInPhrase(text: string, status: string, isAtStart: boolean): boolean {
  const keys = statuses.find((one) => one.status === status)?.keys ?? []
  return keys.some((key) => {
    if (key.length < phraseCharsMin && /\p{Script=Latin}/u.test(key)) return false
    const at = text.indexOf(` ${key} `)
    return isAtStart ? at === 0 : at >= 0 && !negation.test(text.slice(0, at + 1))
  })
}

/** Registers repeat "Active" millions of times. */
const statusesRead = new Map<string, string | null>()
const statusesKeptMax = 5_000

/**
 * Returns the status that a word, code or phrase of a register means: `active`, `inactive`, or a state in between such as
 * `liquidation`; `null` if it is not known. Short codes have a meaning only in their country (`FR`).
 */
export function findStatus(text: string, countryCode: string | null): string | null {
  const cacheKey = `${countryCode ?? ''} ${text}`
  const read = statusesRead.get(cacheKey)
  if (read !== undefined) return read
  const key = toStatusKey(text)
  const phrase = ` ${key} `
  const code = ` ${codesByCountry[countryCode ?? ''] ?? ''}`.split(` ${key}=`)[1]?.split(' ')[0]
  const step = phraseSteps.find(([status, isAtStart]) => findInPhrase(phrase, status, isAtStart))
  const status = key === '' ? null : (code ?? wholeStatuses.get(key) ?? step?.[0] ?? null)
  if (statusesRead.size < statusesKeptMax) statusesRead.set(cacheKey, status)
  return status
}
