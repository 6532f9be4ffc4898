import type { Checkpoint, LookupId } from './checkpoint/checkpoint.js'
import { buildStageLookup } from './checkpoint/lookup-key.js'
import type { PipelineDeps } from './deps.js'
import type { KindRun } from './kind-run.js'
import { stageKinds, type StageKind } from './lookups/lookup-kind.js'
import type { LookupPlan, PlanPolicy } from './lookups/lookup-state.js'
import type { Stop } from './figures/stop.js'
import { Backlog } from './scheduler/backlog.js'
import { buildStagePolicy, type StageOptions } from './lookups/stage-options.js'
import type { DecidedRows } from './lookups/stage-questions.js'
import type { ScheduledStages } from './scheduler/deps.js'
import type { RunCounter } from './scheduler/run-counter.js'
import { createTally, type Tally } from './tally.js'

/** State of a kind that a run looks up in addition to resolutions. */
export interface StageRun extends KindRun {
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
