import type { RunObject, Resolution } from '../contract/result.js'
import type { Query, ResolutionText, ResolvedRun } from './knowledge.js'
import { formatRunBody } from './runs/polls.js'
import { buildRunObject, buildRunOutcome } from './runs/run-outcome.js'

export type {
  Knowledge,
  LikelyCompanies,
  Ownership,
  Query,
  ResolutionText,
  ResolvedRun,
  SearchRequest,
  SearchResults,
} from './knowledge.js'
export { tooManySearches } from './refusal.js'
export { toResolutionText } from './runs/run-outcome.js'

/** The poll of a completed run: the run object, and the same as the text that the service sends. */
export interface RunPoll {
  readonly run: RunObject
  readonly body: string
}

/**
 * The door for a provider of knowledge: `Knowledge` is all that the service asks of it. A provider that answers in
 * another thread sends a `ResolutionText`, and may build the poll of the run there: it is byte-equal to the one that
 * the service sends for this answer.
 *
 * ```ts
 * const text = toResolutionText(answer)
 * const { body } = buildRunPoll(answer, text, query, run)
 * ```
 *
 * `text` is the text of `answer`.
 */
export function buildRunPoll(
  answer: Resolution,
  text: ResolutionText,
  query: Query,
  run: ResolvedRun,
): RunPoll {
  const { runId, customId, callId, withBasis } = run
  const outcome = buildRunOutcome(text, query, run)
  const stored = { runId, customId, callId, ...outcome, jobId: null, requestId: null }
  return { run: buildRunObject(answer, query, run), body: formatRunBody(stored, withBasis) }
}
