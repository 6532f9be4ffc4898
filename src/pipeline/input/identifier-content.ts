import { classifyDomain, toCanonicalIdentifier, type IdentifierKey } from '../../core/identifiers.js'
import { parseCourtNumber } from '../../core/court-numbers.js'
import {
  closeNumber,
  findNumberForm,
  hasWrongCheckDigits,
  readTaxNumber,
  toCompanyNumber,
  toNationalNumber,
} from '../../core/national-numbers.js'
import {
  ambiguousNumberHeaders,
  countriesOfHeader,
  findOwnersAddress,
  identifierHeaders,
  isKnownHeader,
  rankInHeaders,
  taxHeaders,
  toHeaderKey,
} from './header-words.js'
import { isPlaceholder } from '../../core/lookup-identity.js'

/** Returns the text of a cell; null if it is blank or a placeholder. */
export function toFilledCell(cell: string | null | undefined): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are no part of an identifier
  const text = (cell ?? '').replace(/[\s\x00-\x1f\x7f-\x9f\u200b\ufeff]+/g, ' ').trim()
  return text === '' || isPlaceholder(text) ? null : text
}

// Most cells have no dot, and the first use of a pattern with letters of all scripts takes milliseconds.
const isEmail = (text: string): boolean =>
  text.includes('@') && /^(?:mailto:)?[^\s@]+@[^\s@]+\.\p{L}{2,}>?$/iu.test(text)

const isSite = (text: string): boolean =>
  text.includes('.') &&
  /^(?:https?:\/\/|\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\.?(?::\d+)?(?:[/?#]\S*)?$/iu.test(
    text,
  )

const isUrl = (text: string): boolean => /^(?:https?:\/\/|www\.)/i.test(text) && isSite(text)

/** Phone numbers: a country prefix, brackets, or a leading zero and an area code. */
const isPhone = (text: string): boolean => /^[+(]|^0\d{1,5}[\s/-]\d/.test(text)

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/.test(text)

const isRegistration = (text: string): boolean =>
  (/^[\p{L}\d][\p{L}\d ./-]{2,39}$/u.test(text) && /\d/.test(text) && !isPhone(text) && !isDate(text)) ||
  parseCourtNumber(text) !== null

const createCanonicalTest = (type: Parameters<typeof toCanonicalIdentifier>[0]) => (text: string) =>
  'value' in toCanonicalIdentifier(type, text)

const fitting: Readonly<Record<IdentifierKey, (text: string) => boolean>> = {
  lei: createCanonicalTest('lei'),
  cik: createCanonicalTest('cik'),
  registration_id: isRegistration,
  ein: createCanonicalTest('ein'),
  bic: createCanonicalTest('bic'),
  ticker: (text) => /^(?:[A-Z][A-Z0-9 ]{1,19}:\s*)?[A-Z0-9][A-Z0-9.\-/]{0,9}$/i.test(text),
  website: isSite,
  email: isEmail,
}

/** Identifiers with check digits or a distinct form may be wrong in more cells. */
const shareMin: Readonly<Record<IdentifierKey, number>> = {
  lei: 0.5,
  website: 0.5,
  email: 0.5,
  cik: 0.8,
  registration_id: 0.8,
  ein: 0.8,
  bic: 0.8,
  ticker: 0.8,
}

/** Returns the reason why cells under an identifier header are not used; null if they are. */
export function findContentFault(
  key: IdentifierKey,
  cells: readonly string[],
  names: readonly string[] | null,
  header: string,
  rowCountries: readonly string[] = [],
): string | null {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  if (values.length === 0) return null
  if (key === 'registration_id' && isTaxHeader(header))
    return hasCompanyNumbers(values, header, rowCountries) ? null : 'its numbers contain no company numbers'
  const countries = key === 'registration_id' ? listRegisterCountries(header) : []
  const isNumber = (text: string) =>
    countries.some((country) => toCompanyNumber(country.toLowerCase(), text) !== null)
  if (calculateShare(values, (text) => fitting[key](text) || isNumber(text)) < shareMin[key]) {
    return key === 'lei' ? 'most cells have wrong check digits' : 'most cells have another form'
  }
  if (countries.length > 0) return findNumberFault(values, header, isNumber)
  if (key !== 'website' && key !== 'email') return null
  const hosts = values.map(toHost)
  if (
    key === 'email' &&
    isMost(hosts, (host) => ['mail provider', 'disposable'].includes(getSharedKind(host) ?? ''))
  )
    return 'most are in domains of mail providers, not of companies'
  if (key === 'website' && isMost(hosts, (host) => getSharedKind(host) === 'platform'))
    return 'most are pages on sites shared by many companies'
  return names !== null && isOneForAll(hosts, names) ? 'most names have the same domain' : null
}

/** An EIN in its usual form, which no other country has. */
export const isEin = (text: string): boolean => /^\d{2}-\d{7}$/.test(text)

/** Whether tax numbers contain company numbers of their countries, of those of the header, or of the rows. */
function hasCompanyNumbers(
  values: readonly string[],
  header: string,
  rowCountries: readonly string[],
): boolean {
  // Names of countries are read with the rows: to load them takes longer than the plan of a short list.
  const rows = [...new Set(rowCountries)].flatMap((text) =>
    /^\s*[a-z]{2}\s*$/i.test(text) ? [text.trim()] : [...countriesOfHeader.values()].flat(),
  )
  const countries = [...listRegisterCountries(header), ...rows].map((code) => code.toLowerCase())
  const isUs = countries.includes('us')
  return values.some(
    (text) => readTaxNumber(text, countries) !== null || isEin(text) || (isUs && /^\d{9}$/.test(text)),
  )
}

/** Returns the reason why cells under the name of a country's company numbers are not used; null if they are. */
function findNumberFault(
  values: readonly string[],
  header: string,
  isNumber: (text: string) => boolean,
): string | null {
  if (
    listHeaderKeys(header).some((one) => ambiguousNumberHeaders.has(one)) &&
    calculateShare(values, isNumber) < shareMin.lei
  )
    return 'most cells are not company numbers of a country where they have this name'
  const isWrong = (text: string) =>
    !isNumber(text) &&
    listRegisterCountries(header).some((country) => hasWrongCheckDigits(country.toLowerCase(), text))
  return calculateShare(values, isWrong) > 1 - shareMin.lei ? 'most cells have wrong check digits' : null
}

/** Numbers without spaces and signs, of countries where only their form is known. */
const plainForms: Readonly<Record<string, RegExp>> = {
  cn: /^[\dA-HJ-NP-RTUWXY]{18}$/,
  gb: /^(?:\d{8}|[A-Z]{2}\d{5}[\dA-Z]|R\d{7})$/,
  hu: /^\d{10}$/,
  ie: /^\d{5,6}$/,
  il: /^5\d{8}$/,
  in: /^(?:[LUF]\d{5}[A-Z]{2}\d{4}[A-Z]{3}\d{6}|[A-Z]{3}\d{4})$/,
  kr: /^\d{10}(?:\d{3})?$/,
  lu: /^B\d{1,6}$/,
  pl: /^\d{10}$/,
  ru: /^\d{13}$/,
  sg: /^(?:\d{8,9}|[TSR]\d{2}[A-Z]{2}\d{4})[A-Z]$/,
  ua: /^\d{8}$/,
}

/**
 * Returns how well a text fits the company numbers of a country (`fr`): 3 with check digits or letters, 2 by the count of
 * its digits, 1 with restored zeros, 0 if it does not fit; `null` for a country without known forms.
 */
export function rateNumber(country: string, text: string): 0 | 1 | 2 | 3 | null {
  const closed = closeNumber(text)
  if (country !== 'de' && country !== 'at' && findNumberForm(country, text) === undefined) {
    const form = plainForms[country]
    return form === undefined ? null : !form.test(closed) ? 0 : /[A-Z]/.test(closed) ? 3 : 2
  }
  const number = toCompanyNumber(country, text)
  if (number === null) return 0
  const countDigits = (one: string) => one.replace(/\D/g, '').length
  if (countDigits(text) < countDigits(number)) return 1
  const other = number.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
  return other === number || toNationalNumber(country, other) === null ? 3 : 2
}

/** Fewer cells than this prove nothing. */
const cellsMin = 3

/** Whether the cells prove the identifier by themselves, whatever their header. */
export function isCertainly(key: 'lei' | 'website' | 'email', cells: readonly string[]): boolean {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  if (values.length < cellsMin) return false
  switch (key) {
    case 'lei':
      return calculateShare(values, fitting.lei) >= 0.8
    case 'email':
      return calculateShare(values, isEmail) >= 0.8
    case 'website':
      // Pages deep in a site may belong to another company; home pages do not.
      return calculateShare(values, (text) => isUrl(text) && /^[^/]*(?:\/\/)?[^/?#]+\/?$/.test(text)) >= 0.8
  }
}

function getSharedKind(host: string): ReturnType<typeof classifyDomain> {
  return classifyDomain(host) ?? classifyDomain(host.split('.').slice(-2).join('.'))
}

/** Returns the approximate host; the exact domain is determined per row, with the list of suffixes. */
function toHost(text: string): string {
  const address = text.toLowerCase().replace(/^(?:mailto:)?(?:[a-z]+:)?(?:\/\/)?/, '')
  const authority = /^[^/?#]*/.exec(address)?.[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/^www\.|[>.]+$|:\d+$/g, '')
}

/** Whether one domain covers most rows although names differ: that of the owner, an agency or platform. */
function isOneForAll(hosts: readonly string[], names: readonly string[]): boolean {
  if (hosts.length < 5) return false
  const counts = new Map<string, number>()
  for (const host of hosts) counts.set(host, (counts.get(host) ?? 0) + 1)
  const namesDiffer = new Set(names.map((name) => name.toLowerCase())).size > names.length / 2
  return namesDiffer && Math.max(...counts.values()) > hosts.length / 2
}

const isMost = (values: readonly string[], is: (value: string) => boolean): boolean =>
  values.length >= cellsMin && calculateShare(values, is) >= 0.8

const calculateShare = (values: readonly string[], is: (value: string) => boolean): number =>
  values.filter(is).length / values.length

/** Faults of an identifier in a row; it is not submitted. */
export type IdentifierFault =
  | Exclude<IdentifierKey, 'lei'>
  | 'lei_form'
  | 'lei_checksum'
  | 'registration_checksum'
  | 'site_checksum'
  | 'other_country'
  | 'unknown_country'
  | 'tax_number'

/** Reasons why a row without other data is not submitted. */
export const faultReasons: Readonly<Record<IdentifierFault, string>> = {
  lei_checksum: 'the LEI has wrong check digits',
  lei_form: 'the LEI does not have the form of one',
  cik: 'the CIK is no number of at most ten digits',
  registration_id: 'the company number does not have the form of one',
  registration_checksum: 'the company number has wrong check digits',
  site_checksum: 'the SIRET has wrong check digits',
  other_country: 'the company number is of another country',
  unknown_country: 'the company number is not of the country of its column',
  tax_number: 'the tax number contains no company number',
  ein: 'the EIN does not have nine digits',
  bic: 'the BIC does not have the form of one',
  ticker: 'the ticker is not one symbol',
  website: 'the website is no domain',
  email: 'the e-mail address has no domain',
}

/** Whether a name cell may be an LEI, a web or an e-mail address. Cheap: it is called for every row. */
export function mayBeIdentifier(cell: string | null): boolean {
  if (cell === null || cell.length > addressCharsMax) return false
  return cell.includes('@') || /^\s*(?:https?:\/\/|www\.|mailto:)/i.test(cell) || findLei(cell) !== null
}

const addressCharsMax = 2_048

/** Returns the LEI that fills a text; with wrong check digits only if the text cannot be a word. */
export function findLei(text: string): string | null {
  if (text.length < leiChars || text.length > leiChars * 2) return null
  const compact = text.replace(/\s+/g, '')
  if (compact.length !== leiChars || !/^[A-Z0-9]{18}\d{2}$/.test(compact)) return null
  const isWordless = compact.replace(/\D/g, '').length >= digitsMin
  return isWordless || 'value' in toCanonicalIdentifier('lei', compact) ? compact : null
}

const leiChars = 20

/** Company names of that length have fewer digits. */
const digitsMin = 6

/** Words in front of a kind of identifier: `Account DUNS`, `Supplier VAT No`. */
const owners =
  /^(?:company|account|customer|client|vendor|supplier|partner|business|billing|primary|main)(?=.)/
const separators = /[/|,;:()[\]+&]|\s[-–]\s|\s(?:or|ou|oder|o|eller|lub|and|und|et|y|e)\s/iu
const wordsMax = 4
const headerKeys = new Map<string, readonly string[]>()

/**
 * Returns the keys of a header: of the whole text, of its parts (`CNPJ / Tax ID`), and of the names of numbers among its
 * words (`Customer CNPJ`), without the words for an owner and the ending of a Salesforce field (`CNPJ__c`).
 */
export function listHeaderKeys(header: string): readonly string[] {
  const known = headerKeys.get(header)
  if (known !== undefined) return known
  const text = header.replace(/__c$/i, '')
  const parts = [text, ...text.split(separators)].map(toHeaderKey).filter((key) => key !== '')
  const words = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').split(/[^\p{L}\p{M}\p{N}]+/u)
  const runs = words.flatMap((_, at) =>
    Array.from({ length: wordsMax }, (__, count) => toHeaderKey(words.slice(at, at + count + 1).join(''))),
  )
  const keys = [
    toHeaderKey(header),
    ...parts.flatMap((key) => [key, key.replace(owners, '')]),
    ...runs.filter((key) => key.length >= 3 && (tellingKeys.has(key) || taxHeaders.includes(key))),
  ]
  headerKeys.set(header, [...new Set(keys)])
  return headerKeys.get(header) ?? []
}

/** Whether a header names tax numbers. */
export const isTaxHeader = (header: string): boolean =>
  listHeaderKeys(header).some((key) => taxHeaders.includes(key))

/** Names that mean a number wherever they are in a header. */
const tellingKeys: ReadonlySet<string> = new Set(
  [...countriesOfHeader.keys()].filter((key) => !ambiguousNumberHeaders.has(key)),
)

/** Returns how well a header names a kind of identifier, best 0; -1 for another kind. A column has one kind. */
export function rankHeader(kind: IdentifierKey, header: string): number {
  const [whole = '', ...others] = listHeaderKeys(header)
  const rank = rankInHeaders(header, identifierHeaders[kind])
  if (rank >= 0 || isKnownHeader(whole)) return rank
  if (findOwnersAddress(header) === kind) return partsRank
  const found = numberKinds.find((one) => others.some((key) => identifierHeaders[one].includes(key)))
  return found === kind ? partsRank : -1
}

const numberKinds = ['registration_id', 'lei', 'cik', 'ein'] as const
/** A part of a header is worth less than a whole one. */
const partsRank = 1_000

/** Returns the countries whose register numbers have the names in a header; none for a name like `company number`. */
export const listRegisterCountries = (header: string): readonly string[] => [
  ...new Set(listHeaderKeys(header).flatMap((key) => countriesOfHeader.get(key) ?? [])),
]
