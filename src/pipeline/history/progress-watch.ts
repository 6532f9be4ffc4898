import type { LookupPlan } from '../../core/lookup-state.js'
import { toMicros, calculateMoney, toUnits, type Money, type Prices } from '../../core/money.js'
import {
  type PollingPace,
  explainStop,
  shouldWaitForRuns,
  type Stop,
  type SchedulingOptions,
} from '../scheduler/scheduling.js'
import {
  estimateEtaMs,
  type Progress,
  type TimeLeftFacts,
  type RunObserver,
  type TimelinePoint,
} from './run-summary.js'
import type { Clock } from '../../platform/clock.js'
import {
  countAccepted,
  countSubmissions,
  countUnsubmitted,
  toStageFacts,
  calculatePauseMs,
  watchPauses,
  type KindRun,
  type Tally,
} from './tally.js'
import type { Timeline } from './run-record.js'
import type { JobSpending } from '../scheduler/scheduler.js'
import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'

/** Longer than a rate limit's window, and than the longest wait that a server may request. */
const firstNoticeMs = 180_000

/**
 * Reports refusals by rate limits. The run waits for as long as necessary; notices state since when and the possible
 * cause, each after twice the time of the one before.
 */
export function watchRefusals(
  refusedSinceMs: Tally['refusedSinceMs'],
  notify: (sentence: string) => void,
): (nowMs: number) => void {
  const nextNoticeMs = { submissions: firstNoticeMs, polls: firstNoticeMs }
  return (nowMs) => {
    for (const what of ['submissions', 'polls'] as const) {
      const sinceMs = refusedSinceMs[what]
      if (sinceMs !== null && nowMs - sinceMs >= nextNoticeMs[what]) {
        nextNoticeMs[what] = (nowMs - sinceMs) * 2
        notify(describeRefusals(what, nowMs - sinceMs))
      } else if (sinceMs === null && nextNoticeMs[what] > firstNoticeMs) {
        nextNoticeMs[what] = firstNoticeMs
        notify(`The service accepts ${what} again.`)
      }
    }
  }
}

const describeRefusals = (what: string, forMs: number) =>
  `The service has answered 429 to all ${what} for ${formatDuration(forMs)}; the run waits and continues when it can. ` +
  'Check whether another program uses this API key, or a limit of the plan is reached; --max-duration limits the wait.'

/** Reports answers of other lookups, which are requested again: the first, and when their number doubles. */
export function watchMisdirected(
  tally: Pick<Tally, 'misdirected' | 'held'>,
  notify: (sentence: string) => void,
): () => void {
  let nextNoticeCount = 1
  return () => {
    const { misdirected, held } = tally
    if (misdirected < nextNoticeCount) return
    nextNoticeCount = misdirected * 2
    const answers = plural(misdirected, 'answer')
    notify(
      `ALARM: the service sent ${answers} of other lookups: not written, and requested again. ` +
        `${formatCount(held.size)} lookups are held at the moment; check whether a cache or a proxy mixes them up.`,
    )
  }
}

interface StopState {
  readonly stop: Stop | null
  readonly running: number
  /** Lookups not submitted. */
  readonly left: number
}

/**
 * Reports a used up budget or credit once, if the run still waits for answers. Waits until the number of running lookups is
 * that of the report before: replies to the last submissions may be on their way.
 */
function watchStop(notify: (sentence: string) => void): (state: StopState) => void {
  let isReported = false
  let runningBefore = 0
  return ({ stop, running, left }) => {
    if (isReported || stop === null || !shouldWaitForRuns(stop)) return
    const isSettled = running === runningBefore
    runningBefore = running
    const explained = explainStop({ kind: 'resolution', stop })
    if (!isSettled || running === 0 || explained === null) return
    isReported = true
    const held = left === 0 ? '' : `; ${plural(left, 'lookup is', 'lookups are')} left for another run`
    notify(
      `No more lookups are submitted: ${explained.message}${held}. The run waits for the answers to ${formatCount(running)} ` +
        `${running === 1 ? 'lookup that is' : 'lookups that are'} running (${explained.code}).`,
    )
  }
}

const progressIntervalMs = 1_000

/** Rates cover the last minute. */
const rateWindowMs = 60_000

export interface ProgressWatchDeps {
  plan: Readonly<Record<LookupPlan, number>>
  tally: Tally
  /** Kinds in addition to resolutions. */
  stages: readonly KindRun[]
  /** Null if nothing is billed or the prices are unknown. */
  prices: Prices | null
  scheduling: Pick<SchedulingOptions, 'limits' | 'lookupsMax' | 'cost'> & {
    polling: Pick<PollingPace, 'firstAfterMs'>
  }
  /** Spent by earlier processes of the job; `null` if the job has no bound. */
  spent: JobSpending | null
  clock: Clock
  observe: RunObserver
  timeline: Timeline
}

/** Reports the progress of a run every second until it ends, and then once more. */
export function watchProgress(deps: ProgressWatchDeps): { end: () => void; elapsedMs: () => number } {
  const { clock, observe } = deps
  const startedAtMs = clock.monotonicMs()
  const ended = new AbortController()
  const samples: Sample[] = []
  const notify = (text: string) => {
    observe({ type: 'notice', text })
  }
  const warn = (text: string) => {
    observe({ type: 'notice', text, isWarning: true })
  }
  const checkRefusals = watchRefusals(deps.tally.refusedSinceMs, notify)
  const checkPauses = watchPauses(deps.tally, clock, warn)
  const checkMisdirected = watchMisdirected(deps.tally, notify)
  const checkStop = watchStop(warn)
  let endedAtMs: number | null = null
  const report = () => {
    const nowMs = clock.monotonicMs()
    const { submissions, polls } = deps.tally
    const answered = [deps.tally, ...deps.stages.map(({ tally }) => tally)].map((tally) => tally.answered)
    samples.push({ atMs: nowMs, submissions, polls, answered })
    while ((samples[0]?.atMs ?? nowMs) < nowMs - rateWindowMs) samples.shift()
    const progress = snapshot(deps, samples, nowMs - startedAtMs)
    deps.timeline.add(progress.sofar)
    observe({ type: 'progress', progress })
    checkStop({ stop: deps.tally.stop, running: progress.running, left: countUnsubmitted(deps) })
  }
  void (async () => {
    while (!ended.signal.aborted) {
      report()
      checkRefusals(clock.monotonicMs())
      checkPauses()
      checkMisdirected()
      await clock.sleep(progressIntervalMs, ended.signal)
    }
  })()
  return {
    end: () => {
      ended.abort()
      endedAtMs = clock.monotonicMs()
      report()
    },
    elapsedMs: () => (endedAtMs ?? clock.monotonicMs()) - startedAtMs,
  }
}

interface Sample {
  atMs: number
  submissions: number
  polls: number
  /** Answers by kind: resolutions first, then the stages in order. */
  answered: readonly number[]
}

function snapshot(deps: ProgressWatchDeps, samples: readonly Sample[], elapsedMs: number): Progress {
  const { plan, tally, scheduling } = deps
  const { limits } = scheduling
  const lookups = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const failed = plan.failed + plan.invalid + tally.rejected + (tally.outcomes.get('failed') ?? 0)
  const unsubmitted = countUnsubmitted(deps)
  const toSubmit = Math.min(unsubmitted, countAllowed(deps))
  const running = Math.max(
    0,
    plan.poll + countAccepted(tally) + tally.claimed - tally.answered - tally.parked,
  )
  const firstAnswersInMs = estimateFirstAnswersMs(deps, toSubmit, running)
  const stages = deps.stages.map(toStageFacts)
  const own = estimateEta(deps, { toSubmit, running, tally, answersPerMs: calculateAnswerRate(samples, 0) })
  const ofStages = deps.stages.map((stage, at) =>
    estimateStageEtaMs(stage, deps, calculateAnswerRate(samples, at + 1)),
  )
  const etaMs = findLatest([own, ...ofStages])
  const submissionsPerMinute = rate(samples, (sample) => sample.submissions)
  const pollsPerMinute = rate(samples, (sample) => sample.polls)
  return {
    lookups,
    done: plan.answered + plan.decided + plan.failed + plan.invalid + tally.rejected + tally.answered,
    running,
    cached: plan.answered,
    decided: plan.decided,
    failed,
    uncertain: Math.max(0, plan.uncertain + tally.lost - tally.claimed),
    toSubmit,
    heldBack: unsubmitted - toSubmit,
    submissionsPerMinute,
    pollsPerMinute,
    submitLimit: toPerMinute(limits.submissionsPerWindow, limits.windowMs),
    pollLimit: toPerMinute(limits.pollsPerWindow, limits.windowMs),
    elapsedMs,
    // The run cannot end before the first answer, or during a pause.
    etaMs: etaMs && Math.max(etaMs, firstAnswersInMs ?? 0, calculatePauseMs(tally, deps.clock)),
    outcomes: Object.fromEntries(tally.outcomes),
    sofar: createTimelinePoint([tally, ...deps.stages.map((stage) => stage.tally)], elapsedMs),
    firstAnswersInMs,
    stages,
    money: calculateMoneySoFar(deps),
    budget: calculateBudgetSoFar(deps),
  }
}

export function calculateMoneySoFar({
  prices,
  tally,
  stages,
}: Pick<ProgressWatchDeps, 'prices' | 'tally' | 'stages'>): Money | null {
  if (prices === null) return null
  return calculateMoney(prices, [{ kind: 'resolution', tally } as const, ...stages].map(countSubmissions))
}

/** Includes the spending of earlier processes of the job. */
function calculateBudgetSoFar(deps: ProgressWatchDeps): Progress['budget'] {
  const { scheduling, spent } = deps
  const { cost } = scheduling
  const money = calculateMoneySoFar(deps)
  if (cost === undefined || spent === null || money === null) return null
  const before = [...spent.byKind].map(([kind, count]) => ({ kind, billedCount: count, uncertainCount: 0 }))
  const spentMicros = [calculateMoney(cost.prices, before).cost, money.cost, money.uncertainCost]
    .map(toMicros)
    .reduce((sum, micros) => sum + micros, 0)
  return { costMax: toUnits(cost.costMaxMicros), spent: toUnits(spentMicros) }
}

/** Counts the resolutions that may still be submitted: none after a stop, and at most those within the budget. */
function countAllowed(deps: ProgressWatchDeps): number {
  const { tally, scheduling, spent, prices } = deps
  const { lookupsMax } = scheduling
  if (tally.stop !== null) return 0
  const bounds: number[] = []
  if (lookupsMax !== null && spent !== null)
    bounds.push(lookupsMax - spent.byRows - countAccepted(tally) - tally.lost)
  const budget = calculateBudgetSoFar(deps)
  const price = prices?.byKind.resolution ?? 0
  if (budget !== null && price > 0)
    bounds.push(Math.floor((toMicros(budget.costMax) - toMicros(budget.spent)) / price))
  return Math.max(0, Math.min(Infinity, ...bounds))
}

function createTimelinePoint(tallies: readonly Tally[], elapsedMs: number): TimelinePoint {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  return {
    elapsedMs: Math.round(elapsedMs),
    submissions: sum((tally) => tally.submissions),
    polls: sum((tally) => tally.polls),
    answered: sum((tally) => tally.answered),
    rateLimited: sum((tally) => tally.rateLimited),
  }
}

function estimateEta(
  { scheduling }: Pick<ProgressWatchDeps, 'scheduling'>,
  {
    tally,
    ...counts
  }: Pick<TimeLeftFacts, 'toSubmit' | 'running' | 'answersPerMs'> & { readonly tally: Tally },
): number | null {
  // Early polls are mostly of unfinished runs; later, few answers need more than two.
  const pollsPerAnswer = tally.answered < 10 ? 1 : Math.min(2, tally.polls / tally.answered)
  return estimateEtaMs({ ...counts, ...scheduling.limits, pollsPerAnswer, runs: tally.openRuns?.() ?? null })
}

/** A stopped stage waits for nothing. Records are immediate, so only the recent rate counts. */
function estimateStageEtaMs(stage: KindRun, deps: ProgressWatchDeps, answersPerMs: number): number | null {
  const { stop, pendingCount } = toStageFacts(stage)
  const running = stop === null ? pendingCount : 0
  const { windowMs, inFlightRunsMax } = deps.scheduling.limits
  const paced = { submissionsPerWindow: null, pollsPerWindow: null, windowMs, inFlightRunsMax, runs: null }
  return estimateEtaMs({ ...paced, toSubmit: 0, running, pollsPerAnswer: 1, answersPerMs })
}

/** Returns the latest estimate; null if all known ones are zero and others are unknown. */
function findLatest(etasMs: readonly (number | null)[]): number | null {
  const most = Math.max(0, ...etasMs.map((etaMs) => etaMs ?? 0))
  return most === 0 && etasMs.includes(null) ? null : most
}

/** Runs above this multiple of the usual minimum are unpredictable. */
const longRunTimes = 5

/**
 * Returns the time until the first answer. Runs of an earlier process are polled immediately, others at a minimum age.
 * Null if no answer is expected: nothing runs or will run, polls are refused, or the oldest run is long overdue.
 */
function estimateFirstAnswersMs(
  { plan, tally, scheduling }: ProgressWatchDeps,
  toSubmit: number,
  running: number,
): number | null {
  const { firstAfterMs } = scheduling.polling
  if (toSubmit + running === 0 || tally.answered > 0 || plan.poll > 0 || firstAfterMs === 0) return null
  const oldestMs = tally.openRuns?.().oldestMs ?? null
  if (oldestMs === null)
    return running === 0 && tally.refusedSinceMs.submissions === null ? firstAfterMs : null
  if (oldestMs < firstAfterMs) return firstAfterMs - oldestMs
  return oldestMs > firstAfterMs * longRunTimes || tally.refusedSinceMs.polls !== null ? null : 0
}

function toPerMinute(perWindow: number | null, windowMs: number): number | null {
  return perWindow === null ? null : Math.round((perWindow / windowMs) * 60_000)
}

/** Returns the answers of a kind in the span of the samples, per millisecond. */
function calculateAnswerRate(samples: readonly Sample[], kind: number): number {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
  return ((last.answered[kind] ?? 0) - (first.answered[kind] ?? 0)) / (last.atMs - first.atMs)
}

/**
 * Returns the requests per minute in the span of the samples (at most a minute). N requests have N - 1 intervals:
 * counting N would show a rate above a limit that was met.
 */
function rate(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
  const count = of(last) - of(first)
  return Math.round((Math.max(0, count - 1) / (last.atMs - first.atMs)) * 60_000)
}
