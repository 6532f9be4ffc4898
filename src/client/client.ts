import type { KickoffBody } from '../contract/resolution.js'
import { apiKeyHeader } from '../contract/limits.js'
import type { Exchange } from '../core/exchange.js'
import { createCalls, type Calls } from './calls.js'
import { withoutKey } from './redact.js'
import { createTransport, type Transport, type TransportOptions, type TransportRequest } from './transport.js'

/**
 * What the pipeline asks of a service. Nothing throws for what a server or a network does, nothing repeats a
 * request: every call is one request at most, and its `Exchange` is for others to judge.
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

/** The whole interface besides: every route of the contract, and any other request with the key. */
export interface WholeClient extends ServiceClient {
  readonly calls: Calls
  exchange(request: TransportRequest): Promise<Exchange>
}

export interface ServiceClientOptions extends TransportOptions {
  /** The API key goes into one header, to the origin of `baseUrl`, and nowhere else. */
  apiKey: string
}

/** The transport is HTTP unless another one is given: a simulation has its own. */
export function createServiceClient(
  options: ServiceClientOptions,
  transport: Transport = createTransport(options),
): WholeClient {
  const headers = { [apiKeyHeader]: options.apiKey, accept: 'application/json' }
  const exchange = async (request: TransportRequest) =>
    withoutKey(
      await transport.exchange({ ...request, headers: { ...headers, ...request.headers } }),
      options.apiKey,
    )
  const calls = createCalls(exchange)
  return {
    calls,
    exchange,
    kickoffRun: (body) => calls.kickoffRun({ body }),
    pollRun: (runId, query) => calls.pollRun({ params: { run_id: runId }, query }),
    readEntity: (id) => calls.readEntity({ params: { id } }),
    close: () => transport.close(),
  }
}
