import { requestId, streamId } from '../../../contract/ids.js'
import type { JobStatusV2 } from '../../../contract/resolution-v2.js'
import { errorText } from '../../../core/error-text.js'
import type { Handlers } from '../../http/mount.js'
import { malformedRequestId, notFound, Refusal } from '../../refusal.js'
import type { RunStore } from '../../runs/run-store.js'
import { submit, type SubmissionParts } from '../../runs/submission.js'
import { resultV2Of } from './result.js'

export interface JobParts extends SubmissionParts {
  readonly store: Pick<RunStore, 'byRequestId'>
  readonly log: (line: string) => void
}

/**
 * The v2 submission, billed as it is stored, and its poll, which is free. Every account may submit: v2 has no
 * switch. What could not be stored was not billed, and is a 503.
 */
export function jobHandlers(parts: JobParts): Pick<Handlers, 'submitResolution' | 'pollResolution'> {
  const { store, log } = parts
  return {
    submitResolution: async (call) => {
      const { name, location } = call.query
      const plain = { context: undefined, customId: null, webhookUrl: null, withBasis: false }
      try {
        const { ids } = await submit(call, { kind: 'async', name, location, ...plain }, parts)
        return { status: 202, body: { request_id: ids.requestId, status: 'PENDING' } }
      } catch (error) {
        if (error instanceof Refusal) throw error
        log(`a v2 submission could not be billed: ${errorText(error)}`)
        throw billingUnavailable()
      }
    },
    pollResolution: ({ caller, params }) => {
      const id = anyRequestId.safeParse(params.request_id)
      if (!id.success) throw malformedRequestId()
      const run = store.byRequestId(caller.accountNumber, id.data)
      if (run === undefined) throw notFound('request')
      const { status, result } = run
      const body: JobStatusV2 = {
        request_id: id.data,
        status,
        data: status === 'COMPLETED' && result !== null ? resultV2Of(result, id.data) : null,
      }
      return { status: status === 'PENDING' ? 202 : 200, body }
    },
  }
}

const anyRequestId = requestId.or(streamId)

export const billingUnavailable = (): Refusal =>
  new Refusal(
    503,
    'billing_unavailable',
    'billing is unavailable for the moment; nothing was charged and no job was made',
  )
