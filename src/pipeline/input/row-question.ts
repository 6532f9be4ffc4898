import { iso31662 } from 'iso-3166'
import known from '../../core/country-names.json' with { type: 'json' }
import { countryCodes, findCountryCode, findCountryCodes } from '../../core/countries.js'
import { parsePlaceHeader } from '../../core/header-words.js'
import { toHeaderKey, toSpellingKey } from '../../core/text.js'
import { findWebsite, toRootDomain } from '../../core/domain-name.js'
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
  type StatedIdentifier,
} from '../../core/numbers/stated-identifiers.js'
import { listLookupColumns, type EarlierReading, type LookupColumns, type LookupRule } from './columns.js'
import {
  findOffice,
  formatOfficeNumber,
  hasLocalOffices,
  readOfficeNumber,
} from '../../core/numbers/court-numbers.js'
import { closeNumber } from '../../core/numbers/national-numbers.js'
import { isPersonNumber, rateNumber } from '../../core/numbers/number-forms.js'
import { findLei, toFilledCell, toFilledNumber, twoLetterCode } from './column-content.js'
import { listRegisterCountries } from './identifier-content.js'
import { chooseNumber, faultReasons, type IdentifierFault, type NumberCell } from './number-cells.js'
import {
  cleanNumber,
  identifierKeys,
  identifierPlaceKeys,
  numberKeys,
  rememberHeaders,
  type IdentifierKey,
  type IdentifierPlaceKey,
} from '../../core/identifiers.js'

/** `unknownCountry`: a text in a column of countries that names no known one. */
type Asked = Readonly<{ lookup: Lookup; faults: readonly IdentifierFault[]; unknownCountry?: string }>

/**
 * The lookup of a row, by name or domain; `byIdentifier` if identifiers replace a missing name. `domain`: set if only a website
 * identifies the row; reviewers may have decided the lookup by this domain.
 */
export type RowQuestion =
  | (Asked & { readonly kind: 'resolution'; readonly byIdentifier: boolean; readonly domain?: string })
  | (Asked & { readonly kind: 'domain' })
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

const numbers: ReadonlySet<string> = new Set(numberKeys)

/** Splits a row into name, location, context, identifiers and their places, in the order of `listLookupColumns`. */
export function toRowCells({ columns }: LookupRule, row: Cells, isEarlier = false): RowCells {
  let at = 0
  const take = (count: number) => row.slice(at, (at += count))
  const [name = null] = columns.name === null ? [] : take(1)
  const location = take(columns.location.length)
  const context = take(columns.context.length)
  const identifiers: Partial<Record<IdentifierKey | IdentifierPlaceKey, string>> = {}
  const { country = null } = columns
  const own = isEarlier ? null : findCountryCell(columns, location)
  const isStated = country === null || own !== null || hasCountry(columns.location, location)
  const place = isStated ? own : country
  if (place !== null && columns.identifiers.registration_id !== undefined)
    identifiers.registration_country = place
  for (const key of [...identifierKeys, ...identifierPlaceKeys]) {
    if (columns.identifiers[key] === undefined) continue
    const raw = row[at++] ?? ''
    const isCode = key === 'registration_country' && !isEarlier && twoLetterCode.test(raw)
    const toFilled = isEarlier || !numbers.has(key) ? toFilledCell : toFilledNumber
    const cell = isCode ? raw.trim() : toFilled(raw)
    if (cell !== null) identifiers[key] = cell
  }
  if (identifiers.registration_country !== undefined && !isEarlier)
    identifiers.registration_country = settleCountry(columns, identifiers)
  return { name, location: isStated ? location : [...location, country], context, identifiers }
}

/** Countries by words of their languages that name columns. */
const listWords = new Map(
  Object.entries(known.listWords).flatMap(([codes, words]) =>
    words.split('|').map((word) => [toSpellingKey(word), codes.split(' ')] as const),
  ),
)

/** Settles a name of several countries, or a code that others use for their own name, as `SR` in Slovakia, by headers, then numbers; empty if it stays open. */
function settleCountry(columns: LookupColumns, identifiers: IdentifierCells): string {
  const text = identifiers.registration_country ?? ''
  const codes = findCountryCodes(text)
  // `RI` is Indonesia; in a column of places it may be a region.
  if (codes.length === 1 && findCountryCode(text) === null) return codes[0] ?? text
  if (codes.length < 2) return text
  const headers = listLookupColumns(columns)
  const ofList = headers.flatMap((header) => [
    ...listRegisterCountries(header),
    ...(listWords.get(toSpellingKey(header)) ?? []),
  ])
  const named = codes.filter((code) => ofList.includes(code) || code === columns.country)
  const numbers = numberKeys.flatMap((key) => identifiers[key] ?? [])
  const fits = (code: string) => numbers.some((one) => rateNumber(code, cleanNumber(one)) === 3)
  const fitting = codes.filter((code) => fits(code.toLowerCase()))
  const [only, another] = named.length > 0 ? named : fitting
  // Lists with English headers have codes of ISO 3166-1.
  const isEnglish = /country|iso|jurisdiction/i.test(columns.identifiers.registration_country ?? '')
  const isOpen = isEnglish || findCountryCode(text) === null
  return only !== undefined && another === undefined ? only : isOpen ? text : ''
}

const regionNames = new Set(iso31662.map(({ name }) => foldText(name)))
const isCountryName = (text: string) => /^\D{4,}$/.test(text) && !regionNames.has(foldText(text))
const mayNameCountry = (text: string) => isCountryName(text) || /^\p{sc=Han}{2,3}$/u.test(text)
/** Lists repeat their places. */
const isCountry = rememberHeaders((text) => mayNameCountry(text) && findCountryCode(text) !== null)
const readPart = rememberHeaders((header) => parsePlaceHeader(header)?.part)

/**
 * Returns the cell of a place that is the name of a country: `Trung Quốc` below `Tỉnh/TP`. Towns have those that English or the
 * country itself uses: Lebanon, Peru. Below a header of towns, only other names are read, alone in a row.
 */
function findCountryCell({ location }: LookupColumns, cells: Cells): string | null {
  const filled = cells.flatMap((cell, at) => {
    const [text, part] = [toFilledCell(cell ?? ''), readPart(location[at] ?? '')]
    return text === null || part === 'address' ? [] : { text, part }
  })
  const mayBeTown = (text: string) => filled.length > 1 || countryCodes.has(toHeaderKey(text))
  return (
    filled.find(({ text, part }) => isCountry(text) && (part !== 'city' || !mayBeTown(text)))?.text ?? null
  )
}

/** Whether a cell below the header of a country, or the end of a whole place, has one; or a cell of regions, as `Uganda`. */
const hasCountry = (columns: readonly string[], cells: Cells): boolean =>
  cells.some((raw, at) => {
    const cell = toFilledCell(raw ?? '')
    const part = readPart(columns[at] ?? '')
    const end = cell?.split(',').at(-1)?.trim() ?? ''
    const isOfTown = part === 'region' || (part === 'city' && end !== cell)
    const isRead = part === undefined ? /\D/.test(end) : isCountryName(end) && isOfTown
    return cell !== null && (part === 'country' || (isRead && findCountryCode(end) !== null))
  })

/** Returns the lookup of a row. A row without a usable name is looked up by its identifiers, else by its domain. */
export function toRowQuestion(rule: LookupRule, row: RowCells): RowQuestion {
  const { name, stated, website, wrongLei, faults, reason } = readRow(rule, row)
  const all = website === null ? stated : [...stated, website]
  // A service that resolves identifiers doubts a company that has another LEI.
  const isLeiSent =
    wrongLei !== null &&
    (rule.earlier?.version !== '0.2.0' || rule.identifierUse === 'first') &&
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

/** Returns the questions of a row as earlier versions read it; none if they surely read it the same. */
export function listEarlier(rule: LookupRule, row: Cells, now: RowQuestion): RowQuestion[] {
  const cells = toRowCells(rule, row, true)
  const given = listNumberCells(rule, cells.identifiers)
  const isSame = now.kind !== 'invalid' && !now.faults.includes('lei_checksum')
  if (isSame && given.length === 0) return []
  const isOfHeader = given.some(({ header }) => listRegisterCountries(header).length === 1)
  const { registration_country: place } = cells.identifiers
  const countries: EarlierReading['country'][] =
    isOfHeader && place !== undefined ? ['header', 'row'] : ['header']
  const present = toRowCells(rule, row)
  const isPlaceSame = present.identifiers.registration_country === place
  const isOneNumber =
    isPlaceSame && given.length === 1 && !isOfHeader && now.kind !== 'invalid' && now.faults.length === 0
  const versions: EarlierReading['version'][] = isOneNumber ? ['0.2.0'] : ['one number', '0.2.0']
  const readings = versions.flatMap((version) => countries.map((country) => ({ version, country })))
  // Any of several numbers was chosen in a row without a country.
  const isAny = place === undefined && given.length > 1
  const keys = numberKeys.filter((key) => isAny && cells.identifiers[key] !== undefined)
  const alone = keys.map((key) => {
    const kept = Object.entries(present.identifiers).filter(([one]) => one === key || !numbers.has(one))
    return toRowQuestion(rule, { ...present, identifiers: Object.fromEntries(kept) })
  })
  return [...alone, ...readings.map((earlier) => toRowQuestion({ ...rule, earlier }, cells))]
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

function readRow(rule: LookupRule, { name, identifiers: cells }: RowCells): ReadRow {
  const faults: IdentifierFault[] = []
  const reasons: string[] = []
  const stated: StatedIdentifier[] = []
  const own = rule.readsNames ? readName(name) : { name, lei: undefined, address: null }
  const lei = cells.lei ?? own.lei
  const addFault = (fault: IdentifierFault) => {
    faults.push(fault)
    reasons.push(`no company name, and ${faultReasons[fault]}`)
  }
  for (const key of identifierKeys) {
    if (key === 'website' || key === 'email') continue
    if (key === 'registration_id') {
      const number = chooseWithOffice(listNumberCells(rule, cells), cells, rule)
      // With a name, a wrong number is sent too, so that the service doubts a company that has another one.
      const isSent = !isBlank(own.name) || !number.faults.includes('registration_checksum') || number.isRight
      if (number.identifier !== null && isSent) stated.push(number.identifier)
      number.faults.forEach(addFault)
      continue
    }
    const text = key === 'lei' ? lei : cells[key]
    if (text === undefined) continue
    const read = readOne(key, readDigits(rule, text), cells)
    if ('kind' in read) stated.push(read)
    else addFault(read.fault)
  }
  const site = findWebsite(own.address ?? cells.website, cells.email)
  if (site.shared !== null) reasons.unshift(site.shared)
  site.faults.forEach(addFault)
  const website: StatedIdentifier | null =
    site.domain === null ? null : { kind: 'website', value: site.domain, place: null }
  const isWrong = lei !== undefined && faults.includes('lei_checksum')
  const wrongLei: StatedIdentifier | null = isWrong
    ? { kind: 'lei', value: lei.toUpperCase().replace(/\s+/g, ''), place: null }
    : null
  return { name: own.name, stated, website, wrongLei, faults, reason: reasons[0] ?? null }
}

/** Earlier versions sent the writings of spreadsheets, and the digits of other scripts, as they are. */
const readDigits = ({ earlier }: LookupRule, text: string): string =>
  earlier === undefined ? cleanNumber(text) : text

/** Lists the numbers of a row, in the order of their columns. */
const listNumberCells = (rule: LookupRule, cells: IdentifierCells): NumberCell[] => {
  const { columns, areNumbersNamed = false, personCountries = [] } = rule
  return numberKeys.flatMap((key) => {
    const text = cells[key]
    if (text === undefined) return []
    const header = columns.identifiers[key] ?? ''
    return [{ header, text: readDigits(rule, text), isNamed: areNumbersNamed, personCountries }]
  })
}

/** Chooses the number of a row, with its court or office: that in the cell, or else that in the column of courts. */
function chooseWithOffice(cells: readonly NumberCell[], places: IdentifierCells, rule: LookupRule) {
  if (rule.earlier !== undefined) return chooseNumber(cells, places, rule.earlier)
  const rowCountry = toRegisterPlace(places.registration_country ?? '')
  const read = cells.map((cell) => {
    const countries = [...(rowCountry === null ? [] : [rowCountry]), ...listRegisterCountries(cell.header)]
    const country = countries.map((code) => code.slice(0, 2).toLowerCase()).find(hasLocalOffices)
    const own = country === undefined ? null : readOfficeNumber(country, cell.text)
    return own === null || own.office === null
      ? { ...cell, office: null }
      : { header: cell.header, text: own.number, office: own.office }
  })
  const chosen = chooseNumber(read, places)
  const { identifier } = chosen
  const number =
    identifier === null || identifier.place === null
      ? null
      : readOfficeNumber(identifier.place.slice(0, 2).toLowerCase(), identifier.value)
  if (identifier === null || number === null || number.office !== null) return chosen
  const cell = read.find(({ text }) => closeNumber(text) === closeNumber(number.number))
  const office = cell?.office ?? findOffice(places.registration_court ?? '')
  return { ...chosen, identifier: { ...identifier, value: formatOfficeNumber({ ...number, office }) } }
}

/** Reads a name cell, which may be an LEI or an address. */
function readName(cell: string | null) {
  const text = cell?.trim() ?? ''
  const lei = findLei(text)
  if (lei !== null) return { name: null, lei, address: null }
  const isWritten = /^(?:https?:\/\/|www\.|mailto:)\S+$|^[^\s@,()]+@[^\s@,()]+$/i.test(text)
  const address = isWritten && toRootDomain(text) !== null ? text : null
  return { name: address === null ? cell : null, lei: undefined, address }
}

function readOne(
  key: Exclude<IdentifierKey, 'website' | 'email' | 'registration_id'>,
  text: string,
  cells: IdentifierCells,
): StatedIdentifier | { fault: IdentifierFault } {
  const read = (place: string | null) => readCellIdentifier(key, text, place)
  switch (key) {
    case 'ticker':
      return read(cells.exchange ?? null) ?? { fault: key }
    case 'lei': {
      const hasForm = /^[A-Z0-9]{18}\d{2}$/.test(text.toUpperCase().replace(/\s+/g, ''))
      return read(null) ?? { fault: hasForm ? 'lei_checksum' : 'lei_form' }
    }
    case 'ein':
      return isPersonNumber(text, []) ? { fault: 'person_number' } : (read(null) ?? { fault: key })
    case 'cik':
    case 'bic':
      return read(null) ?? { fault: key }
  }
}
