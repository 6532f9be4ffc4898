/** Times in milliseconds of one clock; delays too. */
export interface PollingPace {
  /** No run is finished sooner than this after its submission. */
  firstAfterMs: number
  /** One run is never asked more often than this. */
  intervalMs: number
  /** A run without an answer for so long is left for the next command. */
  deadlineMs: number
}

export interface PollableRun {
  /** When it was submitted, or taken over from an earlier process. */
  openedAtMs: number
  /** When it was submitted, whoever did it. */
  submittedAtMs: number
  lastPolledAtMs: number | null
  /** Set after a failed poll: not before then. */
  notBeforeMs: number
  isBeingPolled: boolean
}

/** The earliest moment at which asking for this run makes sense. */
export function pollDueAtMs(run: PollableRun, pace: PollingPace): number {
  const paced =
    run.lastPolledAtMs === null ? run.submittedAtMs + pace.firstAfterMs : run.lastPolledAtMs + pace.intervalMs
  return Math.max(paced, run.notBeforeMs)
}

/** A run taken over from an earlier process has its whole deadline before it again. */
export function isPastDeadline(run: PollableRun, pace: PollingPace, nowMs: number): boolean {
  return nowMs - Math.max(run.openedAtMs, run.submittedAtMs) >= pace.deadlineMs
}

/** The run to ask next and when: the one that has been due longest. Null when every run is being asked. */
export function nextPoll<Run extends PollableRun>(
  runs: Iterable<Run>,
  pace: PollingPace,
): { run: Run; dueAtMs: number } | null {
  let next: { run: Run; dueAtMs: number } | null = null
  for (const run of runs) {
    if (run.isBeingPolled) continue
    const dueAtMs = pollDueAtMs(run, pace)
    if (next === null || dueAtMs < next.dueAtMs) next = { run, dueAtMs }
  }
  return next
}
