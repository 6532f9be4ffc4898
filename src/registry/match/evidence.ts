import { isNumberWord } from '../normalize/normalize-name.js'
import type { CandidateName, PlaceAgreement } from './candidate.js'
import type { NameComparison } from './compare-names.js'
import type { LeftWord, Position } from './left-words.js'
import type { Separator } from './text-pieces.js'
import type { WordClass } from './word-classes.js'
import type { LocationHint } from './parse-location.js'
import type { Vocabulary } from './vocabulary.js'

/** Facts about the other companies found, on which the evidence of a name depends. */
export interface SiblingCounts {
  /** Companies with a name of the same core. */
  readonly exactCount: number
  /** Companies of the same core that agree better with the place. */
  readonly betterPlacedCount: number
  /** Companies of the same core with the legal form of the text, if this one has another. */
  readonly betterFormCount: number
  /** Companies with a name that begins with the words in common, including this one. */
  readonly prefixCount: number
  readonly listedPrefixCount: number
  /** How many of these agree with the place at least as well as this one. */
  readonly placedPrefixCount: number
  /** Companies whose names the text may be truncated from. */
  readonly completedCount: number
  /** How many of these belong to a series, with the number cut off. */
  readonly seriesCount: number
  /**
   * Companies whose names begin with the first two words of the text: the more, the likelier a missing one is meant.
   */
  readonly familyCount: number
  /** No other company has the rarest word in common in its name. */
  readonly ownsRarestWord: boolean
}

/** The evidence for one company and one query. */
export interface Evidence {
  readonly comparison: NameComparison
  readonly place: PlaceAgreement
  readonly hint: LocationHint | null
  readonly siblings: SiblingCounts
  /** Number of context words that the company's facts contain, apart from its name. */
  readonly contextCount: number
  /** Rarity of a word in the registry. */
  readonly weigh: (word: string) => number
}

/**
 * The kind of evidence for an answer. `exact`: the text is the name. `within`: the text has more words. `part`: the name has more
 * words. `both`: each has more. `fuzzy`: words are spelled otherwise.
 */
export const evidenceKinds = ['exact', 'within', 'part', 'both', 'fuzzy'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

export function classifyEvidence({
  comparison: { looseWords, queryLeftover: q, nameLeftover: n, matchType },
}: Pick<Evidence, 'comparison'>): EvidenceKind {
  if (looseWords.length > 0 && matchType !== 'completed') return 'fuzzy'
  const isMore = q.hard + q.soft + q.light + q.number + q.place > 0
  const isLess = n.hard + n.soft + n.light + n.number + n.place > 0
  if (isMore && isLess) return 'both'
  if (isMore) return 'within'
  return isLess || matchType !== 'exact' ? 'part' : 'exact'
}

/**
 * Other companies whose names fit a text as well, among 100,000 names: averages, counted in registers of that size by the
 * number of words and whether all of them are usual in names. `whole`: the text is the whole name; `part`: another match.
 */
const likeNames = {
  whole: { oneUsual: 0.3, oneRare: 0.04, allUsual: 0.06, someRare: 0.02 },
  part: { oneUsual: 10, oneRare: 0.8, allUsual: 9, someRare: 0.3 },
} as const

/** Returns how many companies that fit the text as well a small registry lacks, on average; 0 from 100,000 names. */
export function estimateUnseenRivals(
  { candidate: { tokens }, sharedCount, matchType }: NameComparison,
  vocabulary: Vocabulary,
): number {
  const counts = likeNames[matchType === 'exact' || matchType === 'completed' ? 'whole' : 'part']
  const isUsual = tokens.every((word) => vocabulary.isUsual(word))
  const count =
    sharedCount <= 1 ? counts[isUsual ? 'oneUsual' : 'oneRare'] : counts[isUsual ? 'allUsual' : 'someRare']
  return count * vocabulary.unseenShare
}

/** Higher ranks agree better. */
const placeRank = {
  postal: 4,
  city: 3,
  region: 2,
  country: 1,
  none: 1,
  registered_there: 1,
  registered_elsewhere: 1,
  form_of_country: 1,
  town_abroad: 1,
  region_conflict: 0,
  country_conflict: 0,
} as const satisfies Record<PlaceAgreement, number>

/** Evidence before the other companies were counted. */
export type EvidencePair = Omit<Evidence, 'siblings'>

interface PlacedCompany {
  readonly rank: number
  readonly isListed: boolean
}

/** Counts the companies with the same name, with a name that begins alike, and with a name the text may be truncated from. */
export function countSiblings(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (pair: EvidencePair) => SiblingCounts {
  const exact = new Map<string, Map<number, number>>()
  const formed = new Map<string, Set<number>>()
  const completed = new Set<number>()
  const series = new Set<number>()
  const beginnings = new Map<string, Map<number, PlacedCompany>>()
  for (const { comparison, place } of pairs) {
    const { matchType, candidate, isTruncated, isOneOfSeries, text, form, isFormStated } = comparison
    if (matchType === 'exact') {
      raiseRank(
        getOrCreate(exact, candidate.coreKey, () => new Map<number, number>()),
        candidate,
        placeRank[place],
      )
      if (form === 'same' && isFormStated)
        getOrCreate(formed, candidate.coreKey, () => new Set<number>()).add(candidate.entityNumber)
    }
    if (matchType === 'completed') completed.add(candidate.entityNumber)
    // A text that ends with a number identifies one member of the series.
    if (isTruncated && isOneOfSeries && !isNumberWord(text.words.at(-1)?.text ?? ''))
      series.add(candidate.entityNumber)
    const head = getHead(comparison)
    if (head === null) continue
    const companies = getOrCreate(beginnings, head, () => new Map<number, PlacedCompany>())
    const rank = Math.max(companies.get(candidate.entityNumber)?.rank ?? 0, placeRank[place])
    companies.set(candidate.entityNumber, { rank, isListed: candidate.prominence.isListed })
  }
  const ownsWord = createOwnershipCheck(pairs, vocabulary)
  const familyCount = countFamily(pairs)
  const headCounts = new Map([...beginnings].map(([head, companies]) => [head, countPlaced(companies)]))
  return ({ comparison, place }) => {
    const { candidate, rarestWord, form } = comparison
    const head = getHead(comparison)
    const {
      count = 0,
      listedCount = 0,
      countFrom = [],
    } = (head === null ? undefined : headCounts.get(head)) ?? {}
    const sameForm = formed.get(candidate.coreKey)?.size ?? 0
    return {
      exactCount: exact.get(candidate.coreKey)?.size ?? 0,
      betterPlacedCount: countBetter(exact.get(candidate.coreKey), candidate, placeRank.region),
      betterFormCount: form === 'same' ? 0 : sameForm,
      completedCount: completed.size,
      seriesCount: series.size,
      familyCount,
      prefixCount: Math.max(1, count),
      listedPrefixCount: listedCount,
      placedPrefixCount: countFrom[placeRank[place]] ?? 0,
      ownsRarestWord: rarestWord !== null && ownsWord(candidate.entityNumber, rarestWord),
    }
  }
}

/** The words of the name that the text has, if the name begins with them. */
function getHead({ alignment, candidate, isTailMissing }: NameComparison): string | null {
  if (alignment.missing.length > 0 && !isTailMissing) return null
  return candidate.tokens.slice(0, candidate.tokens.length - alignment.missing.length).join(' ')
}

/** Counts the companies, the listed ones, and those with at least each rank of place. */
function countPlaced(companies: ReadonlyMap<number, PlacedCompany>) {
  const placed = [...companies.values()]
  return {
    count: placed.length,
    listedCount: placed.filter(({ isListed }) => isListed).length,
    countFrom: Array.from(
      { length: placeRank.postal + 1 },
      (_, least) => placed.filter(({ rank }) => rank >= least).length,
    ),
  }
}

/** The registration with the best place counts for a company. */
function raiseRank(ranks: Map<number, number>, { entityNumber }: CandidateName, rank: number): void {
  ranks.set(entityNumber, Math.max(ranks.get(entityNumber) ?? 0, rank))
}

/** Counts companies with at least `rankMin` and a better place than this one: sharing a country is not distinctive. */
function countBetter(
  ranks: ReadonlyMap<number, number> = new Map(),
  { entityNumber }: CandidateName,
  rankMin: number,
): number {
  const own = ranks.get(entityNumber) ?? 0
  return [...ranks.values()].filter((rank) => rank >= rankMin && rank > own).length
}

/** Counts companies whose names begin with the first two words of the text, as in a family of funds. */
function countFamily(pairs: readonly EvidencePair[]): number {
  const [first, second] = (pairs[0]?.comparison.text.words ?? []).filter(
    ({ wordClass }) => wordClass !== 'stop',
  )
  if (first === undefined || second === undefined) return 0
  const members = pairs.filter(
    ({ comparison: { candidate } }) =>
      candidate.tokens[0] === first.text && candidate.tokens[1] === second.text,
  )
  return new Set(members.map(({ comparison }) => comparison.candidate.entityNumber)).size
}

/** Returns a check whether one company has all names with a word, as far as they were found. */
function createOwnershipCheck(
  pairs: readonly EvidencePair[],
  vocabulary: Vocabulary,
): (entityNumber: number, word: string) => boolean {
  const names = new Map<number, Set<CandidateName>>()
  for (const { comparison } of pairs)
    getOrCreate(names, comparison.candidate.entityNumber, () => new Set()).add(comparison.candidate)
  return (entityNumber, word) => {
    const total = vocabulary.countNames(word)
    if (vocabulary.estimateCount(word) > ownedNamesMax) return false
    const own = [...(names.get(entityNumber) ?? [])].filter(({ tokens }) => tokens.includes(word))
    return own.length >= total
  }
}

/** A word in more names belongs to several companies. */
const ownedNamesMax = 8

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** A value of the evidence, as the model weighs it. */
export type Feature = (evidence: Evidence) => number | boolean

export const cap = (value: number, max: number): number => Math.min(value, max)
export const toTenths = (weight: number, max: number): number => cap(weight, max) / 10

/** Number of words left over, of some classes at some position. */
export function countLeft(position: Position, ...classes: WordClass[]): Feature {
  return ({ comparison: { left } }) => {
    let count = 0
    for (const word of left)
      if (word.position === position && word.role === null && classes.includes(word.word.wordClass)) count++
    return cap(count, 3)
  }
}
/** The telling words behind the name begin after a sign. */
export const isLeftAfter = (separator: Separator): Feature => {
  return ({ comparison: { left, text, alignment } }) =>
    text.words[alignment.end]?.separator === separator &&
    left.some(
      ({ word, position, role }) => position === 'behind' && role === null && word.wordClass === 'telling',
    )
}
/** Telling words between the name and the legal form: "Norvane Oval Ltd" is not Norvane Ltd. */
export const isTellingBeforeForm = ({
  comparison: { left, alignment, statedForm, isFormStated },
}: Evidence) =>
  isFormStated &&
  statedForm !== null &&
  left.some(
    ({ word, at, role }) =>
      role === null &&
      at >= alignment.end &&
      at < statedForm.at &&
      (word.wordClass === 'telling' || word.wordClass === 'body'),
  )
/** A word of one of the classes is left over, at some position or anywhere. */
export const hasLeft = (classes: readonly WordClass[], at?: Position): Feature => {
  return ({ comparison: { left } }) =>
    left.some(
      ({ word, position, role }) =>
        role === null && classes.includes(word.wordClass) && (at === undefined || position === at),
    )
}
export const countRole = (role: LeftWord['role']): Feature => {
  return ({ comparison: { left } }) => cap(left.filter((word) => word.role === role).length, 3)
}
export const weighLeft = (position: Position): Feature => {
  return ({ comparison: { left }, weigh }) =>
    toTenths(
      left.reduce(
        (total, word) =>
          word.position === position && word.role === null && word.word.wordClass === 'telling'
            ? total + weigh(word.word.text)
            : total,
        0,
      ),
      25,
    )
}
