import type { z } from 'zod'
import { describeFault, earlierErrorBodies, errorBody, nameBelow } from '../../contract/errors.js'
import { parseVersion, type Route, type RouteName } from '../../contract/routes.js'
import { limits } from '../limits.js'
import {
  badRequest,
  buildErrorBody,
  createForeignOriginRefusal,
  insufficientCredits,
  internalError,
  createMalformedIdRefusal,
  monthlyLimitReached,
  createNotEnabledRefusal,
  notFound,
  payloadTooLarge,
  rateLimitExceeded,
  Refusal,
  createUnauthorizedRefusal,
} from '../refusal.js'
import { createEntityNotFoundRefusal } from '../routes/v1.js'
import { createBillingRefusal } from '../routes/v2.js'
import { exampleCallId } from './examples/company.js'

/** An error reply of a route: its shapes, and an example body of each type, built by the same code as real replies. */
export interface ErrorReply {
  readonly status: number
  readonly schemas: readonly z.ZodType[]
  readonly examples: Readonly<Record<string, object>>
}

export const errorShapes = [errorBody, ...Object.values(earlierErrorBodies)]

/** Returns the error replies of a route: those of the contract and, for a route with a body, 413. */
export function listErrorReplies(name: RouteName, route: Route): ErrorReply[] {
  const statuses = route.body === null ? route.errors : [...route.errors, 413].sort((a, b) => a - b)
  const version = parseVersion(route.path)
  return statuses.map((status) => {
    const refusals = listRefusals(status, name, route)
    return {
      status,
      schemas: [...new Set(refusals.map((refusal) => findErrorShape(route, refusal)))],
      examples: Object.fromEntries(
        refusals.map((refusal) => [refusal.type, buildErrorBody(version, refusal, exampleCallId)]),
      ),
    }
  })
}

function findErrorShape({ path }: Route, refusal: Refusal): z.ZodType {
  if (parseVersion(path) === 'v3') return errorBody
  const body = buildErrorBody(parseVersion(path), refusal, exampleCallId)
  const shapes = Object.values(earlierErrorBodies)
  return shapes.find((shape) => shape.safeParse(body).success) ?? earlierErrorBodies.any
}

function listRefusals(status: number, name: RouteName, route: Route): Refusal[] {
  switch (status) {
    case 400:
      return [badRequest(describeWrongParameter(route))]
    case 401:
      return [createUnauthorizedRefusal()]
    case 402:
      return [insufficientCredits()]
    case 403:
      return [name === 'mcp' ? createForeignOriginRefusal() : createNotEnabledRefusal()]
    case 404:
      return [createMissingRefusal(name)]
    case 413:
      return [payloadTooLarge(limits.bodyBytesMax)]
    case 429:
      return [rateLimitExceeded(42), ...(route.isBilled === true ? [monthlyLimitReached()] : [])]
    case 500:
      return [name === 'pollResolution' ? createMalformedIdRefusal() : internalError()]
    case 503:
      return [createBillingRefusal()]
    case 502:
    case 504:
      return [new Refusal(status, 'timeout', 'the request did not finish in time')]
    default:
      throw new Error(`${name} lists the unknown status ${status}`)
  }
}

function describeWrongParameter({ path, query, body }: Route): string {
  const place = body === null ? 'query' : 'body'
  const parsed = (body ?? query).safeParse({})
  if (!parsed.success) return describeFault(parsed.error, {}, nameBelow(place))
  const parameter = /\{(\w+)\}/.exec(path)?.[1]
  return parameter === undefined ? 'the body is not JSON' : `path.${parameter} must match its pattern`
}

function createMissingRefusal(name: RouteName): Refusal {
  if (name === 'readEntityV1') return createEntityNotFoundRefusal()
  const kinds: Partial<Record<RouteName, Parameters<typeof notFound>[0]>> = {
    pollRun: 'run',
    pollJob: 'job',
    pollResolution: 'request',
  }
  return notFound(kinds[name] ?? 'entity')
}
