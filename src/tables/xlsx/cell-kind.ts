import type { RawCell } from './cell-value.js'

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
