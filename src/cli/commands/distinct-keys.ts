import { openSqlite, type Sqlite } from '../../platform/sqlite.js'

/** Fewer than these need no database; more are kept on disk, so that memory stays flat. */
const keysInMemoryMax = 20_000

/** Keys that were seen before. */
export class DistinctKeys {
  readonly #inMemory = new Set<string>()
  #onDisk: { database: Sqlite; isNew: (key: Uint8Array) => boolean } | null = null

  /** Returns the indexes of the keys that were not there before. */
  add(keys: readonly Uint8Array[]): number[] {
    if (this.#onDisk === null && this.#inMemory.size + keys.length > keysInMemoryMax) this.#moveToDisk()
    const indexesOfNew = (isNew: (key: Uint8Array) => boolean) =>
      keys.flatMap((key, index) => (isNew(key) ? [index] : []))
    if (this.#onDisk === null) return indexesOfNew((key) => this.#isNewInMemory(key))
    const { database, isNew } = this.#onDisk
    return database.transaction(() => indexesOfNew(isNew))()
  }

  #isNewInMemory(key: Uint8Array): boolean {
    const sizeBefore = this.#inMemory.size
    return this.#inMemory.add(Buffer.from(key).toString('latin1')).size > sizeBefore
  }

  #moveToDisk(): void {
    const database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
    database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID')
    const insert = database.prepare<[Uint8Array]>('INSERT OR IGNORE INTO seen VALUES (?)')
    this.#onDisk = { database, isNew: (key) => insert.run(key).changes > 0 }
    database.transaction(() => {
      for (const text of this.#inMemory) insert.run(Buffer.from(text, 'latin1'))
    })()
    this.#inMemory.clear()
  }

  close(): void {
    this.#onDisk?.database.close()
  }
}
