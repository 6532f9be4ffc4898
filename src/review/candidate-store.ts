import type { Lookup } from '../core/lookup-identity.js'
import type { Clock } from '../platform/clock.js'
import { withAnswerFirst, candidatesMax, type Candidate, type CandidateSource } from '../core/decisions.js'
import type { ReviewCandidates } from '../pipeline/open-review-backend.js'

export interface CandidateStoreDeps {
  readonly store: Pick<ReviewCandidates, 'read' | 'fetch' | 'keep'>
  readonly source: CandidateSource
  /** The connection that returned these candidates. */
  readonly scope: string
  readonly clock: Clock
}

/** Maximum number of search results that are remembered. Only these, and candidates, can be accepted. */
const searchResultsMax = 100_000

/** Candidates per lookup key (hexadecimal digits). Each lookup's candidates are requested once and then stored. */
export class CandidateStore {
  readonly #deps: CandidateStoreDeps
  readonly #asking = new Map<string, Promise<readonly Candidate[]>>()
  /** Search results by lookup and company. */
  readonly #found = new Map<string, Candidate>()

  constructor(deps: CandidateStoreDeps) {
    this.#deps = deps
  }

  /** Loads the stored candidates of these lookups, including those that other processes stored. */
  fetch(lookups: readonly string[]): Promise<void> {
    return this.#deps.store.fetch(this.#deps.scope, lookups)
  }

  /** Returns lists aligned with the lookups; `null` if a lookup's candidates were never requested. */
  readStored(lookups: readonly string[]): (readonly Candidate[] | null)[] {
    return this.#deps.store.read(this.#deps.scope, lookups)
  }

  /** The request continues if the caller stops waiting, because its result is stored. Throws CANDIDATES_UNAVAILABLE. */
  getCandidates(lookup: string, asked: Lookup, ofAnswer: Candidate | null): Promise<readonly Candidate[]> {
    const [stored] = this.readStored([lookup])
    if (stored !== null && stored !== undefined) return Promise.resolve(stored)
    const before = this.#asking.get(lookup)
    if (before !== undefined) return before
    const asking = this.#ask(lookup, asked, ofAnswer).finally(() => this.#asking.delete(lookup))
    this.#asking.set(lookup, asking)
    return asking
  }

  /** Searches for companies for a lookup. Throws CANDIDATES_UNAVAILABLE. */
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

  /** Records that a candidate was displayed for the lookup, so that it may be accepted. */
  remember(lookup: string, candidate: Candidate): void {
    if (candidate.entityId === null) return
    this.#found.set(toFoundKey(lookup, candidate.entityId), candidate)
    for (const key of this.#found.keys()) {
      if (this.#found.size <= searchResultsMax) break
      this.#found.delete(key)
    }
  }

  /** Returns the company that was displayed for the lookup; else `null`. */
  findShown(lookup: string, entityId: string): Candidate | null {
    const [stored] = this.readStored([lookup])
    return (
      stored?.find((candidate) => candidate.entityId === entityId) ??
      this.#found.get(toFoundKey(lookup, entityId)) ??
      null
    )
  }

  /** Returns the company that was displayed, or requests it and remembers it; `null` if unknown. */
  async findCompany(
    lookup: string,
    entityId: string,
    signal: AbortSignal | undefined,
  ): Promise<Candidate | null> {
    const shown = this.findShown(lookup, entityId)
    if (shown !== null) return shown
    const found = await this.#deps.source.company(entityId, signal)
    if (found !== null) this.remember(lookup, found)
    return found
  }

  /** Adds companies that were found by a search and accepted to the candidates. */
  async storeChosen(chosen: ReadonlyMap<string, Candidate>): Promise<void> {
    const lookups = [...chosen.keys()]
    const changed = new Map<string, readonly Candidate[]>()
    for (const [at, stored] of this.readStored(lookups).entries()) {
      const candidate = chosen.get(lookups[at] ?? '')
      if (candidate === undefined || stored?.some(({ entityId }) => entityId === candidate.entityId)) continue
      changed.set(lookups[at] ?? '', [candidate, ...(stored ?? [])].slice(0, candidatesMax))
    }
    if (changed.size > 0) await this.#keep(changed)
  }

  /** Resolves when all running requests are stored. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking.values())
  }

  async #ask(lookup: string, asked: Lookup, ofAnswer: Candidate | null): Promise<readonly Candidate[]> {
    const found = await this.#deps.source.findCandidates(asked)
    const answered = withAnswerFirst(ofAnswer, found)
    // A search result that was accepted during the request stays in the list.
    const chosen = this.readStored([lookup])[0] ?? []
    const isNew = ({ entityId }: Candidate) => chosen.every((one) => one.entityId !== entityId)
    const candidates = [...chosen, ...answered.filter(isNew)].slice(0, candidatesMax)
    await this.#keep(new Map([[lookup, candidates]]))
    return candidates
  }

  #keep(found: ReadonlyMap<string, readonly Candidate[]>): Promise<void> {
    const { store, scope, clock } = this.#deps
    return store.keep(scope, found, clock.nowMs())
  }
}

const toFoundKey = (lookup: string, entityId: string): string => `${lookup} ${entityId}`
