import { formatDuration } from '../core/time.js'
import type { OpenRun, PipelineDeps } from './deps.js'
import type { PlannedLookups } from './events.js'
import { listLookups, withCandidateGathering, type OnAnswered } from './gather-candidates.js'
import type { RowIndex } from './input/row-index.js'
import { watchProgress } from './progress-watch.js'
import { createEmptyPlan, withSettled, type LookupPlan, type PlanPolicy } from './lookups/lookup-state.js'
import { findEndReason, isBudgetEnd, type Stop } from './figures/stop.js'
import { claimWaiting, waitForLost } from './scheduler/lost-submissions.js'
import { endJobs, readSpending } from './scheduler/budgets.js'
import { runUntilAnswered } from './scheduler/scheduler.js'
import { Backlog, type RunCounter } from './scheduler/backlog.js'
import type { SummaryFacts } from './summary.js'
import { createTally, type Tally, type KindRun } from './tally.js'
import type { Checkpoint, LookupId } from './checkpoint/checkpoint.js'
import { buildStageLookup } from './checkpoint/lookup-key.js'
import { stageKinds, type StageKind } from './lookups/lookup-kind.js'
import { buildStagePolicy, type StageOptions } from './lookups/stage-options.js'
import type { DecidedRows } from './lookups/stage-questions.js'
import type { ScheduledStages } from './scheduler/deps.js'

type Plan = Readonly<Record<LookupPlan, number>>

export interface Planned {
  plan: Plan
  /** Time spent waiting for lost submissions, and for the own registry. */
  waitMs: number
  /** Each further kind to look up; lookups that follow from answers are not planned yet. */
  stages: readonly StageRun[]
  /** Lookups of the rows, over all kinds. */
  asked: PlannedLookups
}

/** The part of a run that submits and polls. */
export type LookupRun = Pick<
  OpenRun,
  'deps' | 'backend' | 'connection' | 'checkpoint' | 'first' | 'webhooks' | 'decided' | 'timeline' | 'part'
>

/** Plans the run once the outcomes of lost submissions are known. */
export async function planRun(run: LookupRun): Promise<Planned> {
  const { clock, store } = run.deps
  const { maxAgeMs } = store.checkpoint
  const fromMs = clock.monotonicMs()
  const onLost = await reconcileLostSubmissions(run)
  const waitMs = clock.monotonicMs() - fromMs + (run.first?.elapsedMs ?? 0)
  const knowsEarlierRuns = run.connection.service === 'hosted'
  const nowMs = clock.nowMs()
  const plan = await run.checkpoint.plan({
    nowMs,
    maxAgeMs,
    onLost,
    knowsEarlierRuns,
  })
  const stages = await planStages(run, { nowMs, maxAgeMs, onLost, knowsEarlierRuns })
  return { plan, waitMs, stages, asked: countRowLookups(plan, stages) }
}

/** At this point, the domain stage contains only lookups of rows. */
function countRowLookups(plan: Plan, stages: readonly StageRun[]): PlannedLookups {
  const sumPlan = (one: Plan) => Object.values(one).reduce((sum, count) => sum + count, 0)
  const whole = { ...plan }
  for (const stage of stages)
    if (stage.kind === 'domain')
      for (const state of Object.keys(whole) as LookupPlan[]) whole[state] += stage.plan[state]
  return { lookupCount: sumPlan(whole), domainCount: sumPlan(whole) - sumPlan(plan), plan: whole }
}

/**
 * Claims lost submissions that deliveries name, and waits while one may still arrive, since a second submission would
 * be billed again. Submissions whose wait was cut short are held.
 */
async function reconcileLostSubmissions({
  deps,
  checkpoint,
  webhooks,
}: LookupRun): Promise<PipelineDeps['requests']['onLost']> {
  const { clock, interrupt, observe, requests } = deps
  const { onLost, scheduling } = requests
  if (webhooks === null) return onLost
  await claimWaiting(webhooks.inbox, checkpoint, clock.nowMs())
  if (onLost === 'hold' || webhooks.url === null) return onLost
  const isOver = await waitForLost({
    inbox: webhooks.inbox,
    checkpoint,
    clock,
    polling: scheduling.polling,
    stages: requests.stages,
    waitMsMax: scheduling.durationMsMax ?? Infinity,
    interrupt,
    onWait: (lostCount, waitMs) => {
      const text = `Waiting up to ${formatDuration(waitMs)} for webhooks that may name the runs of ${lostCount} lost submissions; then they are submitted again.`
      observe({ type: 'notice', text })
    },
  })
  return isOver ? 'resubmit' : 'hold'
}

interface RunLookupsDeps extends Planned {
  /** The lookups of all rows. */
  index: RowIndex
  /** Drives the scheduler. */
  backlog: Backlog
  /** For display only. */
  tally: Tally
  counter: RunCounter
}

/**
 * Submits and polls until nothing is left to wait for, or a stop. Returns the plan of this process and the stop reason.
 */
export async function runLookups(
  run: LookupRun,
  { plan, waitMs, stages, index, backlog, tally, counter }: RunLookupsDeps,
): Promise<{ plan: Plan; stop: Stop | null; job: SummaryFacts['job']; askingMs: number }> {
  const { deps, checkpoint, connection } = run
  const { clock, random, interrupt, observe, requests } = deps
  const { scheduling, prices = null } = requests
  const { durationMsMax, lookupsMax, cost } = scheduling
  const isBounded = lookupsMax !== null || cost !== undefined
  const progress = watchProgress({
    plan,
    tally,
    stages,
    scheduling,
    clock,
    observe,
    prices,
    spent: isBounded ? await readSpending(checkpoint) : null,
    timeline: run.timeline,
  })
  const known = plan.answered === 0 ? new Uint32Array() : listLookups(index)
  const listAlsoKnown = async () => {
    const { answered } = await countSettledByOthers(checkpoint)
    return answered === 0 ? new Uint32Array() : listLookups(index)
  }
  const runScheduler = (onAnswered: OnAnswered | undefined) =>
    runUntilAnswered({
      checkpoint,
      service: {
        client: connection.client,
        answersAreChecked: connection.service === 'embedded',
        prepared: connection.prepared,
      },
      clock,
      random,
      resolutions: { backlog, counter, onAnswered },
      interrupt,
      stages: toScheduledStages(requests.stages, stages, (id) => run.first?.isCheck(id) === true),
      decided: run.decided,
      ...(run.webhooks === null ? {} : { webhooks: run.webhooks }),
      scheduling: {
        ...scheduling,
        durationMsMax: durationMsMax === null ? null : Math.max(0, durationMsMax - waitMs),
      },
    })
  const stop = await withCandidateGathering(run, known, runScheduler, listAlsoKnown).finally(progress.end)

  const settled = withSettled(plan, await countSettledByOthers(checkpoint))
  for (const stage of stages)
    Object.assign(
      stage.plan,
      withSettled(stage.plan, await countSettledByOthers(checkpoint.forKind(stage.kind))),
    )
  const ended = findEndReason({ stop, stages })
  const spent = ended !== null && isBudgetEnd(ended.stop) ? await readSpending(checkpoint) : null
  const isOver = await endJobs(checkpoint, { stop, stages, sharesBudget: cost !== undefined }, clock.nowMs())
  // The parts of a job share one budget until all of them are published.
  const job = spent === null ? null : { spent, startsAnew: isOver && run.part === null }
  return { plan: settled, stop, job, askingMs: progress.elapsedMs() }
}

/** Lookups of a kind that other workers settled since the plan. */
const countSettledByOthers = async ({ store, kind }: Checkpoint): Promise<Record<LookupPlan, number>> =>
  (await store.others?.countSettled(kind)) ?? createEmptyPlan()

/** State of a kind that a run looks up in addition to resolutions. */
interface StageRun extends KindRun {
  readonly kind: StageKind
  readonly plan: Record<LookupPlan, number>
  stop: Stop | null
  readonly tally: Tally
  readonly counter: RunCounter
  readonly backlog: Backlog
  readonly policy: Omit<PlanPolicy, 'nowMs'>
}

interface StagePlanDeps {
  deps: { requests: Pick<PipelineDeps['requests'], 'stages' | 'askAgain'> }
  checkpoint: Pick<Checkpoint, 'forKind'>
  decided: Pick<DecidedRows, 'companies'>
}

/**
 * Plans the lookups of rows by domain, and the records of decided companies, which are needed even without the stage.
 * Lookups that follow from answers are planned later. `policy` is that of resolutions.
 */
export async function planStages(
  run: StagePlanDeps,
  { nowMs, ...policy }: Pick<PlanPolicy, 'nowMs' | 'onLost' | 'maxAgeMs' | 'knowsEarlierRuns'>,
): Promise<StageRun[]> {
  const { stages: options, askAgain } = run.deps.requests
  const stages: StageRun[] = []
  for (const kind of stageKinds) {
    const own = { ...buildStagePolicy(kind, options, policy), askAgain }
    // The record of a decided company expires like an answer, unless records have their own maximum age.
    if (kind === 'entity')
      await registerRecords(run, { ...own, nowMs, maxAgeMs: own.maxAgeMs ?? policy.maxAgeMs })
    const plan = await run.checkpoint.forKind(kind).plan({ ...own, nowMs })
    const lookupCount = Object.values(plan).reduce((sum, count) => sum + count, 0)
    if (!options.asked.includes(kind) && lookupCount === 0) continue
    const { tally, counter } = createTally()
    const backlog = new Backlog(plan.submit, false)
    stages.push({ kind, plan, stop: null, tally, counter, backlog, policy: own })
  }
  return stages
}

/** Records registered at once; each batch is one commit of the checkpoint. */
const wantedAtOnce = 5_000

async function registerRecords({ checkpoint, decided }: StagePlanDeps, policy: PlanPolicy): Promise<void> {
  const { companies } = decided
  for (let start = 0; start < companies.length; start += wantedAtOnce) {
    const some = companies.slice(start, start + wantedAtOnce)
    await checkpoint.forKind('entity').follow(
      some.map((entityId) => buildStageLookup('entity', entityId)),
      policy,
    )
  }
}

/** Converts the stages of a run to the form of the scheduler. `isCheck`: see `ScheduledStages`. */
export function toScheduledStages(
  options: StageOptions,
  stages: readonly StageRun[],
  isCheck: (lookupId: LookupId) => boolean = () => false,
): ScheduledStages {
  const kinds = stages.map((stage) => {
    const { kind, backlog, counter, policy, plan } = stage
    const onStop = (reason: Stop) => {
      stage.stop ??= reason
    }
    return [kind, { backlog, counter, policy, plan, onStop }] as const
  })
  return { options, kinds: new Map(kinds), isCheck }
}
