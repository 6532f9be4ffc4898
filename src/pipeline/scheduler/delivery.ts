import type { RunObjectLenient } from '../../contract/resolution.js'
import { at, toText } from '../../core/json.js'
import { readWebhookEvent, type WebhookEvent } from '../../core/webhook-event.js'
import { judgeRun, readOutcome } from './outcome.js'

/**
 * What a genuine delivery means (interface: "Delivery request").
 * - `finished`: a complete answer.
 * - `incomplete`: the run must be polled for its final answer.
 * - `record`, `unreadable`: see `WebhookEvent`.
 */
export type Delivery =
  | { kind: 'finished'; runId: string; customId: string | null; run: RunObjectLenient; failed: boolean }
  | { kind: 'incomplete'; runId: string; customId: string | null; reason: string }
  | Exclude<WebhookEvent, { kind: 'run' }>

/** Reads the body of a webhook. `basisWanted`: an answer without a basis must be polled. Never throws. */
export function readDelivery(body: Uint8Array, basisWanted: boolean): Delivery {
  const event = readWebhookEvent(body)
  if (event.kind !== 'run') return event
  const { run, isTruncated, runId, customId } = event
  if (isTruncated) return { kind: 'incomplete', runId, customId, reason: 'truncated' }
  // Whether it answers the right lookup is checked once the lookup is known.
  const verdict = judgeRun(run, { runId, customId: null, name: null }, null)
  if (verdict.kind !== 'finished')
    return { kind: 'incomplete', runId, customId, reason: 'without a final answer' }
  if (basisWanted && !verdict.failed && at(run.data, 'basis') === undefined) {
    return { kind: 'incomplete', runId, customId, reason: 'without the basis' }
  }
  return { kind: 'finished', runId, customId, run, failed: verdict.failed }
}

/**
 * Whether two answers to one run differ in outcome, company or confidence. Members that vary with each delivery
 * (request ids, times, the basis) are ignored.
 */
export function isContradiction(one: RunObjectLenient, other: RunObjectLenient): boolean {
  return summarizeAnswer(one) !== summarizeAnswer(other)
}

function summarizeAnswer(run: RunObjectLenient): string {
  const outcome = readOutcome(run, run.status.toUpperCase() === 'FAILED')
  const parts = [at(run.data, 'entity', 'id'), at(run.data, 'match_confidence')]
  return JSON.stringify(outcome === 'failed' ? [outcome] : [outcome, ...parts.map((part) => toText(part))])
}
