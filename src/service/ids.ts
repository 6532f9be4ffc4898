import type { CallId, JobId, RequestId, RunId } from '../contract/ids.js'
import type { Random } from '../platform/random.js'

/** The ids of one unit of work: what it is called outside, and the call that started it. */
export interface RunIds {
  readonly runId: RunId
  readonly callId: CallId
  /** Only what a GET kickoff started is known by these. */
  readonly job: { readonly jobId: JobId; readonly requestId: RequestId } | null
}

export function newCallId(random: Random): CallId {
  return random.id('req_') as CallId
}

export function newRunIds(kind: 'run' | 'job', callId: CallId, random: Random, nowMs: number): RunIds {
  const stamped = (prefix: string) => random.id(prefix + nowMs.toString(36))
  const job =
    kind === 'job' ? { jobId: stamped('job_') as JobId, requestId: stamped('reqa_') as RequestId } : null
  return { runId: stamped('run_') as RunId, callId, job }
}
