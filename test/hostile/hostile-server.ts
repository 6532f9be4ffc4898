import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Face, FaceOptions } from '../support/service-face.js'
import { startTrueService } from '../support/true-service.js'

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

/** Answers instead of the service, and says so; false leaves it to the service. */
export type Act = (response: ServerResponse, call: HeardCall) => boolean

export interface HostileServer extends Pick<Face, 'baseUrl' | 'close'> {
  readonly apiKey: string
  readonly calls: readonly HeardCall[]
  /** Names of the lookups that were accepted, each billed. */
  readonly billed: readonly string[]
  /** From here on it does what the interface says. */
  behave(): void
}

export interface HostileOptions {
  readonly apiKey?: string
  readonly kickoff?: Act
  readonly poll?: Act
}

/** The true service, with a plan in place of its answers to kickoffs and polls. */
export async function startHostileServer(options: HostileOptions = {}): Promise<HostileServer> {
  const { apiKey = 'key-for-a-hostile-server' } = options
  let acts: HostileOptions = options
  const calls: HeardCall[] = []
  const faults: FaceOptions['faults'] = ({ method, url, headers, body }, response) => {
    const runId = decodeURIComponent(/^\/v3\/runs\/([^?]*)/.exec(url)?.[1] ?? '')
    const name =
      method === 'POST' ? (JSON.parse(body) as { name: string }).name : (service.nameOf(runId) ?? '?')
    const attempt = calls.filter((call) => call.method === method && call.name === name).length + 1
    const call = { method, url, headers, name, attempt, runId }
    calls.push(call)
    const act = method === 'POST' ? acts.kickoff : acts.poll
    return act?.(response, call) === true ? 'sent' : undefined
  }
  // A run id that the plan made up has an answer too.
  const { service, baseUrl, close } = await startTrueService({ faults }, { nameOf: () => '?' })
  return {
    baseUrl,
    apiKey,
    calls,
    get billed() {
      return service.ledger.map(({ name }) => name)
    },
    behave: () => {
      acts = {}
    },
    close,
  }
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
