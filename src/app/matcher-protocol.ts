import { statSync } from 'node:fs'
import type { MessagePort } from 'node:worker_threads'
import type { Resolution } from '../contract/result.js'
import { UserError, errorCodes, type ErrorCode } from '../core/errors.js'
import type { Candidate } from '../pipeline/answers/candidate.js'
import { isDoubtful } from '../pipeline/lookups/lookup-state.js'
import type {
  LikelyCompanies,
  Query,
  ResolutionText,
  SearchRequest,
  SearchResults,
} from '../service/knowledge.js'
import { resolutionText } from '../service/runs/run-outcome.js'
import type { AskedQuery, RegistryKnowledge } from './registry-adapter.js'

/**
 * What goes between the thread of the service and those of the matchers. Several questions and several answers go in
 * a message, and answers go as JSON text: a deep object would be copied on both sides, eight times as dear.
 */

export type Question =
  | {
      readonly kind: 'resolve'
      readonly query: Query
      /** An answer that is doubtful by this threshold brings its candidates along; null: none does. */
      readonly doubtThreshold: number | null
    }
  | { readonly kind: 'search'; readonly request: SearchRequest }
  | { readonly kind: 'candidates'; readonly query: Query }
  | { readonly kind: 'likely'; readonly query: Query; readonly countMax: number }

export interface Asked {
  /** From 1 on, and never that of another open question. */
  readonly number: number
  readonly question: Question
}

/** The texts of an answer, in the order that `readAnswer` takes them. */
export type AnswerTexts = readonly string[]

export type Answered =
  | { readonly number: number; readonly texts: AnswerTexts }
  | { readonly number: number; readonly error: SentError }

/** The first message of a matcher: which file it has opened. Then come its answers. */
export interface Opened {
  readonly file: string
}

export const sharedAt = {
  /** The number of the question that the matcher is at; 0 between questions. */
  question: 0,
  /** The number of the last message whose questions are to be left, as far as they were not begun. */
  withdrawnMessage: 1,
} as const

/** Questions for a matcher; messages are numbered from 1 on. */
export interface AskMessage {
  readonly messageNumber: number
  readonly asked: readonly Asked[]
}

/** What a matcher is started with. */
export interface MatcherStart {
  /** Null: the registry that ships with the package. */
  readonly registryPath: string | null
  readonly cacheKibibytes: number
  /** What both sides see without a message; `sharedAt` says what stands where. */
  readonly shared: Int32Array<SharedArrayBuffer>
}

/** Answers of quick questions go together; none waits longer than this for the next. */
const gatherMsMax = 1

/** What a thread does, from when its registry is open until it is ended. */
export function answerQuestions(
  port: MessagePort | null,
  { registryPath, shared }: MatcherStart,
  knowledge: RegistryKnowledge,
): void {
  if (port === null) throw new Error('questions come to a thread')
  port.on('message', ({ messageNumber, asked }: AskMessage) => {
    let answered: Answered[] = []
    let sentAtMs = performance.now()
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
    if (answered.length > 0) port.postMessage(answered)
    Atomics.store(shared, sharedAt.question, 0)
  })
  port.postMessage({ file: fileOf(registryPath) } satisfies Opened)
}

function answerOrError(knowledge: RegistryKnowledge, number: number, question: Question): Answered {
  try {
    return { number, texts: knowledge.atOnce(() => answerQuestion(knowledge, question)) }
  } catch (error) {
    return { number, error: sendError(error) }
  }
}

export function answerQuestion(knowledge: RegistryKnowledge, question: Question): AnswerTexts {
  switch (question.kind) {
    case 'resolve': {
      const asked = knowledge.ask(question.query)
      const answer = asked.answer()
      const { outcome, basis, status, classification } = resolutionText(answer)
      const candidates = candidatesBeside(answer, asked, question.doubtThreshold)
      return [outcome, basis, status, classification ?? '', ...(candidates === null ? [] : [candidates])]
    }
    case 'search':
      return [JSON.stringify(knowledge.search(question.request))]
    case 'candidates':
      return [JSON.stringify(knowledge.candidates(question.query))]
    case 'likely':
      return [JSON.stringify(knowledge.likelyCompanies(question.query, question.countMax))]
  }
}

/** Null also where they cannot be told: whoever needs them asks for them, and hears why. */
export function candidatesBeside(
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

/** Those that came along with an answer, as JSON; null where none did. */
export const candidatesAlong = ([, , , , candidates]: AnswerTexts): string | null => candidates ?? null

export const readCandidates = ([candidates = '[]']: AnswerTexts): readonly Candidate[] =>
  JSON.parse(candidates) as Candidate[]

export const readSearch = ([results = '']: AnswerTexts): SearchResults => JSON.parse(results) as SearchResults

export const readLikely = ([companies = '']: AnswerTexts): LikelyCompanies =>
  JSON.parse(companies) as LikelyCompanies

/** An error as it crosses threads: a clone would lose its code, its hint and its class. */
export interface SentError {
  readonly message: string
  readonly stack: string | undefined
  readonly code: unknown
  readonly hint: string | undefined
}

function sendError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  const { code = null } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return { message, stack, code, hint: error instanceof UserError ? error.hint : undefined }
}

export function receiveError({ message, stack, code, hint }: SentError): Error {
  const error =
    typeof code === 'string' && code in errorCodes
      ? new UserError(code as ErrorCode, message, hint === undefined ? {} : { hint })
      : Object.assign(new Error(message), code === null ? {} : { code })
  if (stack !== undefined) error.stack = stack
  return error
}

/** Tells whether two threads have the same file open, whatever its path leads to by now. */
export function fileOf(registryPath: string | null): string {
  if (registryPath === null) return 'shipped'
  const { dev, ino } = statSync(registryPath, { bigint: true })
  return `${dev}:${ino}`
}
