import { runObjectLenient, type RunObjectLenient } from '../../contract/resolution.js'
import { isDeeperThan, at, toText } from '../../core/json.js'
import { decodeJson } from '../../core/text.js'
import type { StageKind } from '../../core/lookup-kinds.js'
import { isUsableRunId, judgeRun, readOutcome } from './outcome.js'

/** Same limit as for answers to polls. */
const depthMax = 64

/**
 * Content of a genuine delivery (interface: "Delivery request").
 * - `finished`: a complete answer.
 * - `incomplete`: the run must be polled for its final answer.
 * - `record`: an entity or a domain, by name; null if the event has none. `body` is what a read of it would return.
 * - `unreadable`: it names no run.
 */
export type Delivery =
  | { kind: 'finished'; runId: string; customId: string | null; run: RunObjectLenient; failed: boolean }
  | { kind: 'incomplete'; runId: string; customId: string | null; reason: string }
  | { kind: 'record'; record: StageKind; name: string | null; body: unknown; hasFailed: boolean }
  | { kind: 'unreadable'; reason: string }

/** Parses the body of a webhook. `basisWanted`: an answer without a basis must be polled. Never throws. */
export function readDelivery(body: Uint8Array, basisWanted: boolean): Delivery {
  const event = parse(body)
  if (event === undefined) return { kind: 'unreadable', reason: 'the body is not JSON that can be read' }
  const record = readRecordEvent(event)
  if (record !== null) return record
  const parsed = runObjectLenient.safeParse(at(event, 'data', 'object'))
  if (!parsed.success || !isUsableRunId(parsed.data.run_id)) {
    return { kind: 'unreadable', reason: 'the event names no run' }
  }
  const run = parsed.data
  const ids = { runId: run.run_id, customId: run.custom_id ?? null }
  if (at(event, 'data_truncated') === true) return { kind: 'incomplete', ...ids, reason: 'truncated' }
  // Whether it answers the right lookup is checked once the lookup is known.
  const verdict = judgeRun(run, { runId: run.run_id, customId: null, name: null }, null)
  if (verdict.kind !== 'finished') return { kind: 'incomplete', ...ids, reason: 'without a final answer' }
  if (basisWanted && !verdict.failed && at(run.data, 'basis') === undefined) {
    return { kind: 'incomplete', ...ids, reason: 'without the basis' }
  }
  return { kind: 'finished', ...ids, run, failed: verdict.failed }
}

/** Events of records have a run id that no response contained (interface: "Event types"). */
function readRecordEvent(event: unknown): Extract<Delivery, { kind: 'record' }> | null {
  const [, type, end] =
    /^(entity|domain_intelligence)\.(completed|failed)$/.exec(toText(at(event, 'type')) ?? '') ?? []
  if (type === undefined) return null
  const body = at(event, 'data', 'object', 'data')
  const hasFailed = end === 'failed'
  // The record of a merged id is that of the new id, and does not contain the id that was read.
  const isMerged = toText(at(body, 'status'))?.trim().toLowerCase() === 'merged'
  return type === 'entity'
    ? {
        kind: 'record',
        record: 'entity',
        name: isMerged ? null : toText(at(body, 'entity', 'id')),
        body,
        hasFailed,
      }
    : { kind: 'record', record: 'domain', name: toText(at(body, 'domain')), body, hasFailed }
}

function parse(body: Uint8Array): unknown {
  try {
    const text = decodeJson(body)
    return text === null || isDeeperThan(text, depthMax) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
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
