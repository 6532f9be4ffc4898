import { errorTypes } from '../contract/errors.js'
import { listMethods, routes, type Route, type Version } from '../contract/routes.js'
import { isServerTrouble } from '../platform/postgres/postgres.js'
import { limits } from './limits.js'

interface RefusalExtras {
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the version's error body, for the few answers with another shape. */
  readonly body?: object
}

/** An error reply to a request. It is not a bug, so nothing is logged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | null

  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    extras: RefusalExtras = {},
  ) {
    super(message)
    this.headers = extras.headers ?? {}
    this.body = extras.body ?? null
  }
}

export const badRequest = (message: string): Refusal => new Refusal(400, errorTypes.badRequest, message)

export const createUnauthorizedRefusal = (): Refusal =>
  new Refusal(401, errorTypes.unauthorized, 'the apikey header is missing, or its key is not valid')

export const insufficientCredits = (): Refusal =>
  new Refusal(402, errorTypes.insufficientCredits, 'the credit balance is exhausted; nothing was charged')

export const createNotEnabledRefusal = (): Refusal =>
  new Refusal(403, errorTypes.noPricingConfigured, 'v3 is not enabled for this account')

export const createForeignOriginRefusal = (): Refusal =>
  new Refusal(403, errorTypes.forbidden, 'web pages of this origin may not call this service')

export const createForeignHostRefusal = (): Refusal =>
  new Refusal(
    421,
    errorTypes.misdirectedRequest,
    'this service listens only on its own machine: the Host header must be localhost, 127.0.0.1 or [::1]; ' +
      'a proxy must send one of these',
  )

export const payloadTooLarge = (bytesMax: number): Refusal =>
  new Refusal(413, errorTypes.payloadTooLarge, `a body has at most ${bytesMax} bytes`)

/** The same answer for an unknown id and for another account's, so that a caller cannot tell which it is. */
export const notFound = (kind: 'run' | 'job' | 'request' | 'entity' | 'route'): Refusal =>
  new Refusal(404, errorTypes.notFound, `no such ${kind}`)

const methodNotAllowed = (allowed: readonly string[]): Refusal =>
  new Refusal(405, errorTypes.methodNotAllowed, `this route accepts ${allowed.join(' and ')}`, {
    headers: { allow: allowed.join(', ') },
  })

export const rateLimitExceeded = (
  resetSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): Refusal =>
  new Refusal(
    429,
    errorTypes.rateLimitExceeded,
    `the limit per minute is reached; reset in ${resetSeconds} s`,
    {
      headers,
    },
  )

export const monthlyLimitReached = (): Refusal =>
  new Refusal(429, errorTypes.monthlyLimitReached, 'the units of this month are used up; nothing was charged')

/** v2 answers a malformed id with 500, v3 with 400 (interface: "v2 entity resolution"). */
export const createMalformedIdRefusal = (): Refusal =>
  new Refusal(500, errorTypes.apiError, 'the request id is malformed')

/** For a search that would wait too long for a thread. */
export const tooManySearches = (): Refusal =>
  new Refusal(500, errorTypes.apiError, 'too many searches wait already; try again in a moment')

/** Reveals nothing of the cause: stacks, paths and statements belong in the log. */
export const internalError = (): Refusal => new Refusal(500, errorTypes.apiError, 'internal error')

/** Not logged for each request: the connection monitor logs the start and the end of an outage. */
const createDatabaseRefusal = (): Refusal =>
  new Refusal(500, errorTypes.apiError, 'the database of the service does not answer; nothing was charged')

/** Whether the error must be logged. */
export const isUnexpected = (error: unknown): boolean => !(error instanceof Refusal || isServerTrouble(error))

/** Statuses for which v2 returns only a reason and a message. */
const reasonStatuses: readonly number[] = [402, 403, 503]

/**
 * Returns the body of a refusal in the shape of the version (interface: "Errors"). v1 and v2 have one shape for keys
 * (with `requestId`), one for the limit per minute, one for billing, and one for other errors.
 */
export function buildErrorBody(version: Version, refusal: Refusal, requestId: string): object {
  const { status, type, message } = refusal
  if (refusal.body !== null) return refusal.body
  if (version === 'v3') return { error: { type, message } }
  if (status === 401) return { message, request_id: requestId }
  const isOfPlan = type === errorTypes.monthlyLimitReached
  if (version === 'v2' && (isOfPlan || reasonStatuses.includes(status))) return { error: type, message }
  if (version === 'v2' && status === 429) return { message }
  return { error: { message, type } }
}

/** Converts an error of a handler to a refusal. `bodyBytesMax` is the limit of its route. */
export function toRefusal(error: unknown, bodyBytesMax: number = limits.bodyBytesMax): Refusal {
  if (error instanceof Refusal) return error
  if (isServerTrouble(error)) return createDatabaseRefusal()
  const status = error instanceof Error ? (error as { statusCode?: number }).statusCode : undefined
  if (status === 413) return payloadTooLarge(bodyBytesMax)
  if (status !== undefined && status >= 400 && status < 500) return badRequest('the request cannot be read')
  return internalError()
}

/** The methods of each path, for requests that no route accepts. */
export class RouteTable {
  readonly #routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = []

  /** A parameter of the path is written `{name}` or `:name`. */
  add(path: string, methods: readonly string[]): void {
    this.#routes.push({ methods, pattern: new RegExp(`^${path.replace(/\{\w+\}|:\w+/g, '[^/]+')}$`) })
  }

  /** Returns 405 if the path has other methods, otherwise 404. */
  refuse(url: string): Refusal {
    const path = url.split('?', 1)[0] ?? ''
    const found = this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    const allowed = [...new Set(found)]
    return allowed.length > 0 ? methodNotAllowed(allowed) : notFound('route')
  }
}

/** Returns a table of the contract's routes. */
export function createContractTable(): RouteTable {
  const table = new RouteTable()
  for (const route of Object.values<Route>(routes)) table.add(route.path, listMethods(route))
  return table
}
