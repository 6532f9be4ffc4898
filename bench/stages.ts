import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceClient } from '../src/client/client.js'
import { resolveSettings } from '../src/config/settings.js'
import { calculateResolutionKey } from '../src/pipeline/checkpoint/lookup.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { openFileInbox } from '../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import { stageKinds } from '../src/core/lookup-state.js'
import { Backlog } from '../src/pipeline/scheduler/work.js'
import { createDefaultStages } from '../src/pipeline/scheduler/scheduling.js'
import { runUntilAnswered } from '../src/pipeline/scheduler/scheduler.js'
import { noDecisions } from '../src/pipeline/answers/stage-questions.js'
import { planStages } from '../src/pipeline/plan-run.js'
import { toScheduledStages } from '../src/pipeline/run-lookups.js'
import { createTally } from '../src/pipeline/history/tally.js'
import { systemClock, WakeSignal } from '../src/platform/clock.js'
import { Chance } from '../test/simulation/chance.js'
import { Firms, type FirmBook } from '../test/simulation/firms.js'
import type { AskedRecord } from '../test/simulation/record-bodies.js'
import { fairRecords } from '../test/simulation/record-weather.js'
import { SimulatedPost } from '../test/simulation/simulated-post.js'
import { fairWeather, FailingService } from '../test/simulation/failing-service.js'
import { VirtualTime } from '../test/simulation/virtual-time.js'
import { promptPost } from './scheduling.js'
import { grouped, ratio, type Say } from './support.js'

const baseUrl = 'https://service.test'
/** Of the rows that are matched, every company is meant by so many, or where they are met anywhere by so many on average. */
const rowsPerFirm = 2

type By = 'polls' | 'webhooks'
/** `early`: a row and the one half a list further on mean the same; `anywhere`: each row means any company. */
type Order = 'early' | 'anywhere'

/** A list of names, and how what has ended is learned. */
interface StageWorld {
  rowCount: number
  order: Order
  by: By
}

const worlds: readonly StageWorld[] = [
  { rowCount: 10_000, order: 'early', by: 'polls' },
  { rowCount: 10_000, order: 'early', by: 'webhooks' },
  // What guesses cost while the first research is read does not grow with the rows.
  { rowCount: 20_000, order: 'early', by: 'webhooks' },
  { rowCount: 40_000, order: 'early', by: 'webhooks' },
  { rowCount: 10_000, order: 'anywhere', by: 'polls' },
  { rowCount: 10_000, order: 'anywhere', by: 'webhooks' },
]

/**
 * Names, of which 70 % are matched to half as many companies, 80 % of these with a website: what each route of the
 * interface needs at least, by its limit (600 submissions, 100 polls, 100 reads of entities and 600 requests about domains a
 * minute; of hierarchies as of resolutions), for 10,000 of them:
 *
 * - resolution: 10,000 submissions, 16.7 min; one poll each, 100 min, or none with webhooks.
 * - entity: one read that begins the build and one that fetches the record; with webhooks the first alone.
 * - hierarchy: one request, and one read each, with webhooks too: it has no events.
 * - domain: one request and one read; with webhooks the request alone.
 *
 * The bound of the slowest limit is the longest of these, each from the moment on at which its first request can be of
 * use: an answer has to be there, or research to have ended. The second bound is kept by who asks each thing once, the
 * moment it can be known that it is to be asked, and reads it once, no earlier than it is there; the third reads research
 * knowing how long it takes in general, and not which of it has ended.
 */
export async function reportStages(say: Say): Promise<void> {
  const places = { early: 'all met in the first half', anywhere: 'met anywhere' }
  for (const world of worlds) {
    const figures = await measureStages(world)
    const { achievedMinutes, limitMinutes, slowest, foresightMinutes, guessedMinutes } = figures
    const { requests, limitedCount } = figures
    const guessed =
      guessedMinutes === null
        ? ''
        : `; read without knowing which research has ended ${guessedMinutes.toFixed(2)} min: ${ratio(guessedMinutes / achievedMinutes)}`
    say(
      `  ${grouped(world.rowCount)} rows, companies ${places[world.order]}, by ${world.by}: ${achievedMinutes.toFixed(2)} min; ` +
        `bound of the slowest limit (${slowest}) ${limitMinutes.toFixed(2)} min: ` +
        `${ratio(limitMinutes / achievedMinutes)}; asked once it can be known, read once it is there ${foresightMinutes.toFixed(2)} min: ` +
        `${ratio(foresightMinutes / achievedMinutes)}${guessed}; ${requests}, ${limitedCount} 429s`,
    )
  }
}

interface StageFigures {
  achievedMinutes: number
  limitMinutes: number
  slowest: string
  foresightMinutes: number
  /** Null by polls: there the polls of runs decide. */
  guessedMinutes: number | null
  /** Sent, for what was needed at least. */
  requests: string
  limitedCount: number
}

/** The real scheduler with the settings of a hosted service, in virtual time, all stages on. */
async function measureStages(world: StageWorld, seed = 1): Promise<StageFigures> {
  const { rowCount, by } = world
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-bench-'))
  const time = new VirtualTime(Date.UTC(2026, 0, 1))
  try {
    const path = join(folder, 'checkpoint.sqlite')
    const received = new WakeSignal(systemClock)
    const inbox = by === 'polls' ? null : openFileInbox(path, Date.now(), { onReceived: received.ring })
    const post = inbox === null ? null : new SimulatedPost(new Chance(seed), inbox, promptPost)
    const firms = firmBook(world, new Chance(seed + 1))
    const chance = new Chance(seed)
    const service = new FailingService(chance, post, null, { firms, chance: new Chance(seed + 2) })
    service.weather = { ...fairWeather, runFails: 0, merged: 0, requestMs: { min: 20, max: 50 } }
    const { records } = service
    if (records === null) throw new Error('a service with records')
    records.weather = { ...fairRecords, held: 0, fails: 0, missing: 0, stateUnknown: 0 }
    const webhooks = inbox === null ? {} : { webhooks: { url: 'https://hooks.test/', inbox, received } }
    const running = askAll(path, rowCount, service, chance, webhooks)
    await time.runUntil(running, () => false, 30 * 86_400_000)
    const { startedAtMs, endedAtMs, sent } = await running
    await inbox?.close()
    const least = leastRequests(service, by)
    const bounds = Object.entries(least).map(([route, { count, perMinute, fromMinutes }]) => ({
      slowest: `${route}: ${grouped(count)} at ${perMinute} a minute, the first after ${fromMinutes.toFixed(1)} min`,
      limitMinutes: count === 0 ? 0 : fromMinutes + count / perMinute,
    }))
    const bound = bounds.reduce((most, one) => (one.limitMinutes > most.limitMinutes ? one : most))
    return {
      achievedMinutes: (endedAtMs - startedAtMs) / 60_000,
      ...bound,
      foresightMinutes: foresightMinutes(service, by),
      guessedMinutes: by === 'polls' ? null : guessedMinutes(service),
      requests: Object.entries(least)
        .map(([route, { count }]) => `${route} ${grouped(sent[route] ?? 0)} for ${grouped(count)}`)
        .join(', '),
      limitedCount: service.limitedCount,
    }
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Webhooks = Pick<Parameters<typeof runUntilAnswered>[0], 'webhooks'>

async function askAll(
  path: string,
  rowCount: number,
  service: FailingService,
  chance: Chance,
  webhooks: Webhooks,
) {
  const checkpoint = openCheckpoint({ path, scope: baseUrl, job: 'bench', nowMs: Date.now(), random: chance })
  const { limits, polling } = resolveSettings({ service: { baseUrl } }, {})
  const lookups = Array.from({ length: rowCount }, (_, index) => {
    const lookup = { name: `Company ${index}`, location: null, context: null }
    return { kind: 'resolution' as const, key: calculateResolutionKey(lookup), lookup }
  })
  await checkpoint.store.register(lookups)
  const policy = { nowMs: Date.now(), maxAgeMs: null, onLost: 'hold' } as const
  const plan = await checkpoint.plan(policy)
  const options = createDefaultStages({ limits, polling }, stageKinds)
  const stages = await planStages(
    { stages: options, askAgain: [] },
    { checkpoint, decided: noDecisions },
    policy,
  )
  const { tally, counter } = createTally()
  const startedAtMs = performance.now()
  await runUntilAnswered({
    checkpoint,
    service: {
      client: createServiceClient(
        { apiKey: 'key', baseUrl, userAgent: 'bench', connectionsMax: 1 },
        service.connect(() => false),
      ),
    },
    clock: systemClock,
    random: chance,
    ...webhooks,
    stages: toScheduledStages(options, stages),
    scheduling: { limits, polling, serverErrorMeans: 'unknown', lookupsMax: null, durationMsMax: null },
    interrupt: new AbortController().signal,
    resolutions: { backlog: new Backlog(plan.submit), counter },
  })
  const endedAtMs = performance.now()
  checkpoint.close()
  const ofKind = new Map(stages.map((stage) => [stage.kind, stage.tally]))
  const sum = (kind: (typeof stageKinds)[number]) =>
    (ofKind.get(kind)?.submissions ?? 0) + (ofKind.get(kind)?.polls ?? 0)
  const sent: Readonly<Record<string, number>> = {
    submissions: tally.submissions,
    polls: tally.polls,
    entities: sum('entity'),
    hierarchyPosts: ofKind.get('hierarchy')?.submissions ?? 0,
    hierarchyReads: ofKind.get('hierarchy')?.polls ?? 0,
    domains: sum('domain'),
  }
  return { startedAtMs, endedAtMs, sent }
}

function firmBook({ rowCount, order }: StageWorld, chance: Chance): FirmBook {
  const firmCount = Math.ceil(rowCount / rowsPerFirm)
  const firms = new Firms(firmCount)
  const meant = Array.from({ length: rowCount }, (_, index) =>
    order === 'early' ? index % firmCount : chance.whole(0, firmCount - 1),
  )
  const meantBy = (name: string) => meant[Number(/\d+/.exec(name)?.[0] ?? 0)] ?? 0
  return {
    of: (name) => firms.of(String(meantBy(name))),
    // Of every hundred companies, thirty; apart from those without a website.
    isPartial: (name) => Math.floor(meantBy(name) / 10) % 10 >= 7,
    ofDomain: (domain) => firms.ofDomain(domain),
    ofEntity: (entityId) => firms.ofEntity(entityId),
  }
}

interface RouteNeed {
  count: number
  perMinute: number
  /** When the first of these requests can be of any use, from the beginning on. */
  fromMinutes: number
}

/** How often each route has to be asked at least, how often a minute it may be, and from when on. */
function leastRequests(service: FailingService, by: By): Record<string, RouteNeed> {
  const records = [...(service.records?.known.values() ?? [])]
  const countOf = (kind: AskedRecord['kind']) => records.filter((record) => record.kind === kind).length
  const { submissionsPerMinute, pollsPerMinute } = service.weather
  const { perMinute } = fairRecords
  const reads = by === 'polls' ? 1 : 0
  const beganMs = service.ledger[0]?.startedAtMs ?? 0
  const firstMinutes = (ended: readonly { doneAtMs: number }[]) =>
    (ended.reduce((first, { doneAtMs }) => Math.min(first, doneAtMs), Infinity) - beganMs) / 60_000
  const answered = firstMinutes(service.ledger)
  const researched = firstMinutes(records.filter(({ kind }) => kind === 'hierarchy'))
  const need = (count: number, perMinute: number, fromMinutes: number) => ({ count, perMinute, fromMinutes })
  return {
    submissions: need(service.ledger.length, submissionsPerMinute, 0),
    polls: need(service.ledger.length * reads, pollsPerMinute, answered),
    entities: need(countOf('entity') * (1 + reads), perMinute.entities, answered),
    hierarchyPosts: need(countOf('hierarchy'), perMinute.hierarchyPosts, answered),
    hierarchyReads: need(countOf('hierarchy'), perMinute.hierarchyReads, researched),
    domains: need(countOf('domain') * (1 + reads), perMinute.domains, answered),
  }
}

/**
 * Who asks each thing once, in the order in which it can be known, at the limits' pace, and reads it once, no earlier than
 * it is there. Each run, build and research takes as long as it took.
 */
function foresightMinutes(service: FailingService, by: By): number {
  const { submissionsPerMinute, pollsPerMinute } = service.weather
  const { perMinute } = fairRecords
  const minutesOf = (ms: number) => ms / 60_000
  const ends = service.ledger.map((run, index) => ({
    run,
    atMinutes: index / submissionsPerMinute + minutesOf(run.doneAtMs - run.startedAtMs),
  }))
  const answered = by === 'polls' ? paced(ends, pollsPerMinute) : ends
  const firstMet = new Map<string, number>()
  for (const { run, atMinutes } of answered) {
    if (run.isPartial || run.firm === null) continue
    const { entityId, domain } = run.firm
    for (const subject of [`entity ${entityId}`, `hierarchy ${entityId}`, `domain ${domain ?? ''}`])
      firstMet.set(subject, Math.min(firstMet.get(subject) ?? Infinity, atMinutes))
  }
  const isRead = (kind: AskedRecord['kind']) => kind === 'hierarchy' || by === 'polls'
  const endOf = (kind: AskedRecord['kind'], asks: number, reads: number): number => {
    const records = [...(service.records?.known.values() ?? [])].filter((record) => record.kind === kind)
    const met = records.map((record) => ({ record, atMinutes: firstMet.get(`${kind} ${record.name}`) ?? 0 }))
    const there = paced(met, asks).map(({ record, atMinutes }) => ({
      record,
      atMinutes: atMinutes + minutesOf(record.doneAtMs - record.begunAtMs),
    }))
    return lastOf(isRead(kind) ? paced(there, reads) : there)
  }
  const { entities, hierarchyPosts, hierarchyReads, domains } = perMinute
  const { count } = leastRequests(service, by)['entities'] ?? { count: 0 }
  return Math.max(
    lastOf(answered),
    endOf('entity', entities, entities),
    Math.min(...answered.map(({ atMinutes }) => atMinutes)) + count / entities,
    endOf('hierarchy', hierarchyPosts, hierarchyReads),
    endOf('domain', domains, domains),
  )
}

/**
 * When the last research is read by who asks for each the moment it can be known, and knows that research takes anything
 * between the shortest and the longest alike: each turn goes to the one most likely to have ended, from that chance on
 * which serves best. A turn in vain tells no more than that this one goes on.
 */
function guessedMinutes(service: FailingService): number {
  const { perMinute, researchMs } = fairRecords
  const beganMs = service.ledger[0]?.startedAtMs ?? 0
  const records = [...(service.records?.known.values() ?? [])].filter(({ kind }) => kind === 'hierarchy')
  const sorted = records
    .map(({ begunAtMs, doneAtMs }) => ({ fromMs: begunAtMs - beganMs, takesMs: doneAtMs - begunAtMs }))
    .toSorted((a, b) => a.fromMs - b.fromMs)
  const turnMs = 60_000 / perMinute.hierarchyReads
  const doneBy = (ageMs: number) =>
    Math.min(1, Math.max(0, ageMs - researchMs.min) / (researchMs.max - researchMs.min))
  const endMs = (chanceMin: number): number => {
    const open = sorted.map((one) => ({ ...one, seen: 0 }))
    let atMs = 0
    for (; open.length > 0; atMs += turnMs) {
      let [best, highest] = [-1, chanceMin]
      for (const [index, { fromMs, seen }] of open.entries()) {
        if (fromMs + researchMs.min > atMs || highest === 1) break
        const chance = (doneBy(atMs - fromMs) - seen) / (1 - seen)
        if (chance > highest) [best, highest] = [index, chance]
      }
      const one = open[best]
      if (one === undefined) continue
      const ageMs = atMs - one.fromMs
      if (ageMs >= one.takesMs) open.splice(best, 1)
      else one.seen = doneBy(ageMs)
    }
    return atMs
  }
  return Math.min(...[0, 0.2, 0.3, 0.4, 0.5].map(endMs)) / 60_000
}

const lastOf = (timed: readonly { atMinutes: number }[]) =>
  Math.max(0, ...timed.map(({ atMinutes }) => atMinutes))

/** One after another in the order of their times, none before its own, at so many a minute. */
function paced<Timed extends { atMinutes: number }>(timed: readonly Timed[], perMinute: number): Timed[] {
  let lastMinutes = -Infinity
  return timed
    .toSorted((a, b) => a.atMinutes - b.atMinutes)
    .map((one) => ({
      ...one,
      atMinutes: (lastMinutes = Math.max(lastMinutes + 1 / perMinute, one.atMinutes)),
    }))
}
