import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import {
  foreignResult,
  foreignValues,
  withUnknownKeys,
  type ForeignAnswer,
  type ForeignQuery,
} from './foreign-shapes.js'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'

export * from './foreign-shapes.js'

/** A request as it came. `path` is without the prefix and the query. */
export interface RecordedRequest {
  readonly number: number
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * What happens to a request instead of its answer. The `accept_` ones do the work first, so that only the
 * answer is lost: what a client cannot tell from a request that never arrived.
 */
export type Fault =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | object
    }
  | 'reset'
  | 'hang'
  | 'accept_then_reset'
  | 'accept_then_hang'

/** Sends the whole answer, the status too. */
type SendBytes = (response: ServerResponse) => void

/** A run is done at its n-th poll, or so long after its kickoff. */
type RunTakes = { readonly polls: number } | { readonly ms: number }

export interface ForeignServiceOptions {
  /** Default `foreign-key`. */
  readonly apiKey?: string
  /** By name; any other name is a no_match. `fails` is a run that ends FAILED. */
  readonly answers?: Readonly<Record<string, ForeignAnswer | 'fails'>>
  readonly entities?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What a search finds; nothing if left out. */
  readonly search?: (query: URLSearchParams) => readonly Readonly<Record<string, unknown>>[]
  /** Default: running at the first poll, done at the second. */
  readonly runTakes?: RunTakes | ((name: string) => RunTakes)
  /** Default `/gateway`. */
  readonly pathPrefix?: string
  readonly faults?: (request: RecordedRequest) => Fault | undefined
  /** What something between the service and its caller makes of an answer: another one, or bytes of its own. */
  readonly reply?: (
    request: RecordedRequest,
    body: Record<string, unknown>,
    service: ForeignService,
  ) => Record<string, unknown> | SendBytes
  /** Told of every kickoff that was accepted, before it is answered: the moment to send webhooks. */
  readonly accepted?: (run: ForeignRun, service: ForeignService) => void
}

export interface ForeignRun {
  readonly runId: string
  readonly jobId: string
  readonly requestId: string
  readonly customId: string | undefined
  readonly query: ForeignQuery
  readonly withBasis: boolean
  readonly webhookUrl: string | undefined
  readonly startedAtMs: number
  pollCount: number
}

export interface ForeignService {
  /** With the prefix, without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly requests: readonly RecordedRequest[]
  /** Every kickoff accepted, thus billed, in order. */
  readonly runs: readonly ForeignRun[]
  /** The run object of a finished run, as a webhook carries it. */
  finished(run: ForeignRun): Record<string, unknown>
  close(): Promise<void>
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/**
 * Speaks the v3 interface over plain `node:http`, in the readings that our own service does not take: see
 * foreign-shapes.ts. Shares no code with src/.
 */
export async function startForeignService(options: ForeignServiceOptions = {}): Promise<ForeignService> {
  const apiKey = options.apiKey ?? 'foreign-key'
  const prefix = options.pathPrefix ?? '/gateway'
  const requests: RecordedRequest[] = []
  const runs: ForeignRun[] = []

  const server = createServer((incoming, response) => {
    void readText(incoming).then((body) => {
      // Cut off by the caller: no request.
      if (body === null) return
      const request = record(incoming, body, prefix, requests.length + 1)
      requests.push(request)
      const fault = options.faults?.(request)
      if (fault === 'hang') return
      if (fault === 'reset') incoming.socket.destroy()
      else if (typeof fault === 'object') send(incoming, response, { body: '', ...fault })
      else {
        const runCount = runs.length
        const reply = answer(request, runs, options, apiKey)
        for (const run of runs.slice(runCount)) options.accepted?.(run, service)
        if (fault === 'accept_then_reset') incoming.socket.destroy()
        else if (fault === undefined) {
          const body = options.reply?.(request, reply.body as Record<string, unknown>, service) ?? reply.body
          if (typeof body === 'function') (body as SendBytes)(response)
          else send(incoming, response, { ...reply, body })
        }
      }
    })
  })
  const port = await listenOnLoopback(server)
  const service: ForeignService = {
    baseUrl: `http://127.0.0.1:${port}${prefix}`,
    apiKey,
    requests,
    runs,
    finished: (run) => finishedRun(run, options, true),
    close: () => closeAtOnce(server),
  }
  return service
}

function readText(incoming: IncomingMessage): Promise<string | null> {
  return text(incoming).catch(() => null)
}

function record(incoming: IncomingMessage, body: string, prefix: string, number: number): RecordedRequest {
  const url = new URL(incoming.url ?? '/', 'http://unused')
  return {
    number,
    method: incoming.method ?? '',
    path: url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : 'outside the prefix',
    query: url.searchParams,
    headers: incoming.headers,
    body,
  }
}

function send(incoming: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  const wantsGzip = /\bgzip\b/.test(incoming.headers['accept-encoding'] ?? '')
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    ...(wantsGzip ? { 'content-encoding': 'gzip' } : {}),
    ...reply.headers,
  })
  response.end(wantsGzip ? gzipSync(text) : text)
}

const refusal = (status: number, type: string): Reply => ({
  status,
  body: { error: { type, message: `foreign wording of ${type}`, doc_url: 'https://example.org/errors' } },
})

function answer(
  request: RecordedRequest,
  runs: ForeignRun[],
  options: ForeignServiceOptions,
  apiKey: string,
): Reply {
  if (request.headers.apikey !== apiKey) return refusal(401, 'authentication_error')
  if (request.path === '/v3/entity-resolution/async') return kickoff(request, runs)
  if (request.path === '/v2/search') return search(request, options)
  const [, version, collection, id = ''] = request.path.split('/').map(decodeURIComponent)
  if (version !== 'v3' || request.method !== 'GET') return refusal(404, 'resource_missing')
  const withBasis = request.query.get('include') === 'basis'
  if (collection === 'runs') {
    const run = runs.find(({ runId }) => runId === id)
    return run ? pollRun(run, options, withBasis) : refusal(404, 'resource_missing')
  }
  if (collection === 'jobs') {
    const job = runs.find(({ jobId, requestId }) => jobId === id || requestId === id)
    return job ? pollJob(job, options, withBasis) : refusal(404, 'resource_missing')
  }
  const entity = collection === 'entities' ? options.entities?.[id] : undefined
  if (entity === undefined) return refusal(404, 'resource_missing')
  return {
    status: 200,
    body: withUnknownKeys({
      status: 'matched',
      entity,
      ...mergeOf(entity),
      request_id: `req_${randomUUID()}`,
    }),
  }
}

function search({ query }: RecordedRequest, { search: find = () => [] }: ForeignServiceOptions): Reply {
  const results = find(query).slice(0, Number(query.get('limit') ?? 10))
  const metadata = { total: results.length, returned: results.length, query_time_ms: 3 }
  return { status: 200, body: withUnknownKeys({ results, metadata, request_id: `req_${randomUUID()}` }) }
}

/** An entity that is listed with `merged_into` is read as merged; its record is then the canonical one. */
function mergeOf(entity: Readonly<Record<string, unknown>>): object {
  return 'merged_into' in entity ? { status: 'merged', merged_into: entity.merged_into } : {}
}

function kickoff(request: RecordedRequest, runs: ForeignRun[]): Reply {
  const isPost = request.method === 'POST'
  const asked = isPost ? parseObject(request.body) : Object.fromEntries(request.query)
  if (typeof asked?.name !== 'string' || asked.name.trim().length < 2) return refusal(400, 'bad_request')
  const optional = (value: unknown) => (typeof value === 'string' ? value : null)
  const run: ForeignRun = {
    runId: `run_${randomUUID()}`,
    jobId: randomUUID(),
    requestId: `reqa_${randomUUID()}`,
    customId: isPost ? (optional(asked.custom_id) ?? undefined) : undefined,
    query: { name: asked.name, location: optional(asked.location), context: optional(asked.context) },
    withBasis: asked.include === 'basis',
    webhookUrl: typeof asked.webhook_url === 'string' ? asked.webhook_url : undefined,
    startedAtMs: performance.now(),
    pollCount: 0,
  }
  runs.push(run)
  const ids = isPost
    ? { run_id: run.runId, custom_id: run.customId }
    : { job_id: run.jobId, request_id: run.requestId }
  return { status: 202, body: withUnknownKeys({ status: 'PENDING', ...ids }) }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return null
  }
}

function isDone(run: ForeignRun, { runTakes = { polls: 2 } }: ForeignServiceOptions): boolean {
  const takes = typeof runTakes === 'function' ? runTakes(run.query.name) : runTakes
  run.pollCount++
  return 'polls' in takes ? run.pollCount >= takes.polls : performance.now() - run.startedAtMs >= takes.ms
}

const noMatch: ForeignAnswer = { status: 'no_match' }

function answerOf(run: ForeignRun, options: ForeignServiceOptions): ForeignAnswer | 'fails' {
  const answers = options.answers ?? {}
  return Object.hasOwn(answers, run.query.name) ? (answers[run.query.name] ?? noMatch) : noMatch
}

function pollRun(run: ForeignRun, options: ForeignServiceOptions, withBasis: boolean): Reply {
  const head = { run_id: run.runId, custom_id: run.customId, object: 'run' }
  if (!isDone(run, options)) {
    return { status: 200, body: withUnknownKeys({ ...head, status: foreignValues.runStatus }) }
  }
  return { status: 200, body: finishedRun(run, options, withBasis) }
}

function finishedRun(
  run: ForeignRun,
  options: ForeignServiceOptions,
  withBasis: boolean,
): Record<string, unknown> {
  const head = { run_id: run.runId, custom_id: run.customId, object: 'run' }
  const found = answerOf(run, options)
  if (found === 'fails') return withUnknownKeys({ ...head, status: 'Failed' }) as Record<string, unknown>
  const data = foreignResult(found, run.query, withBasis && run.withBasis)
  return { ...head, status: 'Completed', data }
}

function pollJob(job: ForeignRun, options: ForeignServiceOptions, withBasis: boolean): Reply {
  if (!isDone(job, options)) {
    return { status: 202, body: { status: 'PENDING', job_id: job.jobId, request_id: job.requestId } }
  }
  const found = answerOf(job, options)
  const finished = found === 'fails' ? { status: 'failed' } : found
  return { status: 200, body: foreignResult(finished, job.query, withBasis && job.withBasis) }
}
