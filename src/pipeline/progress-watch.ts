import type { LookupPlan } from './rules/lookup-state.js'
import { moneyOf, type Money, type Prices } from './rules/money.js'
import type { PollingPace } from './rules/polling.js'
import { estimateEtaMs, type Progress } from './rules/progress.js'
import type { Clock } from '../platform/clock.js'
import type { RunObserver } from './events.js'
import { billedOf, stageFactsOf, type KindRun } from './kind-run.js'
import type { TimelinePoint } from './rules/run-record.js'
import type { StageFacts } from './rules/stage-facts.js'
import type { Timeline } from './rules/timeline.js'
import type { SchedulerLimits } from './scheduler/scheduler.js'
import { watchMisdirected, watchRefusals } from './service-notices.js'
import type { Tally } from './tally.js'

const progressIntervalMs = 1_000
/** Rates are those of the last minute. */
const rateWindowMs = 60_000

export interface ProgressWatchDeps {
  plan: Readonly<Record<LookupPlan, number>>
  tally: Tally
  /** Besides resolutions. */
  stages: readonly KindRun[]
  /** Null where nobody pays, or what it costs is not known. */
  prices: Prices | null
  limits: SchedulerLimits
  polling: Pick<PollingPace, 'firstAfterMs'>
  clock: Clock
  observe: RunObserver
  timeline: Timeline
}

/** Reports the progress of a run every second, from its tally, until ended; then once more. */
export function watchProgress(deps: ProgressWatchDeps): { end: () => void; elapsedMs: () => number } {
  const { clock, observe } = deps
  const startedAtMs = clock.monotonicMs()
  const ended = new AbortController()
  const samples: Sample[] = []
  const lookAtRefusals = watchRefusals(deps.tally.refusedSinceMs, (text) => {
    observe({ type: 'notice', text })
  })
  const lookAtMisdirected = watchMisdirected(deps.tally, (text) => {
    observe({ type: 'notice', text })
  })
  let endedAtMs: number | null = null
  const report = () => {
    const nowMs = clock.monotonicMs()
    samples.push({ atMs: nowMs, submissions: deps.tally.submissions, polls: deps.tally.polls })
    while ((samples[0]?.atMs ?? nowMs) < nowMs - rateWindowMs) samples.shift()
    const progress = snapshot(deps, samples, nowMs - startedAtMs)
    deps.timeline.add(progress.sofar)
    observe({ type: 'progress', progress })
  }
  void (async () => {
    while (!ended.signal.aborted) {
      report()
      lookAtRefusals(clock.monotonicMs())
      lookAtMisdirected()
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
}

function snapshot(deps: ProgressWatchDeps, samples: readonly Sample[], elapsedMs: number): Progress {
  const { plan, tally, limits } = deps
  const lookups = Object.values(plan).reduce((sum, count) => sum + count, 0)
  const failed = plan.failed + plan.invalid + tally.rejected + (tally.outcomes.get('failed') ?? 0)
  const toSubmit = Math.max(0, plan.submit - tally.accepted - tally.rejected - tally.lost)
  const running = Math.max(0, plan.poll + tally.accepted + tally.claimed - tally.answered - tally.parked)
  const firstAnswersInMs = firstAnswersIn(deps, toSubmit + running, elapsedMs)
  const stages = deps.stages.map(stageFactsOf)
  const own = estimateEtaMs({ toSubmit, running, answeredSoFar: tally.answered, elapsedMs, ...limits })
  const etaMs = latest([own, ...stages.map((stage) => stageEtaMs(stage, elapsedMs, limits.windowMs))])
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
    submissionsPerMinute,
    pollsPerMinute,
    submitLimit: perMinute(limits.submissionsPerWindow, limits.windowMs),
    pollLimit: perMinute(limits.pollsPerWindow, limits.windowMs),
    elapsedMs,
    // Nothing is over before the first answer can be there.
    etaMs:
      firstAnswersInMs === null || firstAnswersInMs === 0 ? etaMs : Math.max(etaMs ?? 0, firstAnswersInMs),
    outcomes: Object.fromEntries(tally.outcomes),
    sofar: sofarOf([tally, ...deps.stages.map((stage) => stage.tally)], elapsedMs),
    firstAnswersInMs,
    stages,
    money: moneySoFar(deps),
  }
}

function moneySoFar({ prices, tally, stages }: ProgressWatchDeps): Money | null {
  if (prices === null) return null
  return moneyOf(prices, [billedOf({ kind: 'resolution', tally }), ...stages.map(billedOf)])
}

function sofarOf(tallies: readonly Tally[], elapsedMs: number): TimelinePoint {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  return {
    elapsedMs: Math.round(elapsedMs),
    submissions: sum((tally) => tally.submissions),
    polls: sum((tally) => tally.polls),
    answered: sum((tally) => tally.answered),
    rateLimited: sum((tally) => tally.rateLimited),
  }
}

/** By its pace so far; what it was stopped in is not waited for. */
function stageEtaMs(
  { stop, pendingCount, answeredCount }: StageFacts,
  elapsedMs: number,
  windowMs: number,
): number | null {
  return estimateEtaMs({
    ...{ toSubmit: 0, running: stop === null ? pendingCount : 0, answeredSoFar: answeredCount },
    ...{ elapsedMs, submissionsPerWindow: null, pollsPerWindow: null, windowMs },
  })
}

/** Null where the only ones that are known are over, and others are not known. */
function latest(etasMs: readonly (number | null)[]): number | null {
  const most = Math.max(0, ...etasMs.map((etaMs) => etaMs ?? 0))
  return most === 0 && etasMs.includes(null) ? null : most
}

/** Runs of an earlier process are asked for at once; those of this one after the first of them has had its time. */
function firstAnswersIn(
  { plan, tally, polling }: ProgressWatchDeps,
  open: number,
  elapsedMs: number,
): number | null {
  if (open === 0 || tally.answered > 0 || plan.poll > 0 || polling.firstAfterMs === 0) return null
  return Math.max(0, polling.firstAfterMs - elapsedMs)
}

function perMinute(perWindow: number | null, windowMs: number): number | null {
  return perWindow === null ? null : Math.round((perWindow / windowMs) * 60_000)
}

/** What was done within the samples' span, scaled to a minute only when the span is shorter than one. */
function rate(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.atMs === first.atMs) return 0
  return Math.round(((of(last) - of(first)) / (last.atMs - first.atMs)) * 60_000)
}
