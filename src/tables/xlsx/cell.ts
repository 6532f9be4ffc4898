import type { NumberFormat } from './cell-style.js'
import { days1904, type RawCell } from './cell-value.js'

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

const dayMs = 86_400_000
/** 1970-01-01 as Excel counts days. */
const epochDay = 25_569
const firstSureDayMs = Date.UTC(1900, 2, 1)
