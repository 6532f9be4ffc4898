import type { Exchange } from '../core/http-exchange.js'
import { isDeeperThan } from '../core/json.js'
import { stripByteOrderMark } from '../core/text.js'
import type { Proxy } from '../platform/outbound/proxy.js'

export interface TransportOptions {
  /** Origin and path without a trailing slash, as returned by `parseBaseUrl`. */
  baseUrl: string
  userAgent: string
  connectionsMax: number
  /** Proxy of all connections; defaults to none. */
  proxy?: Proxy | null
  limits?: Partial<TransportLimits>
}

export interface TransportLimits {
  connectMsMax: number
  /** From sending the request to the last byte of the answer. */
  exchangeMsMax: number
  /** Size after decoding: 261 kB of gzip can become 268 MB. The parsed value takes about ten times as much. */
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
  /** Once aborted, the exchange no longer waits for the answer. */
  signal?: AbortSignal | undefined
}

/** The way of requests to a service, for those who provide one. `createServiceClient` uses it. */
export interface Transport {
  /** The other side is in this process and knows no key: its replies are not searched for one. */
  readonly isLocal?: true
  exchange(request: TransportRequest): Promise<Exchange>
  close(): Promise<void>
}

/** Calls a service in this process; never rejects. */
export type AnswerLocally = (request: TransportRequest) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}>

/** Creates a transport for requests that never leave this process, under the same limits as HTTP. */
export function createLocalTransport(answer: AnswerLocally, given: Partial<TransportLimits> = {}): Transport {
  const limits = { ...defaultLimits, ...given }
  return {
    isLocal: true,
    exchange: async (call) => {
      const reply = await waitForReply(answer(call), limits.exchangeMsMax, call.signal)
      if (typeof reply === 'string') return { kind: 'no_reply', sent: 'maybe', reason: reply }
      const { status, headers, text } = reply
      const isTooLarge =
        text.length * 3 > limits.responseBytesMax && Buffer.byteLength(text) > limits.responseBytesMax
      const bodyFault = `the body is larger than ${limits.responseBytesMax} bytes`
      if (isTooLarge) return { kind: 'reply', status, headers, body: undefined, bodyFault }
      return new LocalReply(status, headers, text, limits.jsonDepthMax)
    },
    close: () => Promise.resolve(),
  }
}

/** A reply whose body is parsed when it is read: the answer of a run may be at hand in a prepared form. */
class LocalReply {
  readonly kind = 'reply'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly #depthMax: number
  #parsed: ReturnType<typeof parseBody> | null = null

  constructor(status: number, headers: Readonly<Record<string, string>>, text: string, depthMax: number) {
    this.status = status
    this.headers = headers
    this.text = text
    this.#depthMax = depthMax
  }

  get body(): unknown {
    return this.#parse().body
  }

  get bodyFault(): string | null {
    return this.#parse().bodyFault
  }

  #parse(): ReturnType<typeof parseBody> {
    return (this.#parsed ??= parseBody(this.text, this.#depthMax))
  }
}

/** Resolves to the reply, or to the reason why it came too late or was not awaited. */
function waitForReply<Reply>(
  reply: Promise<Reply>,
  msMax: number,
  signal: AbortSignal | undefined,
): Promise<Reply | string> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      resolve(stoppedBeforeAnswer)
    }
    const timer = setTimeout(() => {
      resolve(noAnswerInTime)
    }, msMax)
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop, { once: true })
    reply
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      })
      .then(resolve, reject)
  })
}

export const noAnswerInTime = 'no answer in time'
export const stoppedBeforeAnswer = 'stopped before the answer came'

/** Parses the body of a reply, or returns the fault in it. */
export function parseBody(marked: string, depthMax: number): { body: unknown; bodyFault: string | null } {
  const text = stripByteOrderMark(marked)
  if (text.trim() === '') return { body: undefined, bodyFault: 'the body is empty' }
  if (isDeeperThan(text, depthMax)) {
    return { body: undefined, bodyFault: `the body nests deeper than ${depthMax} levels` }
  }
  try {
    return { body: JSON.parse(text) as unknown, bodyFault: null }
  } catch {
    return { body: undefined, bodyFault: 'the body is not JSON' }
  }
}
