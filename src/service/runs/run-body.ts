import type { CallId, RequestId } from '../../contract/ids.js'
import type { JobPending } from '../../contract/resolution.js'
import type { StoredRun } from './run-store.js'

/**
 * Bodies of the polls as JSON text. The stored text goes out as it is, so that a result is the same bytes at
 * every poll; only a job's `request_id` is that of the call.
 */

/**
 * The run object, the same as in a webhook's `data.object` (interface: "Job and run envelopes"). Its result
 * bears the id of the call that started the run, so that poll and webhook agree; a failed run has no result.
 */
export function runBody(run: StoredRun, withBasis: boolean): string {
  const head = {
    run_id: run.runId,
    ...(run.customId === null ? {} : { custom_id: run.customId }),
    status: run.status,
  }
  const isAnswered = run.status === 'COMPLETED' && run.result !== null
  const result = isAnswered ? resultText(run.result, run, run.callId, withBasis) : 'null'
  return `${JSON.stringify(head).slice(0, -1)},"data":${result}}`
}

/** The job result, also of a failed one, or null while it runs (interface: "v3 job result"). */
export function jobBody(run: StoredRun, callId: CallId, withBasis: boolean): string | null {
  return run.result === null ? null : resultText(run.result, run, callId, withBasis)
}

/** What a job answers while it runs, or null if the run was not started as a job. */
export function jobPendingBody(run: StoredRun): JobPending | null {
  if (run.jobId === null || run.requestId === null) return null
  return { status: 'pending', job_id: run.jobId, request_id: run.requestId as RequestId }
}

function resultText(result: string, run: StoredRun, requestId: string, withBasis: boolean): string {
  const basis = withBasis && run.basis !== null ? `,"basis":${run.basis}` : ''
  return `${result.slice(0, -1)}${basis},"request_id":"${requestId}"}`
}
