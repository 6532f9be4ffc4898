import { foldWords, getOrCompute, lowerBound } from '../normalize/normalize-name.js'
import { createDistance } from '../../core/word-forms.js'
import { matchLimits } from '../model/limits.js'
import { unknownLetter } from '../normalize/clean-text.js'
import { createSoundIndex } from '../normalize/sounds.js'
import { getUsualCount, isOfManyNames } from './word-classes.js'

/** Returns the number of typing errors that a word of this length may have. */
export function countAllowedTypos(charCount: number): 0 | 1 | 2 {
  if (charCount < 5) return 0
  return charCount < 9 ? 1 : 2
}

/** Names share words, so results are cached. */
const rememberedWordsMax = 20_000

/** Longer words are seldom abbreviations. */
const abbreviationCharsMax = 9

/** Prior for small registries: common words count as if this many more names were stored. */
const usualNamesTotal = 50_000

/**
 * The words of all names and their frequencies. Answers from memory, faster than a full-text index, how rare a word
 * is, and its possible spellings and completions.
 */
export class Vocabulary {
  readonly #words: WordList
  readonly namesTotal: number
  readonly #counts = new Map<string, number>()
  readonly #weights = new Map<string, number>()
  readonly #usual = new Map<string, number>()
  readonly #spellings = new Map<string, readonly string[]>()
  readonly #expansions = new Map<string, readonly string[]>()
  #findSounds: ReturnType<typeof createSoundIndex> | undefined

  constructor(words: WordList | ReadonlyMap<string, number>, namesTotal: number) {
    this.#words = words instanceof WordList ? words : new WordList(buildWordLists(words))
    this.namesTotal = namesTotal
  }

  countNames(word: string): number {
    return getOrCompute(this.#counts, rememberedWordsMax, word, this.#findCount)
  }

  /** Whether no registered name has a word of a name: it may be one by its sound, as heard, or as another language spells it. */
  mayBeHeard(name: string): boolean {
    const words = foldWords(name).filter((word) => /^[a-z]{4,}$/.test(word))
    return words.length > 1 && words.some((word) => this.countNames(word) === 0)
  }

  /** Number of names with a word, including the prior. */
  estimateCount(word: string): number {
    return this.countNames(word) + (getUsualCount(word) * usualNamesTotal) / 100_000
  }

  /** Share of 100,000 names that a registry lacks, 0 to 1: the model was fitted on one of that size. */
  get unseenShare(): number {
    return Math.max(0, 1 - this.namesTotal / 100_000)
  }

  /** Whether a word is in many names, whatever the registry has. */
  isUsual(word: string): boolean {
    return getOrCompute(this.#usual, rememberedWordsMax, word, () => Number(isOfManyNames(word))) > 0
  }

  /** Weight of a word, at least 0.2; the rarer, the higher. */
  weight(word: string): number {
    return getOrCompute(this.#weights, rememberedWordsMax, word, this.#findWeight)
  }

  readonly #findCount = (word: string): number => this.#words.count(this.#words.find(word))

  readonly #findWeight = (word: string): number =>
    Math.max(0.2, Math.log((this.namesTotal + usualNamesTotal) / (this.estimateCount(word) + 1)))

  /** Known words within the typing errors allowed for the length of the word, nearest first. */
  findSpellings(word: string): readonly string[] {
    const distanceMax = countAllowedTypos(word.length)
    if (distanceMax === 0) return []
    return getOrCompute(this.#spellings, rememberedWordsMax, word, () => this.#findNearest(word, distanceMax))
  }

  readonly hasBeginning = (stem: string): boolean =>
    this.#words.beginsWith(this.#words.findFirstNotBefore(stem), stem)

  /** Known words that begin with `stem`, at most `completionsMax`. */
  findCompletions(stem: string): string[] {
    const found: string[] = []
    let at = this.#words.findFirstNotBefore(stem)
    for (; found.length < matchLimits.completionsMax && this.#words.beginsWith(at, stem); at++) {
      const word = this.#words.getWord(at)
      if (word !== stem) found.push(word)
    }
    return found
  }

  /**
   * Known words that `short` may abbreviate: the same first letter, its letters in order, at least two more; or that have one letter
   * or two for each that it has lost. The most frequent first.
   */
  findExpansions(short: string): readonly string[] {
    const isLost = short.includes(unknownLetter)
    if (short.length < 3 || (short.length > abbreviationCharsMax && !isLost)) return []
    return getOrCompute(this.#expansions, rememberedWordsMax, short, () => this.#listExpansions(short))
  }

  #listExpansions(short: string): string[] {
    const words = this.#words
    const parts = short.split(unknownLetter)
    const [head = '', letters] = [parts[0], parts.join('')]
    const whole = parts.length === 1 ? null : new RegExp(`^${parts.join('.{1,2}')}$`)
    let [from, end] = words.findRange(head.charAt(0))
    if (end - from > matchLimits.abbreviationsScannedMax)
      [from, end] = words.findRange(whole === null ? head.slice(0, 2) : head)
    end = Math.min(end, from + matchLimits.abbreviationsScannedMax)
    const [least, most] = whole === null ? [2, short.length * 2 + 2] : [0, parts.length - 1]
    const found: number[] = []
    for (let at = from; at < end; at++) {
      const more = words.getCharCount(at) - short.length
      if (more < least || more > most || !words.hasLetters(at, letters)) continue
      if (whole?.test(words.getWord(at)) ?? true) found.push(at)
    }
    return found
      .sort((a, b) => words.count(b) - words.count(a))
      .slice(0, matchLimits.expansionsMax)
      .map((at) => words.getWord(at))
  }

  /** Known words that a word of another script may be by its sound, the closest first. */
  findSounds(spoken: string): readonly string[] {
    this.#findSounds ??= createSoundIndex(this.#words.size, (at) => this.#words.getWord(at))
    return this.#findSounds(spoken, matchLimits.expansionsMax)
  }

  /** Typing errors in one place keep the beginning or the end: only words that share either are compared. */
  #findNearest(word: string, distanceMax: 1 | 2): string[] {
    const words = this.#words
    // For a single error: the length before and after it, minus a letter for a swap.
    const headCount = Math.max(distanceMax + 1, Math.floor((word.length - 1) / (distanceMax + 1)))
    const tailCount = distanceMax === 1 ? word.length - 1 - headCount : headCount
    const distanceTo = createDistance(word, distanceMax)
    const near = new Map<number, number>()
    let comparedCount = 0
    const compare = (at: number) => {
      if (Math.abs(words.getCharCount(at) - word.length) > distanceMax) return
      comparedCount++
      const distance = distanceTo(words.getCodes(at))
      if (distance <= distanceMax && distance > 0) near.set(at, distance)
    }
    const [first, last] = words.findRange(word.slice(0, headCount))
    for (let at = first; at < last && comparedCount < matchLimits.spellingsScannedMax; at++) compare(at)
    comparedCount = 0
    const [from, end] = words.findBackwardRange(word.slice(-tailCount))
    for (let order = from; order < end && comparedCount < matchLimits.spellingsScannedMax; order++) {
      compare(words.atBackward(order))
    }
    return [...near]
      .sort(([a, distanceA], [b, distanceB]) => distanceA - distanceB || words.count(b) - words.count(a))
      .slice(0, matchLimits.tokenSpellingsMax)
      .map(([at]) => words.getWord(at))
  }
}

/** Sorted ASCII words in flat arrays: a Map of a million words takes ten times the memory and seconds to build. */
export interface WordLists {
  /** The words in byte order, each followed by a line feed. */
  readonly words: Uint8Array
  readonly counts: Uint32Array
  /** Numbers of the words, sorted by their letters from last to first. */
  readonly backward: Uint32Array
}

const lineFeed = 10

export class WordList {
  readonly size: number
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #counts: Uint32Array
  readonly #backward: Uint32Array

  constructor({ words, counts, backward }: WordLists) {
    this.size = counts.length
    this.#bytes = words
    this.#counts = counts
    this.#backward = backward
    this.#starts = findStarts(words, counts.length)
  }

  count(at: number): number {
    return this.#counts[at] ?? 0
  }

  getWord(at: number): string {
    return String.fromCharCode(...this.getCodes(at))
  }

  getCodes(at: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[at], (this.#starts[at + 1] ?? 0) - 1)
  }

  getCharCount(at: number): number {
    return (this.#starts[at + 1] ?? 0) - (this.#starts[at] ?? 0) - 1
  }

  /** True if a word has these letters in this order. */
  hasLetters(at: number, letters: string): boolean {
    let index = 0
    for (const code of this.getCodes(at)) if (code === letters.charCodeAt(index)) index++
    return index === letters.length
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const at = this.findFirstNotBefore(word)
    return at < this.size && this.#compare(at, word) === 0 && this.getCharCount(at) === word.length ? at : -1
  }

  /** The first word not less than `stem`; words that begin with it follow. */
  findFirstNotBefore(stem: string): number {
    return lowerBound(this.size, (at) => this.#compare(at, stem) < 0)
  }

  beginsWith(at: number, stem: string): boolean {
    return at < this.size && this.#compare(at, stem) === 0
  }

  /** The words that begin with `stem`: first, and last + 1. */
  findRange(stem: string): readonly [number, number] {
    return [this.findFirstNotBefore(stem), lowerBound(this.size, (at) => this.#compare(at, stem) <= 0)]
  }

  /** The words that end with `tail`, in backward order: first, and last + 1. */
  findBackwardRange(tail: string): readonly [number, number] {
    const isBelow = (order: number, isAfterToo: boolean) => {
      const compared = this.#compareTail(this.#backward[order] ?? 0, tail)
      return isAfterToo ? compared <= 0 : compared < 0
    }
    const from = lowerBound(this.size, (order) => isBelow(order, false))
    return [from, lowerBound(this.size, (order) => isBelow(order, true))]
  }

  atBackward(order: number): number {
    return this.#backward[order] ?? 0
  }

  /** 0 if the word begins with `stem`. */
  #compare(at: number, stem: string): number {
    const start = this.#starts[at] ?? 0
    for (let index = 0; index < stem.length; index++) {
      const difference = (this.#bytes[start + index] ?? lineFeed) - stem.charCodeAt(index)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** 0 if the word ends with `tail`. */
  #compareTail(at: number, tail: string): number {
    const charCount = this.getCharCount(at)
    const end = (this.#starts[at] ?? 0) + charCount
    for (let index = 1; index <= tail.length; index++) {
      const code = index > charCount ? 0 : (this.#bytes[end - index] ?? lineFeed)
      const difference = code - tail.charCodeAt(tail.length - index)
      if (difference !== 0) return difference
    }
    return 0
  }
}

/** Builds the lists from distinct words in any order. Words with other characters are left out. */
export const buildWordLists = (counts: Iterable<readonly [word: string, count: number]>): WordLists =>
  buildSortedWordLists([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))

/** Builds the word lists from words in byte order, without objects for each word: there may be millions. */
export function buildSortedWordLists(sorted: Iterable<readonly [word: string, count: number]>): WordLists {
  let bytes = Buffer.allocUnsafe(65_536)
  let byteCount = 0
  let counts = new Uint32Array(4_096)
  let wordCount = 0
  for (const [word, count] of sorted) {
    if (!/^[\x21-\x7e]+$/.test(word)) continue
    if (byteCount + word.length + 1 > bytes.length) {
      const room = Buffer.allocUnsafe(Math.max(2 * bytes.length, byteCount + word.length + 1))
      bytes.copy(room, 0, 0, byteCount)
      bytes = room
    }
    if (wordCount === counts.length) {
      const room = new Uint32Array(2 * wordCount)
      room.set(counts)
      counts = room
    }
    byteCount += bytes.write(`${word}\n`, byteCount, 'latin1')
    counts[wordCount++] = count
  }
  const words = bytes.subarray(0, byteCount)
  return { words, counts: counts.subarray(0, wordCount), backward: sortBackward(words, wordCount) }
}

/** The three passes take as long for a few words as for many. */
const fewWords = 4_000

/** Sorts the positions of words by their letters from the last one on: by the last six in three passes, then the rest. */
function sortBackward(words: Uint8Array, wordCount: number): Uint32Array {
  const starts = findStarts(words, wordCount)
  /** The two letters before the last `skipped` ones, as a number. */
  const getDigit = (word: number, skipped: number): number => {
    const start = starts[word] ?? 0
    const at = (starts[word + 1] ?? 0) - 2 - skipped
    return 256 * (at >= start ? (words[at] ?? 0) : 0) + (at > start ? (words[at - 1] ?? 0) : 0)
  }
  const compareBackward = (a: number, b: number): number => {
    const [startA = 0, startB = 0] = [starts[a], starts[b]]
    let [endA, endB] = [(starts[a + 1] ?? 0) - 1, (starts[b + 1] ?? 0) - 1]
    while (endA > startA && endB > startB) {
      const difference = (words[--endA] ?? 0) - (words[--endB] ?? 0)
      if (difference !== 0) return difference
    }
    return endA - startA - (endB - startB)
  }
  let sorted = new Uint32Array(wordCount).map((_, word) => word)
  if (wordCount < fewWords) return sorted.sort(compareBackward)
  let next = new Uint32Array(wordCount)
  for (const skipped of [4, 2, 0]) {
    const places = new Uint32Array(2 ** 16 + 1)
    const add = (at: number, count: number) => (places[at] = (places[at] ?? 0) + count)
    for (const word of sorted) add(getDigit(word, skipped) + 1, 1)
    for (let digit = 1; digit < places.length; digit++) add(digit, places[digit - 1] ?? 0)
    for (const word of sorted) next[add(getDigit(word, skipped), 1) - 1] = word
    ;[sorted, next] = [next, sorted]
  }
  const endsAlike = (a: number, b: number) =>
    [0, 2, 4].every((skipped) => getDigit(a, skipped) === getDigit(b, skipped))
  for (let from = 0; from < wordCount;) {
    let to = from + 1
    while (to < wordCount && endsAlike(sorted[from] ?? 0, sorted[to] ?? 0)) to++
    if (to - from > 1) sorted.subarray(from, to).sort(compareBackward)
    from = to
  }
  return sorted
}

function findStarts(words: Uint8Array, wordCount: number): Uint32Array {
  const starts = new Uint32Array(wordCount + 1)
  let at = 0
  for (let index = 0; index < words.length; index++) {
    if (words[index] === lineFeed) starts[++at] = index + 1
  }
  return starts
}
