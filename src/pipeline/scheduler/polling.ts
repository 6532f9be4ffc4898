import type { RunDurations } from './run-durations.js'
import type { PollingPace } from './scheduling.js'

export interface PollableRun {
  /** Time of submission, or of takeover from an earlier process. */
  openedAtMs: number
  /** Time of submission, by this process or an earlier one. */
  submittedAtMs: number
  /** Time of the last poll, successful or not. */
  lastPolledAtMs: number | null
  /** Time at which the service last reported it as running; failed polls do not count. */
  seenRunningAtMs: number | null
  /** Earliest next poll, set after a failed one. */
  notBeforeMs: number
  isBeingPolled: boolean
  /** Polled early, to learn the duration of runs. */
  isScout: boolean
}

/** Conditions for polls, apart from the runs. */
export interface PollSupply {
  /** Known durations of runs; null polls each run at every interval (embedded service). */
  durations: RunDurations | null
  /** Polls per millisecond allowed by the limit; null if unlimited. */
  pollsPerMs: number | null
  /** Time until the last submission. */
  submittingMsLeft: number
  /** Lookups still to be submitted. */
  toSubmitCount: number
  /** Whether a poll delays a submission, and should not be wasted; defaults to false. */
  takesTurns?: boolean
}

/**
 * The chance of an answer that justifies a poll. Scarce polls: any chance, since an unused turn is lost. Otherwise
 * about two polls per result, more for scouts and for the last few runs, which determine the end of the run. If a poll
 * delays a submission: an almost certain answer.
 */
const worthwhile = { scarce: 0.002, scout: 0.15, lastFew: 0.5, plenty: 0.6, takesTurns: 0.95 } as const
const lastFewCount = 5
/** While polls are plentiful, the minimum wait after a poll without an answer. */
const gapMsMin = 16_000
/** Longest interval between polls of the last few runs. */
const lastFewGapMs = 20_000
/** Wait for a run older than any earlier one, as a share of its age. */
const overdueShare = 0.1
/** If all runs can be polled within this time, polls are not scarce. */
const lastPollsMs = 30_000
/** Longest wait after a poll without an answer, as a share of the run's age. */
const gapShareMax = 0.4

export interface PollPlan<Run> {
  run: Run
  dueAtMs: number
}

/**
 * Returns the next run to poll, and when. While polls are plentiful, it is the run that first reaches its worthwhile
 * moment; while they are scarce, the due run most likely to have ended, preferably one not yet polled, so that none
 * starves. Null if every run is being polled.
 */
export function findNextPoll<Run extends PollableRun>(
  runs: ReadonlyMap<unknown, Run>,
  pace: PollingPace,
  supply: PollSupply,
  nowMs: number,
): PollPlan<Run> | null {
  if (supply.durations !== null && isScarce(runs, supply, nowMs)) {
    const likeliest = findLikeliestDue(runs, pace, supply.durations, nowMs)
    if (likeliest !== null) return { run: likeliest, dueAtMs: nowMs }
  }
  const threshold = getThreshold(runs, supply, nowMs)
  const gapMsMax = threshold === worthwhile.lastFew ? lastFewGapMs : Infinity
  // Without a limit, no poll delays another one.
  const isUnlimited = supply.durations === null && supply.pollsPerMs === null
  let next: PollPlan<Run> | null = null
  for (const run of runs.values()) {
    if (run.isBeingPolled) continue
    // Skips the calculation if the run cannot be earlier.
    const earliestMs = getEarliestPollMs(run, pace)
    if (isUnlimited && earliestMs <= nowMs) return { run, dueAtMs: earliestMs }
    if (next !== null && earliestMs >= next.dueAtMs) continue
    const isScouting = run.isScout && run.seenRunningAtMs === null
    const ownThreshold = isScouting ? Math.min(threshold, worthwhile.scout) : threshold
    const dueAtMs = Math.max(earliestMs, getWorthwhileAtMs(run, supply, ownThreshold, gapMsMax))
    if (next === null || dueAtMs < next.dueAtMs) next = { run, dueAtMs }
  }
  return next
}

function findLikeliestDue<Run extends PollableRun>(
  runs: ReadonlyMap<unknown, Run>,
  pace: PollingPace,
  durations: RunDurations,
  nowMs: number,
): Run | null {
  let [likeliest, highest]: [Run | null, number] = [null, worthwhile.scarce]
  for (const run of runs.values()) {
    if (run.isBeingPolled || getEarliestPollMs(run, pace) > nowMs) continue
    const seenMs = run.seenRunningAtMs === null ? 0 : run.seenRunningAtMs - run.submittedAtMs
    const chance = durations.getChanceDone(seenMs, nowMs - run.submittedAtMs)
    if (chance > highest) [likeliest, highest] = [run, chance]
    // Runs are in order of age: later ones are not more certain.
    if (highest > 0.999) break
  }
  return likeliest
}

/** Returns the earliest time allowed by the interface and the user. */
function getEarliestPollMs(run: PollableRun, pace: PollingPace): number {
  const paced =
    run.lastPolledAtMs === null ? run.submittedAtMs + pace.firstAfterMs : run.lastPolledAtMs + pace.intervalMs
  return Math.max(paced, run.notBeforeMs)
}

function getWorthwhileAtMs(
  run: PollableRun,
  { durations }: PollSupply,
  threshold: number,
  gapMsMax: number,
): number {
  if (durations === null) return 0
  if (run.seenRunningAtMs === null) return run.submittedAtMs + durations.getAgeForChance(0, threshold)
  const seenMs = run.seenRunningAtMs - run.submittedAtMs
  // Older than any run so far: the learned durations do not apply.
  if (durations.getShareDone(seenMs) > 0.999)
    return run.seenRunningAtMs + Math.min(seenMs * overdueShare, gapMsMax)
  const likelyMs = durations.getAgeForChance(seenMs, threshold) - seenMs
  const gapMs = Math.min(likelyMs, seenMs * gapShareMax, gapMsMax)
  return run.seenRunningAtMs + Math.max(gapMs, gapMsMin)
}

function getThreshold(runs: Runs, supply: PollSupply, nowMs: number): number {
  if (supply.durations === null) return 0
  if (supply.takesTurns === true) return worthwhile.takesTurns
  if (isScarce(runs, supply, nowMs)) return worthwhile.scarce
  return supply.toSubmitCount === 0 && runs.size <= lastFewCount ? worthwhile.lastFew : worthwhile.plenty
}

/** Whether polls, and not submissions or runs, determine the end of the run. */
function isScarce(runs: Runs, supply: PollSupply, nowMs: number): boolean {
  const { pollsPerMs, durations, toSubmitCount, submittingMsLeft } = supply
  if (pollsPerMs === null || durations === null || supply.takesTurns === true) return false
  const pollingMsLeft = (runs.size + toSubmitCount) / pollsPerMs
  const runMs = durations.getAgeForChance(0, 0.95)
  if (pollingMsLeft > submittingMsLeft + runMs) return true
  if (toSubmitCount > 0) return false
  // Nothing is left to submit: the youngest run has an age.
  let youngestAtMs = -Infinity
  for (const { submittedAtMs } of runs.values()) youngestAtMs = Math.max(youngestAtMs, submittedAtMs)
  return pollingMsLeft > lastPollsMs && pollingMsLeft > youngestAtMs + runMs - nowMs
}

type Runs = ReadonlyMap<unknown, Pick<PollableRun, 'submittedAtMs'>>

/** Whether a run has reached its deadline, which starts again after a takeover. */
export function isPastDeadline(run: PollableRun, pace: PollingPace, nowMs: number): boolean {
  return nowMs - Math.max(run.openedAtMs, run.submittedAtMs) >= pace.deadlineMs
}

/** With webhooks, polling is the fallback: the time a delivery may take. */
const deliveryLimits = {
  /** Research takes one to five minutes (interface: "v3 entity resolution"), sometimes a little more. */
  researchMsMax: 330_000,
  /** Six attempts with their delays and time-outs (interface: "Receiver response and retries"). */
  retryMsMax: 400_000,
  /** Share of an earlier deadline, so that a run is polled before it is given up. */
  shareOfDeadlineMax: 0.8,
} as const

/** Returns the longest time in which a delivery is expected to name a run or a lost submission. */
export function getDeliveryMsMax({ deadlineMs }: Pick<PollingPace, 'deadlineMs'>): number {
  const { researchMsMax, retryMsMax, shareOfDeadlineMax } = deliveryLimits
  return Math.min(researchMsMax + retryMsMax, deadlineMs * shareOfDeadlineMax)
}

export interface FallbackRun extends PollableRun {
  /**
   * Polled immediately: `once`, after a gap in which deliveries may have been missed; or `until_answered`, after an
   * incomplete delivery.
   */
  asked: 'once' | 'until_answered' | null
}

/** The next run to poll while deliveries are expected, and when: a requested or late one; null if none is. */
export function findNextFallbackPoll<Run extends FallbackRun>(
  runs: Iterable<Run>,
  pace: PollingPace,
): { run: Run; dueAtMs: number } | null {
  let next: { run: Run; dueAtMs: number } | null = null
  for (const run of runs) {
    if (run.isBeingPolled) continue
    const lateAtMs = run.asked === null ? run.submittedAtMs + getDeliveryMsMax(pace) : -Infinity
    const againAtMs = run.lastPolledAtMs === null ? -Infinity : run.lastPolledAtMs + pace.intervalMs
    const dueAtMs = Math.max(lateAtMs, againAtMs, run.notBeforeMs)
    if (next === null || dueAtMs < next.dueAtMs) next = { run, dueAtMs }
  }
  return next
}
