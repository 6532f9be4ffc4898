import { calculateDistance, countAllowedTypos } from '../../core/edit-distance.js'
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
  const queryWeights = query.map((word) => getWordWeight(word, vocabulary))
  const nameWeights = candidate.map((word) => getWordWeight(word, vocabulary))
  const openQuery = query.map(() => true)
  const openName = candidate.map(() => true)
  let shared = 0
  const looseWords: string[] = []
  let pluralCount = 0
  let shorterCount = 0
  const take: TakePair = (queryAt, nameAt, worth, queryEnd = queryAt + 1, nameEnd = nameAt + 1) => {
    let weight = 0
    for (let at = queryAt; at < queryEnd; at++) {
      openQuery[at] = false
      weight += queryWeights[at] ?? 0
    }
    for (let at = nameAt; at < nameEnd; at++) {
      openName[at] = false
      weight += nameWeights[at] ?? 0
      if (worth < pluralWorth) looseWords.push(candidate[at] ?? '')
    }
    shared += worth * weight
    if (worth === pluralWorth) pluralCount++
  }
  for (let at = 0; at < query.length; at++) {
    const twin = findOpen(candidate, openName, query[at])
    if (twin >= 0) take(at, twin, 1)
  }
  takeJoined(query, candidate, openQuery, openName, take)
  for (let at = 0; at < query.length; at++) {
    if (openQuery[at] !== true) continue
    const word = query[at] ?? ''
    const best = findLoosePair(word, candidate, openName)
    if (best === null) continue
    take(at, best.at, best.worth)
    if (best.worth < pluralWorth && word.startsWith(candidate[best.at] ?? '')) shorterCount++
  }
  const total = sum(queryWeights) + sum(nameWeights)
  return {
    similarity: total === 0 ? 0 : shared / total,
    queryExtra: query.filter((_, at) => openQuery[at]),
    candidateExtra: candidate.filter((_, at) => openName[at]),
    looseWords,
    pluralCount,
    shorterCount,
    firstAgrees: openQuery[0] !== true && openName[0] !== true,
  }
}

const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0)

/** Pairs words of the query with words of the name. Without an end, one word. */
type TakePair = (queryAt: number, nameAt: number, worth: number, queryEnd?: number, nameEnd?: number) => void

/** Pairs two words of one side with one word of the other. */
function takeJoined(
  query: readonly string[],
  candidate: readonly string[],
  openQuery: readonly boolean[],
  openName: readonly boolean[],
  take: TakePair,
): void {
  for (let at = 0; at + 1 < query.length; at++) {
    if (openQuery[at] !== true || openQuery[at + 1] !== true) continue
    const twin = findOpen(candidate, openName, `${query[at] ?? ''}${query[at + 1] ?? ''}`)
    if (twin >= 0) take(at, twin, 1, at + 2)
  }
  for (let at = 0; at + 1 < candidate.length; at++) {
    if (openName[at] !== true || openName[at + 1] !== true) continue
    const twin = findOpen(query, openQuery, `${candidate[at] ?? ''}${candidate[at + 1] ?? ''}`)
    if (twin >= 0) take(twin, at, 1, twin + 1, at + 2)
  }
}

function findLoosePair(
  word: string,
  candidate: readonly string[],
  open: readonly boolean[],
): { at: number; worth: number } | null {
  let best: { at: number; worth: number } | null = null
  for (let at = 0; at < candidate.length; at++) {
    if (open[at] !== true) continue
    const worth = scoreLoosePair(word, candidate[at] ?? '')
    if (worth > 0 && (best === null || worth > best.worth)) best = { at, worth }
  }
  return best
}

/** Returns the place of the first open word that is equal, or -1. */
function findOpen(words: readonly string[], open: readonly boolean[], word: string | undefined): number {
  let at = words.indexOf(word ?? '')
  while (at >= 0 && open[at] !== true) at = words.indexOf(word ?? '', at + 1)
  return at
}

/** A word in the singular and the same word in the plural. */
const pluralWorth = 0.97

/** Returns the similarity of two words that are not equal, 0 to 1: plural, abbreviation or typo. 0 if one is a number. */
function scoreLoosePair(a: string, b: string): number {
  const worth = compareSpelling(a, b)
  return worth === 0 || isNumberWord(a) || isNumberWord(b) ? 0 : worth
}

function compareSpelling(a: string, b: string): number {
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (longer.startsWith(shorter)) {
    const rest = longer.length - shorter.length
    if ((rest === 1 && longer.endsWith('s')) || (rest === 2 && longer.endsWith('es'))) return pluralWorth
    if (shorter.length >= 3) return shorter.length * 2 >= longer.length ? 0.9 : 0.8
  }
  const distanceMax = countAllowedTypos(shorter.length)
  if (distanceMax === 0) return 0
  const distance = calculateDistance(a, b, distanceMax)
  if (distance > distanceMax) return 0
  return (distance === 1 ? 0.94 : 0.86) - (a.startsWith(b.charAt(0)) ? 0 : 0.06)
}

/** Returns the total weight of the words of a name. */
export function totalWeight(words: readonly string[], vocabulary: Vocabulary): number {
  return words.reduce((total, word) => total + getWordWeight(word, vocabulary), 0)
}

/** Light words count for less than their rarity suggests. */
const lightShare = 0.3

export function getWordWeight(word: string, vocabulary: Vocabulary): number {
  return vocabulary.weight(word) * (isLightWord(word) ? lightShare : 1)
}

/** True if two names have the same numbers, in any order and spacing: "Fund II" is not "Fund III". */
export function shareNumbers(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [listNumbers(a), listNumbers(b)]
  return left.length === right.length && left.sort().join(' ') === right.sort().join(' ')
}

function listNumbers(words: readonly string[]): string[] {
  const numbers: string[] = []
  for (const word of words) if (isNumberWord(word)) numbers.push(...(word.match(/\d+/g) ?? [word]))
  return numbers
}
