import { xlsxLimits } from '../limits.js'

/** What a number of some format stands for. */
type NumberKind =
  | { readonly kind: 'number' }
  /** Shown with leading zeros, up to so many digits: `000000`. */
  | { readonly kind: 'padded'; readonly digits: number }
  | { readonly kind: 'date' }
  /** Hours that go on beyond a day: `[h]:mm`. */
  | { readonly kind: 'duration' }

/** The number of a format that need not be spelled out, or its code. */
export type NumberFormat = number | string

/** What is shown of a number, and so what it means. */
export interface CellStyle {
  readonly kind: NumberKind
  readonly format: NumberFormat
}

const plain: NumberKind = { kind: 'number' }

export const generalStyle: CellStyle = { kind: plain, format: 0 }

export const builtInStyle = (id: number): CellStyle => ({ kind: builtInKind(id), format: id })

export const styleOfFormat = (code: string): CellStyle => ({ kind: kindOfFormat(code), format: code })

/** The formats that a file need not spell out; 27 to 36 and 50 to 58 are dates of East Asia. */
export function builtInKind(id: number): NumberKind {
  if (id === 46) return { kind: 'duration' }
  const isDate =
    (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
  return isDate ? { kind: 'date' } : plain
}

/** By the format's first section: what is quoted, escaped or in brackets is no part of a date. */
export function kindOfFormat(code: string): NumberKind {
  const section = (/^(?:"[^"]*"|\\.|[^;"\\])*/.exec(code)?.[0] ?? '').replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return { kind: 'duration' }
  const bare = section.replace(/\[[^\]]*\]/g, '')
  if (/^0{2,}$/.test(bare)) return { kind: 'padded', digits: bare.length }
  if (/^general$/i.test(bare) || /[0#?]/.test(bare.replace(/[.,]0+/g, ''))) return plain
  return /[ymdhs]|gge|AM\/PM|A\/P/i.test(bare) ? { kind: 'date' } : plain
}

/** A cell as it stands in the file. */
export interface RawCell {
  /** `s`, `inlineStr`, `str`, `b`, `e`, `n` or `d`. */
  readonly type: string
  /** Null where there is no value at all. */
  readonly value: string | null
  readonly isFormula: boolean
  readonly style: CellStyle
}

/** Cells that hold something and give no text; numbers that have lost digits. */
export interface CellCounts {
  errorCount: number
  uncachedCount: number
  longNumberCount: number
}

/** The text of a cell, or null where it is empty. `strings` are the shared ones; undefined if there is none of that number. */
export function cellText(
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
      return numberText(value.trim(), style.kind, is1904, counts)
  }
}

function numberText(value: string, kind: NumberKind, is1904: boolean, counts: CellCounts): string | null {
  const number = Number(value)
  if (value === '') return null
  if (!Number.isFinite(number)) return value
  if (kind.kind === 'date') return dateText(number, is1904) ?? plainText(number)
  if (kind.kind === 'duration') return durationText(number)
  if (Math.abs(number) >= xlsxLimits.exactNumberMax) counts.longNumberCount++
  if (kind.kind === 'padded' && Number.isInteger(number) && number >= 0) {
    return plainText(number).padStart(kind.digits, '0')
  }
  return plainText(number)
}

/** The 15 digits that Excel keeps: 0.1 + 0.2 is 0.3. */
function plainText(number: number): string {
  return String(Number(number.toPrecision(15)))
}

const dayMs = 86_400_000
const dayMax1900 = 2_958_465
/** Day 0 of the count that begins in 1904, in days of the count that begins in 1900. */
const days1904 = 1462

/**
 * A date as Excel counts days, as text without a time zone: a day, a time, or both. Null for what is none: before
 * the first day, and day 60, which Excel takes for a 29 February 1900.
 */
export function dateText(serial: number, is1904: boolean): string | null {
  const ms = Math.round(serial * dayMs)
  if (!is1904 && ms < dayMs) return ms >= 0 && ms > 0 ? timeText(ms) : null
  if (is1904 && ms > 0 && ms < dayMs) return timeText(ms)
  const whole = ms + (is1904 ? days1904 * dayMs : 0)
  const day = Math.floor(whole / dayMs)
  if (day < 1 || day === 60 || day > dayMax1900) return null
  const date = new Date(Date.UTC(1899, 11, day < 60 ? 31 : 30) + whole)
  const text = date.toISOString()
  const time = timeText(whole - day * dayMs)
  return time === '00:00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`
}

/** Hours, which may be more than a day has, minutes and seconds. */
export function durationText(serial: number): string {
  const sign = serial < 0 ? '-' : ''
  return sign + timeText(Math.round(Math.abs(serial) * dayMs))
}

function timeText(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const rest = ms % 1000
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${fraction}`
}

/** What the text of a cell stands for. */
export type CellKind = 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'timestamp'

/** `text` is that of the cell; numbers shown with leading zeros, times and durations are text. */
export function kindOfCell({ type, style }: RawCell, text: string): CellKind {
  switch (type) {
    case 's':
    case 'inlineStr':
    case 'str':
      return 'text'
    case 'b':
      return 'boolean'
    case 'd':
      return kindOfDay(text)
    default:
      return style.kind.kind === 'number' ? kindOfNumber(text) : kindOfDay(text)
  }
}

function kindOfDay(text: string): CellKind {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'date'
  return /^\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? 'timestamp' : 'text'
}

/** 18 digits fit in 64 bits, whatever they are. */
function kindOfNumber(text: string): CellKind {
  if (/^-?\d{1,18}$/.test(text)) return 'integer'
  return Number.isFinite(Number(text)) ? 'double' : 'text'
}

/** A number with the format that says how it is shown, and so whether it is a date. */
interface NumberCell {
  readonly kind: 'number'
  /** As it stands in the file; days are counted from 1900. */
  readonly value: string
  readonly format: NumberFormat
}

/** A cell of a sheet that is not empty: a text, or what is more than its text. */
export type Cell =
  | string
  | NumberCell
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** `value` like `#N/A`. */
  | { readonly kind: 'error'; readonly value: string }

/** A cell as it may be written again; null where it is empty, undefined if its shared text is not there. */
export function typedCell(
  raw: RawCell,
  strings: readonly string[],
  is1904: boolean,
): Cell | null | undefined {
  const { type, value, style } = raw
  if (value === null) return null
  switch (type) {
    case 's':
      return filled(strings[Number(value)])
    case 'inlineStr':
    case 'str':
      return filled(value)
    case 'b':
      return { kind: 'boolean', value: value.trim() === '1' || value.trim() === 'true' }
    case 'e':
      return { kind: 'error', value: value.trim() }
    case 'd':
      return dayCell(value.trim(), style.kind.kind === 'date' ? style.format : null)
    default:
      return numberCell(value.trim(), raw, is1904)
  }
}

const filled = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

function numberCell(value: string, { style }: RawCell, is1904: boolean): Cell | null {
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

/** A day, with or without a time, of ISO 8601 without a zone, as a cell; another text stays one. */
export function dayCell(text: string, format: NumberFormat | null = null): Cell {
  const [, date = '', time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text) ?? []
  const ms = Date.parse(`${date}T${time ?? '00:00'}Z`)
  // Before March 1900 the days of Excel are not those of the calendar.
  if (Number.isNaN(ms) || ms < firstSureDayMs) return text
  const value = String((ms + epochDay * dayMs) / dayMs)
  return { kind: 'number', value, format: format ?? (time === undefined ? dateFormat : timeFormat) }
}

/** 1970-01-01 as Excel counts days. */
const epochDay = 25_569
const firstSureDayMs = Date.UTC(1900, 2, 1)

/** Cells by the rows, from 1, and columns, from 0, of their corners. */
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** `C7` is column 2; null for what names no column. */
export function columnIndex(place: string): number | null {
  const letters = /^[A-Za-z]+/.exec(place)?.[0]
  if (letters === undefined) return null
  return Buffer.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1
}

/** Column 2 is `C`. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

/** `A1:C2`; null for anything else. */
export function rangeOf(reference: string): CellRange | null {
  const [, from, firstRow, to, lastRow] = /^\$?([A-Z]+)\$?(\d+):\$?([A-Z]+)\$?(\d+)$/i.exec(reference) ?? []
  if (from === undefined || to === undefined) return null
  return {
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
    firstColumn: columnIndex(from) ?? 0,
    lastColumn: columnIndex(to) ?? 0,
  }
}

/** A cell to write: a text with an address behind it, too; null is none. */
export type WrittenCell = Cell | null | { readonly kind: 'link'; readonly text: string; readonly url: string }

export type WrittenRow = readonly WrittenCell[]

export interface SheetColumn {
  readonly name: string
  /** All its cells are text: what a user types there later is, too. */
  readonly isText: boolean
}
