import type { RunObjectLenient } from '../../contract/result.js'
import { renderAnswer } from './answer-line.js'
import { packAnswer } from '../checkpoint/lookup.js'

/** An answer in the form of the checkpoint. The thread that matched the name made it from the body of the run. */
export interface PreparedAnswer {
  /** Length of this body. */
  readonly bodyChars: number
  readonly runId: string
  readonly customId: string | null
  /** As echoed. */
  readonly name: string
  /** Never `merged` or `failed`, which need more than the body. */
  readonly outcome: string
  readonly confidence: number | null
  readonly resolvedAtMs: number | null
  readonly packed: ReturnType<typeof packAnswer>
}

export interface PreparedAnswers {
  /** Removes and returns an answer; null without one. */
  take(runId: string): PreparedAnswer | null
}

/**
 * Prepares an answer where it is made: the checkpoint then stores it as the poller would store the same body. Answers
 * that are `merged` or `failed` need the poller. `body`: the text of `run` as the poll returns it.
 *
 * @example
 * const { run, body } = buildRunPoll(answer, text, query, resolved)
 * const prepared = prepareAnswer(run, body, { runId, customId, name, outcome: 'matched', confidence: 97, resolvedAtMs })
 */
export function prepareAnswer(
  run: RunObjectLenient,
  body: string,
  facts: Omit<PreparedAnswer, 'bodyChars' | 'packed'>,
): PreparedAnswer {
  const { runId, customId, name, outcome, confidence, resolvedAtMs } = facts
  const { packed, ...sizes } = packAnswer(renderAnswer(run), body)
  return {
    bodyChars: body.length,
    runId,
    customId,
    name,
    outcome,
    confidence,
    resolvedAtMs,
    // A buffer of its own: a message to another thread copies the whole buffer that a view belongs to.
    packed: { ...sizes, packed: Buffer.from(new Uint8Array(packed).buffer) },
  }
}
