import { xlsxLimits } from './limits.js'
import type { NumberKind } from './number-format.js'
import { dateText, durationText } from './serial-date.js'

/** A cell as it stands in the file. */
export interface RawCell {
  /** `s`, `inlineStr`, `str`, `b`, `e`, `n` or `d`. */
  readonly type: string
  /** Null where there is no value at all. */
  readonly value: string | null
  readonly isFormula: boolean
  readonly kind: NumberKind
}

/** Cells that hold something and give no text; numbers that have lost digits. */
export interface CellCounts {
  errorCount: number
  uncachedCount: number
  longNumberCount: number
}

/** The text of a cell, or null where it is empty. `strings` are the shared ones; undefined if there is none of that number. */
export function cellText(
  { type, value, isFormula, kind }: RawCell,
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
      return numberText(value.trim(), kind, is1904, counts)
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
