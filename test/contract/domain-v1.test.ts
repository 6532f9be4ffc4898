import { beforeAll, describe, expect, test } from 'vitest'
import { domainReplyV1, type DomainReplyV1 } from '../../src/contract/domain.js'
import { untilBuilt } from '../support/builds.js'
import { fakeKnowledge, fullRecord, matchOf } from '../support/fake-knowledge.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

const pathOf = (domain: string) => `/v1/domain-intelligence?domain=${encodeURIComponent(domain)}`

const knowledge = fakeKnowledge({
  entities: [fullRecord()],
  domains: {
    'acme.example': matchOf(),
    'gone.example': { status: 'not_found' },
    'two.example': {
      status: 'inconclusive',
      candidate: {
        name: 'Two',
        legal_name: null,
        jurisdiction: 'gb',
        status: 'Dissolved',
        description: null,
        primary_address: { full_address: 'Leeds', state_code: null, country_code: 'GB' },
      },
    },
    'broken.example': new Error('the index is gone: /secret/path'),
  },
})

const built = async (client: ServiceClient, domain: string): Promise<DomainReplyV1> => {
  const reply = await untilBuilt(client, pathOf(domain))
  expect(reply.status).toBe(200)
  return domainReplyV1.parse(reply.json)
}

let it: TestService
beforeAll(async () => {
  it = await startTestService({ knowledge })
})

describe('the states', () => {
  test('D1-02 building has no data, complete has; a day later the old data stands while it is refreshed', async () => {
    const clock = manualClock()
    const slow = await startTestService({ knowledge, clock, buildMs: { min: 1_000, max: 1_000 } })
    const read = async () => domainReplyV1.parse((await slow.alice.get(pathOf('acme.example'))).json)
    expect(await read()).toMatchObject({
      domain: 'acme.example',
      status: 'building',
      data: null,
      metadata: { estimated_completion: '2026-01-01T00:00:01.000Z' },
    })
    clock.advance(1_000)
    const complete = await built(slow.alice, 'acme.example')
    expect(complete).toMatchObject({ status: 'complete', message: null, data: { status: 'matched' } })
    clock.advance(24 * 3_600_000)
    expect(await read()).toMatchObject({ status: 'refreshing', data: complete.data })
    // v3 holds the record, and calls it complete.
    const v3 = await slow.alice.get('/v3/domain-intelligence?domain=acme.example')
    expect(v3.json).toMatchObject({ status: 'complete', data: { status: 'matched' } })
    clock.advance(1_000)
    expect(await built(slow.alice, 'acme.example')).toMatchObject({ status: 'complete' })
  })

  test('D1-02 research that failed is an error, with HTTP 200 and a reason that tells no secret', async () => {
    const reply = await built(it.alice, 'broken.example')
    expect(reply).toMatchObject({ status: 'error', data: null })
    expect(reply.message).toMatch(/^The last research failed: internal error/)
  })
})

describe('the answer', () => {
  test('D1-04 E1-13 the company and the facts, in the words of v1', async () => {
    const { data } = await built(it.alice, 'acme.example')
    expect(data).toMatchObject({
      status: 'matched',
      confidence: 95,
      entity: {
        id: 'siq_acme',
        name: 'Acme',
        status: 'active',
        headquarters: { address: '1 High Street, Leeds LS1 1AA, United Kingdom', city: 'Leeds' },
        primary_legal_entity: { id: 'le_acme', name: 'Acme Trading Limited', jurisdiction: 'gb' },
      },
      candidate: null,
    })
    expect(data?.domain_intelligence).toMatchObject({
      domain: 'acme.example',
      url: 'https://acme.example',
      classification: {
        naics_codes_2022: [
          { code: '423', name: 'Trade 423', relevance: 90, confidence: 90, is_primary: true },
          { code: '42', name: 'Trade 42', relevance: 40, confidence: 40, is_primary: false },
        ],
        business_model: ['B2B', 'Usage based'],
        products_services: ['anvils', 'rockets'],
        business_tags: ['anvils'],
      },
    })
  })

  test.each([
    ['acme.example', 'matched'],
    ['two.example', 'inconclusive'],
    ['unknown.example', 'no_match'],
    ['gone.example', 'no_match'],
  ])('D1-03 %s is %s: v1 knows no not_found', async (domain, status) => {
    expect((await built(it.alice, domain)).data?.status).toBe(status)
  })

  test('D1-03 a candidate is active, inactive or neither', async () => {
    expect((await built(it.alice, 'two.example')).data?.candidate).toMatchObject({
      name: 'Two',
      status: 'inactive',
      primary_address: { full_address: 'Leeds' },
    })
  })

  test('D3-02 VER-01 every form gives the same result, and v1 and v3 read the same research', async () => {
    const first = await built(it.alice, 'acme.example')
    const askedCount = knowledge.asked.length
    expect(await built(it.bob, 'https://www.ACME.example/x')).toEqual(first)
    const v3 = await it.alice.get('/v3/domain-intelligence?domain=jane%40acme.example')
    expect(v3.json).toMatchObject({ status: 'complete', metadata: first.metadata })
    expect(knowledge.asked.length).toBe(askedCount)
  })
})

describe('refusals', () => {
  test.each([
    '',
    '?domain=',
    '?domain=localhost',
    '?domain=127.0.0.1',
    '?domain=a',
    `?domain=${'a'.repeat(300)}`,
  ])('D1-01 D3-16 %.30s is 400', async (query) => {
    const reply = await it.alice.get(`/v1/domain-intelligence${query}`)
    expect(reply.status).toBe(400)
    expect(reply.json).toMatchObject({ error: { type: 'bad_request' } })
  })

  test('D1-01 it needs a key, but neither v3 nor credit', async () => {
    expect((await it.nobody.get(pathOf('acme.example'))).status).toBe(401)
    expect((await it.closed.get(pathOf('acme.example'))).status).toBe(200)
    const poor = await startTestService({
      knowledge,
      accounts: [{ name: 'alice', apiKey: keys.alice, creditUnits: 0 }],
    })
    expect((await built(poor.alice, 'acme.example')).status).toBe('complete')
  })
})
