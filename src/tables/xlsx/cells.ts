import { xlsxLimits } from '../limits.js'

/** Meaning of a number with some format. */
type NumberKind =
  | { readonly kind: 'number' }
  /** Displayed with leading zeros up to this number of digits: `000000`. */
  | { readonly kind: 'padded'; readonly digits: number }
  | { readonly kind: 'date' }
  /** Hours beyond a day: `[h]:mm`. */
  | { readonly kind: 'duration' }

/** The number of a built-in format, or the code of another one. */
export type NumberFormat = number | string

/** Number format of a cell and its meaning. */
export interface CellStyle {
  readonly kind: NumberKind
  readonly format: NumberFormat
}

const plain: NumberKind = { kind: 'number' }

export const generalStyle: CellStyle = { kind: plain, format: 0 }

export const getBuiltInStyle = (id: number): CellStyle => ({ kind: getBuiltInKind(id), format: id })

export const parseStyle = (code: string): CellStyle => ({ kind: parseFormatKind(code), format: code })

/** Returns the meaning of a built-in format; 27 to 36 and 50 to 58 are East Asian dates. */
export function getBuiltInKind(id: number): NumberKind {
  if (id === 46) return { kind: 'duration' }
  const isDate =
    (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
  return isDate ? { kind: 'date' } : plain
}

/**
 * Returns what a number format of Excel shows: a date, a duration, a number padded with zeros, or a plain number. Only
 * the format's first section counts, without quoted, escaped and bracketed parts.
 */
export function parseFormatKind(code: string): NumberKind {
  const section = (/^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return { kind: 'duration' }
  const bare = section.replace(/\[[^\]]*\]/g, '')
  if (/^0{2,}$/.test(bare)) return { kind: 'padded', digits: bare.length }
  if (/^general$/i.test(bare) || /[0#?]/.test(bare.replace(/[.,]0+/g, ''))) return plain
  return /[ymdhs]|gge|AM\/PM|A\/P/i.test(bare) ? { kind: 'date' } : plain
}

/** A cell as stored in the file. */
export interface RawCell {
  /** `s`, `inlineStr`, `str`, `b`, `e`, `n` or `d`. */
  readonly type: string
  /** `null` if the cell has no value. */
  readonly value: string | null
  readonly isFormula: boolean
  readonly style: CellStyle
}

/** Counts of non-empty cells without text, and of numbers that have lost digits. */
export interface CellCounts {
  errorCount: number
  uncachedCount: number
  longNumberCount: number
}

/** Returns the text of a cell, `null` if it is empty, or `undefined` if its shared string is missing from `strings`. */
export function formatCell(
  { type, value, isFormula, style }: RawCell,
  strings: readonly string[],
  is1904: boolean,
  counts: CellCounts,
): string | null | undefined {
  if (value === null) {
    if (isFormula) counts.uncachedCount++
    return null
  }
  switch (type) {
    case 's':
      return strings[Number(value)]
    case 'inlineStr':
    case 'str':
      return value
    case 'b':
      return value.trim() === '1' || value.trim() === 'true' ? 'TRUE' : 'FALSE'
    case 'e':
      counts.errorCount++
      return null
    case 'd':
      return value.trim().replace('T', ' ').replace(/Z$/, '')
    default:
      return formatNumberText(value.trim(), style.kind, is1904, counts)
  }
}

function formatNumberText(
  value: string,
  kind: NumberKind,
  is1904: boolean,
  counts: CellCounts,
): string | null {
  const number = Number(value)
  if (value === '') return null
  if (!Number.isFinite(number)) return value
  if (kind.kind === 'date') return formatDate(number, is1904) ?? formatNumber(number)
  if (kind.kind === 'duration') return formatDuration(number)
  if (Math.abs(number) >= xlsxLimits.exactNumberMax) counts.longNumberCount++
  if (kind.kind === 'padded' && Number.isInteger(number) && number >= 0) {
    return formatNumber(number).padStart(kind.digits, '0')
  }
  return formatNumber(number)
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

/** Type of a cell's value. */
export type CellKind = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp'

/**
 * Returns the kind of value in a cell. `text` is the cell's text. Numbers with leading zeros, times and durations are
 * text.
 */
export function getCellKind({ type, style }: RawCell, text: string): CellKind {
  switch (type) {
    case 's':
    case 'inlineStr':
    case 'str':
      return 'text'
    case 'b':
      return 'boolean'
    case 'd':
      return getDayKind(text)
    default:
      return style.kind.kind === 'number' ? getNumberKind(text) : getDayKind(text)
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
      return toFilled(strings[Number(value)])
    case 'inlineStr':
    case 'str':
      return toFilled(value)
    case 'b':
      return { kind: 'boolean', value: value.trim() === '1' || value.trim() === 'true' }
    case 'e':
      return { kind: 'error', value: value.trim() }
    case 'd':
      return toDayCell(value.trim(), style.kind.kind === 'date' ? style.format : null)
    default:
      return toNumberCell(value.trim(), raw, is1904)
  }
}

const toFilled = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

function toNumberCell(value: string, { style }: RawCell, is1904: boolean): Cell | null {
  if (value === '') return null
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  const isMoved = is1904 && style.kind.kind === 'date'
  const isPlain = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)
  const written = isMoved ? String(number + days1904) : isPlain ? value : String(number)
  return { kind: 'number', value: written, format: style.format }
}

const dateFormat = 'yyyy-mm-dd'
const timeFormat = 'yyyy-mm-dd hh:mm:ss'

/** Converts an ISO 8601 date, with an optional time and no zone, to a cell. Returns other text unchanged. */
export function toDayCell(text: string, format: NumberFormat | null = null): Cell {
  const [, date = '', time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text) ?? []
  const ms = Date.parse(`${date}T${time ?? '00:00'}Z`)
  // Before March 1900, Excel's days differ from the calendar.
  if (Number.isNaN(ms) || ms < firstSureDayMs) return text
  const value = String((ms + epochDay * dayMs) / dayMs)
  return { kind: 'number', value, format: format ?? (time === undefined ? dateFormat : timeFormat) }
}

/** 1970-01-01 in Excel's day count. */
const epochDay = 25_569
const firstSureDayMs = Date.UTC(1900, 2, 1)

/** A range of cells. Rows are counted from 1, columns from 0. */
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

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

/** Parses `A1:C2`; returns `null` for other text. */
export function parseRange(reference: string): CellRange | null {
  const [, from, firstRow, to, lastRow] = /^\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)$/i.exec(reference) ?? []
  if (from === undefined || to === undefined) return null
  return {
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
    firstColumn: parseColumn(from) ?? 0,
    lastColumn: parseColumn(to) ?? 0,
  }
}

/** A cell to write, or a text with a link; `null` if empty. */
export type WrittenCell = Cell | null | { readonly kind: 'link'; readonly text: string; readonly url: string }

export type WrittenRow = readonly WrittenCell[]

export interface SheetColumn {
  readonly name: string
  /** Whether the whole column is formatted as text, including cells that the user fills later. */
  readonly isText: boolean
}
