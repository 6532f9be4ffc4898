import type { IdentifierType } from '../contract/enums.js'
import headerWords from './headers.json' with { type: 'json' }
import numberKinds from './number-kinds.json' with { type: 'json' }
import sharedDomains from './shared-domains.json' with { type: 'json' }
import { foldLetters, toHeaderKey, toHeaderKeys, toPlainDigits, toPlainWidth } from './text.js'

/** Kinds of identifiers that a row can have, in order of trust, with their names in texts. */
export const identifierNames = {
  lei: 'LEI',
  cik: 'CIK',
  registration_id: 'company number',
  ein: 'EIN',
  bic: 'BIC',
  ticker: 'ticker',
  website: 'website',
  email: 'e-mail',
} as const
export type IdentifierKey = keyof typeof identifierNames
export const identifierKeys = Object.keys(identifierNames) as readonly IdentifierKey[]
const furtherNumberKeys = ['registration_id_2', 'registration_id_3', 'registration_id_4'] as const
/** Columns of company numbers, in the order in which the numbers of a row are tried. */
export const numberKeys = ['registration_id', ...furtherNumberKeys] as const

const placeKeys = ['registration_country', 'registration_court', 'exchange'] as const
/** The register and court of a company number, the exchange of a ticker, and further columns of company numbers. */
export const identifierPlaceKeys = [...placeKeys, ...furtherNumberKeys] as const
export type IdentifierPlaceKey = (typeof identifierPlaceKeys)[number]

/** Input columns by kind of identifier. */
export type IdentifierColumns = {
  readonly [Key in IdentifierKey | IdentifierPlaceKey]?: string | undefined
}

/** Lists the identifier columns, without their places, the strongest first. */
export const listIdentifierColumns = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g
const dashes = /[\u2010-\u2015\u2212\uff0d]/g
const exponent = /(?<![\p{L}\d.,])([1-9])(?:[.,](\d+)E\+?|E\+)(\d{1,2})$/iu

/** Returns a number as people wrote it, in usual signs and without what spreadsheets make of it: `'0799…`, `="0799…"`, `799….0`, `1.402345671E+9`. */
export function cleanNumber(cell: string): string {
  const text = toPlainDigits(toPlainWidth(cell)).replace(invisible, '').replace(dashes, '-').trim()
  const own = text.replace(/^=?"([^"]*)"$/, '$1').replace(/^(?:['’‘`´]+|[#№](?=\W*\d))\s*(?=[\p{L}\d])/u, '')
  return own
    .replace(/(?<![\d.,])(\d{5,})[.,]0{1,2}$/, '$1')
    .replace(exponent, (whole, first: string, decimals: string | undefined, count: string) => {
      const zeros = decimals?.slice(Number(count)) ?? ''
      const isWhole = (decimals?.length ?? 0) >= Number(count) && /^0*$/.test(zeros)
      return isWhole ? first + (decimals ?? '').slice(0, Number(count)) : whole
    })
}

/**
 * Lists a number without the words around it, and without only a bracket behind it: `Cédula: 0912345675 (titular)`. Each
 * loop passes the text once: a cell may be long.
 */
export function listBareNumbers(text: string): string[] {
  const first = text.search(/\d/)
  if (first < 0) return []
  let [from, end] = [first, text.length]
  while (from > 0 && !/[\s:.#)]/.test(text.charAt(from - 1))) from--
  while (!/\d/.test(text.charAt(end - 1))) end--
  const behind = text.slice(end)
  const [word, bracket] = [behind.search(/[\s(]/), text.endsWith(')') ? behind.indexOf('(') : -1]
  return [
    text.slice(from, word < 0 ? text.length : end + word),
    ...(bracket < 0 ? [] : [text.slice(0, end + bracket).trimEnd()]),
  ]
}

/** Forms of the kinds of number that have one length in a country. */
const kindForms = new Map(
  Object.entries(numberKinds).map(([country, list]) => [
    country,
    list.map((form) => new RegExp(`^(?:${form})$`)),
  ]),
)

/** Returns which of the kinds of one length in its country a number is of; `null` where the length tells. */
export function findNumberKind(country: string, closed: string): string | null {
  const at = kindForms.get(country)?.findIndex((form) => form.test(closed)) ?? -1
  return at < 0 ? null : `${country} ${at}`
}

const lengthsApartMax = 2
/** Numbers that count the companies of a register are shorter. */
const fixedLengthMin = 8

type SpelledNumber = readonly [text: string, withoutZeros: string]

/**
 * Whether two numbers may be of one kind by their digits and the signs between them. Long numbers of a kind have one length, or
 * the same signs: `45679/064/065` is not of the kind of `301234567`.
 */
export function haveOneShape([one, a]: SpelledNumber, [other, b]: SpelledNumber): boolean {
  const [signs = '', otherSigns = ''] = [one, other].map((text) =>
    text
      .trim()
      .replace(/^[A-Z.]+[\s./-]*/i, '')
      .replaceAll('/', '-')
      .replace(/[^.-]+/g, 'x'),
  )
  if (signs !== otherSigns && signs !== 'x' && otherSigns !== 'x') return false
  const [length = 0, otherLength = 0] = [one, other].map((text) => text.replace(/[\s./-]/g, '').length)
  // Zeros that fill a group are a part of the number: `000-153-790` is not of the kind of `152747`.
  const isFilled = [one, other].some((text) => /^\s*0{2,}[./-]/.test(text))
  if (length === otherLength || (a.length === b.length && !isFilled)) return true
  const isLong = Math.max(length, otherLength) >= fixedLengthMin
  return (
    Math.abs(length - otherLength) <= lengthsApartMax && (!isLong || (signs === otherSigns && signs !== 'x'))
  )
}

/** Whether a spreadsheet has rounded a number, so that its digits are lost: `7.99012E+11`. */
export const isRounded = (text: string): boolean => exponent.test(text)

/** An identifier in its canonical form, or the reason why it is not valid. */
export type CanonicalIdentifier = { readonly value: string } | { readonly reason: string }

/**
 * Returns the canonical form of an identifier, for storage, comparison and output. LEI: 20 characters, ISO 7064 mod
 * 97-10 checked. CIK: ten digits, leading zeros. EIN: nine digits, no dash. BIC: eight or eleven characters, upper
 * case. DUNS: nine digits. Ticker and registration number: upper case, trimmed.
 */
export function toCanonicalIdentifier(type: IdentifierType, text: string): CanonicalIdentifier {
  if (type === 'registration_id') {
    const value = text.trim().toUpperCase().replace(/\s+/g, ' ')
    return value.length > 0 && value.length <= 60
      ? { value }
      : { reason: `registration number "${text.slice(0, 20)}" is empty or longer than 60 characters` }
  }
  const closed = text.toUpperCase().replace(/[\s\u00a0]+/g, '')
  switch (type) {
    case 'lei':
      return checkLei(closed)
    case 'cik':
    case 'sec_cik':
      return /^\d{1,10}$/.test(closed) && Number(closed) > 0
        ? { value: closed.padStart(10, '0') }
        : { reason: `CIK "${text}" is not a number of at most ten digits` }
    case 'ein':
    case 'duns': {
      const digits = closed.replaceAll('-', '')
      return /^\d{9}$/.test(digits) && (type === 'duns' || !/^0+$/.test(digits))
        ? { value: digits }
        : { reason: `${type.toUpperCase()} "${text}" does not have nine digits` }
    }
    case 'bic':
      return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(closed)
        ? { value: closed }
        : { reason: `BIC "${text}" does not have the form of a BIC` }
    case 'ticker': {
      const symbol = text.trim().toUpperCase()
      return /^[A-Z0-9][A-Z0-9.\-/]{0,14}$/.test(symbol)
        ? { value: symbol }
        : { reason: `ticker "${text}" is not one symbol` }
    }
  }
}

function checkLei(lei: string): CanonicalIdentifier {
  if (!/^[A-Z0-9]{18}\d{2}$/.test(lei))
    return { reason: `LEI "${lei.slice(0, 24)}" does not have the form of an LEI` }
  const digits = Array.from(lei, (character) => parseInt(character, 36)).join('')
  return BigInt(digits) % 97n === 1n ? { value: lei } : { reason: `LEI "${lei}" fails its checksum` }
}

const euid =
  /^(AT|B[EG]|C[YZ]|D[EK]|E[ELS]|F[IR]|H[RU]|I[EST]|L[ITUV]|MT|N[LO]|P[LT]|RO|S[EIK])(?:\.?[A-Z]{2,9}|(?<=FR)\d{4})\.(?=[A-Z]{0,3}\d)/
/** Returns the country of an EUID: `GR` of `ELGEMI.001037501000`. */
export const findEuidCountry = (text: string): string | undefined =>
  euid.exec(text.toUpperCase().replace(/\s/g, ''))?.[1]?.replace('EL', 'GR')

/** ISO 6166: twelve characters, the last one a Luhn check digit over letters written as numbers. */
export function isIsin(text: string): boolean {
  if (!/^[A-Z]{2}[A-Z0-9]{9}\d$/.test(text)) return false
  const digits = text.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))
  let sum = 0
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const digit = Number(digits.charAt(at))
    const value = isDoubled ? digit * 2 : digit
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

/** Whether a text has the form of a company's id (`siq_…`), which is safe in a URL path. */
export const isEntityId = (text: string): boolean => /^siq_[\w.~-]{1,200}$/.test(text)

/** Describes which id a text without the form of a company's id needs to be. */
export const describeEntityId = (text: string): string =>
  text.trim().toLowerCase().startsWith('le_')
    ? 'ids with le_ are of registrations; take that of the company, which begins with siq_ (`entityId` in `enrich registry search --json`)'
    : 'company ids begin with siq_'

type SharedDomain = keyof typeof sharedDomains
const kinds = new Map(
  Object.entries(sharedDomains).flatMap(([kind, lines]) =>
    lines.flatMap((line) => line.split(' ').map((domain) => [domain, kind as SharedDomain] as const)),
  ),
)

/** Returns the kind of a root domain that many share, so that it identifies no company; null for another one. `*.kep.tr`: each host there. */
export const classifyDomain = (rootDomain: string): SharedDomain | null =>
  kinds.get(rootDomain) ?? kinds.get(rootDomain.replace(/^[^.]*(?=\.)/, '*')) ?? null

/** Returns the kind of a host in a domain that many share; null for another one. */
export const classifyHost = (host: string): SharedDomain | null =>
  [0, 3, 2].flatMap((count) => classifyDomain(host.split('.').slice(-count).join('.')) ?? [])[0] ?? null

/** Returns the approximate host; the exact domain is determined per row, with the list of suffixes. */
export function toHost(text: string): string {
  const address = text.toLowerCase().replace(/^(?:mailto:)?(?:[a-z]+:)?(?:\/\/)?/, '')
  const authority = /^[^/?#]*/.exec(address)?.[0] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/^www\.|[>.]+$|:\d+$/g, '')
}

// Most cells have no dot, and the first use of a pattern with letters of all scripts takes milliseconds.
export const isEmail = (text: string): boolean =>
  text.includes('@') && /^(?:mailto:)?[^\s@]+@[^\s@]+\.\p{L}{2,}>?$/iu.test(text)

export const isSite = (text: string): boolean =>
  text.includes('.') &&
  /^(?:https?:\/\/|\/\/)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\.?(?::\d+)?(?:[/?#]\S*)?$/iu.test(
    text,
  )

export const isUrl = (text: string): boolean => /^(?:https?:\/\/|www\.)/i.test(text) && isSite(text)

/** Words for a number, as headers have them: `No`, `Nummer`, `№`. */
export const numberWords: ReadonlySet<string> = new Set(toHeaderKeys(...headerWords.added.numberWords))
const joinedWords = [...numberWords].filter((word) => !/^[a-z]$/.test(word))
/** Returns a function of headers that remembers its results: a table asks about each of its columns many times. */
export function rememberHeaders<Result>(compute: (header: string) => Result): (header: string) => Result {
  const results = new Map<string, Result>()
  let chars = 0
  return (header) => {
    if (results.has(header)) return results.get(header) as Result
    const result = compute(header)
    chars += header.length + entryChars
    if (chars > rememberedCharsMax) {
      results.clear()
      chars = header.length + entryChars
    }
    results.set(header, result)
    return result
  }
}

/** Characters of an entry, without the text of its header; enough for the columns of the widest table, with their parts. */
const [entryChars, rememberedCharsMax] = [100, 5_000_000]

/** Words like "of", and offices that give tax numbers, in names of numbers: `PIN ya KRA`, `NIT de la DIAN`. */
const ofWords = new Set(toHeaderKeys(headerWords.ofWords))
const taxOffices = new Set(toHeaderKeys(headerWords.taxOffices))

/** Lists the keys of a header without its word for a number: `entreprise` for `N° d'entreprise`, `kbo` for `KBO-nr`. */
export const listWithoutNumberWord = rememberHeaders((header): readonly string[] => {
  const apart = header.replace(/[#№]/g, ' no ').replace(/[°º]/g, '')
  const words = foldLetters(apart.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(/[\p{L}\p{N}]+/gu) ?? []
  const whole = words.join('')
  const named = words.filter((word, at) => at === 0 || at === words.length - 1 || !ofWords.has(word))
  const atEnd = named.slice(0, numberWords.has(named.at(-1) ?? '') ? -1 : undefined)
  const cuts: (readonly string[])[] = [atEnd, named.slice(numberWords.has(named[0] ?? '') ? 1 : 0)]
  const tells = (cut: readonly string[]) => cuts.includes(cut) || !cut.every((word) => numberWords.has(word))
  const bases = [...cuts, ...cuts.map((cut) => cut.filter((word) => !taxOffices.has(word)))]
    .filter((cut) => cut.length < words.length && named.length > 1 && tells(cut))
    .map((cut) => cut.join(''))
  for (const word of joinedWords) {
    const joined = [
      ...(whole.endsWith(word) ? [whole.slice(0, -word.length)] : []),
      ...(whole.startsWith(word) && !/^[a-z]{2,3}$/.test(word) ? [whole.slice(word.length)] : []),
    ]
    bases.push(...joined.filter((base) => !/^[a-z]{2}$/.test(base)))
  }
  // "C No" has no name, and that of "BR No" is also a word for a number.
  return bases.filter((base) => base.length > 1 && (base === 'br' || !numberWords.has(base)))
})
const labels = new Set(toHeaderKeys(...headerWords.labels.words))
const companions = new Set(toHeaderKeys(headerWords.labels.companions))

/** Whether a text has only words for licences, registrations and numbers: `Trade Licence No.`, `Lizenznummer`. */
export function isPlainLabel(text: string): boolean {
  const isJoined = (word: string, end: string) => word.endsWith(end) && labels.has(word.slice(0, -end.length))
  const isLabel = (word: string) => labels.has(word) || joinedWords.some((end) => isJoined(word, end))
  const isNumber = (word: string) => numberWords.has(word)
  const words = text.split(/[^\p{L}\p{M}]+/u).flatMap((word) => toHeaderKey(word) || [])
  const areFitting = words.every((word) => isLabel(word) || companions.has(word) || isNumber(word))
  return isLabel(toHeaderKey(text)) || (areFitting && words.some((word) => isLabel(word) || isNumber(word)))
}

/** Headers of tax and VAT numbers in version 0.2.0. */
export const earlierTaxHeaders = toHeaderKeys(...headerWords.earlier.taxNumbers)

/** Headers of tax and VAT numbers, which contain the company number in some countries. */
export const taxHeaders: readonly string[] = [
  ...earlierTaxHeaders,
  ...toHeaderKeys(...Object.values(headerWords.added.taxNumbers).flat()),
]
/** Headers of tax numbers of countries whose open registers lack them, and of numbers that may be those of taxes. */
export const otherTaxHeaders: ReadonlySet<string> = new Set(
  toHeaderKeys(...headerWords.others['tax number'], ...headerWords.others['identification number']),
)

/** Countries by the key of a name of their numbers; the last are those whose persons may have numbers: `VKN/TCKN`. */
export const countriesOfHeader = createCountriesOfHeader(headerWords.earlier.numbers)
export const countriesOfAdded = createCountriesOfHeader(headerWords.added.countryNumbers)
export const countriesOfTaxHeader = createCountriesOfHeader(headerWords.added.taxNumbers)
export const countriesOfPersons = createCountriesOfHeader(headerWords.personNumbers)
function createCountriesOfHeader(names: Readonly<Record<string, string | readonly string[]>>) {
  const countries = new Map<string, string[]>()
  for (const [country, lists] of Object.entries(names).filter(([name]) => name !== 'any'))
    for (const key of new Set(toHeaderKeys(...[lists].flat())))
      countries.set(key, [...(countries.get(key) ?? []), country])
  return countries
}

const places = Object.entries(headerWords.headerPlaces)
const placeByKey = new Map(places.flatMap(([code, names]) => toHeaderKeys(names).map((key) => [key, code])))
const placeNames = places.map(([, names]) => names).join('|')
const placeName = new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${placeNames})(?![\p{L}\p{M}])`, 'giu')
/** Reads the place in a header of numbers, and the rest: `CA-ON` in `Ontario Corporation Number (Canada)`; `null` without exactly one. */
export const splitHeaderPlace = rememberHeaders((header) => {
  const found = header.match(placeName)?.map((name) => placeByKey.get(toHeaderKey(name)) ?? '') ?? []
  const isWhole = (one: string) => !found.some((other) => other.startsWith(`${one}-`))
  const [place = null, another] = new Set(found.filter(isWhole))
  return { place: another === undefined ? place : null, rest: header.replace(placeName, ' ') }
})
/** Headers of exchange symbols if there is also an exchange: chemistry and currencies have symbols too. */
export const symbolHeaders: readonly string[] = toHeaderKeys('symbol')

const sharing = new Map(Object.entries(headerWords.sharedNumbers))
/** Countries whose numbers have the same name; the country of the row tells them apart. */
export const listSharing = (country: string): readonly string[] => sharing.get(country)?.split('|') ?? []
/** Words for a tax. In a longer header they may mean its amount: `Amount incl. VAT`. */
export const taxWords: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.taxWords))
const vatWords = [...taxWords].filter((word) => word !== 'tax')
/** Whether a word of a header begins with one for VAT: `VAT No`, `Momsnummer`. */
export const isVatHeader = (header: string): boolean =>
  header.split(/[^\p{L}\p{M}]+/u).some((word) => vatWords.some((one) => toHeaderKey(word).startsWith(one)))
/** Words next to one for a tax that leave it a name of numbers. */
export const wordsOfNumbers: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.wordsNextToTax))

/** Other tables have columns of this name too: their cells decide. */
export const ambiguousNumberHeaders: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.ambiguousNumbers))
