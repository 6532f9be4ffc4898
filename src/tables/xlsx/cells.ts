import { xlsxLimits } from '../limits-and-errors.js'

/** Meaning of a number with some format. `code`: text, such as an identifier; `duration`: hours beyond a day, `[h]:mm`. */
export type NumberKind = 'number' | 'code' | 'date' | 'duration'

/** The number of a built-in format, or the code of another one. */
export type NumberFormat = number | string

/**
 * Formats a value as a spreadsheet program shows it. `isRead`: the text is the cell's value; otherwise it has something
 * that the value lacks. Returns `null` for a value that is read as stored.
 */
export type ShowValue = (value: number | string) => { readonly text: string; readonly isRead: boolean } | null

export interface CellStyle {
  readonly kind: NumberKind
  readonly format: NumberFormat
  /** `null` if the format adds no text. */
  readonly show: ShowValue | null
}

export const generalStyle: CellStyle = { kind: 'number', format: 0, show: null }

export function getBuiltInStyle(id: number): CellStyle {
  return { kind: getBuiltInKind(id), format: id, show: null }
}

/** Returns the meaning of a built-in format; 27 to 36 and 50 to 58 are East Asian dates. */
export function getBuiltInKind(id: number): NumberKind {
  if (id === 46) return 'duration'
  const isDate =
    (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
  return isDate ? 'date' : 'number'
}

/**
 * Returns whether a number format of Excel shows a date or a duration, or `null`. Only the format's first section
 * counts, without quoted, escaped and bracketed parts.
 */
export function parseDateKind(code: string): 'date' | 'duration' | null {
  const section = (/^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration'
  const bare = section.replace(/\[[^\]]*\]/g, '')
  if (/general/i.test(bare) || /[0#?]/.test(bare.replace(/[.,]0+/g, ''))) return null
  return /[ymdhs]|gge|AM\/PM|A\/P/i.test(bare) ? 'date' : null
}

/** A cell as stored in the file. */
export interface RawCell {
  /** `s`, `inlineStr`, `str`, `b`, `e`, `n` or `d`. */
  readonly type: string
  /** `null` if the cell has no value; only of text it may be empty. */
  readonly value: string | null
  /** Counted from 0. */
  readonly column: number
  readonly isFormula: boolean
  readonly style: CellStyle
}

/** Cells of a column that are read without a text of their number format. */
interface UnreadFormat {
  count: number
  /** The first one. */
  readonly read: string
  readonly shown: string
}

/** Counts of cells that are read with a loss, or may be outdated. */
export interface CellCounts {
  errorCount: number
  uncachedCount: number
  /** Formulas with a stored result. */
  cachedCount: number
  longNumberCount: number
  /** Counted from 0. */
  readonly longNumberColumns: Set<number>
  /** Keys are columns, counted from 0. */
  readonly unreadFormats: Map<number, UnreadFormat>
}

/** Returns the text of a cell, `null` if it is empty, or `undefined` if its shared string is missing from `strings`. */
export function formatCell(
  cell: RawCell,
  strings: readonly string[],
  is1904: boolean,
  counts: CellCounts,
): string | null | undefined {
  const { type, value, isFormula } = cell
  if (isFormula) counts[value === null ? 'uncachedCount' : 'cachedCount']++
  if (value === null) {
    if (type === 'e' && !isFormula) counts.errorCount++
    return null
  }
  switch (type) {
    case 's':
    case 'inlineStr':
    case 'str': {
      const text = getText(cell, strings)
      return text === undefined || text === '' ? text : applyFormat(text, text, cell, counts)
    }
    case 'b':
      return formatBoolean(value)
    case 'e':
      counts.errorCount++
      return null
    case 'd':
      return formatIsoDate(value)
    default:
      return formatNumberText(value, cell, is1904, counts)
  }
}

function getText({ type, value }: RawCell, strings: readonly string[]): string | undefined {
  if (type !== 's') return value ?? ''
  return /^\d+$/.test(value ?? '') ? strings[Number(value)] : undefined
}

/** Returns other text than that of a boolean unchanged. */
function formatBoolean(value: string): string {
  if (/^(?:1|true)$/i.test(value)) return 'TRUE'
  return /^(?:0|false)$/i.test(value) ? 'FALSE' : value
}

const isBoolean = (text: string) => text === 'TRUE' || text === 'FALSE'

/** Omits the `T`, the zone of UTC, and midnight. */
function formatIsoDate(value: string): string {
  const [, date, time = ''] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(value) ?? []
  if (date === undefined) return value.replace('T', ' ').replace(/Z$/, '')
  const clock = time.replace(/\.0+$/, '')
  return /^[0:]*$/.test(clock) ? date : `${date} ${clock}`
}

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Returns `null` for text that is not a number, or a number that is too large. */
function parseNumber(text: string): number | null {
  const number = numberText.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : null
}

function formatNumberText(value: string, cell: RawCell, is1904: boolean, counts: CellCounts): string {
  const number = parseNumber(value)
  if (number === null) return value
  const { kind } = cell.style
  if (kind === 'date') return formatDate(number, is1904) ?? formatNumber(number)
  if (kind === 'duration') return formatDuration(number)
  if (Math.abs(number) >= xlsxLimits.exactNumberMax) {
    counts.longNumberCount++
    counts.longNumberColumns.add(cell.column)
  }
  return applyFormat(number, formatNumber(number), cell, counts)
}

/** Returns the text of the number format, or `plain`. Counts cells whose format adds a text that is not read. */
function applyFormat(
  value: number | string,
  plain: string,
  { style, column }: RawCell,
  { unreadFormats }: CellCounts,
): string {
  const shown = style.show?.(value) ?? null
  if (shown === null) return plain
  if (shown.isRead) return shown.text
  const known = unreadFormats.get(column)
  if (known === undefined) unreadFormats.set(column, { count: 1, read: plain, shown: shown.text })
  else known.count++
  return plain
}

/** Formats a number with the 15 digits that Excel keeps: 0.1 + 0.2 is 0.3. */
function formatNumber(number: number): string {
  return String(Number(number.toPrecision(15)))
}

const dayMs = 86_400_000
const dayMax1900 = 2_958_465
/** Days between the epochs of 1900 and 1904. */
const days1904 = 1462

/**
 * Formats Excel's day count as text without a time zone: a day, a time, or both. Returns `null` for invalid dates:
 * before the first day, and day 60, which Excel takes for 29 February 1900.
 */
export function formatDate(serial: number, is1904: boolean): string | null {
  const ms = Math.round(serial * dayMs)
  if (!is1904 && ms < dayMs) return ms >= 0 && ms > 0 ? formatTime(ms) : null
  if (is1904 && ms > 0 && ms < dayMs) return formatTime(ms)
  const whole = ms + (is1904 ? days1904 * dayMs : 0)
  const day = Math.floor(whole / dayMs)
  if (day < 1 || day === 60 || day > dayMax1900) return null
  const date = new Date(Date.UTC(1899, 11, day < 60 ? 31 : 30) + whole)
  const text = date.toISOString()
  const time = formatTime(whole - day * dayMs)
  return time === '00:00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`
}

/** Formats hours, which may exceed a day, minutes and seconds. */
export function formatDuration(serial: number): string {
  const sign = serial < 0 ? '-' : ''
  return sign + formatTime(Math.round(Math.abs(serial) * dayMs))
}

function formatTime(ms: number): string {
  const padTwo = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const rest = ms % 1000
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  return `${padTwo(ms / 3_600_000)}:${padTwo((ms / 60_000) % 60)}:${padTwo((ms / 1000) % 60)}${fraction}`
}

export type CellKind = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp'

/** Returns the kind of value in a cell. `text` is the cell's text. Identifiers, times, durations are text. */
export function getCellKind({ type, style }: RawCell, text: string): CellKind {
  switch (type) {
    case 's':
    case 'inlineStr':
    case 'str':
      return 'text'
    case 'b':
      return isBoolean(text) ? 'boolean' : 'text'
    case 'd':
      return getDayKind(text)
    default:
      if (style.kind === 'code') return 'text'
      return style.kind === 'number' ? getNumberKind(text) : getDayKind(text)
  }
}

function getDayKind(text: string): CellKind {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'date'
  return /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? 'timestamp' : 'text'
}

/** Any 18 digits fit in 64 bits. */
function getNumberKind(text: string): CellKind {
  if (/^-?\d{1,18}$/.test(text)) return 'integer'
  return Number.isFinite(Number(text)) ? 'double' : 'text'
}

/** A number with its format, which decides whether it is a date. */
interface NumberCell {
  readonly kind: 'number'
  /** As stored in the file; days are counted from 1900. */
  readonly value: string
  readonly format: NumberFormat
}

/** A non-empty cell of a sheet. */
export type Cell =
  | string
  | NumberCell
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** `value` like `#N/A`. */
  | { readonly kind: 'error'; readonly value: string }

/** Converts a cell for writing; `null` if it is empty, `undefined` if its shared string is missing. */
export function toCell(raw: RawCell, strings: readonly string[], is1904: boolean): Cell | null | undefined {
  const { type, value, style } = raw
  if (value === null) return null
  switch (type) {
    case 's':
    case 'inlineStr':
    case 'str': {
      const text = getText(raw, strings)
      return text === undefined ? undefined : toTextCell(text, raw)
    }
    case 'b': {
      const text = formatBoolean(value)
      return isBoolean(text) ? { kind: 'boolean', value: text === 'TRUE' } : text
    }
    case 'e':
      return { kind: 'error', value }
    case 'd':
      return toDayCell(value, style.kind === 'date' ? style.format : null)
    default:
      return toNumberCell(value, raw, is1904)
  }
}

/** The cell is written as text, so a text that its format adds is added here. */
function toTextCell(text: string, { style }: RawCell): string | null {
  if (text === '') return null
  const shown = style.show?.(text) ?? null
  return shown?.isRead === true ? shown.text : text
}

function toNumberCell(value: string, { style }: RawCell, is1904: boolean): Cell {
  const number = parseNumber(value)
  if (number === null) return value
  const isMoved = is1904 && style.kind === 'date'
  const isPlain = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)
  const written = isMoved ? String(number + days1904) : isPlain ? value : String(number)
  return { kind: 'number', value: written, format: style.format }
}

const dateFormat = 'yyyy-mm-dd'
const timeFormat = 'yyyy-mm-dd hh:mm:ss'

/** Converts an ISO 8601 date, with an optional time and no zone, to a cell. Returns other text unchanged. */
export function toDayCell(text: string, format: NumberFormat | null = null): Cell {
  const [, date = '', time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text) ?? []
  // An Excel time has milliseconds.
  if (/\.\d{3}\d*[1-9]/.test(time ?? '')) return text
  const ms = Date.parse(`${date}T${time ?? '00:00'}Z`)
  // Before March 1900, Excel's days differ from the calendar.
  if (Number.isNaN(ms) || ms < firstSureDayMs) return text
  const value = String((ms + epochDay * dayMs) / dayMs)
  return { kind: 'number', value, format: format ?? (time === undefined ? dateFormat : timeFormat) }
}

/** 1970-01-01 in Excel's day count. */
const epochDay = 25_569
const firstSureDayMs = Date.UTC(1900, 2, 1)

/** Returns 2 for `C7`, `null` if the text names no column. */
export function parseColumn(place: string): number | null {
  const letters = /^[A-Za-z]+/.exec(place)?.[0]
  if (letters === undefined) return null
  return Buffer.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1
}

/** Returns `C` for column 2. */
export function formatColumn(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : formatColumn(Math.floor(index / 26) - 1) + last
}

/** A cell to write, or a text with a link; `null` if empty. */
export type WrittenCell = Cell | null | { readonly kind: 'link'; readonly text: string; readonly url: string }

export type WrittenRow = readonly WrittenCell[]

export interface SheetColumn {
  readonly name: string
  /** Whether the whole column is formatted as text, including cells that the user fills later. */
  readonly isText: boolean
}
