import type { Sqlite } from '../../platform/sqlite.js'
import { Vocabulary } from '../match/vocabulary.js'
import { WordList, wordListsInOrder, type WordLists } from '../match/word-list.js'

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
