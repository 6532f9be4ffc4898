import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { callId } from '../../src/contract/enums.js'
import { routes, parseVersion } from '../../src/contract/routes.js'
import { connect, kickoffPath, type ServiceReply } from '../support/service-client.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

let it: TestService
beforeAll(async () => {
  it = await startTestService()
})

const everyRoute = Object.entries(routes).map(([name, route]) => ({
  name,
  method: route.method,
  path: route.path.replace('{id}', 'siq_acme').replace(/\{\w+\}/, 'run_1'),
  version: parseVersion(route.path),
}))

/** A 401 in the shape of the version: v1 and v2 say a message and the id of the call, and nothing else. */
function expectUnauthorized(reply: ServiceReply, version: string): void {
  expect(reply.status).toBe(401)
  if (version === 'v3') {
    expect(errorBody.parse(reply.json).error.type).toBe('unauthorized')
    return
  }
  expect(Object.keys(reply.json)).toEqual(['message', 'request_id'])
  expect(reply.json.message).not.toBe('')
  callId.parse(reply.json.request_id)
}

describe('authentication', () => {
  test.each(['apikey', 'ApiKey', 'APIKEY'])('AUTH-01 the key is read from the header %s', async (header) => {
    const reply = await it.nobody.get('/v3/entities/siq_acme', { [header]: keys.alice })
    expect(reply.status).toBe(200)
  })

  test.each(everyRoute)(
    'AUTH-01 AUTH-02 AUTH-04 AUTH-05 AUTH-06 $name without a key is 401 in the shape of $version',
    async (route) => {
      expectUnauthorized(await it.nobody.raw(route.path, { method: route.method }), route.version)
    },
  )

  test.each(everyRoute)('AUTH-01 AUTH-03 $name with a key is not 401', async (route) => {
    const headers = { apikey: keys.alice }
    expect((await it.nobody.raw(route.path, { method: route.method, headers })).status).not.toBe(401)
  })

  test.each(everyRoute)('AUTH-03 $name with a wrong key is 401', async (route) => {
    for (const apikey of ['wrong', '', `${keys.alice} `.repeat(2), keys.alice.toUpperCase()]) {
      const reply = await it.nobody.raw(route.path, { method: route.method, headers: { apikey } })
      expectUnauthorized(reply, route.version)
    }
  })

  test('AUTH-07 the key is judged before body and parameters, and nothing is charged', async () => {
    const billedBefore = it.service.ledger('alice').length
    const bodies = ['{', '[]', '', '{"name":1}', 'x'.repeat(100_000)]
    for (const body of bodies) {
      const reply = await it.nobody.raw(kickoffPath, { method: 'POST', headers: { apikey: 'wrong' }, body })
      expect(reply.status).toBe(401)
    }
    expect((await it.nobody.get('/v3/runs/%ZZ')).status).toBe(401)
    expect((await it.nobody.get('/v2/entity-resolution/async')).status).toBe(401)
    expect((await it.nobody.get('/v2/search?limit=x')).status).toBe(401)
    expect((await it.nobody.post('/v1/mcp', 'not json-rpc')).status).toBe(401)
    expect((await it.nobody.get('/v3/entities/le_1')).status).toBe(401)
    expect(it.service.ledger('alice')).toHaveLength(billedBefore)
  })

  test("AUTH-09 AUTH-10 AUTH-13 another account's job and run answer as unknown ids do", async () => {
    const run = await it.alice.post(kickoffPath, { name: 'Acme' })
    const job = await it.alice.get(`${kickoffPath}?name=Acme`)
    const foreign = [
      `/v3/runs/${String(run.json.run_id)}`,
      `/v3/jobs/${String(job.json.job_id)}`,
      `/v3/jobs/${String(job.json.request_id)}`,
    ]
    for (const path of foreign) {
      const unknown = await it.bob.get(`${path}x`)
      const reply = await it.bob.get(path)
      expect(reply.status).toBe(404)
      expect(reply.text).toBe(unknown.text)
      expect({ ...reply.headers, date: '' }).toEqual({ ...unknown.headers, date: '' })
      expect((await it.alice.get(path)).status).toBeLessThan(300)
    }
  })

  test('AUTH-11 KICK-19 an account not enabled for v3 is refused with no_pricing_configured', async () => {
    const replies = [await it.closed.post(kickoffPath, {}), await it.closed.get(`${kickoffPath}?name=Acme`)]
    for (const reply of replies) {
      expect(reply.status).toBe(403)
      expect(errorBody.parse(reply.json).error.type).toBe('no_pricing_configured')
    }
    expect(it.service.ledger('closed')).toEqual([])
  })

  test('AUTH-12 reads work for an account not enabled for v3', async () => {
    expect((await it.closed.get('/v3/entities/siq_acme')).status).toBe(200)
    expect((await it.closed.get('/v3/runs/run_1')).status).toBe(404)
    expect((await it.closed.get('/v3/jobs/job_1')).status).toBe(404)
  })

  test('AUTH-18 a key sent twice is 401', async () => {
    const reply = await it.nobody.raw('/v3/entities/siq_acme', {
      method: 'GET',
      headers: { apikey: [keys.alice, keys.alice] },
    })
    expect(reply.status).toBe(401)
  })

  test('a key that two accounts share, or that no header carries, is refused at start', async () => {
    for (const apiKey of ['', 'with space', 'schlüssel', 'line\nbreak']) {
      const start = startTestService({ accounts: [{ name: 'a', apiKey }] })
      await expect(start).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
    }
    const twice = [
      { name: 'a', apiKey: 'k' },
      { name: 'b', apiKey: 'k' },
    ]
    await expect(startTestService({ accounts: twice })).rejects.toMatchObject({ code: 'API_KEY_INVALID' })
  })
})

describe('ids', () => {
  test('ID-01 ID-02 ID-04 ID-06 ID-07 every id has the prefix of its kind', async () => {
    const run = await it.alice.post(kickoffPath, { name: 'Acme' })
    expect(run.json.run_id).toMatch(/^run_/)
    const job = await it.alice.get(`${kickoffPath}?name=Acme`)
    expect(job.json.request_id).toMatch(/^reqa_/)
    const entity = await it.alice.get('/v3/entities/siq_acme')
    expect(entity.json).toMatchObject({
      entity: {
        id: expect.stringMatching(/^siq_/),
        primary_legal_entity: { id: expect.stringMatching(/^le_/) },
      },
      request_id: expect.stringMatching(/^req_/),
    })
  })

  test('ID-06 request_id is a new one for every HTTP call', async () => {
    const ids = new Set<unknown>()
    for (let call = 0; call < 20; call++)
      ids.add((await it.alice.get('/v3/entities/siq_acme')).json.request_id)
    expect(ids.size).toBe(20)
  })

  test('ID-09 ID-11 JOB-03 the opaque job_id and the reqa_ id poll the same job', async () => {
    const { job_id: jobId, request_id: requestId } = (await it.alice.get(`${kickoffPath}?name=Acme`)).json
    const byJob = await it.alice.untilDone(`/v3/jobs/${String(jobId)}`)
    const byRequest = await it.alice.untilDone(`/v3/jobs/${String(requestId)}`)
    expect({ ...byRequest.json, request_id: '' }).toEqual({ ...byJob.json, request_id: '' })
    expect(byJob.json.status).toBe('matched')
  })

  test('ID-10 run_id and request_id are never interchangeable', async () => {
    const run = await it.alice.post(kickoffPath, { name: 'Acme' })
    const job = await it.alice.get(`${kickoffPath}?name=Acme`)
    expect((await it.alice.get(`/v3/jobs/${String(run.json.run_id)}`)).status).toBe(404)
    expect((await it.alice.get(`/v3/runs/${String(job.json.request_id)}`)).status).toBe(400)
    expect((await it.alice.get(`/v3/runs/${String(job.json.job_id)}`)).status).toBe(400)
  })

  test('ID-19 ids carry 96 bits of chance and never repeat', async () => {
    const kickoffs = Array.from({ length: 200 }, () => it.alice.post(kickoffPath, { name: 'Nobody at all' }))
    const ids = (await Promise.all(kickoffs)).map((reply) => String(reply.json.run_id))
    expect(new Set(ids).size).toBe(ids.length)
    // The last 19 characters of 36 possible ones are 98 bits.
    expect(new Set(ids.map((id) => id.slice(-19))).size).toBe(ids.length)
  })

  const long = 'a'.repeat(8 * 1024)
  test.each([
    [`/v3/runs/run_${'a'.repeat(120)}`, 404],
    [`/v3/runs/run_${long}`, 400],
    [`/v3/jobs/${long}`, 404],
    [`/v3/entities/siq_${long}`, 400],
    [`/v3/entities/siq_${'a'.repeat(120)}`, 404],
    ['/v3/runs/run_a%2Fb', 400],
    ['/v3/runs/..%2f..%2fetc%2fpasswd', 400],
    ['/v3/runs/run_%00', 400],
    ['/v3/entities/siq_%ED%A0%80', 400],
    ['/v3/jobs/%00', 404],
    ['/v3/jobs/%2e%2e%2f', 404],
    ["/v3/jobs/'%20OR%201=1--", 404],
    ['/v3/runs/%', 400],
    ['/v3/runs/', 400],
  ])('ID-20 ID-21 a hostile id gets the status its route says: %#', async (path, status) => {
    const reply = await it.alice.get(path)
    expect(reply.status).toBe(status)
    errorBody.parse(reply.json)
  })

  test('AUTH-01 a key of one service is no key of another', async () => {
    const other = await startTestService({ accounts: [{ name: 'alice', apiKey: 'another-key' }] })
    expect((await connect(other.service.url, keys.alice).get('/v3/entities/siq_acme')).status).toBe(401)
  })
})
