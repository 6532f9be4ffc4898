import {
  closeNumber,
  findNumberForm,
  hasPlainForm,
  hasWrongCheckDigits,
  isPlainCompanyNumber,
  readTaxCountry,
  toCompanyNumber,
} from '../../core/numbers/national-numbers.js'
import {
  findStatedCountry,
  findUniqueKind,
  isPersonNumber,
  rateNumber,
} from '../../core/numbers/number-forms.js'
import { hasLocalOffices } from '../../core/numbers/court-numbers.js'
import type { ColumnSamples } from './columns.js'
import { identifierHeaders } from '../../core/header-words.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import { toHeaderKey, toHeaderKeys, rankInHeaders } from '../../core/text.js'
import {
  cleanNumber,
  identifierKeys,
  isSite,
  isUrl,
  identifierNames,
  listIdentifierColumns,
  listSharing,
  numberKeys,
  splitHeaderPlace,
  symbolHeaders,
  type IdentifierColumns,
  type IdentifierKey,
  type IdentifierPlaceKey,
} from '../../core/identifiers.js'
import {
  areAmounts,
  areOfDomains,
  areRegisterLetters,
  countShare,
  isMostly,
  listCompanyNumbers,
  listCountriesOfPersons,
  readWholeTaxNumber,
  toFilledCell,
} from './column-content.js'
import { isOtherParty, nameTaxKind } from './header-and-cells.js'
import {
  findContentFault,
  fitting,
  hasSharedName,
  isOtherTaxHeader,
  isPersonsHeader,
  isTaxHeader,
  listCodes,
  listRegisterCountries,
  mayNameCustomers,
  rankHeader,
  shareMin,
} from './identifier-content.js'

export interface FoundIdentifiers {
  readonly columns: IdentifierColumns
  /** Unused columns that look like identifiers, with the reason if it is known. */
  readonly unused: ReadonlyMap<string, UnusedIdentifier>
}

interface UnusedIdentifier {
  readonly kind: string
  readonly why?: string
}

export interface IdentifierSearch {
  readonly header: readonly string[]
  /** Null if there is no name column. */
  readonly name: string | null
  /** Columns already used for names, places or context. */
  readonly taken: ReadonlySet<string>
  /** Country columns, the best first. */
  readonly countries: readonly string[]
  /** Code of the country of rows without one. */
  readonly country: string | undefined
  readonly samples: ColumnSamples
  /** The columns in use, if they are chosen already. */
  readonly chosen?: IdentifierColumns | undefined
  readonly hasTaxNumbers?: boolean | undefined
}

/**
 * Finds the identifier columns, by their headers if their cells fit, and by their cells alone if these are conclusive
 * and the header names no other party: LEIs, home pages, and e-mail addresses if there is nothing else.
 */
export function findIdentifiers(search: IdentifierSearch): FoundIdentifiers {
  const { header, chosen } = search
  const columns: Partial<Record<IdentifierKey | IdentifierPlaceKey, string>> = {}
  const unused = new Map<string, UnusedIdentifier>()
  for (const key of identifierKeys) {
    const fitting = listFittingColumns(search, key, unused)
    const keys = key === 'registration_id' ? numberKeys : [key]
    for (const [at, one] of keys.entries()) if (fitting[at] !== undefined) columns[one] = fitting[at]
    const used = keys.flatMap((one) => (chosen ?? columns)[one] ?? [])
    const why = used.length > 0 && { why: `${used.join(', ')} ${used.length === 1 ? 'is' : 'are'} used` }
    for (const other of fitting)
      if (!used.includes(other))
        unused.set(other, { kind: nameKind(key, other, search.samples.get(other)), ...why })
  }
  for (const column of header)
    if (columns.ticker !== column && symbolHeaders.includes(toHeaderKey(column)))
      unused.set(column, { kind: identifierNames.ticker, why: 'its exchange is unknown' })
  for (const key of ['lei', 'website', 'email'] as const) {
    if (columns[key] !== undefined || (key === 'website' && columns.email !== undefined)) continue
    const used = new Set(Object.values(columns))
    const column = findByContent(search, key, used, listIdentifierColumns(columns).length > 0, unused)
    if (column !== null) columns[key] = column
  }
  return { columns: { ...columns, ...findIdentifierPlaces(search, columns) }, unused }
}

/** Lists the columns whose header names the identifier and whose cells fit. */
function listFittingColumns(
  { header, name, taken, countries, country, samples, hasTaxNumbers }: IdentifierSearch,
  key: IdentifierKey,
  unused: Map<string, UnusedIdentifier>,
): string[] {
  const names = name === null ? null : (samples.get(name) ?? [])
  // A longer list may have cells behind the samples.
  const isShort = names !== null && names.length > 0 && names.length < 100
  const symbols = key === 'ticker' ? getSymbolKeys(header, samples) : []
  const rowCountries = [...countries.flatMap((column) => samples.get(column) ?? []), country ?? []].flat()
  const byCells = (column: string) =>
    key === 'registration_id' && areNumbersByCells(column, samples.get(column) ?? [], header, rowCountries)
  const rankWords = (one: string) => Math.max(rankHeader(key, one), symbols.indexOf(toHeaderKey(one)))
  // A tax number contains a company number at best.
  const isTax = (column: string) => key === 'registration_id' && isTaxHeader(column)
  const isOwnTax = (one: string) => hasTaxNumbers === true && isTax(one) && !mayNameCustomers(one)
  // Behind all columns whose header says that open registers have their numbers.
  const rank = (column: string) =>
    rankWords(column) < 0 || byCells(column) ? Number.MAX_SAFE_INTEGER : rankWords(column)
  return header
    .filter((column) => !taken.has(column))
    .filter((column) => rankWords(column) >= 0 || byCells(column) || isOwnTax(column))
    .sort((one, other) => Number(isTax(one)) - Number(isTax(other)) || rank(one) - rank(other))
    .filter((column) => {
      const cells = samples.get(column) ?? []
      const isNamed = rankInHeaders(column, identifierHeaders[key]) >= 0
      const isOther = !isNamed && isOtherParty(toHeaderKey(column), toHeaderKey(name ?? ''))
      const isEmpty = isTax(column) && samples.get(column)?.length === 0 && isShort
      const isOwn = isOwnTax(column) && !areAmounts(cells)
      const fault = isOwn ? null : findContentFault(key, cells, names, column, rowCountries)
      const why = isOther ? 'its header names another party' : isEmpty ? 'its cells are empty' : fault
      if (why !== null && !(isTax(column) && areAmounts(cells)))
        unused.set(column, { kind: nameKind(key, column, cells), why })
      return why === null
    })
}

const nameKind = (key: IdentifierKey, column: string, cells: readonly string[] = []): string =>
  key === 'registration_id' && isTaxHeader(column) ? nameTaxKind(column, cells) : identifierNames[key]

/** A symbol belongs to an exchange if a column or a prefix of the cells names one. */
function getSymbolKeys(header: readonly string[], samples: ColumnSamples): readonly string[] {
  const isExchanges = findPlaceColumn(header, 'exchange', samples) !== undefined
  const cells = header
    .filter((column) => symbolHeaders.includes(toHeaderKey(column)))
    .map((column) => samples.get(column) ?? [])
  const isNamed = cells.some(
    (values) => values.length > 0 && values.every((value) => /^[A-Z]{2,}:\s*\S/.test(value)),
  )
  return isExchanges || isNamed ? symbolHeaders : []
}

/** Whether cells have company numbers below a header for others: taxes, persons elsewhere, or, next to taxes, one like `Gov. Reg. No`. */
function areNumbersByCells(
  column: string,
  cells: readonly string[],
  header: readonly string[],
  rowCountries: readonly string[],
): boolean {
  if (rankHeader('registration_id', column) >= 0) return false
  const codes = listCodes(rowCountries).map((code) => code.toLowerCase())
  const isOfCode = (text: string) => codes.some((code) => isPlainCompanyNumber(code, text))
  if (isPersonsHeader(column)) {
    // Kenya gives `PIN`s to companies and persons: their first letter tells.
    const isPin = (text: string) =>
      /^[A-Z]\d+[A-Z]$/.test(text) && (isOfCode(text) || isPersonNumber(text, codes))
    const areTold = isMostly(
      cells,
      (text) => isPin(text) || (areRegisterLetters([text]) && isOfCode(text)),
      1,
    )
    return areTold && cells.some(isOfCode)
  }
  const numbers = listCompanyNumbers(cells.map(cleanNumber), codes)
  if (isOtherTaxHeader(column))
    return cells.some((text) => readWholeTaxNumber(text) !== null) || isMostly(numbers, isOfCode, 0.8)
  const words = column.split(/[^\p{L}\p{M}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)
  const ends = words.slice(1).map((_, at) => words.slice(at + 1).join(' '))
  const isNumber = (end: string) => rankInHeaders(end, identifierHeaders.registration_id) >= 0
  if (!ends.some(isNumber) || !header.some((one) => isTaxHeader(one))) return false
  const isPlain = (code: string, text: string) => /\p{L}/u.test(text) && hasPlainForm(code, text) === true
  const isOfForm = (text: string) =>
    codes.some((code) => isPlain(code, text) || toCompanyNumber(code, text) !== null)
  return isMostly(cells, isOfForm, shareMin)
}

function findByContent(
  { header, name, taken, samples }: IdentifierSearch,
  key: 'lei' | 'website' | 'email',
  used: ReadonlySet<string>,
  isIdentified: boolean,
  unused: Map<string, UnusedIdentifier>,
): string | null {
  const free = header.filter((column) => !taken.has(column) && !used.has(column) && !unused.has(column))
  const names = name === null ? null : (samples.get(name) ?? [])
  const certain = free.filter((column) => isCertainly(key, samples.get(column) ?? [], names))
  const explainRejection = (column: string): string | null => {
    if (isOtherParty(toHeaderKey(column), toHeaderKey(name ?? ''))) return 'its header names another party'
    if (certain.length > 1) return 'several columns are possible'
    // The header must say whose addresses they are: next to a name, they may be an account manager's.
    if (key === 'email' && (name !== null || isIdentified))
      return 'its header does not say whose addresses they are'
    return findContentFault(key, samples.get(column) ?? [], names, column)
  }
  let found: string | null = null
  for (const column of certain) {
    const why = explainRejection(column)
    if (why === null) found = column
    else unused.set(column, { kind: identifierNames[key], why })
  }
  return found
}

/** Whether the cells prove the identifier by themselves, whatever their header. `names`: those of the rows, if known. */
function isCertainly(
  key: 'lei' | 'website' | 'email',
  cells: readonly string[],
  names: readonly string[] | null,
): boolean {
  const values = cells.flatMap((cell) => toFilledCell(cell) ?? [])
  if (values.length < 3) return false
  return key === 'website' ? areHomePages(values, names ?? []) : countShare(values, fitting[key]) >= 0.8
}

const fileEnding =
  /\.(?:pdf|png|jpe?g|gif|svg|csv|xlsx?|docx?|pptx?|txt|xml|json|html?|php|js|ts|py|sh|exe|dll)$/i

/** Pages deep in a site may belong to another company; home pages do not. A bare domain may be a file: names tell. */
function areHomePages(values: readonly string[], names: readonly string[]): boolean {
  const isHome = (text: string) =>
    isSite(text) && /^[^/]*(?:\/\/)?[^/?#]+\/?$/.test(text) && !fileEnding.test(text)
  if (countShare(values, (text) => isUrl(text) && isHome(text)) >= 0.8) return true
  return countShare(values, isHome) >= 0.8 && areOfDomains(names, values)
}

/**
 * Finds the places of numbers and symbols: a separate column, or the country of the row. Only numbers of local registers
 * have a court: not VAT numbers, and not those whose header names a country without.
 */
export function findIdentifierPlaces(
  { header, countries, samples }: Pick<IdentifierSearch, 'header' | 'countries' | 'samples'>,
  columns: IdentifierColumns,
): IdentifierColumns {
  const { registration_id: registration, ticker } = columns
  const country = findPlaceColumn(header, 'registration_country', samples) ?? countries[0]
  const exchange = findPlaceColumn(header, 'exchange', samples)
  const hasCourt = numberKeys.flatMap((key) => columns[key] ?? []).some(canHaveCourt)
  const court = hasCourt ? findPlaceColumn(header, 'registration_court', samples) : undefined
  return {
    ...(registration === undefined || country === undefined ? {} : { registration_country: country }),
    ...(registration === undefined || court === undefined ? {} : { registration_court: court }),
    ...(ticker === undefined || exchange === undefined ? {} : { exchange }),
  }
}

function canHaveCourt(column: string): boolean {
  const countries = listRegisterCountries(column).flatMap((one) => [one, ...listSharing(one)])
  return !isTaxHeader(column) && (countries.length === 0 || countries.some(hasLocalOffices))
}

function findPlaceColumn(
  header: readonly string[],
  key: 'registration_country' | 'registration_court' | 'exchange',
  samples: ColumnSamples,
): string | undefined {
  const rank = (column: string) => rankInHeaders(column, identifierHeaders[key])
  const named = header.filter((column) => rank(column) >= 0).sort((one, other) => rank(one) - rank(other))
  return named.find((column) => (samples.get(column) ?? []).every((cell) => /\p{L}/u.test(cell)))
}

/** Lists the countries whose kinds of documents a column has, and nothing else: `CC` and `NIT`. */
export const findDocumentCountries = (columns: readonly (readonly string[])[]): readonly string[] =>
  Object.entries(headerWords.documentKinds).flatMap(([code, words]) => {
    const isKind = (cell: string) => toHeaderKeys(words).includes(toHeaderKey(cell))
    return columns.some((cells) => new Set(cells).size > 1 && cells.every(isKind)) ? code : []
  })

/** Lists the countries of which nearly all numbers of a column are of companies, two or more, or of persons. */
export function findPersonCountries(columns: readonly (readonly string[])[]): readonly string[] {
  // Enough numbers of a column to tell its country.
  const judgedMax = 50
  const isCompany = (country: string, text: string) => {
    const rate = rateNumber(country, text) ?? (isPlainCompanyNumber(country, text) ? 3 : 0)
    // A long number has the form of a country by no chance.
    return rate > (closeNumber(text).length > 10 ? 1 : 2)
  }
  return columns.flatMap((cells) => {
    const texts = [...new Set(cells.slice(0, judgedMax).map(cleanNumber))]
    return listCountriesOfPersons().filter((country) => {
      const isOfPersons = (text: string) => isPersonNumber(text, [country])
      const companies = texts.filter((text) => isCompany(country, text))
      const known = companies.length + texts.filter(isOfPersons).length
      return companies.length > 1 && !companies.some(isOfPersons) && known >= texts.length * 0.9
    })
  })
}

/** Returns the only country that the numbers of a row without one tell by check digits, below its header or behind its letters; else the one whose register a header names. */
export function findToldCountry(cells: readonly Record<'header' | 'text', string>[]): string | null {
  const told = cells.map(({ header, text }) => {
    const [only = '', another] = listRegisterCountries(header)
    const named = another === undefined && !hasSharedName(header) ? only.toLowerCase() : ''
    const stated = readTaxCountry(text) ?? findStatedCountry(text) ?? ''
    const isRight = (one: string) => rateNumber(one, text) === 3 && !hasWrongCheckDigits(one, text)
    const isOpen = named === '' || isTaxHeader(header) || listSharing(only).length > 0
    const ofRegister = isOpen || rateNumber(named, text) === 0 ? [] : [named]
    return { right: [named, stated].filter(isRight), ofRegister }
  })
  const right = new Set(told.flatMap((one) => one.right))
  const [country = null, other] = right.size > 0 ? right : new Set(told.flatMap((one) => one.ofRegister))
  return other === undefined ? country : null
}

/** Lists call the numbers of all countries by one word: `Registrikood`, `Organisationsnummer`. */
const withWordsForAll = ['EE', 'LV', 'LT', 'NO', 'SE']

/** Whether a number is one of the country of its row with wrong check digits, whatever it is in the country of the header. */
export function isWrongNumberOfRow(text: string, row: string, ofHeader: string): boolean {
  const country = row.toLowerCase()
  if (!hasWrongCheckDigits(country, text)) return false
  const form = findNumberForm(country, text)?.replace(/[A-Z]/g, '') ?? ''
  const signs = text.trim().replace(/[A-Z\d\s]+/gi, '')
  return [row, ...withWordsForAll].includes(ofHeader) || (signs !== '' && signs === form.replaceAll('#', ''))
}

/** Returns the region of a country, `CA-ON`, whose register the header names; the country if the number tells its register. */
export function findRegion(country: string, header: string, text: string): string {
  const region = splitHeaderPlace(header).place ?? ''
  const isOpen = findUniqueKind(country.toLowerCase(), text) === null
  return isOpen && region.startsWith(`${country}-`) ? region : country
}
