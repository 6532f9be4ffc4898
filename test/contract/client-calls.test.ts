import type { z } from 'zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServiceClient, buildRequest, type FullServiceClient } from '../../src/client/client.js'
import { routes, parseVersion, type RouteName } from '../../src/contract/routes.js'
import type { Exchange } from '../../src/core/http-exchange.js'
import { keys, startTestService } from '../support/test-service.js'

let client: FullServiceClient

beforeAll(async () => {
  const { service } = await startTestService()
  client = createServiceClient({
    baseUrl: service.url,
    apiKey: keys.alice,
    userAgent: 'test',
    connectionsMax: 4,
  })
})
afterAll(() => client.close())

/** A call of every route, as a person would write it. */
const calls: { readonly [Name in RouteName]: (calls: FullServiceClient['calls']) => Promise<Exchange> } = {
  readEntityV1: ({ readEntityV1 }) => readEntityV1({ params: { entity_id: 'siq_acme' } }),
  readDomainV1: ({ readDomainV1 }) => readDomainV1({ query: { domain: 'acme.example' } }),
  readHierarchy: ({ readHierarchy }) => readHierarchy({ params: { entity_id: 'siq_acme' } }),
  readUltimateParent: ({ readUltimateParent }) => readUltimateParent({ params: { entity_id: 'siq_acme' } }),
  requestHierarchy: ({ requestHierarchy }) =>
    requestHierarchy({ params: { entity_id: 'siq_acme' }, body: {} }),
  report: ({ report }) => report({ body: { run_id: 'run_1', note: 'wrong company' } }),
  mcp: ({ mcp }) => mcp({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
  search: ({ search }) => search({ query: { name: 'Acme', limit: '3' } }),
  streamResolution: ({ streamResolution }) => streamResolution({ query: { name: 'Acme' } }),
  submitResolution: ({ submitResolution }) => submitResolution({ query: { name: 'Acme' } }),
  pollResolution: ({ pollResolution }) => pollResolution({ params: { request_id: 'reqa_unknown' } }),
  kickoffRun: ({ kickoffRun }) => kickoffRun({ body: { name: 'Acme' } }),
  kickoffJob: ({ kickoffJob }) => kickoffJob({ query: { name: 'Acme' } }),
  pollJob: ({ pollJob }) => pollJob({ params: { job_id: 'job_unknown' } }),
  pollRun: ({ pollRun }) => pollRun({ params: { run_id: 'run_unknown' }, query: { include: 'basis' } }),
  readEntity: ({ readEntity }) => readEntity({ params: { id: 'siq_acme' } }),
  readDomain: ({ readDomain }) => readDomain({ query: { domain: 'https://www.acme.example/about' } }),
  requestDomain: ({ requestDomain }) => requestDomain({ body: { domain: 'info@acme.example' } }),
}

describe('the client', () => {
  test.each(Object.keys(routes) as RouteName[])(
    'VER-01 has a function for %s, and is answered',
    async (name) => {
      const exchange = await calls[name](client.calls)
      if (exchange.kind === 'no_reply') throw new Error(exchange.reason)
      // Unknown ids are unknown; nothing is malformed, unserved or refused.
      expect([200, 202, 404]).toContain(exchange.status)
      const schema = new Map<string, z.ZodType>(Object.entries(routes[name].replies)).get(
        `${exchange.status}`,
      )
      expect(schema?.safeParse(exchange.body).success ?? exchange.status === 404).toBe(true)
    },
  )

  test('VER-03 only v1 tells a business model', () => {
    const tells = (Object.keys(routes) as RouteName[]).filter((name) =>
      Object.values(routes[name].replies).some((schema) => mentions(schema, 'business_model')),
    )
    expect(tells.map((name) => parseVersion(routes[name].path)).every((version) => version === 'v1')).toBe(
      true,
    )
    expect(tells).toEqual(['readEntityV1', 'readDomainV1'])
  })

  test('a query parameter that is undefined is left out', () => {
    const { path } = buildRequest(routes.search, { query: { name: 'A & B', country_code: undefined } })
    expect(path).toBe('/v2/search?name=A+%26+B')
  })
})

function mentions(schema: unknown, word: string): boolean {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === 'parent' || typeof value === 'function' ? undefined : value,
  ).includes(`"${word}"`)
}
