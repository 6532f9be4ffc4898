import { xlsxLimits } from '../limits.js'
import type { CellStyle, NumberKind } from './cell-style.js'

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
export const days1904 = 1462

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
