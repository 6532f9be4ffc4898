import { createServiceClient } from '../../src/client/client.js'
import type { Transport } from '../../src/client/transport.js'
import { buildStageLookup, type KeyedLookup } from '../../src/pipeline/checkpoint/lookup.js'
import { DecidedLookups } from '../../src/pipeline/decisions/decided-lookups.js'
import { openCheckpoint, type OwnCheckpoint } from '../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { placeLookups, type FirstAnswers } from '../../src/pipeline/answers/first-answers.js'
import { type Stop, createDefaultStages } from '../../src/pipeline/scheduler/scheduling.js'
import { Backlog, type SchedulerDeps } from '../../src/pipeline/scheduler/work.js'
import { claimWaiting, endCompleteRetry, endJobs, waitForLost } from '../../src/pipeline/scheduler/job.js'
import { runUntilAnswered } from '../../src/pipeline/scheduler/scheduler.js'
import { planStages } from '../../src/pipeline/plan-run.js'
import { toScheduledStages } from '../../src/pipeline/run-lookups.js'
import { createTally } from '../../src/pipeline/history/tally.js'
import { systemClock, WakeSignal } from '../../src/platform/clock.js'
import { endOfJob } from './cost-world.js'
import { judgeDecided, keyOf } from './decided-world.js'
import {
  askRegistry,
  judgeFirst,
  judgePlacement,
  readFirst,
  registryScopeOf,
  type FirstWorld,
} from './first-world.js'
import { ofService, readDisk } from './invariants.js'
import { Life, mortalCheckpoint, mortalInbox, mortalTransport } from './mortal.js'
import { allowRetry, chooseRetry } from './retry-world.js'
import { isStageStop, stageOptionsOf, watchDepartures, type assertStageWorld } from './stage-world.js'
import {
  assertAllPaidOnce,
  copyCheckpoint,
  putBackCheckpoint,
  pathOf,
  remainsOf,
  scope,
  type Webhooks,
  type World,
} from './world.js'

const dayMs = 86_400_000
/** No single process needs longer: runs take minutes, and parked ones end after an hour. */
const processMsMax = 2 * dayMs

interface Lived {
  life: Life
  stop: Stop | null
  /** What is judged of stages. */
  ended: Pick<Parameters<typeof assertStageWorld>[2], 'departures' | 'wasStageStopped'>
}

/** From start to its end or its death; the next process finds the files as this one left them. */
export async function oneProcess(world: World, process: number, mayDie: boolean): Promise<Lived> {
  const { chance, service, time } = world
  const [path, remains] = [pathOf(world), remainsOf(world)]
  const dieAtStep = mayDie && chance.happens(0.7) ? chance.whole(1, chance.pick([20, 200, 1_000])) : Infinity
  const life = new Life(dieAtStep, () => {
    copyCheckpoint(path, remains)
  })
  const retried = world.retries === null ? [] : chooseRetry(world.retries, mayDie)
  const open = (of: string, isBilled: boolean) =>
    openCheckpoint({
      retried,
      path,
      scope: of,
      job: 'companies.csv',
      isBilled,
      nowMs: Date.now(),
      random: chance,
    })
  const onLost = process >= world.resubmitFrom ? 'resubmit' : 'hold'
  const watch = (timePasses: boolean) => {
    if (timePasses && mayDie && chance.happens(0.001)) time.jump(chance.whole(-3_600_000, 3_600_000))
    assertAllPaidOnce(world)
    return life.isDead
  }
  if (world.first !== null) {
    const stop = await askFirst(world.first, world, { life, mayDie, watch, open })
    if (life.isDead || stop !== null)
      return { life, stop, ended: { departures: new Map(), wasStageStopped: false } }
  }
  const checkpoint = open(scope, !world.isForgetful)
  const { retry } = checkpoint.store
  if (retry !== null && world.retries !== null)
    allowRetry(world.retries, retry, ofService(readDisk(path), scope), world.resubmittable)
  if (onLost === 'resubmit') allowResubmission(world, path)
  const policy = { nowMs: Date.now(), maxAgeMs: null, onLost } as const
  const first = world.first === null ? null : readFirst(world.first, { path, scope, policy })
  const judged = judge(
    service.connect(() => life.isDead),
    world,
  )
  const { transport, departures } = watchDepartures(mortalTransport(judged, life))
  const deps: SchedulerDeps = {
    checkpoint: mortalCheckpoint(checkpoint, life),
    service: {
      client: createServiceClient(
        { apiKey: 'key', baseUrl: 'https://service.test', userAgent: 'simulation', connectionsMax: 1 },
        world.sabotage(transport),
      ),
    },
    clock: systemClock,
    random: chance,
    scheduling: {
      limits: {
        submissionsPerWindow: 600,
        pollsPerWindow: 100,
        windowMs: 60_000,
        inFlightRunsMax: chance.pick([3, 2_000]),
        submitConcurrency: chance.pick([1, 4, 16]),
      },
      polling: { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 },
      serverErrorMeans: 'unknown',
      lookupsMax: world.lookupsMax,
      ...(world.cost === null ? {} : { cost: world.cost.limit }),
      durationMsMax: mayDie && chance.happens(0.1) ? chance.whole(1_000, 600_000) : null,
    },
    ...(world.webhooks === null ? {} : { webhooks: listenTo(world.webhooks, life) }),
    interrupt:
      mayDie && chance.happens(0.1) ? interruptAfter(chance.whole(0, 600_000)) : new AbortController().signal,
    resolutions: {
      backlog: new Backlog(world.names.length),
      counter: world.counter ?? createTally().counter,
    },
  }
  const running = work(world, deps, onLost, first)
  await time.runUntil(running, watch, processMsMax)
  const { stop, stageStops } = life.isDead ? { stop: null, stageStops: [] } : await running
  if (world.cost !== null) {
    const stops = life.isDead ? [] : [stop, ...stageStops]
    endOfJob(world.cost, service, { isDead: life.isDead, hasEnded: life.endsJob, stops })
  }
  // What a dead process had not written yet is written over with what it left.
  first?.close()
  checkpoint.close()
  if (life.isDead) putBackCheckpoint(remains, path)
  return { life, stop, ended: { departures, wasStageStopped: isStageStop(stop, stageStops) } }
}

interface Process {
  readonly life: Life
  readonly mayDie: boolean
  readonly watch: (timePasses: boolean) => boolean
  readonly open: (scope: string, isBilled: boolean) => OwnCheckpoint
}

/** The first phase of a process. */
async function askFirst(first: FirstWorld, world: World, process: Process): Promise<Stop | null> {
  const { life, mayDie, watch, open } = process
  const checkpoint = open(registryScopeOf(first), false)
  const asking = askRegistry(first, {
    checkpoint: mortalCheckpoint(checkpoint, life),
    life,
    wanted: lookupsOf(world.names),
    interrupt: mayDie && first.chance.happens(0.1) ? interruptAfter(1_000) : new AbortController().signal,
  })
  await world.time.runUntil(asking, watch, processMsMax)
  checkpoint.close()
  if (!life.isDead) return asking
  putBackCheckpoint(remainsOf(world), pathOf(world))
  return null
}

/** The judges of what leaves. */
function judge(transport: Transport, { decided, first, service, mixUp }: World): Transport {
  if (first !== null) return judgeFirst(transport, first)
  return decided === null ? transport : judgeDecided(transport, decided, service, mixUp !== null)
}

const lookupsOf = (names: readonly string[]): KeyedLookup[] =>
  names.map((name) => ({
    kind: 'resolution',
    key: keyOf(name),
    lookup: { name, location: null, context: null },
  }))

/** Until it dies, this process is the one that is rung. */
function listenTo({ inbox, listener }: Webhooks, life: Life): NonNullable<SchedulerDeps['webhooks']> {
  const received = new WakeSignal(systemClock)
  listener.ring = () => {
    if (!life.isDead) received.ring()
  }
  return { url: 'https://hooks.test/', inbox: mortalInbox(inbox, life), received }
}

async function work(
  world: World,
  deps: SchedulerDeps,
  onLost: 'hold' | 'resubmit',
  first: FirstAnswers | null,
): Promise<{ stop: Stop | null; stageStops: (Stop | null)[] }> {
  const { checkpoint, webhooks, scheduling } = deps
  const decided = new DecidedLookups(world.decided?.standing ?? new Map())
  const wanted = [
    ...lookupsOf(world.names),
    ...(world.stages?.domains ?? []).map((domain) => buildStageLookup('domain', domain)),
  ]
  const ids = await placeLookups(decided.markDecided(wanted), wanted, first, async (asked) => {
    const placed = await checkpoint.store.register(asked)
    decided.note(asked, placed)
    return placed
  })
  if (world.first !== null && first !== null) judgePlacement(world.first, world.names, ids, first)
  const options = world.stages === null ? null : stageOptionsOf(world.stages, scheduling)
  let isLostOver = true
  if (webhooks !== undefined) {
    await claimWaiting(webhooks.inbox, checkpoint, Date.now())
    if (onLost === 'resubmit')
      isLostOver = await waitForLost({
        ...deps,
        polling: scheduling.polling,
        stages: options ?? createDefaultStages(scheduling),
        waitMsMax: scheduling.durationMsMax ?? Infinity,
        onWait: () => undefined,
        inbox: webhooks.inbox,
      })
  }
  const policy = {
    nowMs: Date.now(),
    maxAgeMs: null,
    onLost: isLostOver ? onLost : 'hold',
    knowsEarlierRuns: !world.isForgetful,
  } as const
  const askAgain = world.retries?.statuses ?? []
  await checkpoint.plan({ ...policy, askAgain })
  const stages =
    options === null
      ? []
      : await planStages({ stages: options, askAgain: [] }, { checkpoint, decided }, policy)
  const stop = await runUntilAnswered({
    ...deps,
    decided,
    ...(options === null ? {} : { stages: toScheduledStages(options, stages) }),
  })
  await endJobs(checkpoint, { stop, stages, sharesBudget: scheduling.cost !== undefined }, Date.now())
  if (stop === null) await endCompleteRetry(checkpoint, Date.now())
  return { stop, stageStops: stages.map((stage) => stage.stop) }
}

/** By the user's word, what is uncertain when the process starts may be paid for once more. */
function allowResubmission(world: World, path: string): void {
  for (const { kind, name, state } of ofService(readDisk(path), scope).lookups) {
    const subject = kind === 'resolution' ? name : `${kind} ${name}`
    if (state === 'uncertain' && kind !== 'hierarchy')
      world.resubmittable.set(subject, (world.resubmittable.get(subject) ?? 0) + 1)
  }
}

function interruptAfter(delayMs: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => {
    controller.abort()
  }, delayMs)
  return controller.signal
}
