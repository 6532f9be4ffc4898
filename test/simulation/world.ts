import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../src/client/transport.js'
import { HeadFile, readHead } from '../../src/pipeline/checkpoint/sqlite/head-file.js'
import type { Inbox } from '../../src/pipeline/checkpoint/inbox.js'
import type { RunCounter } from '../../src/pipeline/scheduler/work.js'
import type { Chance } from './chance.js'
import { assertCostKept, type CostWorld } from './cost-world.js'
import type { DecidedWorld } from './decided-world.js'
import type { FirstWorld } from './first-world.js'
import { assertPaidOnce, hold } from './invariants.js'
import type { MixUp } from './mix-up.js'
import { fairRecords, stormyRecords } from './record-weather.js'
import type { SimulatedPost } from './simulated-post.js'
import type { FailingService } from './failing-service.js'
import { assertStagesPaidOnce } from './stage-invariants.js'
import type { RetryWorld } from './retry-world.js'
import type { StageWorld } from './stage-world.js'
import type { VirtualTime } from './virtual-time.js'

export const scope = 'https://service.test'

/** Everything one seed decides. */
export interface World {
  chance: Chance
  time: VirtualTime
  service: FailingService
  /** Null: no answer is another's. */
  mixUp: MixUp | null
  /** Null: answers are polled. */
  webhooks: Webhooks | null
  /** Null: nothing is asked but names. */
  stages: StageWorld | null
  /** Null: nobody bounds what it costs. */
  cost: CostWorld | null
  /** Null: nobody decides anything. */
  decided: DecidedWorld | null
  /** Null: no own registry answers first. */
  first: FirstWorld | null
  sabotage: (transport: Transport) => Transport
  isForgetful: boolean
  counter: RunCounter | null
  folder: string
  names: string[]
  lookupsMax: number | null
  /** The user says --resubmit-uncertain from this process on. */
  resubmitFrom: number
  resubmittable: Map<string, number>
  /** Null: no process is a retry. */
  retries: RetryWorld | null
  accepted: Map<string, string>
  answered: Map<number, string>
}

export interface Webhooks {
  post: SimulatedPost
  /** Outlives every process. */
  inbox: Inbox
  /** The process that is rung when something was received. */
  listener: { ring: () => void }
}

/** What rows ask. */
export const askedOf = ({ names, stages }: World) => [
  ...names.map((name) => ({ kind: 'resolution', name }) as const),
  ...(stages?.domains ?? []).map((name) => ({ kind: 'domain', name }) as const),
]

export const pathOf = (world: World) => join(world.folder, 'checkpoint.sqlite')
export const remainsOf = (world: World) => join(world.folder, 'remains.sqlite')

/** How records fare while the rest of the service does as its weather says. */
export function setRecordWeather({ service: { records, weather }, stages }: World, isStormy: boolean): void {
  if (records === null || stages === null) return
  const { chance, perMinute } = stages
  records.weather = isStormy ? stormyRecords(chance, perMinute) : { ...fairRecords, perMinute }
  records.windowKind = weather.window
}

/** Held after every step. */
export function assertAllPaidOnce({ service, resubmittable, isForgetful, ...world }: World): void {
  const { cost, decided, first } = world
  if (cost !== null) assertCostKept(cost, service)
  if (decided !== null) hold(decided.broken === null, decided.broken ?? '')
  if (first !== null) hold(first.broken === null, first.broken ?? '')
  assertPaidOnce(service, resubmittable)
  if (service.records !== null && !isForgetful) assertStagesPaidOnce(service.records, resubmittable)
}

/** The files as they are at this moment, into the same files: what a kill leaves behind is no copy. */
export function copyCheckpoint(path: string, to: string): void {
  for (const suffix of ['', '-wal', '.head']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, to + suffix)
    else rmSync(to + suffix, { force: true })
  }
}

/**
 * Puts back the files of a process that died. Its head is written again: nothing else wrote to a checkpoint whose process
 * was killed, and a copied head file would say that something did.
 */
export function putBackCheckpoint(remains: string, path: string): void {
  const found = readHead(remains)
  copyCheckpoint(remains, path)
  if (found.kind === 'found') new HeadFile(path, found.head).close()
}
