import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { jobAcceptedV2, jobStatusV2, type JobStatusV2 } from '../../src/contract/earlier-versions.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { fakeKnowledge, matchOf } from '../support/fake-knowledge.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath, type ServiceClient, type ServiceReply } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'
import { makeFolder } from '../support/temporary-folder.js'

const folder = makeFolder()

const submitPath = '/v2/entity-resolution/async'
const statusOf = (id: string) => `/v2/entity-resolution/status/${id}`

async function submit(client: ServiceClient, query: string): Promise<string> {
  const reply = await client.get(`${submitPath}?${query}`)
  expect(reply.status).toBe(202)
  return jobAcceptedV2.parse(reply.json).request_id
}

const bodyOf = (reply: ServiceReply): JobStatusV2 => jobStatusV2.parse(reply.json)
const researchMs = { min: 60_000, max: 60_000 }

let shared: TestService
beforeAll(async () => {
  shared = await startTestService()
})

describe('submission', () => {
  test('V2-07 ID-04 is a 202 with a reqa_ id and PENDING, and no more', async () => {
    const { alice } = await startTestService()
    const reply = await alice.get(`${submitPath}?name=Acme&location=Leeds`)
    expect(reply.status).toBe(202)
    expect(reply.json).toEqual({ request_id: expect.stringMatching(/^reqa_/), status: 'PENDING' })
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test('V2-08 is billed before it is answered', async () => {
    const { alice, service } = await startTestService({ clock: manualClock(), researchMs })
    await submit(alice, 'name=Acme')
    expect(service.ledger('alice')).toHaveLength(1)
  })

  test('V2-09 is not idempotent: two alike are two jobs and two units', async () => {
    const { alice, service } = await startTestService()
    const ids = [await submit(alice, 'name=Acme'), await submit(alice, 'name=Acme')]
    expect(new Set(ids).size).toBe(2)
    expect(service.ledger('alice')).toHaveLength(2)
  })

  test('AUTH-11 needs no v3: an account that v3 is closed to resolves on v2', async () => {
    const { closed } = await startTestService()
    const reply = await closed.untilDone(statusOf(await submit(closed, 'name=Acme')))
    expect(bodyOf(reply).data?.status).toBe('matched')
  })

  test.each([
    '',
    'name=',
    'name=A',
    'name=%20A%20',
    'location=Leeds',
    'name=Acme&name=Bolt',
    'name=Acme&location=a&location=b',
  ])('V2-01 ERR-01 "%s" is a 400, with nothing charged', async (query) => {
    const { alice, service } = shared
    const billedBefore = service.ledger('alice').length
    for (const route of ['async', 'stream']) {
      const reply = await alice.get(`/v2/entity-resolution/${route}?${query}`)
      expect(reply.status).toBe(400)
      expect(reply.json).toEqual({ error: { message: expect.any(String), type: 'bad_request' } })
    }
    expect(service.ledger('alice')).toHaveLength(billedBefore)
  })

  test('V2-17 without credit it is a 402 insufficient_credits: no unit, no job', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
    const { alice, service } = await startTestService({ accounts })
    await submit(alice, 'name=Acme')
    for (const route of ['async', 'stream']) {
      const reply = await alice.get(`/v2/entity-resolution/${route}?name=Acme`)
      expect(reply.status).toBe(402)
      expect(reply.json).toEqual({ error: 'insufficient_credits', message: expect.any(String) })
    }
    expect(service.ledger('alice')).toHaveLength(1)
    expect(service.runCount()).toMatchObject({ pending: 0, completed: 1 })
  })

  test('V2-17 V2-19 while the store takes nothing it is a 503: no unit, no job, and later it works', async () => {
    const dataFolder = mkdtempSync(join(folder, 'busy-'))
    const { alice, service, logged } = await startTestService({ dataFolder })
    const other = openSqlite(join(dataFolder, 'service.sqlite'), { synchronous: 'FULL' })
    other.exec('BEGIN IMMEDIATE')
    const reply = await alice.get(`${submitPath}?name=Acme`)
    other.exec('ROLLBACK')
    other.close()
    expect(reply.status).toBe(503)
    expect(reply.json).toEqual({ error: 'billing_unavailable', message: expect.any(String) })
    expect(logged.join()).toContain('could not be billed')
    expect([service.ledger('alice'), service.runCount().pending]).toEqual([[], 0])
    const done = await alice.untilDone(statusOf(await submit(alice, 'name=Acme')))
    expect(bodyOf(done).status).toBe('COMPLETED')
  })
})

describe('the status poll', () => {
  test('V2-10 V2-11 V2-31 202 PENDING without data, then 200 COMPLETED with it, then always the same', async () => {
    const clock = manualClock()
    const { alice } = await startTestService({ clock, researchMs })
    const id = await submit(alice, 'name=Acme')
    for (let poll = 0; poll < 3; poll++) {
      const pending = await alice.get(statusOf(id))
      expect([pending.status, pending.json]).toEqual([202, { request_id: id, status: 'PENDING', data: null }])
    }
    clock.advance(researchMs.max)
    const done = await alice.untilDone(statusOf(id))
    expect(done.status).toBe(200)
    expect(bodyOf(done)).toMatchObject({ request_id: id, status: 'COMPLETED', data: { request_id: id } })
    clock.advance(86_400_000)
    for (let poll = 0; poll < 3; poll++) expect((await alice.get(statusOf(id))).text).toBe(done.text)
  })

  test('V2-12 ERR-08 research that failed is a 200 FAILED without data, and stays so', async () => {
    const { alice, logged } = await startTestService()
    const id = await submit(alice, 'name=Broken')
    const done = await alice.untilDone(statusOf(id))
    expect([done.status, done.json]).toEqual([200, { request_id: id, status: 'FAILED', data: null }])
    expect((await alice.get(statusOf(id))).text).toBe(done.text)
    expect(logged.join()).toContain('the index is gone')
  })

  test('V2-12 what failed is refunded: the credit is there again, once', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
    const { alice } = await startTestService({ accounts })
    for (let round = 0; round < 5; round++) {
      await alice.untilDone(statusOf(await submit(alice, 'name=Broken')))
    }
    await alice.untilDone(statusOf(await submit(alice, 'name=Acme')))
    expect((await alice.get(`${submitPath}?name=Acme`)).status).toBe(402)
  })

  test('V2-13 V2-28 no_match is COMPLETED with neither entity nor candidate, and not refunded', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
    const { alice } = await startTestService({ accounts })
    const done = await alice.untilDone(statusOf(await submit(alice, 'name=Nobody')))
    expect(bodyOf(done)).toMatchObject({
      status: 'COMPLETED',
      data: { status: 'no_match', entity: null, candidate: null },
    })
    expect((await alice.get(`${submitPath}?name=Acme`)).status).toBe(402)
  })

  test('V2-14 V2-15 1,000 polls charge nothing and ask nothing', async () => {
    const knowledge = fakeKnowledge({ answers: { Acme: matchOf() } })
    const { alice, service } = await startTestService({ knowledge })
    const id = await submit(alice, 'name=Acme')
    await alice.untilDone(statusOf(id))
    const polls = Array.from({ length: 1_000 }, () => alice.get(statusOf(id)))
    expect((await Promise.all(polls)).every(({ status }) => status === 200)).toBe(true)
    expect(service.ledger('alice')).toHaveLength(1)
    expect(knowledge.asked).toEqual(['Acme'])
  })

  test("AUTH-08 AUTH-13 V2-16 ID-15 another account's id answers as an unknown one does: 404", async () => {
    const { alice, bob } = await startTestService()
    const id = await submit(alice, 'name=Acme')
    const foreign = await bob.get(statusOf(id))
    const unknown = await bob.get(statusOf(`${id}x`))
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.json).toEqual({ error: { message: expect.any(String), type: 'not_found' } })
    expect(foreign.text).toBe(unknown.text)
    expect({ ...foreign.headers, date: '' }).toEqual({ ...unknown.headers, date: '' })
    expect((await alice.untilDone(statusOf(id))).status).toBe(200)
  })

  test('ID-10 ID-15 v2 and v3 do not find what the other began', async () => {
    const { alice } = await startTestService()
    const job = await alice.get(`${kickoffPath}?name=Acme`)
    expect((await alice.get(statusOf(String(job.json.request_id)))).status).toBe(404)
    const id = await submit(alice, 'name=Acme')
    expect((await alice.get(`/v3/jobs/${id}`)).status).toBe(404)
  })

  test.each([
    'nonsense',
    'run_1',
    'req_1',
    'job_1',
    'reqa_',
    'reqa',
    'REQA_1',
    'reqa_a%2Fb',
    'reqa_%00',
    'reqa_%ED%A0%80',
    'reqa_%ZZ',
    '%',
    '..%2f..%2fetc%2fpasswd',
    "'%20OR%201=1--",
    `reqa_${'a'.repeat(8 * 1024)}`,
    '',
  ])('ID-14 ID-20 ID-21 V2-22 the malformed id "%s" is a 500, as the interface says', async (id) => {
    const { alice, logged } = shared
    const reply = await alice.get(statusOf(id))
    expect(reply.status).toBe(500)
    expect(reply.json).toEqual({ error: { message: expect.any(String), type: 'api_error' } })
    expect(logged).toEqual([])
  })

  test('ID-15 ID-20 an unknown well-formed id of 120 characters is a 404', async () => {
    const { alice } = await startTestService()
    expect((await alice.get(statusOf(`reqa_${'a'.repeat(120)}`))).status).toBe(404)
  })

  test('ID-18 what was answered once is answered after a restart, the same bytes', async () => {
    const dataFolder = mkdtempSync(join(folder, 'restart-'))
    const first = await startTestService({ dataFolder })
    const id = await submit(first.alice, 'name=Acme')
    const before = await first.alice.untilDone(statusOf(id))
    await first.service.close()
    const second = await startTestService({ dataFolder })
    expect((await second.alice.get(statusOf(id))).text).toBe(before.text)
  })
})
