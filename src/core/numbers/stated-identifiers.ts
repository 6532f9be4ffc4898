import { findCountryCode } from '../countries.js'
import { toRootDomain } from '../domain-name.js'
import { formatCourtNumber, parseCourtNumber, writeOffice } from './court-numbers.js'
import { closeNumber, hasPlainForm, numberNames, toNationalNumber } from './national-numbers.js'
import { identifierKeys, identifierNames, toCanonicalIdentifier, type IdentifierKey } from '../identifiers.js'
import { dropInnerBrackets, hasSerialLetters, withBrackets } from './number-forms.js'

/**
 * Identifiers in free text: `Apple Inc (LEI HWUPKR0MPOU8FGXBT394, CIK 0000320193)`. The interface has only names,
 * locations and contexts, so an identifier is sent inside one of them and read from it again.
 */

export type StatedKind = Exclude<IdentifierKey, 'email'>

/** An identifier in its canonical form; a website is its root domain. */
export interface StatedIdentifier {
  readonly kind: StatedKind
  readonly value: string
  /** Country of a number's register (ISO 3166-1 or -2, like `US-DE`), or the exchange of a ticker. */
  readonly place: string | null
}

/** In order of trust: the first kind in a text takes precedence. */
export const statedKinds = identifierKeys.filter((key) => key !== 'email')

const placePattern = /^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$/
const exchangePattern = /^[A-Z][A-Z0-9 ]{1,19}$/

/** `LEI HWUPKR0MPOU8FGXBT394, company number GB 00445790, ticker NASDAQ:AAPL`. */
export function formatIdentifiers(identifiers: readonly StatedIdentifier[]): string {
  return [...identifiers]
    .sort((a, b) => statedKinds.indexOf(a.kind) - statedKinds.indexOf(b.kind))
    .map(({ kind, value, place }) => {
      const separator = kind === 'ticker' ? ':' : ' '
      return `${identifierNames[kind]} ${place === null ? '' : place + separator}${value}`
    })
    .join(', ')
}

/** Returns a text for people: without the country in front of a company number that begins with it, or as VAT numbers do: `EL` for Greece. */
export const nameCountryOnce = (text: string): string =>
  text.replace(/(?<=\bcompany number )(?:([A-Z]{2}(?:-[A-Z0-9]{1,3})?) (?=\1)|GR (?=EL\d)|GB (?=XI\d))/g, '')

/** Formats an identifier for people: `LEI HWUPKR0MPOU8FGXBT394`, `company number BE 0417.497.106`. */
export const formatLabel = (identifier: StatedIdentifier): string =>
  nameCountryOnce(formatIdentifiers([identifier]))

/** Returns the name with its identifiers in brackets, or the identifiers alone. */
export function appendIdentifiers(name: string | null, identifiers: readonly StatedIdentifier[]): string {
  const stated = formatIdentifiers(identifiers)
  return name === null || name === '' ? stated : `${name} (${stated})`
}

export interface NameWithIdentifiers {
  /** The text without its identifiers; null if nothing remains. */
  readonly name: string | null
  readonly identifiers: readonly StatedIdentifier[]
}

/**
 * Reads the identifiers in a text: labelled ones, in brackets at the end or as the whole text; or a text that is itself
 * an LEI, a web address or an e-mail address. Returns none if any part of the list is not an identifier.
 */
export function readIdentifiers(text: string): NameWithIdentifiers {
  const trimmed = text.trim()
  const alone = readStated(trimmed) ?? readBare(trimmed)
  if (alone !== null) return { name: null, identifiers: alone }
  const [, name = '', inBrackets = ''] = withBrackets.exec(trimmed) ?? []
  const stated = inBrackets === '' ? null : readStated(inBrackets)
  return stated === null ? { name: text, identifiers: [] } : { name, identifiers: stated }
}

export interface ContextWithIdentifiers {
  readonly text: string | null
  readonly identifiers: readonly StatedIdentifier[]
}

/** Reads the labelled identifiers of a context, between its commas: `phones, LEI HWUPKR0MPOU8FGXBT394`. */
export function readContextIdentifiers(context: string | null): ContextWithIdentifiers {
  const parts = context === null ? [] : context.split(',')
  const read = parts.map((part) => ({ part, found: readStated(part) }))
  const identifiers = read.flatMap(({ found }) => found ?? [])
  if (identifiers.length === 0) return { text: context, identifiers }
  const rest = read.filter(({ found }) => found === null).map(({ part }) => part.trim())
  return { text: rest.length === 0 ? null : rest.join(', '), identifiers }
}

const labelled = new RegExp(
  `^(${statedKinds.map((kind) => identifierNames[kind]).join('|')})\\s*[:#]?\\s+(\\S.*)$`,
  'i',
)

function readStated(text: string): StatedIdentifier[] | null {
  const found: (StatedIdentifier | null)[] = []
  for (const part of text.split(',')) {
    const [, label = '', rest = ''] = labelled.exec(part.trim()) ?? []
    const kind = statedKinds.find((one) => identifierNames[one].toLowerCase() === label.toLowerCase())
    found.push(kind === undefined ? readNationalNumber(part) : readValue(kind, rest))
  }
  return found.includes(null) ? null : found.filter((one) => one !== null)
}

const namedNumber = new RegExp(
  `^(${numberNames.map(({ name }) => name.replaceAll('.', '\\.?')).join('|')})\\s*[:：#]?\\s*(\\S.*)$`,
  'iu',
)

/** Reads a company number under its national name: `SIREN 552 032 534`. */
function readNationalNumber(text: string): StatedIdentifier | null {
  const [, label, number = ''] = namedNumber.exec(text.trim()) ?? []
  if (label === undefined) return null
  const fold = (name: string) => name.toLowerCase().replaceAll('.', '')
  const isPlain = (one: string) => hasPlainForm(one, number) || hasSerialLetters(one, closeNumber(number))
  const read = (one: string) => toNationalNumber(one, number) ?? (isPlain(one) ? number : null)
  const named = numberNames.flatMap(({ name, country }) => (fold(name) === fold(label) ? country : []))
  // `IČO` is the name in two countries.
  const [country, another] = new Set(named.filter((one) => read(one) !== null))
  if (country === undefined) return null
  return toStatedIdentifier('registration_id', read(country) ?? '', another === undefined ? country : null)
}

function readValue(kind: StatedKind, text: string): StatedIdentifier | null {
  if (kind === 'ticker') {
    const [, exchange = null, symbol = ''] = /^(?:([^:]+):)?\s*(\S+)$/.exec(text) ?? []
    return toStatedIdentifier(kind, symbol, exchange)
  }
  if (kind === 'registration_id') {
    const [, place = null, value = ''] = /^(?:([A-Z]{2}(?:-[A-Z0-9]{1,3})?)\s+)?(\S.*)$/.exec(text) ?? []
    return toStatedIdentifier(kind, value, place)
  }
  return toStatedIdentifier(kind, text, null)
}

function readBare(text: string): StatedIdentifier[] | null {
  const compact = text.replace(/\s+/g, '')
  const lei = compact.length === 20 ? toStatedIdentifier('lei', compact, null) : null
  if (lei !== null) return [lei]
  const isAddress = /^(?:https?:\/\/|www\.|mailto:)\S+$/i.test(text) || /^[^\s@,()]+@[^\s@,()]+$/.test(text)
  const website = isAddress ? toStatedIdentifier('website', text, null) : null
  return website === null ? null : [website]
}

/** Returns an identifier in its canonical form, or null if the text is not of that kind. */
export function toStatedIdentifier(
  kind: StatedKind,
  text: string,
  place: string | null,
): StatedIdentifier | null {
  if (kind === 'website') {
    const domain = toRootDomain(text)
    return domain === null ? null : { kind, value: domain, place: null }
  }
  const court = kind === 'registration_id' ? readCourtNumber(text, place) : null
  if (court !== null) return { kind, value: court, place: 'DE' }
  const canonical = toCanonicalIdentifier(
    kind,
    kind === 'registration_id' ? writeOffice(place ?? '', text) : text,
  )
  if (!('value' in canonical) || /[,()]/.test(dropInnerBrackets(canonical.value))) return null
  const tidyPlace = place === null ? null : place.trim().toUpperCase()
  const pattern = kind === 'ticker' ? exchangePattern : placePattern
  return {
    kind,
    value: canonical.value,
    place: tidyPlace !== null && pattern.test(tidyPlace) ? tidyPlace : null,
  }
}

/** Only Germany has the registers A and B. Other ones are German where the country is. */
function readCourtNumber(text: string, place: string | null): string | null {
  const number = place === null || /^de/i.test(place.trim()) ? parseCourtNumber(text) : null
  return number === null || (place === null && !number.register.startsWith('HR'))
    ? null
    : formatCourtNumber(number)
}

/** Reads an identifier that fills a cell; null if the text is not of that kind. `place` applies if the cell states none. */
export function readCellIdentifier(
  kind: StatedKind,
  text: string,
  place: string | null,
): StatedIdentifier | null {
  if (kind === 'ticker') {
    const [, exchange = place, symbol = ''] = /^(?:([^:]+):)?\s*(.*)$/.exec(text) ?? []
    return toStatedIdentifier(kind, symbol, exchange)
  }
  if (kind === 'registration_id') {
    // `SC 095237` would be read as a number of the Seychelles.
    const number = place === null ? text.replace(/^\s*([a-z]{2}(?:-[a-z0-9]{1,3})?)\s+/i, '$1') : text
    return /\d/.test(number) ? toStatedIdentifier(kind, number, place) : null
  }
  return toStatedIdentifier(kind, text, null)
}

/** Returns the place of a register: `US-DE` for `us_de`, `DE` for `Germany`; null if no country is recognized. */
export function toRegisterPlace(text: string): string | null {
  const [, country = '', region = ''] = /^([A-Za-z]{2})[-_]([A-Za-z0-9]{1,3})$/.exec(text.trim()) ?? []
  if (country !== '') return findCountryCode(country) === null ? null : `${country}-${region}`.toUpperCase()
  return findCountryCode(text)
}
