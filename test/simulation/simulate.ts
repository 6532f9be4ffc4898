import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceClient } from '../../src/client/client.js'
import type { Stop } from '../../src/pipeline/rules/stop.js'
import type { Checkpoint } from '../../src/pipeline/checkpoint/checkpoint.js'
import { openCheckpoint } from '../../src/pipeline/checkpoint/sqlite-checkpoint.js'
import { openInbox, type Inbox } from '../../src/pipeline/inbox/inbox.js'
import { claimWaiting, waitForLost } from '../../src/pipeline/scheduler/lost-submissions.js'
import { Backlog } from '../../src/pipeline/scheduler/backlog.js'
import type { RunCounter } from '../../src/pipeline/scheduler/run-counter.js'
import { runUntilAnswered, type SchedulerDeps } from '../../src/pipeline/scheduler/scheduler.js'
import { stageLookup } from '../../src/pipeline/checkpoint/lookup-key.js'
import { planStages, stagesToAsk } from '../../src/pipeline/stage-runs.js'
import { createTally } from '../../src/pipeline/tally.js'
import { systemClock } from '../../src/platform/clock.js'
import { WakeSignal } from '../../src/platform/wake-signal.js'
import type { Transport } from '../../src/client/transport.js'
import { Chance } from './chance.js'
import { nameOf } from './firms.js'
import {
  assertAllClaimed,
  assertAllSettled,
  assertBudgetKept,
  assertNothingLost,
  assertPaidOnce,
  readDisk,
} from './invariants.js'
import { Life, mortalCheckpoint, mortalInbox, mortalTransport } from './mortal.js'
import { MixUp } from './mix-up.js'
import { SimulatedPost } from './simulated-post.js'
import { fairRecords, stormyRecords } from './record-weather.js'
import { fairWeather, SimulatedService, stormyWeather } from './simulated-service.js'
import { assertStagesPaidOnce, assertToldDomainsKnown } from './stage-invariants.js'
import {
  assertStageWorld,
  assertStageWorldSettled,
  isStageStop,
  openStageWorld,
  stageOptionsOf,
  watchDepartures,
  type StageWorld,
} from './stage-world.js'
import { VirtualTime } from './virtual-time.js'

/** What one seed came to, for the sum of many. */
export interface Simulated {
  seed: number
  lookups: number
  billed: number
  processes: number
  crashes: number
  uncertain: number
  /** Uncertain lookups that the service had billed: what an answer would have told. */
  uncertainBilled: number
  steps: number
  polls: number
  /** Answers of another run or entity that the service sent. */
  swapped: number
  virtualHours: number
  /** Lookups of what follows from answers, and of rows that ask for domains. */
  stageLookups: number
  /** Research of owners that was begun, and domains that were paid for. */
  researched: number
  domainsBilled: number
  stageUncertain: number
  /** Processes in which a stage was stopped and resolutions went on. */
  stageStops: number
}

/** Where syncing costs nothing: these worlds die in other ways than by power cuts. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const scope = 'https://service.test'
const startMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000
/** No single process needs longer: runs take minutes, and parked ones end after an hour. */
const processMsMax = 2 * dayMs
const stormyProcessesMax = 12
const processesMax = 60

/** Everything one seed decides. */
interface World {
  chance: Chance
  time: VirtualTime
  service: SimulatedService
  /** Null: no answer is another's. */
  mixUp: MixUp | null
  /** Null: answers are polled. */
  webhooks: Webhooks | null
  /** Null: nothing is asked but names. */
  stages: StageWorld | null
  sabotage: (transport: Transport) => Transport
  isForgetful: boolean
  counter: RunCounter | null
  folder: string
  names: string[]
  lookupsMax: number | null
  /** The user says --resubmit-uncertain from this process on. */
  resubmitFrom: number
  resubmittable: Map<string, number>
  accepted: Map<string, string>
  answered: Map<number, string>
}

interface Webhooks {
  post: SimulatedPost
  /** Outlives every process. */
  inbox: Inbox
  /** The process that is rung when something was received. */
  listener: { ring: () => void }
}

/** What goes wrong besides. */
export interface WorldOptions {
  /** Answers are sent, and polled only where that fails. */
  webhooks?: boolean
  /** Answers are sent to whom they do not belong. */
  mixedUp?: boolean
  /** The service ends with each process, as the embedded one does: it bills nothing, and knows no earlier run. */
  forgetful?: boolean
  /** What happens is counted here; by default, in a tally of each process. */
  counter?: RunCounter
  /** Whether what follows from answers is asked too; left out, in every fourth seed. */
  stages?: boolean
  /** Breaks a rule on purpose, between the client and the network. */
  sabotage?: (transport: Transport) => Transport
}

/**
 * Runs one world to its end, in which answers are polled, or sent as well. Throws BrokenPromise, or whatever else
 * the code under test throws.
 */
export async function simulate(seed: number, options: WorldOptions = {}): Promise<Simulated> {
  const chance = new Chance(seed)
  const folder = mkdtempSync(join(memoryFolder, 'enrich-simulation-'))
  const time = new VirtualTime(startMs)
  try {
    const webhooks = options.webhooks === true ? openPost(seed, folder) : null
    const mixUp = options.mixedUp === true ? new MixUp(new Chance(seed + 2_000_000_011)) : null
    const stages = (options.stages ?? seed % 4 === 3) ? openStageWorld(seed) : null
    const world: World = {
      chance,
      time,
      service: new SimulatedService(chance, webhooks?.post, mixUp, stages),
      mixUp,
      webhooks,
      stages,
      sabotage: options.sabotage ?? ((transport) => transport),
      isForgetful: options.forgetful === true,
      counter: options.counter ?? null,
      folder,
      names: Array.from({ length: chance.whole(1, chance.pick([5, 40])) }, (_, index) =>
        stages === null ? `Company ${index}` : nameOf(index),
      ),
      lookupsMax: chance.happens(0.25) ? chance.whole(1, 20) : null,
      resubmitFrom: chance.happens(0.25) ? chance.whole(1, 6) : Infinity,
      resubmittable: new Map(),
      accepted: new Map(),
      answered: new Map(),
    }
    // Nobody pays, however often it is asked.
    if (world.isForgetful) for (const name of world.names) world.resubmittable.set(name, Infinity)
    return await live(seed, world)
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Chance of its own, so that the rest of the world is that of the same seed without. */
function openPost(seed: number, folder: string): Webhooks {
  const listener: Webhooks['listener'] = { ring: () => undefined }
  const inbox = openInbox(join(folder, 'standing.sqlite'), startMs, () => {
    listener.ring()
  })
  return { post: new SimulatedPost(new Chance(seed + 1_000_000_007), inbox), inbox, listener }
}

async function live(seed: number, world: World): Promise<Simulated> {
  const { chance, service, time } = world
  let steps = 0
  let crashes = 0
  const stormyProcesses = chance.whole(0, stormyProcessesMax)
  for (let process = 0; process < processesMax; process++) {
    service.weather = process < stormyProcesses ? stormyWeather(chance) : fairWeather
    if (process < stormyProcesses) world.mixUp?.storm()
    else world.mixUp?.calm()
    if (world.isForgetful) service.forget()
    setRecordWeather(world, process < stormyProcesses)
    const { life, stop, ended } = await oneProcess(world, process, process < stormyProcesses)
    steps += life.stepCount
    if (life.isDead) crashes++
    for (const [customId, runId] of life.accepted) world.accepted.set(customId, runId)
    for (const customId of life.disproved) world.accepted.delete(customId)
    for (const [lookupId, runId] of life.answered) world.answered.set(lookupId, runId)
    const disk = readDisk(pathOf(world))
    assertAllPaidOnce(world)
    assertNothingLost(disk, service, world.accepted, world.answered)
    assertBudgetKept(disk, world.lookupsMax, ['resolution'])
    if (world.stages !== null)
      assertStageWorld(world.stages, disk, { ...world, ...ended, hasJumped: time.jumpCount > 0 })
    const isOpen = ({ state }: (typeof disk.lookups)[number]) =>
      state === 'running' || (world.isForgetful && state === 'uncertain')
    if (!life.isDead && stop === null && !disk.lookups.some(isOpen)) {
      assertAllSettled(disk, service, world.names)
      if (world.stages !== null)
        assertStageWorldSettled(world.stages, disk, {
          service,
          resubmittable: world.isForgetful ? { has: () => true } : world.resubmittable,
          path: pathOf(world),
          scope,
        })
      const isUncertain = ({ state }: (typeof disk.lookups)[number]) => state === 'uncertain'
      const uncertain = disk.lookups.filter((lookup) => lookup.kind === 'resolution' && isUncertain(lookup))
      const stageLookups = disk.lookups.filter(({ kind }) => kind !== 'resolution')
      const taken = service.records?.ledger ?? []
      const billedNames = new Set(service.ledger.map(({ name }) => name))
      const uncertainBilled = uncertain.filter(({ name }) => billedNames.has(name)).length
      // How long ago another process lost an answer is known by the wall clock alone: where that jumped, the next
      // command may have to claim what this one did not wait for.
      if (world.webhooks?.post.lostCount === 0 && time.jumpCount === 0) assertAllClaimed(uncertainBilled)
      assertToldDomainsKnown(disk, world.webhooks?.post.toldDomains ?? new Set())
      return {
        seed,
        lookups: world.names.length,
        billed: service.ledger.length,
        processes: process + 1,
        crashes,
        uncertain: uncertain.length,
        uncertainBilled,
        steps,
        polls: service.pollCount,
        swapped: world.mixUp?.swappedCount ?? 0,
        virtualHours: (time.nowMs - startMs) / 3_600_000,
        stageLookups: stageLookups.length,
        researched: taken.filter(({ kind }) => kind === 'hierarchy').length,
        domainsBilled: taken.filter(({ kind }) => kind === 'domain').length,
        stageUncertain: stageLookups.filter(isUncertain).length,
        stageStops: world.stages?.stopCount ?? 0,
      }
    }
    await time.runUntil(
      new Promise((resolve) => setTimeout(resolve, chance.whole(0, 3_600_000))),
      () => false,
      dayMs,
    )
    if (chance.happens(0.1)) time.jump(chance.whole(-3_600_000, 3_600_000))
  }
  throw new Error(`the work did not end within ${processesMax} processes`)
}

const pathOf = (world: World) => join(world.folder, 'checkpoint.sqlite')
const remainsOf = (world: World) => join(world.folder, 'remains.sqlite')

interface Lived {
  life: Life
  stop: Stop | null
  /** What is judged of stages. */
  ended: Pick<Parameters<typeof assertStageWorld>[2], 'departures' | 'wasStageStopped'>
}

/** From start to its end or its death; the next process finds the files as this one left them. */
async function oneProcess(world: World, process: number, mayDie: boolean): Promise<Lived> {
  const { chance, service, time } = world
  const [path, remains] = [pathOf(world), remainsOf(world)]
  const dieAtStep = mayDie && chance.happens(0.7) ? chance.whole(1, chance.pick([20, 200, 1_000])) : Infinity
  const life = new Life(dieAtStep, () => {
    copyCheckpoint(path, remains)
  })
  const checkpoint = openCheckpoint({
    path,
    scope,
    job: 'companies.csv',
    isBilled: !world.isForgetful,
    nowMs: Date.now(),
    random: chance,
  })
  const onLost = process >= world.resubmitFrom ? 'resubmit' : 'hold'
  if (onLost === 'resubmit') allowResubmission(world, path)
  const { transport, departures } = watchDepartures(
    mortalTransport(world.sabotage(service.connect(() => life.isDead)), life),
  )
  const deps: SchedulerDeps = {
    checkpoint: mortalCheckpoint(checkpoint, life),
    client: createServiceClient(
      { apiKey: 'key', baseUrl: 'https://service.test', userAgent: 'simulation', connectionsMax: 1 },
      transport,
    ),
    clock: systemClock,
    random: chance,
    limits: {
      submissionsPerWindow: 600,
      pollsPerWindow: 100,
      windowMs: 60_000,
      inFlightRunsMax: chance.pick([3, 2_000]),
      submitConcurrency: chance.pick([1, 4, 16]),
    },
    polling: { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 3_600_000 },
    serverErrorMeans: 'unknown',
    ...(world.webhooks === null ? {} : { webhooks: listenTo(world.webhooks, life) }),
    lookupsMax: world.lookupsMax,
    backlog: new Backlog(world.names.length),
    durationMsMax: mayDie && chance.happens(0.1) ? chance.whole(1_000, 600_000) : null,
    interrupt:
      mayDie && chance.happens(0.1) ? interruptAfter(chance.whole(0, 600_000)) : new AbortController().signal,
    counter: world.counter ?? createTally().counter,
  }
  const running = work(world, deps, onLost)
  const watch = () => {
    if (mayDie && chance.happens(0.001)) time.jump(chance.whole(-3_600_000, 3_600_000))
    assertAllPaidOnce(world)
    return life.isDead
  }
  await time.runUntil(running, watch, processMsMax)
  const { stop, stageStops } = life.isDead ? { stop: null, stageStops: [] } : await running
  // What a dead process had not written yet is written over with what it left.
  checkpoint.close()
  if (life.isDead) copyCheckpoint(remains, path)
  return { life, stop, ended: { departures, wasStageStopped: isStageStop(stop, stageStops) } }
}

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
): Promise<{ stop: Stop | null; stageStops: (Stop | null)[] }> {
  const { checkpoint, webhooks } = deps
  await checkpoint.want([
    ...world.names.map((name) => ({
      kind: 'resolution' as const,
      key: keyOf(name),
      lookup: { name, location: null, context: null },
    })),
    ...(world.stages?.domains ?? []).map((domain) => stageLookup('domain', domain)),
  ])
  let isLostOver = true
  if (webhooks !== undefined) {
    await claimWaiting(webhooks.inbox, checkpoint, Date.now())
    if (onLost === 'resubmit')
      isLostOver = await waitForLost({
        ...deps,
        waitMsMax: deps.durationMsMax ?? Infinity,
        onWait: () => undefined,
        inbox: webhooks.inbox,
      })
  }
  const policy = {
    nowMs: Date.now(),
    onLost: isLostOver ? onLost : 'hold',
    knowsEarlierRuns: !world.isForgetful,
  } as const
  await checkpoint.plan({ ...policy, maxAgeMs: null })
  const options = world.stages === null ? null : stageOptionsOf(world.stages, deps)
  const stages =
    options === null ? [] : await planStages({ deps: { stages: options, askAgain: [] }, checkpoint }, policy)
  const stop = await runUntilAnswered({
    ...deps,
    ...(options === null ? {} : { stages: stagesToAsk(options, stages) }),
  })
  const isOver = (reason: Stop | null) => reason === null || reason.kind === 'lookups_max'
  if (isOver(stop)) await (checkpoint satisfies Checkpoint).endJob(Date.now())
  for (const stage of stages) if (isOver(stage.stop)) await checkpoint.of(stage.kind).endJob(Date.now())
  return { stop, stageStops: stages.map((stage) => stage.stop) }
}

function setRecordWeather({ service: { records, weather }, stages }: World, isStormy: boolean): void {
  if (records === null || stages === null) return
  const { chance, perMinute } = stages
  records.weather = isStormy ? stormyRecords(chance, perMinute) : { ...fairRecords, perMinute }
  records.windowKind = weather.window
}

function assertAllPaidOnce({ service, resubmittable, isForgetful }: World): void {
  assertPaidOnce(service, resubmittable)
  if (service.records !== null && !isForgetful) assertStagesPaidOnce(service.records, resubmittable)
}

/** By the user's word, what is uncertain when the process starts may be paid for once more. */
function allowResubmission(world: World, path: string): void {
  for (const { kind, name, state } of readDisk(path).lookups) {
    const subject = kind === 'resolution' ? name : `${kind} ${name}`
    if (state === 'uncertain' && kind !== 'hierarchy')
      world.resubmittable.set(subject, (world.resubmittable.get(subject) ?? 0) + 1)
  }
}

/** The files as they are at this moment, into the same files: what a kill leaves behind is no copy. */
export function copyCheckpoint(path: string, to: string): void {
  for (const suffix of ['', '-wal', '.head']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, to + suffix)
    else rmSync(to + suffix, { force: true })
  }
}

function interruptAfter(delayMs: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => {
    controller.abort()
  }, delayMs)
  return controller.signal
}

const keyOf = (name: string) => createHash('sha256').update(name).digest().subarray(0, 16)
