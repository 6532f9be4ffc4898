const groupsMax = 1_000
const otherGroup = '(other)'
const chunkRowCount = 65_536

/** Rows grouped by their value in one column. */
export interface RowGroups {
  readonly column: string
  /** In order of first appearance; '' for rows without a value, `(other)` for all values after the first 1,000. */
  readonly values: readonly string[]
  /** Returns the index in `values` for a row, counted from 0. */
  getGroup(row: number): number
}

/** Collects groups in two bytes a row. */
export class RowGrouping implements RowGroups {
  readonly values: string[] = []
  readonly #places = new Map<string, number>()
  readonly #chunks: Uint16Array[] = []
  #rowCount = 0

  constructor(readonly column: string) {}

  add(values: readonly (string | null)[]): void {
    for (const value of values) {
      const offset = this.#rowCount++ % chunkRowCount
      if (offset === 0) this.#chunks.push(new Uint16Array(chunkRowCount))
      const chunk = this.#chunks.at(-1)
      if (chunk !== undefined) chunk[offset] = this.#findGroup(value?.trim() ?? '')
    }
  }

  getGroup(row: number): number {
    return this.#chunks[Math.floor(row / chunkRowCount)]?.[row % chunkRowCount] ?? 0
  }

  #findGroup(value: string): number {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    if (this.values.length === groupsMax) this.values.push(otherGroup)
    if (this.values.length > groupsMax) return groupsMax
    // A copy, because the slice would keep the whole input text in memory.
    const own = Buffer.from(value, 'utf16le').toString('utf16le')
    this.#places.set(own, this.values.length)
    return this.values.push(own) - 1
  }
}
