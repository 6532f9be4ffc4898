/** Delays before retries: exponential, capped, with full jitter so that clients do not synchronize. */
export interface BackoffPolicy {
  delayMsBase: number
  delayMsMax: number
}

/** Returns the wait after failure number `attempt` (from 1); `fraction` is random in [0, 1). */
export function calculateBackoffMs(policy: BackoffPolicy, attempt: number, fraction: number): number {
  const ceiling = Math.min(policy.delayMsMax, policy.delayMsBase * 2 ** Math.min(attempt - 1, 30))
  return Math.round(ceiling * (0.1 + 0.9 * fraction))
}

export interface ReachabilityPolicy extends BackoffPolicy {
  /** Consecutive failures after which to give up, if the service has answered before. */
  failuresMax: number
  /** The same if it has never answered: its address is probably wrong. */
  firstFailuresMax: number
}

/** Decides what to do after `consecutive` failures in a row (from 1). */
export function decideAfterFailure(
  consecutive: number,
  hasAnswered: boolean,
  policy: ReachabilityPolicy,
  fraction: number,
): { action: 'pause'; delayMs: number } | { action: 'give_up' } {
  const max = hasAnswered ? policy.failuresMax : policy.firstFailuresMax
  return consecutive >= max
    ? { action: 'give_up' }
    : { action: 'pause', delayMs: calculateBackoffMs(policy, consecutive, fraction) }
}

/** Counts failures in a row. Requests in flight at the same time fail together and count once. */
export class FailureStreak {
  readonly #policy: ReachabilityPolicy
  #consecutive = 0
  #lastCountedAtMs = -Infinity
  #hasAnswered = false

  constructor(policy: ReachabilityPolicy) {
    this.#policy = policy
  }

  reset(): void {
    this.#consecutive = 0
    this.#hasAnswered = true
  }

  /** `startedAtMs` and `nowMs` are monotonic; `fraction` is random. */
  noteFailure(startedAtMs: number, nowMs: number, fraction: number): ReturnType<typeof decideAfterFailure> {
    if (startedAtMs >= this.#lastCountedAtMs) {
      this.#consecutive++
      this.#lastCountedAtMs = nowMs
    }
    return decideAfterFailure(this.#consecutive, this.#hasAnswered, this.#policy, fraction)
  }
}

/** Policy for submissions that were not received. */
export const notSentPolicy: ReachabilityPolicy = {
  delayMsBase: 500,
  delayMsMax: 60_000,
  failuresMax: 12,
  firstFailuresMax: 4,
}

/** Free requests may be retried for longer. */
export const freePolicy: ReachabilityPolicy = { ...notSentPolicy, failuresMax: 20, firstFailuresMax: 10 }

/** Each retry may be billed and lost, so there are fewer. */
export const unknownPolicy: ReachabilityPolicy = {
  delayMsBase: 2_000,
  delayMsMax: 60_000,
  failuresMax: 8,
  firstFailuresMax: 5,
}

export const failedPollPolicy: BackoffPolicy = { delayMsBase: 2_000, delayMsMax: 60_000 }
/** Policy for all polls together: without any usable response, the service is down. Each run also has its own wait. */
export const pollsPolicy: ReachabilityPolicy = { ...failedPollPolicy, failuresMax: 20, firstFailuresMax: 5 }
