import { findCountryCode } from '../../core/countries.js'
import {
  isKnownHeader,
  isPersonHeader,
  parsePlaceHeader,
  wholePlaceHeaders,
} from '../../core/header-words.js'
import listWords from '../../core/headers.json' with { type: 'json' }
import { countriesOfAdded, countriesOfHeader, countriesOfTaxHeader } from '../../core/identifiers.js'
import { isPlainCompanyNumber } from '../../core/numbers/national-numbers.js'
import { findNumbering } from '../../core/numbers/number-forms.js'
import { plural, toHeaderKey as toWordsKey, toHeaderKeys } from '../../core/text.js'
import { parseForm } from '../normalize/parsed-name.js'
import registerWords from '../reference/register-words.json' with { type: 'json' }
import { findHeaderField, isMostly, shareMin } from '../reference/registers.js'
import { listMapped, type ImportField } from './csv-row.js'
import { quoteArgument, toHeaderKey } from './file-name.js'

/** The column of each field. */
export type FieldMap = Partial<Record<ImportField, string>>

export type GetCells = (column: string) => readonly string[]

const hasForm = (text: string): boolean => parseForm(text).formClass !== null

/** Least share of cells with a legal form in a column of names whose header is unknown. */
const formsShareMin = 0.3

/** Returns the column that has the most legal forms in its cells, enough for names; `null` without one. */
export function findNamesByCells(columns: readonly string[], getCells: GetCells): string | null {
  const rated = columns.map((column) => {
    const filled = getCells(column).filter((cell) => cell !== '')
    return { column, forms: filled.filter(hasForm).length, all: filled.length }
  })
  const fitting = rated.filter(({ forms, all }) => forms > 0 && forms >= all * formsShareMin)
  return fitting.sort((one, other) => other.forms - one.forms)[0]?.column ?? null
}

/** Returns the first column of different texts in other letters than Latin, as names are; undefined without one. */
export const findLocalNames = (columns: readonly string[], cellsOf: GetCells): string | undefined =>
  columns.find((column) => {
    const cells = cellsOf(column).filter((cell) => cell !== '')
    const isText = (cell: string) => /(?!\p{sc=Latin})\p{L}{2}/u.test(cell) && !/\p{Nd}{3}/u.test(cell)
    return isMostly(cells, isText) && new Set(cells).size >= cells.length * 0.9 && !isPersonHeader(column)
  })

/** Adds columns of names in English behind those of the register. */
export function addEnglishNames(map: FieldMap, english: readonly string[]): void {
  if (english[0] === undefined) return
  map.name ??= english[0]
  const others = [...(map.other_names?.split(',') ?? []), ...english.filter((one) => !one.includes(','))]
  const further = others.filter((one) => one !== map.name)
  if (further.length > 0) map.other_names = further.join()
}

/** Lists the columns of a header that a map does not use. */
export function listUnused(map: Readonly<Record<string, string>>, header: readonly string[]): string[] {
  const used = new Set(Object.values(map).flatMap((text) => listMapped(text, header)))
  return header.filter((name) => name !== '' && !used.has(name))
}

/** Returns the province of unused columns, if `found` is only a landscape like `Costa`, or missing; else `found`. Not for Chile. */
export function findRegion(unused: readonly string[], found: string | undefined): string | undefined {
  if (found !== undefined && !/^regi[oó]n$/i.test(found.trim())) return found
  return unused.find((name) => /^(?:\w*_)?(?:provincia|departamento)(?:_\w*)?$/i.test(name.trim())) ?? found
}

/** Returns the first column of `others` whose numbers all differ and do not begin with those of `id`, as numbers of branches do, where companies of several names share them, or many or all have none. */
export function findDistinctNumber(
  { registration_id: id = '', name = '' }: { readonly registration_id?: string; readonly name?: string },
  others: readonly string[],
  cellsOf: GetCells,
): { registration_id?: string } {
  const [numbers, names] = [cellsOf(id), cellsOf(name)]
  const named = new Map(numbers.map((number, at) => [number, names[at]]))
  const isShared = numbers.some((number, at) => number !== '' && named.get(number) !== names[at])
  const isBranch = (cell: string, at: number) => cell.startsWith((numbers[at] ?? '').padEnd(5))
  const isFitting = (cells: readonly string[]) =>
    new Set(cells).size === cells.length && !cells.some((cell, at) => cell === '' || isBranch(cell, at))
  const isLacking = numbers.filter(Boolean).length < numbers.length * shareMin
  const found = isShared || isLacking ? others.find((one) => isFitting(cellsOf(one))) : undefined
  return found === undefined ? {} : { registration_id: found }
}

/** Whether all numbers of the rows differ, as those of a group for taxes do not; next to a column of courts, any may. */
export const haveOwnNumbers = (map: { registration_court?: string }, cells: readonly string[]): boolean => {
  const filled = cells.filter((cell) => cell !== '')
  const areNumbers =
    isMostly(filled, (cell) => /\d(?:[ ./-]?\d){3}/.test(cell)) && new Set(filled).size === filled.length
  return areNumbers || map.registration_court !== undefined
}

const seatHeaders: ReadonlySet<string> = new Set([...wholePlaceHeaders, ...toHeaderKeys(registerWords.seats)])

/** Takes a seat whose cells are only towns as the city, also next to a column of addresses: `Sjedište` next to `Adresa`. */
export function recognizeSeat(
  map: { city?: string; formatted_address?: string },
  unused: readonly string[],
  cellsOf: GetCells,
): void {
  const { city, formatted_address: line = '' } = map
  const areTowns = (cells: readonly string[]) => isMostly(cells, (cell) => !/[\p{Nd},;،]/u.test(cell))
  const isSeat = (name: string) => seatHeaders.has(toWordsKey(name)) && areTowns(cellsOf(name))
  const seat = city === undefined ? [line, ...unused].find(isSeat) : undefined
  if (seat === undefined) return
  map.city = seat
  const next = unused.find((name) => parsePlaceHeader(name)?.part === 'address')
  if (seat === line) delete map.formatted_address
  if (seat === line && next !== undefined) map.formatted_address = next
}

export const noJurisdiction = 'no column has the country of the register; registry import has --jurisdiction'

const placesShownMax = 5

/** Says that the country of the register is open, and which countries have numbers under all of these headers. `only`: the one of them, if numbers have its form. */
export function describeOpenPlace(columns: readonly string[], cellsOf: GetCells) {
  const tables = [countriesOfHeader, countriesOfAdded, countriesOfTaxHeader]
  const find = (name: string) => tables.flatMap((countries) => countries.get(toWordsKey(name)) ?? [])
  const [first = [], ...others] = columns.map(find).filter((countries) => countries.length > 0)
  const isSure = (code: string) => code !== 'any' && !(code in listWords.sharedNumbers)
  const fitting = first.filter((code) => isSure(code) && others.every((codes) => codes.includes(code)))
  const codes = [...new Set(fitting)].map((code) => code.toLowerCase())
  const isFew = codes.length > 0 && codes.length <= placesShownMax
  const doubt = noJurisdiction + (isFew ? `: the headers are those of ${codes.join(' or ')}` : '')
  const isOnly = (code: string) =>
    codes.length === 1 && columns.flatMap(cellsOf).some((cell) => isPlainCompanyNumber(code, cell))
  return { doubt, only: codes.find(isOnly) }
}

/** Says which company numbers of the rows several companies may have; `null` if none. `home`: jurisdiction of other rows. */
export function describeAmbiguousNumbers(
  map: FieldMap,
  cellsOf: GetCells,
  home: string | null,
): string | null {
  const { id = '', registration_court: court = '', jurisdiction = '', country = '' } = map
  const [courts, places, countries] = [cellsOf(court), cellsOf(jurisdiction), cellsOf(country)]
  const found = cellsOf(id).filter((number, at) => {
    const stated = places[at] ?? ''
    const place = stated !== '' ? stated : (home ?? findCountryCode(countries[at] ?? '') ?? '')
    const writings = [number, `${number} ${courts[at] ?? ''}`]
    return number !== '' && place !== '' && writings.every((one) => findNumbering(place, one) === null)
  })
  if (found.length === 0 || map.registration_authority !== undefined) return null
  return (
    `${plural(found.length, 'company number')} of the first rows, such as ${quoteArgument(found[0] ?? '')}, may belong to several companies: the court or state is missing. ` +
    'Such a number joins no rows, and finds a company only together with the name. ' +
    'Map the column of courts to registration_court, or of states to jurisdiction (us_de)'
  )
}

/** Whether the first row has values, such as numbers, dates or names with a legal form, and no known header. */
export const isHeaderless = (header: readonly string[]): boolean =>
  !header.some((cell) => isKnownHeader(cell) || findHeaderField(cell) !== null) &&
  header.some((cell) => /^\W*\d{5,}|^\d+[./-]\d+/.test(cell) || hasForm(cell))

/** Puts the columns that are filled in fewer than half of the rows behind the others. */
export function putSparseLast(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const isFilled = (at: number) =>
    rows.filter((row) => (row[at] ?? '').trim() !== '').length * 2 >= rows.length
  const full = new Set(header.filter((_, at) => isFilled(at)))
  return [...full, ...header.filter((name) => !full.has(name))]
}

/** Whether a header of a file without other ids only says that a column has numbers, `ID Code`, and all of them differ and have one form. */
export function areCodes(
  map: { readonly lei?: string; readonly cik?: string },
  header: string,
  cellsOf: GetCells,
): boolean {
  if (!codeHeader.test(toHeaderKey(header)) || (map.lei ?? map.cik) !== undefined) return false
  const cells = cellsOf(header)
  const forms = new Set(cells.map((cell) => cell.replace(/\d/g, '0')))
  return forms.size === 1 && /0{6}/.test([...forms].join()) && new Set(cells).size === cells.length
}

const codeHeader = new RegExp(registerWords.plainNumbers, 'u')

/** Returns the country whose letters most names have and whose form most numbers; `null` without one. */
function findLetterCountry(names: readonly string[], numbers: readonly string[]): string | null {
  const hasForm = ([country, letter]: readonly [string, RegExp]) =>
    isMostly(names, (name) => letter.test(name)) &&
    isMostly(numbers, (number) => isPlainCompanyNumber(country, number))
  return countryLetters.find(hasForm)?.[0] ?? null
}

const countryLetters = Object.entries(registerWords.letters).map(
  ([country, letter]) => [country, new RegExp(letter, 'u')] as const,
)

/** Returns the country that all rows state, or whose letters their names have, if it has one register of companies; British numbers need more evidence. */
export function findOnlyCountry(map: FieldMap, cellsOf: GetCells): string | null {
  const [only = null, ...others] = new Set(cellsOf(map.country ?? '').map((cell) => findCountryCode(cell)))
  const code = others.length > 0 || only === 'GB' ? null : (only?.toLowerCase() ?? null)
  if (code === null) return findLetterCountry(cellsOf(map.name ?? ''), cellsOf(map.id ?? ''))
  return describeAmbiguousNumbers(map, cellsOf, code) === null ? code : null
}
