import type { Transport } from '../../src/client/transport.js'
import { openCheckpointReader } from '../../src/pipeline/checkpoint/sqlite/reader.js'
import { stageKinds, type LookupKind, type StageKind } from '../../src/core/lookup-state.js'
import {
  type Stop,
  createDefaultStages,
  type KindOptions,
  type StageOptions,
  type SchedulingOptions,
} from '../../src/pipeline/scheduler/scheduling.js'
import { Chance } from './chance.js'
import { Firms } from './firms.js'
import { assertDecidedSettled, type DecidedWorld } from './decided-world.js'
import { assertBudgetKept, type LookupOnDisk, type OnDisk } from './invariants.js'
import { recordLimits, type RecordLimit } from './record-weather.js'
import { limitOf } from './simulated-records.js'
import type { FailingService } from './failing-service.js'
import {
  assertAnswersStand,
  assertLimitsKept,
  assertResolutionWentOn,
  assertStagesKnown,
  assertStagesSettled,
} from './stage-invariants.js'

type Departures = Map<RecordLimit, number[]>

/** What one seed decides of what is asked after the answers, and of rows that ask for domains. */
export interface StageWorld {
  /** Of its own, so that the rest of the world is that of the same seed without stages. */
  readonly chance: Chance
  readonly firms: Firms
  readonly asked: readonly StageKind[]
  /** Rows that have a domain and no name. */
  readonly domains: readonly string[]
  readonly perMinute: Readonly<Record<RecordLimit, number>>
  /** Requests of a job that begin something, of each kind. */
  readonly lookupsMax: number | null
  /** The answers as they were first seen on disk. */
  readonly lines: Map<number, string>
  /** Of all processes. */
  readonly departures: Departures
  /** Processes in which a stage was stopped and resolutions were not. */
  stopCount: number
}

export function openStageWorld(seed: number): StageWorld {
  const chance = new Chance(seed + 3_000_000_019)
  const firms = new Firms(chance.whole(1, 12))
  // A domain of a company that other rows mean, or of nobody.
  const domainOf = (index: number) =>
    chance.happens(0.7) ? `firm${index}-world.com` : `lone${index}-world.com`
  const few = (max: number) => chance.pick([Math.min(6, max), max])
  return {
    chance,
    firms,
    asked: chance.happens(0.7) ? stageKinds : stageKinds.filter(() => chance.happens(0.5)),
    domains: Array.from({ length: chance.whole(0, 8) }, (_, index) => domainOf(index)),
    perMinute: { entities: few(100), hierarchyPosts: few(600), hierarchyReads: few(100), domains: few(600) },
    lookupsMax: chance.happens(0.25) ? chance.whole(2, 20) : null,
    lines: new Map(),
    departures: noDepartures(),
    stopCount: 0,
  }
}

export function stageOptionsOf(
  { asked, perMinute, lookupsMax }: StageWorld,
  scheduling: SchedulingOptions,
): StageOptions {
  const { kinds } = createDefaultStages(scheduling, asked)
  const kindOf = (kind: StageKind, submissions: RecordLimit, polls: RecordLimit): KindOptions => ({
    ...kinds[kind],
    lookupsMax,
    limits: { submissionsPerWindow: perMinute[submissions], pollsPerWindow: perMinute[polls] },
  })
  return {
    asked,
    kinds: {
      entity: kindOf('entity', 'entities', 'entities'),
      hierarchy: kindOf('hierarchy', 'hierarchyPosts', 'hierarchyReads'),
      domain: kindOf('domain', 'domains', 'domains'),
    },
  }
}

const noDepartures = (): Departures => new Map(recordLimits.map((limit) => [limit, []]))

/** What leaves one process is written down, by its monotonic time. */
export function watchDepartures(transport: Transport): { transport: Transport; departures: Departures } {
  const departures = noDepartures()
  const exchange: Transport['exchange'] = (request) => {
    const limit = limitOf(request)
    if (limit !== null) departures.get(limit)?.push(performance.now())
    return transport.exchange(request)
  }
  return { transport: { ...transport, exchange }, departures }
}

const stagesAlone = new Set<Stop['kind']>([
  'refused',
  'wrong_address',
  'out_of_credit',
  'plan_limit',
  'lookups_max',
])

/** Whether it was one of these stages that was stopped, and nothing else. `stop` is what the run was stopped by. */
export function isStageStop(stop: Stop | null, stageStops: readonly (Stop | null)[]): boolean {
  return stop !== null && stagesAlone.has(stop.kind) && stageStops.includes(stop)
}

interface EndedProcess {
  service: FailingService
  /** Whether nobody asks a lookup any more. */
  isLeftAlone: (lookup: LookupOnDisk) => boolean
  /** The service forgets with each process, and nobody pays. */
  isForgetful: boolean
  departures: Departures
  hasJumped: boolean
  wasStageStopped: boolean
}

/** Held whenever a process has ended, however it ended. */
export function assertStageWorld(world: StageWorld, disk: OnDisk, ended: EndedProcess): void {
  const { records } = ended.service
  if (records !== null && !ended.isForgetful) assertStagesKnown(disk, records)
  assertAnswersStand(disk, world.lines)
  for (const kind of stageKinds) assertBudgetKept(disk, world.lookupsMax, [kind] satisfies LookupKind[])
  for (const [limit, timesMs] of ended.departures) world.departures.get(limit)?.push(...timesMs)
  assertLimitsKept(ended.departures, world.perMinute, 'one process')
  // Another process knows by the wall clock what the one before it sent.
  if (!ended.hasJumped) assertLimitsKept(world.departures, world.perMinute, 'several processes')
  if (!ended.wasStageStopped) return
  world.stopCount++
  assertResolutionWentOn({ ...disk, lookups: disk.lookups.filter((lookup) => !ended.isLeftAlone(lookup)) })
}

interface SettledDeps {
  service: FailingService
  /** Null: nobody decides anything. */
  decided: DecidedWorld | null
  /** What rows ask. */
  rows: Parameters<typeof assertDecidedSettled>[2]['asked']
  resubmittable: Pick<ReadonlyMap<string, number>, 'has'>
  path: string
  scope: string
}

/** Held at the end. */
export function assertStageWorldSettled(
  world: StageWorld,
  disk: OnDisk,
  { service, resubmittable, path, scope, decided, rows }: SettledDeps,
): void {
  const { records } = service
  const reader = openCheckpointReader(path, scope)
  if (records === null || reader === null) throw new Error('a world with stages has both')
  try {
    assertStagesSettled(disk, { ...world, service, records, reader, resubmittable, decided })
    if (decided !== null) assertDecidedSettled(decided, disk, { asked: rows, service, stages: world, reader })
  } finally {
    reader.close()
  }
}
