import { boundedDistance, typosAllowed } from './edit-distance.js'
import { matchLimits } from './limits.js'

/**
 * The words of all names held, and in how many names each stands. Answers from memory what a full-text
 * index answers slowly: how rare a word is, which words it may be a misspelling of or the beginning of.
 */
export class Vocabulary {
  readonly #nameCounts: Map<string, number>
  readonly #namesTotal: number
  #byHead: Map<string, string[]> | null = null
  #byTail: Map<string, string[]> | null = null
  #sorted: string[] | null = null

  constructor(nameCounts: Map<string, number>, namesTotal: number) {
    this.#nameCounts = nameCounts
    this.#namesTotal = namesTotal
  }

  get namesTotal(): number {
    return this.#namesTotal
  }

  nameCount(word: string): number {
    return this.#nameCounts.get(word) ?? 0
  }

  /** How much a word tells, 0.2 for one in nearly every name and up; an unknown word tells most. */
  weight(word: string): number {
    const weight = Math.log((this.#namesTotal + 20) / (this.nameCount(word) + 1))
    return Math.max(0.2, weight)
  }

  /** Known words within the typing errors a word of its length may hold, nearest first. */
  spellings(word: string): string[] {
    const distanceMax = typosAllowed(word.length)
    if (distanceMax === 0) return []
    this.#byHead ??= this.#group((known) => known.slice(0, 2))
    this.#byTail ??= this.#group((known) => known.slice(-3))
    const near: { known: string; distance: number }[] = []
    const tried = new Set<string>()
    for (const known of [
      ...(this.#byHead.get(word.slice(0, 2)) ?? []),
      ...(this.#byTail.get(word.slice(-3)) ?? []),
    ]) {
      if (Math.abs(known.length - word.length) > distanceMax || tried.has(known)) continue
      tried.add(known)
      if (tried.size > matchLimits.spellingsScannedMax) break
      const distance = boundedDistance(word, known, distanceMax)
      if (distance <= distanceMax && distance > 0) near.push({ known, distance })
    }
    near.sort((a, b) => a.distance - b.distance || this.nameCount(b.known) - this.nameCount(a.known))
    return near.slice(0, matchLimits.tokenSpellingsMax).map(({ known }) => known)
  }

  /** Known words that begin with `stem`, at most as many as a query may be widened by. */
  completions(stem: string): string[] {
    this.#sorted ??= [...this.#nameCounts.keys()].sort()
    const found: string[] = []
    for (let at = lowerBound(this.#sorted, stem); found.length < 24; at++) {
      const word = this.#sorted[at]
      if (word === undefined || !word.startsWith(stem)) break
      if (word !== stem) found.push(word)
    }
    return found
  }

  #group(keyOf: (word: string) => string): Map<string, string[]> {
    const groups = new Map<string, string[]>()
    for (const word of this.#nameCounts.keys()) {
      if (word.length < 4) continue
      const group = groups.get(keyOf(word))
      if (group) group.push(word)
      else groups.set(keyOf(word), [word])
    }
    return groups
  }
}

function lowerBound(sorted: readonly string[], stem: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < stem) low = middle + 1
    else high = middle
  }
  return low
}
