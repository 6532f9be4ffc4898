import { openSqlite } from '../../platform/sqlite.js'
import { UserError } from '../../core/errors.js'
import type { LookupId } from '../../core/lookup-identity.js'

const chunkRowCount = 65_536
const highestId = 0xffff_ffff

/** Distinct ids in ascending order, and the number of rows for each. */
export interface DistinctIds {
  readonly ids: Uint32Array
  readonly rowCounts: Uint32Array
}

/**
 * Lookup id of each row, in four bytes a row: 0 for an unknown lookup, and ids counted down from the highest for
 * invalid rows, one for each reason.
 */
export class RowIndex {
  readonly #chunks: Uint32Array[] = []
  readonly #reasons: string[] = []
  readonly #reasonPlaces = new Map<string, number>()
  #rowCount = 0
  #invalidCount = 0
  #distinct: DistinctIds | null = null

  get rowCount(): number {
    return this.#rowCount
  }
  get invalidCount(): number {
    return this.#invalidCount
  }

  add(lookupId: LookupId): void {
    const offset = this.#rowCount % chunkRowCount
    if (offset === 0) this.#chunks.push(new Uint32Array(chunkRowCount))
    const chunk = this.#chunks.at(-1)
    if (chunk !== undefined) chunk[offset] = lookupId
    this.#rowCount++
    this.#distinct = null
  }

  addInvalid(reason: string): void {
    let index = this.#reasonPlaces.get(reason)
    if (index === undefined) {
      index = this.#reasons.push(reason) - 1
      this.#reasonPlaces.set(reason, index)
    }
    this.#invalidCount++
    this.add(highestId - index)
  }

  /** Returns the ids of up to `count` rows, starting with row `first` (0-based). */
  slice(first: number, count: number): LookupId[] {
    const ids: LookupId[] = []
    for (let row = first; row < Math.min(first + count, this.#rowCount); row++) {
      ids.push(this.#chunks[Math.floor(row / chunkRowCount)]?.[row % chunkRowCount] ?? 0)
    }
    return ids
  }

  replace(ids: ReadonlyMap<LookupId, LookupId>): void {
    if (ids.size === 0) return
    for (const chunk of this.#chunks) for (const [at, id] of chunk.entries()) chunk[at] = ids.get(id) ?? id
    this.#distinct = null
  }

  getDistinct(): DistinctIds {
    return (this.#distinct ??= this.#countDistinct())
  }

  #countDistinct(): DistinctIds {
    const sorted = new Uint32Array(this.#rowCount)
    for (const [index, chunk] of this.#chunks.entries()) {
      const start = index * chunkRowCount
      sorted.set(chunk.subarray(0, this.#rowCount - start), start)
    }
    sorted.sort()
    const ids = sorted.filter((id, index) => index === 0 || id !== sorted[index - 1])
    const rowCounts = new Uint32Array(ids.length)
    let at = 0
    for (const id of sorted) {
      if (id !== ids[at]) at++
      rowCounts[at] = (rowCounts[at] ?? 0) + 1
    }
    return { ids, rowCounts }
  }

  /** Returns the reason why a row is invalid, or `null` if it is valid. */
  getReason(lookupId: LookupId): string | null {
    const index = highestId - lookupId
    return index < this.#reasons.length ? (this.#reasons[index] ?? null) : null
  }
}

/** The user's unique row keys, stored on disk to limit memory. */
export class RowKeys {
  readonly #column: string
  readonly #database = openSqlite('', { synchronous: 'OFF', journal: 'OFF' })
  readonly #insert
  readonly #rowOf
  readonly #keysFrom
  #rowCount = 0
  /** Rows without a key that are not checked yet; and those that need none. */
  #missing: number[] = []
  readonly #keyless: number[] = []

  constructor(column: string) {
    this.#column = column
    this.#database.exec('CREATE TABLE keys (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)')
    this.#insert = this.#database.prepare<[number, string]>('INSERT OR IGNORE INTO keys VALUES (?, ?)')
    this.#rowOf = this.#database.prepare<[string], number>('SELECT row FROM keys WHERE key = ?').pluck()
    this.#keysFrom = this.#database
      .prepare<[number, number], string>('SELECT key FROM keys WHERE row >= ? ORDER BY row LIMIT ?')
      .pluck()
  }

  /** Adds the keys of the next rows. Throws ROW_KEY_DUPLICATE. */
  add(keys: readonly (string | null)[]): void {
    this.#database.transaction(() => {
      for (const key of keys) this.#add(key)
    })()
  }

  /** Throws ROW_KEY_MISSING for a row without a key that has a lookup. Totals and empty rows need no key. */
  check(index: RowIndex): void {
    for (const row of this.#missing) {
      const [id = 0] = index.slice(row, 1)
      if (index.getReason(id) === null) {
        throw new UserError('ROW_KEY_MISSING', `row ${row + 1} has no key in the column "${this.#column}"`, {
          hint: 'fill it in, remove the row if it is no company, or name another column with --row-key; nothing was submitted',
        })
      }
      this.#keyless.push(row)
    }
    this.#missing = []
  }

  /** Call after the last row: gives rows that need no key one that no other row has, so that none is lost. */
  end(): void {
    let number = 0
    this.#database.transaction(() => {
      for (const row of this.#keyless) while (this.#insert.run(row, `(no key ${++number})`).changes === 0);
    })()
  }

  /** Returns the keys of up to `count` rows, starting with row `first` (0-based). */
  read(first: number, count: number): readonly string[] {
    return this.#keysFrom.all(first, count)
  }

  close(): void {
    this.#database.close()
  }

  #add(key: string | null): void {
    const row = this.#rowCount++
    if (key === null || key.trim() === '') {
      this.#missing.push(row)
      return
    }
    if (this.#insert.run(row, key).changes === 1) return
    const other = this.#rowOf.get(key) ?? 0
    const shown = key.length > shownCharsMax ? `${key.slice(0, shownCharsMax)}…` : key
    throw new UserError(
      'ROW_KEY_DUPLICATE',
      `rows ${other + 1} and ${row + 1} both have the key ${JSON.stringify(shown)} in the column "${this.#column}"`,
      { hint: 'each row needs a unique key; nothing was submitted' },
    )
  }
}

const shownCharsMax = 60
