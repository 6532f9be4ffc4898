import { availableParallelism } from 'node:os'
import { errorTypes } from '../contract/errors.js'
import type { Resolution } from '../contract/result.js'
import { systemClock, type Clock } from '../platform/clock.js'
import type { Registry } from '../registry/registry.js'
import type { Candidate } from '../pipeline/answers/candidate.js'
import type { Knowledge, Query } from '../service/knowledge.js'
import { Refusal } from '../service/refusal.js'
import { createClosedError, Dispatch } from './matcher-dispatch.js'
import {
  answerQuestion,
  getCandidates,
  gatherCandidates,
  identifyFile,
  readCandidates,
  readLikely,
  readResolution,
  readSearch,
} from './matcher-protocol.js'
import type { ThreadCode } from './matcher-thread.js'
import { createKnowledge } from './registry-adapter.js'

const poolLimits = {
  threadsMax: 64,
  /** Default maximum number of threads. */
  threadsByDefaultMax: 8,
  /** Page cache of the registry for all threads together, in KiB; each thread has at least the minimum. */
  cacheKibibytes: 65_536,
  threadCacheKibibytesMin: 16_384,
  /** Maximum number of waiting searches; further ones are refused. Runs are stored, and their worker limits its requests. */
  searchesWaitingMax: 1_000,
  questionMsMax: 10_000,
  /**
   * Threads are started when the main thread has answered this many questions and has matched names for this long. The first
   * answers are slow, and a thread costs more CPU than a short file.
   */
  answersHereMax: 50,
  workHereMsMax: 150,
} as const

export interface MatcherPoolDeps {
  /** Registry of this thread. The caller closes it after the pool. */
  readonly registry: Registry
  /** Path that the threads open; `null` for the registry of the package. */
  readonly registryPath: string | null
  /** With 0, this thread matches all names. */
  readonly threadCount: number
  /** Start threads immediately, or when there is enough work. */
  readonly start: 'at_once' | 'with_work'
  /** Candidates are gathered with answers that are doubtful by this threshold; without it, none are. */
  readonly doubtThreshold?: number
  readonly log: (line: string) => void
  readonly clock?: Clock
  readonly questionMsMax?: number
  /** Code of the threads; defaults to that of this package. */
  readonly code?: ThreadCode
}

/** A `Knowledge` that matches names in threads. */
export interface MatcherPool extends Knowledge {
  /** Returns the candidates of a query, the likeliest first. */
  candidates(query: Query): Promise<readonly Candidate[]>
  /** Number of threads that accept questions. */
  openThreadCount(): number
  /** Ends the threads, and rejects open questions. */
  close(): Promise<void>
}

/**
 * Returns 0 on one core. In a run the main thread is always busy and keeps one core; in a service the threads use all
 * cores.
 */
export function countDefaultThreads(
  beside: 'a_run' | 'a_service',
  coreCount = availableParallelism(),
): number {
  if (coreCount < 2) return 0
  return Math.min(beside === 'a_run' ? coreCount - 1 : coreCount, poolLimits.threadsByDefaultMax)
}

/**
 * Creates a pool of threads that match names, each with the registry open. Other reads use this thread, which also matches
 * names while no thread is available.
 */
export function createMatcherPool(deps: MatcherPoolDeps): MatcherPool {
  const { registry, registryPath, threadCount, log, clock = systemClock } = deps
  const knowledge = createKnowledge(registry)
  const file = identifyFile(registryPath)
  let dispatch: Dispatch | null = null
  let isClosed = false
  let workedHereMs = 0
  let answeredHere = 0

  const startThreads = (): void => {
    if (dispatch !== null || threadCount === 0) return
    const { cacheKibibytes, threadCacheKibibytesMin, questionMsMax } = poolLimits
    dispatch = new Dispatch({
      threadCount,
      registryPath,
      file,
      cacheKibibytes: Math.max(threadCacheKibibytesMin, Math.floor(cacheKibibytes / threadCount)),
      questionMsMax: deps.questionMsMax ?? questionMsMax,
      code: deps.code ?? null,
      clock,
      log,
      answerHere: (question) => knowledge.atOnce(() => answerQuestion(knowledge, question)),
    })
  }
  /** `null` if this thread should answer. */
  const threads = (): Dispatch | null => {
    if (isClosed) throw createClosedError()
    return dispatch?.isOpen === true ? dispatch : null
  }
  const here = <Answer>(answer: () => Answer): Answer => {
    const startMs = clock.monotonicMs()
    try {
      return knowledge.atOnce(answer)
    } finally {
      workedHereMs += clock.monotonicMs() - startMs
      answeredHere++
      if (answeredHere >= poolLimits.answersHereMax && workedHereMs >= poolLimits.workHereMsMax)
        startThreads()
    }
  }
  if (deps.start === 'at_once') startThreads()
  const along = new CandidateCache()
  const doubtThreshold = deps.doubtThreshold ?? null
  const resolveHere = (query: Query): Resolution => {
    const asked = knowledge.ask(query)
    const answer = asked.answer()
    along.keep(query, gatherCandidates(answer, asked, doubtThreshold))
    return answer
  }
  return {
    ...knowledge,
    resolve: (query) => {
      const open = threads()
      if (open === null) return here(() => resolveHere(query))
      return open.ask({ kind: 'resolve', query, doubtThreshold }).then((texts) => {
        along.keep(query, getCandidates(texts))
        return readResolution(texts)
      })
    },
    candidates: async (query) => {
      const made = along.take(query)
      if (made !== null) return readCandidates([made])
      const open = threads()
      return open === null
        ? here(() => knowledge.candidates(query))
        : readCandidates(await open.ask({ kind: 'candidates', query }))
    },
    search: (request) => {
      const open = threads()
      if (open === null) return here(() => knowledge.search(request))
      if (open.countWaiting('search') >= poolLimits.searchesWaitingMax) throw createTooBusyError()
      return open.ask({ kind: 'search', request }).then(readSearch)
    },
    likelyCompanies: (query, countMax) => {
      const open = threads()
      if (open === null) return here(() => knowledge.likelyCompanies(query, countMax))
      if (open.countWaiting('likely') >= poolLimits.searchesWaitingMax) throw createTooBusyError()
      return open.ask({ kind: 'likely', query, countMax }).then(readLikely)
    },
    openThreadCount: () => dispatch?.openCount ?? 0,
    close: async () => {
      isClosed = true
      await dispatch?.close()
    },
  }
}

const createTooBusyError = (): Refusal =>
  new Refusal(500, errorTypes.apiError, 'too many searches wait already; try again in a moment')

const alongLimits = {
  /** Maximum number of answers with stored candidates; more than can be in flight. */
  countMax: 5_000,
  charsMax: 16 * 2 ** 20,
} as const

/**
 * Candidates that were gathered with answers, as JSON, until they are read. The oldest unread ones are dropped; they can
 * be gathered again.
 */
export class CandidateCache {
  readonly #texts = new Map<string, string>()
  #charCount = 0

  /** Stores candidates; `null` is ignored. */
  keep(query: Query, text: string | null): void {
    if (text === null) return
    const key = buildQueryKey(query)
    this.#drop(key)
    this.#texts.set(key, text)
    this.#charCount += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= alongLimits.countMax && this.#charCount <= alongLimits.charsMax) break
      this.#drop(oldest)
    }
  }

  /** Removes and returns candidates, or `null`. */
  take(query: Query): string | null {
    const key = buildQueryKey(query)
    const text = this.#texts.get(key) ?? null
    this.#drop(key)
    return text
  }

  #drop(key: string): void {
    this.#charCount -= this.#texts.get(key)?.length ?? 0
    this.#texts.delete(key)
  }
}

const buildQueryKey = ({ name, location, context }: Query) => JSON.stringify([name, location, context])
