import { toRootDomain } from '../../core/domain-name.js'
import {
  foldText,
  identify,
  isPlaceholder,
  type Identified,
  type Lookup,
} from '../../core/lookup-identity.js'
import {
  appendIdentifiers,
  formatIdentifiers,
  readCellIdentifier,
  toRegisterPlace,
  toStatedIdentifier,
  type StatedIdentifier,
} from '../../core/stated-identifiers.js'
import type { LookupRule } from './columns.js'
import { parseCourtNumber } from '../../core/court-numbers.js'
import { hasWrongCheckDigits, readTaxNumber, toCompanyNumber } from '../../core/national-numbers.js'
import {
  faultReasons,
  findLei,
  isEin,
  isTaxHeader,
  listRegisterCountries,
  toFilledCell,
  type IdentifierFault,
} from './identifier-content.js'
import {
  classifyDomain,
  identifierKeys,
  identifierPlaceKeys,
  type IdentifierKey,
  type IdentifierPlaceKey,
} from '../../core/identifiers.js'

/**
 * The lookup of a row, by name or domain; `byIdentifier` if identifiers replace a missing name. `unknownCountry`: a text in a
 * column of countries that names no known one.
 */
export type RowQuestion =
  | {
      readonly kind: 'resolution'
      readonly lookup: Lookup
      readonly byIdentifier: boolean
      /** Set if only a website identifies the row. Reviewers may have decided the lookup by this domain. */
      readonly domain?: string
      readonly faults: readonly IdentifierFault[]
      readonly unknownCountry?: string
    }
  | {
      readonly kind: 'domain'
      readonly lookup: Lookup
      readonly faults: readonly IdentifierFault[]
      readonly unknownCountry?: string
    }
  | { readonly kind: 'invalid'; readonly reason: string }

type Cells = readonly (string | null)[]
type IdentifierCells = Readonly<Partial<Record<IdentifierKey | IdentifierPlaceKey, string>>>

/** A row's cells by use. */
export interface RowCells {
  readonly name: string | null
  readonly location: Cells
  readonly context: Cells
  readonly identifiers: IdentifierCells
}

/** Splits a row into name, location, context, identifiers and their places, in the order of `listLookupColumns`. */
export function toRowCells({ columns }: LookupRule, row: Cells): RowCells {
  let at = 0
  const take = (count: number) => row.slice(at, (at += count))
  const [name = null] = columns.name === null ? [] : take(1)
  const location = take(columns.location.length)
  const context = take(columns.context.length)
  const identifiers: Partial<Record<IdentifierKey | IdentifierPlaceKey, string>> = {}
  for (const key of [...identifierKeys, ...identifierPlaceKeys]) {
    if (columns.identifiers[key] === undefined) continue
    const cell = toFilledCell(row[at++])
    if (cell !== null) identifiers[key] = cell
  }
  return { name, location, context, identifiers }
}

/** Returns the lookup of a row. A row without a usable name is looked up by its identifiers, else by its domain. */
export function toRowQuestion(rule: LookupRule, row: RowCells): RowQuestion {
  const { name, stated, website, wrongLei, faults, reason } = readRow(rule, row)
  const all = website === null ? stated : [...stated, website]
  // A service that resolves identifiers doubts a company that has another LEI.
  const isLeiSent =
    wrongLei !== null &&
    (rule.isEarlier !== true || rule.identifierUse === 'first') &&
    identify(name, row.location, row.context).kind === 'lookup'
  const named = identifyByName(rule, row, name, isLeiSent ? [wrongLei, ...all] : all)
  if (named.kind === 'lookup')
    return { kind: 'resolution', lookup: named.lookup, byIdentifier: false, faults }
  // A service for names is queried by domain. A service that resolves identifiers returns more facts by identifier.
  if (website !== null && rule.identifierUse === 'context')
    return { kind: 'domain', lookup: { name: website.value, location: null, context: null }, faults }
  if (all.length === 0)
    return { kind: 'invalid', reason: isBlank(name) ? (reason ?? named.reason) : named.reason }
  const asked = identify(formatIdentifiers(all), row.location, row.context)
  if (asked.kind === 'invalid') return asked
  const found = { kind: 'resolution', lookup: asked.lookup, byIdentifier: true, faults } as const
  return stated.length === 0 && website !== null ? { ...found, domain: website.value } : found
}

/** Returns the question of a row as version 0.2.0 read it; none if that version surely read it the same. */
export function listEarlier(rule: LookupRule, row: Cells, now: RowQuestion): RowQuestion[] {
  const cells = toRowCells(rule, row)
  const isSame = now.kind !== 'invalid' && !now.faults.includes('lei_checksum')
  if (isSame && (cells.identifiers.registration_id ?? cells.identifiers.tax_id) === undefined) return []
  return [toRowQuestion({ ...rule, isEarlier: true }, cells)]
}

function identifyByName(
  { identifierUse }: LookupRule,
  { location, context }: RowCells,
  name: string | null,
  identifiers: readonly StatedIdentifier[],
): Identified {
  const plain = identify(name, location, context)
  if (name === null || isBlank(name) || identifiers.length === 0) return plain
  const asked =
    identifierUse === 'first'
      ? identify(appendIdentifiers(name.trim(), identifiers), location, context)
      : identify(name, location, [...context, formatIdentifiers(identifiers)])
  // If the combination is too long, only the name is submitted.
  return asked.kind === 'lookup' ? asked : plain
}

const isBlank = (name: string | null): boolean => foldText(name) === '' || isPlaceholder(name ?? '')

interface ReadRow {
  /** The name in the name cell; null if the cell is an identifier. */
  readonly name: string | null
  readonly stated: readonly StatedIdentifier[]
  readonly website: StatedIdentifier | null
  /** An LEI with wrong check digits. */
  readonly wrongLei: StatedIdentifier | null
  readonly faults: readonly IdentifierFault[]
  /** Why the row's identifiers are not usable. */
  readonly reason: string | null
}

function readRow(first: LookupRule, { name, identifiers }: RowCells): ReadRow {
  const { rule, cells } = chooseNumber(first, identifiers)
  const faults: IdentifierFault[] = []
  const reasons: string[] = []
  const stated: StatedIdentifier[] = []
  const own = rule.readsNames ? readName(name) : { name, lei: undefined, address: null }
  const lei = cells.lei ?? own.lei
  for (const key of identifierKeys) {
    const text = key === 'lei' ? lei : cells[key]
    if (key === 'website' || key === 'email' || text === undefined) continue
    const read = readOne(rule, key, text, cells)
    const isWrong = 'kind' in read && isWrongNumber(read, rule)
    // With a name, the number is sent too, so that the service doubts a company that has another one.
    if ('kind' in read && !(isWrong && isBlank(own.name))) stated.push(read)
    const fault = isWrong ? 'registration_checksum' : 'kind' in read ? null : read.fault
    if (fault === null) continue
    faults.push(fault)
    reasons.push(`no company name, and ${faultReasons[fault]}`)
  }
  const site = findWebsite(own.address ?? cells.website, cells.email)
  if (site.shared !== null) reasons.unshift(site.shared)
  for (const fault of site.faults) {
    faults.push(fault)
    reasons.push(`no company name, and ${faultReasons[fault]}`)
  }
  const website: StatedIdentifier | null =
    site.domain === null ? null : { kind: 'website', value: site.domain, place: null }
  const wrongLei: StatedIdentifier | null =
    lei !== undefined && faults.includes('lei_checksum')
      ? { kind: 'lei', value: lei.toUpperCase().replace(/\s+/g, ''), place: null }
      : null
  return { name: own.name, stated, website, wrongLei, faults, reason: reasons[0] ?? null }
}

/** In a row without a company number, the tax number is read in its place. */
function chooseNumber(
  rule: LookupRule,
  { tax_id: taxId, ...cells }: IdentifierCells,
): { rule: LookupRule; cells: IdentifierCells } {
  if (taxId === undefined || cells.registration_id !== undefined) return { rule, cells }
  const { columns } = rule
  const identifiers = { ...columns.identifiers, registration_id: columns.identifiers.tax_id }
  return {
    rule: { ...rule, columns: { ...columns, identifiers } },
    cells: { ...cells, registration_id: taxId },
  }
}

/** Reads a name cell, which may be an LEI or an address. */
function readName(cell: string | null): {
  name: string | null
  lei: string | undefined
  address: string | null
} {
  const text = cell?.trim() ?? ''
  const lei = findLei(text)
  if (lei !== null) return { name: null, lei, address: null }
  const isWritten = /^(?:https?:\/\/|www\.|mailto:)\S+$|^[^\s@,()]+@[^\s@,()]+$/i.test(text)
  const address = isWritten && toRootDomain(text) !== null ? text : null
  return { name: address === null ? cell : null, lei: undefined, address }
}

function readOne(
  { columns, isEarlier }: LookupRule,
  key: Exclude<IdentifierKey, 'website' | 'email'>,
  text: string,
  cells: IdentifierCells,
): StatedIdentifier | { fault: IdentifierFault } {
  const read = (place: string | null) => readCellIdentifier(key, text, place)
  switch (key) {
    case 'ticker':
      return read(cells.exchange ?? null) ?? { fault: key }
    case 'registration_id':
      return readNumber(columns.identifiers, text, cells, isEarlier)
    case 'lei': {
      const hasForm = /^[A-Z0-9]{18}\d{2}$/.test(text.toUpperCase().replace(/\s+/g, ''))
      return read(null) ?? { fault: hasForm ? 'lei_checksum' : 'lei_form' }
    }
    case 'cik':
    case 'ein':
    case 'bic':
      return read(null) ?? { fault: key }
  }
}

/**
 * Reads a cell of a column of numbers by its form, its check digits, the country of its row and the header: a company
 * number, a tax number that contains one, or an EIN.
 */
function readNumber(
  { registration_id: header = '', tax_id: taxHeader }: LookupRule['columns']['identifiers'],
  text: string,
  cells: IdentifierCells,
  isEarlier = false,
): StatedIdentifier | { fault: IdentifierFault } {
  const named = listRegisterCountries(header)
  const isTax = isTaxHeader(header)
  // Next to a column of tax numbers, the country of the row is for these: a SIREN is French.
  const [only, another] = isTax || taxHeader === undefined ? [] : named
  const isNamed = only !== undefined && another === undefined
  const place = isNamed ? only : toRegisterPlace(cells.registration_country ?? '')
  const number = place === null ? null : toCompanyNumber(place.slice(0, 2).toLowerCase(), text)
  if (number === null && !isEarlier) {
    const countries = [...(place === null ? [] : [place.slice(0, 2)]), ...named].map((one) =>
      one.toLowerCase(),
    )
    const tax = isTax ? readTaxNumber(text, countries) : null
    if (tax !== null)
      return (
        toStatedIdentifier('registration_id', tax.number, tax.country.toUpperCase()) ?? {
          fault: 'tax_number',
        }
      )
    const isUs = place === null || place.startsWith('US')
    const ein =
      isUs && (isEin(text) || (isTax && place !== null)) ? toStatedIdentifier('ein', text, null) : null
    if (ein !== null) return ein
    const isOnlyTax = isTax && !countries.some((one) => hasWrongCheckDigits(one, text))
    if (isOnlyTax) return { fault: 'tax_number' }
  }
  const court = cells.registration_court
  const isBare = !isEarlier && court !== undefined && parseCourtNumber(text)?.court === null
  const whole = isBare ? `${text}, ${court}` : text
  const own = place ?? findNumberCountry(named, text)
  return readCellIdentifier('registration_id', whole, own) ?? { fault: 'registration_id' }
}

/** Returns the only country with such a name and number. */
function findNumberCountry(countries: readonly string[], text: string): string | null {
  if (countries.length === 1) return countries[0] ?? null
  const [found = null, ...others] = countries.filter(
    (country) => toCompanyNumber(country.toLowerCase(), text) !== null,
  )
  return others.length === 0 ? found : null
}

/** No company has a number with wrong check digits. Without a place, the header of the column names countries. */
function isWrongNumber({ kind, value, place }: StatedIdentifier, { columns }: LookupRule): boolean {
  if (kind !== 'registration_id') return false
  const named = listRegisterCountries(columns.identifiers.registration_id ?? '')
  const countries = (place === null ? named : [place]).map((country) => country.toLowerCase())
  return (
    countries.some((country) => hasWrongCheckDigits(country, value)) &&
    !countries.some((country) => toCompanyNumber(country, value) !== null)
  )
}

interface Site {
  readonly domain: string | null
  readonly faults: readonly ('website' | 'email')[]
  /** Why a valid domain is not usable. */
  readonly shared: string | null
}

/** Returns the root domain of the website, else of the e-mail address; not that of a mail provider. */
function findWebsite(website: string | undefined, email: string | undefined): Site {
  const faults: ('website' | 'email')[] = []
  let shared: string | null = null
  for (const [key, text] of [
    ['website', website],
    ['email', email],
  ] as const) {
    if (text === undefined) continue
    const parts = text.split(/[\s,;|<>]+/).filter((part) => part.includes(key === 'email' ? '@' : '.'))
    const domains = parts.flatMap((part) => {
      const domain = toRootDomain(part)
      return domain === null ? [] : [{ domain, why: explainSharedDomain(domain, part) }]
    })
    const found = domains.find(({ why }) => why === null)
    if (found !== undefined) return { domain: found.domain, faults, shared: null }
    shared ??= domains[0]?.why ?? null
    if (domains.length === 0) faults.push(key)
  }
  return { domain: null, faults, shared }
}

function explainSharedDomain(domain: string, text: string): string | null {
  switch (classifyDomain(domain)) {
    case 'mail provider':
      return `${domain} is a mail provider's domain, not a company's`
    case 'disposable':
      return `${domain} is a domain of disposable mailboxes, not a company's`
    case 'platform': {
      const [, host = '', path = ''] = /^(?:[a-z]+:)?(?:\/\/)?([^/?#]*)([^]*)$/i.exec(text) ?? []
      const isOwnFront = host.toLowerCase().replace(/^www\./, '') === domain && path.replace('/', '') === ''
      return text.includes('@') || isOwnFront ? null : `a page on ${domain} does not say whose domain it is`
    }
    case null:
      return null
  }
}
