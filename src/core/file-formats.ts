import { toPlainDigits } from './text.js'
import { UserError } from './errors.js'
import { writeEraYear, type Calendar } from './time.js'

export type InputFormat = 'csv' | 'parquet' | 'ndjson' | 'json' | 'xlsx'

const extensions: Readonly<Record<string, InputFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  parquet: 'parquet',
  pq: 'parquet',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  // Accepted here because the reader detects them by content and rejects them with their name.
  xls: 'xlsx',
  xlsb: 'xlsx',
  ods: 'xlsx',
  numbers: 'xlsx',
}

/** Formats whose files may be compressed as a whole (.gz, .zst). */
const textFormats: ReadonlySet<InputFormat> = new Set(['csv', 'ndjson', 'json'])

/** Returns the format for a file name, or `null` if the extension is unknown. */
export function formatOfPath(path: string): InputFormat | null {
  const match = /\.([a-z]+)(\.gz|\.zst)?$/.exec(path.toLowerCase())
  const format = extensions[match?.[1] ?? ''] ?? null
  return match?.[2] === undefined || (format !== null && textFormats.has(format)) ? format : null
}

const unicodeNames = ['utf-8', 'utf-16le', 'utf-16be'] as const
const isoNames = ['iso-8859-1', 'iso-8859-2', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7'] as const
/** Encodings of DOS. */
export const dosNames = ['cp850', 'cp852', 'ibm866'] as const
const eastAsianNames = ['shift_jis', 'euc-jp', 'gbk', 'gb18030', 'big5', 'euc-kr'] as const

/**
 * Encodings that the user can name. `latin1` means windows-1252, as in practice; `utf-8+` reads lines that are not UTF-8 in
 * the other encoding.
 */
export const encodingNames = [
  ...unicodeNames,
  'latin1',
  'utf-8+windows-1252',
  'utf-8+windows-1250',
  'utf-8+windows-1251',
  'utf-8+windows-1253',
  'utf-8+windows-1254',
  'utf-8+windows-1255',
  'utf-8+windows-1256',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  ...isoNames,
  'iso-8859-15',
  ...dosNames,
  'koi8-r',
  'koi8-u',
  'macintosh',
  ...eastAsianNames,
  'iso-2022-jp',
] as const
export type Encoding = (typeof encodingNames)[number]

/** Lists the encodings between which detection could not decide, most likely first; empty for other errors. */
export const listPossibleEncodings = (error: unknown): readonly Encoding[] =>
  error instanceof UserError && error.code === 'INPUT_ENCODING_UNSURE' && Array.isArray(error.cause)
    ? (error.cause as readonly Encoding[])
    : []

/** Encodings that are read from the start of a file on: bytes have other meanings behind others. */
type WholeEncoding = (typeof unicodeNames)[number] | 'iso-2022-jp'
/** Encodings in which the bytes of line ends never belong to another character. */
export type LegacyEncoding = Exclude<Encoding, WholeEncoding | `utf-8+${string}`>

const severalBytes: ReadonlySet<string> = new Set(eastAsianNames)

export function isMultiByte(encoding: string): boolean {
  return severalBytes.has(encoding)
}

/** Order of day and month in dates of digits, or their calendar. */
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number] | Calendar

/** Languages of written months. */
const monthLanguages =
  'en es pt fr de de-AT it nl ca gl eu sv nb da fi is pl cs sk hu ro hr sr sr-Latn sl bg mk el tr az sq lt lv et ru uk be kk uz hy ka he ar ar-MA ar-IQ ar-DZ ar-TN fa th id ms fil sw hi bn'
/** Usual writings that Intl does not have. */
const moreMonths = { sept: 9, set: 9, setiembre: 9, mrz: 3, agt: 8 }
let monthsByWord: ReadonlyMap<string, number> | null = null

const toMonthWord = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase()

/** Months by their names and short names. A word that names two months, `listopad`, names none. */
function getMonthsByWord(): ReadonlyMap<string, number> {
  const found = new Map<string, number>(Object.entries(moreMonths))
  for (const language of monthLanguages.split(' '))
    for (const month of ['long', 'short'] as const)
      for (const day of ['numeric', undefined] as const) {
        const format = new Intl.DateTimeFormat(language, { month, day, calendar: 'gregory', timeZone: 'UTC' })
        for (let at = 1; at <= 12; at++) {
          const parts = format.formatToParts(Date.UTC(2001, at - 1, 15))
          const word = toMonthWord(parts.find(({ type }) => type === 'month')?.value ?? '')
          if (/^\p{L}[\p{L}\p{M}]+$/u.test(word)) found.set(word, (found.get(word) ?? at) === at ? at : 0)
        }
      }
  return found
}

/** Days from this one are the serial numbers of spreadsheets. Five digits: 1927 to 2099. */
const serialStartMs = Date.UTC(1899, 11, 30)
const serialMax = 73_050
/** Spreadsheets read the years 00 to 29 as 2000 to 2029. */
const lastShortYear = 29

/** Whether a text is a date in either order. */
export const isDate = (text: string): boolean => dateOrders.some((order) => parseDate(text, order) !== null)

/**
 * Parses a date at the start of a text to `YYYY-MM-DD`; `null` if it is not a whole date. Reads `2001-02-03`, `20010203`,
 * `3/2/2001` in the given order, `3-Feb-2001`, `February 3, 2001` and serial numbers of spreadsheets. 2544 is 2001 in
 * Thailand.
 */
export function parseDate(given: string | null, order: DateOrder = 'dmy'): string | null {
  if (given === null) return null
  // Arabic dates have marks of direction.
  const text = writeEraYear(
    toPlainDigits(given)
      .replace(/[\u200e\u200f]/g, '')
      .trim(),
  )
  const [, year, , month, day] =
    /^(\d{4})\s?([-/.年년])\s?(\d\d?)\s?(?:\2|[月월])\s?(\d\d?)(?!\d)/.exec(text) ??
    /^(\d{4})()(\d\d)(\d\d)(?:\d{6})?(?:[T\s]|$)/.exec(text) ??
    /^([3-9]\d)([-/.])(\d\d?)\2(\d\d?)(?!\d)/.exec(text) ??
    []
  const whole = toDay(year, month, day)
  if (whole !== null) return whole
  const [, first, second, last] =
    /^(\d\d?)\s?[-/.\s]\s?(\d\d?)\s?[-/.\s]\s?(\d{4})(?!\d)/.exec(text) ??
    /^(\d\d?)[-/.](\d\d?)[-/.](\d\d)(?![\d./-])/.exec(text) ??
    /^(\d\d)(\d\d)(\d{4})$/.exec(text) ??
    []
  if (first !== undefined) return order === 'dmy' ? toDay(last, second, first) : toDay(last, first, second)
  const [serial] = /^\d{5}(?=(?:[.,]\d+)?$)/.exec(text) ?? []
  if (serial !== undefined && Number(serial) >= 10_000 && Number(serial) <= serialMax)
    return new Date(serialStartMs + Number(serial) * 86_400_000).toISOString().slice(0, 10)
  return /\p{L}/u.test(text) ? parseWrittenDate(text.slice(0, 60)) : null
}

/** Parses a date with the name of its month: `21. august 1913`, `Aug 21, 1913`, `ngày 21 tháng 8 năm 1913`. */
function parseWrittenDate(text: string): string | null {
  const words: string[] = toMonthWord(text).match(/\p{L}[\p{L}\p{M}]*|\d+/gu) ?? []
  const months = (monthsByWord ??= getMonthsByWord())
  const [one = '', other = '', third = ''] = words.filter((word) => /^\d/.test(word))
  const vietnamese = /^\D*\d\d?,?\s+(?:tháng|thg)\s?\d/iu.test(text)
  if (vietnamese) return toDay(third, other, one)
  // "mar 21 ago 2001" begins with the day of the week.
  const before = words.slice(0, words.indexOf(other, words.indexOf(one) + 1))
  const month = before.map((word) => months.get(word) ?? 0).findLast((found) => found > 0)
  const [year, day] = one.length === 4 ? [one, other] : [other, one]
  return month === undefined ? null : toDay(year, String(month), day)
}

/** Returns a day that the calendar has; otherwise `null`. */
function toDay(
  yearText: string | undefined,
  month: string | undefined,
  day: string | undefined,
): string | null {
  if (yearText === undefined || !/^(?:\d{4}|\d\d)$/.test(yearText)) return null
  const given = Number(yearText)
  const isShort = yearText.length === 2
  const year = isShort
    ? given + (given > lastShortYear ? 1900 : 2000)
    : /^2[456]/.test(yearText)
      ? given - 543
      : given
  const date = new Date(0)
  date.setUTCFullYear(year, Number(month) - 1, Number(day))
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return isDay && year >= 1000 ? date.toISOString().slice(0, 10) : null
}
