import { backoffMs, type BackoffPolicy } from './backoff.js'

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
