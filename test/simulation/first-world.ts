import { createHash } from 'node:crypto'
import { createServiceClient } from '../../src/client/client.js'
import type { Transport } from '../../src/client/transport.js'
import { resolveSettings } from '../../src/config/settings.js'
import type { KeyedLookup } from '../../src/pipeline/checkpoint/lookup.js'
import type { LookupId } from '../../src/core/lookup-identity.js'
import { peekAtCheckpoint } from '../../src/pipeline/checkpoint/sqlite/reader.js'
import type { Stop } from '../../src/pipeline/scheduler/scheduling.js'
import { FirstAnswers } from '../../src/pipeline/answers/first-answers.js'
import { isSampled, type FirstRule } from '../../src/pipeline/answers/first-rule.js'
import type { PlanPolicy } from '../../src/core/lookup-state.js'
import { Backlog, type SchedulerDeps } from '../../src/pipeline/scheduler/work.js'
import { runUntilAnswered } from '../../src/pipeline/scheduler/scheduler.js'
import { createTally } from '../../src/pipeline/history/tally.js'
import { systemClock } from '../../src/platform/clock.js'
import { Chance } from './chance.js'
import { keyOf } from './decided-world.js'
import { hold, type LookupOnDisk, type OnDisk } from './invariants.js'
import { mortalTransport, type Life } from './mortal.js'
import { fairWeather, FailingService } from './failing-service.js'

type Side = 'registry' | 'service'

/** An own registry that answers before the service, and the judge of what is submitted all the same. */
export interface FirstWorld {
  readonly registry: FailingService
  rule: FirstRule
  /** Breaks a rule on purpose: the answers of the registry are not read. */
  readonly isUnread: boolean
  readonly chance: Chance
  readonly seed: number
  /** Further processes run after the last answer, like those of further nights. */
  readonly processesMin: number
  edition: number
  /** The side of each name that it keeps, with the edition under which it was noted. */
  readonly sides: Map<string, { readonly side: Side; readonly edition: number }>
  /** The side of each name in the newest process. */
  placed: ReadonlyMap<string, Side>
  /** Why a promise is broken, once it is. */
  broken: string | null
  sampledCount: number
}

const matchedConfidence = 91

/** Chance of its own, so that the rest of the world is that of the same seed without. */
export function openFirstWorld(seed: number, isUnread: boolean): FirstWorld {
  const chance = new Chance(seed + 6_000_000_037)
  const percent = chance.pick([null, 20, 60])
  const firmOf = (name: string) => ({
    entityId: `own_${name.replace(/\D/g, '')}`,
    website: null,
    domain: null,
  })
  const firms = {
    of: firmOf,
    isPartial: (name: string) => !settles(world, name),
    ofDomain: () => null,
    ofEntity: () => null,
  }
  const registry = new FailingService(chance, null, null, { firms, chance })
  registry.weather = {
    ...fairWeather,
    runFails: 0,
    merged: 0,
    runMsMin: 0,
    runMsMax: 500,
    submissionsPerMinute: Infinity,
    pollsPerMinute: Infinity,
  }
  const world: FirstWorld = {
    registry,
    rule: {
      accept: matchedConfidence,
      prefer: 'earlier',
      sample: percent === null ? null : { percent, seed },
    },
    isUnread,
    chance,
    seed,
    processesMin: chance.whole(1, 6),
    edition: 1,
    sides: new Map(),
    placed: new Map(),
    broken: null,
    sampledCount: 0,
  }
  return world
}

export const registryScopeOf = ({ edition }: FirstWorld) => `embedded:edition-${edition}`

/** Whether the registry is sure of a name; another edition is sure of others. */
function settles({ seed, edition }: Pick<FirstWorld, 'seed' | 'edition'>, name: string): boolean {
  return (createHash('sha256').update(`${seed} ${edition} ${name}`).digest()[0] ?? 0) < 128
}

const isOfSample = ({ rule }: Pick<FirstWorld, 'rule'>, name: string) => isSampled(keyOf(name), rule.sample)

/** The names that the service is to be asked for. */
export const isAskedOfService = (world: FirstWorld, name: string): boolean =>
  world.placed.get(name) === 'service' || isOfSample(world, name)

export const countSettled = (world: FirstWorld | null): number =>
  [...(world?.placed.values() ?? [])].filter((side) => side === 'registry').length

/** Between two processes, the registry may be loaded again. Before that, the sample may be given up. */
export function changeSome(world: FirstWorld): void {
  if (world.chance.happens(0.4)) world.edition++
  if (world.edition === 1 && world.chance.happens(0.3)) world.rule = { ...world.rule, sample: null }
}

/** Nothing leaves that asks for what the registry answers, except of the sample. */
export function judgeFirst(transport: Transport, world: FirstWorld): Transport {
  return {
    ...transport,
    exchange: (request) => {
      const { name = null } = JSON.parse(request.body ?? '{}') as { name?: string }
      if (request.method === 'POST' && name !== null && settles(world, name)) {
        if (isOfSample(world, name)) world.sampledCount++
        else world.broken ??= `${name} was submitted, which the registry answers`
      }
      return transport.exchange(request)
    },
  }
}

interface Asking extends Pick<SchedulerDeps, 'checkpoint' | 'interrupt'> {
  readonly life: Life
  readonly wanted: readonly KeyedLookup[]
}

/** The first phase of a process: the registry answers in its own scope. Returns why it was stopped, or null. */
export async function askRegistry(world: FirstWorld, asking: Asking): Promise<Stop | null> {
  const { life, wanted, checkpoint } = asking
  const { limits, polling, serverErrorMeans } = resolveSettings({}, {})
  world.placed = new Map()
  // It ends with each process.
  world.registry.forget()
  const transport = world.registry.connect(() => life.isDead)
  await checkpoint.store.register(wanted)
  await checkpoint.plan({ nowMs: Date.now(), maxAgeMs: null, onLost: 'hold', knowsEarlierRuns: false })
  const stop = await runUntilAnswered({
    ...asking,
    service: {
      client: createServiceClient(
        { apiKey: 'key', baseUrl: 'https://registry.test', userAgent: 'simulation', connectionsMax: 1 },
        mortalTransport(transport, life),
      ),
    },
    clock: systemClock,
    random: world.chance,
    scheduling: { limits, polling, serverErrorMeans, lookupsMax: null, durationMsMax: null },
    resolutions: { backlog: new Backlog(wanted.length), counter: createTally().counter },
  })
  if (stop === null) await checkpoint.endJob(Date.now())
  return stop
}

/** The answers of the registry, for the second phase. */
export function readFirst(
  world: FirstWorld,
  { path, scope, policy }: { path: string; scope: string; policy: PlanPolicy },
): FirstAnswers {
  const registry = registryScopeOf(world)
  return new FirstAnswers({
    rule: world.rule,
    elapsedMs: 0,
    registry: world.isUnread ? null : peekAtCheckpoint(path, registry),
    service: peekAtCheckpoint(path, scope),
    policy,
    scopes: { registry, service: scope },
  })
}

/** Held when a process has placed its lookups: each name has one side, and keeps it. */
export function judgePlacement(
  world: FirstWorld,
  names: readonly string[],
  ids: readonly LookupId[],
  first: FirstAnswers,
): void {
  const sideOf = (id: LookupId = 0) => (first.isSettled(id) ? 'registry' : 'service')
  world.placed = new Map(names.map((name, at) => [name, sideOf(ids[at])]))
  for (const [name, side] of world.placed) {
    const isKnown = settles(world, name)
    hold(side === 'service' || isKnown, `${name} has the answer of a registry that does not know it`)
    const isCheck = isKnown && isOfSample(world, name)
    hold(!isCheck || side === 'registry', `${name} of the sample has the answer of the service`)
    const before = world.sides.get(name) ?? { side, edition: 0 }
    const isKept = before.edition === world.edition || (before.side === 'service' && isKnown && !isCheck)
    hold(!isKept || before.side === side, `${name} had the ${before.side}, and has the ${side}`)
  }
}

/** Notes the sides when a process has ended. What was submitted and not lost is paid, with or without an answer. */
export function noteSides({ sides, edition, placed, ...world }: FirstWorld, disk: OnDisk): void {
  const paid = new Set(disk.lookups.flatMap(({ name, state }) => (isPaid(state) ? name : [])))
  if (placed.size > 0) sides.clear()
  for (const [name, side] of placed) {
    // The run of a lost submission may become known after the registry has answered: then the service was first.
    const isNoted = side === 'service' ? paid.has(name) : !paid.has(name) || isOfSample(world, name)
    if (isNoted) sides.set(name, { side, edition })
  }
}

const isPaid = (state: LookupOnDisk['state']) => state === 'running' || state === 'answered'

/** Held at the end: the registry has answered each name, with its own answer. */
export function assertRegistryAnswered(
  world: FirstWorld,
  { lookups }: OnDisk,
  names: readonly string[],
): void {
  const own = new Map(lookups.map((lookup) => [lookup.name, lookup]))
  for (const name of names) {
    const { state, line } = own.get(name) ?? { state: 'missing', line: null }
    hold(state === 'answered', `the registry left ${name} ${state}`)
    const answer = JSON.parse(line ?? '{}') as Record<string, unknown>
    hold(answer['legal_name'] === `${name} (registered)`, `${name} has the answer of another`)
    hold(world.placed.has(name), `${name} has no side`)
  }
}
