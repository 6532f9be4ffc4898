import type { Sqlite } from '../../platform/sqlite.js'
import type { CandidateName } from '../match/candidate.js'
import { matchLimits, type searchLimits } from '../model/limits.js'
import type { NameVariant } from '../normalize/name-variants.js'
import { isGenericWord, isNumberWord } from '../normalize/normalize-name.js'
import type { Vocabulary } from '../match/vocabulary.js'
import { prepareCandidates, toCandidateName, type CandidateNames } from './candidate-names.js'

/** Finds candidate names for a query. */
export interface CandidateFinder {
  /** Also searches by the rarest words and their spellings, unless the names found without are enough. */
  readonly find: (
    variants: readonly NameVariant[],
    vocabulary: Vocabulary,
    isEnough?: (found: readonly CandidateName[]) => boolean,
  ) => CandidateName[]
}

type FinderLimits = Readonly<Record<keyof typeof searchLimits, number>>

/**
 * Searches by exact keys, initials, prefixes and heads of the query; if these names are not enough, also by pairs of the
 * rarest words with their known spellings. SQL does not rank: the matcher does.
 */
export function createCandidateFinder(
  database: Sqlite,
  getNames: (vocabulary: Vocabulary) => CandidateNames,
  limits: FinderLimits = matchLimits,
): CandidateFinder {
  const prepare = (where: string) =>
    database
      .prepare<string[], number>(
        `SELECT n.number FROM names n WHERE ${where} LIMIT ${limits.candidateNamesMax}`,
      )
      .pluck()
  const byCore = prepare('n.core_key = ?')
  // The second condition enables the partial index.
  const byAcronym = prepare("n.acronym = ? AND n.acronym <> ''")
  const byStem = prepare('n.full_key >= ? AND n.full_key < ?')
  const byPrefix = prepare('n.tokens >= ? AND n.tokens < ?')
  return {
    find(variants, vocabulary, isEnough = () => true) {
      const names = getNames(vocabulary)
      const found = new Set<number>()
      const listFound = () => names.read([...found].slice(0, limits.candidateNamesMax))
      // Variants and heads often share their key.
      const searched = new Set<string>()
      const addByCore = (key: string) => {
        if (searched.has(key)) return
        searched.add(key)
        add(byCore.all(key))
      }
      const add = (numbers: readonly number[]) => {
        for (const number of numbers) found.add(number)
      }
      for (const variant of variants) {
        addByCore(variant.coreKey)
        const isInitials = variant.tokens.length === 1 && variant.coreKey.length <= 6
        if (isInitials) add(byAcronym.all(variant.coreKey))
      }
      for (const variant of variants) {
        if (isUsefulPrefix(variant)) {
          const head = variant.tokens.join(' ')
          add(byPrefix.all(`${head} `, `${head}!`))
        }
        if (variant.kind === 'whole') for (const key of listHeadKeys(variant.tokens)) addByCore(key)
      }
      const [whole] = variants
      if (whole === undefined) return []
      const isExact = names.read([...found]).some(({ coreKey }) => coreKey === whole.coreKey)
      const isStem = whole.fullKey.length >= 10 && (!isExact || whole.cut !== 'nowhere')
      if (isStem) add(byStem.all(whole.fullKey, `${whole.fullKey}\u007f`))
      const likely = listFound()
      if (isEnough(likely)) return likely
      // Alternative readings of the whole text are equally likely and share the limit.
      const wholes = variants.filter(({ kind }, at) => at === 0 || kind === 'whole' || kind === 'mended')
      const share = Math.ceil(limits.namesByWordsMax / wholes.length)
      for (const { tokens } of wholes) {
        const enough = found.size + share
        for (const clause of buildWordClauses(tokens, vocabulary)) {
          if (found.size >= enough) break
          add(names.findByWords(clause, limits.clauseNamesMax))
        }
      }
      return listFound()
    },
  }
}

/** Returns a function that reads the names of a company by its number. */
export function createCompanyNames(database: Sqlite): (entityNumber: number) => CandidateName[] {
  const ofCompany = prepareCandidates(database, `l.entity_number = ? LIMIT ${matchLimits.candidateNamesMax}`)
  return (entityNumber) => ofCompany.all(entityNumber).map(toCandidateName)
}

/** Heads of a query that may be a whole name: "Larkmoor Inflight Catering" begins with "Larkmoor". */
const headWordsMax = 4

function listHeadKeys(tokens: readonly string[]): string[] {
  const keys: string[] = []
  for (let count = Math.min(headWordsMax, tokens.length - 1); count >= 1; count--) {
    const head = tokens.slice(0, count)
    if (!head.every(isGenericWord) && !head.every(isNumberWord)) keys.push(head.join(''))
  }
  return keys
}

/** Too many names begin with a single generic word. */
function isUsefulPrefix({ tokens, coreKey }: NameVariant): boolean {
  return coreKey.length >= 2 && !(tokens.length === 1 && isGenericWord(tokens[0] ?? ''))
}

/** A word in more names is only looked up together with a second one. */
const aloneNamesMax = 60
const slotsMax = 4

/** The words of some slots: a name must have one word of each. */
type WordClause = readonly (readonly string[])[]

/** Builds clauses of the rarest words, fewest names first, so common words do not fill the limit. */
export function buildWordClauses(tokens: readonly string[], vocabulary: Vocabulary): WordClause[] {
  const slots = tokens
    .map((token, index) => buildSlot(token, index === tokens.length - 1, vocabulary))
    .filter((slot) => slot.spellings.length > 0)
    .sort((a, b) => a.nameCount - b.nameCount)
    .slice(0, slotsMax)
  const [only, second] = slots
  if (only === undefined) return []
  if (second === undefined) return [[only.spellings]]
  return slots
    .flatMap((slot, at) =>
      buildClauses([slot], slot.nameCount, slots.slice(at + 1), Math.max(1, vocabulary.namesTotal)),
    )
    .sort((a, b) => a.nameCount - b.nameCount)
    .map(({ words }) => words)
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

interface Slot {
  /** A known word, or words that it may be a misspelling or the beginning of. */
  spellings: string[]
  nameCount: number
}

function buildSlot(token: string, isLast: boolean, vocabulary: Vocabulary): Slot {
  const known = vocabulary.countNames(token)
  const spellings = known > 0 ? [token] : []
  // A rare word may be a misspelling of a common one; the last word may be truncated.
  if (known < 3) spellings.push(...vocabulary.findSpellings(token))
  if (known === 0 && isLast && token.length >= 3) spellings.push(...vocabulary.findCompletions(token))
  return { spellings, nameCount: spellings.reduce((sum, word) => sum + vocabulary.countNames(word), 0) }
}
