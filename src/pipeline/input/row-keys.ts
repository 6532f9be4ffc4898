import { openSqlite } from '../../platform/sqlite.js'
import { UserError } from '../../core/errors.js'

/** Counts the occurrences of keys; on disk, so that memory use stays constant. */
export class OccurrenceCounter {
  readonly #database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
  readonly #next

  constructor() {
    this.#database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID')
    this.#next = this.#database
      .prepare<[Uint8Array], number>(
        'INSERT INTO seen VALUES (?, 0) ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count',
      )
      .pluck()
  }

  next(key: Uint8Array): number {
    return this.#next.get(key) ?? 0
  }

  close(): void {
    this.#database.close()
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

  constructor(column: string) {
    this.#column = column
    this.#database.exec('CREATE TABLE keys (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)')
    this.#insert = this.#database.prepare<[number, string]>('INSERT OR IGNORE INTO keys VALUES (?, ?)')
    this.#rowOf = this.#database.prepare<[string], number>('SELECT row FROM keys WHERE key = ?').pluck()
    this.#keysFrom = this.#database
      .prepare<[number, number], string>('SELECT key FROM keys WHERE row >= ? ORDER BY row LIMIT ?')
      .pluck()
  }

  /** Adds the keys of the next rows. Throws ROW_KEY_MISSING and ROW_KEY_DUPLICATE. */
  add(keys: readonly (string | null)[]): void {
    this.#database.transaction(() => {
      for (const key of keys) this.#add(key)
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
      throw new UserError('ROW_KEY_MISSING', `row ${row + 1} has no key in the column "${this.#column}"`, {
        hint: 'fill it in, or name another column with --row-key; nothing was submitted',
      })
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
