import type { ServiceClient } from '../../client/client.js'
import type { RunObjectLenient } from '../../contract/result.js'
import type { Exchange } from '../../core/http-exchange.js'
import type { Clock } from '../../platform/clock.js'
import { firstKinds, type LookupKind, type StageKind } from '../../core/lookup-state.js'
import { type Stop, createDefaultStages, type KindOptions } from './scheduling.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { getDeliveryMsMax } from './polling.js'
import { noDecisions } from '../answers/stage-questions.js'
import { followMerge, readMergedInto, withChain } from './outcome.js'
import { readRateHeaders } from '../../core/pacing.js'
import type { SchedulerDeps, RunCounter } from './work.js'
import { KindMachine, StagePlanner, type StageSink } from './kind-machine.js'
import { StopController } from './kind-context.js'
import { CostBudget, JobBudget } from './budgets.js'
import { readSpending } from './job.js'
import { openPaces, type KindPaces } from './kind-paces.js'
import { createProtocol } from './protocol.js'
import { WebhookIngestor } from './webhook-ingestor.js'
import type { Pace } from '../../platform/pace.js'

export { endCompleteRetry, endJobs, readSpending, settleLostSubmissions, type JobSpending } from './job.js'
export { judgePoll } from './outcome.js'
export { Backlog } from './work.js'
export type { CounterName, RecordedAnswer, RequestKind, RunCounter, ScheduledStages } from './work.js'

/** Time that an interrupted run waits for responses to submissions in flight. */
const interruptGraceMs = 5_000

/**
 * Submits new lookups and polls running ones, until each has its answer, is left for the next command, or the run is
 * stopped. Returns the stop reason, or null if nothing is left to wait for. Follow-up lookups run at the same time.
 * Throws only for bugs and for a checkpoint that cannot be written.
 *
 * @example
 * const stop = await runUntilAnswered({ checkpoint, service, clock, random, resolutions, scheduling, interrupt })
 */
export async function runUntilAnswered(deps: SchedulerDeps): Promise<Stop | null> {
  const stoppings = createStoppings(deps)
  const stopAll = (reason: Stop) => {
    for (const stopping of stoppings.values()) stopping.stop(reason)
  }
  const ended = new AbortController()
  const { clock, scheduling } = deps
  const { durationMsMax } = scheduling
  const scheduleAction = async (delayMs: number, action: () => void) => {
    await clock.sleep(delayMs, ended.signal)
    if (!ended.signal.aborted) action()
  }
  const timers: Promise<void>[] = []
  const interrupt = () => {
    stopAll({ kind: 'interrupted' })
    const abandon = () => {
      for (const stopping of stoppings.values()) stopping.stopWaiting()
    }
    timers.push(scheduleAction(interruptGraceMs, abandon))
  }
  deps.interrupt.addEventListener('abort', interrupt, { once: true })
  if (deps.interrupt.aborted) interrupt()
  const stopByDuration = () => {
    stopAll({ kind: 'duration_max' })
  }
  if (durationMsMax !== null) timers.push(scheduleAction(durationMsMax, stopByDuration))
  try {
    // A late webhook may bring an answer with follow-up lookups, which need another round.
    while ((await runRound(deps, stoppings, interrupt)) || (await hasMoreFromOthers(deps, stoppings)));
    const reasons = [...stoppings.values()].map(({ reason }) => reason)
    return reasons.find((reason) => reason !== null) ?? null
  } finally {
    deps.interrupt.removeEventListener('abort', interrupt)
    ended.abort()
    await Promise.all(timers)
  }
}

/** Returns whether lookups were found too late for this round. */
async function runRound(deps: SchedulerDeps, stoppings: Stoppings, interrupt: () => void): Promise<boolean> {
  const { parts, planner, jobBudget } = await startParts(deps, stoppings)
  // If one part fails, the others are stopped before its error is thrown.
  const all = parts.map((part) =>
    part.catch((error: unknown) => {
      interrupt()
      throw error
    }),
  )
  for (const part of await Promise.allSettled(all)) if (part.status === 'rejected') throw part.reason
  // The run ends if any kind exceeded the row budget; submissions within the budget are complete by now.
  if (jobBudget.reached !== null) stoppings.get('resolution')?.stop(jobBudget.reached)
  return planner.hasLate && [...stoppings.values()].every(({ reason }) => reason === null)
}

/**
 * Whether other processes left or answered lookups. If this process may submit nothing more but still polls, it also
 * waits for the runs of others, which may have died.
 */
async function hasMoreFromOthers({ checkpoint }: SchedulerDeps, stoppings: Stoppings): Promise<boolean> {
  const all = [...stoppings.values()]
  const isOver = all.some(({ submitSignal }) => submitSignal.aborted)
  const signal = AbortSignal.any(
    all.map(({ submitSignal, pollSignal }) => (isOver ? pollSignal : submitSignal)),
  )
  if (signal.aborted) return false
  const { store, kind } = checkpoint
  const hasMore = (await store.others?.wait(kind, signal, isOver ? 'runs' : 'all')) ?? false
  return hasMore && !isAborted(signal)
}

/** A call, so that TypeScript does not narrow `aborted` across awaits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted

type Stoppings = ReadonlyMap<LookupKind, StopController>

/** A stop of one kind affects only that kind; if resolutions cannot reach the service, all kinds stop. */
function createStoppings({ stages, resolutions }: SchedulerDeps): Stoppings {
  const stoppings = new Map<LookupKind, StopController>()
  const listOthers = () => [...stoppings].filter(([kind]) => kind !== 'resolution')
  const stopOthers = (reason: Stop) => {
    if (reason.kind === 'unreachable') for (const [, stopping] of listOthers()) stopping.stop(reason)
  }
  const onStop = (reason: Stop) => {
    resolutions.counter.onStopped(reason)
    stopOthers(reason)
  }
  stoppings.set('resolution', new StopController(onStop))
  for (const [kind, { onStop }] of stages?.kinds ?? []) stoppings.set(kind, new StopController(onStop))
  return stoppings
}

interface Round extends Pick<Machines, 'jobBudget'> {
  parts: Promise<void>[]
  planner: Pick<StagePlanner, 'hasLate'>
}

/** Starts all parts. A kind ends after the kinds from whose answers it follows. */
async function startParts(deps: SchedulerDeps, stoppings: Stoppings): Promise<Round> {
  const { machines, planner, ingestor, lostAreOver, jobBudget } = await connectMachines(deps, stoppings)
  for (const { checkpoint, poller } of machines.values())
    poller.takeOver(await checkpoint.read('pending_runs'))
  const firsts = firstKinds.flatMap((kind) => machines.get(kind) ?? [])
  const plannings = [
    ...firsts.map(({ checkpoint }) => planner.planFromKnownAnswers(checkpoint)),
    planner.planFromDecisions(deps.checkpoint.forKind('entity')),
  ]
  const runs = new Map<LookupKind, Promise<void>[]>()
  for (const kind of ['resolution', 'domain', 'entity', 'hierarchy'] as const) {
    const machine = machines.get(kind)
    if (machine === undefined) continue
    // The hierarchy of a chosen company follows from its record; other late lookups run in another round.
    const above: readonly LookupKind[] = kind === 'hierarchy' ? [...firstKinds, 'entity'] : firstKinds
    const upstream = [...plannings, ...above.flatMap((first) => runs.get(first) ?? [])]
    if (kind !== 'resolution') void Promise.allSettled(upstream).then(machine.complete)
    runs.set(
      kind,
      machine.run(() => lostAreOver(kind)),
    )
  }
  const asking = [...runs.values()].flat()
  const ending = Promise.allSettled(asking).then(() => ingestor?.end())
  return {
    parts: [...plannings, ...asking, ending, ingestor?.run() ?? Promise.resolve()],
    planner,
    jobBudget,
  }
}

interface MergeFollowerDeps {
  client: Pick<ServiceClient, 'readEntity'>
  clock: Clock
  /** Pace of entity reads. */
  pace: Pace
  /** Aborted: no more reads start. */
  stopSignal: AbortSignal
  /** Aborted: a read in flight is abandoned. */
  waitSignal: AbortSignal
  counter: Pick<RunCounter, 'countDeviation'>
}

/** Repetitions of a read that was rate limited. */
const refusalsMax = 5
/** Wait after a 429 without a reset time. */
const refusedWaitMs = 15_000

/**
 * Follows the chain of merged entities from the one in the answer to the last one; a circle ends it. Returns a text,
 * the reason to hold the answer, if the service returned the record of another entity.
 */
async function followMerges(
  answer: RunObjectLenient,
  deps: MergeFollowerDeps,
): Promise<RunObjectLenient | string> {
  const first = readMergedInto(answer)
  if (first === null) return answer
  const seen = [first]
  for (;;) {
    const asked = seen.at(-1) ?? first
    const exchange = await readOnce(asked, deps)
    if (exchange === null) break
    const step = followMerge(seen, exchange)
    if (step.kind === 'misdirected') return `the service returned entity ${step.id} for ${asked}`
    if (step.kind === 'circle') {
      deps.counter.countDeviation('merged ids that go in a circle')
      return answer
    }
    if (step.kind === 'end') break
    seen.push(step.id)
  }
  return withChain(answer, seen)
}

/** Returns null if the run was stopped before the read. */
async function readOnce(id: string, deps: MergeFollowerDeps): Promise<Exchange | null> {
  const { client, clock, pace, stopSignal, waitSignal } = deps
  for (let refusals = 0; ; refusals++) {
    const right = await pace.waitForTurn(stopSignal)
    if (stopSignal.aborted) return null
    right.leave()
    const exchange = await client.readEntity(id, {}, waitSignal)
    if (exchange.kind !== 'reply') return exchange
    const rate = readRateHeaders(exchange.headers, clock.nowMs())
    pace.follow(rate)
    if (exchange.status !== 429 || refusals >= refusalsMax) return exchange
    pace.onRateLimited(rate.resetMs ?? refusedWaitMs)
  }
}

interface Machines {
  machines: ReadonlyMap<LookupKind, KindMachine>
  planner: StagePlanner
  /** Null without webhooks. */
  ingestor: WebhookIngestor | null
  /** Resolves when no delivery can name a lost submission of the kind any more. */
  lostAreOver: (kind: LookupKind) => Promise<void>
  jobBudget: Pick<JobBudget, 'reached'>
}

/** Creates the parts of the scheduler and connects them. */
async function connectMachines(
  deps: SchedulerDeps,
  stoppings: ReadonlyMap<LookupKind, StopController>,
): Promise<Machines> {
  const { clock, stages, scheduling, service, resolutions } = deps
  const main = stoppings.get('resolution')
  if (main === undefined) throw new Error('resolutions are always scheduled')
  const machines = new Map<LookupKind, KindMachine>()
  const sinks = new Map<StageKind, StageSink>()
  const { decided = noDecisions } = deps
  const { isCheck = () => false } = stages ?? {}
  const planner = new StagePlanner({ sinks, decided, isCheck, clock, stopSignal: main.pollSignal })
  const stopSignal = main.pollSignal
  const ingestor =
    deps.webhooks === undefined
      ? null
      : new WebhookIngestor({
          ...deps.webhooks,
          clock,
          machines,
          getDeadlineMs: (kind) => getKindOptions(kind, deps).polling.deadlineMs,
          stopSignal,
          counter: resolutions.counter,
        })
  // Counted while nothing is in flight.
  const spent = await readSpending(deps.checkpoint)
  const costBudget = scheduling.cost === undefined ? null : new CostBudget(scheduling.cost, spent.byKind)
  const jobBudget = new JobBudget(scheduling.lookupsMax, spent.byRows, resolutions.counter.onStopped)
  const entityPaces = await openKindPaces('entity', deps)
  const connect = async (kind: LookupKind, stopping: StopController): Promise<KindMachine> => {
    const asked = kind === 'resolution' ? resolutions : stages?.kinds.get(kind)
    if (asked === undefined) throw new Error(`the kind ${kind} is not scheduled`)
    const { polling, lookupsMax, limits } = getKindOptions(kind, deps)
    const { counter, backlog } = asked
    const checkpoint = getKindCheckpoint(kind, deps)
    const merging = {
      client: service.client,
      clock,
      pace: entityPaces.polls,
      stopSignal: stopping.pollSignal,
      waitSignal: stopping.replySignal,
      counter,
    }
    const protocol = createProtocol(kind, service.client, scheduling.serverErrorMeans, service.prepared)
    const own = { checkpoint, protocol, clock, random: deps.random, counter, backlog, stopping }
    return new KindMachine(own, {
      limits: { ...scheduling.limits, submissionsPerWindow: limits.submissionsPerWindow },
      budgets: {
        lookupsMax: kind === 'resolution' ? null : lookupsMax,
        jobBudget,
        budget: costBudget?.of(kind) ?? null,
      },
      polling,
      paces: kind === 'entity' ? entityPaces : await openKindPaces(kind, deps),
      webhookUrl: deps.webhooks?.url ?? null,
      onLost: ingestor?.createLossHandler(kind) ?? null,
      followMerges: (answer) =>
        kind === 'resolution' ? followMerges(answer, merging) : Promise.resolve(answer),
      onAnswered: (lookupId, answer) => {
        if (kind === 'resolution') resolutions.onAnswered?.(lookupId, answer)
        return planner.planFromAnswer(checkpoint, lookupId, () => answer.run)
      },
      answersAreChecked: service.answersAreChecked ?? false,
    })
  }
  for (const [kind, stopping] of stoppings) {
    const machine = await connect(kind, stopping)
    machines.set(kind, machine)
    if (kind === 'resolution' || stages?.options.asked.includes(kind) !== true) continue
    const stage = stages.kinds.get(kind)
    if (stage !== undefined) sinks.set(kind, { machine, policy: stage.policy, plan: stage.plan })
  }
  const lostAreOver = async (kind: LookupKind) => {
    if (ingestor === null) return
    // Read last, since an earlier process may have lost follow-up lookups too.
    if (machines.get(kind)?.address.isInUse === true) await registerLost(ingestor, kind, deps)
    await ingestor.waitForLostSubmissions(kind)
  }
  return { machines, planner, ingestor, lostAreOver, jobBudget }
}

const getKindCheckpoint = (
  kind: LookupKind,
  { checkpoint }: Pick<SchedulerDeps, 'checkpoint'>,
): Checkpoint => (kind === 'resolution' ? checkpoint : checkpoint.forKind(kind))

function getKindOptions(kind: LookupKind, deps: SchedulerDeps): Omit<KindOptions, 'maxAgeMs'> {
  if (kind === 'resolution') return deps.scheduling
  return (deps.stages?.options ?? createDefaultStages(deps.scheduling)).kinds[kind]
}

function openKindPaces(kind: LookupKind, deps: SchedulerDeps): Promise<KindPaces> {
  const { limits } = getKindOptions(kind, deps)
  return openPaces({
    checkpoint: getKindCheckpoint(kind, deps),
    clock: deps.clock,
    limits: { ...limits, windowMs: deps.scheduling.limits.windowMs },
    sharesLimit: createProtocol(kind, deps.service.client, deps.scheduling.serverErrorMeans).sharesLimit,
  })
}

/** Registers recently lost submissions, including those of an earlier process, which a webhook may still name. */
async function registerLost(ingestor: WebhookIngestor, kind: LookupKind, deps: SchedulerDeps): Promise<void> {
  const nowMs = deps.clock.nowMs()
  const hopeMs = getDeliveryMsMax(getKindOptions(kind, deps).polling)
  const lost = await getKindCheckpoint(kind, deps).read('lost', { afterMs: nowMs - hopeMs, among: 'wanted' })
  for (const { lookupId, intendedAtMs } of lost) {
    ingestor.createLossHandler(kind)(lookupId, Math.max(0, nowMs - intendedAtMs))
  }
}
