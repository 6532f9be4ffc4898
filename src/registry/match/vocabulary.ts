import { distanceFrom, typosAllowed } from '../normalize/edit-distance.js'
import { matchLimits } from '../model/limits.js'
import { usualCount } from './usual-words.js'
import { WordList, wordListsOf } from './word-list.js'

/** What was asked before is asked again: names share words. */
const rememberedWordsMax = 20_000

/** A small registry is a sample of all companies: what names hold elsewhere counts like so many names more. */
const usualNamesTotal = 50_000

/**
 * The words of all names held, and in how many names each stands. Answers from memory what a full-text
 * index answers slowly: how rare a word is, which words it may be a misspelling of or the beginning of.
 */
export class Vocabulary {
  readonly #words: WordList
  readonly #namesTotal: number
  readonly #weights = new Map<string, number>()
  readonly #spellings = new Map<string, readonly string[]>()

  constructor(words: WordList | ReadonlyMap<string, number>, namesTotal: number) {
    this.#words = words instanceof WordList ? words : new WordList(wordListsOf(words))
    this.#namesTotal = namesTotal
  }

  get namesTotal(): number {
    return this.#namesTotal
  }

  nameCount(word: string): number {
    const at = this.#words.find(word)
    return at < 0 ? 0 : this.#words.count(at)
  }

  /** In how many names a word stands, with what names elsewhere let expect. */
  expectedCount(word: string): number {
    return this.nameCount(word) + (usualCount(word) * usualNamesTotal) / 100_000
  }

  /** How few names are held: 0 from 100,000 on, 1 of 10,000, 2 of 1,000. */
  get fewness(): number {
    return Math.max(0, 5 - Math.log10(Math.max(1, this.#namesTotal)))
  }

  /** How much a word tells, 0.2 for one in nearly every name and up; an unknown word tells most. */
  weight(word: string): number {
    return remembered(this.#weights, word, () => {
      const weight = Math.log((this.#namesTotal + usualNamesTotal) / (this.expectedCount(word) + 1))
      return Math.max(0.2, weight)
    })
  }

  /** Known words within the typing errors a word of its length may hold, nearest first. */
  spellings(word: string): readonly string[] {
    const distanceMax = typosAllowed(word.length)
    if (distanceMax === 0) return []
    return remembered(this.#spellings, word, () => this.#nearest(word, distanceMax))
  }

  /** Known words that begin with `stem`, at most as many as a query may be widened by. */
  completions(stem: string): string[] {
    const found: string[] = []
    let at = this.#words.firstNotBefore(stem)
    for (; found.length < matchLimits.completionsMax && this.#words.beginsWith(at, stem); at++) {
      const word = this.#words.word(at)
      if (word !== stem) found.push(word)
    }
    return found
  }

  /** All errors in one place leave a beginning or an end as it is: only words that share either are compared. */
  #nearest(word: string, distanceMax: 1 | 2): string[] {
    const words = this.#words
    const { spellingsScannedMax } = matchLimits
    // Of a single error: what comes before it and after it, less a letter for a swap.
    const headCount = Math.max(distanceMax + 1, Math.floor((word.length - 1) / (distanceMax + 1)))
    const tailCount = distanceMax === 1 ? word.length - 1 - headCount : headCount
    const distanceTo = distanceFrom(word, distanceMax)
    const near = new Map<number, number>()
    let comparedCount = 0
    const compare = (at: number) => {
      if (Math.abs(words.charCount(at) - word.length) > distanceMax) return
      comparedCount++
      const distance = distanceTo(words.codesAt(at))
      if (distance <= distanceMax && distance > 0) near.set(at, distance)
    }
    const [first, last] = words.range(word.slice(0, headCount))
    for (let at = first; at < last && comparedCount < spellingsScannedMax; at++) compare(at)
    comparedCount = 0
    const [from, end] = words.backwardRange(word.slice(-tailCount))
    for (let order = from; order < end && comparedCount < spellingsScannedMax; order++) {
      compare(words.atBackward(order))
    }
    return [...near]
      .sort(([a, distanceA], [b, distanceB]) => distanceA - distanceB || words.count(b) - words.count(a))
      .slice(0, matchLimits.tokenSpellingsMax)
      .map(([at]) => words.word(at))
  }
}

function remembered<Value>(known: Map<string, Value>, word: string, valueOf: () => Value): Value {
  const found = known.get(word)
  if (found !== undefined) return found
  if (known.size >= rememberedWordsMax) known.clear()
  const value = valueOf()
  known.set(word, value)
  return value
}
