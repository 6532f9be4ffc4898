import { firstKinds, type LookupKind } from '../lookups/lookup-kind.js'
import type { Stop } from '../figures/stop.js'
import { connectMachines, type Machines } from './connect-machines.js'
import type { SchedulerDeps } from './deps.js'
import type { StagePlanner } from './kind-machine.js'
import { StopController } from './stop-controller.js'

/** Time that an interrupted run waits for responses to submissions in flight. */
const interruptGraceMs = 5_000

export type { SchedulerDeps, SchedulerLimits, SchedulingOptions } from './deps.js'

/**
 * Submits new lookups and polls running ones, until each has its answer, is left for the next command, or the run is
 * stopped. Returns the stop reason, or null if nothing is left to wait for. Follow-up lookups run at the same time.
 * Throws only for bugs and for a checkpoint that cannot be written.
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
  const { parts, feed, jobBudget } = await startParts(deps, stoppings)
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
  return feed.hasLate && [...stoppings.values()].every(({ reason }) => reason === null)
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
  return (await checkpoint.waitForOtherWorkers(signal, isOver ? 'runs' : 'all')) && !isAborted(signal)
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
  feed: Pick<StagePlanner, 'hasLate'>
}

/** Starts all parts. A kind ends after the kinds from whose answers it follows. */
async function startParts(deps: SchedulerDeps, stoppings: Stoppings): Promise<Round> {
  const { machines, feed, ingestor, lostAreOver, jobBudget } = await connectMachines(deps, stoppings)
  for (const { checkpoint, poller } of machines.values()) poller.takeOver(await checkpoint.listOpenRuns())
  const firsts = firstKinds.flatMap((kind) => machines.get(kind) ?? [])
  const feedings = [
    ...firsts.map(({ checkpoint }) => feed.planFromKnownAnswers(checkpoint)),
    feed.planFromDecisions(deps.checkpoint.forKind('entity')),
  ]
  const runs = new Map<LookupKind, Promise<void>[]>()
  for (const kind of ['resolution', 'domain', 'entity', 'hierarchy'] as const) {
    const machine = machines.get(kind)
    if (machine === undefined) continue
    // The hierarchy of a chosen company follows from its record; other late lookups run in another round.
    const above: readonly LookupKind[] = kind === 'hierarchy' ? [...firstKinds, 'entity'] : firstKinds
    const upstream = [...feedings, ...above.flatMap((first) => runs.get(first) ?? [])]
    if (kind !== 'resolution') void Promise.allSettled(upstream).then(machine.complete)
    runs.set(
      kind,
      machine.run(() => lostAreOver(kind)),
    )
  }
  const asking = [...runs.values()].flat()
  const ending = Promise.allSettled(asking).then(() => ingestor?.end())
  return { parts: [...feedings, ...asking, ending, ingestor?.run() ?? Promise.resolve()], feed, jobBudget }
}
