import { dayCell, type Cell, type CellKind } from '../../tables/xlsx/cells.js'
import type { CellType } from './table.js'

/** Of an exact number Excel keeps 15 digits, of one that is a double anyway all that it has. */
const digits = { exactMax: 15, doubleMax: 17 } as const

/** A number where Excel keeps every digit; else its text. */
function numberCell(text: string, digitsMax: number): Cell {
  const [, figures = ''] = /^-?(\d+(?:\.\d+)?)(?:[eE][+-]?\d+)?$/.exec(text) ?? []
  const significant = figures.replace('.', '').replace(/^0+/, '')
  const isKept = figures !== '' && significant.length <= digitsMax && Number.isFinite(Number(text))
  return isKept ? { kind: 'number', value: text, format: 0 } : text
}

/** A value of JSON by its text there, and its own text. */
export function typedJson(raw: string, text: string | null): Cell | null {
  if (raw === 'true' || raw === 'false') return { kind: 'boolean', value: raw === 'true' }
  if (text === null || !/^[-\d]/.test(raw)) return text
  return numberCell(text, /[.eE]/.test(raw) ? digits.doubleMax : digits.exactMax)
}

/** A value of DuckDB by its text and type. Instants with a time zone stay text: Excel knows none. */
export function typedSql(text: string | null, type: string): Cell | null {
  if (text === null) return null
  if (/^(?:FLOAT|DOUBLE)$/.test(type)) return numberCell(text, digits.doubleMax)
  if (/^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DECIMAL\(.*\))$/.test(type))
    return numberCell(text, digits.exactMax)
  if (type === 'BOOLEAN') return { kind: 'boolean', value: text === 'true' }
  return /^(?:DATE|TIMESTAMP(?:_S|_MS)?)$/.test(type) ? dayCell(text) : text
}

/** What has been seen in a column whose cells have kinds of their own; decides its type in Parquet. */
export class KindTally {
  private readonly kinds = new Set<CellKind>()

  add(kind: CellKind): void {
    this.kinds.add(kind)
  }

  /** Takes over what another has seen. */
  addAll({ kinds }: KindTally): void {
    for (const kind of kinds) this.kinds.add(kind)
  }

  /** The narrowest type that all cells are of; text where they differ, and where there are none. */
  get type(): CellType {
    const [first = 'text', second, third] = [...this.kinds].sort()
    if (second === undefined) return first
    if (third !== undefined) return 'text'
    if (first === 'double' && second === 'integer') return 'double'
    return first === 'date' && second === 'timestamp' ? 'timestamp' : 'text'
  }
}

/** The text of a cell as a JSON value of its column's type. */
export function jsonOfText(text: string, type: CellType): string {
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
