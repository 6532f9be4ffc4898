import type { z } from 'zod'
import type { KickoffBody } from '../contract/result.js'
import { apiKeyHeader } from '../contract/limits.js'
import { routes, type Route, type RouteName } from '../contract/routes.js'
import type { Exchange } from '../core/http-exchange.js'
import type { Transport, TransportOptions, TransportRequest } from './transport.js'

/**
 * The calls of the pipeline. None throws for an error of the server or the network, and none repeats a request: every
 * call sends at most one, and the caller interprets its `Exchange`. Once its signal is aborted, the call no longer
 * waits for an answer.
 */
export interface ServiceClient {
  /** `POST /v3/entity-resolution/async`: billed, and not idempotent. */
  kickoffRun(body: KickoffBody, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/runs/{run_id}`: free; the basis is returned only if the kickoff requested it too. */
  pollRun(runId: string, query: { include?: 'basis' }, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/entities/{id}`: the first read of a record starts its build. */
  readEntity(id: string, query?: { webhook_url?: string }, signal?: AbortSignal): Promise<Exchange>
  /** `POST /v1/entity/{id}/hierarchy`: starts research. */
  requestHierarchy(id: string, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v1/entity/{id}/hierarchy`: free; also reports that no research was ever requested. */
  readHierarchy(id: string, signal?: AbortSignal): Promise<Exchange>
  /** `POST /v3/domain-intelligence`: billed. */
  askDomain(body: { domain: string; webhook_url?: string }, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/domain-intelligence`: free for a domain that was requested before. */
  readDomain(domain: string, signal?: AbortSignal): Promise<Exchange>
  close(): Promise<void>
}

/** The whole interface: every route of the contract, and any other request with the key. */
export interface FullServiceClient extends ServiceClient {
  readonly calls: Calls
  exchange(request: TransportRequest): Promise<Exchange>
}

export interface ServiceClientOptions extends TransportOptions {
  /** The API key is sent in one header, to the origin of `baseUrl` only. */
  apiKey: string
}

/**
 * The door to a service: creates its client. It uses HTTP unless another transport is given, as for a service in this
 * process.
 *
 * ```ts
 * const client = createServiceClient({ baseUrl: 'https://api.example.com', apiKey })
 * const { status, body } = await client.kickoffRun({ name: 'Acme Trading', include: 'basis' })
 * await client.close()
 * ```
 */
export function createServiceClient(options: ServiceClientOptions, transport?: Transport): FullServiceClient
export function createServiceClient(
  options: Pick<ServiceClientOptions, 'apiKey'>,
  transport: Transport,
): FullServiceClient
export function createServiceClient(
  options: ServiceClientOptions | Pick<ServiceClientOptions, 'apiKey'>,
  transport: Transport = createHttpTransport(options as ServiceClientOptions),
): FullServiceClient {
  const headers = { [apiKeyHeader]: options.apiKey, accept: 'application/json' }
  const exchange = async (request: TransportRequest) => {
    const answer = await transport.exchange({ ...request, headers: { ...headers, ...request.headers } })
    return transport.isLocal === true ? answer : redactKey(answer, options.apiKey)
  }
  const calls = createCalls(exchange)
  return {
    calls,
    exchange,
    kickoffRun: (body, signal) => calls.kickoffRun({ body }, signal),
    pollRun: (runId, query, signal) => calls.pollRun({ params: { run_id: runId }, query }, signal),
    readEntity: (id, query = {}, signal) => calls.readEntity({ params: { id }, query }, signal),
    requestHierarchy: (id, signal) =>
      calls.requestHierarchy({ params: { entity_id: id }, body: undefined }, signal),
    readHierarchy: (id, signal) => calls.readHierarchy({ params: { entity_id: id } }, signal),
    askDomain: (body, signal) => calls.requestDomain({ body }, signal),
    readDomain: (domain, signal) => calls.readDomain({ query: { domain } }, signal),
    close: () => transport.close(),
  }
}

/** Loads the HTTP client on demand: loading it takes half of a command's start-up time. */
function createHttpTransport(options: TransportOptions): Transport {
  const loading = import('./http-transport.js').then(({ createTransport }) => createTransport(options))
  // The first request reports a failure.
  loading.catch(() => undefined)
  return {
    exchange: async (request) => (await loading).exchange(request),
    close: async () => (await loading).close(),
  }
}

/** A part of a call, optional if no member of it is required. */
type Part<Name extends string, Shape> =
  Record<string, never> extends Shape ? Partial<Record<Name, Shape>> : Readonly<Record<Name, Shape>>

/** The input of a call, in the types of the contract. */
type CallInput<R extends Route> = Part<'params', z.input<R['params']>> &
  Part<'query', z.input<R['query']>> &
  (R['body'] extends z.ZodType ? { readonly body: z.input<R['body']> } : unknown)

/**
 * One typed function for each route of the contract, under the route's name. None throws for an error of the server
 * or the network, and none repeats a request: the caller of a billed route decides whether to.
 */
export type Calls = {
  readonly [Name in RouteName]: (
    input: CallInput<(typeof routes)[Name]>,
    signal?: AbortSignal,
  ) => Promise<Exchange>
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** Creates the calls; `exchange` sends one request and adds the key. */
export function createCalls(exchange: (request: TransportRequest) => Promise<Exchange>): Calls {
  const calls = Object.entries<Route>(routes).map(([name, route]) => {
    const call = (input: LooseInput, signal?: AbortSignal) =>
      exchange({ ...buildRequest(route, input), signal })
    return [name, call] as const
  })
  return Object.fromEntries(calls) as unknown as Calls
}

/** Builds the request of a call. The compiler has checked the input; the server validates the values. */
export function buildRequest(route: Route, { params = {}, query = {}, body }: LooseInput): TransportRequest {
  const request = { method: route.method, path: buildPath(route, params, query) }
  if (route.body === null || body === undefined) return { ...request, headers: {} }
  return { ...request, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function buildPath(
  route: Route,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | undefined>>,
): string {
  // The id may come from a server: half a surrogate pair in it must not throw.
  const encode = (_: string, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed())
  const path = route.path.replace(/\{(\w+)\}/g, encode)
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return search === '' ? path : `${path}?${search}`
}

const mark = '[secret]'

/** A shorter key would occur in ordinary words, and redacting it would destroy the answer. */
const keyCharsMin = 8

/** Redacts the key in an answer: answers are printed, stored and put into the paths of further requests. */
export function redactKey(exchange: Exchange, apiKey: string): Exchange {
  if (exchange.kind === 'no_reply' || apiKey.length < keyCharsMin) return exchange
  const clean = createRedactor(apiKey)
  return {
    ...exchange,
    headers: clean(exchange.headers) as Readonly<Record<string, string>>,
    body: clean(exchange.body),
  }
}

/** Returns a function that redacts the key in a value, and returns values without the key unchanged. */
function createRedactor(apiKey: string): (value: unknown) => unknown {
  const inUrl = encodeURIComponent(apiKey)
  const cleanText = (text: string) => text.replaceAll(apiKey, mark).replaceAll(inUrl, mark)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return keepIfEqual(value, value.map(clean))
    const entries = Object.entries(value)
    const cleaned = entries.map(([key, member]) => [cleanText(key), clean(member)] as const)
    const isSame = cleaned.every(([key, member], at) => key === entries[at]?.[0] && member === entries[at][1])
    // `fromEntries` creates own members for all names, even `__proto__`.
    return isSame ? value : Object.fromEntries(cleaned)
  }
  return clean
}

function keepIfEqual(list: readonly unknown[], cleaned: readonly unknown[]): unknown {
  return cleaned.every((member, at) => member === list[at]) ? list : cleaned
}
