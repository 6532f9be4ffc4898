import { getSqliteCode, type Sqlite } from '../../platform/sqlite.js'
import type { RegistryRow, RowName, NameKind } from '../model/registry-rows.js'
import type { CandidateName } from '../match/candidate.js'
import { Vocabulary, WordList, buildSortedWordLists, type WordLists } from '../match/vocabulary.js'
import { packNameKind, type StoredName } from './registration-columns.js'

export interface NameWriter {
  /** `parsedNames`: the parsed `names`, in the same order. */
  add(legalEntityNumber: number, names: RegistryRow['names'], parsedNames: readonly StoredName[]): void
  removeAll(legalEntityNumber: number): void
  /** Indexes all names so far; names added later are indexed at once. */
  indexAll(): void
  /** Merges the segments of the index, which makes lookups a fifth faster. */
  settle(): void
}

/**
 * Creates the writer of names and their index of words. `isDeferred`: for an empty registry, indexing waits for
 * `indexAll`, which is much faster.
 */
function createNameWriter(database: Sqlite, isDeferred: boolean): NameWriter {
  const insert = database.prepare(
    `INSERT INTO names (legal_entity_number, packed_kind, name, tokens, full_key_end, form_class, acronym, ended_on,
       ended_source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const index = database.prepare('INSERT INTO name_index (rowid, tokens) VALUES (?, ?)')
  const list = database.prepare<[number], { number: number; tokens: string }>(
    'SELECT number, tokens FROM names WHERE legal_entity_number = ?',
  )
  // The index does not store its text: a removal has to repeat it.
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
          packNameKind(kind),
          name,
          words,
          fullKey.startsWith(coreKey) ? fullKey.slice(coreKey.length) : `=${fullKey}`,
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
      // In the order of rowids: the full-text index writes a segment whenever they go back.
      database.exec('INSERT INTO name_index (rowid, tokens) SELECT number, tokens FROM names NOT INDEXED')
    },
    settle() {
      database.exec("INSERT INTO name_index (name_index) VALUES ('optimize')")
    },
  }
}

/** Two rows of a first import have one id, which it noticed too late. It succeeds if `mayRepeat` is set. */
export class RepeatedRowError extends Error {}

/** The first ids are compared at once: this finds the repeated rows of most files early. */
const comparedIdsMax = 100_000

/** SQLite sorts as much at once as its cache may hold. Pieces that fit into a core's cache take a third less time. */
const sortedKibibytes = 2_048

function withSmallCache(database: Sqlite, work: () => void): void {
  const cacheSize = database.pragma('cache_size', { simple: true }) as number
  database.pragma(`cache_size = -${sortedKibibytes}`)
  work()
  database.pragma(`cache_size = ${cacheSize}`)
}

/** Writes names, and defers index work while the registry is empty. Ids are unindexed until the first row repeats. */
export function createBulk(database: Sqlite) {
  const isFirst = database.prepare('SELECT 1 FROM legal_entities LIMIT 1').get() === undefined
  const deferred = isFirst ? dropIndexes(database) : []
  const names = createNameWriter(database, isFirst)
  const compared = new Set<string>()
  const restore = (isRestored: (index: DeferredIndex) => boolean) => {
    withSmallCache(database, () => {
      for (const { sql } of deferred.filter(isRestored)) database.exec(sql)
    })
  }
  let areIdsIndexed = !isFirst
  let isEnded = !isFirst
  const bulk = {
    names,
    isFirst,
    /** Notes the id of a row before it is added. */
    noteId(id: string): void {
      if (areIdsIndexed || compared.size >= comparedIdsMax) return
      if (compared.has(id)) bulk.indexIds()
      else compared.add(id)
    },
    indexIds: (): void => {
      if (areIdsIndexed) return
      areIdsIndexed = true
      compared.clear()
      try {
        restore(({ isUnique }) => isUnique)
      } catch (error) {
        if (getSqliteCode(error) !== 'SQLITE_CONSTRAINT_UNIQUE') throw error
        throw new RepeatedRowError('two rows have one id', { cause: error })
      }
    },
    end: (): void => {
      bulk.indexIds()
      if (isEnded) return
      isEnded = true
      restore(({ isUnique }) => !isUnique)
      names.indexAll()
    },
  }
  return bulk
}

interface DeferredIndex {
  readonly name: string
  readonly sql: string
  readonly isUnique: boolean
}

/**
 * Drops the indexes of empty tables that an import may fill with millions of rows. Building an index at the end takes a
 * fraction of the time, because it is written in its order.
 */
function dropIndexes(database: Sqlite): DeferredIndex[] {
  const indexes = database
    .prepare<[], Omit<DeferredIndex, 'isUnique'>>(
      `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
         AND tbl_name IN ('entities', 'legal_entities', 'names', 'identifiers')`,
    )
    .all()
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  return indexes.map((index) => ({ ...index, isUnique: index.sql.startsWith('CREATE UNIQUE') }))
}

interface WordListRow {
  name_count: number
  words: Buffer
  counts: Buffer
  backward: Buffer
}

/** Stores the words of all names, so that opening the registry need not count them. */
export function writeWordList(database: Sqlite): void {
  // The lists of a large registry take hundreds of megabytes: the memory of the pages is needed for them.
  withSmallCache(database, () => {
    const { words, counts, backward } = countWords(database)
    database
      .prepare('INSERT OR REPLACE INTO word_lists VALUES (1, ?, ?, ?, ?)')
      .run(countNames(database), toBytes(words), toBytes(counts), toBytes(backward))
  })
}

/** Takes milliseconds for a million words if an import of this version has stored the list. */
export function readVocabulary(database: Sqlite): Vocabulary {
  const row = database
    .prepare<[], WordListRow>('SELECT name_count, words, counts, backward FROM word_lists')
    .get()
  if (row === undefined) return new Vocabulary(new WordList(countWords(database)), countNames(database))
  const { words, counts, backward } = row
  const lists = { words, counts: toNumbers(counts), backward: toNumbers(backward) }
  return new Vocabulary(new WordList(lists), row.name_count)
}

/** Returns a function for the weight of a word; it reads the list on first use. */
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
  return buildSortedWordLists(rows)
}

function countNames(database: Sqlite): number {
  return database.prepare<[], number>('SELECT count(*) FROM names').pluck().get() ?? 0
}

function toBytes(numbers: Uint32Array | Uint8Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

/** Copied because the numbers must be aligned. */
function toNumbers(bytes: Buffer): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer)
}

/** A company with a name that begins with the typed text. */
export interface NameBeginning {
  readonly entityNumber: number
  readonly name: string
  readonly kind: NameKind
  /** All words of the name without spaces. */
  readonly fullKey: string
  readonly isActive: boolean
  readonly isListed: boolean
  readonly hasLei: boolean
}

export type NameBeginningFinder = (fullKey: string, countMax: number) => NameBeginning[]

interface BeginningRow {
  entity_number: number
  name: string
  kind: string
  full_key: string
  is_active: number
  is_listed: number
  has_lei: number
}

/** Finds names by the beginning of all their words without spaces, including the legal form, in alphabetical order. */
export function createNameBeginningFinder(database: Sqlite): NameBeginningFinder {
  const formatExists = (type: string) =>
    `EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = l.number AND i.type = '${type}')`
  const byBeginning = database.prepare<[string, string, number], BeginningRow>(
    `SELECT l.entity_number, n.name, n.kind, n.full_key,
       l.removed_from_source = 0 AND coalesce(l.status, 'active') = 'active' AS is_active,
       ${formatExists('ticker')} AS is_listed, ${formatExists('lei')} AS has_lei
     FROM names n JOIN legal_entities l ON l.number = n.legal_entity_number
     WHERE n.full_key >= ? AND n.full_key < ? ORDER BY n.full_key, n.number LIMIT ?`,
  )
  return (fullKey, countMax) =>
    // Keys have only letters and digits, so the upper bound follows all of them.
    byBeginning.all(fullKey, `${fullKey}\u{10ffff}`, countMax).map((row) => ({
      entityNumber: row.entity_number,
      name: row.name,
      kind: row.kind as NameKind,
      fullKey: row.full_key,
      isActive: row.is_active === 1,
      isListed: row.is_listed === 1,
      hasLei: row.has_lei === 1,
    }))
}

/** Reads names by their numbers, and finds numbers by words of names: lowest first. */
interface NamesByWords {
  findByWords(slots: readonly (readonly string[])[], countMax: number): number[]
  read(numbers: readonly number[]): CandidateName[]
}

export type WordSearch = (tokens: readonly string[], vocabulary: Vocabulary) => CandidateName[]

/** Names read per way of searching. */
const searchedNamesMax = 60

/**
 * Returns a function that finds names with all of these words, the last of which may be the beginning of a word: names
 * of listed companies, names that begin with the words, then others. Each group is limited.
 */
export function createWordSearch(
  database: Sqlite,
  getNames: (vocabulary: Vocabulary) => NamesByWords,
): WordSearch {
  const byBeginning = database
    .prepare<[string, string], number>(
      `SELECT n.number FROM names n WHERE n.tokens >= ? AND n.tokens < ? LIMIT ${searchedNamesMax}`,
    )
    .pluck()
  const allListed = database.prepare<[], ListedName>(
    `SELECT DISTINCT n.number, ' ' || n.tokens || ' ' AS words FROM identifiers i
       CROSS JOIN names n ON n.legal_entity_number = i.legal_entity_number AND n.kind <> 'former'
     WHERE i.packed_type = 'ticker'`,
  )
  const listed = new WeakMap<Vocabulary, readonly ListedName[]>()
  const findListed = (tokens: readonly string[], vocabulary: Vocabulary) => {
    const names = listed.get(vocabulary) ?? allListed.all()
    listed.set(vocabulary, names)
    const parts = tokens.map((token, at) => ` ${token}${at === tokens.length - 1 ? '' : ' '}`)
    return names
      .filter(({ words }) => parts.every((part) => words.includes(part)))
      .slice(0, searchedNamesMax)
      .map(({ number }) => number)
  }
  return (tokens, vocabulary) => {
    if (tokens.length === 0) return []
    const names = getNames(vocabulary)
    const text = tokens.join(' ')
    const numbers = new Set([
      ...findListed(tokens, vocabulary),
      ...byBeginning.all(text, `${text}\u007f`),
      ...names.findByWords(listSearchedWords(tokens, vocabulary), searchedNamesMax),
    ])
    return names.read([...numbers].sort((a, b) => a - b))
  }
}

/** `words`: the words of the name, with a space before and after each. */
type ListedName = Readonly<{ number: number; words: string }>

/** Lists the words that a name must have, each with alternatives: few completions of the last word are searched as well. */
function listSearchedWords(tokens: readonly string[], vocabulary: Vocabulary): string[][] {
  const last = tokens.at(-1) ?? ''
  const completions = last.length < 3 ? [] : vocabulary.findCompletions(last)
  return [...tokens.slice(0, -1).map((token) => [token]), [last, ...completions]]
}
