import type { z } from 'zod'
import { errorTypes } from '../../contract/errors.js'
import { requestId, streamId, type RequestId, type StreamId, type RunId } from '../../contract/enums.js'
import type { JobStatusV2, resolutionQueryV2, ResultV2 } from '../../contract/earlier-versions.js'
import type { JobResult } from '../../contract/result.js'
import type { Deferrable } from '../../platform/sql-program.js'
import { getErrorText } from '../../core/errors.js'
import { limits } from '../limits.js'
import type { Answer, Call, Handlers } from '../http/mount.js'
import { flattenCandidate, flattenEntity, toPlainStatus } from '../records/flat-entities.js'
import { isUnexpected, createMalformedIdRefusal, notFound, Refusal } from '../refusal.js'
import type { RunStore, StoredRun } from '../runs/run-store.js'
import { submit, type SubmissionDeps } from '../runs/researcher.js'
import type { Clock } from '../../platform/clock.js'
import type { Caller } from '../accounts/accounts.js'
import { fieldLimits } from '../../contract/limits.js'
import type { SearchReply } from '../../contract/search.js'
import type { Knowledge } from '../knowledge.js'

/** A connection that is held until its run has ended. */
interface HeldStream {
  /** Whether its time is up, its caller has disconnected, or the service closes. */
  isOver(): boolean
  /** Resolves when the run may have ended, or the hold is over. The caller then reads the store. */
  waitForEnd(runId: RunId): Promise<void>
  release(): void
}

interface WaitedRun {
  readonly accountNumber: number
  readonly runId: RunId
}

/** Connections held for runs. Each costs a socket, a timer and an entry here; the store is not polled. */
export class HeldStreams {
  readonly #clock: Clock
  readonly #heldCounts = new Map<string, number>()
  readonly #wakers = new Map<RunId, { readonly accountNumber: number; readonly wake: () => void }>()
  readonly #open = new Set<AbortController>()
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be called for every run that ends. */
  readonly onEnded = ({ runId }: { readonly runId: RunId }): void => {
    const wake = this.#wakers.get(runId)?.wake
    // The end is stored only once the open transaction commits.
    if (wake !== undefined) setImmediate(wake)
  }

  /** Returns the runs that streams wait for, with their accounts. */
  waitedFor(): WaitedRun[] {
    return [...this.#wakers].map(([runId, { accountNumber }]) => ({ accountNumber, runId }))
  }

  /** Throws 429 if the key has too many streams, 502 if the service closes. The stream must be released. */
  hold({ keyHash, accountNumber }: Caller, gone: AbortSignal, heldMsMax: number): HeldStream {
    if (this.#isClosed) throw createClosingRefusal()
    if ((this.#heldCounts.get(keyHash) ?? 0) >= limits.streamsPerKeyMax) throw createStreamLimitRefusal()
    this.#count(keyHash, 1)
    const over = new AbortController()
    const end = () => {
      over.abort()
    }
    this.#open.add(over)
    if (gone.aborted) end()
    else gone.addEventListener('abort', end, { once: true })
    void this.#clock.sleep(heldMsMax, over.signal).then(end)
    return {
      isOver: () => over.signal.aborted,
      waitForEnd: (runId) => this.#waitForEnd({ accountNumber, runId }, over.signal),
      release: () => {
        end()
        this.#open.delete(over)
        this.#count(keyHash, -1)
      },
    }
  }

  /** Ends the held streams and refuses new ones. */
  close(): void {
    this.#isClosed = true
    for (const over of this.#open) over.abort()
  }

  #count(key: string, change: 1 | -1): void {
    const heldCount = (this.#heldCounts.get(key) ?? 0) + change
    if (heldCount === 0) this.#heldCounts.delete(key)
    else this.#heldCounts.set(key, heldCount)
  }

  #waitForEnd({ accountNumber, runId }: WaitedRun, over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakers.delete(runId)
        over.removeEventListener('abort', wake)
        resolve()
      }
      this.#wakers.set(runId, { accountNumber, wake })
      if (over.aborted) wake()
      else over.addEventListener('abort', wake)
    })
  }
}

const createStreamLimitRefusal = (): Refusal =>
  new Refusal(
    429,
    errorTypes.rateLimitExceeded,
    `a key may have at most ${limits.streamsPerKeyMax} open streams`,
  )

const createClosingRefusal = (): Refusal =>
  new Refusal(502, errorTypes.apiError, 'the service is closing; nothing was charged')

interface ResolutionDeps extends SubmissionDeps {
  readonly store: Deferrable<Pick<RunStore, 'byRequestId'>>
  readonly streams: HeldStreams
  readonly log: (line: string) => void
}

/** The v2 resolutions. Every account may submit: v2 cannot be disabled. */
export function createResolutionHandlers(
  deps: ResolutionDeps,
): Pick<Handlers, 'submitResolution' | 'pollResolution' | 'streamResolution'> {
  return {
    submitResolution: (call) => submitJob(call, deps),
    pollResolution: async ({ caller, params }) => {
      const id = anyRequestId.safeParse(params.request_id)
      if (!id.success) throw createMalformedIdRefusal()
      const run = await deps.store.byRequestId(caller.accountNumber, id.data)
      if (run === undefined) throw notFound('request')
      const { status, result } = run
      const body: JobStatusV2 = {
        request_id: id.data,
        status,
        data: status === 'COMPLETED' && result !== null ? toResultV2(result, id.data) : null,
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

/** Submits a job, billed in the same transaction. If it cannot be stored, nothing is billed and the answer is 503. */
async function submitJob(call: V2Call, deps: ResolutionDeps): Promise<Answer> {
  try {
    const { ids } = await submitV2(call, 'async', deps)
    return { status: 202, body: { request_id: ids.requestId, status: 'PENDING' } }
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (isUnexpected(error)) deps.log(`a v2 submission could not be billed: ${getErrorText(error)}`)
    throw createBillingRefusal()
  }
}

export const createBillingRefusal = (): Refusal =>
  new Refusal(
    503,
    'billing_unavailable',
    'billing is temporarily unavailable; nothing was charged and no job was created',
  )

/**
 * Submits a run like that of a job, billed and refunded alike, and waits for its answer. The connection is held ten
 * minutes longer than the longest research, then the answer is 502. The run continues even if the connection is lost.
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
      if (run !== undefined && run.status !== 'PENDING') return { status: 200, body: buildBody(run, id) }
      if (stream.isOver()) throw createTimeoutRefusal(id)
      await stream.waitForEnd(ids.runId)
    }
  } finally {
    stream.release()
  }
}

/** Returns the bare result. Failed research was refunded, and is answered with 502 too. */
function buildBody({ status, result }: StoredRun, id: RequestId | StreamId): object {
  if (status === 'FAILED' || result === null) {
    throw new Refusal(502, errorTypes.apiError, `the research of ${id} failed; it was refunded`)
  }
  return toResultV2(result, id)
}

/** One of the types observed in v1 and v2 (interface: "Errors"). */
const timeout = 'timeout'

const createTimeoutRefusal = (id: RequestId | StreamId): Refusal =>
  new Refusal(502, timeout, `${id} did not finish in time; poll its v2 status for the result`)

/** A result as stored by `decideRun`: that of v3 without its envelope. */
type StoredResult = Omit<JobResult, 'request_id' | 'basis'>

/**
 * Converts a result to v2, in the order of the interface ("v2 resolution result"). `stored` is the JSON text of a
 * completed run; the same text gives the same body at every poll.
 */
export function toResultV2(stored: string, requestId: ResultV2['request_id']): ResultV2 {
  const found = JSON.parse(stored) as StoredResult
  const { query, from_cache, updated_at, resolved_at, cache_hit_type } = found.metadata
  const { mode, name, context, location, classification } = query
  return {
    request_id: requestId,
    status: toPlainStatus(found),
    type: found.type,
    subtype: found.subtype,
    confidence: found.match_confidence,
    entity: found.entity === null ? null : flattenEntity(found.entity),
    candidate: found.candidate === null ? null : flattenCandidate(found.candidate),
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

/**
 * Creates the handler of instant search. There is no response cache: every query is fresh, with or without
 * `bypass_cache`. If the knowledge cannot look up companies, its results have no `entity_id`, and neither have ours.
 */
export function createSearchHandlers(knowledge: Knowledge, clock: Clock): Pick<Handlers, 'search'> {
  return {
    search: async ({ callId, query }) => {
      const startedMs = clock.monotonicMs()
      const { results, totalCount } = await knowledge.search({
        name: query.name,
        countryCode: query.country_code ?? null,
        regionCode: query.region_code ?? null,
        limit: query.limit ?? fieldLimits.searchResultsMax,
      })
      const withEntity = results.filter((result) => result.entity_id !== null)
      const alone = results.filter((result) => result.entity_id === null)
      const body: SearchReply = {
        results: [...withEntity, ...alone],
        metadata: {
          total: totalCount,
          returned: results.length,
          query_time_ms: Math.round(clock.monotonicMs() - startedMs),
        },
        request_id: callId,
      }
      return { status: 200, body }
    },
  }
}
