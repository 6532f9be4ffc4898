import { beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import type { EntityId } from '../../src/contract/enums.js'
import { jobPending, runObject, jobResult } from '../../src/contract/result.js'
import { fakeKnowledge, matchOf, noMatch, sampleCandidate, sampleEntity } from '../support/fake-knowledge.js'
import { kickoffPath } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

const knowledge = fakeKnowledge({
  answers: {
    Acme: matchOf(),
    Partly: matchOf(sampleEntity(), { status: 'partial_match', match_confidence: 79 }),
    Vague: { status: 'inconclusive', match_confidence: 40, candidate: sampleCandidate, type: 'nonprofit' },
    Absent: { status: 'not_found' },
    Gone: { status: 'merged', merged_into: 'siq_acme' as EntityId },
    Failing: { status: 'failed' },
    Broken: new Error('the index is gone: /secret/path'),
    // Breaks the interface: a match below 80.
    Wrong: matchOf(sampleEntity(), { match_confidence: 79 }),
    // Breaks the interface: a basis of what the entity has not.
    Baseless: matchOf(sampleEntity(), {
      basis: [{ field: 'identifiers.9.value', confidence: 'low', reasoning: null, citations: [] }],
    }),
  },
})

let it: TestService
let pending: TestService
beforeAll(async () => {
  it = await startTestService({ knowledge })
  pending = await startTestService({ knowledge, researchMs: { min: 3_600_000, max: 3_600_000 } })
})

type Kickoff = Record<string, string>
async function runPath(service: TestService, body: Kickoff): Promise<string> {
  const reply = await service.alice.post(kickoffPath, body)
  expect(reply.status).toBe(202)
  return `/v3/runs/${String(reply.json.run_id)}`
}
async function jobPath(service: TestService, fields: Kickoff): Promise<string> {
  const reply = await service.alice.get(`${kickoffPath}?${new URLSearchParams(fields).toString()}`)
  expect(reply.status).toBe(202)
  return `/v3/jobs/${String(reply.json.job_id)}`
}

const outcomes: [name: string, status: string][] = [
  ['Acme', 'matched'],
  ['Partly', 'partial_match'],
  ['Vague', 'inconclusive'],
  ['Nobody', 'no_match'],
  ['Absent', 'not_found'],
  ['Gone', 'merged'],
]

describe('jobs', () => {
  test('JOB-01 JOB-13 a running job is 202 with its two ids', async () => {
    const kickoff = await pending.alice.get(`${kickoffPath}?name=Acme`)
    const reply = await pending.alice.get(`/v3/jobs/${String(kickoff.json.job_id)}`)
    expect(reply.status).toBe(202)
    expect(jobPending.parse(reply.json)).toEqual(kickoff.json)
  })

  test.each(outcomes)('JOB-02 JOB-03 JOB-07 JOB-08 JOB-10 JOB-11 %s ends as %s', async (name, status) => {
    const reply = await it.alice.untilDone(await jobPath(it, { name }))
    expect(reply.status).toBe(200)
    const result = jobResult.parse(reply.json)
    expect(result.status).toBe(status)
    expect(result.merged_into).toBe(status === 'merged' ? 'siq_acme' : null)
    expect(result.metadata).toMatchObject({
      query: { name, location: null, context: null, mode: 'standard' },
      from_cache: false,
      cache_hit_type: null,
    })
  })

  test.each(['Failing', 'Broken', 'Wrong', 'Baseless'])(
    'JOB-02 ERR-08 INV research that fails (%s) is a 200 with status failed',
    async (name) => {
      const reply = await it.alice.untilDone(await jobPath(it, { name }))
      expect(reply.status).toBe(200)
      expect(jobResult.parse(reply.json)).toMatchObject({ status: 'failed', entity: null, candidate: null })
      expect(reply.text).not.toContain('/secret/path')
    },
  )

  test('JOB-04 RUN-07 ERR-14 an unknown id is 404, a malformed run id 400, a wrong include 400', async () => {
    for (const [path, status, type] of [
      ['/v3/jobs/job_unknown', 404, 'not_found'],
      ['/v3/jobs/reqa_unknown', 404, 'not_found'],
      ['/v3/runs/run_unknown', 404, 'not_found'],
      ['/v3/runs/unknown', 400, 'bad_request'],
      ['/v3/runs/run_', 400, 'bad_request'],
      ['/v3/runs/run_unknown?include=all', 400, 'bad_request'],
      ['/v3/jobs/job_unknown?include=all', 400, 'bad_request'],
    ] as const) {
      const reply = await it.alice.get(path)
      expect({ path, status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({
        path,
        status,
        type,
      })
    }
  })

  test('JOB-05 JOB-12 V2-31 polling changes nothing: the same bytes apart from request_id', async () => {
    const path = await jobPath(it, { name: 'Acme', include: 'basis' })
    await it.alice.untilDone(path)
    const billedBefore = it.service.ledger('alice').length
    const askedBefore = knowledge.asked.length
    const bodies = new Set<string>()
    const callIds = new Set<unknown>()
    for (let poll = 0; poll < 10; poll++) {
      const reply = await it.alice.get(`${path}?include=basis`)
      const callId = String(reply.json.request_id)
      callIds.add(callId)
      bodies.add(reply.text.replace(callId, ''))
    }
    expect(bodies.size).toBe(1)
    expect(callIds.size).toBe(10)
    expect(it.service.ledger('alice')).toHaveLength(billedBefore)
    expect(knowledge.asked).toHaveLength(askedBefore)
  })
})

describe('runs', () => {
  test('RUN-01 RUN-02 RUN-04 RUN-05 a pending run is 202 with PENDING, its custom_id and no data', async () => {
    const path = await runPath(pending, { name: 'Acme', custom_id: 'row 1' })
    const reply = await pending.alice.get(path)
    expect(reply.status).toBe(202)
    expect(runObject.parse(reply.json)).toEqual({
      run_id: path.slice('/v3/runs/'.length),
      custom_id: 'row 1',
      status: 'PENDING',
      data: null,
    })
  })

  test('RUN-02 without a custom_id the key is absent, pending and ended', async () => {
    expect((await pending.alice.get(await runPath(pending, { name: 'Acme' }))).json).not.toHaveProperty(
      'custom_id',
    )
    const ended = await it.alice.untilDone(await runPath(it, { name: 'Acme' }))
    expect(ended.json).not.toHaveProperty('custom_id')
  })

  test.each(outcomes)('RUN-01 RUN-02 INV-20 %s ends COMPLETED with the outcome %s', async (name, status) => {
    const reply = await it.alice.untilDone(await runPath(it, { name, custom_id: 'row 2' }))
    expect(reply.status).toBe(200)
    const run = runObject.parse(reply.json)
    expect(run).toMatchObject({ status: 'COMPLETED', custom_id: 'row 2', data: { status } })
  })

  test.each(['Failing', 'Broken', 'Wrong', 'Baseless'])(
    'RUN-04 RUN-09 research that fails (%s) is FAILED without data',
    async (name) => {
      const reply = await it.alice.untilDone(await runPath(it, { name }))
      expect(reply.status).toBe(200)
      expect(runObject.parse(reply.json)).toMatchObject({ status: 'FAILED', data: null })
    },
  )

  test('RUN-14 JOB-12 a run that ended answers the same bytes at every poll', async () => {
    const path = await runPath(it, { name: 'Acme', custom_id: 'row 3' })
    const first = await it.alice.untilDone(path)
    for (let poll = 0; poll < 5; poll++) expect((await it.alice.get(path)).text).toBe(first.text)
  })

  test('what broke a run stands in the log, and says which run', async () => {
    const path = await runPath(it, { name: 'Broken' })
    await it.alice.untilDone(path)
    const id = path.slice('/v3/runs/'.length)
    expect(it.logged.filter((line) => line.includes(id))).toEqual([
      `run ${id} failed: the index is gone: /secret/path`,
    ])
  })

  test.each(['\u0000 in the name', 'lone \ud800 surrogate', 'x'.repeat(60_000), '"quoted\\"\n', '__proto__'])(
    'a hostile name is researched and echoed: %#',
    async (name) => {
      const reply = await it.alice.untilDone(await runPath(it, { name }))
      expect(runObject.parse(reply.json)).toMatchObject({
        status: 'COMPLETED',
        data: { ...noMatchShape, metadata: { query: { name: Buffer.from(name).toString() } } },
      })
    },
  )
})

const noMatchShape = { status: noMatch.status, entity: null, candidate: null }

describe('basis', () => {
  const asked = { name: 'Acme', include: 'basis' }
  const kinds = [
    ['run', runPath],
    ['job', jobPath],
  ] as const

  async function resultOf(path: string): Promise<Record<string, unknown>> {
    const reply = await it.alice.untilDone(path)
    return (path.startsWith('/v3/runs/') ? reply.json.data : reply.json) as Record<string, unknown>
  }

  test.each(kinds)('BAS-01 a %s not asked for it never shows one', async (_kind, start) => {
    expect(await resultOf(`${await start(it, { name: 'Acme' })}?include=basis`)).not.toHaveProperty('basis')
  })

  test.each(kinds)('BAS-02 a poll of a %s that does not ask shows none', async (_kind, start) => {
    expect(await resultOf(await start(it, asked))).not.toHaveProperty('basis')
  })

  test.each(kinds)('BAS-03 BAS-05 BAS-07 RUN-06 a %s asked twice shows it', async (_kind, start) => {
    const result = jobResult.parse(await resultOf(`${await start(it, asked)}?include=basis`))
    expect(result.basis).toEqual(matchOf().basis)
  })

  test('BAS-04 asking, or not, does not research again', async () => {
    const path = await runPath(it, asked)
    await it.alice.untilDone(path)
    const before = knowledge.asked.length
    await it.alice.get(path)
    await it.alice.get(`${path}?include=basis`)
    expect(knowledge.asked).toHaveLength(before)
  })

  test.each(['Nobody', 'Vague', 'Absent'])('BAS-14 %s has an empty basis', async (name) => {
    expect(await resultOf(`${await jobPath(it, { name, include: 'basis' })}?include=basis`)).toMatchObject({
      basis: [],
    })
  })

  test('BAS-14 a failed job has an empty basis', async () => {
    expect(
      await resultOf(`${await jobPath(it, { name: 'Broken', include: 'basis' })}?include=basis`),
    ).toMatchObject({
      status: 'failed',
      basis: [],
    })
  })
})
