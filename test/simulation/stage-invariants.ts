import { readStageAnswers } from '../../src/pipeline/answers/stage-answers.js'
import type { CheckpointReader } from '../../src/pipeline/checkpoint/lookup.js'
import type { StageKind } from '../../src/core/lookup-state.js'
import { decisionOf, isLeft, subjectsOfDecision, type DecidedWorld } from './decided-world.js'
import { hold, type LookupOnDisk, type OnDisk } from './invariants.js'
import { parentNameOf, statedDomainOf, type Firms } from './firms.js'
import { mostInAMinute } from './rate-window.js'
import type { RecordLimit } from './record-weather.js'
import { mergedIntoOf } from './record-bodies.js'
import type { SimulatedRecords } from './simulated-records.js'
import type { LedgerEntry, FailingService } from './failing-service.js'

/** Held after every step: research is begun once, and a domain is paid for once, by a request that says so. */
export function assertStagesPaidOnce(
  { ledger }: Pick<SimulatedRecords, 'ledger'>,
  resubmittable: ReadonlyMap<string, number>,
): void {
  const taken = new Map<string, number>()
  for (const { kind, name, by } of ledger) {
    const subject = `${kind} ${name}`
    taken.set(subject, (taken.get(subject) ?? 0) + 1)
    hold(
      by === 'POST' || resubmittable.has(subject),
      `${subject} was begun by a read that was to cost nothing`,
    )
  }
  for (const [subject, count] of taken) {
    const allowed = 1 + (resubmittable.get(subject) ?? 0)
    hold(count <= allowed, `${subject} was asked for ${count} times, ${allowed} allowed`)
  }
}

const mayBeTaken = new Set(['accepted', 'uncertain', 'intended'])

/** Held whenever a process has ended: what the service took, the checkpoint takes into account. */
export function assertStagesKnown(disk: OnDisk, { ledger }: Pick<SimulatedRecords, 'ledger'>): void {
  const subjects = new Map(disk.lookups.map(({ lookupId, kind, name }) => [lookupId, `${kind} ${name}`]))
  const known = new Map<string, number>()
  for (const { lookupId, verdict } of disk.submissions) {
    const subject = subjects.get(lookupId) ?? ''
    if (mayBeTaken.has(verdict)) known.set(subject, (known.get(subject) ?? 0) + 1)
  }
  const taken = new Map<string, number>()
  for (const { kind, name } of ledger) taken.set(`${kind} ${name}`, (taken.get(`${kind} ${name}`) ?? 0) + 1)
  for (const [subject, count] of taken) {
    const knownCount = known.get(subject) ?? 0
    hold(
      count <= knownCount,
      `${subject} was taken ${count} times, and the checkpoint knows of ${knownCount}`,
    )
  }
}

/** Held whenever a process has ended: an answer that was written stays as it was, whatever became of what follows. */
export function assertAnswersStand(disk: OnDisk, lines: Map<number, string>): void {
  for (const { lookupId, kind, name, line } of disk.lookups) {
    const first = lines.get(lookupId)
    hold(first === undefined || first === line, `the answer of ${kind} ${name} was written over`)
    if (line !== null) lines.set(lookupId, line)
  }
}

/** Requests that left, by what the service counts them by: times in milliseconds of the monotonic clock. */
export type Departures = ReadonlyMap<RecordLimit, readonly number[]>

/** Held for each process, and over all of them where the wall clock did not jump: no minute holds more than is allowed. */
export function assertLimitsKept(
  departures: Departures,
  perMinute: Readonly<Record<RecordLimit, number>>,
  of: string,
): void {
  for (const [limit, timesMs] of departures) {
    const most = mostInAMinute(timesMs)
    hold(
      most <= perMinute[limit],
      `${most} requests of ${limit} by ${of} in a minute, ${perMinute[limit]} allowed`,
    )
  }
}

/** Held where a stage was stopped and resolutions were not: nothing of theirs is left to be submitted. */
export function assertResolutionWentOn(disk: OnDisk): void {
  for (const { kind, name, state } of disk.lookups) {
    if (kind !== 'resolution') continue
    hold(state !== 'new' && state !== 'intended', `${name} is left ${state}, though only a stage was stopped`)
  }
}

interface FollowedWorld {
  service: FailingService
  firms: Firms
  asked: readonly StageKind[]
  /** What rows ask for themselves. */
  domains: readonly string[]
  /** Null: nobody decides anything. */
  decided: DecidedWorld | null
}

interface SettledWorld extends FollowedWorld {
  records: SimulatedRecords
  /** How a row is joined with what follows from it. */
  reader: CheckpointReader
  /** What the user let be asked once more. */
  resubmittable: Pick<ReadonlyMap<string, number>, 'has'>
}

type Subjects = Partial<Record<StageKind, string>>

/**
 * Held at the end: what follows from each answer was asked, has come to its end, and is found by its row; and nothing
 * was asked besides.
 */
export function assertStagesSettled(disk: OnDisk, world: SettledWorld): void {
  const lookups = new Map(disk.lookups.map((lookup) => [`${lookup.kind} ${lookup.name}`, lookup]))
  const runs = new Map(world.service.ledger.map((run) => [run.runId, run]))
  const wanted = new Set(world.domains.map((name) => `domain ${name}`))
  for (const first of disk.lookups) {
    const isFirst = first.kind === 'resolution' || wanted.has(`${first.kind} ${first.name}`)
    if (!isFirst || first.state !== 'answered' || isDecided(first, world)) continue
    const follows = subjectsOf(first, runs, world)
    const [found = {}] = readStageAnswers(world.reader, [first.lookupId], world.asked)
    for (const kind of world.asked) assertFound(kind, follows[kind], found[kind], lookups)
  }
  assertEach(lookups, wanted, world)
}

const isDecided = ({ kind, name }: LookupOnDisk, { decided }: FollowedWorld): boolean =>
  decided !== null &&
  (kind === 'resolution' || kind === 'domain') &&
  decisionOf(decided, { kind, name }) !== null

/** What rows ask by a domain, and what follows from answers and from verdicts: `entity siq_firm_1`. */
export function ledSubjects(disk: OnDisk, world: FollowedWorld): ReadonlySet<string> {
  const led = new Set(world.domains.map((name) => `domain ${name}`))
  const runs = new Map(world.service.ledger.map((run) => [run.runId, run]))
  for (const first of disk.lookups) {
    const { kind, name, state } = first
    if (kind !== 'resolution' && !(kind === 'domain' && world.domains.includes(name))) continue
    const decision = world.decided === null ? null : decisionOf(world.decided, { kind, name })
    const follows =
      decision !== null
        ? subjectsOfDecision(decision, { kind, name }, world.service, world)
        : state === 'answered'
          ? subjectsOf(first, runs, world)
          : {}
    for (const stage of world.asked) if (follows[stage] !== undefined) led.add(`${stage} ${follows[stage]}`)
    if (decision !== null && follows.entity !== undefined) led.add(`entity ${follows.entity}`)
  }
  return led
}

type Found = ReturnType<typeof readStageAnswers>[number][StageKind]

function assertFound(
  kind: StageKind,
  name: string | undefined,
  found: Found,
  lookups: ReadonlyMap<string, LookupOnDisk>,
): void {
  hold(
    found?.name === name,
    `a row has the ${kind} of ${found?.name ?? 'nobody'} for that of ${name ?? 'nobody'}`,
  )
  if (name === undefined) return
  const lookup = lookups.get(`${kind} ${name}`)
  hold(lookup !== undefined, `the ${kind} ${name} was never asked for`)
  hold(found?.known?.state === lookup.state, `a row does not find the ${kind} ${name}`)
  hold(found.known.line === lookup.line, `a row has another line than that of the ${kind} ${name}`)
}

function assertEach(
  lookups: ReadonlyMap<string, LookupOnDisk>,
  rowDomains: ReadonlySet<string>,
  world: SettledWorld,
): void {
  const led = ledSubjects({ lookups: [...lookups.values()], submissions: [] }, world)
  for (const domain of rowDomains) hold(lookups.has(domain), `${domain} was never asked for`)
  for (const [subject, lookup] of lookups) {
    if (lookup.kind === 'resolution' || (world.decided !== null && isLeft(world.decided, lookup, led)))
      continue
    hold(led.has(subject), `${subject} was asked for, and follows from nothing`)
    assertEnded(lookup, world)
  }
}

function assertEnded(lookup: LookupOnDisk, { records, resubmittable }: SettledWorld): void {
  const { kind, name, state } = lookup
  const subject = `${kind} ${name}`
  const fates = records.fates.get(subject) ?? []
  switch (state) {
    case 'answered':
      hold(
        fates.some((fate) => fate !== 'fails'),
        `${subject} is answered, and has no answer`,
      )
      assertOwnLine(lookup, fates.includes('missing'))
      return
    case 'failed':
      hold(fates.includes('fails'), `${subject} failed here and not at the service`)
      return
    case 'uncertain':
      hold(kind === 'domain', `${subject} is uncertain, though a free read tells`)
      return
    case 'invalid': {
      // By the user's word it was asked once more, and the service did not like it then.
      const isTaken = records.ledger.some((taken) => taken.kind === kind && taken.name === name)
      hold(!isTaken || resubmittable.has(subject), `${subject} was taken, and is invalid`)
      return
    }
    case 'new':
    case 'intended':
    case 'running':
      hold(false, `${subject} is left ${state}`)
  }
}

/** The line is that of the company, or the domain, that was asked about. */
function assertOwnLine({ kind, name, line }: LookupOnDisk, mayBeMissing: boolean): void {
  const answer = JSON.parse(line ?? '{}') as Record<string, unknown>
  const [column, own] = {
    resolution: ['', null],
    entity: ['entity_current_id', mergedIntoOf(name) ?? name],
    hierarchy: ['ultimate_parent_name', parentNameOf(name)],
    domain: ['domain_name', name],
  }[kind]
  const said = answer[column ?? ''] ?? null
  hold(
    said === own || (mayBeMissing && said === null),
    `${kind} ${name} has the answer of ${JSON.stringify(said)}`,
  )
}

/** What follows from the answer to a first question, by what the world knows and nothing of the code under test. */
function subjectsOf(
  first: LookupOnDisk,
  runs: ReadonlyMap<string, LedgerEntry>,
  { firms }: Pick<FollowedWorld, 'firms'>,
): Subjects {
  const firm = first.kind === 'domain' ? firms.ofDomain(first.name) : null
  if (first.kind === 'domain') return { ...companyOf(firm?.entityId), domain: first.name }
  const run = runs.get(first.runId ?? '')
  const stated = statedDomainOf(first.name)
  const line = JSON.parse(first.line ?? '{}') as Record<string, unknown>
  const isSure = run?.mergedInto === null && !run.isPartial
  const entityId =
    run?.mergedInto === null ? (isSure ? run.firm?.entityId : undefined) : String(line['merged_into'])
  const domain = stated ?? (isSure ? (run.firm?.domain ?? null) : null)
  return { ...companyOf(entityId), ...(domain === null ? {} : { domain }) }
}

const companyOf = (entityId: string | undefined): Subjects =>
  entityId === undefined ? {} : { entity: entityId, hierarchy: entityId }

/** Held at the end: a domain whose event came whole is not uncertain. */
export function assertToldDomainsKnown(disk: OnDisk, told: ReadonlySet<string>): void {
  for (const { kind, name, state } of disk.lookups)
    hold(
      kind !== 'domain' || state !== 'uncertain' || !told.has(name),
      `the domain ${name} is uncertain, though an event named it`,
    )
}
