import type { CellKind } from '../../tables/xlsx/cell-kind.js'
import type { CellType } from './table.js'

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
