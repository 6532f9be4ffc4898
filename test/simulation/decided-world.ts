import { createHash } from 'node:crypto'
import type { Transport, TransportRequest } from '../../src/client/transport.js'
import { readStageAnswers } from '../../src/pipeline/answers/stage-answers.js'
import { type CheckpointReader, buildStageLookup } from '../../src/pipeline/checkpoint/lookup.js'
import type { Decision } from '../../src/core/decisions.js'
import { Chance } from './chance.js'
import { statedDomainOf } from './firms.js'
import { hold, type LookupOnDisk, type OnDisk } from './invariants.js'
import { mergedIntoOf } from './record-bodies.js'
import type { FailingService } from './failing-service.js'
import type { StageWorld } from './stage-world.js'

/** A question of a row: a name, or a domain. */
interface Asked {
  readonly kind: 'resolution' | 'domain'
  readonly name: string
}

/** What people decide in one world while nothing runs, and the judge of whether they are heard. */
export interface DecidedWorld {
  readonly chance: Chance
  /** The verdicts that stand, by hexadecimal keys. */
  readonly standing: Map<string, Decision>
  /** Why a promise is broken, once it is. */
  broken: string | null
  /** Verdicts that were made, and those that were taken back, of all processes. */
  madeCount: number
  takenBackCount: number
}

/** Chance of its own, so that the rest of the world is that of the same seed without. */
export const openDecidedWorld = (seed: number): DecidedWorld => ({
  chance: new Chance(seed + 5_000_000_029),
  standing: new Map(),
  broken: null,
  madeCount: 0,
  takenBackCount: 0,
})

export const keyOf = (name: string): Uint8Array => createHash('sha256').update(name).digest().subarray(0, 16)

const lookupOf = ({ kind, name }: Asked): string =>
  Buffer.from(kind === 'domain' ? buildStageLookup(kind, name).key : keyOf(name)).toString('hex')

export const decisionOf = ({ standing }: DecidedWorld, asked: Asked): Decision | null =>
  standing.get(lookupOf(asked)) ?? null

/** Between two processes: some rows are decided, some otherwise than before, and some verdicts are taken back. */
export function decideSome(world: DecidedWorld, asked: readonly Asked[], firmCount: number): void {
  const { chance, standing } = world
  if (!chance.happens(0.6)) return
  const share = chance.pick([0.1, 0.5, 1])
  for (const one of asked) {
    if (!chance.happens(share)) continue
    const lookup = lookupOf(one)
    if (standing.has(lookup) && chance.happens(0.4)) {
      standing.delete(lookup)
      world.takenBackCount++
      continue
    }
    const isNone = chance.happens(0.3)
    const entityId = chance.happens(0.2) ? 'siq_chain_3' : `siq_firm_${chance.whole(0, firmCount - 1)}`
    world.madeCount++
    standing.set(lookup, {
      lookup,
      name: one.name,
      location: null,
      verdict: isNone ? 'none' : 'accepted',
      entityId: isNone ? null : entityId,
      entityName: null,
      decidedBy: 'Ada',
      decidedAtMs: 0,
      note: null,
      service: null,
    })
  }
}

/** Nothing leaves that asks what is decided, or asks what became of it. */
export function judgeDecided(
  transport: Transport,
  world: DecidedWorld,
  service: FailingService,
  isMixedUp: boolean,
): Transport {
  const exchange: Transport['exchange'] = (request) => {
    const asked = askedBy(request, service, isMixedUp)
    if (asked !== null && decisionOf(world, asked) !== null)
      world.broken ??= `${request.method} of ${asked.kind} ${asked.name}, which is decided`
    return transport.exchange(request)
  }
  return { ...transport, exchange }
}

function askedBy(
  { method, path, body }: TransportRequest,
  { ledger }: FailingService,
  isMixedUp: boolean,
): Asked | null {
  const url = new URL(path, 'https://service.test')
  const sent = JSON.parse(body ?? '{}') as { name?: string; domain?: string }
  if (url.pathname === '/v3/domain-intelligence')
    return { kind: 'domain', name: (method === 'POST' ? sent.domain : url.searchParams.get('domain')) ?? '' }
  if (method === 'POST' && sent.name !== undefined) return { kind: 'resolution', name: sent.name }
  // Where answers are mixed up, a run may be that of another name by now.
  const runId = isMixedUp ? null : (/\/v3\/runs\/([^/?]+)/.exec(path)?.[1] ?? null)
  const run = ledger.find((entry) => entry.runId === runId)
  return run === undefined ? null : { kind: 'resolution', name: run.name }
}

/** Whether a lookup is decided, or follows from nothing any more since a verdict was made or taken back. */
export function isLeft(world: DecidedWorld, { kind, name }: LookupOnDisk, led: ReadonlySet<string>): boolean {
  if (kind === 'resolution') return decisionOf(world, { kind, name }) !== null
  if (kind === 'domain' && decisionOf(world, { kind, name }) !== null) return true
  return !led.has(`${kind} ${name}`)
}

/** What follows from a verdict, by what the world knows and nothing of the code under test. */
export function subjectsOfDecision(
  { verdict, entityId }: Decision,
  asked: Asked,
  service: FailingService,
  { firms }: Pick<StageWorld, 'firms'>,
): Partial<Record<'entity' | 'hierarchy' | 'domain', string>> {
  const stated = asked.kind === 'domain' ? null : statedDomainOf(asked.name)
  const ofDomain = stated === null ? {} : { domain: stated }
  if (verdict === 'none' || entityId === null) return ofDomain
  const isMissing = service.records?.fates.get(`entity ${entityId}`)?.at(-1) === 'missing'
  if (isMissing) return { entity: entityId, ...ofDomain }
  const firm = firms.ofEntity(entityId)
  const domain = asked.kind === 'domain' ? null : (stated ?? firm?.domain ?? null)
  return {
    entity: entityId,
    hierarchy: mergedIntoOf(entityId) ?? entityId,
    ...(domain === null ? {} : { domain }),
  }
}

interface SettledDeps {
  readonly asked: readonly Asked[]
  readonly service: FailingService
  readonly stages: StageWorld
  readonly reader: CheckpointReader
}

/** Held at the end: what follows from each verdict has come to its end, and is found by its row. */
export function assertDecidedSettled(world: DecidedWorld, disk: OnDisk, deps: SettledDeps): void {
  const { reader, service, stages } = deps
  const lookups = new Map(disk.lookups.map((lookup) => [`${lookup.kind} ${lookup.name}`, lookup]))
  for (const asked of deps.asked) {
    const decision = decisionOf(world, asked)
    const own = lookups.get(`${asked.kind} ${asked.name}`)
    if (decision === null || own === undefined) continue
    const decided = { decision, kind: asked.kind, asked: { name: asked.name, location: null, context: null } }
    const follows = subjectsOfDecision(decision, asked, service, stages)
    const kinds = [...new Set([...stages.asked, 'entity' as const])]
    const [found = {}] = readStageAnswers(reader, [own.lookupId], kinds, () => decided)
    for (const kind of kinds) {
      const name = follows[kind]
      if (name === undefined) continue
      const answer = found[kind]
      hold(
        answer?.name === name,
        `${asked.name} has the ${kind} of ${answer?.name ?? 'nobody'} for that of ${name}`,
      )
      // A domain that another row was decided by is asked by nobody.
      const isDecided = kind === 'domain' && decisionOf(world, { kind, name }) !== null
      const state = lookups.get(`${kind} ${name}`)?.state ?? 'never wanted'
      hold(
        isDecided || !['new', 'intended', 'running', 'never wanted'].includes(state),
        `the ${kind} ${name} follows from a verdict, and is ${state}`,
      )
    }
  }
}
