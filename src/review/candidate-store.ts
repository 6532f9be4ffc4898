import type { Lookup } from '../core/lookup-identity.js'
import type { Clock } from '../platform/clock.js'
import { withAnswerFirst } from '../pipeline/answers/answer-candidate.js'
import { candidatesMax, type Candidate, type CandidateSource } from '../pipeline/answers/candidate.js'
import type { ReviewStore } from '../pipeline/decisions/review-store.js'

export interface CandidateBookDeps {
  readonly store: Pick<ReviewStore, 'candidates' | 'fetchCandidates' | 'keepCandidates'>
  readonly source: CandidateSource
  /** Of the connection: whose candidates these are. */
  readonly scope: string
  readonly clock: Clock
}

/** Companies that were found by searching, at most: what is accepted has to be among them, or among the candidates. */
const foundMax = 100_000

/** The candidates of lookups, by their keys in hexadecimal digits: asked for once, and kept. */
export class CandidateBook {
  readonly #deps: CandidateBookDeps
  readonly #asking = new Map<string, Promise<readonly Candidate[]>>()
  /** By lookup and company. */
  readonly #found = new Map<string, Candidate>()

  constructor(deps: CandidateBookDeps) {
    this.#deps = deps
  }

  /** What is kept of these by now, by whichever process, can be read. */
  fetch(lookups: readonly string[]): Promise<void> {
    return this.#deps.store.fetchCandidates(this.#deps.scope, lookups)
  }

  /** Aligned with the lookups; null where none were looked for. */
  kept(lookups: readonly string[]): (readonly Candidate[] | null)[] {
    return this.#deps.store.candidates(this.#deps.scope, lookups)
  }

  /** Goes on though nobody waits for it any more: what was asked for is kept. Throws CANDIDATES_UNAVAILABLE. */
  of(lookup: string, asked: Lookup, ofAnswer: Candidate | null): Promise<readonly Candidate[]> {
    const [kept] = this.kept([lookup])
    if (kept !== null && kept !== undefined) return Promise.resolve(kept)
    const before = this.#asking.get(lookup)
    if (before !== undefined) return before
    const asking = this.#ask(lookup, asked, ofAnswer).finally(() => this.#asking.delete(lookup))
    this.#asking.set(lookup, asking)
    return asking
  }

  /** What a person looks for, beside a lookup. Throws CANDIDATES_UNAVAILABLE. */
  async search(
    lookup: string,
    text: string,
    country: string | null,
    signal: AbortSignal | undefined,
  ): Promise<readonly Candidate[]> {
    const found = await this.#deps.source.search(text, country, signal)
    for (const candidate of found) this.remember(lookup, candidate)
    return found
  }

  /** It is shown beside a lookup, and may be accepted for it. */
  remember(lookup: string, candidate: Candidate): void {
    if (candidate.entityId === null) return
    this.#found.set(foundKey(lookup, candidate.entityId), candidate)
    for (const key of this.#found.keys()) {
      if (this.#found.size <= foundMax) break
      this.#found.delete(key)
    }
  }

  /** The company as it was shown beside a lookup; null where it was not. */
  shown(lookup: string, entityId: string): Candidate | null {
    const [kept] = this.kept([lookup])
    return (
      kept?.find((candidate) => candidate.entityId === entityId) ??
      this.#found.get(foundKey(lookup, entityId)) ??
      null
    )
  }

  /** Companies that were accepted after a search are candidates from then on. */
  async keepChosen(chosen: ReadonlyMap<string, Candidate>): Promise<void> {
    const lookups = [...chosen.keys()]
    const changed = new Map<string, readonly Candidate[]>()
    for (const [at, kept] of this.kept(lookups).entries()) {
      const candidate = chosen.get(lookups[at] ?? '')
      if (candidate === undefined || kept?.some(({ entityId }) => entityId === candidate.entityId)) continue
      changed.set(lookups[at] ?? '', [candidate, ...(kept ?? [])].slice(0, candidatesMax))
    }
    if (changed.size > 0) await this.#keep(changed)
  }

  /** Ends when what was asked for is kept. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking.values())
  }

  async #ask(lookup: string, asked: Lookup, ofAnswer: Candidate | null): Promise<readonly Candidate[]> {
    const found = await this.#deps.source.candidatesOf(asked)
    const answered = withAnswerFirst(ofAnswer, found)
    // A company that was searched for and accepted in the meantime stays among them.
    const chosen = this.kept([lookup])[0] ?? []
    const isNew = ({ entityId }: Candidate) => chosen.every((one) => one.entityId !== entityId)
    const candidates = [...chosen, ...answered.filter(isNew)].slice(0, candidatesMax)
    await this.#keep(new Map([[lookup, candidates]]))
    return candidates
  }

  #keep(found: ReadonlyMap<string, readonly Candidate[]>): Promise<void> {
    const { store, scope, clock } = this.#deps
    return store.keepCandidates(scope, found, clock.nowMs())
  }
}

const foundKey = (lookup: string, entityId: string): string => `${lookup} ${entityId}`
