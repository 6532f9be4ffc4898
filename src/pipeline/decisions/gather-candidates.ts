import { getErrorText } from '../../core/errors.js'
import { WakeSignal, type Clock } from '../../platform/clock.js'
import type { CheckpointReader } from '../checkpoint/lookup.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { RecordedAnswer } from '../scheduler/scheduler.js'
import type { RowIndex } from '../input/ingest.js'
import { getDecisionService, type Candidate, type CandidateSource } from '../../core/decisions.js'
import { isDoubtful, type AnsweredLookup } from '../../core/lookup-state.js'
import type { Stop } from '../scheduler/scheduling.js'
import type { OutputColumn } from '../answers/columns.js'
import type { ReviewColumnName } from '../answers/column-kinds.js'
import type { ReviewCandidates } from './review-store.js'
import { isDoubtfulLine, shouldReadConfidence } from '../answers/answer-line.js'
import { lineVersions } from '../answers/stage-lines.js'

/** Called with each answered resolution. */
export type OnAnswered = (lookupId: LookupId, answer: RecordedAnswer) => void

interface CandidateGathering extends Omit<CandidateGathererDeps, 'editionScopes' | 'stopSignal'> {
  readonly source: CandidateSource
  readonly interrupt: AbortSignal
}

/**
 * Runs `work` while gathering the candidates of its doubtful answers, if the service provides them during a run. When
 * all lookups are answered, it waits for the remaining candidates, but not after a stop. `known`: lookups answered by
 * an earlier run, which may have died before it gathered all candidates; `alsoKnown`: those that other processes may
 * have answered.
 */
export async function withCandidateGathering(
  { interrupt, ...deps }: CandidateGathering,
  known: Uint32Array,
  work: (onAnswered: OnAnswered | undefined) => Promise<Stop | null>,
  alsoKnown: () => Promise<Uint32Array>,
): Promise<Stop | null> {
  if (!deps.source.isEager) return work(undefined)
  const stopping = new AbortController()
  const gatherer = new CandidateGatherer({
    ...deps,
    editionScopes: `${getDecisionService(null)}:`,
    stopSignal: AbortSignal.any([stopping.signal, interrupt]),
  })
  const gathering = gatherer.run(known)
  try {
    const stop = await work((lookupId, answer) => {
      gatherer.onAnswer(lookupId, answer)
    })
    if (stop === null) {
      const also = await alsoKnown()
      if (also.length > 0) gatherer.recheck(also)
      gatherer.complete()
    } else stopping.abort()
    return stop
  } catch (error) {
    stopping.abort()
    throw error
  } finally {
    await gathering
  }
}

/** Returns the lookups of all rows, without duplicates. */
export function listLookups(index: RowIndex): Uint32Array {
  return index.getDistinct().ids.filter((id) => id !== 0 && index.getReason(id) === null)
}

interface BringCandidatesDeps {
  readonly candidates: Pick<ReviewCandidates, 'fetch'>
  readonly scope: string
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  /** Keys of decided lookups, in hex. */
  readonly decided: readonly string[]
  readonly columns: readonly Pick<OutputColumn, 'name'>[]
  readonly doubtThreshold: number
}

const lookupsAtOnce = 2_000

/** Copies the candidates that an output shows: of decided lookups, and of doubtful ones if their column is written. */
export async function copyCandidates(deps: BringCandidatesDeps): Promise<void> {
  const { candidates, scope, index, reader, decided, columns, doubtThreshold } = deps
  if (decided.length > 0) await candidates.fetch(scope, decided)
  const isWritten = columns.some(({ name }) => name === ('candidates' satisfies ReviewColumnName))
  if (!isWritten || reader === null) return
  const ids = listLookups(index)
  for (let start = 0; start < ids.length; start += lookupsAtOnce) {
    const doubtful = findDoubtful([...ids.subarray(start, start + lookupsAtOnce)], reader, doubtThreshold)
    const keys = reader.readLookups(doubtful).flatMap((identity) => identity?.key ?? [])
    if (keys.length > 0)
      await candidates.fetch(
        scope,
        keys.map((key) => Buffer.from(key).toString('hex')),
      )
  }
}

/** Returns the lookups whose answer is doubtful. */
export function findDoubtful(
  ids: readonly LookupId[],
  reader: Pick<CheckpointReader, 'readOutcomes' | 'readLines'>,
  threshold: number,
): LookupId[] {
  const outcomes = reader
    .readOutcomes(ids, () => false)
    .map((answered) => (answered?.kind === 'resolution' ? answered.outcome : null))
  const open = ids.filter((_, at) => shouldReadConfidence(outcomes[at] ?? null, threshold))
  const answered = reader.readLines(open, lineVersions)
  const lines = new Map(open.map((id, at) => [id, answered[at]?.line]))
  const getLine = (id: LookupId) => lines.get(id)?.toString() ?? null
  return ids.filter((id, at) => isDoubtfulLine(outcomes[at] ?? null, () => getLine(id), threshold))
}

const gathererLimits = {
  /** Number of lookups whose candidates are fetched at once and stored in one commit. */
  batchCount: 200,
  /** Longest delay before a smaller batch is committed. Each commit syncs the disk. */
  gatherMs: 1_000,
  /** Candidates of an edition are deleted this long after the last one was found, in commits of `forgetCount`. */
  forgetAfterMs: 7 * 24 * 3_600_000,
  forgetCount: 1_000,
} as const

export interface CandidateGathererDeps {
  readonly source: Pick<CandidateSource, 'findCandidates'>
  readonly scope: string
  readonly threshold: number
  /** Called at the first doubtful answer. The caller's owner closes the store. */
  readonly openStore: () => Omit<ReviewCandidates, 'read' | 'hasAny' | 'fetch'>
  /** Common prefix of all editions' scopes. Candidates of other editions can be found again without cost. */
  readonly editionScopes: string
  /** Returns `null` if there is no checkpoint. */
  readonly openReader: () => CheckpointReader | null
  readonly clock: Clock
  /** Stops fetching. The next run fetches the missing candidates. */
  readonly stopSignal: AbortSignal
  /** Receives the reason for missing candidates, in a sentence; called once. */
  readonly onMissing: (text: string) => void
}

/**
 * Stores the candidates of doubtful answers during a run, for reviewers. Never fails: candidates that cannot be fetched
 * are missing until the next run.
 */
export class CandidateGatherer {
  readonly #deps: CandidateGathererDeps
  readonly #signal: WakeSignal
  /** Lookups with doubtful answers. */
  #waiting: LookupId[] = []
  /** Lookups that other processes may have answered, and the number checked so far. */
  #known: Uint32Array = new Uint32Array()
  #position = 0
  #isComplete = false
  #hasToldMissing = false
  #store: ReturnType<CandidateGathererDeps['openStore']> | null = null
  #reader: CheckpointReader | null = null

  constructor(deps: CandidateGathererDeps) {
    this.#deps = deps
    this.#signal = new WakeSignal(deps.clock)
  }

  /** Call after an answer was recorded. */
  onAnswer(
    lookupId: LookupId,
    { outcome, confidence }: Pick<AnsweredLookup, 'outcome' | 'confidence'>,
  ): void {
    if (!isDoubtful({ state: 'answered', outcome, confidence }, this.#deps.threshold)) return
    this.#waiting.push(lookupId)
    if (this.#waiting.length >= gathererLimits.batchCount) this.#signal.ring()
  }

  /** Checks lookups that other processes may have answered. */
  recheck(known: Uint32Array): void {
    this.#known = known
    this.#position = 0
    this.#signal.ring()
  }

  /** No more answers will be added. */
  complete(): void {
    this.#isComplete = true
    this.#signal.ring()
  }

  /** `known`: the lookups of this run. Resolves when all candidates are stored or the run stops. Never rejects. */
  async run(known: Uint32Array): Promise<void> {
    const { stopSignal } = this.#deps
    stopSignal.addEventListener('abort', this.#signal.ring, { once: true })
    try {
      this.#known = known
      await this.#gatherAll()
      await this.#forgetOthers()
    } catch (error) {
      this.#reportMissing(getErrorText(error))
    } finally {
      stopSignal.removeEventListener('abort', this.#signal.ring)
      this.#reader?.close()
    }
  }

  /** New answers first, because their candidates were just computed; then older ones, in batches. */
  async #gatherAll(): Promise<void> {
    const { batchCount, gatherMs } = gathererLimits
    for (;;) {
      if (this.#deps.stopSignal.aborted) return
      const [known, position] = [this.#known, this.#position]
      const isLast = this.#isComplete && position >= known.length
      if (this.#waiting.length >= batchCount || (isLast && this.#waiting.length > 0)) {
        await this.#gather(this.#waiting.splice(0, batchCount))
      } else if (position < known.length) {
        const ids = [...known.subarray(position, position + batchCount)]
        this.#position += batchCount
        const reader = this.#openReader()
        if (reader === null) continue
        await reader.fetch({ ids })
        await this.#gather(findDoubtful(ids, reader, this.#deps.threshold))
      } else if (isLast) {
        return
      } else if (this.#waiting.length === 0) {
        await this.#signal.wait()
      } else {
        await this.#signal.wait(gatherMs)
        await this.#gather(this.#waiting.splice(0, batchCount))
      }
    }
  }

  async #gather(ids: readonly LookupId[]): Promise<void> {
    const reader = ids.length === 0 ? null : this.#openReader()
    if (reader === null) return
    const { scope, clock, openStore } = this.#deps
    const store = (this.#store ??= openStore())
    await reader.fetch({ ids })
    const asked = reader.readLookups(ids)
    const keys = asked.map((lookup) => toHex(lookup?.key ?? new Uint8Array()))
    const isKept = await store.has(scope, keys)
    const found = new Map<string, readonly Candidate[]>()
    const asking = keys.map(async (key, index) => {
      const lookup = asked[index]
      if (isKept[index] === true || !lookup) return
      const candidates = await this.#fetchCandidates(lookup)
      if (candidates !== null) found.set(key, candidates)
    })
    await Promise.all(asking)
    if (found.size > 0) await store.keep(scope, found, clock.nowMs())
  }

  /** Deletes candidates of old editions. A later run deletes the rest. */
  async #forgetOthers(): Promise<void> {
    const { scope, editionScopes, clock, stopSignal } = this.#deps
    const store = this.#store
    if (store === null) return
    try {
      const sinceMs = clock.nowMs() - gathererLimits.forgetAfterMs
      for (const other of await store.findStaleScopes(editionScopes, sinceMs)) {
        if (other === scope) continue
        while (!stopSignal.aborted) if ((await store.forget(other, gathererLimits.forgetCount)) === 0) break
      }
    } catch {
      // Stale candidates do no harm.
    }
  }

  async #fetchCandidates(
    lookup: Parameters<CandidateSource['findCandidates']>[0],
  ): Promise<readonly Candidate[] | null> {
    const { source, stopSignal } = this.#deps
    try {
      return await source.findCandidates(lookup, stopSignal)
    } catch (error) {
      if (!stopSignal.aborted) this.#reportMissing(getErrorText(error))
      return null
    }
  }

  /** Reads committed data; other processes may write at the same time. */
  #openReader(): CheckpointReader | null {
    return (this.#reader ??= this.#deps.openReader())
  }

  #reportMissing(reason: string): void {
    if (this.#hasToldMissing) return
    this.#hasToldMissing = true
    this.#deps.onMissing(
      `Some candidates of doubtful rows are missing: ${reason}. The next run fetches them.`,
    )
  }
}

const toHex = (key: Uint8Array) => Buffer.from(key).toString('hex')
