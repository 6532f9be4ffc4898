import { deliveryLimits } from '../contract/limits.js'

/**
 * When an event is tried again whose attempt number `attemptCount` has failed, counted from the end of that
 * attempt (interface: "Receiver response and retries"). Null after the last one: it is exhausted.
 */
export function nextAttemptAtMs(attemptCount: number, failedAtMs: number): number | null {
  const delaySeconds = deliveryLimits.retryDelaysSeconds[attemptCount - 1]
  return delaySeconds === undefined ? null : failedAtMs + delaySeconds * 1000
}
