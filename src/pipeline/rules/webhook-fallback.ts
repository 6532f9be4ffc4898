import type { PollableRun, PollingPace } from './polling.js'

/** With webhooks, polling is the net below them: how long an answer may be on its way by a delivery. */
const deliveryLimits = {
  /** Research takes one to five minutes (interface: "v3 entity resolution"), and now and then a little more. */
  researchMsMax: 330_000,
  /** Six tries with their delays, each as long as it may take (interface: "Receiver response and retries"). */
  retryMsMax: 400_000,
  /** Of a deadline that comes sooner: a run is asked for before it is given up. */
  shareOfDeadlineMax: 0.8,
} as const

/** A run, or a submission whose answer was lost, that no delivery named for so long will hardly be named by one. */
export function deliveryMsMax({ deadlineMs }: Pick<PollingPace, 'deadlineMs'>): number {
  const { researchMsMax, retryMsMax, shareOfDeadlineMax } = deliveryLimits
  return Math.min(researchMsMax + retryMsMax, deadlineMs * shareOfDeadlineMax)
}

export interface FallbackRun extends PollableRun {
  /**
   * Due at once, whatever its age: `once`, after a gap in which deliveries may have been missed; or
   * `until_answered`, after a delivery that was not whole.
   */
  asked: 'once' | 'until_answered' | null
}

/**
 * The run to ask next and when, while deliveries are expected: one that was asked for, or is late. Null when
 * every run is being asked.
 */
export function nextFallbackPoll<Run extends FallbackRun>(
  runs: Iterable<Run>,
  pace: PollingPace,
): { run: Run; dueAtMs: number } | null {
  let next: { run: Run; dueAtMs: number } | null = null
  for (const run of runs) {
    if (run.isBeingPolled) continue
    const lateAtMs = run.asked === null ? run.submittedAtMs + deliveryMsMax(pace) : -Infinity
    const againAtMs = run.lastPolledAtMs === null ? -Infinity : run.lastPolledAtMs + pace.intervalMs
    const dueAtMs = Math.max(lateAtMs, againAtMs, run.notBeforeMs)
    if (next === null || dueAtMs < next.dueAtMs) next = { run, dueAtMs }
  }
  return next
}
