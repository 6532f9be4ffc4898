import { toDayCell, type Cell, type CellKind } from '../../tables/xlsx/cells.js'
import type { CellType } from './table.js'

/** Significant digits that Excel keeps: 15 of an exact number; all 17 of a double. */
const digits = { exactMax: 15, doubleMax: 17 } as const

/** Returns a number if Excel keeps every digit, else the text. */
function toNumberCell(text: string, digitsMax: number): Cell {
  const [, figures = ''] = /^-?(\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?$/.exec(text) ?? []
  const significant = figures.replace('.', '').replace(/^0+/, '')
  const isKept = figures !== '' && significant.length <= digitsMax && Number.isFinite(Number(text))
  return isKept ? { kind: 'number', value: text, format: 0 } : text
}

/** Converts a JSON value, given as JSON text and as plain text, to a cell. */
export function toJsonCell(raw: string, text: string | null): Cell | null {
  if (raw === 'true' || raw === 'false') return { kind: 'boolean', value: raw === 'true' }
  if (text === null || !/^[-\d]/.test(raw)) return text
  return toNumberCell(text, /[.eE]/.test(raw) ? digits.doubleMax : digits.exactMax)
}

/** Converts a DuckDB value to a cell. Instants with a time zone stay text: Excel has no time zones. */
export function toSqlCell(text: string | null, type: string): Cell | null {
  if (text === null) return null
  if (/^(?:FLOAT|DOUBLE)$/.test(type)) return toNumberCell(text, digits.doubleMax)
  if (/^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\))$/.test(type))
    return toNumberCell(text, digits.exactMax)
  if (type === 'BOOLEAN') return { kind: 'boolean', value: text === 'true' }
  return /^(?:DATE|TIMESTAMP(?:_S|_MS)?)$/.test(type) ? toDayCell(text) : text
}

/** The kinds of cells seen in a column; they decide its type in Parquet. */
export class KindTally {
  private readonly kinds = new Set<CellKind>()

  add(kind: CellKind): void {
    this.kinds.add(kind)
  }

  /** Adds the kinds of another column. */
  addAll({ kinds }: KindTally): void {
    for (const kind of kinds) this.kinds.add(kind)
  }

  /** The narrowest type that fits all cells; text if they differ or there are no cells. */
  get type(): CellType {
    const [first = 'text', second, third] = [...this.kinds].sort()
    if (second === undefined) return first
    if (third !== undefined) return 'text'
    if (first === 'double' && second === 'integer') return 'double'
    return first === 'date' && second === 'timestamp' ? 'timestamp' : 'text'
  }
}

/** Formats the text of a cell as a JSON value of its column's type. */
export function toJsonText(text: string, type: CellType): string {
  switch (type) {
    case 'integer':
    case 'double':
      return text
    case 'boolean':
      return text === 'TRUE' ? 'true' : 'false'
    case 'text':
    case 'date':
    case 'timestamp':
    case 'json':
      return JSON.stringify(text)
  }
}
