import type { Sqlite } from '../../platform/sqlite.js'
import type { ParsedName } from '../normalize/parsed-name.js'
import type { RegistryRow, RowName } from '../model/registry-row.js'
import { Vocabulary } from '../match/vocabulary.js'
import { WordList, wordListsInOrder, type WordLists } from '../match/word-list.js'

export interface NameWriter {
  /** `parsedNames`: of the names, in their order. */
  add(legalEntityNumber: number, names: RegistryRow['names'], parsedNames: readonly ParsedName[]): void
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
    add(legalEntityNumber, names, parsedNames) {
      for (const [position, { tokens, coreKey, fullKey, formClass, acronym }] of parsedNames.entries()) {
        const { kind, name, endedOn, endedSource } = names[position] as RowName
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

interface WordListRow {
  name_count: number
  words: Buffer
  counts: Buffer
  backward: Buffer
}

/** Keeps the words of all names so that opening the registry need not count them. */
export function writeWordList(database: Sqlite): void {
  const { words, counts, backward } = countWords(database)
  database
    .prepare('INSERT OR REPLACE INTO word_lists VALUES (1, ?, ?, ?, ?)')
    .run(countNames(database), Buffer.from(words), bytesOf(counts), bytesOf(backward))
}

/** Milliseconds for a million words, if an import of this version has made the list. */
export function readVocabulary(database: Sqlite): Vocabulary {
  const row = database
    .prepare<[], WordListRow>('SELECT name_count, words, counts, backward FROM word_lists')
    .get()
  if (row === undefined) return new Vocabulary(new WordList(countWords(database)), countNames(database))
  const { words, counts, backward } = row
  const lists = { words, counts: numbersOf(counts), backward: numbersOf(backward) }
  return new Vocabulary(new WordList(lists), row.name_count)
}

/** How much a word tells; the list is read when the first is asked for. */
export function createWordWeight(database: Sqlite): (word: string) => number {
  let vocabulary: Vocabulary | null = null
  return (word) => {
    vocabulary ??= readVocabulary(database)
    return vocabulary.weight(word)
  }
}

function countWords(database: Sqlite): WordLists {
  const rows = database
    .prepare<[], [string, number]>('SELECT term, doc FROM name_vocabulary ORDER BY term')
    .raw()
    .iterate()
  return wordListsInOrder(rows)
}

function countNames(database: Sqlite): number {
  return database.prepare<[], number>('SELECT count(*) FROM names').pluck().get() ?? 0
}

function bytesOf(numbers: Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

/** Copied, because numbers must begin at a multiple of their size. */
function numbersOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer)
}
