import * as z from 'zod'
import { routeTexts } from '../../contract/descriptions.js'
import { event, eventType, type EventType } from '../../contract/events.js'
import { apiKeyHeader, rateLimitHeaders, deliveryLimits } from '../../contract/limits.js'
import { routes, type Route, type RouteName, listMethods, parseVersion } from '../../contract/routes.js'
import { errorShapes, listErrorReplies, type ErrorReply } from './error-replies.js'
import { exampleAnswers, exampleRequests, exampleEvent } from './examples/calls.js'
import { collectShapes, type Json, type Shapes } from './shapes.js'

const signatureText =
  'Standard Webhooks: HMAC with SHA-256 over <webhook-id>.<webhook-timestamp>.<raw body>, in base64, as v1,<signature>. ' +
  'The key is the base64 after whsec_ of the signing secret. Several entries are separated by spaces: one that ' +
  'matches is enough, and entries that do not begin with v1 are ignored. Compare in constant time, and refuse a ' +
  `timestamp more than ${deliveryLimits.toleranceSeconds} seconds away.`

const headers = {
  WebhookId: [
    'webhook-id',
    'The id of the event, the same at every attempt',
    { type: 'string' },
    exampleEvent.id,
  ],
  WebhookTimestamp: [
    'webhook-timestamp',
    'Unix time of this attempt in seconds',
    { type: 'integer' },
    exampleEvent.created,
  ],
  WebhookSignature: [
    'webhook-signature',
    signatureText,
    { type: 'string' },
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  EventType: ['service-event-type', 'The type of the event', { enum: eventType.options }, exampleEvent.type],
  UserAgent: ['User-Agent', 'The sender', { const: 'service-Webhooks/1' }, 'service-Webhooks/1'],
} as const

function describeDeliveryHeaders(): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([key, [name, description, schema, example]]) => [
      key,
      { name, in: 'header', required: key !== 'WebhookSignature', description, schema, example },
    ]),
  )
}

const meanings: Readonly<Record<EventType, string>> = {
  'entity_resolution.completed': 'A resolution has ended, with any outcome',
  'entity_resolution.failed': 'A resolution failed',
  'domain_intelligence.completed': 'The research of a domain has ended',
  'domain_intelligence.failed': 'The research of a domain failed',
  'entity.completed': 'The record of a company is built',
  'entity.failed': 'The record of a company could not be built',
}

const { retryDelaysSeconds: delays, answerSecondsMax } = deliveryLimits
const deliveryText =
  'Sent to the webhook_url of a v3 request, once for each request that ends. Any 2xx within ' +
  `${answerSecondsMax} seconds has delivered it; redirects are not followed. Otherwise it is sent again after ` +
  `${delays.join(', ')} seconds, ${delays.length + 1} times in total, and may arrive twice: handle each id once.`

/** Builds the events in OpenAPI's form of webhooks. */
function describeDeliveries(): Json {
  return Object.fromEntries(
    eventType.options.map((type) => [
      type,
      {
        post: {
          operationId: type,
          tags: ['events'],
          summary: meanings[type],
          description: deliveryText,
          security: [{ signature: [] }],
          parameters: Object.keys(headers).map((key) => ({ $ref: `#/components/parameters/${key}` })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Event' },
                ...(type === exampleEvent.type ? { example: exampleEvent } : {}),
              },
            },
          },
          responses: { '2XX': { description: 'Delivered' } },
        },
      },
    ]),
  )
}

/** Builds the OpenAPI 3.1 document of the interface at an address, from the contract. */
export function buildOpenApiDocument(version: string, origin: string): Json {
  const shapes = collectShapes([event, ...errorShapes])
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, route] of Object.entries<Route>(routes)) {
    const operation = buildOperation(name as RouteName, route, shapes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title,
      version,
      description,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin, description: 'This service' }],
    security: [{ key: [] }],
    tags: [
      { name: 'v3', description: 'Runs, jobs, records and domains. For new callers.' },
      { name: 'v2', description: 'Instant search, and resolutions as jobs or streams.' },
      { name: 'v1', description: 'Records, domains and hierarchies of companies, reports, MCP.' },
      { name: 'events', description: 'Events that the service sends to a webhook_url.' },
    ],
    paths,
    webhooks: describeDeliveries(),
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: apiKeyHeader,
          description: 'Every route needs it. Keep it out of addresses and of web pages.',
        },
        signature: { type: 'apiKey', in: 'header', name: 'webhook-signature', description: signatureText },
      },
      parameters: describeDeliveryHeaders(),
      schemas: shapes.named,
    },
  }
}

export const title = 'Company entity resolution and intelligence'

/** The purpose of the service; then, after an empty line, the rules of all routes. */
export const description =
  'Identifies companies and returns the data that registers state about them, with the source of each field. ' +
  'Three versions run side by side; use v3 in new code. Unknown values are null.\n\n' +
  'In addition to the errors of each route, an unknown path is a 404, and a method that a path does not accept a 405. ' +
  'Every GET also accepts HEAD, unless it is charged. A web page of another site gets a 403 (forbidden). A service ' +
  'that listens only on its own machine answers a Host other than localhost, 127.0.0.1 or [::1] with 421 ' +
  '(misdirected_request). Large replies are compressed if Accept-Encoding allows it, and have an ETag: a read with the ' +
  'same tag in If-None-Match gets a 304.'

/** Builds the OpenAPI operation of one route. */
function buildOperation(name: RouteName, route: Route, shapes: Shapes): Json {
  const request = exampleRequests[name]
  return {
    operationId: name,
    tags: [parseVersion(route.path)],
    summary: route.summary,
    description: buildDescription(name, route),
    parameters: [
      ...buildParameters(shapes.getParameterSchema(route.params), 'path', request.params),
      ...buildParameters(shapes.getParameterSchema(route.query), 'query', request.query),
    ],
    ...(route.body === null ? {} : { requestBody: buildBody(route.body, request.body, shapes) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.replies).map(([status, schema]) => [
          status,
          buildAnswer(name, route, Number(status), schema, shapes),
        ]),
      ),
      ...Object.fromEntries(
        listErrorReplies(name, route).map((reply) => [reply.status, buildError(route, reply, shapes)]),
      ),
    },
  }
}

function buildDescription(name: RouteName, route: Route): string {
  const { limit, isBilled = false } = route
  return [
    routeTexts[name],
    isBilled ? 'Billed.' : '',
    limit === null ? '' : `At most ${limit.perMinute} requests per minute for each ${limit.per}.`,
    listMethods(route).includes('HEAD') ? '' : route.method === 'GET' ? 'HEAD is a 405 here.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}

function buildParameters(
  { properties = {}, required = [] }: ObjectSchema,
  place: 'path' | 'query',
  examples: Readonly<Record<string, string>> = {},
): Json[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
    ...(examples[name] === undefined ? {} : { example: parseExample(schema, examples[name]) }),
  }))
}

/** Converts an example value from the text of the query to the type in its schema. */
function parseExample(schema: Json, text: string): unknown {
  return schema['type'] === 'integer' || schema['type'] === 'boolean' ? (JSON.parse(text) as unknown) : text
}

function buildBody(body: z.ZodType, example: object | undefined, shapes: Shapes): Json {
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': {
        schema: shapes.getSchema(body, 'input'),
        ...(example === undefined ? {} : { example }),
      },
    },
  }
}

const answerTexts: Partial<Record<number, string>> = {
  200: 'The answer',
  202: 'Accepted, or still running',
}

function buildAnswer(name: RouteName, route: Route, status: number, schema: z.ZodType, shapes: Shapes): Json {
  const head = { description: answerTexts[status] ?? 'An answer', ...buildHeaders(route) }
  if (schema instanceof z.ZodLiteral) return { ...head, description: 'Accepted; no body' }
  const example = exampleAnswers[name][status]
  return {
    ...head,
    content: {
      'application/json': {
        schema: shapes.getSchema(schema, 'output'),
        ...(example === undefined ? {} : { example }),
      },
    },
  }
}

export const errorTexts: Readonly<Record<number, string>> = {
  400: 'A parameter is missing or wrong',
  401: 'The key is missing or wrong',
  402: 'The credit is used up; nothing was charged',
  403: 'Not enabled for this account, or called by a web page of another site',
  404: 'Unknown, or belongs to another account',
  405: 'The path does not accept this method; Allow lists those it accepts',
  413: 'The body is too long',
  421: 'The Host header does not name this service',
  429: 'The limit per minute, or of the plan, is reached',
  500: 'An error of the service',
  502: 'Not finished in time; try again later',
  503: 'Billing is not available; nothing was charged',
  504: 'Not answered in time; try again later',
}

function buildError(route: Route, { status, schemas, examples }: ErrorReply, shapes: Shapes): Json {
  const refs = schemas.map((schema) => shapes.getSchema(schema, 'output'))
  return {
    description: errorTexts[status] ?? 'An error',
    ...(status === 429 ? buildHeaders(route) : {}),
    content: {
      'application/json': {
        schema: refs.length === 1 ? refs[0] : { anyOf: refs },
        examples: Object.fromEntries(Object.entries(examples).map(([type, value]) => [type, { value }])),
      },
    },
  }
}

function buildHeaders({ limit }: Route): Json {
  if (limit === null) return {}
  const count = { type: 'integer', minimum: 0 }
  const buildHeader = (description: string, schema: Json, example: number) => ({
    description,
    schema,
    example,
  })
  return {
    headers: {
      [rateLimitHeaders.limit]: buildHeader(
        'Requests permitted per minute',
        { type: 'integer', const: limit.perMinute },
        limit.perMinute,
      ),
      [rateLimitHeaders.remaining]: buildHeader('Requests left in this minute', count, limit.perMinute - 1),
      [rateLimitHeaders.resetSeconds]: buildHeader(
        'Seconds until the minute is over',
        { type: 'integer', minimum: 1, maximum: 60 },
        42,
      ),
    },
  }
}

/** Builds the answer to a request without a route, which has the links. */
export const buildWelcome = (version: string, furtherLinks: Readonly<Record<string, string>>) => ({
  name: 'enrich',
  version,
  message: 'Every route of /v1, /v2 and /v3 needs the header apikey. These links need none.',
  links: {
    docs: '/docs',
    openapi: '/openapi.json',
    health: '/healthz',
    metrics: '/metrics',
    ...furtherLinks,
  },
})
