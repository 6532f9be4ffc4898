import { UserError } from '../core/errors.js'
import type { Lookup } from '../core/lookup-identity.js'
import { nameCountryOnce } from '../core/numbers/stated-identifiers.js'
import { withAnswerFirst, withSecond, candidatesMax, type Candidate } from '../core/decisions.js'
import { toAnswerFacts, type AnswerFacts } from '../pipeline/open-review-backend.js'
import { toContradiction } from './doubtful-rows.js'
import type { CandidateStore } from './candidate-store.js'
import { readQueueRows, toCandidateView, toDecisionView } from './candidate-view.js'
import { toDecisions, tryWriteFile } from './current-decisions.js'
import { resolveDomain } from './input-lookups.js'
import { InputReview, type InputReviewDeps } from './input-review.js'
import type {
  AlikeRow,
  DecideReply,
  DecisionList,
  LookupDetail,
  QueuePage,
  QueueRow,
  SearchReply,
  UndoReply,
} from './page-data.js'
import type { QueueEntry } from './queue.js'
import type {
  Choice,
  QueueCounts,
  QueueFilter,
  QueueWindow,
  ReviewSession,
  CompanySearch,
  LookupFacts,
} from './session.js'

const sessionLimits = {
  alikeMax: 500,
  /** Rows read at once if all rows are read. */
  rowsBatch: 500,
} as const

/**
 * Opens the review of an input: fills the queue, and writes earlier decisions that are missing to the decisions file.
 * Throws like `ReviewSession`, and the signal's reason.
 */
export async function openSession(
  deps: InputReviewDeps,
  candidates: CandidateStore,
  reviewer: string,
): Promise<ReviewSession> {
  return new InputSession(deps, await InputReview.open(deps), candidates, reviewer)
}

class InputSession implements ReviewSession {
  readonly reviewer: string
  readonly #deps: InputReviewDeps
  readonly #review: InputReview
  readonly #candidates: CandidateStore
  /** Lookups whose stored candidates are in memory. */
  readonly #fetched = new Set<string>()
  /** Decisions of this session that were not undone, one list per change. */
  readonly #decided: (readonly number[])[] = []
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(deps: InputReviewDeps, review: InputReview, candidates: CandidateStore, reviewer: string) {
    this.#deps = deps
    this.#review = review
    this.#candidates = candidates
    this.reviewer = reviewer
  }

  get isRunGoingOn(): boolean {
    return this.#review.isRunGoingOn
  }

  getCounts(): QueueCounts {
    return this.#review.readCounts()
  }

  countOwn(): number {
    return this.#review.verdicts.filterCurrent(this.#decided.flat()).length
  }

  readPage({ from, count, find, ...filter }: QueueWindow): QueuePage {
    this.#review.assertSame()
    const { queue, isRunGoingOn } = this.#review
    const entries = queue.filter(filter)
    const places = this.#review.find(find).flatMap((entry, at) => {
      const place = entry === null ? null : queue.getPlace(entry.id)
      const index = place === null ? -1 : entries.indexOf(place)
      return index === -1 ? [] : [[find[at] ?? '', index] as const]
    })
    const { openByStatus } = queue.counts()
    return {
      ...this.#getPageState(),
      totalCount: entries.length,
      from,
      openByStatus,
      isRunGoingOn,
      rows: this.#toRows(this.#getEntriesAt(entries.subarray(from, from + count))),
      places: Object.fromEntries(places),
    }
  }

  *readRows(filter: QueueFilter): Generator<QueueRow> {
    // A copy, because decisions during the iteration do not change places.
    const places = this.#review.queue.filter(filter).slice()
    for (let start = 0; start < places.length; start += sessionLimits.rowsBatch) {
      this.#review.assertSame()
      yield* this.#toRows(this.#getEntriesAt(places.subarray(start, start + sessionLimits.rowsBatch)))
    }
  }

  async fetchCandidates(lookups: readonly string[]): Promise<void> {
    await this.#candidates.fetch(lookups)
    for (const lookup of lookups) this.#fetched.add(lookup)
  }

  async readDetail(lookup: string): Promise<LookupDetail> {
    this.#review.assertSame()
    const entry = this.#review.entry(lookup)
    const asked = this.#readLookup(entry)
    const alike = this.#toRows(this.#review.findAlike(entry, asked.name, sessionLimits.alikeMax))
    await this.#candidates.fetch([lookup, ...alike.map((row) => row.lookup)])
    const { candidates, candidatesError, factors } = await this.#readShownFacts(lookup, entry, asked)
    const [row] = this.#toRows([entry])
    if (row === undefined) throw new Error(`the checkpoint lost lookup ${entry.id}`)
    return {
      row,
      context: asked.context && nameCountryOnce(asked.context),
      candidates: candidates.map((candidate) => toCandidateView(candidate, asked)),
      candidatesError,
      factors,
      alike: this.#toAlikeRows(alike, candidates),
    }
  }

  async readShown(lookup: string, asks: boolean): Promise<LookupFacts> {
    this.#review.assertSame()
    const entry = this.#review.entry(lookup)
    await this.#fetchOnce(lookup)
    return this.#readShownFacts(lookup, entry, this.#readLookup(entry), asks)
  }

  async findCompany(lookup: string, entityId: string, signal?: AbortSignal): Promise<Candidate | null> {
    this.#review.assertSame()
    this.#findOwnCompany(lookup, this.#review.entry(lookup))
    await this.#fetchOnce(lookup)
    return this.#candidates.findCompany(lookup, entityId, signal)
  }

  async readCandidates(lookup: string): Promise<readonly Candidate[]> {
    this.#review.assertSame()
    const entry = this.#review.entry(lookup)
    const { candidate, isOfDomain } = this.#readFacts(entry)
    await this.#fetchOnce(lookup)
    return this.#candidates.getCandidates(
      lookup,
      resolveDomain(this.#readLookup(entry), isOfDomain),
      candidate,
    )
  }

  async search({ lookup, text, country }: CompanySearch, signal?: AbortSignal): Promise<SearchReply> {
    this.#review.assertSame()
    const asked = this.#readLookup(this.#review.entry(lookup))
    const found = await this.#candidates.search(lookup, text, country, signal)
    return { candidates: found.map((candidate) => toCandidateView(candidate, asked)) }
  }

  decide(choices: readonly Choice[]): Promise<DecideReply> {
    return this.#runInOrder(async () => {
      this.#review.assertSame()
      const { reader, backend, service, clock } = this.#deps
      const { records, verdicts } = this.#review
      const entries = this.#review.getEntries(choices.map(({ lookup }) => lookup))
      const asked = reader.readLookups(entries.map(({ id }) => id)).map((one) => one ?? nothingAsked)
      const candidates = this.#candidates
      await candidates.fetch(choices.map(({ lookup }) => lookup))
      const nowMs = clock.nowMs()
      const { decisions, shown } = toDecisions(choices, asked, {
        candidates,
        records,
        service,
        reviewer: this.reviewer,
        nowMs,
      })
      const expected = choices.map(({ lookup, seen }) => {
        return [lookup, seen ?? verdicts.getDecision(lookup)?.sequence ?? 0] as const
      })
      await candidates.storeChosen(shown)
      const outcome = await backend.store.decisions.decide(decisions, new Map(expected))
      if (outcome.kind === 'conflict') {
        await verdicts.refresh()
        return { decisions: [], others: outcome.others.map(toDecisionView), page: this.#getPageState() }
      }
      await tryWriteFile(() => verdicts.add(outcome.decisions))
      this.#decided.push(outcome.decisions.map(({ sequence }) => sequence))
      return { decisions: outcome.decisions.map(toDecisionView), others: [], page: this.#getPageState() }
    })
  }

  undo(sequences: readonly number[]): Promise<UndoReply> {
    return this.#runInOrder(async () => {
      this.#review.assertSame()
      const withdrawn = sequences.length > 0 ? await this.#withdraw(sequences) : await this.#withdrawLast()
      if (withdrawn.length > 0) await tryWriteFile(() => this.#review.verdicts.synchronize())
      return { decisions: withdrawn.map(toDecisionView), page: this.#getPageState() }
    })
  }

  listDecisions(count: number): DecisionList {
    const { backend, service } = this.#deps
    return { decisions: backend.store.decisions.listNewest(service, count).map(toDecisionView) }
  }

  async refresh(): Promise<void> {
    await this.#review.readNewAnswers()
    await this.#runInOrder(() => this.#review.verdicts.refresh())
  }

  async close(): Promise<void> {
    await this.#lastChange.catch(() => undefined)
    await this.#candidates.close()
  }

  /** Changes run one after another: each depends on the result of the one before. */
  #runInOrder<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#lastChange.catch(() => undefined).then(change)
    this.#lastChange = result
    result.catch(() => undefined)
    return result
  }

  /** A decision that was replaced since cannot be undone. */
  #withdraw(sequences: readonly number[]) {
    const { backend, service } = this.#deps
    const standing = this.#review.verdicts.filterCurrent(sequences)
    return standing.length === 0 ? Promise.resolve([]) : backend.store.decisions.withdraw(service, standing)
  }

  async #withdrawLast() {
    for (let last = this.#decided.pop(); last !== undefined; last = this.#decided.pop()) {
      const withdrawn = await this.#withdraw(last)
      if (withdrawn.length > 0) return withdrawn
    }
    return []
  }

  async #fetchOnce(lookup: string): Promise<void> {
    if (!this.#fetched.has(lookup)) await this.fetchCandidates([lookup])
  }

  #getPageState(): DecideReply['page'] {
    const { queue } = this.#review
    const { openCount, decidedCount } = queue.counts()
    return { version: String(queue.version), openCount, decidedCount }
  }

  #getEntriesAt(places: Uint32Array): QueueEntry[] {
    return Array.from(places, (place) => this.#review.queue.readEntry(place))
  }

  #toRows(entries: readonly QueueEntry[]): QueueRow[] {
    return readQueueRows(entries, this.#deps.reader, this.#review.proposals)
  }

  #readLookup({ id }: QueueEntry): Lookup {
    const [asked] = this.#deps.reader.readLookups([id])
    return asked ?? nothingAsked
  }

  #readFacts({ id }: QueueEntry): AnswerFacts {
    const [known] = this.#deps.reader.readAnswers([id])
    return toAnswerFacts(known ?? null)
  }

  /** Returns the own registry's company if the service contradicts it, else `null`. It may be accepted. */
  #findOwnCompany(lookup: string, { id }: QueueEntry): Candidate | null {
    const company = this.#deps.doubt.findOwnCompany?.(id) ?? null
    if (company !== null) this.#candidates.remember(lookup, company)
    return company
  }

  async #readShownFacts(lookup: string, entry: QueueEntry, asked: Lookup, asks = true): Promise<LookupFacts> {
    const { decision, reason } = entry
    const { factors: ownFactors, candidate, isOfDomain } = this.#readFacts(entry)
    const successor =
      decision === null || reason === null ? null : this.#review.records.findSuccessor(decision)
    if (successor !== null) this.#candidates.remember(lookup, successor)
    if (candidate !== null) this.#candidates.remember(lookup, candidate)
    const ofRegistry = this.#findOwnCompany(lookup, entry)
    const factors = [...ownFactors, ...toContradiction(ofRegistry)]
    const proposed = await this.#findProposed(lookup, decision, asks)
    // The stored candidates may belong to an earlier answer.
    const confirmed = candidate?.entityId === null ? null : candidate
    const own = candidate === null ? [] : [candidate]
    const isOther = ({ entityId }: Candidate) => entityId !== successor?.entityId
    const withCandidates = (
      found: readonly Candidate[],
      candidatesError: string | null = null,
    ): LookupFacts => {
      const candidates = withAnswerFirst(confirmed, found)
      const all = successor === null ? candidates : [successor, ...candidates.filter(isOther)]
      const isMissing = proposed !== null && all.every(({ entityId }) => entityId !== proposed.entityId)
      const shown = withSecond(ofRegistry, isMissing ? [proposed, ...all] : all)
      return { factors, candidatesError, candidates: shown.slice(0, candidatesMax) }
    }
    if (!asks) {
      const [kept] = this.#candidates.readStored([lookup])
      return kept === null || kept === undefined ? withCandidates(own) : withCandidates(kept)
    }
    try {
      return withCandidates(
        await this.#candidates.getCandidates(lookup, resolveDomain(asked, isOfDomain), candidate),
      )
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return withCandidates(own, formatError(error))
    }
  }

  /** Returns the company of a proposal; `null` without one, or if it is unknown. Never requested if `asks` is false. */
  async #findProposed(
    lookup: string,
    decision: QueueEntry['decision'],
    asks: boolean,
  ): Promise<Candidate | null> {
    const id = this.#review.proposals.find(lookup, decision)?.entityId ?? null
    if (id === null) return null
    if (!asks) return this.#candidates.findShown(lookup, id)
    return this.#candidates.findCompany(lookup, id, undefined).catch(() => null)
  }

  #toAlikeRows(rows: readonly QueueRow[], candidates: readonly Candidate[]): AlikeRow[] {
    const own = candidates.flatMap(({ entityId }) => entityId ?? [])
    const kept = this.#candidates.readStored(rows.map(({ lookup }) => lookup))
    return rows.map((row, at) => {
      const others = kept[at] ?? null
      const isShared = (id: string) => others?.some(({ entityId }) => entityId === id) ?? true
      return { row, entityIds: own.filter(isShared), isLookedAt: others !== null }
    })
  }
}

/** Stands for a lookup that is no longer in the checkpoint. */
const nothingAsked: Lookup = { name: '', location: null, context: null }

const formatError = ({ message, hint }: UserError): string =>
  hint === undefined ? message : `${message}; ${hint}`
