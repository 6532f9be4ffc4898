import { calculateDistance, countAllowedTypos } from '../normalize/edit-distance.js'
import { isNumberWord, isLightWord } from '../normalize/normalize-name.js'
import type { Vocabulary } from './vocabulary.js'

export interface Alignment {
  /** Weighted share of words that both names have, 0 to 1. */
  readonly similarity: number
  /** Words that the other side lacks. */
  readonly queryExtra: readonly string[]
  readonly candidateExtra: readonly string[]
  /** Candidate's words that equal the query's only by a typing error or an abbreviation. */
  readonly looseWords: readonly string[]
  /** Number of loose words that the query's word continues: "Parkdean" rarely means "Park". */
  readonly shorterCount: number
  /** Number of words that differ only by a plural. */
  readonly pluralCount: number
  readonly firstAgrees: boolean
}

/**
 * Pairs the words of two names, in any order: equal words, two words written as one, abbreviations, typing errors. A
 * pair weighs as much as its words are rare.
 */
export function align(
  query: readonly string[],
  candidate: readonly string[],
  vocabulary: Vocabulary,
): Alignment {
  const openQuery = new Set(query.keys())
  const openCandidate = new Set(candidate.keys())
  let shared = 0
  const looseWords: string[] = []
  let pluralCount = 0
  let shorterCount = 0
  const take = (queryAt: readonly number[], candidateAt: readonly number[], worth: number) => {
    for (const at of queryAt) openQuery.delete(at)
    for (const at of candidateAt) openCandidate.delete(at)
    const weights = [...queryAt.map((at) => query[at]), ...candidateAt.map((at) => candidate[at])]
    shared += worth * weights.reduce((sum, word) => sum + getWordWeight(word ?? '', vocabulary), 0)
    if (worth === pluralWorth) pluralCount++
    else if (worth < 1) looseWords.push(...candidateAt.map((at) => candidate[at] ?? ''))
  }
  for (const at of query.keys()) {
    const twin = findOpen(openCandidate, (other) => candidate[other] === query[at])
    if (twin !== null) take([at], [twin], 1)
  }
  takeJoined(query, candidate, openQuery, openCandidate, take)
  for (const at of [...openQuery]) {
    const best = findLoosePair(query[at] ?? '', candidate, openCandidate)
    if (best === null) continue
    take([at], [best.at], best.worth)
    if (best.worth < pluralWorth && query[at]?.startsWith(candidate[best.at] ?? '')) shorterCount++
  }
  const total = totalWeight(query, vocabulary) + totalWeight(candidate, vocabulary)
  return {
    similarity: total === 0 ? 0 : shared / total,
    queryExtra: [...openQuery].map((at) => query[at] ?? ''),
    candidateExtra: [...openCandidate].map((at) => candidate[at] ?? ''),
    looseWords,
    pluralCount,
    shorterCount,
    firstAgrees: !openQuery.has(0) && !openCandidate.has(0),
  }
}

type TakePair = (queryAt: readonly number[], candidateAt: readonly number[], worth: number) => void

function takeJoined(
  query: readonly string[],
  candidate: readonly string[],
  openQuery: ReadonlySet<number>,
  openCandidate: ReadonlySet<number>,
  take: TakePair,
): void {
  for (const at of [...openQuery]) {
    const next = query[at + 1]
    if (next === undefined || !openQuery.has(at) || !openQuery.has(at + 1)) continue
    const joined = `${query[at] ?? ''}${next}`
    const twin = findOpen(openCandidate, (other) => candidate[other] === joined)
    if (twin !== null) take([at, at + 1], [twin], 1)
  }
  for (const at of [...openCandidate]) {
    const next = candidate[at + 1]
    if (next === undefined || !openCandidate.has(at) || !openCandidate.has(at + 1)) continue
    const joined = `${candidate[at] ?? ''}${next}`
    const twin = findOpen(openQuery, (other) => query[other] === joined)
    if (twin !== null) take([twin], [at, at + 1], 1)
  }
}

function findLoosePair(
  word: string,
  candidate: readonly string[],
  open: ReadonlySet<number>,
): { at: number; worth: number } | null {
  let best: { at: number; worth: number } | null = null
  for (const at of open) {
    const worth = scoreLoosePair(word, candidate[at] ?? '')
    if (worth > 0 && (best === null || worth > best.worth)) best = { at, worth }
  }
  return best
}

/** A word in the singular and the same word in the plural. */
const pluralWorth = 0.97

/** Returns the similarity of two words that are not equal, 0 to 1: plural, abbreviation or typo. 0 if one is a number. */
function scoreLoosePair(a: string, b: string): number {
  if (isNumberWord(a) || isNumberWord(b)) return 0
  const shorter = a.length < b.length ? a : b
  const longer = a.length < b.length ? b : a
  if (`${shorter}s` === longer || `${shorter}es` === longer) return pluralWorth
  if (shorter.length >= 3 && longer.startsWith(shorter))
    return shorter.length * 2 >= longer.length ? 0.9 : 0.8
  const distanceMax = countAllowedTypos(shorter.length)
  if (distanceMax === 0) return 0
  const distance = calculateDistance(a, b, distanceMax)
  if (distance > distanceMax) return 0
  return (distance === 1 ? 0.94 : 0.86) - (a.startsWith(b.charAt(0)) ? 0 : 0.06)
}

function findOpen(open: ReadonlySet<number>, fits: (at: number) => boolean): number | null {
  for (const at of open) if (fits(at)) return at
  return null
}

/** Returns the total weight of the words of a name. */
export function totalWeight(words: readonly string[], vocabulary: Vocabulary): number {
  return words.reduce((sum, word) => sum + getWordWeight(word, vocabulary), 0)
}

/** Light words count for less than their rarity suggests. */
const lightShare = 0.3

export function getWordWeight(word: string, vocabulary: Vocabulary): number {
  return vocabulary.weight(word) * (isLightWord(word) ? lightShare : 1)
}

/** True if two names have the same numbers, in any order and spacing: "Fund II" is not "Fund III". */
export function shareNumbers(a: readonly string[], b: readonly string[]): boolean {
  const extractNumbers = (word: string) => word.match(/\d+/g) ?? (isNumberWord(word) ? [word] : [])
  const sortNumbers = (words: readonly string[]) => words.flatMap(extractNumbers).sort().join(' ')
  return sortNumbers(a) === sortNumbers(b)
}
