import { errorTypes } from '../../../contract/errors.js'
import type { RequestId, StreamId } from '../../../contract/ids.js'
import { bounds } from '../../bounds.js'
import type { Handlers } from '../../http/mount.js'
import { Refusal } from '../../refusal.js'
import type { RunStore, StoredRun } from '../../runs/run-store.js'
import { submit, type SubmissionParts } from '../../runs/submission.js'
import type { HeldStreams } from './held-streams.js'
import { resultV2Of } from './result.js'

export interface StreamParts extends SubmissionParts {
  readonly store: Pick<RunStore, 'byRequestId'>
  readonly streams: HeldStreams
}

/**
 * The v2 stream: a run like that of a v2 job, billed and refunded like it, whose answer is waited for. The
 * connection is held ten minutes longer than the longest research, then it is a 502; the run goes on whatever
 * becomes of the connection.
 */
export function streamHandlers(parts: StreamParts): Pick<Handlers, 'streamResolution'> {
  const { store, streams, researchMs } = parts
  return {
    streamResolution: async (call) => {
      const { name, location } = call.query
      const plain = { context: undefined, customId: null, webhookUrl: null, withBasis: false }
      const stream = streams.hold(call.caller, call.gone, researchMs.max + bounds.streamGraceMs)
      try {
        call.keepOpen()
        const { accountNumber, ids } = await submit(call, { kind: 'stream', name, location, ...plain }, parts)
        const id = ids.requestId
        if (id === null) throw new Error('a stream was stored without its id')
        for (;;) {
          const run = store.byRequestId(accountNumber, id)
          if (run !== undefined && run.status !== 'PENDING') return { status: 200, body: bodyOf(run, id) }
          if (stream.isOver()) throw notInTime(id)
          await stream.mayHaveEnded(ids.runId)
        }
      } finally {
        stream.release()
      }
    },
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
