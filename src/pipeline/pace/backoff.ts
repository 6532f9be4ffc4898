/** Delays for asking again: exponential, capped, with full jitter so that clients do not march in step. */
export interface BackoffPolicy {
  delayMsBase: number
  delayMsMax: number
}

/** The wait before try `attempt` + 1 (the first failure is attempt 1); `fraction` is chance in [0, 1). */
export function backoffMs(policy: BackoffPolicy, attempt: number, fraction: number): number {
  const ceiling = Math.min(policy.delayMsMax, policy.delayMsBase * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling * (0.1 + 0.9 * fraction))
}

export interface ReachabilityPolicy extends BackoffPolicy {
  /** Consecutive failures after which a service that has answered before is given up. */
  failuresMax: number
  /** The same for one that never answered: most likely a wrong address. */
  firstFailuresMax: number
}

/** What to do after `consecutive` failures in a row (from 1). */
export function decideAfterFailure(
  consecutive: number,
  hasAnswered: boolean,
  policy: ReachabilityPolicy,
  fraction: number,
): { action: 'pause'; delayMs: number } | { action: 'give_up' } {
  const max = hasAnswered ? policy.failuresMax : policy.firstFailuresMax
  return consecutive >= max
    ? { action: 'give_up' }
    : { action: 'pause', delayMs: backoffMs(policy, consecutive, fraction) }
}

/**
 * Counts failures in a row. Requests that were in flight together fail together: of those one is counted,
 * or a short break of a busy connection would look like a dead service.
 */
export class FailureStreak {
  readonly #policy: ReachabilityPolicy
  #consecutive = 0
  #lastCountedAtMs = -Infinity
  #hasAnswered = false

  constructor(policy: ReachabilityPolicy) {
    this.#policy = policy
  }

  answered(): void {
    this.#consecutive = 0
    this.#hasAnswered = true
  }

  /** `startedAtMs` and `nowMs` are of the monotonic clock; `fraction` is chance. */
  failed(startedAtMs: number, nowMs: number, fraction: number): ReturnType<typeof decideAfterFailure> {
    if (startedAtMs >= this.#lastCountedAtMs) {
      this.#consecutive++
      this.#lastCountedAtMs = nowMs
    }
    return decideAfterFailure(this.#consecutive, this.#hasAnswered, this.#policy, fraction)
  }
}

/** Of submissions that certainly did not arrive. */
export const notSentPolicy: ReachabilityPolicy = {
  delayMsBase: 500,
  delayMsMax: 60_000,
  failuresMax: 12,
  firstFailuresMax: 4,
}

/** What costs nothing may be tried for longer. */
export const freePolicy: ReachabilityPolicy = { ...notSentPolicy, failuresMax: 20, firstFailuresMax: 10 }

/** Every further try may be billed and lost: far fewer of them. */
export const unknownPolicy: ReachabilityPolicy = {
  delayMsBase: 2_000,
  delayMsMax: 60_000,
  failuresMax: 8,
  firstFailuresMax: 5,
}

/** Of one run. */
export const failedPollPolicy: BackoffPolicy = { delayMsBase: 2_000, delayMsMax: 60_000 }
/** Polls of whichever runs that no usable answer came to: the service is gone. Each run waits on its own. */
export const pollsPolicy: ReachabilityPolicy = { ...failedPollPolicy, failuresMax: 20, firstFailuresMax: 5 }
