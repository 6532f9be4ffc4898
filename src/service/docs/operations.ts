import { z } from 'zod'
import { routeTexts } from '../../contract/descriptions.js'
import { rateLimitHeaders } from '../../contract/limits.js'
import { methodsOf, versionOf, type Route, type RouteName } from '../../contract/routes.js'
import { errorRepliesOf, type ErrorReply } from './error-replies.js'
import { exampleAnswers } from './examples/answers.js'
import { exampleRequests } from './examples/requests.js'
import type { Json, Shapes } from './shapes.js'

/** One route as OpenAPI tells it. */
export function operationOf(name: RouteName, route: Route, shapes: Shapes): Json {
  const request = exampleRequests[name]
  return {
    operationId: name,
    tags: [versionOf(route.path)],
    summary: route.summary,
    description: descriptionOf(name, route),
    parameters: [
      ...parametersOf(shapes.ofParameters(route.params), 'path', request.params),
      ...parametersOf(shapes.ofParameters(route.query), 'query', request.query),
    ],
    ...(route.body === null ? {} : { requestBody: bodyOf(route.body, request.body, shapes) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.replies).map(([status, schema]) => [
          status,
          answerOf(name, route, Number(status), schema, shapes),
        ]),
      ),
      ...Object.fromEntries(
        errorRepliesOf(name, route).map((reply) => [reply.status, errorOf(route, reply, shapes)]),
      ),
    },
  }
}

function descriptionOf(name: RouteName, route: Route): string {
  const { limit, isBilled = false } = route
  return [
    routeTexts[name],
    isBilled ? 'Billed.' : '',
    limit === null ? '' : `At most ${limit.perMinute} requests a minute for each ${limit.per}.`,
    methodsOf(route).includes('HEAD') ? '' : route.method === 'GET' ? 'HEAD is a 405 here.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
}

function parametersOf(
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
    ...(examples[name] === undefined ? {} : { example: typedAs(schema, examples[name]) }),
  }))
}

/** An example of a query is text on the wire, and what the schema says in the document. */
function typedAs(schema: Json, text: string): unknown {
  return schema['type'] === 'integer' || schema['type'] === 'boolean' ? (JSON.parse(text) as unknown) : text
}

function bodyOf(body: z.ZodType, example: object | undefined, shapes: Shapes): Json {
  return {
    required: !body.safeParse(undefined).success,
    content: {
      'application/json': {
        schema: shapes.of(body, 'input'),
        ...(example === undefined ? {} : { example }),
      },
    },
  }
}

const answerTexts: Partial<Record<number, string>> = {
  200: 'The answer',
  202: 'Accepted, or still running',
}

function answerOf(name: RouteName, route: Route, status: number, schema: z.ZodType, shapes: Shapes): Json {
  const head = { description: answerTexts[status] ?? 'An answer', ...headersOf(route) }
  if (schema instanceof z.ZodLiteral) return { ...head, description: 'Accepted; no body' }
  const example = exampleAnswers[name][status]
  return {
    ...head,
    content: {
      'application/json': {
        schema: shapes.of(schema, 'output'),
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
  404: 'Unknown, or of another account',
  405: 'The path does not take this method; Allow names those it takes',
  413: 'The body is too long',
  421: 'The Host header is not of this service',
  429: 'The limit of a minute, or of the plan, is reached',
  500: 'An error of the service',
  502: 'Not finished in time; try again later',
  503: 'Billing is not available; nothing was charged',
  504: 'Not answered in time; try again later',
}

function errorOf(route: Route, { status, schemas, examples }: ErrorReply, shapes: Shapes): Json {
  const refs = schemas.map((schema) => shapes.of(schema, 'output'))
  return {
    description: errorTexts[status] ?? 'An error',
    ...(status === 429 ? headersOf(route) : {}),
    content: {
      'application/json': {
        schema: refs.length === 1 ? refs[0] : { anyOf: refs },
        examples: Object.fromEntries(Object.entries(examples).map(([type, value]) => [type, { value }])),
      },
    },
  }
}

function headersOf({ limit }: Route): Json {
  if (limit === null) return {}
  const count = { type: 'integer', minimum: 0 }
  const header = (description: string, schema: Json, example: number) => ({ description, schema, example })
  return {
    headers: {
      [rateLimitHeaders.limit]: header(
        'Requests permitted in a minute',
        { type: 'integer', const: limit.perMinute },
        limit.perMinute,
      ),
      [rateLimitHeaders.remaining]: header('Requests left in this minute', count, limit.perMinute - 1),
      [rateLimitHeaders.resetSeconds]: header(
        'Seconds until the minute is over',
        { type: 'integer', minimum: 1, maximum: 60 },
        42,
      ),
    },
  }
}
