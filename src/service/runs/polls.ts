import type { CallId, RequestId } from '../../contract/enums.js'
import type { Clock } from '../../platform/clock.js'
import { limits } from '../limits.js'
import type { OnRunEnded, StoredRun } from './run-store.js'
import type { JobPending } from '../../contract/result.js'

/**
 * Lets polls of open runs and builds wait for the end, instead of answering at once that the work is open. One timer
 * for all: a poll waits for at most `heldPollMsMax`, mostly for less.
 */
export class HeldPolls {
  readonly #clock: Clock
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #closing = new AbortController()
  #isTimed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** To be called for every run that ends. */
  readonly onEnded: OnRunEnded = ({ runId }) => {
    this.release(runId)
  }

  /** To be called at the end of the work with this key. */
  release(key: string): void {
    const released = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const release of released) release()
  }

  /** Resolves when the work with this key may have ended, after the longest wait, or when the service closes. */
  async waitForEnd(key: string): Promise<void> {
    if (this.#closing.signal.aborted) return
    await new Promise<void>((resolve) => {
      const others = this.#waiting.get(key)
      if (others === undefined) this.#waiting.set(key, [resolve])
      else others.push(resolve)
      if (!this.#isTimed) void this.#startTimer()
    })
  }

  /** Ends the waiting polls and lets no more wait. */
  close(): void {
    this.#closing.abort()
    this.#releaseAll()
  }

  async #startTimer(): Promise<void> {
    this.#isTimed = true
    await this.#clock.sleep(limits.heldPollMsMax, this.#closing.signal)
    this.#isTimed = false
    this.#releaseAll()
  }

  #releaseAll(): void {
    const released = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    for (const release of released) release()
  }
}

/**
 * Bodies of the polls as JSON text. The stored text is sent unchanged, so that a result has the same bytes at every
 * poll; only a job's `request_id` is that of the call.
 */

/**
 * Returns the run object, as in a webhook's `data.object` (interface: "Job and run envelopes"). Its result has the id
 * of the call that started the run, so that poll and webhook agree; a failed run has no result.
 */
export function formatRunBody(run: StoredRun, withBasis: boolean): string {
  const head = {
    run_id: run.runId,
    ...(run.customId === null ? {} : { custom_id: run.customId }),
    status: run.status,
  }
  const isAnswered = run.status === 'COMPLETED' && run.result !== null
  const result = isAnswered ? formatResult(run.result, run, run.callId, withBasis) : 'null'
  return `${JSON.stringify(head).slice(0, -1)},"data":${result}}`
}

/** Returns the job result, also of a failed job; `null` while it runs (interface: "v3 job result"). */
export function formatJobBody(run: StoredRun, callId: CallId, withBasis: boolean): string | null {
  return run.result === null ? null : formatResult(run.result, run, callId, withBasis)
}

/** Returns the reply to a poll of a running job; `null` if the run was not started as a job. */
export function buildPendingBody(run: StoredRun): JobPending | null {
  if (run.jobId === null || run.requestId === null) return null
  return { status: 'pending', job_id: run.jobId, request_id: run.requestId as RequestId }
}

function formatResult(result: string, run: StoredRun, requestId: string, withBasis: boolean): string {
  const basis = withBasis && run.basis !== null ? `,"basis":${run.basis}` : ''
  return `${result.slice(0, -1)}${basis},"request_id":"${requestId}"}`
}
