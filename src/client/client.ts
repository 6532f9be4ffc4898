import type { KickoffBody } from '../contract/resolution.js'
import { apiKeyHeader } from '../contract/limits.js'
import { routes, type Route } from '../contract/routes.js'
import type { Exchange } from '../core/exchange.js'
import { withoutKey } from './redact.js'
import { createTransport, type Transport, type TransportOptions, type TransportRequest } from './transport.js'

/**
 * One typed function a route of the contract. None of them throws for what a server or a network does, none
 * repeats a request: every call is one request at most, and its `Exchange` is for others to judge.
 */
export interface ServiceClient {
  /** `POST /v3/entity-resolution/async`: billed, and not idempotent. */
  kickoffRun(body: KickoffBody): Promise<Exchange>
  /** `GET /v3/runs/{run_id}`: free; the basis comes only if it was asked for at kickoff too. */
  pollRun(runId: string, query: { include?: 'basis' }): Promise<Exchange>
  /** `GET /v3/entities/{id}`. */
  readEntity(id: string): Promise<Exchange>
  close(): Promise<void>
}

export interface ServiceClientOptions extends TransportOptions {
  /** The API key goes into one header, to the origin of `baseUrl`, and nowhere else. */
  apiKey: string
}

/** The transport is HTTP unless another one is given: a simulation has its own. */
export function createServiceClient(
  options: ServiceClientOptions,
  transport: Transport = createTransport(options),
): ServiceClient {
  const headers = { [apiKeyHeader]: options.apiKey, accept: 'application/json' }
  const exchange = async (call: TransportRequest) =>
    withoutKey(await transport.exchange(call), options.apiKey)
  return {
    kickoffRun: (body) =>
      exchange({
        method: routes.kickoffRun.method,
        path: pathOf(routes.kickoffRun, {}),
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    pollRun: (runId, query) =>
      exchange({
        method: routes.pollRun.method,
        path: pathOf(routes.pollRun, { run_id: runId }, query),
        headers,
      }),
    readEntity: (id) =>
      exchange({
        method: routes.readEntity.method,
        path: pathOf(routes.readEntity, { id }),
        headers,
      }),
    close: () => transport.close(),
  }
}

function pathOf(route: Route, params: Record<string, string>, query: Record<string, string> = {}): string {
  // A server may have made the id: half a surrogate pair in it must not throw.
  const encode = (_: string, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed())
  const path = route.path.replace(/\{(\w+)\}/g, encode)
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}
