import type { RunObjectLenient } from '../../contract/result.js'
import { toRootDomain } from '../../core/domain-name.js'
import type { Exchange } from '../../core/http-exchange.js'
import { parseInstantMs } from '../../core/time.js'
import { at, toObject, toText } from '../../core/json.js'
import { toRunId, type StageKind } from '../../core/lookup-state.js'
import { judgeOtherPoll, judgeRefusal, type KickoffVerdict, type PollVerdict } from './outcome.js'

/**
 * Meaning of answers about records: entities, hierarchies and domains. They are stored as run objects: `data` is the
 * body that the service sent.
 */

type RecordContent =
  | { kind: 'there'; run: RunObjectLenient; failed: boolean }
  /** Being built or researched. */
  | { kind: 'under_way' }
  /** Exists, but is not in the body. */
  | { kind: 'incomplete' }
  /** Never requested. */
  | { kind: 'not_started' }
  | { kind: 'unusable'; reason: string }
  /** Another record than the requested one. */
  | { kind: 'other'; reason: string }

const createFound = (kind: StageKind, name: string, data: unknown, failed = false): RecordContent => ({
  kind: 'there',
  run: { run_id: toRunId(kind, name), status: failed ? 'FAILED' : 'COMPLETED', data: toObject(data) ?? {} },
  failed,
})

const toWord = (value: unknown): string => (toText(value) ?? '').trim().toLowerCase()

/**
 * Reads `GET /v3/entities/{id}` (interface: "v3 entity enrichment"). Without `enrichment`, the record counts as
 * complete. The record of a merged id is that of the new id.
 */
function readEntityBody(id: string, body: unknown): RecordContent {
  const recordId = toText(at(body, 'entity', 'id'))
  if (toObject(at(body, 'entity')) === null)
    return { kind: 'unusable', reason: 'the body contains no entity' }
  const isMerged = toWord(at(body, 'status')) === 'merged'
  if (recordId?.startsWith('siq_') === true && recordId !== id && !isMerged)
    return { kind: 'other', reason: `the service returned entity ${recordId.slice(0, 200)}` }
  const enrichment = at(body, 'enrichment')
  switch (enrichment === undefined || enrichment === null ? 'complete' : toWord(at(enrichment, 'status'))) {
    case 'complete':
    case 'refreshing':
      return createFound('entity', id, body)
    case 'failed':
    case 'error':
      return createFound('entity', id, body, true)
    default:
      return { kind: 'under_way' }
  }
}

/** Reads the envelope of a hierarchy (interface: "Hierarchy research"). */
function readHierarchyBody(id: string, body: unknown): RecordContent {
  const entityId = toText(at(body, 'entity_id'))
  if (entityId !== null && entityId !== id)
    return { kind: 'other', reason: `the service returned the hierarchy of ${entityId.slice(0, 200)}` }
  switch (toWord(at(body, 'status'))) {
    case 'completed':
      return toObject(at(body, 'data')) === null ? { kind: 'incomplete' } : createFound('hierarchy', id, body)
    case 'failed':
      return createFound('hierarchy', id, body, true)
    case 'not_started':
      return { kind: 'not_started' }
    case '':
      return { kind: 'unusable', reason: 'the body is not a hierarchy' }
    default:
      return { kind: 'under_way' }
  }
}

/** Reads the envelope of a domain (interface: "v3 domain-intelligence result"). */
function readDomainBody(domain: string, body: unknown): RecordContent {
  const echoed = toText(at(body, 'domain'))
  if (echoed !== null && !isSameDomain(echoed, domain))
    return { kind: 'other', reason: `the service returned the domain ${echoed.slice(0, 200)}` }
  switch (toWord(at(body, 'status'))) {
    case 'complete':
      return toObject(at(body, 'data')) === null
        ? { kind: 'incomplete' }
        : createFound('domain', domain, body)
    case 'failed':
    case 'error':
      return createFound('domain', domain, body, true)
    case '':
      return { kind: 'unusable', reason: 'the body is not a domain result' }
    default:
      return { kind: 'under_way' }
  }
}

/** Services differ in the root domain of hosted names: `acme.github.io`, `github.io`. */
function isSameDomain(echoed: string, asked: string): boolean {
  const name = echoed.trim().toLowerCase()
  return name === asked || asked.endsWith(`.${name}`) || toRootDomain(name) === asked
}

/** Reads the body of a record; pure, for polls and webhooks. */
export function readRecord(kind: StageKind, name: string, body: unknown): RecordContent {
  switch (kind) {
    case 'entity':
      return readEntityBody(name, body)
    case 'hierarchy':
      return readHierarchyBody(name, body)
    case 'domain':
      return readDomainBody(name, body)
  }
}

const isSuccess = (exchange: Exchange): boolean =>
  exchange.kind === 'reply' && exchange.status >= 200 && exchange.status < 300

/** No company has the id. */
const createNotFound = (id: string) => createFound('entity', id, { status: 'not_found' })

const isNotFound = (exchange: Exchange) =>
  exchange.kind === 'reply' && (exchange.status === 404 || exchange.status === 410)

/** Judges the first read of an entity; a lost one is sent again, because a read may be repeated. */
export function judgeEntityKickoff(exchange: Exchange, id: string, nowMs: number): KickoffVerdict {
  const said = isNotFound(exchange) ? createNotFound(id) : null
  if (said === null && !isSuccess(exchange)) {
    const verdict = judgeRefusal(exchange, nowMs, 'not_created')
    return verdict.kind === 'unknown' ? { kind: 'not_sent', reason: verdict.reason } : verdict
  }
  const verdict = toKickoffVerdict('entity', id, said ?? readBody(exchange, 'entity', id))
  return verdict.kind === 'unknown' ? { kind: 'not_sent', reason: verdict.reason } : verdict
}

/** Judges a request for research or a domain; a lost one may have been received. */
export function judgeRecordKickoff(
  kind: 'hierarchy' | 'domain',
  exchange: Exchange,
  name: string,
  nowMs: number,
): KickoffVerdict {
  if (!isSuccess(exchange)) return judgeRefusal(exchange, nowMs)
  const said = readBody(exchange, kind, name)
  // A failure of earlier research does not answer the new request.
  const isTaken =
    kind === 'hierarchy' && (said.kind === 'not_started' || (said.kind === 'there' && said.failed))
  return isTaken ? { kind: 'accepted', runId: toRunId(kind, name) } : toKickoffVerdict(kind, name, said)
}

function readBody(exchange: Exchange, kind: StageKind, name: string): RecordContent {
  if (exchange.kind !== 'reply') return { kind: 'unusable', reason: exchange.reason }
  return exchange.bodyFault === null
    ? readRecord(kind, name, exchange.body)
    : { kind: 'unusable', reason: exchange.bodyFault }
}

function toKickoffVerdict(kind: StageKind, name: string, said: RecordContent): KickoffVerdict {
  const runId = toRunId(kind, name)
  switch (said.kind) {
    case 'there':
      return { kind: 'answered', runId, run: said.run, failed: said.failed }
    case 'under_way':
    case 'incomplete':
      return { kind: 'accepted', runId }
    case 'not_started':
      return { kind: 'unknown', reason: 'the service says that it was never requested' }
    case 'unusable':
    case 'other':
      return { kind: 'unknown', reason: said.reason }
  }
}

/** Judges a later read of a record; any odd response is retried, because a read may be repeated. */
export function judgeRecordPoll(
  kind: StageKind,
  exchange: Exchange,
  name: string,
  nowMs: number,
): PollVerdict {
  if (kind === 'entity' && isNotFound(exchange)) return toPollVerdict(createNotFound(name))
  if (isSuccess(exchange)) return toPollVerdict(readBody(exchange, kind, name))
  // A read that would be billed is for a domain unknown to the service.
  const isUnknown = exchange.kind === 'reply' && exchange.status === 402
  return isUnknown ? { kind: 'run_unknown', reason: 'HTTP 402' } : judgeOtherPoll(exchange, nowMs)
}

function toPollVerdict(said: RecordContent): PollVerdict {
  switch (said.kind) {
    case 'there':
      return { kind: 'finished', run: said.run, failed: said.failed }
    case 'under_way':
      return { kind: 'pending' }
    case 'not_started':
      return { kind: 'not_created', reason: 'the service says that it was never requested' }
    case 'incomplete':
      return { kind: 'retry', reason: 'complete without data' }
    case 'unusable':
      return { kind: 'retry', reason: said.reason }
    case 'other':
      return { kind: 'misdirected', reason: said.reason }
  }
}

/** Returns the time at which a record was built or researched (interface: their envelopes). */
export function readRecordedAtMs(kind: StageKind, { data }: RunObjectLenient): number | null {
  const said = {
    entity: () => at(data, 'enrichment', 'updated_at'),
    hierarchy: () => at(data, 'last_researched_at'),
    domain: () => at(data, 'metadata', 'last_updated'),
  }
  return parseInstantMs(toText(said[kind]()) ?? '')
}

/** Returns the outcome of an answer about a record, for counts and retries: lower case. */
export function readRecordOutcome(kind: StageKind, run: RunObjectLenient, failed: boolean): string {
  if (failed) return 'failed'
  switch (kind) {
    case 'entity':
      return toWord(at(run.data, 'status')) === 'not_found' ? 'not_found' : 'complete'
    case 'hierarchy':
      return 'completed'
    case 'domain': {
      const status = toWord(at(run.data, 'data', 'status')).replace(/[\p{Cc}\s]+/gu, ' ')
      return status === '' ? 'failed' : status.slice(0, 60)
    }
  }
}
