import type { RunObjectLenient } from '../../contract/resolution.js'
import { errorText } from '../../core/errors.js'
import { at, integerOf } from '../../core/json.js'
import { type Clock, WakeSignal } from '../../platform/clock.js'
import type { CheckpointReader, LookupId } from '../checkpoint/checkpoint.js'
import { isDoubtful } from '../lookups/lookup-state.js'
import { outcomeOf } from '../answers/outcome.js'
import type { Candidate, CandidateSource } from '../answers/candidate.js'
import type { KeptCandidates } from './review-store.js'
import { isDoubtfulLine, takesConfidence } from '../answers/doubtful-line.js'
import { lineVersions } from '../answers/stage-lines.js'

/** Those of the lookups whose answer is doubtful. */
export function doubtfulAmong(
  ids: readonly LookupId[],
  reader: Pick<CheckpointReader, 'outcomes' | 'answered'>,
  threshold: number,
): LookupId[] {
  const outcomes = reader.outcomes(ids)
  const open = ids.filter((_, at) => takesConfidence(outcomes[at] ?? null, threshold))
  const answered = reader.answered(open, lineVersions)
  const lines = new Map(open.map((id, at) => [id, answered[at]?.line]))
  const lineOf = (id: LookupId) => lines.get(id)?.toString() ?? null
  return ids.filter((id, at) => isDoubtfulLine(outcomes[at] ?? null, () => lineOf(id), threshold))
}

const gathererLimits = {
  /** Lookups whose candidates are asked for at one time, and kept in one commit. */
  batchCount: 200,
  /** What comes one by one waits for company so long: each commit syncs the disk. */
  gatherMs: 1_000,
  /** Candidates of other editions are forgotten when none were found for so long, so many in one commit. */
  forgetAfterMs: 7 * 24 * 3_600_000,
  forgetCount: 1_000,
} as const

export interface CandidateGathererDeps {
  readonly source: Pick<CandidateSource, 'candidatesOf'>
  readonly scope: string
  readonly threshold: number
  /** Called when the first doubtful answer is there; whoever opens it closes it. */
  readonly openStore: () => KeptCandidates
  /** How the scopes of all editions begin: what was found in others can be found again at no cost. */
  readonly editionScopes: string
  /** Null where there is no checkpoint. */
  readonly openReader: () => CheckpointReader | null
  readonly clock: Clock
  /** Aborted: nothing more is asked for; the next run makes up for it. */
  readonly stopSignal: AbortSignal
  /** What could not be gathered, in a sentence; said once. */
  readonly onMissing: (text: string) => void
}

/**
 * Keeps the candidates of doubtful answers while a run goes on, for whoever reviews them. It never fails: what cannot be
 * gathered is missing. What a killed run did not come to, the next one makes up for.
 */
export class CandidateGatherer {
  readonly #deps: CandidateGathererDeps
  readonly #signal: WakeSignal
  /** Lookups whose answers are doubtful: a number each. */
  #waiting: LookupId[] = []
  /** That may have been answered by others, and how far it was looked at. */
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

  /** An answer was recorded. */
  answered(lookupId: LookupId, run: RunObjectLenient): void {
    const confidence = integerOf(at(run.data, 'match_confidence'))
    const answer = { state: 'answered', outcome: outcomeOf(run, false), confidence } as const
    if (!isDoubtful(answer, this.#deps.threshold)) return
    this.#waiting.push(lookupId)
    if (this.#waiting.length >= gathererLimits.batchCount) this.#signal.ring()
  }

  /** These may have been answered meanwhile, by other processes. */
  lookAt(known: Uint32Array): void {
    this.#known = known
    this.#position = 0
    this.#signal.ring()
  }

  /** No further answer will come. */
  complete(): void {
    this.#isComplete = true
    this.#signal.ring()
  }

  /** `known`: the lookups of this run. Resolves when all is kept that was told, or it was stopped; never rejects. */
  async run(known: Uint32Array): Promise<void> {
    const { stopSignal } = this.#deps
    stopSignal.addEventListener('abort', this.#signal.ring, { once: true })
    try {
      this.#known = known
      await this.#gatherAll()
      await this.#forgetOthers()
    } catch (error) {
      this.#tellMissing(errorText(error))
    } finally {
      stopSignal.removeEventListener('abort', this.#signal.ring)
      this.#reader?.close()
    }
  }

  /** New answers first: their candidates have just been made. Then, a batch at a time, what was answered before. */
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
        await reader.fetchLookups(ids)
        await this.#gather(doubtfulAmong(ids, reader, this.#deps.threshold))
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
    await reader.fetchLookups(ids)
    const keys = reader.identities(ids).map((identity) => hexOf(identity?.key ?? new Uint8Array()))
    const isKept = await store.haveCandidates(scope, keys)
    const asked = reader.asked(ids)
    const found = new Map<string, readonly Candidate[]>()
    const asking = keys.map(async (key, index) => {
      const lookup = asked[index]
      if (isKept[index] === true || !lookup) return
      const candidates = await this.#candidatesOf(lookup)
      if (candidates !== null) found.set(key, candidates)
    })
    await Promise.all(asking)
    if (found.size > 0) await store.keepCandidates(scope, found, clock.nowMs())
  }

  /** No lookup of this edition has them. What a run is too late for, or fails to forget, a later one forgets. */
  async #forgetOthers(): Promise<void> {
    const { scope, editionScopes, clock, stopSignal } = this.#deps
    const store = this.#store
    if (store === null) return
    try {
      const sinceMs = clock.nowMs() - gathererLimits.forgetAfterMs
      for (const other of await store.scopesBefore(editionScopes, sinceMs)) {
        if (other === scope) continue
        while (!stopSignal.aborted)
          if ((await store.forgetCandidates(other, gathererLimits.forgetCount)) === 0) break
      }
    } catch {
      // Nothing is missing for it.
    }
  }

  async #candidatesOf(
    lookup: Parameters<CandidateSource['candidatesOf']>[0],
  ): Promise<readonly Candidate[] | null> {
    const { source, stopSignal } = this.#deps
    try {
      return await source.candidatesOf(lookup, stopSignal)
    } catch (error) {
      if (!stopSignal.aborted) this.#tellMissing(errorText(error))
      return null
    }
  }

  /** Read as it is committed, beside whoever writes it. */
  #openReader(): CheckpointReader | null {
    return (this.#reader ??= this.#deps.openReader())
  }

  #tellMissing(reason: string): void {
    if (this.#hasToldMissing) return
    this.#hasToldMissing = true
    this.#deps.onMissing(`Some candidates of doubtful rows are missing: ${reason}. The next run looks again.`)
  }
}

const hexOf = (key: Uint8Array) => Buffer.from(key).toString('hex')
