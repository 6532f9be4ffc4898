import type { Transport, TransportRequest } from '../../src/client/transport.js'
import type { Exchange } from '../../src/core/http-exchange.js'

/** What becomes of a name, always the same: what is asked twice is billed twice, under another run id. */
type Fate = 'matched' | 'no_match' | 'fails' | 'rejected' | 'limited_once'

const fates: Readonly<Record<string, Fate>> = {
  Acme: 'matched',
  Bolt: 'fails',
  Cargo: 'limited_once',
  Dull: 'rejected',
  Echo: 'matched',
  Flint: 'no_match',
}

export interface Billed {
  readonly name: string
  readonly runId: string
}

/** A service without a network. It outlives every process that asks it, and alone knows what was billed. */
export class PaidService implements Transport {
  readonly ledger: Billed[] = []
  /** Reads of records of companies, by their ids. */
  readonly reads: string[] = []
  readonly #limited = new Set<string>()
  readonly #polled = new Set<string>()
  #firstKnown = 0

  async exchange(request: TransportRequest): Promise<Exchange> {
    await new Promise((resolve) => setImmediate(resolve))
    const { status, body, headers = {} } = this.#answer(request)
    return { kind: 'reply', status, headers, body, bodyFault: null }
  }

  #answer(request: TransportRequest): Answered {
    const [, entityId] = /^\/v3\/entities\/([^/?]+)/.exec(request.path) ?? []
    if (entityId !== undefined) return this.#read(entityId)
    return request.method === 'POST' ? this.#kickoff(request) : this.#poll(request)
  }

  #read(entityId: string): Answered {
    this.reads.push(entityId)
    const entity = { id: entityId, legal_name: `${entityId} "of the register", Ltd` }
    return { status: 200, body: { status: 'matched', entity } }
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

  #kickoff(request: TransportRequest): Answered {
    const { name, custom_id } = JSON.parse(request.body ?? '{}') as { name: string; custom_id: string }
    const fate = fates[name]
    if (fate === undefined) throw new Error(`nobody knows ${name}`)
    if (fate === 'rejected') return refusal(400, 'bad_request')
    if (fate === 'limited_once' && !this.#limited.has(name)) {
      this.#limited.add(name)
      return { ...refusal(429, 'rate_limit_exceeded'), headers: { 'x-ratelimit-remaining-minute': '0' } }
    }
    const runId = `run_${name}_${this.timesBilled(name) + 1}`
    this.ledger.push({ name, runId })
    return { status: 202, body: { status: 'PENDING', run_id: runId, custom_id } }
  }

  #poll(request: TransportRequest): Answered {
    const runId = decodeURIComponent(/\/v3\/runs\/([^?]+)/.exec(request.path)?.[1] ?? '')
    const run = this.ledger.slice(this.#firstKnown).find((billed) => billed.runId === runId)
    if (run === undefined) return refusal(404, 'not_found')
    if (!this.#polled.has(runId)) {
      this.#polled.add(runId)
      return { status: 202, body: { status: 'RUNNING', run_id: runId, data: null } }
    }
    if (fates[run.name] === 'fails')
      return { status: 200, body: { status: 'FAILED', run_id: runId, data: null } }
    return { status: 200, body: { status: 'COMPLETED', run_id: runId, data: resultOf(run.name) } }
  }
}

interface Answered {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const refusal = (status: number, type: string) => ({ status, body: { error: { type, message: type } } })

function resultOf(name: string): unknown {
  const metadata = { resolved_at: '2026-01-02T03:04:05.678Z', from_cache: false }
  if (fates[name] !== 'matched') return { status: 'no_match', match_confidence: 0, metadata }
  return {
    status: 'matched',
    match_confidence: 91,
    entity: { id: `siq_${name}`, legal_name: `${name} "Trading", Ltd` },
    basis: [
      {
        field: 'legal_name',
        confidence: 'high',
        reasoning: 'the register holds it',
        citations: [
          {
            url: `https://register.example/${name}`,
            excerpt: name,
            source_type: 'registry',
            authority_tier: 1,
          },
          { url: 'https://web.example', excerpt: null, source_type: 'web', authority_tier: 3 },
        ],
      },
    ],
    metadata,
  }
}
