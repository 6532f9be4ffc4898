import { rankInHeaders, toHeaderKey, toHeaderKeys, toSpellingKey } from '../../core/text.js'
import {
  classifyHost,
  cleanNumber,
  isEmail,
  isSite,
  numberWords,
  toCanonicalIdentifier,
  toHost,
  countriesOfAdded,
  countriesOfHeader,
  countriesOfPersons,
  countriesOfTaxHeader,
  ambiguousNumberHeaders,
  listSharing,
  taxWords,
  wordsOfNumbers,
  earlierTaxHeaders,
  taxHeaders,
  otherTaxHeaders,
  splitHeaderPlace,
  type IdentifierKey,
} from '../../core/identifiers.js'
import { findCodedCountry, parseCourtNumber, readOfficeNumber } from '../../core/numbers/court-numbers.js'
import {
  hasPlainForm,
  hasWrongCheckDigits,
  isPlainCompanyNumber,
  readTaxCountry,
  readTaxNumber,
  toCompanyNumber,
} from '../../core/numbers/national-numbers.js'
import { isEin, isPersonNumber } from '../../core/numbers/number-forms.js'
import {
  identifierHeaders,
  isKnownHeader,
  listNumberKeys,
  listWithoutOwner,
  namesAge,
  owners,
} from '../../core/header-words.js'
import { cutPersonWords, listSplits } from '../../core/word-forms.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import numberForms from '../../core/numbers/number-forms.json' with { type: 'json' }
import {
  areAmounts,
  countShare,
  listCompanyNumbers,
  isMostly,
  isOneForAll,
  isPlainVatNumber,
  readWholeTaxNumber,
  toFilledCell,
  toFilledNumber,
} from './column-content.js'

/** Dates and phone numbers: a country prefix, brackets, or a leading zero and an area code; at most 15 digits. `01-10-041585` is of Hungary's register. */
const phoneOrDate =
  /^[+(]|^0(?!\d-\d{2}-\d{6}$|(?:\D*\d){15})\d{1,5}[\s/-]\d|^\d{4}-\d\d-\d\d(?!\d)|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/

const isRegistration = (text: string): boolean =>
  (/^[\p{L}\d][\p{L}\d ./():,°º'’-]{2,39}$/u.test(text) && /\d/.test(text) && !phoneOrDate.test(text)) ||
  parseCourtNumber(text) !== null

const createCanonicalTest = (type: Parameters<typeof toCanonicalIdentifier>[0]) => (text: string) =>
  'value' in toCanonicalIdentifier(type, text)

export const fitting: Readonly<Record<IdentifierKey, (text: string) => boolean>> = {
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
const distinctShareMin = 0.5
export const shareMin = 0.8
const withDistinctForm: ReadonlySet<IdentifierKey> = new Set(['lei', 'website', 'email'])

/** Returns the reason why cells under an identifier header are not used; null if they are. */
export function findContentFault(
  key: IdentifierKey,
  cells: readonly string[],
  names: readonly string[] | null,
  header: string,
  rowCountries: readonly string[] = [],
): string | null {
  const isOfNumbers = key === 'registration_id'
  const toFilled = isOfNumbers ? toFilledNumber : toFilledCell
  const texts = cells.flatMap((cell) => toFilled(cleanNumber(cell)) ?? [])
  const values = isOfNumbers ? listCompanyNumbers(texts, listPersonCountries(header, rowCountries)) : texts
  if (values.length === 0) return null
  if (isOfNumbers && isTaxHeader(header) && areAmounts(values)) return 'its cells are amounts'
  if (isOfNumbers && isTaxHeader(header))
    return hasCompanyNumbers(values, header, rowCountries) ? null : 'its numbers contain no company numbers'
  const named = isOfNumbers ? listRegisterCountries(header) : []
  const sharers = named.flatMap((one) => [one, ...listSharing(one), ...listCodes(rowCountries)])
  const countries = (rowCountries.length === 0 ? named : sharers).map((country) => country.toLowerCase())
  const ofRows = rowCountries.length === 0 ? named : listCodes(rowCountries)
  const isNumber = (text: string) =>
    countries.some((code) => hasPlainForm(code, text) ?? toCompanyNumber(code, text) !== null) ||
    ofRows.some((one) => typeof readOfficeNumber(one.toLowerCase(), text)?.office === 'string')
  const least = withDistinctForm.has(key) || countries.length > 0 ? distinctShareMin : shareMin
  const share = countShare(values, (text) => fitting[key](text) || isNumber(text))
  const many = share < distinctShareMin ? 'most' : 'many'
  if (share < least) return `${many} cells have ${key === 'lei' ? 'wrong check digits' : 'another form'}`
  if (countries.length > 0) return findNumberFault(values, header, isNumber, rowCountries)
  if (key !== 'website' && key !== 'email') return null
  const hosts = values.map(toHost)
  const areMost = (is: (host: string) => boolean) => hosts.length >= 3 && isMostly(hosts, is, 0.8)
  if (key === 'email' && areMost((host) => /^(?:mail provider|disposable)$/.test(classifyHost(host) ?? '')))
    return 'most are in domains of mail providers, not of companies'
  if (key === 'website' && areMost((host) => classifyHost(host) === 'platform'))
    return 'most are pages on sites shared by many companies'
  return names !== null && isOneForAll(hosts, names) ? 'most names have the same domain' : null
}

/** Returns the countries whose persons may have numbers below a header: those of the rows where they share its name. */
function listPersonCountries(header: string, rowCountries: readonly string[]): readonly string[] {
  const named = listNumberCountries(header)
  const own = listCodes(rowCountries).filter((code) => named.some((one) => listSharing(one).includes(code)))
  return (own.length === 0 ? named : own).filter((code) => !isBelow('company', code, header))
}

/** Forms by kind, countries and headers: numbers of companies, although persons have such numbers too, and those of other registers. */
const below = numberForms.below.map(({ kind, countries, headers, form }) => {
  const isOf = new Set(countries.split(' '))
  return { kind, isOf, keys: toHeaderKeys(headers), form: new RegExp(`^\\s*(?:${form})\\s*$`) }
})

/** Whether numbers of a form, or of any, below a header are only those of companies of a country, or of another register. */
export function isBelow(kind: 'company' | 'other', country: string, header: string, text?: string): boolean {
  const all = below.filter((one) => one.kind === kind && one.isOf.has(country.slice(0, 2)))
  const key = toHeaderKey(header)
  const named = all.filter(({ keys }) => keys.includes(key) || keys.includes(''))
  return named.some(({ form }) => text === undefined || form.test(text))
}

let toPlace: ((text: string) => string | null) | null = null

/** Loads the names of countries, so that those of rows are known: it takes longer than the plan of a short list. */
export async function loadCountryNames(): Promise<void> {
  toPlace = (await import('../../core/numbers/stated-identifiers.js')).toRegisterPlace
}

/** Returns the codes of countries; all with known numbers before the names of countries are loaded. */
export function listCodes(rowCountries: readonly string[]): string[] {
  return [...new Set(rowCountries)].flatMap((text) => {
    if (/^\s*[a-z]{2}\s*$/i.test(text)) return [text.trim()]
    if (toPlace !== null) return toPlace(text)?.slice(0, 2) ?? []
    return Object.keys({ ...headerWords.earlier.numbers, ...headerWords.added.countryNumbers })
  })
}

/** Whether tax numbers contain company numbers of their countries, of those of the header, or of the rows. */
function hasCompanyNumbers(values: readonly string[], header: string, rowCountries: readonly string[]) {
  const all = [...listRegisterCountries(header), ...listCodes(rowCountries)]
  const countries = all.map((code) => code.toLowerCase())
  const isOne = (text: string) =>
    readTaxNumber(text, countries) !== null ||
    isEin(text) ||
    (countries.includes('us') && /^\d{9}$/.test(text)) ||
    [...countries, readTaxCountry(text) ?? ''].some((country) => isPlainCompanyNumber(country, text))
  // Banks of Asia call the numbers of their customers `CIF`: some have right check digits by chance.
  const isFitting = (text: string) => isOne(text) || isPlainVatNumber(text)
  return values.some(isOne) && (listRegisterCountries(header).length === 0 || isMostly(values, isFitting))
}

/** Returns the reason why cells under the name of a country's company numbers are not used; null if they are. */
function findNumberFault(
  values: readonly string[],
  header: string,
  isNumber: (text: string) => boolean,
  rowCountries: readonly string[],
): string | null {
  const [named, rows] = [listRegisterCountries(header), listCodes(rowCountries)]
  const [others, isOpen] = [named.flatMap(listSharing), rowCountries.length === 0]
  const own = named.filter((one) => isOpen || rows.includes(one))
  const told = own.length > 0 ? own : rows
  const isWrong = (text: string) =>
    !isNumber(text) && named.some((country) => hasWrongCheckDigits(country.toLowerCase(), text))
  if (countShare(values, isWrong) > 1 - distinctShareMin) return 'most cells have wrong check digits'
  if (hasSharedName(header)) {
    // Austria calls VAT numbers `UID`, Switzerland company numbers.
    const isOfAny = (text: string) =>
      isNumber(text) || (readWholeTaxNumber(text) ?? findCodedCountry(text)) !== null
    const isPersons = (text: string) => isPersonNumber(text, [...listNumberCountries(header), ...rows])
    if (countShare(values, (text) => isOfAny(text) || isPlainVatNumber(text)) < distinctShareMin)
      return values.every(isPersons)
        ? 'its cells are numbers of persons'
        : `most cells are not company numbers of ${told.join(', ')}${isOpen && others.length > 0 ? `; --country tells those of ${others.join(', ')}` : ''}`
    if (!values.some(isOfAny)) return 'its numbers contain no company numbers'
  }
  return null
}

/** Words in front of a kind of identifier: `Account DUNS`, `Supplier VAT No`. */
const ownersInFront =
  /^(?:company|account|customer|client|vendor|supplier|partner|business|billing|primary|main)(?=.)/
/** Numbers of Latin America, which lists name with the company that has them: `NIT del cliente`. */
const ownedNumbers: ReadonlySet<string> = new Set(toHeaderKeys('NIT|RIF|RNC|RUC|RUT'))

const isOfOwner = (word: string): boolean =>
  owners.has(word) || numberWords.has(word) || /^(?:de|del|do|da|la)?$/.test(word)

const separators = /[/|,;:()[\]+&]|\s[-–]\s|\s(?:or|ou|oder|o|eller|lub|and|und|et|y|e)\s/iu

const splitCapitals = (text: string): string => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
const splitWords = (text: string): string[] => text.split(/[^\p{L}\p{M}\p{N}]+/u)

const headerKeys = new Map<string, readonly string[]>()
/** Only the marks of these headers tell them from others: `ক্রঃ নং` numbers the rows, `কর নং` is a tax number. */
const serialHeaders: ReadonlySet<string> = new Set(headerWords.serialNumbers.split('|').map(toSpellingKey))

/**
 * Returns the keys of a header: of the whole text, of its parts (`CNPJ / Tax ID`), and of the names of numbers among its
 * words (`Customer CNPJ`), without the words for an owner and the ending of a Salesforce field (`CNPJ__c`).
 */
export function listHeaderKeys(header: string, isEarlier = false): readonly string[] {
  const known = isEarlier ? undefined : headerKeys.get(header)
  if (known !== undefined) return known
  if (!isEarlier && serialHeaders.has(toSpellingKey(header))) return [toHeaderKey(header)]
  if (!isEarlier && isOfNaturalPersons(header)) return [toHeaderKey(header), 'personalidentificationnumber']
  const text = header.replace(/__c$/i, '')
  const toKeys = (one: string) => [toHeaderKey(one), ...(isEarlier ? [] : listNumberKeys(one))]
  const rest = isEarlier ? '' : splitHeaderPlace(text).rest
  const parts = [text, rest, ...text.split(separators)].flatMap(toKeys).filter((key) => key !== '')
  const words = splitWords(splitCapitals(text))
  const plain = isEarlier ? [] : words.map(toHeaderKey)
  const [bare = '', ...more] = plain.filter((word) => !isOfOwner(word))
  const splits = /\p{sc=Han}/u.test(text) ? listSplits(toHeaderKey(text), (word) => owners.has(word)) : []
  const owned = [plain.filter((word) => !owners.has(word)).join(''), ...splits.flatMap(({ rests }) => rests)]
  const runs = words.flatMap((_, at) => [1, 2, 3, 4].map((count) => words.slice(at, at + count).join(' ')))
  const isTold = (key: string) => key.length > 2 && (tellingKeys.has(key) || taxHeaders.includes(key))
  // `CCCD người đại diện`: that of the person who signs.
  const isPersons = (key: string) => !isEarlier && key.length > 3 && personHeaders.has(key)
  const keys = [
    toHeaderKey(header),
    ...parts.flatMap((key) => [key, key.replace(ownersInFront, '')]),
    ...(more.length === 0 && ownedNumbers.has(bare) ? [bare] : []),
    ...(isEarlier ? [] : owned).filter((key) => tellingKeys.has(key) || otherTaxHeaders.has(key)),
    ...runs.flatMap((run, at) => toKeys(run).filter((key) => isTold(key) || (at < 4 && isPersons(key)))),
  ]
  const telling = namesNumbers(text) ? keys : keys.filter((key) => key === keys[0] || !taxWords.has(key))
  if (!isEarlier) headerKeys.set(header, [...new Set(telling)])
  return [...new Set(telling)]
}

/** Whether each word of a header is one for a tax, a number or an owner: `Kundens moms`, but not `Belopp inkl. moms`. */
function namesNumbers(text: string): boolean {
  const isTelling = (word: string) =>
    /^\d*$/.test(word) ||
    [taxWords, wordsOfNumbers, numberWords, owners, tellingKeys].some((words) => words.has(word)) ||
    (['registration_id', 'ein'] as const).some((key) => identifierHeaders[key].includes(word))
  return [text, splitCapitals(text)].some((one) => splitWords(one).map(toHeaderKey).every(isTelling))
}

const namesOne = (header: string, keys: ReadonlySet<string>): boolean =>
  listHeaderKeys(header).some((key) => keys.has(key))

/** Whether a header has a name of numbers that several countries or tables use. */
export const hasSharedName = (header: string): boolean => namesOne(header, ambiguousNumberHeaders)

/** Whether a header names tax numbers. `isEarlier`: in the words of version 0.2.0. */
export function isTaxHeader(header: string, isEarlier = false): boolean {
  const known = isEarlier ? earlierTaxHeaders : taxHeaders
  if (listHeaderKeys(header, isEarlier).some((key) => known.includes(key))) return true
  return !isEarlier && isOtherTaxHeader(header)
}

const customerNumbers: ReadonlySet<string> = new Set(toHeaderKeys(headerWords.customerNumbers))
/** Whether a header may name the customers of a bank: their numbers are in no registry, `CIF` in Asia is not that of Spain. */
export const mayNameCustomers = (header: string): boolean => namesOne(header, customerNumbers)

const personHeaders = new Set(toHeaderKeys(...headerWords.others['number of a person']))
/** Whether a header names numbers of natural persons alone: `MST cá nhân`, but not `MST/MST cá nhân`. */
function isOfNaturalPersons(header: string): boolean {
  const rest = cutPersonWords(header)
  const isPersonal = (part: string) => cutPersonWords(part) !== null || isPersonsHeader(part)
  if (rest === null || !header.split(/[/|;+&]/).every(isPersonal)) return false
  return rankHeader('registration_id', rest) >= 0 || namesOne(rest, otherTaxHeaders)
}
export const isPersonsHeader = (header: string): boolean => namesOne(header, personHeaders)

/** Whether a header names tax numbers of countries whose registers lack them; their cells may be of other countries. */
export const isOtherTaxHeader = (header: string): boolean =>
  rankHeader('registration_id', header) < 0 && namesOne(header, otherTaxHeaders)

/** Names that mean a number wherever they are in a header. */
const tellingKeys: ReadonlySet<string> = new Set(
  [...countriesOfHeader.keys(), ...countriesOfAdded.keys()].filter((key) => !ambiguousNumberHeaders.has(key)),
)

/** Returns how well a header names a kind of identifier, best 0; -1 for another kind. A column has one kind. */
export function rankHeader(kind: IdentifierKey, header: string): number {
  const [whole = '', ...others] = listHeaderKeys(header)
  const rank = rankInHeaders(header, identifierHeaders[kind])
  const writings = listNumberKeys(header).map((key) => identifierHeaders[kind].indexOf(key))
  const best = Math.min(...writings.filter((one) => one >= 0)) + (namesAge(header) ? partsRank / 2 : 0)
  if (rank >= 0 || writings.length > 0 || isKnownHeader(whole)) return Number.isFinite(best) ? best : rank
  const found = numberKinds.find((one) => others.some((key) => identifierHeaders[one].includes(key)))
  return found === kind || findOwnersAddress(header) === kind ? partsRank : -1
}

/** Returns a header of a website or e-mail address without its owner: `Lieferanten-Website`; null for any other. */
export function findOwnersAddress(header: string): 'website' | 'email' | null {
  const rests = listWithoutOwner(toHeaderKey(header))
  const isKind = (key: 'website' | 'email') => rests.some((rest) => identifierHeaders[key].includes(rest))
  return (['website', 'email'] as const).find(isKind) ?? null
}

const numberKinds = ['registration_id', 'lei', 'cik', 'ein'] as const
/** A part of a header is worth less than a whole one. */
const partsRank = 1_000

/** The country that a header names tells one from others with the same word: `Numéro d'entreprise du Québec`. */
function listCountries(header: string, maps: readonly (typeof countriesOfHeader)[], isEarlier = false) {
  const told = isEarlier ? undefined : splitHeaderPlace(header).place?.slice(0, 2)
  if (told !== undefined) return [told]
  const keys = listHeaderKeys(header, isEarlier)
  const lists = keys.map((key) => [...new Set(maps.flatMap((countries) => countries.get(key) ?? []))])
  // `Matični br. / OIB`: of the countries with the first, only one has the other.
  const own = lists.filter((list, at) => list.length === 1 && !taxHeaders.includes(keys[at] ?? ''))
  const [only = ''] = own[0] ?? []
  const isTold = !isEarlier && only !== '' && lists.every((list) => list.length === 0 || list.includes(only))
  return isTold ? [only] : [...new Set(maps.flatMap((one) => keys.flatMap((key) => one.get(key) ?? [])))]
}

const ofCompanies = [countriesOfHeader, countriesOfAdded, countriesOfTaxHeader]

/** Returns the countries whose company numbers a header names; none for `company number`. `isEarlier`: in the words of version 0.2.0. */
export const listRegisterCountries = (header: string, isEarlier = false): readonly string[] =>
  listCountries(header, isEarlier ? ofCompanies.slice(0, 1) : ofCompanies, isEarlier)

/** Returns the countries whose companies or persons have numbers below a header: `VKN/TCKN`. */
export const listNumberCountries = (header: string): readonly string[] =>
  listCountries(header, [...ofCompanies, countriesOfPersons])

/** Letters that tell tax numbers from those of the register, which have the same form. */
const taxLetters = new Map(Object.entries(numberForms.taxLetters))

/** Returns a tax number with the letters that tell it. `place`: code of its country. */
export const addTaxLetters = (place: string | null, text: string): string => {
  const { form = '$^', letters = '' } = taxLetters.get(place ?? '') ?? {}
  return text.replace(new RegExp(`^(?=${form})`), letters)
}
