import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createDisconnectSignal } from '../../platform/http-server.js'
import type { z } from 'zod'
import { describeFault, errorTypes, nameBelow } from '../../contract/errors.js'
import type { CallId } from '../../contract/enums.js'
import { apiKeyHeader, rateLimitHeaders } from '../../contract/limits.js'
import { listMethods, routes, parseVersion, type Route, type RouteName } from '../../contract/routes.js'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../platform/sql-program.js'
import { isDeeperThan } from '../../core/json.js'
import type { Random } from '../../platform/clock.js'
import { authenticate, type Caller, type Callers } from '../accounts/accounts.js'
import { unlimited, type RateLimiter } from '../accounts/rate-limiter.js'
import { limits } from '../limits.js'
import type { Faults, InjectedFault } from '../faults.js'
import { createCallId } from '../runs/run-store.js'
import { badRequest, createNotEnabledRefusal, rateLimitExceeded, Refusal } from '../refusal.js'

/** One authenticated call with parsed parameters. */
export interface Call<R extends Route = Route> {
  readonly caller: Caller
  readonly callId: CallId
  readonly params: z.output<R['params']>
  readonly query: z.output<R['query']>
  readonly body: R['body'] extends z.ZodType ? z.output<R['body']> : null
  /** The body as received, or an empty text. */
  readonly bodyText: string
  readonly headers: IncomingHttpHeaders
  /** Aborted if the caller disconnects before the answer. */
  readonly gone: AbortSignal
  /**
   * Keeps the idle timeout from closing the socket before the answer; TCP keep-alive still detects a lost peer. The
   * handler must limit the wait itself.
   */
  readonly keepOpen: () => void
}

export interface Answer {
  readonly status: number
  /** JSON text, or a value to serialize. */
  readonly body: string | object
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler<R extends Route> = (call: Call<R>) => Answer | Promise<Answer>
export type Handlers = { readonly [Name in RouteName]: Handler<(typeof routes)[Name]> }

export interface GateDeps {
  readonly callers: Deferrable<Callers>
  readonly limiter: RateLimiter
}

interface MountDeps extends GateDeps {
  readonly random: Random
  readonly faults: Faults
}

export const jsonReplyType = 'application/json; charset=utf-8'

export const serializeBody = ({ body }: Answer): string =>
  typeof body === 'string' ? body : JSON.stringify(body)

/**
 * Mounts every route of the contract. A request is checked in this order, and the first refusal is the answer: key
 * (401), account (403), limit (429), parameters (400), then the refusals of the handler (402, 404).
 */
export function mountRoutes(app: FastifyInstance, handlers: Handlers, deps: MountDeps): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  const lostAnswers = new WeakSet<FastifyRequest>()
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    // Name and handler belong together, but the compiler cannot know that in a loop over all names.
    const handler = handlers[name] as Handler<Route>
    app.route({
      method: listMethods(route),
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      onRequest: (request, reply, done) => {
        const setLimitHeaders = (headers: Readonly<Record<string, string>>) => void reply.headers(headers)
        const met = deps.faults.chooseRequestFault(name)
        const onAdmitted = (caller: Caller): void => {
          callers.set(request, caller)
          if (met?.fault === 'reset') {
            // `done` is not called, so nothing more happens to this request.
            cutConnection(request, reply)
            return
          }
          if (met?.fault === 'lost_answer') lostAnswers.add(request)
          else if (met !== null) throw toFaultRefusal(met, route)
          done()
        }
        // A request with the fault `limited` does not count, and its answer does not show the remaining budget.
        const gate = met?.fault === 'limited' ? { ...deps, limiter: unlimited } : deps
        const admitted = applyWhenReady(
          admit(request.headers[apiKeyHeader], name, gate, setLimitHeaders),
          onAdmitted,
        )
        if (admitted instanceof Promise) admitted.catch(done)
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (caller === undefined) throw new Error('a request passed the gate without a key')
        const answer = await handler({
          caller,
          callId: createCallId(deps.random),
          headers: request.headers,
          gone: createDisconnectSignal(reply),
          // Node.js sets the timeout again for the next request of the socket.
          keepOpen: () => request.raw.socket.setTimeout(0).setKeepAlive(true, limits.heldSocketProbeMs),
          ...readRequest(route, {
            params: request.params,
            query: request.query,
            url: request.url,
            bodyText: typeof request.body === 'string' ? request.body : '',
            contentType: request.headers['content-type'],
          }),
        })
        if (lostAnswers.has(request)) return cutConnection(request, reply)
        return reply
          .code(answer.status)
          .headers(answer.headers ?? {})
          .type(jsonReplyType)
          .send(serializeBody(answer))
      },
    })
  }
}

/** The limit header is omitted for a route without a limit. */
function toFaultRefusal({ fault, status }: InjectedFault, { limit }: Route): Refusal {
  return fault === 'limited'
    ? rateLimitExceeded(1, {
        ...(limit !== null && { [rateLimitHeaders.limit]: String(limit.perMinute) }),
        [rateLimitHeaders.remaining]: '0',
        [rateLimitHeaders.resetSeconds]: '1',
      })
    : new Refusal(status, errorTypes.apiError, 'an error by the plan of faults')
}

/** Closes the connection without an answer, as if the network had failed. */
function cutConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.resetAndDestroy()
  return reply
}

/** Returns the caller of an allowed call, or throws. `limited` gets the rate-limit headers in both cases. */
export function admit(
  keyHeader: string | string[] | undefined,
  name: RouteName,
  deps: GateDeps,
  limited: (headers: Readonly<Record<string, string>>) => void,
): Awaitable<Caller> {
  const route: Route = routes[name]
  return applyWhenReady(authenticate(deps.callers, keyHeader), (caller) => {
    if (!caller.v3Enabled && parseVersion(route.path) === 'v3' && route.errors.includes(403))
      throw createNotEnabledRefusal()
    return applyWhenReady(deps.limiter.take(caller, name), (decision) => {
      if (decision === null) return caller
      limited({
        [rateLimitHeaders.limit]: String(route.limit?.perMinute),
        [rateLimitHeaders.remaining]: String(decision.remainingCount),
        [rateLimitHeaders.resetSeconds]: String(decision.resetSeconds),
      })
      if (!decision.allowed) throw rateLimitExceeded(decision.resetSeconds)
      return caller
    })
  })
}

interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  /** As received, with the query. */
  readonly url: string
  readonly bodyText: string
  readonly contentType: string | undefined
}

/** Parses the parts of a request by the contract. Throws 400. */
export function readRequest(
  { params, query, body }: Route,
  raw: RawRequest,
): Pick<Call, 'params' | 'query' | 'body' | 'bodyText'> {
  if (!isQueryUtf8(raw.url)) throw badRequest('the query is not UTF-8')
  return {
    params: parse(params, raw.params, 'path'),
    query: parse(query, raw.query, 'query'),
    body: (body === null ? null : parse(body, readJson(raw, body), 'body')) as Call['body'],
    bodyText: raw.bodyText,
  }
}

/** Whether the escapes of a query are UTF-8, as those of a path and the bytes of a body must be. A `%` alone is text. */
function isQueryUtf8(url: string): boolean {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? []
  try {
    for (const [escapes] of query.matchAll(/(?:%[\da-f]{2})+/gi)) decodeURIComponent(escapes)
    return true
  } catch {
    return false
  }
}

function parse(schema: z.ZodType, value: unknown, place: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badRequest(describeFault(parsed.error, value, nameBelow(place)))
}

const jsonType = /^application\/json\s*(;|$)/i

/** A missing body is read as `undefined` if the route accepts that, whatever its content type. */
function readJson({ bodyText: text, contentType }: RawRequest, schema: z.ZodType): unknown {
  if (text === '' && schema.safeParse(undefined).success) return undefined
  if (!jsonType.test(contentType ?? '')) {
    throw badRequest('the body must be JSON, with content-type application/json')
  }
  if (isDeeperThan(text, limits.bodyDepthMax)) throw badRequest('the body nests too deep')
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('the body is not JSON')
  }
}

/** Mounts a page that needs no key. HEAD is answered like GET without the body. */
export function mountPage(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
): void {
  app.route({ method: ['GET', 'HEAD'], url, handler })
}

/** Returns the address that this request was sent to. Behind a proxy it depends on the headers that the proxy sends. */
export function readOrigin({ headers, raw }: FastifyRequest): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const { host } = headers
  if (host !== undefined && /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host))
    return `${scheme}://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = raw.socket
  return `${scheme}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
