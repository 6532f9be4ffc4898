import { beforeAll, describe, expect, test } from 'vitest'
import { fakeKnowledge, matchOf, sampleRecord, sampleEntity } from '../support/fake-knowledge.js'
import { operationsOf, validatorOf, type Listed, type OpenApi, type Schema } from '../support/openapi.js'
import type { ServiceClient, ServiceReply } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'
import { entityId } from '../../src/contract/enums.js'

/**
 * What the document says of parameters and errors is tried on the service: at each bound a value that has to be
 * taken, and one beyond it that has to be refused.
 */
const exampleEntity = sampleEntity({ id: entityId.parse('siq_8Kq2vX4mT7') })
const knowledge = fakeKnowledge({
  answers: { 'Acme Trading': matchOf(exampleEntity) },
  entities: [sampleRecord(exampleEntity)],
})

let quick: TestService
/** Where nothing ends, so that no webhook is ever sent. */
let slow: TestService
let api: OpenApi
beforeAll(async () => {
  quick = await startTestService({ knowledge })
  const never = { min: 3_600_000, max: 3_600_000 }
  const resolveHost = () => Promise.resolve(['93.184.216.34'])
  slow = await startTestService({ knowledge, researchMs: never, buildMs: never, resolveHost })
  api = (await quick.nobody.get('/openapi.json')).json as unknown as OpenApi
})

interface Values {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

function exampleValues({ operation }: Listed): Values {
  const of = (place: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map(({ name, example }) => [name, example]),
    )
  const example = operation.requestBody?.content['application/json'].example
  return { path: of('path'), query: of('query'), body: example }
}

function send(client: ServiceClient, { method, path }: Listed, values: Values): Promise<ServiceReply> {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.path[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values.query)) query.set(name, String(value))
  const target = `${place}?${query.toString()}`
  return method === 'POST' ? client.post(target, values.body ?? {}) : client.get(target)
}

/** Values at the bounds of a schema that have to be taken, and beyond them that have to be refused. */
function boundsOf(
  name: string,
  schema: Schema,
  isText: boolean,
): { good: readonly unknown[]; bad: readonly unknown[] } {
  const { type, enum: values, minimum = 0, maximum = 0, minLength, maxLength, pattern } = schema
  if (values !== undefined) return { good: values, bad: ['nothing-of-it', ''] }
  if (type === 'boolean') return { good: [true, false], bad: ['maybe', '', 2] }
  if (type === 'integer') {
    return { good: [minimum, maximum], bad: [minimum - 1, maximum + 1, `${minimum}.5`, 'abc', '', `0x1`] }
  }
  const others = isText ? [] : [7, null, ['ab'], { a: 1 }, true]
  if (name === 'webhook_url') {
    const url = 'https://hooks.example.com/'
    const longest = url.padEnd(maxLength ?? 0, 'x')
    return { good: [url, longest], bad: [`${longest}x`, 'http://hooks.example.com/', 'hooks', '', ...others] }
  }
  const good: unknown[] = []
  const bad: unknown[] = [...others]
  if (minLength !== undefined && name !== 'domain') {
    good.push('a'.repeat(minLength))
    bad.push('a'.repeat(minLength - 1))
  }
  if (maxLength !== undefined) {
    good.push('a'.repeat(maxLength))
    bad.push('a'.repeat(maxLength + 1))
  }
  if (pattern !== undefined) {
    for (const text of [
      'é',
      'a\u0007b',
      '',
      'A',
      'AB',
      'ABC',
      'ABCD',
      'x'.repeat(10),
      'x'.repeat(11),
      '1',
      'U-1',
      'de',
    ]) {
      if (text.length < (minLength ?? 0)) continue
      ;(new RegExp(pattern, 'u').test(text) ? good : bad).push(text)
    }
  }
  return { good, bad }
}

async function expectTaken(listed: Listed, values: Values, what: string): Promise<void> {
  // A stream is held until its research has ended.
  const service = listed.operation.operationId === 'streamResolution' ? quick : slow
  const reply = await send(service.alice, listed, values)
  expect({
    what,
    status: reply.status,
    isDocumented: String(reply.status) in listed.operation.responses,
  }).toEqual({
    what,
    status: expect.toSatisfy((status: number) => status < 300 || status === 404),
    isDocumented: true,
  })
  expectShape(listed, reply, what)
}

async function expectRefused(listed: Listed, values: Values, what: string): Promise<void> {
  const reply = await send(quick.alice, listed, values)
  expect({ what, status: reply.status }).toEqual({ what, status: 400 })
  expectShape(listed, reply, what)
}

/** The body is what the document prints for the status. */
function expectShape({ operation }: Listed, reply: ServiceReply, what: string): void {
  const schema = operation.responses[reply.status]?.content?.['application/json'].schema
  if (schema === undefined) throw new Error(`${what}: ${reply.status} is not in the document`)
  expect({ what, issues: validatorOf(api, schema).safeParse(reply.json).error?.issues }).toEqual({
    what,
    issues: undefined,
  })
}

describe('every operation', () => {
  test('takes its examples, and answers as it says', async () => {
    for (const listed of operationsOf(api)) {
      await expectTaken(listed, exampleValues(listed), listed.operation.operationId)
    }
  })

  test('takes each parameter at its bounds, and refuses it beyond them', async () => {
    let triedCount = 0
    for (const listed of operationsOf(api)) {
      const values = exampleValues(listed)
      for (const { name, schema, in: place, required } of listed.operation.parameters) {
        if (place !== 'query') continue
        const set = (value: unknown): Values => ({ ...values, query: { ...values.query, [name]: value } })
        const { good, bad } = boundsOf(name, schema, true)
        const what = `${listed.operation.operationId} ${name}`
        for (const value of good) await expectTaken(listed, set(value), `${what}=${String(value)}`)
        for (const value of bad) await expectRefused(listed, set(value), `${what}=${String(value)}`)
        const without = Object.fromEntries(Object.entries(values.query).filter(([key]) => key !== name))
        const check = required ? expectRefused : expectTaken
        await check(listed, { ...values, query: without }, `${what} left out`)
        triedCount += good.length + bad.length
      }
    }
    expect(triedCount).toBeGreaterThan(70)
  })

  test('takes each field of its body at its bounds, and refuses it beyond them', async () => {
    let triedCount = 0
    for (const listed of operationsOf(api)) {
      const printed = listed.operation.requestBody?.content['application/json'].schema
      const ref = printed?.['$ref'] as string | undefined
      const schema = api.components.schemas[ref?.split('/').at(-1) ?? '']
      // What JSON-RPC has to be is judged by the tests of its endpoint.
      if (schema === undefined || listed.operation.operationId === 'mcp') continue
      const values = exampleValues(listed)
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const set = (value: unknown): Values => ({
          ...values,
          body: { ...(values.body as object), [name]: value },
        })
        const { good, bad } = boundsOf(name, field, false)
        const what = `${listed.operation.operationId} ${name}`
        for (const value of good) await expectTaken(listed, set(value), `${what}: ${JSON.stringify(value)}`)
        for (const value of bad) await expectRefused(listed, set(value), `${what}: ${JSON.stringify(value)}`)
        const isRequired = schema.required?.includes(name) ?? false
        await (isRequired ? expectRefused : expectTaken)(listed, set(undefined), `${what} left out`)
        triedCount += good.length + bad.length
      }
    }
    expect(triedCount).toBeGreaterThan(40)
  })

  test('refuses an id of another form as it says', async () => {
    for (const listed of operationsOf(api)) {
      const values = exampleValues(listed)
      for (const { name, in: place, schema } of listed.operation.parameters) {
        if (place !== 'path') continue
        const bad = schema['pattern'] === undefined ? 'no-such-id' : 'le_1'
        const reply = await send(quick.alice, listed, { ...values, path: { [name]: bad } })
        const what = `${listed.operation.operationId} ${name}`
        expect({ what, status: reply.status }).toEqual({
          what,
          status: name === 'request_id' ? 500 : schema['pattern'] === undefined ? 404 : 400,
        })
        expectShape(listed, reply, what)
      }
    }
  })

  test('answers without a key, with a body too long, and to an account it is closed to, as it says', async () => {
    for (const listed of operationsOf(api)) {
      const values = exampleValues(listed)
      const { operationId, responses } = listed.operation
      const unkeyed = await send(quick.nobody, listed, values)
      expect({ operationId, status: unkeyed.status }).toEqual({ operationId, status: 401 })
      expectShape(listed, unkeyed, operationId)
      if (listed.method === 'POST') {
        const long = await send(quick.alice, listed, { ...values, body: { name: 'x'.repeat(70_000) } })
        expect(long.status).toBe(413)
        expectShape(listed, long, operationId)
      }
      if (operationId.startsWith('kickoff')) {
        const closed = await send(quick.closed, listed, values)
        expect(closed.status).toBe(403)
        expect(responses['403']?.content?.['application/json'].examples).toHaveProperty(
          'no_pricing_configured',
        )
        expectShape(listed, closed, operationId)
      }
    }
  })
})
