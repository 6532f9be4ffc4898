import { randomUUID } from 'node:crypto'
import {
  chooseDeviations,
  strangeResult,
  strangeValues,
  withUnknownKeys,
  type Deviations,
  type StrangeAnswer,
  type StrangeQuery,
} from './strange-shapes.js'
import {
  serveFace,
  type Answered,
  type Face,
  type FaceOptions,
  type RecordedRequest,
  type SendBytes,
} from './service-face.js'

export type { Fault, RecordedRequest } from './service-face.js'
export * from './strange-shapes.js'

/** A run is done at its n-th poll, or so long after its kickoff. */
type RunTakes = { readonly polls: number } | { readonly ms: number }

export interface StrangeServiceOptions {
  /** From 0 to below `seedsMax`: chooses the deviations. Default: all. */
  readonly seed?: number
  /** Default `foreign-key`. */
  readonly apiKey?: string
  /** By name; any other name is a no_match. `fails` is a run that ends FAILED. */
  readonly answers?: Readonly<Record<string, StrangeAnswer | 'fails'>>
  readonly entities?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What a search finds; nothing if left out. */
  readonly search?: (query: URLSearchParams) => readonly Readonly<Record<string, unknown>>[]
  /** Default: running at the first poll, done at the second. */
  readonly runTakes?: RunTakes | ((name: string) => RunTakes)
  /** Default `/gateway`. */
  readonly pathPrefix?: string
  readonly faults?: FaceOptions['faults']
  /** What something between the service and its caller makes of an answer: another one, or bytes of its own. */
  readonly reply?: (
    request: RecordedRequest,
    body: Record<string, unknown>,
    service: StrangeService,
  ) => Record<string, unknown> | SendBytes
  /** Told of every kickoff that was accepted, before it is answered: the moment to send webhooks. */
  readonly accepted?: (run: StrangeRun, service: StrangeService) => void
}

export interface StrangeRun {
  readonly runId: string
  readonly customId: string | undefined
  readonly query: StrangeQuery
  readonly withBasis: boolean
  readonly webhookUrl: string | undefined
  readonly startedAtMs: number
  pollCount: number
}

export interface StrangeService extends Face {
  readonly apiKey: string
  /** Every kickoff accepted, thus billed, in order. */
  readonly runs: readonly StrangeRun[]
  /** The run object of a finished run, as a webhook carries it. */
  finished(run: StrangeRun): Record<string, unknown>
}

/**
 * Speaks the v3 interface over plain `node:http`, in readings that our own service does not take: see
 * strange-shapes.ts. Shares no code with src/.
 */
export async function startStrangeService(options: StrangeServiceOptions = {}): Promise<StrangeService> {
  const book = new RunBook(options)
  const face = await serveFace({
    prefix: options.pathPrefix ?? '/gateway',
    ...(options.faults && { faults: options.faults }),
    answer: (request) => {
      const runCount = book.runs.length
      const answered = book.answer(request)
      for (const run of book.runs.slice(runCount)) options.accepted?.(run, service)
      return answered
    },
    reply: (request, answered) => {
      const body = options.reply?.(request, answered.body as Record<string, unknown>, service)
      return typeof body === 'function' ? body : { ...answered, body: body ?? answered.body }
    },
  })
  const service: StrangeService = {
    ...face,
    apiKey: book.apiKey,
    runs: book.runs,
    finished: (run) => book.finished(run, true),
  }
  return service
}

const refusal = (status: number, type: string): Answered => ({
  status,
  body: { error: { type, message: `foreign wording of ${type}`, doc_url: 'https://example.org/errors' } },
})

class RunBook {
  readonly apiKey: string
  readonly runs: StrangeRun[] = []
  readonly #odd: Deviations

  constructor(private readonly options: StrangeServiceOptions) {
    this.apiKey = options.apiKey ?? 'foreign-key'
    this.#odd = chooseDeviations(options.seed)
  }

  answer(request: RecordedRequest): Answered {
    if (request.headers.apikey !== this.apiKey) return refusal(401, 'authentication_error')
    if (request.path === '/v3/entity-resolution/async') return this.#kickoff(request)
    if (request.path === '/v2/search') return this.#search(request)
    const [, version, collection, id = ''] = request.path.split('/').map(decodeURIComponent)
    const missing = refusal(404, 'resource_missing')
    if (version !== 'v3' || request.method !== 'GET') return missing
    if (collection === 'runs') {
      const run = this.runs.find(({ runId }) => runId === id)
      return run ? this.#poll(run, request.query.get('include') === 'basis') : missing
    }
    const entity = collection === 'entities' ? this.options.entities?.[id] : undefined
    if (entity === undefined) return missing
    // An entity that is listed with `merged_into` is read as merged; its record is then the canonical one.
    const merged = 'merged_into' in entity ? { status: 'merged', merged_into: entity.merged_into } : {}
    return this.#reply(200, { status: 'matched', entity, ...merged, request_id: `req_${randomUUID()}` })
  }

  /** The run object of a finished run. */
  finished(run: StrangeRun, withBasis: boolean): Record<string, unknown> {
    const head = { run_id: run.runId, custom_id: run.customId, object: 'run' }
    const word = (status: string) =>
      this.#odd.has('other letters in statuses') ? status : status.toUpperCase()
    const answers = new Map(Object.entries(this.options.answers ?? {}))
    const found = answers.get(run.query.name) ?? { status: 'no_match' }
    if (found === 'fails')
      return withUnknownKeys({ ...head, status: word('Failed') }, this.#odd) as Record<string, unknown>
    const data = strangeResult(found, run.query, withBasis && run.withBasis, this.#odd)
    return { ...head, status: word('Completed'), data }
  }

  #reply(status: number, body: object): Answered {
    return { status, body: withUnknownKeys(body, this.#odd) }
  }

  #search({ query }: RecordedRequest): Answered {
    const results = (this.options.search?.(query) ?? []).slice(0, Number(query.get('limit') ?? 10))
    const metadata = { total: results.length, returned: results.length, query_time_ms: 3 }
    return this.#reply(200, { results, metadata, request_id: `req_${randomUUID()}` })
  }

  #kickoff(request: RecordedRequest): Answered {
    const asked = parseObject(request.body)
    if (request.method !== 'POST' || typeof asked?.name !== 'string' || asked.name.trim().length < 2)
      return refusal(400, 'bad_request')
    const optional = (value: unknown) => (typeof value === 'string' ? value : null)
    const run: StrangeRun = {
      runId: `run_${randomUUID()}`,
      customId: optional(asked.custom_id) ?? undefined,
      query: { name: asked.name, location: optional(asked.location), context: optional(asked.context) },
      withBasis: asked.include === 'basis',
      webhookUrl: optional(asked.webhook_url) ?? undefined,
      startedAtMs: performance.now(),
      pollCount: 0,
    }
    this.runs.push(run)
    return this.#reply(202, { status: 'PENDING', run_id: run.runId, custom_id: run.customId })
  }

  #poll(run: StrangeRun, withBasis: boolean): Answered {
    const { runTakes = { polls: 2 } } = this.options
    const takes = typeof runTakes === 'function' ? runTakes(run.query.name) : runTakes
    run.pollCount++
    const isDone =
      'polls' in takes ? run.pollCount >= takes.polls : performance.now() - run.startedAtMs >= takes.ms
    if (isDone) return { status: 200, body: this.finished(run, withBasis) }
    const status = this.#odd.has('unknown values') ? strangeValues.runStatus : 'PENDING'
    const head = { run_id: run.runId, custom_id: run.customId, object: 'run' }
    return this.#reply(this.#odd.has('pending with status 200') ? 200 : 202, { ...head, status })
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return null
  }
}
