import type { z } from 'zod'
import type { KickoffBody } from '../contract/resolution.js'
import { apiKeyHeader } from '../contract/limits.js'
import { routes, type Route, type RouteName } from '../contract/routes.js'
import type { Exchange } from '../core/http-exchange.js'
import type { Transport, TransportOptions, TransportRequest } from './transport.js'

/**
 * What the pipeline asks of a service. Nothing throws for what a server or a network does, nothing repeats a
 * request: every call is one request at most, and its `Exchange` is for others to judge. Once its signal is aborted,
 * an answer is not waited for.
 */
export interface ServiceClient {
  /** `POST /v3/entity-resolution/async`: billed, and not idempotent. */
  kickoffRun(body: KickoffBody, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/runs/{run_id}`: free; the basis comes only if it was asked for at kickoff too. */
  pollRun(runId: string, query: { include?: 'basis' }, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/entities/{id}`: free; the first read of a record starts its build. */
  readEntity(id: string, query?: { webhook_url?: string }, signal?: AbortSignal): Promise<Exchange>
  /** `POST /v1/entity/{id}/hierarchy`: starts research. */
  requestHierarchy(id: string, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v1/entity/{id}/hierarchy`: free; says also that no research was ever asked for. */
  readHierarchy(id: string, signal?: AbortSignal): Promise<Exchange>
  /** `POST /v3/domain-intelligence`: billed. */
  askDomain(body: { domain: string; webhook_url?: string }, signal?: AbortSignal): Promise<Exchange>
  /** `GET /v3/domain-intelligence`: free for a domain that was asked before. */
  readDomain(domain: string, signal?: AbortSignal): Promise<Exchange>
  close(): Promise<void>
}

/** The whole interface besides: every route of the contract, and any other request with the key. */
export interface WholeClient extends ServiceClient {
  readonly calls: Calls
  exchange(request: TransportRequest): Promise<Exchange>
}

export interface ServiceClientOptions extends TransportOptions {
  /** The API key goes into one header, to the origin of `baseUrl`, and nowhere else. */
  apiKey: string
}

/** Over HTTP unless another transport is given: a service in this process and a simulation have their own. */
export function createServiceClient(options: ServiceClientOptions, transport?: Transport): WholeClient
export function createServiceClient(
  options: Pick<ServiceClientOptions, 'apiKey'>,
  transport: Transport,
): WholeClient
export function createServiceClient(
  options: ServiceClientOptions | Pick<ServiceClientOptions, 'apiKey'>,
  transport: Transport = overHttp(options as ServiceClientOptions),
): WholeClient {
  const headers = { [apiKeyHeader]: options.apiKey, accept: 'application/json' }
  const exchange = async (request: TransportRequest) => {
    const answer = await transport.exchange({ ...request, headers: { ...headers, ...request.headers } })
    return transport.isLocal === true ? answer : withoutKey(answer, options.apiKey)
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

/** What speaks HTTP is loaded by those alone who are over HTTP: it takes as long as half of a command's start. */
function overHttp(options: TransportOptions): Transport {
  const loading = import('./http-transport.js').then(({ createTransport }) => createTransport(options))
  return {
    exchange: async (request) => (await loading).exchange(request),
    close: async () => (await loading).close(),
  }
}

/** A part of a call: left out where nothing in it is required. */
type Part<Name extends string, Shape> =
  Record<string, never> extends Shape ? Partial<Record<Name, Shape>> : Readonly<Record<Name, Shape>>

/** What a call of a route is made of, in the types of the contract. */
type CallInput<R extends Route> = Part<'params', z.input<R['params']>> &
  Part<'query', z.input<R['query']>> &
  (R['body'] extends z.ZodType ? { readonly body: z.input<R['body']> } : unknown)

/**
 * One typed function a route of the contract, under the route's name. None of them throws for what a server
 * or a network does, and none repeats a request: the caller of a billed route decides that.
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

/** `exchange` sends one request; it adds the key. */
export function createCalls(exchange: (request: TransportRequest) => Promise<Exchange>): Calls {
  const calls = Object.entries<Route>(routes).map(([name, route]) => {
    const call = (input: LooseInput, signal?: AbortSignal) => exchange({ ...requestOf(route, input), signal })
    return [name, call] as const
  })
  return Object.fromEntries(calls) as unknown as Calls
}

/** The request of a call. The input was checked by the compiler; the server judges the values. */
export function requestOf(route: Route, { params = {}, query = {}, body }: LooseInput): TransportRequest {
  const request = { method: route.method, path: pathOf(route, params, query) }
  if (route.body === null || body === undefined) return { ...request, headers: {} }
  return { ...request, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function pathOf(
  route: Route,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | undefined>>,
): string {
  // A server may have made the id: half a surrogate pair in it must not throw.
  const encode = (_: string, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed())
  const path = route.path.replace(/\{(\w+)\}/g, encode)
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return search === '' ? path : `${path}?${search}`
}

const mark = '[secret]'

/** A shorter key would be found in every other word, and what was asked for would be lost with it. */
const keyCharsMin = 8

/**
 * An exchange in which a key that the server sent back stands nowhere: what comes from a server is shown,
 * stored and put into the paths of further requests.
 */
export function withoutKey(exchange: Exchange, apiKey: string): Exchange {
  if (exchange.kind === 'no_reply' || apiKey.length < keyCharsMin) return exchange
  const clean = cleaner(apiKey)
  return {
    ...exchange,
    headers: clean(exchange.headers) as Readonly<Record<string, string>>,
    body: clean(exchange.body),
  }
}

/** Goes as deep as the value nests, which the transport has bounded. What holds no key is given back as it is. */
function cleaner(apiKey: string): (value: unknown) => unknown {
  const inUrl = encodeURIComponent(apiKey)
  const cleanText = (text: string) => text.replaceAll(apiKey, mark).replaceAll(inUrl, mark)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return sameOr(value, value.map(clean))
    const entries = Object.entries(value)
    const cleaned = entries.map(([key, member]) => [cleanText(key), clean(member)] as const)
    const isSame = cleaned.every(([key, member], at) => key === entries[at]?.[0] && member === entries[at][1])
    // `fromEntries` makes own members of every name, `__proto__` too.
    return isSame ? value : Object.fromEntries(cleaned)
  }
  return clean
}

function sameOr(list: readonly unknown[], cleaned: readonly unknown[]): unknown {
  return cleaned.every((member, at) => member === list[at]) ? list : cleaned
}
