import type { z } from 'zod'
import { errorTypes } from '../../../contract/errors.js'
import { requestId, streamId, type RequestId, type StreamId } from '../../../contract/ids.js'
import type { JobStatusV2, resolutionQueryV2, ResultV2 } from '../../../contract/resolution-v2.js'
import type { JobResult } from '../../../contract/result.js'
import type { Deferrable } from '../../../core/awaitable.js'
import { errorText } from '../../../core/error-text.js'
import { limits } from '../../limits.js'
import type { Answer, Call, Handlers } from '../../http/mount.js'
import { flatCandidate, flatEntity, plainStatusOf } from '../../records/plain-forms.js'
import { isUnexpected, malformedRequestId, notFound, Refusal } from '../../refusal.js'
import type { RunStore, StoredRun } from '../../runs/run-store.js'
import { submit, type SubmissionDeps } from '../../runs/submission.js'
import type { HeldStreams } from './held-streams.js'

interface ResolutionDeps extends SubmissionDeps {
  readonly store: Deferrable<Pick<RunStore, 'byRequestId'>>
  readonly streams: HeldStreams
  readonly log: (line: string) => void
}

/** The v2 resolutions. Every account may submit: v2 has no switch. */
export function resolutionHandlers(
  deps: ResolutionDeps,
): Pick<Handlers, 'submitResolution' | 'pollResolution' | 'streamResolution'> {
  return {
    submitResolution: (call) => submitJob(call, deps),
    pollResolution: async ({ caller, params }) => {
      const id = anyRequestId.safeParse(params.request_id)
      if (!id.success) throw malformedRequestId()
      const run = await deps.store.byRequestId(caller.accountNumber, id.data)
      if (run === undefined) throw notFound('request')
      const { status, result } = run
      const body: JobStatusV2 = {
        request_id: id.data,
        status,
        data: status === 'COMPLETED' && result !== null ? resultV2Of(result, id.data) : null,
      }
      return { status: status === 'PENDING' ? 202 : 200, body }
    },
    streamResolution: (call) => holdStream(call, deps),
  }
}

const anyRequestId = requestId.or(streamId)

type V2Call = Pick<Call, 'caller' | 'callId'> & { readonly query: z.output<typeof resolutionQueryV2> }

function submitV2(call: V2Call, kind: 'async' | 'stream', deps: SubmissionDeps) {
  const { name, location } = call.query
  const plain = { context: undefined, customId: null, webhookUrl: null, withBasis: false }
  return submit(call, { kind, name, location, ...plain }, deps)
}

/** Billed as it is stored: what could not be stored was not billed, and is a 503. */
async function submitJob(call: V2Call, deps: ResolutionDeps): Promise<Answer> {
  try {
    const { ids } = await submitV2(call, 'async', deps)
    return { status: 202, body: { request_id: ids.requestId, status: 'PENDING' } }
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (isUnexpected(error)) deps.log(`a v2 submission could not be billed: ${errorText(error)}`)
    throw billingUnavailable()
  }
}

export const billingUnavailable = (): Refusal =>
  new Refusal(
    503,
    'billing_unavailable',
    'billing is unavailable for the moment; nothing was charged and no job was made',
  )

/**
 * A run like that of a job, billed and refunded like it, whose answer is waited for. The connection is held ten
 * minutes longer than the longest research, then it is a 502; the run goes on whatever becomes of the connection.
 */
async function holdStream(
  call: Pick<Call, 'gone' | 'keepOpen'> & V2Call,
  deps: ResolutionDeps,
): Promise<Answer> {
  const { store, streams, researchMs } = deps
  const stream = streams.hold(call.caller, call.gone, researchMs.max + limits.streamGraceMs)
  try {
    call.keepOpen()
    const { accountNumber, ids } = await submitV2(call, 'stream', deps)
    const id = ids.requestId
    if (id === null) throw new Error('a stream was stored without its id')
    for (;;) {
      const run = await store.byRequestId(accountNumber, id)
      if (run !== undefined && run.status !== 'PENDING') return { status: 200, body: bodyOf(run, id) }
      if (stream.isOver()) throw notInTime(id)
      await stream.mayHaveEnded(ids.runId)
    }
  } finally {
    stream.release()
  }
}

/** The bare result; research that failed was refunded, and is a 502 too. */
function bodyOf({ status, result }: StoredRun, id: RequestId | StreamId): object {
  if (status === 'FAILED' || result === null) {
    throw new Refusal(502, errorTypes.apiError, `the research of ${id} failed; it was refunded`)
  }
  return resultV2Of(result, id)
}

/** One of the types that v1 and v2 were seen with (interface: "Errors"). */
const timeout = 'timeout'

const notInTime = (id: RequestId | StreamId): Refusal =>
  new Refusal(502, timeout, `${id} did not finish in time; what becomes of it can be read as a v2 status`)

/** A result as `decideRun` wrote it at the end of a run: that of v3, without its envelope. */
type StoredResult = Omit<JobResult, 'request_id' | 'basis'>

/**
 * The v2 form of what research found, in the order of the interface ("v2 resolution result"). `stored` is the
 * JSON text of a completed run; the same text gives the same body at every poll.
 */
export function resultV2Of(stored: string, requestId: ResultV2['request_id']): ResultV2 {
  const found = JSON.parse(stored) as StoredResult
  const { query, from_cache, updated_at, resolved_at, cache_hit_type } = found.metadata
  const { mode, name, context, location, classification } = query
  return {
    request_id: requestId,
    status: plainStatusOf(found),
    type: found.type,
    subtype: found.subtype,
    confidence: found.match_confidence,
    entity: found.entity === null ? null : flatEntity(found.entity),
    candidate: found.candidate === null ? null : flatCandidate(found.candidate),
    factors: found.factors.map(({ code, type, impact, description }) => ({
      code,
      type,
      impact,
      description,
    })),
    actions: found.actions,
    metadata: {
      query: { mode, name, context, location, classification },
      from_cache,
      updated_at,
      resolved_at,
      cache_hit_type,
    },
  }
}
