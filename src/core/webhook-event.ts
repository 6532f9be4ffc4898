import { runObjectLenient, type RunObjectLenient } from '../contract/resolution.js'
import { isDeeperThan, at, toText } from './json.js'
import type { StageKind } from './lookup-kinds.js'
import { isUsableRunId } from './lookup-state.js'
import { decodeJson } from './text.js'

/** Same limit as for answers to polls. */
const depthMax = 64

/**
 * Content of a delivery (interface: "Delivery request").
 * - `run`: a run, perhaps without its answer (`isTruncated`).
 * - `record`: an entity or a domain, by name; null if the event has none. `body` is what a read of it would return.
 * - `unreadable`: it names no run.
 */
export type WebhookEvent =
  | {
      readonly kind: 'run'
      readonly runId: string
      readonly customId: string | null
      readonly run: RunObjectLenient
      readonly isTruncated: boolean
    }
  | RecordEvent
  | { readonly kind: 'unreadable'; readonly reason: string }

interface RecordEvent {
  readonly kind: 'record'
  readonly record: StageKind
  readonly name: string | null
  readonly body: unknown
  readonly hasFailed: boolean
}

/** Parses the body of a delivery. Never throws. */
export function readWebhookEvent(body: Uint8Array): WebhookEvent {
  const event = parse(body)
  if (event === undefined) return { kind: 'unreadable', reason: 'the body is not JSON that can be read' }
  const record = readRecordEvent(event)
  if (record !== null) return record
  const parsed = runObjectLenient.safeParse(at(event, 'data', 'object'))
  if (!parsed.success || !isUsableRunId(parsed.data.run_id)) {
    return { kind: 'unreadable', reason: 'the event names no run' }
  }
  const run = parsed.data
  const isTruncated = at(event, 'data_truncated') === true
  return { kind: 'run', runId: run.run_id, customId: run.custom_id ?? null, run, isTruncated }
}

/** Events of records have a run id that no response contained (interface: "Event types"). */
function readRecordEvent(event: unknown): RecordEvent | null {
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
