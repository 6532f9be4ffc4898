import { availableParallelism } from 'node:os'
import { errorTypes } from '../contract/errors.js'
import type { Resolution } from '../contract/result.js'
import { systemClock, type Clock } from '../platform/clock.js'
import type { Registry } from '../registry/registry.js'
import type { Candidate } from '../pipeline/answers/candidate.js'
import type { Knowledge, Query } from '../service/knowledge.js'
import { Refusal } from '../service/refusal.js'
import { closed, Dispatch } from './matcher-dispatch.js'
import {
  answerQuestion,
  candidatesAlong,
  candidatesBeside,
  fileOf,
  readCandidates,
  readLikely,
  readResolution,
  readSearch,
} from './matcher-protocol.js'
import type { ThreadCode } from './matcher-thread.js'
import { knowledgeOf } from './registry-adapter.js'

const poolLimits = {
  threadsMax: 64,
  /** Without being told how many. */
  threadsByDefaultMax: 8,
  /** What the threads' pages of the registry may take together, but no thread has less than the least. */
  cacheKibibytes: 65_536,
  threadCacheKibibytesMin: 16_384,
  /** Searches that wait; further ones are refused. Runs are stored, and whoever works them off asks for so many. */
  searchesWaitingMax: 1_000,
  questionMsMax: 10_000,
  /** Names that took this thread so long are work enough for others: starting them takes a part of it. */
  workHereMsMax: 150,
} as const

export interface MatcherPoolDeps {
  /** Open in this thread, and its owner's to close, after the pool. */
  readonly registry: Registry
  /** Where the threads open it again; null: the one that ships with the package. */
  readonly registryPath: string | null
  /** 0: all is answered in this thread. */
  readonly threadCount: number
  /** When threads are started: at once, or when there is work enough for them. */
  readonly start: 'at_once' | 'with_work'
  /** Candidates of answers that are doubtful by this threshold are made beside them, to be asked for; none if left out. */
  readonly doubtThreshold?: number
  readonly log: (line: string) => void
  readonly clock?: Clock
  readonly questionMsMax?: number
  /** Of the threads; this package's if left out. */
  readonly code?: ThreadCode
}

/** A `Knowledge` whose names are matched in threads. */
export interface MatcherPool extends Knowledge {
  /** The companies that a query may mean, the likeliest first. */
  candidates(query: Query): Promise<readonly Candidate[]>
  /** Those that take questions now. */
  openThreadCount(): number
  /** Ends the threads; what is open is rejected. */
  close(): Promise<void>
}

/**
 * None where there is one core. In a run the first thread is busy all the time and has a core to itself; of a service the
 * system shares the cores out between all.
 */
export function threadsByDefault(beside: 'a_run' | 'a_service', coreCount = availableParallelism()): number {
  if (coreCount < 2) return 0
  return Math.min(beside === 'a_run' ? coreCount - 1 : coreCount, poolLimits.threadsByDefaultMax)
}

/**
 * Names are matched by threads, each with the registry open; all else is read in this one. Until the threads are
 * there, and where none can be started, this thread matches names too.
 */
export function createMatcherPool(deps: MatcherPoolDeps): MatcherPool {
  const { registry, registryPath, threadCount, log, clock = systemClock } = deps
  const knowledge = knowledgeOf(registry)
  const file = fileOf(registryPath)
  let dispatch: Dispatch | null = null
  let isClosed = false
  let workedHereMs = 0

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
  /** Null where this thread is to answer. */
  const threads = (): Dispatch | null => {
    if (isClosed) throw closed()
    return dispatch?.isOpen === true ? dispatch : null
  }
  const here = <Answer>(answer: () => Answer): Answer => {
    const startMs = clock.monotonicMs()
    try {
      return knowledge.atOnce(answer)
    } finally {
      workedHereMs += clock.monotonicMs() - startMs
      if (workedHereMs >= poolLimits.workHereMsMax) startThreads()
    }
  }
  if (deps.start === 'at_once') startThreads()
  const along = new CandidatesAlong()
  const doubtThreshold = deps.doubtThreshold ?? null
  const resolveHere = (query: Query): Resolution => {
    const asked = knowledge.ask(query)
    const answer = asked.answer()
    along.keep(query, candidatesBeside(answer, asked, doubtThreshold))
    return answer
  }
  return {
    ...knowledge,
    resolve: (query) => {
      const open = threads()
      if (open === null) return here(() => resolveHere(query))
      return open.ask({ kind: 'resolve', query, doubtThreshold }).then((texts) => {
        along.keep(query, candidatesAlong(texts))
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
      if (open.waitingCount('search') >= poolLimits.searchesWaitingMax) throw tooBusy()
      return open.ask({ kind: 'search', request }).then(readSearch)
    },
    likelyCompanies: (query, countMax) => {
      const open = threads()
      if (open === null) return here(() => knowledge.likelyCompanies(query, countMax))
      if (open.waitingCount('likely') >= poolLimits.searchesWaitingMax) throw tooBusy()
      return open.ask({ kind: 'likely', query, countMax }).then(readLikely)
    },
    openThreadCount: () => dispatch?.openCount ?? 0,
    close: async () => {
      isClosed = true
      await dispatch?.close()
    },
  }
}

const tooBusy = (): Refusal =>
  new Refusal(500, errorTypes.apiError, 'too many searches wait already; try again in a moment')

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
