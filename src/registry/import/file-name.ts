import { parseDate } from '../../core/file-formats.js'
import { mayHaveTown } from '../normalize/unspaced-names.js'
import type { ImportField } from './csv-row.js'
import { findCountryCode } from '../../core/countries.js'
import { findHeaderField, isMostly, shareMin } from '../reference/registers.js'
import words from '../reference/register-words.json' with { type: 'json' }

/** The list and the date in the name of a file. */
interface FileNameParts {
  /** Name of the files of a list: without the date and the mark of a copy. */
  readonly listName: string
  /** Midnight, or the time of day if the name has it; `null` without a date whose day and month are certain. */
  readonly dateMs: number | null
  readonly hasTime: boolean
}

const year = '(?<y>(?:19|20)\\d\\d)'
const separator = '[-_. ]'
const timeInName = '(?:[T_ -]?(?<h>[01]\\d|2[0-3])[-:.h_]?(?<min>[0-5]\\d)(?:[-:.]?[0-5]\\d)?Z?(?!\\d))?'
/** `y`, `m`, `d`: year, month and day; `a` and `b`: day and month in either order; `w`: a month's name; `q`: a quarter. */
const datesInNames = [
  `(?<!\\d)${year}(?<s>${separator})(?<m>\\d\\d?)\\k<s>(?<d>\\d\\d?)(?!\\d)${timeInName}`,
  `(?<!\\d)${year}(?<m>\\d\\d)(?<d>\\d\\d)${timeInName}(?!\\d)`,
  `(?<!\\d)(?<a>\\d\\d?)(?<s>${separator})(?<b>\\d\\d?)\\k<s>${year}(?!\\d)`,
  `(?<!\\d)(?<a>\\d\\d)(?<b>\\d\\d)${year}(?!\\d)`,
  `(?<![\\p{L}\\d])${year}${separator}?q(?<q>[1-4])(?![\\p{L}\\d])`,
  `(?<![\\p{L}\\d])q(?<q>[1-4])${separator}?${year}(?![\\p{L}\\d])`,
  `(?<![\\p{L}\\d])(?:(?<d>\\d\\d?)${separator}*)?(?<w>\\p{L}{3,})${separator}*${year}(?!\\d)`,
  `(?<!\\p{L})(?<w>\\p{L}{3,})${separator}*(?<d>\\d\\d?),?${separator}+${year}(?!\\d)`,
  `(?<!\\d)${year}${separator}*(?<w>\\p{L}{3,})(?:${separator}*(?<d>\\d\\d?))?(?![\\p{L}\\d])`,
  `(?<![\\d.])${year}(?:[-_.]?)(?<m>0[1-9]|1[0-2])(?!\\d|[-.]\\d)`,
  `(?<!\\d|\\d${separator})(?<m>0[1-9]|1[0-2])[-_.]${year}(?!\\d)`,
].map((pattern) => new RegExp(pattern, 'giu'))

const copyMarks = [
  /(?<=[^\s_-])[\s_-]*\(\d{1,3}\)$/u,
  new RegExp(`(?<=.)[\\s_](?:-\\s)?(?:${words.copies.after})(?:\\s\\d{1,3})?$`, 'iu'),
  new RegExp(`^(?:${words.copies.before})\\s+(?=.)`, 'iu'),
]

/** Reads the date in the name of a file: `list_2026-11-20.csv`, `20.11.2026 list (1).csv`, `list 27-Nov-2026.csv`. */
export function parseFileName(fileName: string): FileNameParts {
  const [end = ''] = /(?:\.(?=[a-z\d]{0,5}[a-z])[a-z\d]{1,6}){1,2}$/iu.exec(fileName) ?? []
  const stem = fileName.slice(0, fileName.length - end.length)
  const dates = datesInNames.flatMap((pattern) => [...stem.matchAll(pattern)].flatMap(readDateInName))
  const [first] = dates
  let rest = first === undefined ? stem : removePiece(stem, first.text)
  for (const mark of copyMarks) rest = rest.replace(mark, '')
  const isNamed = /[\p{L}\d]/u.test(rest)
  return {
    listName: isNamed ? rest + end : fileName,
    dateMs: first?.dateMs ?? null,
    hasTime: first?.hasTime ?? false,
  }
}

const removePiece = (stem: string, text: string): string => {
  const at = stem.indexOf(text)
  const before = stem.slice(0, at).replace(/[\s._([-]+$/u, '')
  const after = stem.slice(at + text.length).replace(/^[\s.,)\]]+/u, '')
  return before === ''
    ? after.replace(/^[\s._-]+/u, '')
    : before + (/^[\p{L}\d]/u.test(after) ? ` ${after}` : after)
}

function readDateInName({ 0: text, groups = {} }: RegExpMatchArray) {
  const { y = '', m, d = '1', a, b, s, w, q, h, min } = groups
  const pick = (month: string, day: string) =>
    parseDate(`${y}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
  const readEither = (one: string, other: string) => [pick(other, one), pick(one, other)]
  const [day = null, otherDay = null] =
    w !== undefined
      ? [parseDate(`${d} ${w} ${y}`)]
      : q !== undefined
        ? [new Date(Date.UTC(Number(y), Number(q) * 3, 0)).toISOString().slice(0, 10)]
        : a !== undefined && b !== undefined
          ? readEither(a, b)
          : [pick(m ?? '', d)]
  if ((day ?? otherDay) === null) return []
  const isOpen = day !== null && otherDay !== null && day !== otherDay && s !== '.'
  const dateMs = isOpen ? null : Date.parse(`${day ?? otherDay}T${h ?? '00'}:${min ?? '00'}:00Z`)
  return [{ text, dateMs, hasTime: h !== undefined }]
}

/** Quotes a name of a file or a column for a command line. */
export const quoteArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const houseNumberCell = /^\d{1,5}(?:[\s/-]?\p{L})?(?:\s?[-–/+]\s?\d{1,5}\p{L}?)?\.?$/u

/** Joins the column of streets without numbers with that of their house numbers, in the order of the file; `{}` without both. */
export function findNumberedStreet(
  street: string | undefined,
  header: readonly string[],
  cellsOf: (column: string) => readonly string[],
): { street_address?: string } {
  if (street === undefined || !header.includes(street)) return {}
  const isHouse = (name: string) =>
    name !== street &&
    findHeaderField(name) === 'house_number' &&
    isMostly(cellsOf(name), (cell) => houseNumberCell.test(cell))
  const house = header.find(isHouse)
  const streets = cellsOf(street)
  const numberedCount = streets.filter((cell) => /\d\s?\p{L}?$|^\d+\s/u.test(cell)).length
  if (house === undefined || numberedCount * 5 > streets.length || `${street}${house}`.includes(','))
    return {}
  const columns = header.filter((name) => name === street || name === house)
  return { street_address: columns.join(',') }
}

/** Returns a header in lower case with underscores between its words: `company_name` for `CompanyName`. */
export function toHeaderKey(name: string): string {
  return name
    .replace(/^\s+|[\s.-]+$/g, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
}

/** A column "address" next to a city or postal code has the street, unless its lines repeat them or alone have the towns. */
export function recognizeStreet(
  map: Partial<Record<ImportField, string>>,
  cellsOf: (column: string) => readonly string[],
): void {
  const { formatted_address: column, street_address: street, city, postal_code: postalCode } = map
  if (column === undefined) return
  if (street !== undefined || wholeLine.test(toHeaderKey(column))) return
  const places = [city, postalCode].flatMap((place) => (place === undefined ? [] : [cellsOf(place)]))
  const lines = cellsOf(column).flatMap((cell, at) => {
    const stated = places.map((cells) => toLetters(cells[at] ?? '')).filter((part) => part !== '')
    return cell === '' || stated.length === 0 ? [] : [{ line: toLetters(cell), stated }]
  })
  const isWhole = ({ line, stated }: (typeof lines)[number]) => stated.every((part) => line.includes(part))
  if (lines.length === 0 || lines.filter(isWhole).length * 2 > lines.length) return
  if (city === undefined && isMostly(cellsOf(column), mayHaveTown)) return
  map.street_address = column
  Reflect.deleteProperty(map, 'formatted_address')
}

const wholeLine = /^(?:full_|formatted_)|_concat$/

const toLetters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Removes the language of a column: "Benaming NL", `MunicipalityFR`. */
export const toPlainHeader = (name: string): string =>
  name.replace(/(?:[\s_-]+|(?<=[a-z]))\(?(?:NL|FR|DE|EN|nl|fr|de|en)\)?$/, '')

/** Joins columns of names: those in several languages, the fullest first, or one that has empty cells with the fullest. The first filled cell is the name. */
export function joinNames(
  map: Partial<Record<ImportField, string>>,
  nameHeaders: readonly string[],
  cellsOf: (column: string) => readonly string[],
): void {
  const { name = '', other_names: others = '' } = map
  const count = (one: string) => cellsOf(one).filter((cell) => cell !== '').length
  const sort = (columns: readonly string[]) => columns.toSorted((one, other) => count(other) - count(one))
  const inLanguages = nameHeaders.filter((one) => toPlainHeader(one) !== one)
  const [fullest = ''] = sort([...others.split(','), ...nameHeaders])
  const areLanguages = inLanguages.includes(name)
  if (!areLanguages && count(name) >= count(fullest) * shareMin) return
  const pair = count(name) * 2 < count(fullest) ? [fullest, name] : [name, fullest]
  const joined = areLanguages ? sort(inLanguages) : pair.filter((one) => one !== '')
  map.name = joined.some((one) => one.includes(',')) ? (joined[0] ?? '') : joined.join(',')
  const rest = others.split(',').filter((one) => !joined.includes(one))
  map.other_names = rest.join()
  if (map.other_names === '') delete map.other_names
}

/** Headers that only British company numbers have. */
export const ukHeader = /^(?:uk|companies_house)_/
const ukPostcode = /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i
const ukNumber = /^(?:\d{7,8}|[A-Z]{2}\d{6}|[A-Z]{2}\d{5}[A-Z]|[A-Z]\d{7})$/i
const shortNumber = /^[1-9]\d{0,6}$/

/**
 * Numbers of British form are British by their header, or because all places in the file are British. Spreadsheets
 * remove leading zeros: short numbers need such a header, or a whole number in the same column.
 */
export function isBritish(
  map: { readonly id?: string; readonly country?: string; readonly postal_code?: string },
  cellsOf: (column: string) => readonly string[],
): boolean {
  const { id: number, country, postal_code: postcode } = map
  if (number === undefined) return false
  const isStated = ukHeader.test(toHeaderKey(number))
  const numbers = cellsOf(number)
  const areShort = isStated || numbers.some((cell) => cell.length === 8 && ukNumber.test(cell))
  if (!isMostly(numbers, (cell) => ukNumber.test(cell) || (areShort && shortNumber.test(cell)))) return false
  if (isStated) return true
  const stated = cellsOf(country ?? '').filter((cell) => cell !== '')
  if (stated.some((cell) => findCountryCode(cell) !== 'GB')) return false
  if (stated.length > 0 && stated.length >= numbers.length * shareMin) return true
  return postcode !== undefined && isMostly(cellsOf(postcode), (cell) => ukPostcode.test(cell))
}
