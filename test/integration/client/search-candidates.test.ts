import { describe, expect, onTestFinished, test } from 'vitest'
import { createHostedCandidates } from '../../../src/app/hosted-candidates.js'
import { createKnowledge } from '../../../src/app/registry-adapter.js'
import { createServiceClient } from '../../../src/client/client.js'
import { UserError } from '../../../src/core/errors.js'
import type { Candidate } from '../../../src/core/decisions.js'
import { systemClock } from '../../../src/platform/clock.js'
import {
  startStrangeService,
  type StrangeService,
  type StrangeServiceOptions,
} from '../../support/strange-service.js'
import { keys } from '../../support/keys.js'
import { manualClock, type ManualClock } from '../../support/manual-clock.js'
import { registryOf, sampleRows } from '../../support/registry.js'
import { startTestService } from '../../support/test-service.js'

const asked = (name: string, location: string | null = null) => ({ name, location, context: null })

function sourceOf(baseUrl: string, apiKey: string, clock = systemClock) {
  const client = createServiceClient({ baseUrl, apiKey, userAgent: 'test', connectionsMax: 4 })
  onTestFinished(() => client.close())
  return createHostedCandidates({ client, clock, windowMs: 60_000 })
}

/** A foreign service, and what candidates it gives. */
async function foreign(options: StrangeServiceOptions, clock?: ManualClock) {
  const service = await startStrangeService(options)
  onTestFinished(() => service.close())
  return { service, source: sourceOf(service.baseUrl, service.apiKey, clock) }
}

const searches = ({ requests }: StrangeService) =>
  requests.filter(({ path }) => path === '/v2/search').map(({ query }) => Object.fromEntries(query))
const result = (number: number, parts: object = {}) => ({
  id: `le_${number}`,
  entity_id: `siq_${number}`,
  name: `Acme ${number}`,
  status: 'active',
  is_branch: false,
  jurisdiction: { country: 'France', country_code: 'FR', jurisdiction_code: 'fr' },
  ...parts,
})
const failure = async (found: Promise<readonly Candidate[]>): Promise<UserError> => {
  const error: unknown = await found.catch((thrown: unknown) => thrown)
  if (!(error instanceof UserError)) throw new Error("it was to fail in a user's words")
  return error
}

describe('candidates of a hosted service', () => {
  test('are searched for by the name without its identifiers, in a country that is certain', async () => {
    const { service, source } = await foreign({ search: () => [result(1)] })
    const found = await source.findCandidates(
      asked('Acme (CIK 320193, website acme.example)', 'Lyon, France'),
    )
    expect(found).toMatchObject([
      { entityId: 'siq_1', legalEntityId: 'le_1', name: 'Acme 1', countryCode: 'FR' },
    ])
    await source.findCandidates(asked('Acme', 'San Bruno, CA'))
    await source.search('Acme Foods', 'DE')
    expect(searches(service)).toEqual([
      { name: 'Acme', limit: '10', country_code: 'FR' },
      { name: 'Acme', limit: '10' },
      { name: 'Acme Foods', limit: '10', country_code: 'DE' },
    ])
    expect(source.isEager).toBe(false)
  })

  test('are five companies at most, each once; ten for a person who searches', async () => {
    const results = [1, 1, 2, 3, 4, 5, 6, 7, 8].map((number, at) => result(number, { id: `le_${at}` }))
    const { source } = await foreign({ search: () => [...results, result(9, { entity_id: null })] })
    const ids = (found: readonly Candidate[]) => found.map(({ entityId }) => entityId)
    expect(ids(await source.findCandidates(asked('Acme')))).toEqual(
      'siq_1 siq_2 siq_3 siq_4 siq_5'.split(' '),
    )
    expect(ids(await source.search('Acme', null))).toHaveLength(9)
    expect(ids(await source.search('Acme', null)).at(-1)).toBeNull()
  })

  test('of identifiers alone, or of one letter, nothing is asked', async () => {
    const { service, source } = await foreign({ search: () => [result(1)] })
    expect(await source.findCandidates(asked('CIK 320193'))).toEqual([])
    expect(await source.search('A', null)).toEqual([])
    expect(service.requests).toEqual([])
  })

  test('of our own service are those of its registry, as the interface words them', async () => {
    const { service } = await startTestService({ knowledge: createKnowledge(registryOf(sampleRows)) })
    const found = await sourceOf(service.url, keys.alice).findCandidates(asked('acme widgets', 'Leeds, GB'))
    expect(found.map(({ name }) => name).sort()).toEqual(['Acme Widgets LLP', 'Acme Widgets Limited'])
    expect(found.every(({ entityId }) => entityId?.startsWith('siq_'))).toBe(true)
  })
})

describe('a service that gives none', () => {
  test.each([
    [{ status: 401, body: { message: 'no key' } }, 'HTTP 401: no key', 'ENRICH_API_KEY'],
    [
      { status: 500, body: { error: { type: 'api_error', message: 'oops' } } },
      'api_error: oops',
      'in a moment',
    ],
    [{ status: 200, body: '<html>' }, 'not JSON', 'base URL'],
    ['reset' as const, 'connection', 'reached'],
  ])('%o is CANDIDATES_UNAVAILABLE, with a hint', async (fault, reason, hint) => {
    const { source } = await foreign({ faults: () => fault })
    const error = await failure(source.findCandidates(asked('Acme')))
    expect(error.code).toBe('CANDIDATES_UNAVAILABLE')
    expect(error.message).toContain(reason)
    expect(error.hint).toContain(hint)
  })

  test('for its limit gets no request for as long as it asks for, and nothing waits for that', async () => {
    const clock = manualClock()
    let isOver = false
    const refusal = { status: 429, headers: { 'ratelimit-reset': '30' }, body: { message: 'slow down' } }
    const { service, source } = await foreign(
      { search: () => [result(1)], faults: () => (isOver ? undefined : refusal) },
      clock,
    )
    // The distance between two requests has passed.
    clock.advance(1_000)
    expect((await failure(source.findCandidates(asked('Acme')))).hint).toContain('in 30 s')
    clock.advance(10_000)
    expect((await failure(source.search('Other', null))).hint).toContain('in 20 s')
    expect(service.requests).toHaveLength(1)
    clock.advance(20_000)
    isOver = true
    expect(await source.findCandidates(asked('Acme'))).toHaveLength(1)
  })

  test('keeps to the pace that its headers tell', async () => {
    const clock = manualClock()
    const reply = { headers: { 'x-ratelimit-limit-minute': '6' }, status: 200, body: { results: [] } }
    const { service, source } = await foreign({ faults: () => reply }, clock)
    clock.advance(1_000)
    await source.search('Acme', null)
    await (async () => {
      clock.advance(1_000)
      return source.search('Acme', null)
    })()
    const third = source.search('Acme', null)
    clock.advance(9_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(service.requests).toHaveLength(2)
    clock.advance(2_000)
    await third
    expect(service.requests).toHaveLength(3)
  })

  test('gets no more requests for a search that was replaced', async () => {
    const { service, source } = await foreign({})
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(source.findCandidates(asked('Acme'), gone)).rejects.toThrow('gone')
    expect(service.requests).toEqual([])
  })
})
