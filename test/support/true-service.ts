import type { Transport, TransportRequest } from '../../src/client/transport.js'
import type { Exchange } from '../../src/core/http-exchange.js'
import {
  serveFace,
  type Answered,
  type Face,
  type FaceOptions,
  type RecordedRequest,
} from './service-face.js'

/** What becomes of a name, each time. The same name twice is billed twice, under another run id. */
type Fate = 'matched' | 'no_match' | 'fails' | 'rejected' | 'limited_once'

/** An accepted submission. */
export interface Billed {
  readonly name: string
  readonly customId: string
  readonly runId: string
}

export interface TrueServiceOptions {
  /** By name. Default: matched. */
  readonly fates?: Readonly<Record<string, Fate>>
  readonly legalNameOf?: (name: string) => string
  /** A run is done at this poll. Default: the first. */
  readonly donePoll?: number
  /** `count`: of all submissions. */
  readonly runIdOf?: (name: string, count: number) => string
  /** The name of a run of another process. Default: unknown. */
  readonly nameOf?: (runId: string) => string | undefined
}

/** The legal name in the answer to a name. */
export const legalNameOf = (name: string): string => `${name} SA`

/** Does what the interface says, in memory. It outlives every process that asks it, and alone knows what was billed. */
export class TrueService implements Transport {
  /** May be set back to an earlier time. */
  ledger: Billed[] = []
  /** Reads of records of companies, by their ids. */
  readonly reads: string[] = []
  readonly #limited = new Set<string>()
  readonly #pollCounts = new Map<string, number>()
  #runCount = 0
  #firstKnown = 0

  constructor(private readonly options: TrueServiceOptions = {}) {}

  async exchange(request: TransportRequest): Promise<Exchange> {
    await new Promise((resolve) => setImmediate(resolve))
    const { status, body, headers = {} } = this.answer({ ...request, body: request.body ?? '' })
    return { kind: 'reply', status, headers, body, bodyFault: null }
  }

  answer({ method, path, body }: Pick<RecordedRequest, 'method' | 'path' | 'body'>): Answered {
    const [, entityId] = /^\/v3\/entities\/([^/?]+)/.exec(path) ?? []
    if (entityId !== undefined) return this.#read(entityId)
    return method === 'POST' ? this.#kickoff(body) : this.#poll(path)
  }

  /** Another process: of what it was asked before it knows nothing. */
  forget(): void {
    this.#firstKnown = this.ledger.length
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  timesBilled(name: string): number {
    return this.ledger.filter((billed) => billed.name === name).length
  }

  nameOf(runId: string): string | undefined {
    const known = this.ledger.slice(this.#firstKnown).find((billed) => billed.runId === runId)
    return known?.name ?? this.options.nameOf?.(runId)
  }

  #read(entityId: string): Answered {
    this.reads.push(entityId)
    const entity = { id: entityId, legal_name: `${entityId} "of the register", Ltd` }
    return { status: 200, body: { status: 'matched', entity } }
  }

  #kickoff(body: string): Answered {
    const { name, custom_id: customId } = JSON.parse(body) as { name: string; custom_id: string }
    const fate = this.options.fates?.[name]
    if (fate === 'rejected') return refusal(400, 'bad_request')
    if (fate === 'limited_once' && !this.#limited.has(name)) {
      this.#limited.add(name)
      return { ...refusal(429, 'rate_limit_exceeded'), headers: { 'x-ratelimit-remaining-minute': '0' } }
    }
    const count = ++this.#runCount
    const runId = this.options.runIdOf?.(name, count) ?? `run_${count}`
    this.ledger.push({ name, customId, runId })
    return { status: 202, body: { status: 'PENDING', run_id: runId, custom_id: customId } }
  }

  #poll(path: string): Answered {
    const runId = decodeURIComponent(/\/v3\/runs\/([^?]+)/.exec(path)?.[1] ?? '')
    const name = this.nameOf(runId)
    if (name === undefined) return refusal(404, 'not_found')
    // Where processes share a run id, whose `custom_id` it has is not known.
    const billed =
      this.options.nameOf === undefined ? this.ledger.find((one) => one.runId === runId) : undefined
    const customId = billed?.customId
    const { fates = {}, donePoll = 1, legalNameOf: toLegalName } = this.options
    const polls = (this.#pollCounts.get(runId) ?? 0) + 1
    this.#pollCounts.set(runId, polls)
    if (polls < donePoll) return { status: 202, body: { status: 'RUNNING', run_id: runId, data: null } }
    if (fates[name] === 'fails') return { status: 200, body: { status: 'FAILED', run_id: runId, data: null } }
    const data = { status: 'no_match', match_confidence: 0, metadata }
    const isMatched = (fates[name] ?? 'matched') !== 'no_match'
    return {
      status: 200,
      body: isMatched
        ? { ...completedRun(runId, name, toLegalName?.(name)), custom_id: customId }
        : { status: 'COMPLETED', run_id: runId, data },
    }
  }
}

const refusal = (status: number, type: string) => ({ status, body: { error: { type, message: type } } })

const metadata = { resolved_at: '2026-01-02T03:04:05.678Z', updated_at: null, from_cache: false }

/** A finished run with a value in every place that an answer column is read from. */
export function completedRun(
  runId: string,
  name: string,
  legalName = legalNameOf(name),
): Record<string, unknown> {
  const address = {
    street_address: '1 Quai',
    city: 'Lyon',
    state: null,
    state_code: null,
    postal_code: '69001',
    country: 'France',
    country_code: 'FR',
    formatted_address: '1 Quai, 69001 Lyon',
  }
  const code = { code: '62.01', label: 'Software', is_primary: true, confidence: 90 }
  const url = `https://register.example/${encodeURIComponent(name)}`
  const citation = { url, excerpt: legalName, source_type: 'government_registry', authority_tier: 1 }
  return {
    run_id: runId,
    status: 'COMPLETED',
    data: {
      status: 'matched',
      match_confidence: 91,
      type: 'business',
      subtype: 'incorporated_entity',
      merged_into: null,
      entity: {
        id: `siq_${Buffer.from(name).toString('hex')}`,
        display_name: name,
        legal_name: legalName,
        status: 'active',
        description: 'makes things',
        website: 'https://example.org',
        headquarters: { address },
        primary_legal_entity: {
          id: 'le_1',
          jurisdiction: 'fr',
          country_code: 'FR',
          registration_authority: { code: 'RA000189', name: 'Registre', organization: 'INPI' },
        },
        identifiers: [{ type: 'lei', value: '549300EXAMPLE0000001', jurisdiction: null }],
        matching_branch: null,
        facets: { sector: 'private', legal_form: 'sa' },
        industry: { schemes: { naics_2022: [code], sic: [code] } },
        parent_entity: { name: 'Parent SE' },
      },
      candidate: {
        name: 'C',
        legal_name: 'C SA',
        jurisdiction: 'fr',
        primary_address: { full_address: 'x' },
      },
      factors: [{ code: 'name_match', type: 'strength', description: 'agrees', impact: 'high' }],
      actions: [{ code: 'none', description: null }],
      basis: [{ field: 'legal_name', confidence: 'high', reasoning: 'registered so', citations: [citation] }],
      request_id: 'req_00000000-0000-4000-8000-000000000000',
      metadata,
    },
  }
}

/** The true service on loopback, with a plan of faults. */
export async function startTrueService(
  plan: Omit<FaceOptions, 'answer'> = {},
  options: TrueServiceOptions = {},
): Promise<Face & { readonly service: TrueService }> {
  const service = new TrueService(options)
  return { ...(await serveFace({ ...plan, answer: (request) => service.answer(request) })), service }
}
