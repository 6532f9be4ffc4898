import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transport } from '../../src/client/transport.js'
import { openFileInbox } from '../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import type { RunCounter } from '../../src/pipeline/scheduler/work.js'
import { Chance } from './chance.js'
import { nameOf } from './firms.js'
import {
  assertRegistryAnswered,
  countSettled,
  isAskedOfService,
  changeSome,
  noteSides,
  openFirstWorld,
  registryScopeOf,
} from './first-world.js'
import {
  assertAllClaimed,
  assertAllSettled,
  assertBudgetKept,
  assertNothingLost,
  ofService,
  readDisk,
  type LookupOnDisk,
  type OnDisk,
} from './invariants.js'
import { openCostWorld } from './cost-world.js'
import { decideSome, isLeft, openDecidedWorld } from './decided-world.js'
import { MixUp } from './mix-up.js'
import { oneProcess } from './one-process.js'
import { isRetrying, openRetryWorld } from './retry-world.js'
import { SimulatedPost } from './simulated-post.js'
import { fairWeather, FailingService, stormyWeather } from './failing-service.js'
import { assertToldDomainsKnown, ledSubjects } from './stage-invariants.js'
import { assertStageWorld, assertStageWorldSettled, openStageWorld } from './stage-world.js'
import { VirtualTime } from './virtual-time.js'
import {
  askedOf,
  assertAllPaidOnce,
  pathOf,
  scope,
  setRecordWeather,
  type Webhooks,
  type World,
} from './world.js'

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
  /** Processes that what they may cost ended. */
  costStops: number
  /** Retries that were begun, and processes that continued one. */
  retries: number
  continuedRetries: number
  /** Verdicts of people, and those of them that were taken back. */
  decided: number
  takenBack: number
  /** Names that the own registry answers at the end, and submissions of names that it also answers. */
  settled: number
  sampled: number
  editions: number
}

/** Where syncing costs nothing: these worlds die in other ways than by power cuts. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const startMs = Date.UTC(2026, 0, 1)

const dayMs = 86_400_000
const stormyProcessesMax = 12
const processesMax = 60

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
  /** What a job may cost is bounded. */
  priced?: boolean
  /** People decide rows between the processes, and take verdicts back; what follows from answers is asked too. */
  decided?: boolean
  /**
   * Some processes are retries, which are killed, continued and repeated; plain runs come in between. Nothing follows from
   * answers, and nothing bounds what a job may cost.
   */
  retried?: boolean
  /** An own registry answers first, and is loaded again between some processes; nothing follows from answers. */
  first?: boolean | 'unread'
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
  process.env['XDG_STATE_HOME'] = folder
  const time = new VirtualTime(startMs)
  try {
    const webhooks = options.webhooks === true ? openPost(seed, folder) : null
    const mixUp = options.mixedUp === true ? new MixUp(new Chance(seed + 2_000_000_011)) : null
    const withStages =
      options.decided === true ||
      (options.stages ?? (options.first === undefined && options.retried !== true && seed % 4 === 3))
    const stages = withStages ? openStageWorld(seed) : null
    const world: World = {
      chance,
      time,
      service: new FailingService(chance, webhooks?.post, mixUp, stages),
      mixUp,
      webhooks,
      stages,
      cost: options.priced === true ? openCostWorld(seed) : null,
      decided: options.decided === true ? openDecidedWorld(seed) : null,
      first: options.first === undefined ? null : openFirstWorld(seed, options.first === 'unread'),
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
      retries: options.retried === true ? openRetryWorld(seed) : null,
      accepted: new Map(),
      answered: new Map(),
    }
    // Nobody pays, however often it is asked.
    if (world.isForgetful) for (const name of world.names) world.resubmittable.set(name, Infinity)
    return await time.run(() => live(seed, world))
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each name has come to its end with the side that it has, and lookups of the sample with both. */
function assertAllAnswered(
  { first, names, service }: World,
  whole: OnDisk,
  isLeftAlone: (lookup: LookupOnDisk) => boolean,
): void {
  const disk = ofService(whole, scope)
  if (first === null) {
    assertAllSettled(disk, service, names, isLeftAlone)
    return
  }
  assertRegistryAnswered(first, ofService(whole, registryScopeOf(first)), names)
  const asked = new Set(names.filter((name) => isAskedOfService(first, name)))
  const lookups = disk.lookups.filter(({ name }) => asked.has(name))
  assertAllSettled({ ...disk, lookups }, service, [...asked], isLeftAlone)
}

/**
 * What people decided, and what only followed from what they decide otherwise now, is left as it is. So is what the own
 * registry answers now.
 */
function leftAlone(
  { decided, first, stages, service }: World,
  disk: OnDisk,
): (lookup: LookupOnDisk) => boolean {
  if (first !== null) return ({ name }) => !isAskedOfService(first, name)
  if (decided === null || stages === null) return () => false
  const led = ledSubjects(disk, { ...stages, service, decided })
  return (lookup) => isLeft(decided, lookup, led)
}

/** Chance of its own, so that the rest of the world is that of the same seed without. */
function openPost(seed: number, folder: string): Webhooks {
  const listener: Webhooks['listener'] = { ring: () => undefined }
  const inbox = openFileInbox(join(folder, 'standing.sqlite'), startMs, {
    onReceived: () => {
      listener.ring()
    },
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
    // The last verdicts are made while it still storms: then all of it comes to its end.
    if (world.decided !== null && process <= stormyProcesses)
      decideSome(world.decided, askedOf(world), world.stages?.firms.count ?? 1)
    if (world.first !== null) changeSome(world.first)
    const { life, stop, ended } = await oneProcess(world, process, process < stormyProcesses)
    steps += life.stepCount
    if (life.isDead) crashes++
    for (const [customId, runId] of life.accepted) world.accepted.set(customId, runId)
    for (const customId of life.disproved) world.accepted.delete(customId)
    for (const [lookupId, runId] of life.answered) world.answered.set(lookupId, runId)
    const whole = readDisk(pathOf(world))
    const disk = ofService(whole, scope)
    assertAllPaidOnce(world)
    if (world.first !== null) noteSides(world.first, disk)
    assertNothingLost(whole, service, world.accepted, world.answered)
    assertBudgetKept(disk, world.lookupsMax, ['resolution'])
    const isLeftAlone = leftAlone(world, disk)
    if (world.stages !== null)
      assertStageWorld(world.stages, disk, { ...world, ...ended, isLeftAlone, hasJumped: time.jumpCount > 0 })
    const isOpen = ({ state }: (typeof disk.lookups)[number]) =>
      state === 'running' || (world.isForgetful && state === 'uncertain')
    const isOver = !disk.lookups.some((lookup) => isOpen(lookup) && !isLeftAlone(lookup))
    const isLastNight = process + 1 >= (world.first?.processesMin ?? 0) && !isRetrying(world.retries)
    if (!life.isDead && stop === null && isOver && isLastNight) {
      assertAllAnswered(world, whole, isLeftAlone)
      if (world.stages !== null)
        assertStageWorldSettled(world.stages, disk, {
          service,
          resubmittable: world.isForgetful ? { has: () => true } : world.resubmittable,
          path: pathOf(world),
          scope,
          decided: world.decided,
          rows: askedOf(world),
        })
      const isUncertain = ({ state }: (typeof disk.lookups)[number]) => state === 'uncertain'
      const uncertain = disk.lookups.filter((lookup) => lookup.kind === 'resolution' && isUncertain(lookup))
      const stageLookups = disk.lookups.filter(({ kind }) => kind !== 'resolution')
      const taken = service.records?.ledger ?? []
      const billedNames = new Set(service.ledger.map(({ name }) => name))
      const uncertainBilled = uncertain.filter(({ name }) => billedNames.has(name)).length
      // How long ago another process lost an answer is known by the wall clock alone: where that jumped, the next
      // command may have to claim what this one did not wait for.
      // A name that a retry lost was billed before.
      const isTold = world.webhooks?.post.lostCount === 0 && world.retries === null
      if (isTold && time.jumpCount === 0) assertAllClaimed(uncertainBilled)
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
        costStops: world.cost?.stopCount ?? 0,
        retries: world.retries?.begunCount ?? 0,
        continuedRetries: world.retries?.continuedCount ?? 0,
        decided: world.decided?.madeCount ?? 0,
        takenBack: world.decided?.takenBackCount ?? 0,
        settled: countSettled(world.first),
        sampled: world.first?.sampledCount ?? 0,
        editions: world.first?.edition ?? 0,
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
