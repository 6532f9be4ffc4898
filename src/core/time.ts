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

/** The year before the first one of each era. Japan writes its eras with a sign or a letter, Taiwan its own with signs. */
const eraStarts = new Map(
  Object.entries({ 令和: 2018, 平成: 1988, 昭和: 1925, 大正: 1911, 明治: 1867, 民國: 1911, 民国: 1911 }),
)
const eraLetters = new Map(Object.entries({ R: '令和', H: '平成', S: '昭和', T: '大正', M: '明治' }))
const eraYear =
  /^(?:中華|中华)?(令和|平成|昭和|大正|明治|民國|民国|[RHSTM](?=\s?\d\d?[./-]\d))[.\s]*(元|\d{1,3})/

/** Writes the year of an era as one of our calendar: `令和5年4月1日`, `R5.4.1`, `民國88年5月12日`. */
export const writeEraYear = (text: string): string =>
  text.normalize('NFKC').replace(eraYear, (_, era: string, year: string) => {
    const start = eraStarts.get(eraLetters.get(era) ?? era) ?? 0
    return String(start + (year === '元' ? 1 : Number(year)))
  })

/** Countries whose registers have dates of the Islamic or the Persian calendar; their years are now about 1450 and 1405. */
const otherCalendars = new Set('AE AF BH DZ EG IQ IR JO KW LB LY MA OM PK PS QA SA SD SY TN YE'.split(' '))
/** In Nepal, this year and later ones may be of Bikram Sambat, whose years are 57 higher. */
const bikramStart = '2000'

/** A calendar that a header or a date names, but ours. Dates of `other` ones are not converted. */
export type Calendar = 'ethiopian' | 'other'
const ethiopianMark = /(?<![\p{L}.])E\.\s?C(?!\p{L})|\(\s*EC\s*\)|(?<=\s)EC$|ethiopian|ዓ[./]?\s?ም|የኢትዮጵያ/iu
const otherMark =
  /هـ|ه\s{0,3}\.?\s{0,3}ش|هجر|شمسی|hijr|bikram|वि\.?\s?सं|(?<![\p{L}.])(?:A\.\s?H|B\.\s?S)(?!\p{L})|\((?:AH|BS)\)/iu
const ourMark = /እ\.?ኤ\.?አ|gregorian|(?<![\p{L}.])G\.\s?C(?!\p{L})/iu
const marks = [[ourMark, null] as const, [otherMark, 'other'] as const, [ethiopianMark, 'ethiopian'] as const]
export const findCalendar = (text: string): Calendar | null =>
  marks.find(([mark]) => mark.test(text.replaceAll('_', ' ')))?.[1] ?? null

/** Whether the date of a register is one of another calendar, or may be one. `day`: how our calendar reads the text. */
export const mayBeOtherCalendar = (text: string, day: string | null, countryCode: string | null): boolean =>
  otherMark.test(text) ||
  (day !== null && day < '1500' && otherCalendars.has(countryCode ?? '')) ||
  (day !== null && day >= bikramStart && countryCode === 'NP')

/**
 * Writes a date that parseDate would read in the wrong year. Registers of Taiwan count the years from 1912: `88/05/12`,
 * `1120512`. An Ethiopian date becomes one of our calendar, or empty if it is no date.
 */
export function writeLocalYear(text: string, countryCode: string | null, calendar: string): string {
  const named = ourMark.test(text) ? null : (findCalendar(text) ?? calendar)
  if (named === 'ethiopian') return convertEthiopian(text)
  const [, year, rest] =
    /^\s*(0?\d\d|1\d\d)([-/.年]\d\d?[-/.月]\d\d?\D*)$/.exec(text) ?? /^([01]\d\d)(\d{4})$/.exec(text) ?? []
  return countryCode !== 'TW' || year === undefined ? text : `${Number(year) + 1911}${rest ?? ''}`
}

/** The day 0 of the Ethiopian year 0, in days of Unix time. Each year has twelve months of 30 days and one of five or six. */
const ethiopianStart = -716_763
function convertEthiopian(text: string): string {
  const parts =
    text.match(/(?<!\d)(?:\d{4}([-/.])\d\d?\1\d\d?|\d\d?([-/.])\d\d?\2\d{4})(?!\d)/)?.[0].split(/\D/) ?? []
  const [year = 0, month = 0, day = 0] = (parts[0]?.length === 4 ? parts : parts.toReversed()).map(Number)
  const lastDay = month < 13 ? 30 : year % 4 === 3 ? 6 : 5
  if (month < 1 || month > 13 || day < 1 || day > lastDay) return ''
  const days = ethiopianStart + 365 * year + Math.floor(year / 4) + 30 * month + day
  return new Date(days * 86_400_000).toISOString().slice(0, 10)
}
