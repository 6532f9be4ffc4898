import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { LookupId } from '../core/lookup-identity.js'
import { findEndReason, isBudgetEnd, type Stop, type StageOptions } from './scheduler/scheduling.js'
import { listLookups, withCandidateGathering, type OnAnswered } from './decisions/gather-candidates.js'
import type { RowIndex } from './input/ingest.js'
import {
  createEmptyPlan,
  doubtThresholdByDefault,
  withSettled,
  type LookupPlan,
} from '../core/lookup-state.js'
import type { AskedService, Planned, StageRun } from './plan-run.js'
import {
  type RunCounter,
  type ScheduledStages,
  endJobs,
  readSpending,
  runUntilAnswered,
} from './scheduler/scheduler.js'
import { warn, type RunContext } from './order.js'
import { type LookupFacts, type Timeline, watchProgress, type Tally } from './history/run-figures.js'

export interface RunCounts {
  readonly tally: Tally
  /** Fills the tally. */
  readonly counter: RunCounter
  readonly timeline: Timeline
}

interface LookupWork {
  readonly planned: Planned
  readonly index: RowIndex
  readonly counts: RunCounts
}

/** Submits and polls until nothing is left to wait for, or a stop. */
export async function runLookups(
  context: RunContext,
  service: AskedService,
  { planned, index, counts }: LookupWork,
): Promise<LookupFacts> {
  const { order, services, backend } = context
  const { requests, source } = order
  const { clock, random, interrupt, observe } = services
  const { checkpoint, connection, webhooks } = service
  const { plan, backlog, waitMs, stages } = planned
  const { tally, counter, timeline } = counts
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
    timeline,
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
      stages: toScheduledStages(
        requests.stages,
        stages,
        (id) => service.first?.facts.checks.has(id) === true,
      ),
      decided: service.decided,
      ...(webhooks === null ? {} : { webhooks }),
      scheduling: {
        ...scheduling,
        durationMsMax: durationMsMax === null ? null : Math.max(0, durationMsMax - waitMs),
      },
    })
  const gathering = {
    source: connection.candidates,
    scope: connection.scope,
    threshold: requests.doubtThreshold ?? doubtThresholdByDefault,
    clock,
    interrupt,
    openStore: () => backend.openCandidates(),
    openReader: () => backend.peek(connection.scope),
    onMissing: (text: string) => {
      warn(services, text)
    },
  }
  const stop = await withCandidateGathering(gathering, known, runScheduler, listAlsoKnown).finally(
    progress.end,
  )
  const settled = withSettled(plan, await countSettledByOthers(checkpoint))
  for (const stage of stages)
    Object.assign(
      stage.plan,
      withSettled(stage.plan, await countSettledByOthers(checkpoint.forKind(stage.kind))),
    )
  const ended = findEndReason({ stop, stages })
  const loss = await checkpoint.read('loss')
  if (loss !== null) throw loss
  const spent = ended !== null && isBudgetEnd(ended.stop) ? await readSpending(checkpoint) : null
  const isOver = await endJobs(checkpoint, { stop, stages, sharesBudget: cost !== undefined }, clock.nowMs())
  // The parts of a job share one budget until all of them are published.
  const job = spent === null ? null : { spent, startsAnew: isOver && (source.part ?? null) === null }
  const { domainCount } = planned.asked
  return { plan: settled, domainCount, stages, stop, job, askingMs: progress.elapsedMs() }
}

/** Lookups of a kind that other workers settled since the plan. */
const countSettledByOthers = async ({ store, kind }: Checkpoint): Promise<Record<LookupPlan, number>> =>
  (await store.others?.countSettled(kind)) ?? createEmptyPlan()

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
