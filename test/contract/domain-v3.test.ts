import { beforeAll, describe, expect, test } from 'vitest'
import { domainReply, type DomainReply } from '../../src/contract/domain.js'
import { errorBody } from '../../src/contract/errors.js'
import type { EntityId } from '../../src/contract/enums.js'
import { unknownClassification, unknownProfiles, unknownWebsiteStatus } from '../../src/contract/unknown.js'
import type { SiteVisit } from '../../src/service/records/domains/website-check.js'
import type { ServiceOptions } from '../../src/service/service.js'
import { untilBuilt } from '../support/builds.js'
import { fakeKnowledge, fullRecord, matchOf, noMatch, sampleEntity } from '../support/fake-knowledge.js'
import { keys } from '../support/keys.js'
import { manualClock } from '../support/manual-clock.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

const route = '/v3/domain-intelligence'
const pathOf = (domain: string) => `${route}?domain=${encodeURIComponent(domain)}`

const knowledge = fakeKnowledge({
  entities: [fullRecord()],
  domains: {
    'acme.example': matchOf(),
    'acme-rockets.example': matchOf(),
    'gone.example': { status: 'not_found' },
    'merged.example': matchOf(sampleEntity(), { status: 'merged', merged_into: 'siq_acme' as EntityId }),
    'two.example': {
      ...noMatch,
      status: 'inconclusive',
      match_confidence: 40,
      candidate: {
        name: 'Two',
        legal_name: null,
        jurisdiction: null,
        status: 'active',
        description: null,
        primary_address: { full_address: null, state_code: null, country_code: null },
      },
    },
    'broken.example': new Error('the index is gone: /secret/path'),
    'failed.example': { status: 'failed' },
  },
  domainFacts: { 'acme.example': { aliases: ['acme-rockets.example', 'acme.example'] } },
})

const start = (options: Partial<ServiceOptions> = {}) => startTestService({ knowledge, ...options })

/** What is answered when the build has ended. */
const built = async (client: ServiceClient, domain: string): Promise<DomainReply> => {
  const reply = await untilBuilt(client, pathOf(domain))
  expect(reply.status).toBe(200)
  return domainReply.parse(reply.json)
}

let it: TestService
beforeAll(async () => {
  it = await start()
})

describe('the answer', () => {
  test('D3-01 D3-05 D3-06 GET and POST are 200 at once, without data while research runs', async () => {
    const clock = manualClock()
    const slow = await start({ clock, buildMs: { min: 90_000, max: 90_000 } })
    const replies = [
      await slow.alice.get(pathOf('acme.example')),
      await slow.alice.post(route, { domain: 'acme.example' }),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(200)
      expect(domainReply.parse(reply.json)).toMatchObject({
        domain: 'acme.example',
        status: 'building',
        data: null,
        metadata: {
          last_updated: null,
          processing_started_at: '2026-01-01T00:00:00.000Z',
          estimated_completion: '2026-01-01T00:01:30.000Z',
        },
      })
    }
    clock.advance(90_000)
    const complete = await built(slow.alice, 'acme.example')
    expect(complete).toMatchObject({
      status: 'complete',
      data: { status: 'matched' },
      metadata: { last_updated: '2026-01-01T00:01:30.000Z', estimated_completion: null },
    })
    const posted = domainReply.parse((await slow.alice.post(route, { domain: 'acme.example' })).json)
    expect({ ...posted, request_id: '' }).toEqual({ ...complete, request_id: '' })
  })

  test('D3-05 D3-09 D3-10 the company, and what is known of its own domain', async () => {
    const { data } = await built(it.alice, 'acme.example')
    const { id, display_name, legal_name, status, description, website } = sampleEntity()
    expect(data).toMatchObject({
      status: 'matched',
      confidence: 95,
      type: 'business',
      subtype: 'incorporated_entity',
      entity: { id, display_name, legal_name, status, description, website },
      candidate: null,
    })
    expect(data?.domain_intelligence).toEqual({
      domain: 'acme.example',
      url: 'https://acme.example',
      domain_aliases: ['acme-rockets.example'],
      description: null,
      tranco_rank: null,
      website_status: unknownWebsiteStatus,
      domain_context: {
        domain_type: 'corporate_website',
        domain_relationship: 'direct_owner',
        domain_purpose: null,
        business_relevance: null,
      },
      is_disposable_email_provider: null,
      industry: fullRecord().industry,
      classification: fullRecord().classification,
      social_profiles: { ...unknownProfiles, twitter: { handle: null } },
    })
    expect(data).not.toHaveProperty('redirect_info')
  })

  test('D3-10 of another domain than its website nothing of the company is said', async () => {
    const { data } = await built(it.alice, 'acme-rockets.example')
    expect(data).toMatchObject({
      entity: { id: 'siq_acme' },
      domain_intelligence: { url: null, industry: { schemes: {} }, classification: unknownClassification },
    })
    expect(data?.domain_intelligence.domain_context).toMatchObject({ domain_type: null })
  })

  test.each([
    ['unknown.example', 'no_match'],
    ['gone.example', 'not_found'],
    ['two.example', 'inconclusive'],
    ['merged.example', 'matched'],
  ])('D3-05 %s is complete, and %s', async (domain, status) => {
    expect(await built(it.alice, domain)).toMatchObject({ status: 'complete', domain, data: { status } })
  })

  test('ID-18 D3-02 every form of a domain gives the same result', async () => {
    const first = await built(it.alice, 'acme.example')
    for (const form of [
      'https://www.ACME.example:443/about?x=y',
      'jane@mail.acme.example',
      'acme.example.',
    ]) {
      const reply = await it.bob.get(pathOf(form))
      expect({ ...domainReply.parse(reply.json), request_id: '' }).toEqual({ ...first, request_id: '' })
    }
  })
})

describe('research that fails', () => {
  test.each(['broken.example', 'failed.example'])(
    'D3-06 %s is pending, with a reason that tells no secret, and begins again after a minute',
    async (domain) => {
      const clock = manualClock()
      const failing = await start({ clock })
      expect(await built(failing.alice, domain)).toMatchObject({ status: 'pending', data: null })
      const reply = await failing.alice.get(pathOf(domain))
      expect(reply.json.message).toMatch(/^The last research failed: /)
      expect(reply.text).not.toContain('secret')
      const askedCount = knowledge.asked.length
      clock.advance(59_999)
      await failing.alice.get(pathOf(domain))
      clock.advance(1)
      expect((await failing.alice.get(pathOf(domain))).json).toMatchObject({ status: 'building' })
      await built(failing.alice, domain)
      expect(knowledge.asked.length).toBe(askedCount + 1)
    },
  )
})

describe('refusals', () => {
  test.each(['localhost', '127.0.0.1', 'a', '🎉', 'a'.repeat(300), 'co.uk', 'printer.local', ''])(
    'D3-14 D3-16 %.20s is 400 by GET and POST, and not charged',
    async (domain) => {
      const poor = await start({ accounts: [{ name: 'alice', apiKey: keys.alice, creditUnits: 0 }] })
      for (const reply of [await poor.alice.get(pathOf(domain)), await poor.alice.post(route, { domain })]) {
        expect(reply.status).toBe(400)
        expect(errorBody.parse(reply.json).error.type).toBe('bad_request')
      }
    },
  )

  test('D3-14 without a domain it is 400', async () => {
    expect((await it.alice.get(route)).status).toBe(400)
    expect((await it.alice.post(route, {})).status).toBe(400)
    expect((await it.alice.post(route, { domain: 7 })).status).toBe(400)
    expect((await it.alice.get(`${route}?domain=a.example&domain=b.example`)).status).toBe(400)
  })

  test('D3-14 AUTH-12 without a key it is 401, without v3 403', async () => {
    expect((await it.nobody.get(pathOf('acme.example'))).status).toBe(401)
    const reply = await it.closed.get(pathOf('acme.example'))
    expect(reply.status).toBe(403)
    expect(errorBody.parse(reply.json).error.type).toBe('no_pricing_configured')
  })

  test('D3-14 the first request ever for a domain is charged a unit, and is 402 without one', async () => {
    const accounts = [
      { name: 'alice', apiKey: keys.alice, creditUnits: 1 },
      { name: 'bob', apiKey: keys.bob, creditUnits: 0 },
    ]
    const poor = await start({ accounts })
    const refused = await poor.bob.get(pathOf('acme.example'))
    expect(refused.status).toBe(402)
    expect(errorBody.parse(refused.json).error.type).toBe('insufficient_credits')
    expect((await poor.alice.get(pathOf('acme.example'))).status).toBe(200)
    expect((await poor.alice.get(pathOf('two.example'))).status).toBe(402)
    // What is there, or on its way, is read for nothing, also by those who have nothing.
    for (const client of [poor.alice, poor.bob])
      expect((await built(client, 'acme.example')).status).toBe('complete')
  })

  test('D3-14 of many who ask first at once, one is charged', async () => {
    const accounts = [{ name: 'alice', apiKey: keys.alice, creditUnits: 1 }]
    const poor = await start({ accounts })
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => poor.alice.get(pathOf('acme.example'))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect((await poor.alice.get(pathOf('two.example'))).status).toBe(402)
  })

  test('D3-13 RL-02 GET and POST have 600 requests a minute each, and say so', async () => {
    const limited = await start({ rateLimits: 'spec', clock: manualClock() })
    for (const remaining of [599, 598]) {
      const reply = await limited.alice.get(pathOf('acme.example'))
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit-minute': '600',
        'x-ratelimit-remaining-minute': String(remaining),
      })
    }
    const posted = await limited.alice.post(route, { domain: 'acme.example' })
    expect(posted.headers['x-ratelimit-remaining-minute']).toBe('599')
    const rest = await Promise.all(
      Array.from({ length: 599 }, () => limited.alice.get(pathOf('acme.example'))),
    )
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(1)
  })
})

describe('what a website tells', () => {
  const visit: SiteVisit = {
    status: {
      status: 200,
      is_resolvable: true,
      is_webserver_responsive: true,
      has_content: true,
      failure_reason: null,
      last_checked: '2026-01-01T00:00:00.000Z',
    },
    url: 'https://www.acme.example/en/',
    redirect: null,
    facts: { hasContent: true, description: 'Anvils.', profiles: { twitter: { handle: 'acme' } } },
  }
  const visited = async (parts: Partial<SiteVisit>) => {
    const checking = await start({ checkWebsite: () => Promise.resolve({ ...visit, ...parts }) })
    return (await built(checking.alice, 'acme.example')).data
  }

  test('D3-08 D3-09 it stands among the facts of the domain, twitter too', async () => {
    const data = await visited({})
    expect(data?.domain_intelligence).toMatchObject({
      url: visit.url,
      description: 'Anvils.',
      website_status: visit.status,
      social_profiles: { twitter: { handle: 'acme' } },
    })
    expect(data).not.toHaveProperty('redirect_info')
  })

  test.each([
    [301, 'permanent'],
    [308, 'permanent'],
    [302, 'temporary'],
    [307, 'temporary'],
  ])('D3-07 a domain that redirects with %i to another tells so', async (statusCode, redirectType) => {
    const data = await visited({ redirect: { finalDomain: 'rockets.example', statusCode } })
    expect(data?.redirect_info).toEqual({
      is_redirect: true,
      original_domain: 'acme.example',
      final_domain: 'rockets.example',
      redirect_status_code: statusCode,
      redirect_type: redirectType,
    })
  })

  test('D3-05 lists of domains tell ranks and disposable mailboxes', async () => {
    const listed = await start({
      domainLists: {
        hash: null,
        getRank: (domain) => (domain === 'acme.example' ? 1_234 : null),
        isDisposable: (domain) => domain === 'gone.example',
      },
    })
    expect((await built(listed.alice, 'acme.example')).data?.domain_intelligence).toMatchObject({
      tranco_rank: 1_234,
      is_disposable_email_provider: false,
    })
    expect((await built(listed.alice, 'gone.example')).data?.domain_intelligence).toMatchObject({
      tranco_rank: null,
      is_disposable_email_provider: true,
    })
  })
})
