import { availableParallelism } from 'node:os'
import { systemClock, type Clock } from '../platform/clock.js'
import type { Registry } from '../registry/read-registry.js'
import type { Candidate } from '../core/decisions.js'
import type { PreparedAnswer, PreparedAnswers } from '../pipeline/answers/joined-line.js'
import { tooManySearches, type Knowledge, type Query } from '../service/knowledge-provider.js'
import { createClosedError, Dispatch } from './matcher-dispatch.js'
import {
  answerQuestion,
  getCandidates,
  identifyFile,
  readCandidates,
  readLikely,
  readResolution,
  readSearch,
  type QuestionAnswer,
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
   * The main thread starts threads after this many answers that took it at least `workMsMin`, or after answers that took it
   * `workMsMax`. A thread needs about a second of CPU until its code is compiled: for a short file, it costs more than it
   * saves. Time alone would start threads for a short file on a busy machine, where they help least.
   */
  answersMin: 250,
  workMsMin: 800,
  workMsMax: 10_000,
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
  /** Answers of runs are prepared for the checkpoint of a pipeline in this process; defaults to false. */
  readonly prepares?: boolean
  readonly log: (line: string) => void
  readonly clock?: Clock
  readonly questionMsMax?: number
  /** Code of the threads; defaults to that of this package. */
  readonly code?: ThreadCode
}

export interface MatcherPool extends Knowledge {
  /** Answers that were prepared with the answers of runs, until they are taken. */
  readonly prepared: PreparedAnswers
  /** Returns the candidates of a query, the likeliest first. */
  candidates(query: Query): Promise<readonly Candidate[]>
  /** Number of threads that accept questions. */
  openThreadCount(): number
  /** Ends the threads, and rejects open questions. */
  close(): Promise<void>
}

/** Returns the default number of threads: one for each core, at most 8; 0 on one core. */
export function countDefaultThreads(coreCount = availableParallelism()): number {
  return coreCount < 2 ? 0 : Math.min(coreCount, poolLimits.threadsByDefaultMax)
}

/** Creates a pool of threads that match names. This thread reads the rest, and names while none is free. */
export function createMatcherPool(deps: MatcherPoolDeps): MatcherPool {
  const { registry, registryPath, threadCount, log, clock = systemClock } = deps
  const knowledge = createKnowledge(registry)
  const file = identifyFile(registryPath)
  let dispatch: Dispatch | null = null
  let isClosed = false
  let workedHereMs = 0
  let answeredHereCount = 0

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
      answeredHereCount++
      const { answersMin, workMsMin, workMsMax } = poolLimits
      if (workedHereMs >= (answeredHereCount >= answersMin ? workMsMin : workMsMax)) startThreads()
    }
  }
  if (deps.start === 'at_once') startThreads()
  const along = new CandidateCache()
  const doubtThreshold = deps.doubtThreshold ?? null
  const prepared = new AnswerShelf()
  const keep = (query: Query, answer: QuestionAnswer) => {
    along.keep(query, getCandidates(answer.texts))
    prepared.keep(answer.prepared ?? null)
    return readResolution(answer.texts)
  }
  return {
    ...knowledge,
    prepared,
    resolve: (query, run) => {
      const open = threads()
      const question = {
        kind: 'resolve',
        query,
        run: deps.prepares === true ? (run ?? null) : null,
        doubtThreshold,
      } as const
      if (open === null)
        return keep(
          query,
          here(() => answerQuestion(knowledge, question)),
        )
      return open.ask(question).then((answer) => keep(query, answer))
    },
    candidates: async (query) => {
      const made = along.take(query)
      if (made !== null) return readCandidates([made])
      const open = threads()
      return open === null
        ? here(() => knowledge.candidates(query))
        : readCandidates((await open.ask({ kind: 'candidates', query })).texts)
    },
    search: (request) => {
      const open = threads()
      if (open === null) return here(() => knowledge.search(request))
      if (open.countWaiting('search') >= poolLimits.searchesWaitingMax) throw tooManySearches()
      return open.ask({ kind: 'search', request }).then(({ texts }) => readSearch(texts))
    },
    likelyCompanies: (query, countMax) => {
      const open = threads()
      if (open === null) return here(() => knowledge.likelyCompanies(query, countMax))
      if (open.countWaiting('likely') >= poolLimits.searchesWaitingMax) throw tooManySearches()
      return open.ask({ kind: 'likely', query, countMax }).then(({ texts }) => readLikely(texts))
    },
    openThreadCount: () => dispatch?.openCount ?? 0,
    close: async () => {
      isClosed = true
      await dispatch?.close()
    },
  }
}

const alongLimits = {
  /** Maximum number of answers with stored candidates; more than can be in flight. */
  countMax: 5_000,
  charsMax: 16 * 2 ** 20,
} as const

/** Gathered candidates as JSON, until they are read. The oldest are dropped; they can be gathered again. */
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

/** Prepared answers that are not yet taken. The oldest ones are dropped; the poller then reads the body. */
class AnswerShelf implements PreparedAnswers {
  readonly #answers = new Map<string, PreparedAnswer>()

  keep(answer: PreparedAnswer | null): void {
    if (answer === null) return
    // A message turns a buffer into an array of bytes.
    const bytes = Buffer.from(answer.packed.packed.buffer)
    this.#answers.set(answer.runId, { ...answer, packed: { ...answer.packed, packed: bytes } })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= alongLimits.countMax) break
      this.#answers.delete(oldest)
    }
  }

  take(runId: string): PreparedAnswer | null {
    const answer = this.#answers.get(runId) ?? null
    this.#answers.delete(runId)
    return answer
  }
}

const buildQueryKey = ({ name, location, context }: Query) => JSON.stringify([name, location, context])
