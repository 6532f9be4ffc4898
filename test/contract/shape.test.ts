import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { routes, type RouteName } from '../../src/contract/routes.js'
import { entityRecord } from '../../src/contract/entity.js'
import { domainResult } from '../../src/contract/domain.js'
import { jobResult } from '../../src/contract/result.js'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { importCsvText } from '../../src/registry/import/import-csv.js'
import { openRegistry } from '../../src/registry/registry.js'
import { untilBuilt } from '../support/builds.js'
import { endsWith, gapsIn, shapeOf } from '../support/contract-shape.js'
import { startTestService, type TestService } from '../support/test-service.js'

/** Blocks that the interface itself says may be null as a whole. Any other keeps its keys, and null stands inside. */
const mayBeNull = ['data', 'entity', 'candidate', 'matching_branch', 'parent_entity', 'ultimate_parent']
/** Keys that the interface itself says may be absent, and one that it does not have. */
const mayBeAbsent = [
  'custom_id',
  'basis',
  'enrichment',
  'redirect_info',
  'factors.*.severity',
  'factors.*.matched_name',
  'schemes.naics_2022',
  'schemes.sic',
]
/** "a profile may be omitted", in the entity record of v1 alone. */
const profilesOfV1 = ['crunchbase', 'linkedin', 'facebook', 'twitter'].map(
  (network) => `data.social_profiles.${network}`,
)
/** "identifier `jurisdiction` is optional here" */
const optionalInDomains = 'entity.identifiers.*.jurisdiction'

const repliesOf = (name: RouteName): Readonly<Record<number, z.ZodType>> => routes[name].replies

const bodies = (Object.keys(routes) as RouteName[]).flatMap((name) =>
  Object.entries(repliesOf(name)).map(([status, schema]): [string, z.ZodType] => [
    `${name} ${status}`,
    schema,
  ]),
)

describe('the contract', () => {
  test.each(bodies)('of %s leaves out no block but those that the interface says may be', (rule, schema) => {
    const { blocks, optionals } = shapeOf(schema)
    const nullable = blocks.filter(({ isNullable }) => isNullable).map(({ path }) => path)
    expect(nullable.filter((path) => !mayBeNull.some((end) => endsWith(path, end)))).toEqual([])
    // The reply to a read of a domain, in a run: it never has the key, which typed clients need.
    const ofRuns = rule.startsWith('pollRun') ? ['data.entity'] : []
    const allowed = [...mayBeAbsent, ...profilesOfV1, optionalInDomains, ...ofRuns]
    expect(optionals.filter((path) => !allowed.some((end) => endsWith(path, end)))).toEqual([])
  })

  /** Keys as the interface lists them, written here once more: a contract that loses one would go unnoticed else. */
  test.each([
    [
      'headquarters.address',
      'street_address street_number sub_premise city state state_code postal_code country country_code formatted_address',
    ],
    ['primary_legal_entity', 'id jurisdiction country_code state_code registration_authority'],
    [
      'primary_legal_entity.registration_authority',
      'id code name organization jurisdiction country_code website',
    ],
    ['facets', 'sector legal_form'],
    ['industry', 'schemes'],
    [
      'classification',
      'sector industry sub_industry business_tags market_segments revenue_models products_services',
    ],
    ['social_profiles', 'linkedin facebook crunchbase'],
    [
      'attributes',
      'description website domain employee_count employee_range revenue revenue_range founding_date stock_ticker exchange is_public market_cap funding_total_usd funding_rounds_count',
    ],
  ])('E3-10 the record has %s with %s', (path, keys) => {
    const block = shapeOf(entityRecord).blocks.find((one) => one.path === path)
    expect([...(block?.keys ?? [])].sort()).toEqual(keys.split(' ').sort())
  })

  test('the same blocks stand in results and in domains', () => {
    const keysAt = (schema: typeof jobResult | typeof domainResult, path: string) =>
      shapeOf(schema).blocks.find((one) => one.path === path)?.keys
    for (const path of [
      'entity.headquarters.address',
      'entity.primary_legal_entity.registration_authority',
    ]) {
      expect(keysAt(jobResult, path)).toHaveLength(path.endsWith('address') ? 10 : 7)
      expect(keysAt(domainResult, path)).toEqual(keysAt(jobResult, path))
    }
    expect(keysAt(domainResult, 'domain_intelligence.social_profiles')).toContain('twitter')
  })
})

/** The most that a file can tell of a company, and no more than a name. */
const file = `id,name,status,street_address,city,region,postal_code,country,jurisdiction,registration_id,registration_authority,lei,cik,ein,ticker,sic,naics,website
rich,International Business Machines Corporation,active,One New Orchard Road,Armonk,NY,10504,US,US-NY,123456,RA000628,VGRQXHF3J8VDLUA7XE92,51143,13-0871985,ibm,3570,334111,https://www.ibm.com
poor,Nordlys Kabel,,,,,,,,,,,,,,,,https://nordlys.example
fund,Oak Income Fund,,,,,,,,,,,,,,,,
`

describe.each([
  ['the most a register can tell', 'International Business Machines', 'ibm.com'],
  ['a name and no more', 'Nordlys Kabel', 'nordlys.example'],
  ['a candidate of which no more than the name is known', 'Oak Income Fund', 'unknown.example'],
  ['nothing', 'Unheard-of Bakery', 'unheard.example'],
])('real replies about %s', (_, name, domain) => {
  let it: TestService
  let id = 'siq_unknown'
  beforeAll(async () => {
    const registry = openRegistry(':memory:')
    importCsvText(registry, Buffer.from(file), { fileName: 'r.csv', fileDateMs: 0, sourceName: 'sample' })
    const knowledge = createKnowledge(registry)
    const [hit] = knowledge.search({ name, countryCode: null, regionCode: null, limit: 1 }).results
    id = hit?.entity_id ?? id
    it = await startTestService({ knowledge, researchMs: { min: 0, max: 0 }, buildMs: { min: 0, max: 0 } })
  })

  const expectWhole = (route: RouteName, { status, json }: { status: number; json: unknown }) => {
    const schema = repliesOf(route)[status]
    if (schema === undefined) throw new Error(`${route} answered ${status}`)
    expect(schema.safeParse(json).error).toBeUndefined()
    expect(gapsIn(json, schema, mayBeNull)).toEqual([])
  }
  const query = `?name=${encodeURIComponent(name)}`
  const until = async (path: string) => {
    for (let reply = await it.alice.get(path); ; reply = await it.alice.get(path)) {
      if (reply.status !== 202) return reply
    }
  }

  test('INV-10 a run, a job and their basis have every key', async () => {
    const run = await it.alice.post('/v3/entity-resolution/async', { name, custom_id: 'a', include: 'basis' })
    expectWhole('kickoffRun', run)
    expectWhole('pollRun', await until(`/v3/runs/${String(run.json.run_id)}?include=basis`))
    const job = await it.alice.get(`/v3/entity-resolution/async${query}&include=basis`)
    expectWhole('kickoffJob', job)
    expectWhole('pollJob', await until(`/v3/jobs/${String(job.json.job_id)}?include=basis`))
  })

  test('INV-10 v2 jobs, streams and search have every key', async () => {
    const job = await it.alice.get(`/v2/entity-resolution/async${query}`)
    expectWhole('submitResolution', job)
    expectWhole('pollResolution', await until(`/v2/entity-resolution/status/${String(job.json.request_id)}`))
    expectWhole('streamResolution', await it.alice.get(`/v2/entity-resolution/stream${query}`))
    expectWhole('search', await it.alice.get(`/v2/search${query}`))
  })

  test('INV-10 E3-10 records have every key, before and after they are built', async () => {
    if (id === 'siq_unknown') return
    expectWhole('readEntity', await it.alice.get(`/v3/entities/${id}`))
    expectWhole('readEntity', await untilBuilt(it.alice, `/v3/entities/${id}`))
    expectWhole('readEntityV1', await untilBuilt(it.alice, `/v1/entities/${id}`))
    await it.alice.post(`/v1/entity/${id}/hierarchy`, {})
    expectWhole('readHierarchy', await it.alice.get(`/v1/entity/${id}/hierarchy`))
  })

  test('INV-10 domains have every key', async () => {
    expectWhole('readDomain', await it.alice.get(`/v3/domain-intelligence?domain=${domain}`))
    expectWhole('readDomain', await untilBuilt(it.alice, `/v3/domain-intelligence?domain=${domain}`))
    expectWhole('readDomainV1', await untilBuilt(it.alice, `/v1/domain-intelligence?domain=${domain}`))
  })

  test('INV-10 MCP finds what the search finds, with the same keys', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
    const params = { name: 'search_legal_entities', arguments: { name } }
    const reply = await it.alice.post('/v1/mcp', { ...message, params })
    const { result } = reply.json as { result: { structuredContent: { results: unknown[] } } }
    const searched = await it.alice.get(`/v2/search${query}`)
    expect(result.structuredContent.results).toEqual(searched.json.results)
  })
})
