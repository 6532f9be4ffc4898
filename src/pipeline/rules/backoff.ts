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
