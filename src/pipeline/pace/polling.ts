import type { RunDurations } from './run-durations.js'

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
  /** When it was submitted, by this process or an earlier one. */
  submittedAtMs: number
  /** When it was asked last, whatever came of it. */
  lastPolledAtMs: number | null
  /** When the service last said that it was running; a poll that failed or was refused has seen nothing. */
  seenRunningAtMs: number | null
  /** Set after a failed poll: not before then. */
  notBeforeMs: number
  isBeingPolled: boolean
  /** Asked early for the first time, so that the others are asked at the right time. */
  isScout: boolean
}

/** What the polls have to do with, besides the runs themselves. */
export interface PollSupply {
  /** What is known of how long runs take; null asks for each at every interval (a service of our own). */
  durations: RunDurations | null
  /** Polls that the limit allows in a millisecond; null is no limit. */
  pollsPerMs: number | null
  /** Time until the last submission leaves. */
  submittingMsLeft: number
  /** Lookups that are still to be submitted. */
  toSubmitCount: number
  /** A poll takes the turn of a request that begins something: none should be in vain. False if left out. */
  takesTurns?: boolean
}

/**
 * The chance of an answer at which a poll is worth its cost. Scarce: any chance at all, since an idle turn
 * never comes back. Otherwise two polls a result, and more for scouts and for the last few runs, which decide
 * when the whole is done. Where a poll takes the turn of something new, an answer that is all but certain.
 */
const worthwhile = { scarce: 0.002, scout: 0.15, lastFew: 0.5, plenty: 0.6, takesTurns: 0.95 } as const
const lastFewCount = 5
/** While polls are plenty, one in vain is not followed by the next before this. */
const gapMsMin = 16_000
/** The last few are asked at least this often: the whole ends with the last of them. */
const lastFewGapMs = 20_000
/** Without an answer at an age that none had so far: asked again after this share of its age. */
const overdueShare = 0.1
/** So little polling is never scarce: each of the runs can be asked as soon as it is worthwhile. */
const lastPollsMs = 30_000
/** Asked in vain, a run is asked again after this share of its age at the latest, whatever the chances say. */
const gapShareMax = 0.4

export interface PollPlan<Run> {
  run: Run
  dueAtMs: number
}

/**
 * The run to ask next and when. While polls are plenty that is the run that comes to its worthwhile moment
 * first; while they are scarce, of those that are due the one most likely to have ended, the one never asked
 * before the one asked in vain, so that none starves. Null when every run is being asked.
 */
export function nextPoll<Run extends PollableRun>(
  runs: ReadonlyMap<unknown, Run>,
  pace: PollingPace,
  supply: PollSupply,
  nowMs: number,
): PollPlan<Run> | null {
  if (supply.durations !== null && isScarce(runs, supply, nowMs)) {
    const likeliest = likeliestDue(runs, pace, supply.durations, nowMs)
    if (likeliest !== null) return { run: likeliest, dueAtMs: nowMs }
  }
  const threshold = thresholdOf(runs, supply, nowMs)
  const gapMsMax = threshold === worthwhile.lastFew ? lastFewGapMs : Infinity
  let next: PollPlan<Run> | null = null
  for (const run of runs.values()) {
    if (run.isBeingPolled) continue
    // A later moment than the best so far is not worth working out.
    const earliestMs = earliestPollMs(run, pace)
    if (next !== null && earliestMs >= next.dueAtMs) continue
    const isScouting = run.isScout && run.seenRunningAtMs === null
    const ownThreshold = isScouting ? Math.min(threshold, worthwhile.scout) : threshold
    const dueAtMs = Math.max(earliestMs, worthwhileAtMs(run, supply, ownThreshold, gapMsMax))
    if (next === null || dueAtMs < next.dueAtMs) next = { run, dueAtMs }
  }
  return next
}

function likeliestDue<Run extends PollableRun>(
  runs: ReadonlyMap<unknown, Run>,
  pace: PollingPace,
  durations: RunDurations,
  nowMs: number,
): Run | null {
  let [likeliest, highest]: [Run | null, number] = [null, worthwhile.scarce]
  for (const run of runs.values()) {
    if (run.isBeingPolled || earliestPollMs(run, pace) > nowMs) continue
    const seenMs = run.seenRunningAtMs === null ? 0 : run.seenRunningAtMs - run.submittedAtMs
    const chance = durations.chanceDone(seenMs, nowMs - run.submittedAtMs)
    if (chance > highest) [likeliest, highest] = [run, chance]
    // The runs come oldest first: nothing behind a certain one is more certain.
    if (highest > 0.999) break
  }
  return likeliest
}

/** The rules of the interface and of the user, whatever the chances. */
function earliestPollMs(run: PollableRun, pace: PollingPace): number {
  const paced =
    run.lastPolledAtMs === null ? run.submittedAtMs + pace.firstAfterMs : run.lastPolledAtMs + pace.intervalMs
  return Math.max(paced, run.notBeforeMs)
}

function worthwhileAtMs(
  run: PollableRun,
  { durations }: PollSupply,
  threshold: number,
  gapMsMax: number,
): number {
  if (durations === null) return 0
  if (run.seenRunningAtMs === null) return run.submittedAtMs + durations.ageForChance(0, threshold)
  const seenMs = run.seenRunningAtMs - run.submittedAtMs
  // Older than any run so far: what was learned says nothing about it.
  if (durations.doneBy(seenMs) > 0.999) return run.seenRunningAtMs + Math.min(seenMs * overdueShare, gapMsMax)
  const gapMs = Math.min(durations.ageForChance(seenMs, threshold) - seenMs, seenMs * gapShareMax, gapMsMax)
  return run.seenRunningAtMs + Math.max(gapMs, gapMsMin)
}

function thresholdOf(runs: Runs, supply: PollSupply, nowMs: number): number {
  if (supply.durations === null) return 0
  if (supply.takesTurns === true) return worthwhile.takesTurns
  if (isScarce(runs, supply, nowMs)) return worthwhile.scarce
  return supply.toSubmitCount === 0 && runs.size <= lastFewCount ? worthwhile.lastFew : worthwhile.plenty
}

/** Whether the polls, and not the submissions or the runs, decide when the whole is done. */
function isScarce(runs: Runs, supply: PollSupply, nowMs: number): boolean {
  const { pollsPerMs, durations, toSubmitCount, submittingMsLeft } = supply
  if (pollsPerMs === null || durations === null || supply.takesTurns === true) return false
  const pollingMsLeft = (runs.size + toSubmitCount) / pollsPerMs
  const runMs = durations.ageForChance(0, 0.95)
  if (pollingMsLeft > submittingMsLeft + runMs) return true
  if (toSubmitCount > 0) return false
  // Nothing is to be submitted: the youngest has run for a while.
  let youngestAtMs = -Infinity
  for (const { submittedAtMs } of runs.values()) youngestAtMs = Math.max(youngestAtMs, submittedAtMs)
  return pollingMsLeft > lastPollsMs && pollingMsLeft > youngestAtMs + runMs - nowMs
}

type Runs = ReadonlyMap<unknown, Pick<PollableRun, 'submittedAtMs'>>

/** A run taken over from an earlier process has its whole deadline before it again. */
export function isPastDeadline(run: PollableRun, pace: PollingPace, nowMs: number): boolean {
  return nowMs - Math.max(run.openedAtMs, run.submittedAtMs) >= pace.deadlineMs
}

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
