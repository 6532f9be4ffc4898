import type { BackoffPolicy, ReachabilityPolicy } from './backoff.js'

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
