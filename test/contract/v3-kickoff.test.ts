import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { jobPending, runAccepted } from '../../src/contract/result.js'
import { routes } from '../../src/contract/routes.js'
import { fakeKnowledge, matchOf } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { kickoffPath, type ServiceReply } from '../support/service-client.js'
import { keys, startTestService, type TestService } from '../support/test-service.js'

let it: TestService
beforeAll(async () => {
  it = await startTestService()
})

const billedCount = () => it.service.ledger('alice').length
const query = (fields: Record<string, string>) => `${kickoffPath}?${new URLSearchParams(fields).toString()}`

function expectRefused(reply: ServiceReply, status: number, type: string): void {
  expect({ status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({ status, type })
}

describe('what a kickoff answers', () => {
  test('KICK-01 KICK-02 KICK-29 a GET is accepted at once as a job, and never cached', async () => {
    const reply = await it.alice.get(query({ name: 'Acme', location: 'Leeds', context: 'the trader' }))
    expect(reply.status).toBe(202)
    expect(jobPending.parse(reply.json).status).toBe('pending')
    const refused = await it.alice.get(kickoffPath)
    expect([reply, refused].map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store'])
  })

  test('KICK-01 KICK-03 KICK-04 a POST is accepted at once as a run', async () => {
    const slow = await startTestService({ researchMs: { min: 3_600_000, max: 3_600_000 } })
    const reply = await slow.alice.post(kickoffPath, { name: 'Acme' })
    expect(reply.status).toBe(202)
    expect(Object.keys(runAccepted.parse(reply.json)).sort()).toEqual(['run_id', 'status'])
    expect(slow.service.runCount()).toEqual({ pending: 1, completed: 0, failed: 0 })
  })

  test('KICK-03 custom_id is in the answer only if it was sent', async () => {
    const reply = await it.alice.post(kickoffPath, { name: 'Acme', custom_id: 'row 7' })
    expect(runAccepted.parse(reply.json).custom_id).toBe('row 7')
  })

  test('KICK-11 equal kickoffs are two runs and two billed units', async () => {
    const before = billedCount()
    const first = await it.alice.post(kickoffPath, { name: 'Acme', custom_id: 'twice' })
    const second = await it.alice.post(kickoffPath, { name: 'Acme', custom_id: 'twice' })
    expect(second.json.run_id).not.toBe(first.json.run_id)
    expect(billedCount()).toBe(before + 2)
  })

  test('KICK-12 a run cannot be looked up by its custom_id', async () => {
    await it.alice.post(kickoffPath, { name: 'Acme', custom_id: 'run_custom' })
    expect((await it.alice.get('/v3/runs/run_custom')).status).toBe(404)
  })

  test('KICK-13 custom_id on a GET is ignored and never echoed', async () => {
    const reply = await it.alice.get(query({ name: 'Acme', custom_id: 'é'.repeat(300) }))
    expect(reply.status).toBe(202)
    expect(reply.text).not.toContain('custom_id')
  })

  test('KICK-07 location and context reach the research as they were sent', async () => {
    const reply = await it.alice.post(kickoffPath, { name: ' Acme ', location: 'Leeds', context: 'traders' })
    const run = await it.alice.untilDone(`/v3/runs/${String(reply.json.run_id)}`)
    expect(run.json).toMatchObject({
      data: { metadata: { query: { name: ' Acme ', location: 'Leeds', context: 'traders' } } },
    })
  })
})

describe('what a kickoff refuses', () => {
  const refusedBodies: [string, unknown][] = [
    ['KICK-05 name missing', {}],
    ['KICK-05 name null', { name: null }],
    ['KICK-05 name not a string', { name: 12 }],
    ['KICK-05 name empty', { name: '' }],
    ['KICK-05 name of one character', { name: 'A' }],
    ['KICK-05 name of one character and spaces', { name: '  A  ' }],
    ['KICK-05 name of one code point in two units', { name: '\u{1F600}' }],
    ['KICK-06 location not a string', { name: 'Acme', location: 1 }],
    ['KICK-06 location null', { name: 'Acme', location: null }],
    ['KICK-06 context not a string', { name: 'Acme', context: ['a'] }],
    ['KICK-08 custom_id of 201', { name: 'Acme', custom_id: 'x'.repeat(201) }],
    ['KICK-09 custom_id with a tab', { name: 'Acme', custom_id: 'a\tb' }],
    ['KICK-09 custom_id with a newline at its end', { name: 'Acme', custom_id: 'a\n' }],
    ['KICK-09 custom_id with DEL', { name: 'Acme', custom_id: 'a\u007f' }],
    ['KICK-09 custom_id with an accent', { name: 'Acme', custom_id: 'é' }],
    ['KICK-09 custom_id with an emoji', { name: 'Acme', custom_id: '\u{1F600}' }],
    ['KICK-10 custom_id empty', { name: 'Acme', custom_id: '' }],
    ['KICK-14 include of another value', { name: 'Acme', include: 'citations' }],
    ['KICK-15 include as an array', { name: 'Acme', include: ['basis'] }],
    ['KICK-21 an array', [{ name: 'Acme' }]],
    ['KICK-21 a string', 'Acme'],
    ['KICK-21 null', null],
  ]
  test.each(refusedBodies)('%s is 400 in the v3 shape and not billed', async (_rule, body) => {
    const before = billedCount()
    expectRefused(await it.alice.post(kickoffPath, body), 400, 'bad_request')
    expect(billedCount()).toBe(before)
  })

  test.each([
    ['KICK-21 an empty body', '', 'application/json'],
    ['KICK-21 malformed JSON', '{"name":"Acme"', 'application/json'],
    ['KICK-21 a wrong content type', '{"name":"Acme"}', 'text/plain'],
    ['KICK-21 a form', 'name=Acme', 'application/x-www-form-urlencoded'],
    ['KICK-21 no content type', '{"name":"Acme"}', null],
    ['KICK-21 a content type that is none', '{"name":"Acme"}', '/;;'],
  ])('%s is 400 in the v3 shape', async (_rule, body, contentType) => {
    const headers = { apikey: keys.alice, ...(contentType === null ? {} : { 'content-type': contentType }) }
    const reply = await it.alice.raw(kickoffPath, { method: 'POST', headers, body })
    expectRefused(reply, 400, 'bad_request')
  })

  test.each([
    ['KICK-05 without a name', kickoffPath],
    ['KICK-05 with a name of one character', query({ name: 'A' })],
    ['KICK-05 with two names', `${kickoffPath}?name=Acme&name=Bolt`],
    ['KICK-14 with another include', query({ name: 'Acme', include: 'all' })],
    ['KICK-14 with an empty include', query({ name: 'Acme', include: '' })],
  ])('a GET %s is 400', async (_rule, path) => {
    expectRefused(await it.alice.get(path), 400, 'bad_request')
  })

  test('KICK-18 ERR-02 without credit a kickoff is 402, not billed, and no run is made', async () => {
    const poor = await startTestService({
      accounts: [{ name: 'alice', apiKey: keys.alice, creditUnits: 2 }],
      researchMs: { min: 60_000, max: 60_000 },
    })
    const kickoffs = Array.from({ length: 10 }, () => poor.alice.post(kickoffPath, { name: 'Acme' }))
    const statuses = (await Promise.all(kickoffs)).map((reply) => reply.status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(2)
    expectRefused(await poor.alice.get(query({ name: 'Acme' })), 402, 'insufficient_credits')
    expect(poor.service.ledger('alice')).toHaveLength(2)
    expect(poor.service.runCount().pending).toBe(2)
  })

  test('KICK-20 the order of checks is 401, 403, 429, 400, 402', async () => {
    const broke = { name: 'alice', apiKey: keys.alice, creditUnits: 0 }
    const shut = { name: 'closed', apiKey: keys.closed, v3Enabled: false }
    const strict = await startTestService({
      rateLimits: 'spec',
      clock: manualClock(),
      accounts: [broke, shut],
    })
    expect((await strict.nobody.post(kickoffPath, {})).status).toBe(401)
    expect((await strict.closed.post(kickoffPath, {})).status).toBe(403)
    expect((await strict.alice.post(kickoffPath, {})).status).toBe(400)
    expect((await strict.alice.post(kickoffPath, { name: 'Acme' })).status).toBe(402)
    for (let used = 2; used < 600; used++) await strict.alice.post(kickoffPath, {})
    expect((await strict.alice.post(kickoffPath, {})).status).toBe(429)
  })

  test('KICK-22 every status above is one that the route lists', () => {
    const listed = [400, 401, 402, 403, 429, 500]
    expect(routes.kickoffRun.errors).toEqual(listed)
    expect(routes.kickoffJob.errors).toEqual(listed)
  })
})

describe('what a kickoff lets through', () => {
  test.each([
    ['KICK-05 a name of two characters', { name: 'HP' }],
    ['KICK-05 a name of two ideographs', { name: '华为' }],
    ['KICK-08 custom_id of 200 printable ASCII', { name: 'Acme', custom_id: '~'.repeat(200) }],
    ['KICK-10 custom_id of one space', { name: 'Acme', custom_id: ' ' }],
    ['KICK-14 include basis', { name: 'Acme', include: 'basis' }],
    ['KICK-33 unknown keys', { name: 'Acme', priority: 'high', nested: { deep: [1] } }],
  ])('%s is accepted', async (_rule, body) => {
    const reply = await it.alice.post(kickoffPath, body)
    expect(reply.status).toBe(202)
  })

  test('KICK-08 custom_id is never trimmed', async () => {
    const reply = await it.alice.post(kickoffPath, { name: 'Acme', custom_id: ' a ' })
    expect(reply.json.custom_id).toBe(' a ')
  })

  test('KICK-33 __proto__ and constructor keys are ignored, never merged', async () => {
    const body =
      '{"name":"Acme","__proto__":{"custom_id":"evil"},"constructor":{"prototype":{"include":"x"}}}'
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const reply = await it.alice.raw(kickoffPath, { method: 'POST', headers, body })
    expect(reply.status).toBe(202)
    expect(reply.json).not.toHaveProperty('custom_id')
    expect(({} as Record<string, unknown>).include).toBeUndefined()
  })

  test('KICK-34 of a key sent twice the last value is both judged and stored', async () => {
    const body = '{"name":"A","name":"Acme"}'
    const headers = { apikey: keys.alice, 'content-type': 'application/json' }
    const reply = await it.alice.raw(kickoffPath, { method: 'POST', headers, body })
    expect(reply.status).toBe(202)
    const run = await it.alice.untilDone(`/v3/runs/${String(reply.json.run_id)}`)
    expect(run.json).toMatchObject({ data: { metadata: { query: { name: 'Acme' } } } })
  })

  test('a kickoff that cannot be stored is 500, and neither billed nor researched', async () => {
    const knowledge = fakeKnowledge({ answers: { Acme: matchOf() } })
    const failing = await startTestService({
      knowledge,
      // A run due at no time is what the table refuses.
      random: { fraction: () => NaN, id: (prefix) => `${prefix}1` },
    })
    const reply = await failing.alice.post(kickoffPath, { name: 'Acme' })
    expectRefused(reply, 500, 'api_error')
    expect(failing.service.ledger('alice')).toEqual([])
    expect(failing.service.runCount()).toEqual({ pending: 0, completed: 0, failed: 0 })
    expect(knowledge.asked).toEqual([])
  })
})
