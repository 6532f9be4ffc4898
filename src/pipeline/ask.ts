import { formatDuration } from '../core/duration.js'
import type { OpenRun, PipelineDeps } from './deps.js'
import { watchProgress } from './progress-watch.js'
import type { LookupPlan } from './rules/lookup-state.js'
import type { Stop } from './rules/stop.js'
import { claimWaiting, waitForLost } from './scheduler/lost-submissions.js'
import { runUntilAnswered } from './scheduler/scheduler.js'
import type { Backlog } from './scheduler/backlog.js'
import type { RunCounter } from './scheduler/run-counter.js'
import { planStages, stagesToAsk, type StageRun } from './stage-runs.js'
import type { Tally } from './tally.js'

type Plan = Readonly<Record<LookupPlan, number>>

export interface Planned {
  plan: Plan
  /** What waiting for lost submissions has taken. */
  lostWaitMs: number
  /** Each kind that is asked besides; what follows from answers is not planned yet. */
  stages: readonly StageRun[]
}

/** What has to be done, once it is known what became of lost submissions; and how long that took. */
export async function planRun(run: OpenRun): Promise<Planned> {
  const { clock, checkpoint } = run.deps
  const fromMs = clock.monotonicMs()
  const onLost = await reconcileLostSubmissions(run)
  const lostWaitMs = clock.monotonicMs() - fromMs
  const knowsEarlierRuns = run.connection.service === 'hosted'
  const nowMs = clock.nowMs()
  const plan = await run.checkpoint.plan({
    nowMs,
    maxAgeMs: checkpoint.maxAgeMs,
    onLost,
    knowsEarlierRuns,
  })
  return { plan, lostWaitMs, stages: await planStages(run, { nowMs, onLost, knowsEarlierRuns }) }
}

/**
 * What deliveries say of lost submissions is claimed first; and none is submitted again while one may still come:
 * a run that was billed would be paid for twice. What was not waited out is held.
 */
async function reconcileLostSubmissions({
  deps,
  checkpoint,
  webhooks,
}: OpenRun): Promise<PipelineDeps['onLost']> {
  const { onLost, scheduling, clock, interrupt, observe } = deps
  if (webhooks === null) return onLost
  await claimWaiting(webhooks.inbox, checkpoint, clock.nowMs())
  if (onLost === 'hold' || webhooks.url === null) return onLost
  const isOver = await waitForLost({
    inbox: webhooks.inbox,
    checkpoint,
    clock,
    polling: scheduling.polling,
    waitMsMax: scheduling.durationMsMax ?? Infinity,
    interrupt,
    onWait: (lostCount, waitMs) => {
      const text = `Up to ${formatDuration(waitMs)} for webhooks that may name the runs of ${lostCount} lost submissions; then they are submitted again.`
      observe({ type: 'notice', text })
    },
  })
  return isOver ? 'resubmit' : 'hold'
}

interface AskDeps extends Planned {
  /** What steers, */
  backlog: Backlog
  /** and what is shown, with how it is counted. */
  tally: Tally
  counter: RunCounter
}

/** Submits and polls until nothing is left to wait for, or something stops it: null, or what that was. */
export async function askUntilAnswered(
  run: OpenRun,
  { plan, lostWaitMs, stages, backlog, tally, counter }: AskDeps,
): Promise<{ stop: Stop | null; askingMs: number }> {
  const { deps, checkpoint, connection } = run
  const { clock, random, interrupt, scheduling, observe } = deps
  const { durationMsMax } = scheduling
  const progress = watchProgress({
    ...{ plan, tally, stages, ...scheduling, clock, observe },
    timeline: run.timeline,
  })
  const stop = await runUntilAnswered({
    checkpoint,
    client: connection.client,
    clock,
    random,
    counter,
    interrupt,
    backlog,
    stages: stagesToAsk(deps.stages, stages),
    answersAreChecked: connection.service === 'embedded',
    ...(run.webhooks === null ? {} : { webhooks: run.webhooks }),
    ...scheduling,
    durationMsMax: durationMsMax === null ? null : Math.max(0, durationMsMax - lostWaitMs),
  }).finally(progress.end)

  // Ended by its budget, a job is over: the same command is the next one, with a budget of its own.
  const isOver = ({ stop }: { stop: Stop | null }) => stop === null || stop.kind === 'lookups_max'
  if (stop === null || stop.kind === 'lookups_max') await checkpoint.endJob(clock.nowMs())
  for (const stage of stages.filter(isOver)) await checkpoint.of(stage.kind).endJob(clock.nowMs())
  return { stop, askingMs: progress.elapsedMs() }
}
