import type { Sqlite } from '../../platform/sqlite.js'
import type { CandidateName } from '../match/candidate.js'
import { findSynonym, joinNumber, listNumberSpellings } from '../match/compare-words.js'
import { findCountryAtEnd } from '../match/place-readings.js'
import type { QueryText, TextWord } from '../match/query-text.js'
import type { Vocabulary } from '../match/vocabulary.js'
import type { WordClass } from '../match/word-classes.js'
import { matchLimits, type searchLimits } from '../model/limits.js'
import { listWritten, type Writings } from '../match/other-writings.js'
import { unknownLetter } from '../normalize/clean-text.js'
import { isGenericWord, isJoiningWord } from '../normalize/normalize-name.js'
import { prepareCandidates, toCandidateName, type CandidateNames } from './candidate-names.js'

/** Finds candidate names for a query. */
export interface CandidateFinder {
  readonly find: (texts: readonly QueryText[], vocabulary: Vocabulary, writings?: Writings) => CandidateName[]
}

type FinderLimits = Readonly<Record<keyof typeof searchLimits, number>>

/** Classes of words that registered names have. */
const nameClasses: ReadonlySet<WordClass> = new Set([
  'telling',
  'generic',
  'light',
  'place',
  'number',
  'letter',
  'code',
  'form',
  'body',
  'estate',
])
/** Classes whose words are searched for with their spellings. */
const searchedClasses: ReadonlySet<WordClass> = new Set([
  'telling',
  'generic',
  'place',
  'light',
  'code',
  'department',
  'site',
  'body',
  'estate',
  'security',
  'exchange',
])

/**
 * Searches by the keys of all pieces of the text, by initials and beginnings, and by pairs of the rarest words with the words
 * that they may stand for. SQL does not rank: the names with the most in common are kept.
 */
export function createCandidateFinder(
  database: Sqlite,
  getNames: (vocabulary: Vocabulary) => CandidateNames,
  limits: FinderLimits = matchLimits,
): CandidateFinder {
  const prepare = (where: string, max = limits.candidateNamesMax) =>
    database.prepare<string[], number>(`SELECT n.number FROM names n WHERE ${where} LIMIT ${max}`).pluck()
  const byCore = prepare('n.core_key = ?', keyNamesMax)
  // The second condition enables the partial index.
  const byAcronym = prepare("n.acronym = ? AND n.acronym <> ''", keyNamesMax)
  const byCoreBeginning = prepare('n.core_key >= ? AND n.core_key < ?', joinedNamesMax)
  const byStem = prepare('n.full_key >= ? AND n.full_key < ?', keyNamesMax)
  const byBeginning = prepare('n.tokens >= ? AND n.tokens < ?')
  return {
    find(texts, vocabulary, writings) {
      const names = getNames(vocabulary)
      const found = new Set<number>()
      const add = (numbers: readonly number[]) => {
        for (const number of numbers) found.add(number)
      }
      const searched = new Set<string>()
      for (const text of texts) {
        for (const key of listKeys(text, vocabulary)) {
          if (searched.has(key)) continue
          searched.add(key)
          add(byCore.all(key))
          if (key.length <= initialsMax && key.length >= 2) add(byAcronym.all(key))
        }
        for (const word of listUnknown(text, vocabulary)) add(byCoreBeginning.all(word, `${word}\u007f`))
        const head = listHead(text)
        if (isUsefulHead(head)) add(byBeginning.all(`${head.join(' ')} `, `${head.join(' ')}!`))
        if (text.fullKey.length >= stemCharsMin) add(byStem.all(text.fullKey, `${text.fullKey}\u007f`))
      }
      const sure = new Set(found)
      const share = Math.ceil(limits.namesByWordsMax / texts.length)
      for (const { words } of texts) {
        const enough = found.size + share
        let readsLeft = clauseReadsMax
        for (const clause of buildWordClauses(words, vocabulary, writings)) {
          if (found.size >= enough) break
          const readCount = names.estimateReads(clause, limits.clauseNamesMax)
          if (readCount > readsLeft && found.size > 0) continue
          readsLeft -= readCount
          add(names.findByWords(clause, limits.clauseNamesMax))
        }
      }
      const read = names.read([...found].slice(0, limits.candidateNamesMax + keyNamesMax))
      return keepClosest(read, sure, { texts, writings }, vocabulary)
    },
  }
}

/** Returns a function that reads the names of a company by its number. */
export function createCompanyNames(database: Sqlite): (entityNumber: number) => CandidateName[] {
  const ofCompany = prepareCandidates(database, `l.entity_number = ? LIMIT ${matchLimits.candidateNamesMax}`)
  return (entityNumber) => ofCompany.all(entityNumber).map(toCandidateName)
}

/** Entries of the word index that are read for one text if there are other candidates. Only large registries have more. */
const clauseReadsMax = 150_000
/** More companies of one name are not told apart by it. */
const keyNamesMax = 40
const [initialsMax, stemCharsMin] = [6, 10]
const [pieceWordsMax, pieceStartsMax] = [6, 12]
/** A single unknown word of this length may be several words of a name, written as one. */
const joinedCharsMin = 6
const joinedNamesMax = 12

/** Lists keys of pieces of the text that may be whole names. */
function listKeys({ words, coreKey, forms }: QueryText, vocabulary: Vocabulary): Set<string> {
  const keys = new Set([coreKey])
  // A core key has no joining words.
  const told = words.filter(
    ({ wordClass, text }) =>
      !isJoiningWord(text) && (wordClass !== 'stop' || vocabulary.countNames(text) > 0),
  )
  const inForm = new Set(forms.map(({ at }) => words[at]))
  for (let from = 0; from < Math.min(told.length, pieceStartsMax); from++) {
    let [key, bareKey] = ['', '']
    let isKnown = true
    for (let end = from; end < Math.min(told.length, from + pieceWordsMax); end++) {
      const word = told[end]
      if (word === undefined) break
      key += word.text
      bareKey += word.folded
      isKnown &&= vocabulary.countNames(word.text) > 0
      const isJoin = end > from ? end - from <= 2 : word.text.length >= joinedCharsMin
      if (key.length < 2 || (!isKnown && !isJoin)) continue
      const isWord = !/^(?:number|date|stop)$/.test(word.wordClass) && !inForm.has(word)
      if (end === from && !isWord) continue
      keys.add(key)
      // "SYSTEM 2" is "SYSTEM2", not "SYSTEMS2".
      if (end > from) keys.add(bareKey)
    }
  }
  return keys
}

/** Lists words of no registered name, which may be the first words of a name, written as one: "larkmoorfoods". */
const listUnknown = ({ words }: QueryText, vocabulary: Vocabulary): string[] =>
  words
    .filter(
      ({ text, wordClass }) =>
        wordClass === 'telling' && text.length >= joinedCharsMin && vocabulary.countNames(text) === 0,
    )
    .map(({ text }) => text)

/** The words at the beginning of the text that may be those of a name. */
function listHead({ words }: QueryText): string[] {
  const head: string[] = []
  for (const { text, wordClass } of words) {
    if (wordClass === 'stop' || wordClass === 'description') continue
    if (!nameClasses.has(wordClass) || wordClass === 'form') break
    head.push(text)
  }
  return head
}

/** Too many names begin with a single generic word. */
const isUsefulHead = (head: readonly string[]): boolean =>
  head.length > 0 && head.join('').length >= 2 && !(head.length === 1 && isGenericWord(head[0] ?? ''))

/** More than two rare words: a name that is written as one has no word in common. */
const pieceKeyPoints = 20

/** Keeps the names that share the most with a text, and those found by a key. */
function keepClosest(
  names: readonly CandidateName[],
  sure: ReadonlySet<number>,
  { texts, writings }: { readonly texts: readonly QueryText[]; readonly writings: Writings | undefined },
  vocabulary: Vocabulary,
): CandidateName[] {
  if (names.length <= matchLimits.alignedNamesMax) return [...names]
  const words = new Set(
    texts.flatMap((text) => text.words.flatMap((word) => listSpellings(word, false, vocabulary, writings))),
  )
  const rate = ({ tokens }: CandidateName) => {
    let [shared, missing] = [0, 0]
    for (const token of new Set(tokens)) {
      const weight = vocabulary.weight(token)
      if (words.has(token)) shared += weight
      else missing += weight
    }
    return shared - 0.35 * missing + (missing === 0 && tokens.length > 1 ? pieceKeyPoints : 0)
  }
  const whole = new Set(texts.map(({ coreKey }) => coreKey))
  const keys = new Set(texts.flatMap((text) => [...listKeys(text, vocabulary)]))
  const rateKey = (key: string) => (whole.has(key) ? 100 : keys.has(key) ? pieceKeyPoints : 0)
  return names
    .map((name) => ({ name, points: rate(name) + rateKey(name.coreKey) }))
    .sort((a, b) => b.points - a.points)
    .slice(0, matchLimits.alignedNamesMax + Math.min(sure.size, keyNamesMax))
    .map(({ name }) => name)
}

/** A word in more names is only looked up together with a second one; a rarer one may be a misspelling. */
const [aloneNamesMax, rareNamesMax] = [60, 3]
const [slotsMax, rareSpellingNamesMax] = [6, 15]

/** The words of some slots: a name must have one word of each. */
type WordClause = readonly (readonly string[])[]

/** Builds clauses of the rarest words, fewest names first, so common words do not fill the limit. */
export function buildWordClauses(
  words: readonly TextWord[],
  vocabulary: Vocabulary,
  writings: Writings = [],
): WordClause[] {
  const last = words.length - 1
  const slots = [
    ...words.map((word, at) => buildSlot(word, at === last, vocabulary, writings)),
    ...listJoins(words, vocabulary),
  ]
    .filter((slot) => slot.spellings.length > 0)
    .sort((a, b) => a.nameCount - b.nameCount)
    .slice(0, slotsMax)
  const [only, second] = slots
  if (second === undefined) return only === undefined ? [] : [[only.spellings]]
  // The name may write the country in another way.
  const country = findCountryAtEnd(words.map(({ folded }) => folded))
  const others =
    country === null ? [] : buildWordClauses(words.slice(0, -country.count), vocabulary, writings)
  const clauses = slots
    .flatMap((slot, at) => [
      ...listRare(slot, vocabulary),
      ...buildClauses([slot], slot.nameCount, slots.slice(at + 1), Math.max(1, vocabulary.namesTotal)),
    ])
    // Words that stand together in many names are not independent: a rare word is read first, on its own.
    .sort((a, b) => Math.min(a.words.length, 2) - Math.min(b.words.length, 2) || a.nameCount - b.nameCount)
    .map(({ words: clause }) => clause)
  return [...clauses, ...others]
}

interface Clause {
  readonly words: WordClause
  readonly nameCount: number
}

/** `nameCount`: expected number of names with all picked words, if the words are independent. */
function buildClauses(
  picked: readonly Slot[],
  nameCount: number,
  others: readonly Slot[],
  namesTotal: number,
): Clause[] {
  const isAlone = picked.length === 1
  if (
    nameCount <= (isAlone ? aloneNamesMax : matchLimits.clauseNamesMax) ||
    (!isAlone && others.length === 0)
  )
    return [{ words: picked.map(({ spellings }) => spellings), nameCount }]
  return others.flatMap((other, at) =>
    buildClauses(
      [...picked, other],
      (nameCount * other.nameCount) / namesTotal,
      others.slice(at + 1),
      namesTotal,
    ),
  )
}

/** The rare words that one of a text may stand for: frequent ones, as of a short form, would leave them no place. */
function listRare({ spellings, nameCount }: Slot, vocabulary: Vocabulary): Clause[] {
  if (nameCount <= aloneNamesMax || spellings.length < 2) return []
  const rare = spellings.filter((word) => vocabulary.countNames(word) <= rareSpellingNamesMax)
  const { nameCount: count } = toSlot(rare, vocabulary)
  return count > 0 && count <= aloneNamesMax ? [{ words: [rare], nameCount: count }] : []
}

interface Slot {
  /** A known word, and words that it may be a misspelling, an abbreviation or the beginning of. */
  spellings: readonly string[]
  nameCount: number
}

function buildSlot(word: TextWord, isLast: boolean, vocabulary: Vocabulary, writings: Writings): Slot {
  const { text, wordClass } = word
  const found = searchedClasses.has(wordClass) ? listSpellings(word, isLast, vocabulary, writings) : []
  // "LY-4864 Fund I": the number of one of a series.
  const number = /^(?:number|code)$/.test(wordClass) ? text.replace(/^[a-z]{1,3}(?=\d{3})/, '') : ''
  return toSlot(number.length > 2 ? [...found, number] : found, vocabulary)
}

/** Lists two words that registered names have as one: "JP Morgan" is "JPMorgan", "twenty first" is "21st". */
function listJoins(words: readonly TextWord[], vocabulary: Vocabulary): Slot[] {
  return words.flatMap((word, at): Slot[] => {
    const next = words[at + 1]
    if (next === undefined) return []
    const digits = joinNumber(word.text, next.text)
    const joined = [word.text + next.text, ...(digits === undefined ? [] : listNumberSpellings(digits))]
    return [toSlot(joined, vocabulary)]
  })
}

function toSlot(words: readonly string[], vocabulary: Vocabulary): Slot {
  const spellings = words.filter((word) => vocabulary.countNames(word) > 0)
  return { spellings, nameCount: spellings.reduce((sum, word) => sum + vocabulary.countNames(word), 0) }
}

/** The plural or the singular, and no other word: "gas", "Paris". */
const listPlurals = (word: string): string[] =>
  word.length < 5 ? [] : [word.replace(/s?$/, (end) => (end === '' ? 's' : '')), swapEnding(word)]
const swapEnding = (word: string) => word.replace(/(ies|y)$/, (end) => (end === 'y' ? 'ies' : 'y'))

/** Lists the words of registered names that a word of a text may stand for. */
function listSpellings(
  { text, folded, isSpoken }: TextWord,
  isLast: boolean,
  vocabulary: Vocabulary,
  writings: Writings = [],
): readonly string[] {
  if (text.includes(unknownLetter))
    return [
      ...vocabulary.findExpansions(text),
      ...vocabulary.findSpellings(text.replaceAll(unknownLetter, '')),
    ]
  const known = vocabulary.countNames(text)
  const spellings = new Set(known > 0 ? [text] : [])
  const synonym = findSynonym(text) ?? findSynonym(folded)
  if (synonym !== undefined && vocabulary.countNames(synonym) > 0) spellings.add(synonym)
  const closed = text
    .replace(/(?<![aeoq])([aou])e/g, '$1')
    .replace(/aa/g, 'a')
    .replace(/dj/g, 'd')
  for (const other of [closed, ...listPlurals(text)])
    if (vocabulary.countNames(other) > 0) spellings.add(other)
  if (known >= rareNamesMax) return [...spellings]
  for (const word of vocabulary.findSpellings(text)) spellings.add(word)
  for (const word of listWritten(text, writings, vocabulary.hasBeginning))
    if (vocabulary.countNames(word) > 0) spellings.add(word)
  if (known === 0) {
    if (isSpoken) for (const word of vocabulary.findSounds(folded)) spellings.add(word)
    for (const word of vocabulary.findExpansions(text)) spellings.add(word)
    if (isLast && text.length >= 3) for (const word of vocabulary.findCompletions(text)) spellings.add(word)
  }
  return [...spellings]
}
