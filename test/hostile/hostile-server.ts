import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface HeardCall {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** Of the kickoff; of a poll, that of the run it asks for, or `?`. */
  readonly name: string
  /** Counts the calls of this kind for this name, from 1. */
  readonly attempt: number
  readonly runId: string
}

/** Answers instead of the server, and says so; false leaves it to the server. */
export type Act = (response: ServerResponse, call: HeardCall) => boolean

export interface HostileServer {
  readonly baseUrl: string
  readonly apiKey: string
  readonly calls: readonly HeardCall[]
  /** Names of the lookups that were accepted, each billed. */
  readonly billed: readonly string[]
  /** From here on it does what the interface says. */
  behave(): void
  close(): Promise<void>
}

export interface HostileOptions {
  readonly apiKey?: string
  readonly kickoff?: Act
  readonly poll?: Act
}

/** Does what the interface says, with whatever is put in place of its answers to kickoffs and polls. */
export async function startHostileServer(options: HostileOptions = {}): Promise<HostileServer> {
  const { apiKey = 'key-for-a-hostile-server' } = options
  let acts: HostileOptions = options
  const calls: HeardCall[] = []
  const billed: string[] = []
  const namesOfRuns = new Map<string, string>()
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void text(request).then(
      (body) => {
        const call = hear(request, body, calls, namesOfRuns)
        calls.push(call)
        const act = call.method === 'POST' ? acts.kickoff : acts.poll
        if (act?.(response, call) === true) return
        if (call.method === 'GET') sendJson(response, 200, goodRun(call.runId, call.name))
        else {
          const runId = `run_${billed.push(call.name)}`
          namesOfRuns.set(runId, call.name)
          sendJson(response, 202, { status: 'pending', run_id: runId })
        }
      },
      () => undefined,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey,
    calls,
    billed,
    behave: () => {
      acts = {}
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

function hear(
  request: IncomingMessage,
  body: string,
  calls: readonly HeardCall[],
  namesOfRuns: ReadonlyMap<string, string>,
): HeardCall {
  const { method = '', url = '', headers } = request
  const runId = decodeURIComponent(/^\/v3\/runs\/([^?]*)/.exec(url)?.[1] ?? '')
  const name =
    method === 'POST' ? (JSON.parse(body) as { name: string }).name : (namesOfRuns.get(runId) ?? '?')
  const attempt = calls.filter((call) => call.method === method && call.name === name).length + 1
  return { method, url, headers, name, attempt, runId }
}

/** Both answer true: whoever sends has answered. */
export function sendJson(response: ServerResponse, status: number, body: unknown): true {
  return sendText(response, status, JSON.stringify(body))
}

export function sendText(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  return true
}

/** A finished run with a value in every place that an answer column is read from. */
export function goodRun(runId: string, name: string): Record<string, unknown> {
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
        id: `siq_${runId}`,
        display_name: name,
        legal_name: `${name} SA`,
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
      basis: [
        {
          field: 'legal_name',
          confidence: 'high',
          reasoning: 'registered so',
          citations: [
            {
              url: 'https://r.example/1',
              excerpt: name,
              source_type: 'government_registry',
              authority_tier: 1,
            },
          ],
        },
      ],
      request_id: 'req_00000000-0000-4000-8000-000000000000',
      metadata: { resolved_at: '2026-01-02T03:04:05Z', updated_at: null, from_cache: false },
    },
  }
}
