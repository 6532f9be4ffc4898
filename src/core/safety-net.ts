import type { PollingPace } from './polling.js'

/** With webhooks, polling is the net below them: how long an answer may be on its way by a delivery. */
export const deliveryBounds = {
  /** Research takes one to five minutes (interface: "v3 entity resolution"), and now and then a little more. */
  researchMsMax: 330_000,
  /** Six tries with their delays, each as long as it may take (interface: "Receiver response and retries"). */
  retryMsMax: 400_000,
  /** Of a deadline that comes sooner: a run is asked for before it is given up. */
  shareOfDeadlineMax: 0.8,
} as const

/** A run, or a submission whose answer was lost, that no delivery named for so long will hardly be named by one. */
export function deliveryMsMax({ deadlineMs }: Pick<PollingPace, 'deadlineMs'>): number {
  const { researchMsMax, retryMsMax, shareOfDeadlineMax } = deliveryBounds
  return Math.min(researchMsMax + retryMsMax, deadlineMs * shareOfDeadlineMax)
}
