import { toPlainDigits } from './text.js'

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/**
 * Normalizes an ISO 8601 instant to `YYYY-MM-DDTHH:MM:SS[.ffffff]Z`, to the microsecond; null if the text is not an
 * instant. A text without an offset is in UTC. Years 0001 to 9999.
 */
export function normalizeInstant(text: string): string | null {
  const parts = pattern.exec(text.trim())
  if (parts === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = [1, 2, 3, 4, 5, 6].map((index) =>
    Number(parts[index] ?? 0),
  )
  const offset = parseOffsetMinutes(parts[8])
  if (offset === null || hour > 23 || minute > 59 || second > 59) return null
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  // An invalid month or day rolls over into another.
  if (instant.getUTCMonth() !== month - 1 || instant.getUTCDate() !== day) return null
  instant.setUTCHours(hour, minute - offset, second)
  if (instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999) return null
  const micros = (parts[7] ?? '').slice(0, 6).padEnd(6, '0')
  return `${instant.toISOString().slice(0, 19)}${micros === '000000' ? '' : `.${micros}`}Z`
}

/** Parses an instant to Unix time in milliseconds; null if the text is not an instant. */
export function parseInstantMs(text: string): number | null {
  const instant = normalizeInstant(text)
  return instant === null ? null : Date.parse(instant)
}

function parseOffsetMinutes(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const digits = text.slice(1).replace(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2) || '0')
  if (hours > 15 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses `90s`, `30m`, `6h` or `30d` to milliseconds; null if the text is not a duration. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text.trim())
  return match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : null
}

/** Formats a duration with at most two units: `0.6s`, `42s`, `3m05s`, `1h04m`, `2d03h`. */
export function formatDuration(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100))
  if (tenths < 100) return tenths === 0 ? '0s' : `${(tenths / 10).toFixed(1)}s`
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const pad = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${pad(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h${pad(minutes % 60)}m`
  return `${Math.floor(hours / 24)}d${pad(hours % 24)}h`
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const zoneHours: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
}
const clockPattern = '(?<hour>\\d{1,2}):(?<minute>\\d\\d):(?<second>\\d\\d)(?:\\.\\d+)?'
const zonePattern = '(?<zone>[a-z]{1,4}|(?:gmt|utc)?[+-]\\d\\d:?\\d\\d)'
/** `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110) and `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850). */
const dayFirst = new RegExp(
  `^(?:[a-z]+,?\\s*)?(?<day>\\d{1,2})[ -](?<month>[a-z]{3})[a-z]*[ -](?<year>\\d{4}|\\d\\d)\\s+${clockPattern}(?:\\s*${zonePattern})?$`,
  'i',
)
/** `Sun Nov  6 08:49:37 1994` (asctime). */
const monthFirst = new RegExp(
  `^(?:[a-z]+,?\\s+)?(?<month>[a-z]{3})[a-z]*\\s+(?<day>\\d{1,2})\\s+${clockPattern}(?:\\s+${zonePattern})?\\s+(?<year>\\d{4})$`,
  'i',
)

/**
 * Parses the date of an HTTP header in its three forms, and similar texts; a date without a zone is in UTC. `nowMs`
 * chooses the century of a year with two digits. Returns Unix time in milliseconds; null if the text is no date.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const trimmed = text.trim()
  const parts = (dayFirst.exec(trimmed) ?? monthFirst.exec(trimmed))?.groups
  if (parts === undefined) return parseInstantMs(trimmed)
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) => Number(parts[name]))
  const month = months.indexOf((parts['month'] ?? '').toLowerCase())
  const offset = parseZoneMinutes(parts['zone'] ?? 'z')
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
  if (month === -1 || offset === null || !isTime) return null
  const date = new Date(0)
  date.setUTCFullYear(chooseYear(parts['year'] ?? '', nowMs), month, day)
  // An invalid day rolls over into another month.
  if (date.getUTCMonth() !== month) return null
  return date.setUTCHours(Number(hour), Number(minute) - offset, second)
}

/** A year with two digits is the one that is at most 50 years in the future (RFC 9110). */
function chooseYear(text: string, nowMs: number): number {
  if (text.length === 4) return Number(text)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(text)
  if (year > thisYear + 50) return year - 100
  return year <= thisYear - 50 ? year + 100 : year
}

function parseZoneMinutes(zone: string): number | null {
  const hours = zoneHours[zone.toLowerCase()]
  if (hours !== undefined) return hours * 60
  const [offset] = /[+-].*$/.exec(zone) ?? []
  return offset === undefined ? null : parseOffsetMinutes(offset)
}

/**
 * Parses the header `Retry-After`, in seconds or as a date, to milliseconds from `nowMs`; 0 for the past. Null if the
 * text is neither. The caller limits the wait.
 */
export function parseRetryAfterMs(text: string, nowMs: number): number | null {
  const seconds = parseSeconds(text)
  if (seconds !== null) return seconds * 1_000
  const dateMs = parseHttpDate(text, nowMs)
  return dateMs === null ? null : Math.max(0, dateMs - nowMs)
}

/** Parses seconds, also with decimals; null for other text and for negative numbers. */
export const parseSeconds = (text: string): number | null =>
  /^\d{1,300}(\.\d*)?$/.test(text.trim()) ? Number(text) : null

/** Order of day and month in dates of digits. */
export const dateOrders = ['dmy', 'mdy'] as const
export type DateOrder = (typeof dateOrders)[number]

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

/**
 * Parses a date at the start of a text to `YYYY-MM-DD`; `null` if it is not a whole date. Reads `2001-02-03`, `20010203`,
 * `3/2/2001` in the given order, `3-Feb-2001`, `February 3, 2001` and serial numbers of spreadsheets. 2544 is 2001 in
 * Thailand.
 */
export function parseDate(given: string | null, order: DateOrder = 'dmy'): string | null {
  if (given === null) return null
  // Arabic dates have marks of direction.
  const text = toPlainDigits(given).replace(/[\u200e\u200f]/g, '').trim()
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
    return new Date(serialStartMs + Number(serial) * unitMs.d).toISOString().slice(0, 10)
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

/** Countries that write the month first. */
const monthFirstCountries = new Set('AS FM GU MH MP PA PH PR PW UM US VI'.split(' '))
export const getUsualDateOrder = (countryCode: string | null): DateOrder =>
  monthFirstCountries.has(countryCode ?? '') ? 'mdy' : 'dmy'

/** Dates of a column: how many have a day above 12 in a place, and the first one that fits both orders. */
interface ColumnDates {
  readonly counts: Record<DateOrder, number>
  either: string | null
  dateCount: number
}

/** Order of a column. `either`: a date that fits both orders, if no date of the file shows the order; otherwise `null`. */
export interface FoundDateOrder {
  readonly order: DateOrder
  readonly either: string | null
}

/** Enough rows for a decision. */
const decidingRows = 1_000

/** Finds the order of day and month in the date columns of a file: one day above 12 shows it for all rows. */
export class DateOrderFinder {
  readonly #columns = new Map<string, ColumnDates>()
  #rowCount = 0

  /** Receives the cells of a row by column. */
  look(cells: Iterable<readonly [column: string, text: string | null]>): void {
    this.#rowCount++
    for (const [column, text] of cells) {
      const dates = this.#columns.get(column) ?? { counts: { dmy: 0, mdy: 0 }, either: null, dateCount: 0 }
      this.#columns.set(column, dates)
      const [day, other] = [parseDate(text, 'dmy'), parseDate(text, 'mdy')]
      if (day === null && other === null) continue
      dates.dateCount++
      if (day === null || other === null) dates.counts[day === null ? 'mdy' : 'dmy']++
      else if (day !== other) dates.either ??= text
    }
  }

  /** Further rows would not change the orders. */
  get isSettled(): boolean {
    const columns = [...this.#columns.values()]
    const isOpen = ({ counts, either }: ColumnDates) => either !== null && counts.dmy === counts.mdy
    return (
      this.#rowCount >= decidingRows &&
      !columns.some(isOpen) &&
      (columns.length === 0 || columns.some(({ dateCount }) => dateCount > 0))
    )
  }

  /** A column without an order has that of the others, otherwise the usual one of the country. */
  find(column: string, countryCode: string | null): FoundDateOrder {
    const sum = (order: DateOrder) =>
      [...this.#columns.values()].reduce((all, { counts }) => all + counts[order], 0)
    const own = this.#columns.get(column)
    for (const counts of [own?.counts, { dmy: sum('dmy'), mdy: sum('mdy') }])
      if (counts !== undefined && counts.dmy !== counts.mdy)
        return { order: counts.dmy > counts.mdy ? 'dmy' : 'mdy', either: null }
    return { order: getUsualDateOrder(countryCode), either: own?.either ?? null }
  }
}
