import type { Query } from '../service/knowledge.js'

const alongLimits = {
  /** Answers whose candidates wait: more than are in flight between a thread and whoever gathers them. */
  countMax: 5_000,
  charsMax: 16 * 2 ** 20,
} as const

/**
 * Candidates that came along with answers, as JSON, until somebody asks for them. Of those that nobody asks for the
 * oldest are dropped: they can be made again.
 */
export class CandidatesAlong {
  readonly #texts = new Map<string, string>()
  #charCount = 0

  /** Null: none came along. */
  keep(query: Query, text: string | null): void {
    if (text === null) return
    const key = keyOf(query)
    this.#drop(key)
    this.#texts.set(key, text)
    this.#charCount += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= alongLimits.countMax && this.#charCount <= alongLimits.charsMax) break
      this.#drop(oldest)
    }
  }

  /** Null where there are none, or no more. */
  take(query: Query): string | null {
    const key = keyOf(query)
    const text = this.#texts.get(key) ?? null
    this.#drop(key)
    return text
  }

  #drop(key: string): void {
    this.#charCount -= this.#texts.get(key)?.length ?? 0
    this.#texts.delete(key)
  }
}

const keyOf = ({ name, location, context }: Query) => JSON.stringify([name, location, context])
