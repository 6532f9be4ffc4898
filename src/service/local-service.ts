import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, Random } from '../platform/clock.js'
import { apiKeyHeader } from '../contract/limits.js'
import { listMethods, parseVersion, routes, type Route, type RouteName } from '../contract/routes.js'
import { getErrorStack } from '../core/errors.js'
import type { Knowledge } from './knowledge.js'
import { openParts } from './service-parts.js'
import { openMemory } from './stores.js'
import { createCallId, type RunCount } from './runs/run-store.js'
import { limits } from './limits.js'
import {
  badRequest,
  buildErrorBody,
  createContractTable,
  isUnexpected,
  payloadTooLarge,
  toRefusal,
} from './refusal.js'
import {
  admit,
  jsonReplyType,
  readRequest,
  serializeBody,
  type GateDeps,
  type Handler,
  type Handlers,
} from './http/mount.js'

export interface LocalServiceOptions {
  readonly knowledge: Knowledge
  readonly apiKey: string
  /** Runs that are kept, including ended ones. Once all of them are still open, a new one is refused. */
  readonly runsMax: number
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: (line: string) => void
}

/** The interface for callers in this process. */
export interface LocalService {
  readonly answer: AnswerLocally
  runCount(): RunCount
  close(): Promise<void>
}

/**
 * The door for a caller in the same process: starts the same interface without a socket and without files. Nothing is
 * billed, no rate limit applies, polls wait for the end of their run or build, and runs are lost at the end.
 *
 * ```ts
 * const service = startLocalService({ knowledge, apiKey, runsMax: 1_000 })
 * const { status, text } = await service.answer({
 *   method: 'POST',
 *   path: '/v3/entity-resolution/async',
 *   headers: { apikey: apiKey, 'content-type': 'application/json' },
 *   body: '{"name":"Acme Trading"}',
 * })
 * await service.close()
 * ```
 *
 * Throws API_KEY_INVALID.
 */
export function startLocalService(options: LocalServiceOptions): LocalService {
  const closing = new AbortController()
  const accounts = [{ name: 'embedded', apiKey: options.apiKey }]
  const data = openMemory({ ...options, accounts, rateLimits: 'none' }, options.runsMax)
  // The only caller shares the thread and waits for answers.
  const parts = openParts(options, data, () => true)
  let ended: Promise<void> | undefined
  return {
    answer: createLocalAnswers(parts.handlers, { ...parts, closing: closing.signal }),
    runCount: () => parts.store.count(),
    close: () => {
      closing.abort()
      return (ended ??= parts.end())
    },
  }
}

/** A request from this process, like an HTTP request. Header names are in lower case. */
interface LocalRequest {
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

interface LocalReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

type ReplyHead = Pick<LocalReply, 'status'> & Partial<Pick<LocalReply, 'headers'>>

/** Never rejects: an error is a reply, as over HTTP. */
type AnswerLocally = (request: LocalRequest) => Promise<LocalReply>

interface LocalDeps extends GateDeps {
  readonly random: Random
  readonly log: (line: string) => void
  /** Aborted when the service closes. */
  readonly closing: AbortSignal
}

/**
 * Answers the routes of the contract without a socket: with the same keys, limits, schemas and handlers as over HTTP,
 * checked in the same order, and the same replies.
 */
function createLocalAnswers(handlers: Handlers, deps: LocalDeps): AnswerLocally {
  const find = createRouteFinder()
  const table = createContractTable()
  return async (request) => {
    const headers: Record<string, string> = { 'content-type': jsonReplyType }
    const found = find(request)
    const reply = ({ status, headers: own }: ReplyHead, text: string): LocalReply => ({
      status,
      headers: { ...headers, ...own },
      text,
    })
    try {
      if (found === null) throw table.refuse(request.path)
      const { name, route } = found
      const admitted = admit(request.headers[apiKeyHeader], name, deps, (limit) =>
        Object.assign(headers, limit),
      )
      const caller = admitted instanceof Promise ? await admitted : admitted
      // Without this, a caller that polls in a loop would block the event loop and the work it waits for.
      await nextTurn()
      const bodyText = request.body ?? ''
      if (Buffer.byteLength(bodyText) > limits.bodyBytesMax) throw payloadTooLarge(limits.bodyBytesMax)
      const contentType = request.headers['content-type']
      const { params, query } = found.read()
      const answer = await (handlers[name] as Handler<Route>)({
        caller,
        callId: createCallId(deps.random),
        headers: request.headers,
        gone: deps.closing,
        keepOpen: () => undefined,
        ...readRequest(route, { params, query, url: request.path, bodyText, contentType }),
      })
      return reply(answer, serializeBody(answer))
    } catch (error) {
      const refusal = toRefusal(error)
      if (isUnexpected(error) && refusal.status >= 500)
        deps.log(`${request.method} ${found?.route.path ?? 'unknown route'}: ${getErrorStack(error)}`)
      const body = buildErrorBody(parseVersion(request.path), refusal, createCallId(deps.random))
      return reply(refusal, JSON.stringify(body))
    }
  }
}

interface FoundRoute {
  readonly name: RouteName
  readonly route: Route
  /** Throws 400 if the path is malformed. */
  read(): { params: Record<string, string>; query: Record<string, string | string[]> }
}

function createRouteFinder(): (request: LocalRequest) => FoundRoute | null {
  const known = (Object.entries(routes) as [RouteName, Route][]).map(([name, route]) => ({
    name,
    route,
    methods: new Set<string>(listMethods(route)),
    pattern: new RegExp(`^${route.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`),
  }))
  return ({ method, path: url }) => {
    const queryAt = url.indexOf('?')
    const path = queryAt === -1 ? url : url.slice(0, queryAt)
    for (const { name, route, methods, pattern } of known) {
      const match = methods.has(method) ? pattern.exec(path) : null
      if (match === null) continue
      const read = () => ({
        params: decodeParams(match.groups ?? {}),
        query: queryAt === -1 ? {} : parseQuery(url.slice(queryAt + 1)),
      })
      return { name, route, read }
    }
    return null
  }
}

function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  try {
    const decoded = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)])
    return Object.fromEntries(decoded) as Record<string, string>
  } catch {
    throw badRequest('the path is malformed')
  }
}

/** Parses a query. A name that is given more than once gets a list, which every schema refuses. */
function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, never>
  for (const [name, value] of new URLSearchParams(text)) {
    query[name] = name in query ? [query[name] ?? [], value].flat() : value
  }
  return query
}
