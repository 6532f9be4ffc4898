import { readStageAnswers, type StageAnswers } from '../../../src/pipeline/answers/stage-answers.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createServiceClient } from '../../../src/client/client.js'
import { connectEmbedded } from '../../../src/app/service-connection.js'
import { calculateResolutionKey, buildStageLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { openCheckpoint } from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import { stageKinds, type StageKind } from '../../../src/core/lookup-state.js'
import { Backlog, type ScheduledStage } from '../../../src/pipeline/scheduler/work.js'
import type { Prices } from '../../../src/core/money.js'
import { createDefaultStages } from '../../../src/pipeline/scheduler/scheduling.js'
import { runUntilAnswered } from '../../../src/pipeline/scheduler/scheduler.js'
import type { RunSummary } from '../../../src/pipeline/history/run-summary.js'
import { createTally } from '../../../src/pipeline/history/tally.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { createFaults, faultPlan } from '../../../src/service/faults.js'
import type { RunningService, ServiceOptions } from '../../../src/service/service.js'
import { keys } from '../../support/keys.js'
import { toKeys } from '../checkpoint/support.js'
import { companyWorld, runStages, serveCompanies, writeCompanies, type Tap } from '../../support/stage-job.js'
import { makeFolder } from '../../support/temporary-folder.js'

const nameCount = 12
const companyCount = 5
let folder: string
let services: { close(): Promise<void> }[] = []

beforeEach(() => {
  folder = makeFolder()
  writeCompanies(folder, nameCount)
})
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()))
  services = []
})

async function serve(
  options: Partial<ServiceOptions> = {},
): Promise<{ service: RunningService; tap: Tap; knowledge: ReturnType<typeof companyWorld> }> {
  const knowledge = companyWorld(nameCount, companyCount)
  const { service, tap } = await serveCompanies(knowledge, {
    researchMs: { min: 0, max: 50 },
    buildMs: { min: 10, max: 60 },
    ...options,
  })
  services.push(tap, service)
  return { service, tap, knowledge }
}

/** What the checkpoint has for each row's question, in the order of the rows. */
function stagesOf(scope: string): StageAnswers[] {
  const reader = openCheckpointReader(join(folder, 'checkpoint.sqlite'), scope)
  if (reader === null) throw new Error('there is no checkpoint')
  try {
    const rowKeys = Array.from({ length: nameCount }, (_, index) =>
      calculateResolutionKey({ name: `Company ${index}`, location: 'Leeds', context: null }),
    )
    return readStageAnswers(reader, reader.find(toKeys('resolution', rowKeys)), stageKinds)
  } finally {
    reader.close()
  }
}

const factsOf = (summary: RunSummary, kind: string) => summary.stages.find((stage) => stage.kind === kind)

function expectAllAnswered(scope: string): void {
  for (const [index, stages] of stagesOf(scope).entries()) {
    const company = index % companyCount
    expect([stages.entity?.name, stages.entity?.known?.outcome]).toEqual([
      `siq_company${company}`,
      'complete',
    ])
    expect([stages.hierarchy?.name, stages.hierarchy?.known?.outcome]).toEqual([
      `siq_company${company}`,
      'completed',
    ])
    expect([stages.domain?.name, stages.domain?.known?.outcome]).toEqual([`company${company}.com`, 'matched'])
  }
}

/** Prices, and what may be spent by them, in millionths. */
function costOf(byKind: Prices['byKind'], costMaxMicros: number): Parameters<typeof runStages>[2] {
  const prices: Prices = { currency: 'EUR', byKind }
  return { requests: { prices }, cost: { prices, costMaxMicros } }
}

/** Requests that begin something and were sent more than once. */
const begunTwice = ({ begun }: Tap) => [...begun].filter(([, count]) => count > 1)

describe('what follows from an answer', () => {
  test('is asked for each distinct company once, and answered', async () => {
    const { tap } = await serve()
    const summary = await runStages(folder, tap.url)
    expect(summary.stop).toBeNull()
    for (const kind of stageKinds) {
      expect(factsOf(summary, kind)).toMatchObject({
        lookupCount: companyCount,
        answeredCount: companyCount,
        pendingCount: 0,
        stop: null,
      })
    }
    expectAllAnswered(tap.url)
    expect(begunTwice(tap)).toEqual([])
    expect(verifyFile(join(folder, 'checkpoint.sqlite'))?.damage).toEqual([])
  })

  test('is known in the next run: nothing is asked again', async () => {
    const { tap } = await serve()
    await runStages(folder, tap.url)
    const begunCount = tap.begun.size
    const again = await runStages(folder, tap.url)
    expect(tap.begun.size).toBe(begunCount)
    expect(begunTwice(tap)).toEqual([])
    for (const kind of stageKinds)
      expect(factsOf(again, kind)).toMatchObject({ lookupCount: companyCount, cachedCount: companyCount })
  })

  test('is asked of answers that an earlier run without stages got', async () => {
    const { tap } = await serve()
    const first = await runStages(folder, tap.url, { asked: [] })
    expect(first.stages).toEqual([])
    await runStages(folder, tap.url)
    expectAllAnswered(tap.url)
    expect(begunTwice(tap)).toEqual([])
  })

  test('without stages chosen, nothing but resolutions is asked', async () => {
    const { tap } = await serve()
    await runStages(folder, tap.url, { asked: [] })
    expect([...tap.begun.keys()].filter((what) => !what.startsWith('/v3/entity-resolution/'))).toEqual([])
  })
})

describe('what goes wrong in a stage', () => {
  test('lost answers: a domain is asked once and held, a record is read again, research is settled by a read', async () => {
    const faults = faultPlan.parse({
      seed: 3,
      requests: [
        { fault: 'lost_answer', rate: 0.4, routes: ['requestHierarchy', 'requestDomain', 'readEntity'] },
        { fault: 'reset', rate: 0.2, routes: ['requestHierarchy', 'readEntity', 'readHierarchy'] },
        { fault: 'limited', rate: 0.1, routes: ['readDomain'] },
      ],
    })
    const { tap, knowledge } = await serve({ faults: createFaults(faults) })
    const summary = await runStages(folder, tap.url)
    expect(factsOf(summary, 'entity')).toMatchObject({ answeredCount: companyCount, uncertainCount: 0 })
    expect(factsOf(summary, 'hierarchy')).toMatchObject({ answeredCount: companyCount, uncertainCount: 0 })
    const domain = factsOf(summary, 'domain')
    expect((domain?.uncertainCount ?? 0) + (domain?.answeredCount ?? 0)).toBe(companyCount)
    expect(begunTwice(tap).filter(([what]) => what.includes('domain'))).toEqual([])
    expect(new Set(knowledge.asked).size).toBe(knowledge.asked.length)
  })

  test('a stage that is out of its budget stops alone, and the rest goes on', async () => {
    const { tap } = await serve()
    const limited = await runStages(folder, tap.url, { lookupsMaxOf: { domain: 2 } })
    expect(limited.stop).toEqual({ kind: 'lookups_max', lookupsMax: 2 })
    expect(factsOf(limited, 'domain')).toMatchObject({ answeredCount: 2, stop: { kind: 'lookups_max' } })
    expect(factsOf(limited, 'entity')).toMatchObject({ answeredCount: companyCount, stop: null })
    expect(limited.answeredCount).toBe(nameCount)
    const rest = await runStages(folder, tap.url)
    expect(rest.stop).toBeNull()
    expectAllAnswered(tap.url)
    expect(begunTwice(tap)).toEqual([])
  })

  test('the budget of a job is one for names and domains that rows ask; what follows from answers has its own', async () => {
    const rows = ['Company 0,', 'Company 1,', ...[2, 3, 4].map((index) => `,https://company${index}.com`)]
    writeFileSync(join(folder, 'companies.csv'), ['company_name,website', ...rows].join('\n'))
    const { tap } = await serve()
    const isBilled = (what: string) => !what.includes('hierarchy')
    const billed = () => [...tap.begun.keys()].filter(isBilled)
    const limited = await runStages(folder, tap.url, {
      asked: ['hierarchy'],
      lookupsMaxOf: { resolution: 3 },
    })
    expect(limited.stop).toEqual({ kind: 'lookups_max', lookupsMax: 3 })
    expect(limited).toMatchObject({ lookupCount: 5, domainCount: 3 })
    expect(billed()).toHaveLength(3)
    const domain = factsOf(limited, 'domain')
    expect(limited.answeredCount + (domain?.answeredCount ?? 0)).toBe(3)
    expect(limited.pendingCount + (domain?.pendingCount ?? 0)).toBe(2)
    expect(factsOf(limited, 'hierarchy')).toMatchObject({ answeredCount: 3, pendingCount: 0, stop: null })
    // The budget was used up, so the same command has a new one; then it has enough.
    const rest = await runStages(folder, tap.url, { asked: ['hierarchy'], lookupsMaxOf: { resolution: 2 } })
    expect(rest.stop).toBeNull()
    expect(billed()).toHaveLength(5)
    expect(factsOf(rest, 'hierarchy')).toMatchObject({ cachedCount: 3, answeredCount: 2 })
    expect(begunTwice(tap)).toEqual([])
  })

  test('a list of domains alone keeps to the budget of the job', async () => {
    const domains = Array.from({ length: companyCount }, (_, index) => `company${index}.com`)
    writeFileSync(join(folder, 'companies.csv'), ['website', ...domains].join('\n'))
    const { tap } = await serve()
    const budget = { asked: [], lookupsMaxOf: { resolution: 3 } } as const
    const limited = await runStages(folder, tap.url, budget)
    expect(limited.stop).toEqual({ kind: 'lookups_max', lookupsMax: 3 })
    expect(tap.begun.size).toBe(3)
    expect((await runStages(folder, tap.url, budget)).stop).toBeNull()
    expect(tap.begun.size).toBe(companyCount)
    expect(begunTwice(tap)).toEqual([])
  })

  test('what names and domains may cost is one sum: none of it is exceeded, and the same command goes on', async () => {
    const { tap } = await serve()
    const cost = costOf({ resolution: 50_000, domain: 20_000 }, 12 * 50_000 + 2 * 20_000)
    const limited = await runStages(folder, tap.url, cost)
    expect(limited.stop).toEqual({ kind: 'cost_max', costMax: 0.64, currency: 'EUR' })
    const begun = [...tap.begun.keys()]
    const domainCount = begun.filter((what) => what.startsWith('/v3/domain')).length
    const kickoffCount = begun.filter((what) => what.startsWith('/v3/entity-resolution')).length
    expect(kickoffCount * 50_000 + domainCount * 20_000).toBeLessThanOrEqual(640_000)
    expect(limited.money).toMatchObject({
      cost: (kickoffCount * 5 + domainCount * 2) / 100,
      byKind: { resolution: { count: kickoffCount }, domain: { count: domainCount } },
    })
    // What costs nothing goes on.
    expect(factsOf(limited, 'hierarchy')).toMatchObject({ stop: null })
    expect((await runStages(folder, tap.url, cost)).stop).toBeNull()
    expectAllAnswered(tap.url)
    expect(begunTwice(tap)).toEqual([])
  })

  test('a record that has a price is paid for at each loss: it is not read again beyond the budget', async () => {
    const faults = faultPlan.parse({
      seed: 3,
      requests: [{ fault: 'lost_answer', rate: 1, routes: ['readEntity'] }],
    })
    const { tap } = await serve({ faults: createFaults(faults) })
    const asked = ['entity'] as const
    const cost = costOf({ resolution: 50_000, entity: 100_000 }, 12 * 50_000 + 6 * 100_000)
    const limited = await runStages(folder, tap.url, { ...cost, asked })
    expect(limited.stop).toMatchObject({ kind: 'cost_max' })
    const { cost: billed = 0, uncertainCost = 0 } = limited.money ?? {}
    expect(uncertainCost).toBe(tap.entityReadCount() / 10)
    expect(billed + uncertainCost).toBeLessThanOrEqual(1.2)
    expect(verifyFile(join(folder, 'checkpoint.sqlite'))?.damage).toEqual([])
  })

  test('an account without credit for domains: the other stages end', async () => {
    const { tap } = await serve({
      accounts: [{ name: 'alice', apiKey: keys.alice, creditUnits: nameCount + 1 }],
    })
    const summary = await runStages(folder, tap.url)
    expect(summary.stop).toMatchObject({ kind: 'out_of_credit' })
    const hierarchy = factsOf(summary, 'hierarchy')
    expect(hierarchy).toMatchObject({ pendingCount: 0, stop: null })
    expect(hierarchy?.answeredCount).toBe(factsOf(summary, 'entity')?.answeredCount)
    // Whichever of them asked first, each unit was billed for an answer.
    expect(summary.answeredCount + (factsOf(summary, 'domain')?.answeredCount ?? 0)).toBe(nameCount + 1)
  })
})

test('the embedded service is asked for all stages in this process', async () => {
  writeFileSync(join(folder, 'companies.csv'), 'company_name\nApple Inc.\nMicrosoft Corporation\n')
  const notices: string[] = []
  let scope = ''
  const summary = await runStages(folder, 'embedded', {
    connect: async () => {
      const connection = await connectEmbedded({
        registryPath: null,
        inFlightRunsMax: 100,
        matchers: 1,
        notice: (text) => notices.push(text),
      })
      scope = connection.scope
      return connection
    },
  })
  expect(summary.stop).toBeNull()
  const reader = openCheckpointReader(join(folder, 'checkpoint.sqlite'), scope)
  const key = calculateResolutionKey({ name: 'Apple Inc.', location: null, context: null })
  const [stages] =
    reader === null ? [] : readStageAnswers(reader, reader.find(toKeys('resolution', [key])), stageKinds)
  reader?.close()
  expect(stages?.entity?.known?.outcome).toBe('complete')
  expect(stages?.hierarchy?.known?.outcome).toBe('completed')
})

test('a domain that a row asks for itself is asked once, and what follows from its answer too', async () => {
  const { tap } = await serve()
  const checkpoint = openCheckpoint({
    path: join(folder, 'checkpoint.sqlite'),
    scope: tap.url,
    job: 'domains',
    nowMs: Date.now(),
    random: systemRandom,
  })
  const ids = await checkpoint.store.register([
    buildStageLookup('domain', 'company1.com'),
    buildStageLookup('domain', 'nobody.com'),
  ])
  const limits = {
    submissionsPerWindow: null,
    pollsPerWindow: null,
    windowMs: 60_000,
    inFlightRunsMax: 10,
    submitConcurrency: 4,
  }
  const polling = { firstAfterMs: 0, intervalMs: 20, deadlineMs: 60_000 }
  const client = createServiceClient({
    baseUrl: tap.url,
    apiKey: keys.alice,
    userAgent: 'stages',
    connectionsMax: 8,
  })
  const policy = { maxAgeMs: null, onLost: 'hold' } as const
  const kinds = new Map<StageKind, ScheduledStage>()
  for (const kind of stageKinds) {
    const plan = await checkpoint.forKind(kind).plan({ ...policy, nowMs: Date.now() })
    const { counter } = createTally()
    kinds.set(kind, {
      backlog: new Backlog(plan.submit, false),
      counter,
      policy,
      plan,
      onStop: () => undefined,
    })
  }
  const stop = await runUntilAnswered({
    checkpoint,
    service: { client },
    clock: systemClock,
    random: systemRandom,
    stages: { options: createDefaultStages({ limits, polling }, stageKinds), kinds },
    scheduling: { limits, polling, serverErrorMeans: 'unknown', lookupsMax: null, durationMsMax: null },
    resolutions: { backlog: new Backlog(0), counter: createTally().counter },
    interrupt: new AbortController().signal,
  })
  checkpoint.close()
  await client.close()
  expect(stop).toBeNull()
  const reader = openCheckpointReader(join(folder, 'checkpoint.sqlite'), tap.url)
  expect(reader?.readAnswers(ids).map((known) => [known?.kind, known?.outcome])).toEqual([
    ['domain', 'matched'],
    ['domain', 'no_match'],
  ])
  const [first, second] = reader === null ? [] : readStageAnswers(reader, ids, stageKinds)
  reader?.close()
  expect(first?.entity).toMatchObject({ name: 'siq_company1', known: { outcome: 'complete' } })
  expect(first?.hierarchy?.known?.outcome).toBe('completed')
  expect(first?.domain?.known?.outcome).toBe('matched')
  expect(second).toMatchObject({ domain: { name: 'nobody.com' } })
  expect(second?.entity).toBeUndefined()
  expect(begunTwice(tap)).toEqual([])
})
