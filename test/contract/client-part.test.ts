import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServiceClient, type FullServiceClient } from '../../src/client/client.js'
import type { CustomId } from '../../src/contract/enums.js'
import {
  judgeKickoff,
  judgePoll,
  readOutcome,
  type PollVerdict,
} from '../../src/pipeline/scheduler/outcome.js'
import { atPath } from '../../src/core/json.js'
import { Chance } from '../simulation/chance.js'
import { fairWeather, FailingService } from '../simulation/failing-service.js'
import { seedsMax, startStrangeService, strangeMatch } from '../support/strange-service.js'
import { keys, startTestService } from '../support/test-service.js'
import { startTrueService } from '../support/true-service.js'

/** A service to call, and how often it was paid for. */
interface Place {
  connect(apiKey?: string): FullServiceClient
  billedCount(): number
  close(): Promise<void>
}

const options = { userAgent: 'test', connectionsMax: 4 }

async function realService(): Promise<Place> {
  const { service } = await startTestService({ researchMs: { min: 900, max: 1_000 } })
  return {
    connect: (apiKey = keys.alice) => createServiceClient({ ...options, baseUrl: service.url, apiKey }),
    billedCount: () => service.ledger('alice').length,
    close: () => service.close(),
  }
}

async function trueService(): Promise<Place> {
  const { baseUrl, service, close } = await startTrueService({}, { donePoll: 2 })
  return {
    connect: (apiKey = 'key') => createServiceClient({ ...options, baseUrl, apiKey }),
    billedCount: () => service.ledger.length,
    close,
  }
}

async function strangeService(seed: number): Promise<Place> {
  const service = await startStrangeService({ seed, answers: { Acme: strangeMatch('Acme SE') } })
  const { baseUrl } = service
  return {
    connect: (apiKey = service.apiKey) => createServiceClient({ ...options, baseUrl, apiKey }),
    billedCount: () => service.runs.length,
    close: () => service.close(),
  }
}

function failingService(): Promise<Place> {
  const service = new FailingService(new Chance(1))
  service.weather = { ...fairWeather, runMsMin: 1_500, runMsMax: 1_600, runFails: 0, merged: 0 }
  return Promise.resolve({
    // It has no keys: chance refuses, not a wrong key.
    connect: (apiKey = keys.alice) =>
      createServiceClient(
        { ...options, baseUrl: 'http://127.0.0.1', apiKey },
        service.connect(() => false),
      ),
    billedCount: () => service.ledger.length,
    close: () => Promise.resolve(),
  })
}

/** What the pipeline relies on, shown by the real service and by every fake that tests put in its place. */
describe.each([
  { name: 'the real service', start: realService, hasKeys: true },
  { name: 'the true service', start: trueService, hasKeys: false },
  ...[0, 21, 42, seedsMax - 1].map((seed) => ({
    name: `the strange service of seed ${seed}`,
    start: () => strangeService(seed),
    hasKeys: true,
  })),
  { name: 'the failing service', start: failingService, hasKeys: false },
])('$name, as a client needs it', ({ start, hasKeys }) => {
  let place: Place
  let client: FullServiceClient
  beforeAll(async () => {
    place = await start()
    client = place.connect()
  })
  afterAll(async () => {
    await client.close()
    await place.close()
  })

  const kickOff = async (customId: string) => {
    const body = { name: 'Acme', include: 'basis', custom_id: customId as CustomId } as const
    const verdict = judgeKickoff(await client.kickoffRun(body), 0)
    if (verdict.kind !== 'accepted') throw new Error(verdict.kind)
    return verdict.runId
  }
  const poll = async (runId: string) =>
    judgePoll(await client.pollRun(runId, { include: 'basis' }), { runId, customId: null, name: null }, 0)
  const finish = async (runId: string): Promise<Extract<PollVerdict, { kind: 'finished' }>> => {
    for (let polls = 0; polls < 500; polls++) {
      const verdict = await poll(runId)
      if (verdict.kind === 'finished') return verdict
      if (verdict.kind !== 'pending') throw new Error(verdict.kind)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error('it never finished')
  }

  test.runIf(hasKeys)('AUTH-01 a wrong key is refused, and nothing is billed', async () => {
    const stranger = place.connect('a-key-of-nobody')
    const before = place.billedCount()
    expect(judgeKickoff(await stranger.kickoffRun({ name: 'Acme' }), 0).kind).toBe('refused')
    expect(
      judgePoll(await stranger.pollRun('run_1', {}), { runId: 'run_1', customId: null, name: null }, 0).kind,
    ).toBe('refused')
    expect(place.billedCount()).toBe(before)
    await stranger.close()
  })

  test('V2-09 KICK-11 one custom_id twice is two runs, billed twice', async () => {
    const before = place.billedCount()
    const runIds = [await kickOff('same'), await kickOff('same')]
    expect(new Set(runIds).size).toBe(2)
    expect(place.billedCount()).toBe(before + 2)
  })

  test('ID-10 an id that is no run of this account is unknown, never pending', async () => {
    expect((await poll('run_nobodys')).kind).toBe('run_unknown')
  })

  test('RUN-02 RUN-04 RUN-05 V2-31 a run is pending, then finished, and stays as it was', async () => {
    const runId = await kickOff('row 7')
    expect((await poll(runId)).kind).toBe('pending')
    const first = await finish(runId)
    expect(first.run.custom_id).toBe('row 7')
    expect(await finish(runId)).toEqual(first)
  })

  test('INV-09 a match has a confidence of 80 or more', async () => {
    const { run, failed } = await finish(await kickOff('row 8'))
    expect(readOutcome(run, failed)).toBe('matched')
    expect(Number(run.data?.['match_confidence'])).toBeGreaterThanOrEqual(80)
  })

  test('BAS-10 RUN-06 a basis, if one comes, points into the entity it came with', async () => {
    const { run } = await finish(await kickOff('row 9'))
    const basis = (run.data?.['basis'] ?? []) as { field: string }[]
    for (const { field } of basis) expect(atPath(run.data?.['entity'], field), field).not.toBeUndefined()
  })
})
