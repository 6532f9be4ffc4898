import {
  type RunObject,
  type JobResult,
  type Resolution,
  resolution as resolutionSchema,
} from '../../contract/result.js'
import { applyWhenReady, type Awaitable } from '../../platform/sql-program.js'
import { toRootDomain } from '../../core/domain-name.js'
import { getErrorText } from '../../core/errors.js'
import { readContextIdentifiers, readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { nothingFound } from '../../contract/unknown.js'
import type { Clock } from '../../platform/clock.js'
import type { Knowledge, Query, ResolutionText, ResolvedRun } from '../knowledge.js'
import { limits } from '../limits.js'

/**
 * The outcome of a run as stored. `result` is a job result without its `request_id` and `basis`; `basis` is `null` if
 * the kickoff did not request it.
 */
export interface RunOutcome {
  readonly status: 'COMPLETED' | 'FAILED'
  readonly result: string
  readonly basis: string | null
  /** The reason for a failure, for the log; `null` after a success. */
  readonly fault: string | null
}

/**
 * Looks up the query of a run and converts the answer to the stored outcome; synchronous if the knowledge is. Never throws and
 * never rejects: an error, or an answer that breaks the interface, ends the run as failed.
 */
export function decideRun(
  knowledge: Pick<Knowledge, 'resolve'>,
  query: Query,
  run: ResolvedRun | Pick<ResolvedRun, 'withBasis' | 'nowMs'>,
): Awaitable<RunOutcome> {
  const toOutcome = (answer: Resolution | ResolutionText) =>
    buildRunOutcome('outcome' in answer ? answer : toResolutionText(answer), query, run)
  const toFailedOutcome = (error: unknown) =>
    buildRunOutcome(toResolutionText(failed), query, run, getErrorText(error))
  try {
    const answer = knowledge.resolve(query, 'runId' in run ? run : undefined)
    return answer instanceof Promise ? answer.then(toOutcome).catch(toFailedOutcome) : toOutcome(answer)
  } catch (error) {
    return toFailedOutcome(error)
  }
}

/** Converts a resolution to text. Throws if it breaks the interface, unless `isTrusted`. */
export function toResolutionText(resolution: Resolution, isTrusted = false): ResolutionText {
  if (!isTrusted) assertResolution(resolution)
  const { basis, classification } = resolution
  const outcome = listOutcome(resolution)
  return {
    status: outcome.status,
    classification,
    outcome: JSON.stringify(outcome),
    basis: JSON.stringify(basis),
  }
}

function assertResolution(resolution: Resolution): void {
  const { error } = resolutionSchema.safeParse(resolution)
  if (error === undefined) return
  const faults = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  throw new Error(`the answer breaks the interface: ${faults.join('; ')}`)
}

/** Returns the fields of a resolution in the order of the interface, without the basis and the classification. */
function listOutcome(resolution: Resolution): Omit<Resolution, 'basis' | 'classification'> {
  const { status, type, subtype, entity, candidate, factors, actions } = resolution
  const { match_confidence, merged_into } = resolution
  return { status, match_confidence, type, subtype, entity, candidate, factors, actions, merged_into }
}

/** Builds what a run stores of an answer. `fault`: the reason for a failure. */
export function buildRunOutcome(
  text: ResolutionText,
  query: Query,
  { withBasis, nowMs }: Pick<ResolvedRun, 'withBasis' | 'nowMs'>,
  fault: string | null = null,
): RunOutcome {
  const metadata = buildMetadata(text, query, nowMs)
  return {
    status: text.status === 'failed' ? 'FAILED' : 'COMPLETED',
    result: `${text.outcome.slice(0, -1)},"metadata":${JSON.stringify(metadata)}}`,
    basis: withBasis ? text.basis : null,
    fault,
  }
}

function buildMetadata(
  { hit, classification }: Pick<ResolutionText, 'hit'> & { readonly classification: string | null },
  { name, location, context }: Query,
  nowMs: number,
): JobResult['metadata'] {
  const atIso = new Date(hit?.resolvedAtMs ?? nowMs).toISOString()
  return {
    query: { name, location, context, classification, mode: 'standard' },
    resolved_at: atIso,
    updated_at: atIso,
    from_cache: hit !== undefined,
    cache_hit_type: hit?.type ?? null,
  }
}

/** Returns the object whose JSON is the body of the poll of a completed run: see `formatRunBody`. */
export function buildRunObject(
  resolution: Resolution,
  query: Query,
  { runId, customId, callId, withBasis, nowMs }: ResolvedRun,
): RunObject {
  return {
    run_id: runId,
    ...(customId === null ? {} : { custom_id: customId }),
    status: 'COMPLETED',
    data: {
      ...listOutcome(resolution),
      metadata: buildMetadata(resolution, query, nowMs),
      ...(withBasis ? { basis: resolution.basis } : {}),
      request_id: callId,
    },
  }
}

const failed: Resolution = { status: 'failed', ...nothingFound }

interface CachedAnswer {
  readonly text: ResolutionText
  readonly resolvedAtMs: number
  /** The queries with this answer, as they were written. */
  readonly queries: Set<string>
}

/**
 * Answers of one edition in memory, limited in size and age; the least recently used one is removed first. Queries
 * that differ only in case, width or spaces share an answer.
 */
class AnswerCache {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #answers = new Map<string, CachedAnswer>()
  #charCount = 0
  #edition: string | null = null

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** Removes the answers of another edition. To be called before research and lookups. */
  use(edition: string | null): void {
    if (edition !== this.#edition) for (const key of [...this.#answers.keys()]) this.#remove(key)
    this.#edition = edition
  }

  find(query: Query): ResolutionText | null {
    const key = toSimilarKey(query)
    const written = toExactKey(query)
    const kept = this.#touch(key)
    if (kept !== null) {
      const type = kept.queries.has(written) ? 'exact' : 'similar'
      if (kept.queries.size < formsMax) kept.queries.add(written)
      return { ...kept.text, hit: { type, resolvedAtMs: kept.resolvedAtMs } }
    }
    const domain = toOnlyDomain(query)
    const looked = domain === null ? null : this.#touch(toDomainKey(domain))
    if (looked === null) return null
    this.#keep(key, { ...looked, queries: new Set([written]) })
    return { ...looked.text, hit: { type: 'domain_cache', resolvedAtMs: looked.resolvedAtMs } }
  }

  /** Stores an answer of fresh research, unless the edition has changed since. */
  store(query: Query | string, text: ResolutionText, edition: string | null): void {
    if (edition !== this.#edition || text.status === 'failed') return
    const resolvedAtMs = this.#clock.nowMs()
    const [key, queries] =
      typeof query === 'string' ? [toDomainKey(query), []] : [toSimilarKey(query), [toExactKey(query)]]
    this.#keep(key, { text, resolvedAtMs, queries: new Set(queries) })
  }

  #keep(key: string, kept: CachedAnswer): void {
    this.#remove(key)
    this.#answers.set(key, kept)
    this.#charCount += countChars(kept)
    for (const oldest of this.#answers.keys()) {
      if (this.#charCount <= limits.cachedAnswerCharsMax) return
      this.#remove(oldest)
    }
  }

  #touch(key: string): CachedAnswer | null {
    const kept = this.#answers.get(key)
    if (kept === undefined) return null
    this.#answers.delete(key)
    this.#answers.set(key, kept)
    if (this.#clock.nowMs() - kept.resolvedAtMs < limits.recordMsMax) return kept
    this.#remove(key)
    return null
  }

  #remove(key: string): void {
    const kept = this.#answers.get(key)
    if (kept === undefined) return
    this.#charCount -= countChars(kept)
    this.#answers.delete(key)
  }
}

/** Most ways of writing a query that are remembered for each answer. */
const formsMax = 16
const countChars = ({ text }: CachedAnswer) => text.outcome.length + text.basis.length

const toExactKey = ({ name, location, context }: Query) => JSON.stringify([name, location, context])
const toDomainKey = (domain: string) => `domain ${domain}`

function toSimilarKey({ name, location, context }: Query): string {
  const fold = (text: string | null) =>
    text?.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim() || null
  return JSON.stringify([name, location, context].map(fold))
}

/** Returns the domain if a query is only a website; otherwise `null`. */
function toOnlyDomain({ name: text, context }: Query): string | null {
  const { name, identifiers } = readIdentifiers(text)
  const [first, ...others] = [...identifiers, ...readContextIdentifiers(context).identifiers]
  const isWebsite = name === null && first?.kind === 'website' && others.length === 0
  return isWebsite ? toRootDomain(first.value) : null
}

/** Returns knowledge that answers a query from an earlier, equivalent one, or from an earlier lookup of its domain. */
export function withAnswerCache(knowledge: Knowledge, clock: Pick<Clock, 'nowMs'>): Knowledge {
  const cache = new AnswerCache(clock)
  const useEdition = () => {
    const edition = knowledge.edition?.() ?? null
    cache.use(edition)
    return edition
  }
  return {
    ...knowledge,
    resolve: (query, run) => {
      const edition = useEdition()
      const found = cache.find(query)
      if (found !== null) return found
      return applyWhenReady(knowledge.resolve(query, run), (answer) => {
        const text = 'outcome' in answer ? answer : toResolutionText(answer)
        cache.store(query, text, edition)
        return text
      })
    },
    resolveDomain: (domain) => {
      const edition = useEdition()
      const resolution = knowledge.resolveDomain(domain)
      cache.store(domain, toResolutionText(resolution), edition)
      return resolution
    },
  }
}
