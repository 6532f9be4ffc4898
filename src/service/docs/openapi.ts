import { z } from 'zod'
import { errorBody } from '../../contract/errors.js'
import { apiKeyHeader, rateLimitHeaders } from '../../contract/limits.js'
import { routes, versionOf, type Route } from '../../contract/routes.js'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the interface: nothing in it is written by hand that the contract says. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries<Route>(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(name, route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Company entity resolution and intelligence',
      version,
      description:
        'Identifies companies and gives what registries say of them, with the source of each field. ' +
        'Three versions stand side by side; new callers use v3.',
    },
    security: [{ key: [] }],
    tags: [{ name: 'v3' }, { name: 'v2' }, { name: 'v1' }],
    paths,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: apiKeyHeader } },
      schemas: { Error: schemaOf(errorBody, 'output'), ErrorV1: errorV1 },
    },
  }
}

/** v1 and v2 have several shapes of error; every one has a message somewhere (interface: "Errors"). */
const errorV1: Json = {
  anyOf: [
    {
      type: 'object',
      properties: {
        error: { type: 'object', properties: { message: { type: 'string' }, type: { type: 'string' } } },
      },
      required: ['error'],
    },
    {
      type: 'object',
      properties: {
        message: { type: 'string' },
        request_id: { type: 'string' },
        code: { type: 'string' },
        error: { type: 'string' },
      },
      required: ['message'],
    },
  ],
}

function operationOf(name: string, route: Route): Json {
  const version = versionOf(route.path)
  const { limit } = route
  const budget =
    limit === null ? {} : { description: `At most ${limit.perMinute} requests a minute and ${limit.per}.` }
  const body = route.body === null ? {} : { requestBody: jsonContent(schemaOf(route.body, 'input'), true) }
  return {
    operationId: name,
    tags: [version],
    summary: route.summary,
    ...budget,
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...body,
    responses: { ...repliesOf(route), ...errorsOf(route, version === 'v3' ? 'Error' : 'ErrorV1') },
  }
}

function repliesOf(route: Route): Json {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => {
      const isEmpty = schema instanceof z.ZodLiteral
      const content = isEmpty ? {} : jsonContent(schemaOf(schema, 'output'))
      return [status, { description: descriptions[status] ?? 'An answer', ...headersOf(route), ...content }]
    }),
  )
}

function errorsOf(route: Route, schema: string): Json {
  const content = jsonContent({ $ref: `#/components/schemas/${schema}` })
  return Object.fromEntries(
    route.errors.map((status) => [
      status,
      {
        description: descriptions[status] ?? 'An error',
        ...(status === 429 ? headersOf(route) : {}),
        ...content,
      },
    ]),
  )
}

const descriptions: Partial<Record<string, string>> = {
  200: 'The answer',
  202: 'Accepted, or still running',
  400: 'A parameter is missing or wrong',
  401: 'The key is missing or wrong',
  402: 'The credit is used up; nothing was charged',
  403: 'Not allowed for this account or origin',
  404: 'Unknown, or of another account',
  429: 'The limit a minute, or of the plan, is reached',
  500: 'An error of the service',
  502: 'Not finished in time',
  503: 'Billing is not available; nothing was charged',
  504: 'Not answered in time',
}

function headersOf({ limit }: Route): Json {
  if (limit === null) return {}
  const whole = { schema: { type: 'integer', minimum: 0 } }
  return {
    headers: {
      [rateLimitHeaders.limit]: { description: 'Requests a minute', ...whole },
      [rateLimitHeaders.remaining]: { description: 'Requests left in this window', ...whole },
      [rateLimitHeaders.resetSeconds]: { description: 'Seconds to the end of this window', ...whole },
    },
  }
}

function jsonContent(schema: Json, required = false): Json {
  return { ...(required ? { required } : {}), content: { 'application/json': { schema } } }
}

function parametersOf(shape: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schemaOf(shape, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
  }))
}

/** OpenAPI 3.1 speaks JSON Schema as it is; the dialect is said once, by the document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const json: Json = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema'))
}
