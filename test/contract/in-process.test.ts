import { afterAll, describe, expect, test } from 'vitest'
import { createServiceClient } from '../../src/client/client.js'
import { createLocalTransport } from '../../src/client/transport.js'
import { runObject } from '../../src/contract/result.js'
import type { RunId } from '../../src/contract/enums.js'
import { startLocalService, type LocalServiceOptions } from '../../src/service/local-service.js'
import { fakeKnowledge, matchOf, sampleRecord } from '../support/fake-knowledge.js'
import { ownershipOf } from '../support/ownerships.js'
import { kickoffPath } from '../support/service-client.js'
import { keys, startTestService } from '../support/test-service.js'

const knowledge = () =>
  fakeKnowledge({
    answers: { Acme: matchOf(), Broken: new Error('the index is gone: /secret/path') },
    entities: [sampleRecord()],
  })

function startLocal(options: Partial<LocalServiceOptions> = {}) {
  const service = startLocalService({ knowledge: knowledge(), apiKey: keys.alice, runsMax: 100, ...options })
  afterAll(() => service.close())
  return service
}

const json = { 'content-type': 'application/json' }
const key = { apikey: keys.alice }
const body = JSON.stringify({ name: 'Acme', custom_id: 'mine', include: 'basis' })
const deep = '['.repeat(100) + ']'.repeat(100)

const requests: Readonly<Record<string, { method: string; path: string; headers?: object; body?: string }>> =
  {
    'a kickoff': { method: 'POST', path: kickoffPath, headers: { ...key, ...json }, body },
    'no key': { method: 'POST', path: kickoffPath, headers: json, body },
    'a wrong key': { method: 'GET', path: '/v3/runs/run_1', headers: { apikey: 'wrong' } },
    'no name': { method: 'POST', path: kickoffPath, headers: { ...key, ...json }, body: '{}' },
    'a body that is no JSON': { method: 'POST', path: kickoffPath, headers: { ...key, ...json }, body: '{' },
    'a body that nests too deep': {
      method: 'POST',
      path: kickoffPath,
      headers: { ...key, ...json },
      body: `{"name":"Acme","x":${deep}}`,
    },
    'a body of another type': {
      method: 'POST',
      path: kickoffPath,
      headers: { ...key, 'content-type': 'text/plain' },
      body,
    },
    'a body that is too long': {
      method: 'POST',
      path: kickoffPath,
      headers: { ...key, ...json },
      body: JSON.stringify({ name: 'x'.repeat(70_000) }),
    },
    'a key before a body that is too long': {
      method: 'POST',
      path: kickoffPath,
      headers: json,
      body: JSON.stringify({ name: 'x'.repeat(70_000) }),
    },
    'a query that is not UTF-8': { method: 'GET', path: `${kickoffPath}?name=M%FCller`, headers: key },
    'an unknown run': { method: 'GET', path: '/v3/runs/run_nobody?include=basis', headers: key },
    'a query that is no query': { method: 'GET', path: '/v3/runs/run_nobody?include=all', headers: key },
    'a query given twice': {
      method: 'GET',
      path: '/v3/runs/run_nobody?include=basis&include=basis',
      headers: key,
    },
    'a run without its id': { method: 'GET', path: '/v3/runs/', headers: key },
    'an id in escapes': { method: 'GET', path: '/v3/runs/run%5Fnobody', headers: key },
    'an id in broken escapes': { method: 'GET', path: '/v3/runs/run%E0%A4%A', headers: key },
    'an unknown route': { method: 'GET', path: '/v3/nothing', headers: key },
    'another method': { method: 'PUT', path: kickoffPath, headers: { ...key, ...json }, body },
    'an entity': { method: 'GET', path: '/v3/entities/siq_acme', headers: key },
    'a search': { method: 'GET', path: '/v2/search?name=Acme', headers: key },
    'a v2 submission': { method: 'POST', path: '/v2/entity-resolution/async?name=Acme', headers: key },
  }

/** What differs from call to call. */
const plain = (text: string) =>
  text.replace(/"(run|req|reqa|job)_[0-9a-z]{20,}"/g, '"$1"').replace(/"query_time_ms":\d+/, '')

describe('the service in this process', () => {
  test.each(Object.entries(requests))(
    'answers as over HTTP: %s',
    async (_, { method, path, headers = {}, body: sent }) => {
      const { alice } = await startTestService({ knowledge: knowledge() })
      const given = {
        method,
        headers: headers as Record<string, string>,
        ...(sent === undefined ? {} : { body: sent }),
      }
      const overHttp = await alice.raw(path, given)
      const local = await startLocal().answer({ path, ...given })
      expect([local.status, plain(local.text)]).toEqual([overHttp.status, plain(overHttp.text)])
      expect(local.headers['content-type']).toBe(overHttp.headers['content-type'])
    },
  )

  test('answers a whole run to the client of the pipeline: one poll, held until there is an answer', async () => {
    let resolve: (() => void) | undefined
    const started = new Promise<void>((go) => (resolve = go))
    const slow = {
      ...knowledge(),
      resolve: async () =>
        started.then(() => knowledge().resolve({ name: 'Acme', location: null, context: null })),
    }
    const { answer } = startLocal({ knowledge: slow })
    const client = createServiceClient({ apiKey: keys.alice }, createLocalTransport(answer))
    const accepted = await client.calls.kickoffRun({ body: { name: 'Acme', include: 'basis' } })
    const runId = (accepted as { body: { run_id: string } }).body.run_id
    let isAnswered = false
    const polled = client.pollRun(runId, { include: 'basis' }).then((exchange) => {
      isAnswered = true
      return exchange
    })
    await new Promise((go) => setTimeout(go, 30))
    expect(isAnswered).toBe(false)
    resolve?.()
    const exchange = await polled
    expect(exchange).toMatchObject({ kind: 'reply', status: 200, bodyFault: null })
    const run = runObject.parse((exchange as { body: unknown }).body)
    expect(run).toMatchObject({ run_id: runId, status: 'COMPLETED', data: { status: 'matched' } })
    expect(run.data?.basis?.length).toBeGreaterThan(0)
  })

  test.each([
    ['a record', 'GET', '/v3/entities/siq_acme', /"enrichment":{"status":"building"/, /"status":"complete"/],
    ['a hierarchy', 'POST', '/v1/entity/siq_acme/hierarchy', /"in_progress"/, /"completed"/],
    ['a domain', 'GET', '/v3/domain-intelligence?domain=acme.example', /"building"/, /"complete"/],
  ])(
    '%s: one call begins its build, the next is held until the end',
    async (_, method, path, begun, ended) => {
      const { answer } = startLocal({
        knowledge: { ...knowledge(), ownership: () => ownershipOf('siq_acme', []) },
      })
      const headers = { ...key, ...json }
      expect((await answer({ method, path, headers })).text).toMatch(begun)
      expect((await answer({ method: 'GET', path, headers })).text).toMatch(ended)
    },
  )

  test('keeps no more runs than it may: those that have ended are forgotten, more that have not are refused', async () => {
    const never = new Promise<never>(() => undefined)
    const held = startLocal({ runsMax: 3, knowledge: { ...knowledge(), resolve: () => never } })
    const kickoff = (answer: typeof held.answer) =>
      answer({ method: 'POST', path: kickoffPath, headers: { ...key, ...json }, body })
    const statuses: number[] = []
    for (let count = 0; count < 4; count++) statuses.push((await kickoff(held.answer)).status)
    expect(statuses).toEqual([202, 202, 202, 429])

    const quick = startLocal({ runsMax: 3 })
    const ids: RunId[] = []
    for (let count = 0; count < 10; count++) {
      const { run_id } = JSON.parse((await kickoff(quick.answer)).text) as { run_id: RunId }
      ids.push(run_id)
      expect((await quick.answer({ method: 'GET', path: `/v3/runs/${run_id}`, headers: key })).status).toBe(
        200,
      )
    }
    const later = await Promise.all(
      ids.map(
        async (id) => (await quick.answer({ method: 'GET', path: `/v3/runs/${id}`, headers: key })).status,
      ),
    )
    expect(later).toEqual([...Array<number>(7).fill(404), 200, 200, 200])
    expect(quick.runCount()).toEqual({ pending: 0, completed: 10, failed: 0 })
  })

  test('a poll that is held is let go when the service closes', async () => {
    const service = startLocalService({
      knowledge: { ...knowledge(), resolve: () => new Promise<never>(() => undefined) },
      apiKey: keys.alice,
      runsMax: 10,
    })
    const { run_id } = JSON.parse(
      (await service.answer({ method: 'POST', path: kickoffPath, headers: { ...key, ...json }, body })).text,
    ) as { run_id: string }
    const polled = service.answer({ method: 'GET', path: `/v3/runs/${run_id}`, headers: key })
    // The answer of the knowledge never comes, and is not waited for.
    void service.close()
    expect((await polled).status).toBe(202)
  })

  test('what goes wrong inside is a 500 that tells nothing, and a line in the log', async () => {
    const logged: string[] = []
    const broken = {
      ...knowledge(),
      search: () => {
        throw new Error('the index is gone: /secret/path')
      },
    }
    const { answer } = startLocal({ knowledge: broken, log: (line) => logged.push(line) })
    const reply = await answer({ method: 'GET', path: '/v2/search?name=Acme', headers: key })
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain('secret')
    expect(logged.join()).toContain('/v2/search: Error: the index is gone')
  })
})
