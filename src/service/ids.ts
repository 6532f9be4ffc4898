import type { CallId, JobId, RequestId, RunId, StreamId } from '../contract/ids.js'
import type { Random } from '../platform/random.js'

/** The public ids of a run, and the id of the call that started it. */
export interface RunIds {
  readonly runId: RunId
  readonly callId: CallId
  /** `null` unless a v3 GET kickoff started the run. */
  readonly jobId: JobId | null
  /** Set if a v3 GET kickoff, a v2 submission or a v2 stream started the run. */
  readonly requestId: RequestId | StreamId | null
}

export function createCallId(random: Random): CallId {
  return random.id('req_') as CallId
}

/** The kind of call that started a run: a v3 POST or GET kickoff, a v2 submission, or a v2 stream. */
export type RunKind = 'run' | 'job' | 'async' | 'stream'

export function createRunIds(kind: RunKind, callId: CallId, random: Random, nowMs: number): RunIds {
  const createStampedId = (prefix: string) => random.id(prefix + nowMs.toString(36))
  return {
    runId: createStampedId('run_') as RunId,
    callId,
    jobId: kind === 'job' ? (createStampedId('job_') as JobId) : null,
    requestId:
      kind === 'run'
        ? null
        : (createStampedId(kind === 'stream' ? 'reqs_' : 'reqa_') as RequestId | StreamId),
  }
}
