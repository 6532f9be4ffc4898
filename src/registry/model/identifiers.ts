import { findCodedCountry, listOfficeKeys } from '../../core/numbers/court-numbers.js'
import { closeNumber, hasPlainForm, toCompanyNumber } from '../../core/numbers/national-numbers.js'
import {
  isPersonNumber,
  listNestedNumbers,
  rateNumber,
  toHeadOfficeNumber,
} from '../../core/numbers/number-forms.js'
import forms from '../../core/numbers/number-forms.json' with { type: 'json' }
import exchangeNames from './exchanges.json' with { type: 'json' }
import { hash } from 'node:crypto'
import { classifySite, type SiteFit } from '../../core/domain-name.js'

/** Derives an id from the key of the source, so that every import gives the same id. */
export const deriveId = (prefix: 'le_' | 'siq_', sourceKey: string): string =>
  prefix + hash('sha256', `${prefix}${sourceKey}`, 'hex').slice(0, 24)

/** Returns the bytes of an id, by which the registry stores it; none for a text that is no id of this kind. */
export function toStoredKey(prefix: 'le_' | 'siq_', id: string): Buffer {
  const isId = id.startsWith(prefix) && /^[0-9a-f]{24}$/.test(id.slice(prefix.length))
  return Buffer.from(isId ? id.slice(prefix.length) : '', 'hex')
}

/** Public web pages of a registration, by an identifier in its canonical form. */
export const recordUrls = {
  lei: (lei: string) => `https://search.gleif.org/#/record/${lei}`,
  cik: (cik: string) => `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${cik}`,
  companiesHouse: (companyNumber: string) =>
    `https://find-and-update.company-information.service.gov.uk/company/${encodeURIComponent(companyNumber)}`,
  wikidata: (item: string) => `https://www.wikidata.org/wiki/${item}`,
} as const

const foldExchange = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '')

/** Exchanges in the SEC's spelling or their own, by market codes (ISO 10383) and further names, folded. */
const exchangesByName = new Map(
  Object.entries(exchangeNames).flatMap(([exchange, names]) =>
    [foldExchange(exchange), ...names.split(' ')].map((name) => [name, exchange] as const),
  ),
)

/** Returns the one spelling of an exchange: "Nasdaq" for `XNAS`, "NASDAQ" and "NASDAQ GS"; others unchanged. */
export const formatExchange = (exchange: string): string =>
  exchangesByName.get(foldExchange(exchange)) ?? exchange

/** Exchanges that share their symbols. */
const sharedMarkets: Readonly<Record<string, string>> = {
  'NYSE Arca': 'NYSE',
  'NYSE American': 'NYSE',
  AIM: 'LSE',
  'Frankfurt Stock Exchange': 'Xetra',
}

/** Normalizes the name of an exchange for comparisons: `XNAS`, "Nasdaq" and "NASDAQ GS" are the same market. */
export function toExchangeKey(exchange: string): string {
  const name = formatExchange(exchange)
  return foldExchange(sharedMarkets[name] ?? name)
}

/** A company that states a website within the domain. */
export interface DomainHolder {
  readonly entityNumber: number
  readonly legalEntityNumber: number
  readonly website: string
  readonly isActive: boolean
}

type Holders = readonly [DomainHolder, ...DomainHolder[]]
export type DomainDecision =
  | { readonly kind: 'none' }
  /** `isOwnerOfOthers`: other companies state the domain too, and all of them belong to this one. */
  | {
      readonly kind: 'one'
      readonly holder: DomainHolder
      readonly fit: SiteFit
      readonly isOwnerOfOthers: boolean
    }
  | { readonly kind: 'several'; readonly holders: Holders; readonly fit: SiteFit }

/**
 * Decides which company a domain belongs to: of those with the site nearest to the root, active ones first, the only
 * one or the owner of all. `ownersOf` returns the numbers of all owners, at every level.
 */
export function decideHolder(
  holders: readonly DomainHolder[],
  listAllOwners: (entityNumber: number) => ReadonlySet<number>,
): DomainDecision {
  const fits = holders.map((holder) => ({ holder, fit: classifySite(holder.website) }))
  for (const fit of ['root', 'subdomain', 'page'] as const) {
    const nearest = keepOnePerCompany(fits.filter((one) => one.fit === fit).map(({ holder }) => holder))
    const active = nearest.filter(({ isActive }) => isActive)
    const [first, ...others] = active.length > 0 ? active : nearest
    if (first === undefined) continue
    if (others.length === 0) return { kind: 'one', holder: first, fit, isOwnerOfOthers: false }
    const owner = findCommonOwner([first, ...others], listAllOwners)
    if (owner !== null) return { kind: 'one', holder: owner, fit, isOwnerOfOthers: true }
    return { kind: 'several', holders: [first, ...others], fit }
  }
  return { kind: 'none' }
}

function keepOnePerCompany(holders: readonly DomainHolder[]): DomainHolder[] {
  const byCompany = new Map<number, DomainHolder>()
  for (const holder of holders) {
    const known = byCompany.get(holder.entityNumber)
    if (known === undefined || (holder.isActive && !known.isActive))
      byCompany.set(holder.entityNumber, holder)
  }
  return [...byCompany.values()]
}

function findCommonOwner(
  holders: Holders,
  listAllOwners: (entityNumber: number) => ReadonlySet<number>,
): DomainHolder | null {
  const above = new Map(holders.map(({ entityNumber }) => [entityNumber, listAllOwners(entityNumber)]))
  const owners = holders.filter((holder) =>
    holders.every((other) => other === holder || above.get(other.entityNumber)?.has(holder.entityNumber)),
  )
  // Two companies that own each other are both above the other: neither is the owner.
  return owners.length === 1 ? (owners[0] ?? null) : null
}

/** Lengths of register numbers, the most frequent first. */
const numberLengths = [8, 6, 7, 9, 10, 11, 12, 5, 4, 3, 13, 14, 2, 15, 16] as const

/** Countries in whose numbers zeros behind letters tell: `J011232004` is 1/123/2004, and `J11232004` 11/23/2004. */
const withTellingZeros: ReadonlySet<string> = new Set(forms.tellingZeros.split(' '))

/** Drops the zeros in front of a number, and those behind its letters unless they tell: `PV0002187` is `PV2187`. */
export const dropZeros = (country: string, closed: string): string =>
  withTellingZeros.has(country) ? closed.replace(/^0+/, '') : closed.replace(/^([\p{L}()]*)0+(?=\d)/u, '$1')

/** Returns a number without the zeros that fill its column, if check digits or the first digit show it: `00000800123017` of Colombia. */
export function dropPadding(country: string, text: string): string {
  const bare = text.replace(/^0+/, '')
  if (bare === text || rateNumber(country, text) !== 0 || isPersonNumber(text, [country])) return text
  const isSure = hasPlainForm(country, bare) === true && !hasPlainForm(country, `0${bare.slice(1)}`)
  return isSure || [1, 3].includes(rateNumber(country, bare) ?? 0) ? bare : text
}

/**
 * Lists other spellings of a number with letters, most likely first: tables and registers lose and add zeros behind
 * letters, as in "SC12345" for "SC012345", "IP141R" for "IP00141R", and "PV0002187" for "PV 2187". Others have a key.
 */
function padNumber(text: string, country: string): string[] {
  const closed = text.replace(/\s+/g, '').replace(/^([\p{L}()]+)[.\-/]+(?=\d)/u, '$1')
  const pattern = /^([\p{L}()]{0,8}?)(\d+)([A-Z]?)$/u
  const [, prefix = '', digits = '', suffix = ''] = pattern.exec(dropZeros(country, closed)) ?? []
  if (findCodedCountry(text) !== null) return listOfficeKeys(text)
  if (digits === '' || prefix + suffix === '') return listSections(country, digits)
  const lengths = numberLengths.map((length) => length - prefix.length - suffix.length)
  return [...new Set(lengths.map((length) => prefix + digits.padStart(length, '0') + suffix))]
}

/**
 * Lists further spellings of a number, in groups to try one after another, and its numbers with its country, of a site or
 * a branch, or inside another one. Several numbers of one register that differ only in zeros are in one group.
 */
export function listSpellings(asked: string, country: string): string[][] {
  const text = dropPadding(country, asked)
  const padded = padNumber(text, country)
  const others = [toCompanyNumber(country, text), toHeadOfficeNumber(country, text)]
  const nesting = [text, others[1] ?? null].filter((one) => one !== null)
  const nested = nesting.flatMap((one) => listNestedNumbers(country, one))
  const known = [...others.filter((one) => one !== null), ...nested]
  const single = [...known, ...listHeadOffices(country, text)]
  if (country === '') return [...padded, ...single].map((one) => [one])
  return [padded, ...single.map((one) => [one]), listLaterNumbers(country, others[0] ?? text)]
}

/** Lists the writings of the number of a company whose head office may have zeros behind it. */
function listHeadOffices(country: string, text: string): string[] {
  const { number, ends } = headOffices.get(country) ?? { number: '$^', ends: '' }
  const form = new RegExp(`^(${number})(?:${ends.replaceAll('0', '\\d')})?$`)
  const company = form.exec(closeNumber(text))?.[1]
  return company === undefined ? [] : ['', ...ends.split('|')].map((end) => company + end)
}
const headOffices = new Map(Object.entries(forms.headOffices))

/** Lists the numbers that a company of Romania has since 2024 for its earlier one, `J12/1811/2001`, with each check digit; those of taxes of Pakistan too. */
function listLaterNumbers(country: string, text: string): string[] {
  const pattern = /^([JFC])(\d\d)\/0*(\d{1,6})\/(\d{4})$/
  const [, letter, county = '', number = '', year = ''] = pattern.exec(text.replace(/\s/g, '')) ?? []
  const withDigits = (front: string) => Array.from({ length: 10 }, (_, digit) => `${front}${digit}`)
  const ntn = country === 'pk' ? /^NTN(\d{7})$/.exec(closeNumber(text))?.[1] : undefined
  if (ntn !== undefined) return withDigits(ntn)
  if (country !== 'ro' || letter === undefined) return []
  return withDigits(letter + year + number.padStart(6, '0') + county)
}

/** Eight characters name the institution, with or without `XXX` after them. */
export const listBicSpellings = (bic: string): string[] =>
  bic.length === 8 ? [`${bic}XXX`, bic] : bic.endsWith('XXX') ? [bic, bic.slice(0, 8)] : [bic]

/** Lists the numbers with the letter of each section of a register, for a number that states none. */
const listSections = (country: string, digits: string): string[] =>
  digits === '' ? [] : (sections.get(country)?.split(' ') ?? []).map((section) => section + digits)
const sections = new Map(Object.entries(forms.sections))
