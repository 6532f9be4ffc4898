import type { Exchange } from '../core/exchange.js'
import { nestsDeeperThan } from '../core/json-depth.js'

export interface TransportOptions {
  /** As `parseBaseUrl` gives it: origin and path, no trailing slash. */
  baseUrl: string
  userAgent: string
  connectionsMax: number
  limits?: Partial<TransportLimits>
}

export interface TransportLimits {
  connectMsMax: number
  /** From sending the request to the last byte of the answer. */
  exchangeMsMax: number
  /** Decoded: 261 kB of gzip can become 268 MB. Parsed, it takes some ten times as much, many at one time. */
  responseBytesMax: number
  jsonDepthMax: number
}

export const defaultLimits: TransportLimits = {
  connectMsMax: 10_000,
  exchangeMsMax: 60_000,
  responseBytesMax: 8 * 2 ** 20,
  jsonDepthMax: 64,
}

export interface TransportRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

export interface Transport {
  /** The other side is in this process and has no key of anybody: what it sends is not searched for one. */
  readonly isLocal?: true
  exchange(request: TransportRequest): Promise<Exchange>
  close(): Promise<void>
}

/** A service in this process: never rejects. */
export type AnswerLocally = (request: TransportRequest) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}>

/** Requests that never leave this process, under the same limits as those that do. */
export function createLocalTransport(answer: AnswerLocally, given: Partial<TransportLimits> = {}): Transport {
  const limits = { ...defaultLimits, ...given }
  return {
    isLocal: true,
    exchange: async (call) => {
      const reply = await inTime(answer(call), limits.exchangeMsMax)
      if (reply === null) return { kind: 'no_reply', sent: 'maybe', reason: noAnswerInTime }
      const { status, headers, text } = reply
      const isTooLarge =
        text.length * 3 > limits.responseBytesMax && Buffer.byteLength(text) > limits.responseBytesMax
      const bodyFault = `the body is larger than ${limits.responseBytesMax} bytes`
      if (isTooLarge) return { kind: 'reply', status, headers, body: undefined, bodyFault }
      return { kind: 'reply', status, headers, ...parseBody(text, limits.jsonDepthMax) }
    },
    close: () => Promise.resolve(),
  }
}

/** Null where it takes longer; what comes later is nobody's. */
function inTime<Reply>(reply: Promise<Reply>, msMax: number): Promise<Reply | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(null)
    }, msMax)
    reply
      .finally(() => {
        clearTimeout(timer)
      })
      .then(resolve, reject)
  })
}

export const noAnswerInTime = 'no answer in time'

/** The body of an answer, or what is wrong with it. */
export function parseBody(text: string, depthMax: number): { body: unknown; bodyFault: string | null } {
  if (text.trim() === '') return { body: undefined, bodyFault: 'the body is empty' }
  if (nestsDeeperThan(text, depthMax)) {
    return { body: undefined, bodyFault: `the body nests deeper than ${depthMax} levels` }
  }
  try {
    return { body: JSON.parse(text) as unknown, bodyFault: null }
  } catch {
    return { body: undefined, bodyFault: 'the body is not JSON' }
  }
}
