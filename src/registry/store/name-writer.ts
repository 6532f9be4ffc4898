import type { Sqlite } from '../../platform/sqlite.js'
import { parseName } from '../normalize/parsed-name.js'
import type { RegistryRow } from '../model/registry-row.js'

export interface NameWriter {
  add(legalEntityNumber: number, names: RegistryRow['names']): void
  removeAll(legalEntityNumber: number): void
  /** From here on the words of each name go into the index at once. Those of all names so far are put in. */
  indexAll(): void
  /** One index of the several that were written one after the other: a fifth quicker to look into. */
  settle(): void
}

/** `isDeferred`: the names are the first ones; their words wait for `indexAll`, which is much quicker. */
export function createNameWriter(database: Sqlite, isDeferred: boolean): NameWriter {
  const insert = database.prepare('INSERT INTO names VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const index = database.prepare('INSERT INTO name_index (rowid, tokens) VALUES (?, ?)')
  const list = database.prepare<[number], { number: number; tokens: string }>(
    'SELECT number, tokens FROM names WHERE legal_entity_number = ?',
  )
  // The index holds no text of its own: a removal has to repeat what was put in.
  const forget = database.prepare(
    "INSERT INTO name_index (name_index, rowid, tokens) VALUES ('delete', ?, ?)",
  )
  const remove = database.prepare('DELETE FROM names WHERE legal_entity_number = ?')
  let isIndexing = !isDeferred
  return {
    add(legalEntityNumber, names) {
      for (const { kind, name, endedOn, endedSource } of names) {
        const { tokens, coreKey, fullKey, formClass, acronym } = parseName(name)
        const words = tokens.join(' ')
        const { lastInsertRowid } = insert.run(
          legalEntityNumber,
          kind,
          name,
          words,
          coreKey,
          fullKey,
          formClass,
          acronym,
          endedOn ?? null,
          endedSource ?? null,
        )
        if (isIndexing) index.run(lastInsertRowid, words)
      }
    },
    removeAll(legalEntityNumber) {
      for (const { number, tokens } of list.all(legalEntityNumber)) forget.run(number, tokens)
      remove.run(legalEntityNumber)
    },
    indexAll() {
      if (isIndexing) return
      isIndexing = true
      database.exec('INSERT INTO name_index (rowid, tokens) SELECT number, tokens FROM names')
    },
    settle() {
      database.exec("INSERT INTO name_index (name_index) VALUES ('optimize')")
    },
  }
}
