import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Charged {
  name: string
  customId: string
  runId: string
}

/** A hosted service in this process, without limits: every submission is charged and answered at once. */
export interface MeteredService {
  readonly url: string
  /** What was charged so far; set to go back to an earlier time. */
  ledger: Charged[]
  /** Called with the number of requests since it was set. */
  onRequest: (count: number) => void
  close(): Promise<void>
}

/** The answer to a name, always the same. */
export const legalNameOf = (name: string): string => `${name} Holdings GmbH`

export async function startMeteredService(): Promise<MeteredService> {
  let requestCount = 0
  let runCount = 0
  let onRequest: (count: number) => void = () => undefined
  const state: { ledger: Charged[] } = { ledger: [] }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const reply = (status: number, body: object) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }
      if (request.method === 'POST') {
        const { name, custom_id: customId } = JSON.parse(Buffer.concat(chunks).toString()) as {
          name: string
          custom_id: string
        }
        const runId = `run_${String(++runCount)}_${Buffer.from(name).toString('hex')}`
        state.ledger.push({ name, customId, runId })
        // Charged before it is answered: whoever is killed now knows nothing of it.
        onRequest(++requestCount)
        reply(202, { status: 'PENDING', run_id: runId, custom_id: customId })
        return
      }
      onRequest(++requestCount)
      const runId = decodeURIComponent(/\/v3\/runs\/([^?]+)/.exec(request.url ?? '')?.[1] ?? '')
      const run = state.ledger.find((charged) => charged.runId === runId)
      if (run === undefined) reply(404, { error: { type: 'not_found', message: 'no such run' } })
      else reply(200, completed(run))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get ledger() {
      return state.ledger
    },
    set ledger(ledger) {
      state.ledger = [...ledger]
    },
    get onRequest() {
      return onRequest
    },
    set onRequest(listener) {
      requestCount = 0
      onRequest = listener
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

function completed({ name, customId, runId }: Charged) {
  return {
    status: 'COMPLETED',
    run_id: runId,
    custom_id: customId,
    data: {
      status: 'matched',
      match_confidence: 97,
      query: { name },
      entity: { id: `siq_${Buffer.from(name).toString('hex')}`, legal_name: legalNameOf(name) },
      metadata: { resolved_at: '2026-01-02T03:04:05.678Z', from_cache: false, query: { name } },
    },
  }
}
