import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { domainReply } from '../../../src/contract/domain.js'
import { unknownWebsiteStatus } from '../../../src/contract/unknown.js'
import { jobResult, type JobResult } from '../../../src/contract/result.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { hashKey, storeAccounts, createStoredCallers } from '../../../src/service/accounts/accounts.js'
import { createCallId, createRunIds } from '../../../src/service/runs/run-store.js'
import type { Knowledge, ResolutionText } from '../../../src/service/knowledge.js'
import { toResolutionText } from '../../../src/service/runs/run-outcome.js'
import { Researcher } from '../../../src/service/runs/researcher.js'
import type { WebsiteCheck } from '../../../src/service/records/domains/website-check.js'
import { createRunStore, type RunStore } from '../../../src/service/runs/run-store.js'
import { limits } from '../../../src/service/limits.js'
import { openDatabase } from '../../../src/service/storage/database.js'
import { fakeKnowledge, matchOf } from '../../support/fake-knowledge.js'
import { manualClock } from '../../support/manual-clock.js'
import { kickoffPath, type ServiceClient } from '../../support/service-client.js'
import { startTestService } from '../../support/test-service.js'

const answered = toResolutionText(matchOf())
const soon = (text: ResolutionText) =>
  new Promise<ResolutionText>((resolve) => {
    setImmediate(resolve, text)
  })

let store: RunStore
let insert: (names: readonly string[], dueAtMs?: number) => void
let researchers: Researcher[] = []

beforeEach(() => {
  const database = openDatabase(null)
  storeAccounts(database, [{ name: 'alice', apiKey: 'k' }], 0)
  const accountNumber = createStoredCallers(database).get(hashKey('k'))?.accountNumber ?? 0
  store = createRunStore(database)
  insert = (names, dueAtMs = 0) => {
    const rest = { accountNumber, customId: null, surface: 'v3', webhookUrl: null, withBasis: true } as const
    store.insert(
      names.map((name) => {
        const ids = createRunIds('run', createCallId(systemRandom), systemRandom, 0)
        return { ...rest, ids, query: { name, location: null, context: null }, createdAtMs: 0, dueAtMs }
      }),
    )
  }
})
afterEach(async () => {
  await Promise.all(researchers.map((researcher) => researcher.stop()))
  researchers = []
})

function start(resolve: Knowledge['resolve'], logged: string[] = []): Researcher {
  const knowledge = { ...fakeKnowledge(), resolve }
  const log = (line: string) => logged.push(line)
  const researcher = new Researcher({ store, knowledge, clock: systemClock, log, isBusy: () => false })
  researchers.push(researcher)
  return researcher
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

const manyNames = Array.from({ length: 300 }, (_, at) => `Acme ${at}`)

describe('research that is done elsewhere', () => {
  test('one that takes long holds up none of the others, each of which ends once', async () => {
    const open: ((text: ResolutionText) => void)[] = []
    const asked: string[] = []
    insert(['Slow', ...manyNames])
    start(({ name }) => {
      asked.push(name)
      return name === 'Slow' ? new Promise((resolve) => open.push(resolve)) : soon(answered)
    })
    await until(() => store.count().completed === manyNames.length)
    expect(store.count()).toEqual({ pending: 1, completed: 300, failed: 0 })
    expect(asked.sort()).toEqual(['Slow', ...manyNames].sort())
    for (const resolve of open) resolve(answered)
    await until(() => store.count().pending === 0)
  })

  test('no more runs are asked for at a time than the bound', async () => {
    const open: ((text: ResolutionText) => void)[] = []
    insert([...manyNames, ...manyNames])
    start(() => new Promise((resolve) => open.push(resolve)))
    await until(() => open.length === limits.runsInFlightMax)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(open).toHaveLength(limits.runsInFlightMax)
    await until(() => {
      for (const resolve of open.splice(0)) resolve(answered)
      return store.count().pending === 0
    })
    expect(store.count()).toEqual({ pending: 0, completed: 600, failed: 0 })
  })

  test('a rejection ends its run as failed, and says why', async () => {
    const logged: string[] = []
    insert(['Acme'])
    start(() => Promise.reject(new Error('took too long')), logged)
    await until(() => store.count().pending === 0)
    expect(store.count()).toEqual({ pending: 0, completed: 0, failed: 1 })
    expect(logged.join()).toMatch(/run \S+ failed: took too long/)
  })

  test('a stop waits for no answer, and leaves its run to the next start', async () => {
    insert(['Acme'])
    let isAsked = false
    const researcher = start(() => {
      isAsked = true
      return new Promise(() => undefined)
    })
    await until(() => isAsked)
    await researcher.stop()
    expect(store.count()).toEqual({ pending: 1, completed: 0, failed: 0 })
    start(() => soon(answered))
    await until(() => store.count().completed === 1)
  })

  test('a run that is stored while another is asked for, and was due before, is not overlooked', async () => {
    insert(['Acme'])
    const researcher = start(({ name }) => {
      if (name !== 'Acme') return soon(answered)
      insert(['Bolt'])
      researcher.expect(0)
      return new Promise(() => undefined)
    })
    await until(() => store.count().completed === 1)
    expect(store.count()).toEqual({ pending: 1, completed: 1, failed: 0 })
  })
})

describe('research takes turns among accounts', () => {
  const submitMany = async (kickOff: (row: number) => Promise<{ status: number }>) => {
    for (let row = 0; row < 200; row++) expect((await kickOff(row)).status).toBe(202)
  }
  const researchMs = { min: 60_000, max: 60_000 }

  test('runs of one account hold up no other account', async () => {
    const clock = manualClock()
    const knowledge = fakeKnowledge()
    const { alice, bob, service } = await startTestService({ knowledge, clock, researchMs })
    await submitMany((row) => alice.post(kickoffPath, { name: `Alice ${row}` }))
    clock.advance(1_000)
    await bob.post(kickoffPath, { name: 'Bob' })
    clock.advance(60_000)
    await expect.poll(() => service.runCount().completed).toBe(201)
    expect(knowledge.asked.indexOf('Bob')).toBeLessThan(2)
  })

  test('hierarchies of one account hold up no other account', async () => {
    const clock = manualClock()
    const researched: string[] = []
    const ownership = (id: string) => {
      researched.push(id)
      return null
    }
    const knowledge = fakeKnowledge({ ownership })
    const { alice, bob } = await startTestService({ knowledge, clock, buildMs: researchMs })
    await submitMany((row) => alice.post(`/v1/entity/siq_alice${row}/hierarchy`, {}))
    clock.advance(1_000)
    await bob.post('/v1/entity/siq_bob/hierarchy', {})
    clock.advance(60_000)
    await expect.poll(() => researched.length).toBe(201)
    expect(researched.indexOf('siq_bob')).toBeLessThan(2)
  })
})

describe('an answer of the cache', () => {
  const site = 'acme.example.com'
  const resolveWith = (client: ServiceClient) => async (name: string, location?: string) => {
    const { json } = await client.post(kickoffPath, { name, location, include: 'basis' })
    const { data } = (await client.untilDone(`/v3/runs/${String(json.run_id)}?include=basis`)).json
    return jobResult.parse(data)
  }
  const hitOf = ({ metadata }: { metadata: { from_cache: boolean; cache_hit_type: string | null } }) =>
    [metadata.from_cache, metadata.cache_hit_type] as const

  test('is that of the same query, of one that differs in case, width or spaces, or of its domain', async () => {
    const clock = manualClock()
    const knowledge = fakeKnowledge({ answers: { Acme: matchOf() }, domains: { 'example.com': matchOf() } })
    const { alice } = await startTestService({ knowledge, clock })
    const resolve = resolveWith(alice)
    const first = await resolve('Acme')
    expect(hitOf(first)).toEqual([false, null])
    clock.advance(1_000)
    const exact = await resolve('Acme')
    expect(hitOf(exact)).toEqual([true, 'exact'])
    expect(exact).toEqual({
      ...first,
      request_id: exact.request_id,
      metadata: { ...first.metadata, from_cache: true, cache_hit_type: 'exact' },
    })
    expect(hitOf(await resolve(' ＡＣＭＥ '))).toEqual([true, 'similar'])
    expect(hitOf(await resolve(' ＡＣＭＥ '))).toEqual([true, 'exact'])
    expect(hitOf(await resolve('Acme', 'Leeds'))).toEqual([false, null])
    await alice.get(`/v3/domain-intelligence?domain=${site}`)
    await expect
      .poll(async () => (await alice.get(`/v3/domain-intelligence?domain=${site}`)).json.status)
      .toBe('complete')
    expect(hitOf(await resolve(`https://${site}/about`))).toEqual([true, 'domain_cache'])
    expect(hitOf(await resolve(`https://${site}/about`))).toEqual([true, 'exact'])
    expect(knowledge.asked).toEqual(['Acme', 'Acme', 'example.com'])
    const v2 = await alice.get('/v2/entity-resolution/async?name=acme')
    const { data } = (await alice.untilDone(`/v2/entity-resolution/status/${String(v2.json.request_id)}`))
      .json
    expect(hitOf(data as JobResult)).toEqual([true, 'similar'])
  })

  test('is not one of another edition, of a failure, or a day old', async () => {
    const clock = manualClock()
    let edition = 'first'
    const answers = { Acme: matchOf(), Broken: new Error('the index is gone') }
    const knowledge = fakeKnowledge({ answers, edition: () => edition })
    const { alice } = await startTestService({ knowledge, clock })
    const resolve = resolveWith(alice)
    await resolve('Acme')
    expect(hitOf(await resolve('Acme'))).toEqual([true, 'exact'])
    edition = 'second'
    expect(hitOf(await resolve('Acme'))).toEqual([false, null])
    clock.advance(24 * 3_600_000)
    expect(hitOf(await resolve('Acme'))).toEqual([false, null])
    for (let at = 0; at < 2; at++) {
      const { json } = await alice.post(kickoffPath, { name: 'Broken' })
      await alice.untilDone(`/v3/runs/${String(json.run_id)}`)
    }
    expect(knowledge.asked.filter((name) => name === 'Broken')).toHaveLength(2)
  })
})

test('the expected end of a build comes from the work of builds before it, and is never in the past', async () => {
  const clock = manualClock()
  const visits: (() => void)[] = []
  const checkWebsite: WebsiteCheck = () =>
    new Promise((resolve) => {
      visits.push(() => {
        resolve({ status: unknownWebsiteStatus, url: null, redirect: null, facts: null })
      })
    })
  const { alice } = await startTestService({ clock, checkWebsite, buildMs: { min: 1_000, max: 1_000 } })
  const startMs = clock.nowMs()
  const read = async (domain: string) =>
    domainReply.parse((await alice.get(`/v3/domain-intelligence?domain=${domain}`)).json)
  const expectedMs = async (domain: string) =>
    Date.parse((await read(domain)).metadata.estimated_completion ?? '') - startMs
  expect(await expectedMs('one.example.com')).toBe(1_000)
  clock.advance(1_000)
  await until(() => visits.length === 1)
  clock.advance(4_000)
  expect(await expectedMs('one.example.com')).toBe(5_000)
  visits[0]?.()
  await expect.poll(async () => (await read('one.example.com')).status).toBe('complete')
  expect(await expectedMs('two.example.org')).toBe(5_000 + 1_000 + 4_000)
})
