import { statSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import type { Resolution } from '../contract/result.js'
import { sendError, type SentError } from '../core/errors.js'
import type { Candidate } from '../core/decisions.js'
import { isDoubtful } from '../core/lookup-state.js'
import { prepareAnswer, type PreparedAnswer } from '../pipeline/answers/joined-line.js'
import {
  buildRunPoll,
  toResolutionText,
  type LikelyCompanies,
  type Query,
  type ResolutionText,
  type ResolvedRun,
  type SearchRequest,
  type SearchResults,
} from '../service/knowledge-provider.js'
import type { AskedQuery, RegistryKnowledge } from './registry-adapter.js'

/**
 * Messages between the thread of the service and the matcher threads. A message has several questions or answers. Answers
 * are JSON text, because cloning deep objects takes eight times as long.
 */

export type Question =
  | {
      readonly kind: 'resolve'
      readonly query: Query
      /** The run that is answered: its answer is prepared for the checkpoint. */
      readonly run: ResolvedRun | null
      /** Answers that are doubtful by this threshold contain their candidates; `null`: no answer does. */
      readonly doubtThreshold: number | null
    }
  | { readonly kind: 'search'; readonly request: SearchRequest }
  | { readonly kind: 'candidates'; readonly query: Query }
  | { readonly kind: 'likely'; readonly query: Query; readonly countMax: number }

export interface Asked {
  /** From 1; unique among open questions. */
  readonly number: number
  readonly question: Question
}

/** The texts of an answer, in the order that `readAnswer` takes them. */
export type AnswerTexts = readonly string[]

export type Answered =
  | { readonly number: number; readonly texts: AnswerTexts; readonly prepared?: PreparedAnswer | null }
  | { readonly number: number; readonly error: SentError }

/** First message of a matcher, with the file that it has opened. */
export interface Opened {
  readonly file: string
}

export const sharedAt = {
  /** Number of the current question; 0 between questions. */
  question: 0,
  /** Number of the last withdrawn message, whose unstarted questions are skipped. */
  withdrawnMessage: 1,
} as const

/** Questions for a matcher; messages are numbered from 1. */
export interface AskMessage {
  readonly messageNumber: number
  readonly asked: readonly Asked[]
}

export interface MatcherStart {
  /** `null` for the registry of the package. */
  readonly registryPath: string | null
  readonly cacheKibibytes: number
  /** Shared memory of both sides; `sharedAt` has the positions. */
  readonly shared: Int32Array<SharedArrayBuffer>
}

/** Longest delay of an answer to share a message with the next one. */
const gatherMsMax = 1

/** Answers questions until the thread is ended. */
export function answerQuestions(
  port: MessagePort | null,
  { registryPath, shared }: MatcherStart,
  knowledge: RegistryKnowledge,
): void {
  if (port === null) throw new Error('this is not a worker thread')
  port.on('message', ({ messageNumber, asked }: AskMessage) => {
    let answered: Answered[] = []
    let sentAtMs = performance.now()
    const answerAll = () => {
      for (const { number, question } of asked) {
        if (Atomics.load(shared, sharedAt.withdrawnMessage) >= messageNumber) break
        Atomics.store(shared, sharedAt.question, number)
        answered.push(answerOrError(knowledge, number, question))
        const nowMs = performance.now()
        if (nowMs - sentAtMs < gatherMsMax) continue
        port.postMessage(answered)
        answered = []
        sentAtMs = nowMs
      }
    }
    try {
      // One read transaction for the message, because starting one takes as long as several reads.
      knowledge.atOnce(answerAll)
    } catch (error) {
      // Its end may fail too, but then all questions have their answers.
      const isStarted = Atomics.load(shared, sharedAt.question) !== 0
      if (!isStarted) answered = asked.map(({ number }) => ({ number, error: sendError(error) }))
    }
    if (answered.length > 0) port.postMessage(answered)
    Atomics.store(shared, sharedAt.question, 0)
  })
  port.postMessage({ file: identifyFile(registryPath) } satisfies Opened)
}

function answerOrError(knowledge: RegistryKnowledge, number: number, question: Question): Answered {
  try {
    return { number, ...answerQuestion(knowledge, question) }
  } catch (error) {
    return { number, error: sendError(error) }
  }
}

/** A thread checks its first answers against the interface, and then one in fifty. */
const [checkedFirst, checkedEvery] = [100, 50]
let answerCount = 0
const isTrusted = () => ++answerCount > checkedFirst && answerCount % checkedEvery !== 0

/** An answer as a thread sends it; only answers of runs are prepared. */
export interface QuestionAnswer {
  readonly texts: AnswerTexts
  readonly prepared?: PreparedAnswer | null
}

export function answerQuestion(knowledge: RegistryKnowledge, question: Question): QuestionAnswer {
  switch (question.kind) {
    case 'resolve': {
      const { query, run, doubtThreshold } = question
      const asked = knowledge.ask(query)
      const answer = asked.answer()
      const text = toResolutionText(answer, isTrusted())
      const { outcome, basis, status, classification } = text
      const candidates = gatherCandidates(answer, asked, doubtThreshold)
      return {
        texts: [outcome, basis, status, classification ?? '', ...(candidates === null ? [] : [candidates])],
        prepared: run === null ? null : prepareResolution(answer, text, query, run),
      }
    }
    case 'search':
      return { texts: [JSON.stringify(knowledge.search(question.request))] }
    case 'candidates':
      return { texts: [JSON.stringify(knowledge.candidates(question.query))] }
    case 'likely':
      return { texts: [JSON.stringify(knowledge.likelyCompanies(question.query, question.countMax))] }
  }
}

/**
 * Makes what the pipeline stores of the answer of a run, as the poller would make it from the body of its poll. Returns
 * `null` for answers that the poller has to see. `text`: the text of the answer. `resolved`: its run.
 */
export function prepareResolution(
  answer: Resolution,
  text: ResolutionText,
  query: Query,
  resolved: ResolvedRun,
): PreparedAnswer | null {
  if (answer.status === 'failed' || answer.status === 'merged') return null
  const { run, body } = buildRunPoll(answer, text, query, resolved)
  return prepareAnswer(run, body, {
    runId: resolved.runId,
    customId: resolved.customId,
    name: query.name,
    outcome: answer.status,
    confidence: answer.match_confidence,
    resolvedAtMs: resolved.nowMs,
  })
}

/** Returns `null` without candidates or after an error; the error is reported when they are requested directly. */
function gatherCandidates(
  { status, match_confidence: confidence }: Resolution,
  asked: Pick<AskedQuery, 'candidates'>,
  threshold: number | null,
): string | null {
  if (threshold === null || !isDoubtful({ state: 'answered', outcome: status, confidence }, threshold))
    return null
  try {
    return JSON.stringify(asked.candidates())
  } catch {
    return null
  }
}

export function readResolution([
  outcome = '',
  basis = '',
  status,
  classification = '',
]: AnswerTexts): ResolutionText {
  return {
    outcome,
    basis,
    status: status as ResolutionText['status'],
    classification: classification === '' ? null : classification,
  }
}

export const getCandidates = ([, , , , candidates]: AnswerTexts): string | null => candidates ?? null

export const readCandidates = ([candidates = '[]']: AnswerTexts): readonly Candidate[] =>
  JSON.parse(candidates) as Candidate[]

export const readSearch = ([results = '']: AnswerTexts): SearchResults => JSON.parse(results) as SearchResults

export const readLikely = ([companies = '']: AnswerTexts): LikelyCompanies =>
  JSON.parse(companies) as LikelyCompanies

/** Identifies an open file, so that threads can check that they use the same one even if the path was replaced. */
export function identifyFile(registryPath: string | null): string {
  if (registryPath === null) return 'shipped'
  const { dev, ino } = statSync(registryPath, { bigint: true })
  return `${dev}:${ino}`
}
