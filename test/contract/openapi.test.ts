import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { event, eventType } from '../../src/contract/events.js'
import { apiKeyHeader, rateLimitHeaders } from '../../src/contract/limits.js'
import { routes, type Route, type RouteName } from '../../src/contract/routes.js'
import {
  objectsIn,
  operationsOf,
  resolveRef,
  validatorOf,
  type Listed,
  type OpenApi,
} from '../support/openapi.js'
import { sendHead } from '../support/raw-http.js'
import { startTestService, type TestService } from '../support/test-service.js'

let it: TestService
let api: OpenApi
let listed: Listed[]
beforeAll(async () => {
  it = await startTestService({ version: '9.8.7' })
  api = (await it.nobody.get('/openapi.json')).json as unknown as OpenApi
  listed = operationsOf(api)
})

const names = Object.keys(routes) as RouteName[]
const routeOf = (name: string): Route => routes[name as RouteName]

describe('the document', () => {
  test('is OpenAPI 3.1, with every block that it needs and no other', () => {
    expect(api.openapi).toBe('3.1.0')
    expect(Object.keys(api).sort()).toEqual(
      'components info jsonSchemaDialect openapi paths security servers tags webhooks'.split(' ').sort(),
    )
    expect(api.info).toMatchObject({
      title: expect.any(String),
      version: '9.8.7',
      description: expect.any(String),
      // Linters of OpenAPI want both.
      contact: { name: expect.any(String) },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    for (const key of Object.keys(api.components.schemas)) expect(key).toMatch(/^[\w.-]+$/)
  })

  test('has every route of the contract, and none more', () => {
    const inDocument = listed.map(
      ({ method, path, operation }) => `${operation.operationId} ${method} ${path}`,
    )
    const inContract = names.map((name) => `${name} ${routes[name].method} ${routes[name].path}`)
    expect(inDocument.sort()).toEqual(inContract.sort())
  })

  test('every reference leads somewhere, and every named schema is used', () => {
    const refs = [...objectsIn(api)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(100)
    expect(refs.filter((ref) => !ref.startsWith('#/') || resolveRef(api, ref) === undefined)).toEqual([])
    const named = Object.keys(api.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(named.filter((ref) => !refs.includes(ref))).toEqual([])
  })

  test('a run is discriminated by its status', () => {
    expect(api.components.schemas['Run']).toMatchObject({
      oneOf: ['PendingRun', 'CompletedRun', 'FailedRun'].map((id) => ({
        $ref: `#/components/schemas/${id}`,
      })),
      discriminator: {
        propertyName: 'status',
        mapping: { COMPLETED: '#/components/schemas/CompletedRun' },
      },
    })
  })

  test('operations have an id of their own, a summary, a description and a tag that is declared', () => {
    const all = [
      ...listed.map(({ operation }) => operation),
      ...Object.values(api.webhooks).map(({ post }) => post),
    ]
    const tags = api.tags.map(({ name }) => name)
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length)
    for (const { operationId, summary, description, tags: own, responses } of all) {
      expect({ operationId, ok: summary.length > 5 && description.length > 10 }).toEqual({
        operationId,
        ok: true,
      })
      expect(own.filter((tag) => !tags.includes(tag))).toEqual([])
      expect(own).toHaveLength(1)
      for (const [status, { description: meaning }] of Object.entries(responses)) {
        expect(status).toMatch(/^([2-5]\d\d|2XX)$/)
        expect(meaning).not.toBe('')
      }
    }
  })

  test('parameters of the path are those of its template, all required, and each is said to be what it is', () => {
    for (const { path, operation } of listed) {
      const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual(inTemplate)
      expect(inPath.every(({ required }) => required)).toBe(true)
      for (const { name, schema, description } of operation.parameters) {
        expect({ path, name, type: schema.type }).toMatchObject({ type: expect.any(String) })
        expect(description).toEqual(expect.any(String))
      }
    }
  })

  test('parameters of the query are those that the contract reads', () => {
    for (const { operation } of listed) {
      const { query } = routeOf(operation.operationId)
      const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
      const read = Object.keys((query as z.ZodObject).shape)
      expect({ id: operation.operationId, names: inQuery.map(({ name }) => name) }).toEqual({
        id: operation.operationId,
        names: read,
      })
    }
  })

  test('every field of every shape is described', () => {
    const bare = [...objectsIn(api.components.schemas), ...objectsIn(api.paths)].flatMap(
      ([path, { properties }]) =>
        Object.entries((properties ?? {}) as Record<string, { description?: string }>).flatMap(
          ([key, field]) =>
            typeof field === 'object' && (field.description ?? '') === '' ? [`${path}/${key}`] : [],
        ),
    )
    expect(bare).toEqual([])
  })

  test('names the key, and the address it was asked at', async () => {
    expect(api.components.securitySchemes['key']).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: apiKeyHeader,
    })
    expect(api.servers).toEqual([{ url: it.service.url, description: 'This service' }])
    for (const [headers, url] of [
      [{ host: 'localhost:1234' }, 'http://localhost:1234'],
      [{ host: 'LOCALHOST', 'x-forwarded-proto': 'https' }, 'https://LOCALHOST'],
    ] as const) {
      const { body } = await sendHead(it.service, 'GET /openapi.json', headers)
      expect((JSON.parse(body) as OpenApi).servers[0]?.url).toBe(url)
    }
  })

  test('takes nothing from a Host that would break out of it', async () => {
    const open = await startTestService({ listen: { host: '0.0.0.0', port: 0 } })
    const target = { host: '127.0.0.1', port: open.service.port }
    for (const host of ['"><script>alert(1)</script>', 'a"b', 'a b', `a'onload=x`, 'x'.repeat(300)]) {
      for (const path of ['/openapi.json', '/docs']) {
        const { status, body } = await sendHead(target, `GET ${path}`, { host })
        // What is no host at all, Node or the page leaves out.
        if (status === 200) expect(body).not.toMatch(/<script(?! defer src="docs\.js")|a"b|onload=x/)
      }
    }
  })
})

test('An operation has the statuses, limits, headers and price of its route in the contract', () => {
  for (const { operation } of listed) {
    const route = routeOf(operation.operationId)
    const expected = [
      ...Object.keys(route.replies),
      ...route.errors.map(String),
      ...(route.body === null ? [] : ['413']),
    ]
    expect(Object.keys(operation.responses).sort()).toEqual(expected.sort())
    const { limit } = route
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      const isLimited = limit !== null && (Number(status) < 300 || status === '429')
      expect(Object.keys(headers)).toEqual(isLimited ? Object.values(rateLimitHeaders) : [])
    }
    expect(operation.description.includes(' requests per minute')).toBe(limit !== null)
    expect(operation.description.includes('Billed.')).toBe(route.isBilled === true)
  }
})

describe('examples', () => {
  test('of requests are taken by the contract', () => {
    for (const { operation, path } of listed) {
      const route = routeOf(operation.operationId)
      const given = (place: string) =>
        Object.fromEntries(
          operation.parameters
            .filter((parameter) => parameter.in === place && parameter.example !== undefined)
            .map(({ name, example }) => [name, String(example)]),
        )
      expect({ path, ...route.params.safeParse(given('path')) }).toMatchObject({ success: true })
      expect({ path, ...route.query.safeParse(given('query')) }).toMatchObject({ success: true })
      const example = operation.requestBody?.content['application/json'].example
      if (route.body !== null)
        expect({ path, ...route.body.safeParse(example) }).toMatchObject({ success: true })
    }
  })

  test('of answers are there for every answer, and are what the contract and the printed schema say', () => {
    for (const { operation } of listed) {
      const { replies } = routeOf(operation.operationId)
      for (const [status, schema] of Object.entries(replies)) {
        const content = operation.responses[status]?.content
        // A notification is answered with nothing.
        if (content === undefined) {
          expect(`${operation.operationId} ${status}`).toBe('mcp 202')
          continue
        }
        const { example, schema: printed } = content['application/json']
        expect({
          id: operation.operationId,
          status,
          issues: schema.safeParse(example).error?.issues,
        }).toEqual({
          id: operation.operationId,
          status,
          issues: undefined,
        })
        expect(validatorOf(api, printed).safeParse(example).error?.issues).toBeUndefined()
      }
    }
  })

  test('of errors are there for every status, and are what the printed schema says', () => {
    for (const { operation } of listed) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const { examples = {}, schema } = content?.['application/json'] ?? { schema: {} }
        expect(Object.keys(examples).length).toBeGreaterThan(0)
        for (const { value } of Object.values(examples)) {
          expect(validatorOf(api, schema).safeParse(value).error?.issues).toBeUndefined()
        }
      }
    }
  })

  test('that are wrong would be seen: the printed schemas refuse them', () => {
    const wrong = { error: { type: 7, message: 'x' } }
    expect(validatorOf(api, { $ref: '#/components/schemas/Error' }).safeParse(wrong).success).toBe(false)
    expect(
      validatorOf(api, { $ref: '#/components/schemas/Address' }).safeParse({ city: 'Leeds' }).success,
    ).toBe(false)
  })
})

describe('events', () => {
  test('stand among the webhooks, each with its headers and its signature', () => {
    expect(Object.keys(api.webhooks)).toEqual(eventType.options)
    for (const { post } of Object.values(api.webhooks)) {
      const parameters = post.parameters.map(
        ({ $ref = '' }) => resolveRef(api, $ref) as { name: string; in: string },
      )
      expect(parameters.map(({ name }) => name.toLowerCase()).sort()).toEqual(
        ['service-event-type', 'user-agent', 'webhook-id', 'webhook-signature', 'webhook-timestamp'].sort(),
      )
      expect(parameters.every((parameter) => parameter.in === 'header')).toBe(true)
      expect(post.security).toEqual([{ signature: [] }])
      expect(post.requestBody?.content['application/json'].schema).toEqual({
        $ref: '#/components/schemas/Event',
      })
    }
    expect(api.components.securitySchemes['signature']).toMatchObject({
      in: 'header',
      name: 'webhook-signature',
    })
  })

  test('have an example that is one', () => {
    const examples = Object.entries(api.webhooks).flatMap(([type, { post }]) => {
      const { example } = post.requestBody!.content['application/json']
      return example === undefined ? [] : [{ type, example }]
    })
    expect(examples).toHaveLength(1)
    for (const { type, example } of examples) expect(event.parse(example).type).toBe(type)
  })
})
