import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'

/** A request as it came. `path` is without the prefix and the query. */
export interface RecordedRequest {
  readonly number: number
  readonly method: string
  /** With the prefix and the query. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Answered {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent unchanged, anything else as JSON. */
  readonly body: unknown
}

/**
 * What happens to a request instead of its answer. The `accept_` ones do the work first, so that only the
 * answer is lost: a client cannot tell this from a request that never arrived. `sent`: the plan has answered.
 */
export type Fault =
  | (Omit<Answered, 'body'> & { readonly body?: string | object })
  | 'reset'
  | 'hang'
  | 'accept_then_reset'
  | 'accept_then_hang'
  | 'sent'

/** Sends the whole answer, the status too. */
export type SendBytes = (response: ServerResponse) => void

export interface FaceOptions {
  readonly answer: (request: RecordedRequest) => Answered
  /** The plan of faults. */
  readonly faults?: (
    request: RecordedRequest,
    response: ServerResponse,
  ) => Fault | undefined | Promise<Fault | undefined>
  /** Called after the work is done. May replace the answer. */
  readonly reply?: (request: RecordedRequest, answered: Answered) => Answered | SendBytes | undefined
  /** Default: none. */
  readonly prefix?: string
  /** Default: a free one. */
  readonly port?: number
}

export interface Face {
  /** With the prefix, without a slash at its end. */
  readonly baseUrl: string
  readonly port: number
  readonly requests: readonly RecordedRequest[]
  readonly close: () => Promise<void>
}

/** Puts a fake service on loopback, records each request, and fails by the plan. */
export async function serveFace(options: FaceOptions, addresses: readonly string[] = []): Promise<Face> {
  const { answer, faults, reply, prefix = '' } = options
  const requests: RecordedRequest[] = []
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined)
    const body = await text(incoming).catch(() => null)
    // Cut off by the caller: no request.
    if (body === null) return
    const request = record(incoming, body, prefix, requests.length + 1)
    requests.push(request)
    const fault = await faults?.(request, response)
    if (fault === 'hang' || fault === 'sent') return
    if (typeof fault === 'object') send(incoming, response, { body: '', ...fault })
    else if (fault === 'reset') incoming.socket.destroy()
    else {
      const answered = answer(request)
      if (fault === 'accept_then_reset') incoming.socket.destroy()
      else if (fault === undefined) {
        const replied = reply?.(request, answered) ?? answered
        if (typeof replied === 'function') replied(response)
        else send(incoming, response, replied)
      }
    }
  }
  const createOne = () =>
    createServer((incoming, response) => {
      void respond(incoming, response).catch(() => incoming.socket.destroy())
    })
  const server = createOne()
  const port = await listenOnLoopback(server, options.port)
  for (const address of addresses)
    await new Promise<void>((resolve) => createOne().listen(port, address, resolve))
  return {
    baseUrl: `http://127.0.0.1:${port}${prefix}`,
    port,
    requests,
    close: () => closeAtOnce(server),
  }
}

function record(incoming: IncomingMessage, body: string, prefix: string, number: number): RecordedRequest {
  const { method = '', url = '/', headers } = incoming
  const { pathname, searchParams: query } = new URL(url, 'http://unused')
  const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : 'outside the prefix'
  return { number, method, url, path, query, headers, body }
}

function send(incoming: IncomingMessage, response: ServerResponse, answered: Answered): void {
  const sent = typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body)
  const wantsGzip = /\bgzip\b/.test(incoming.headers['accept-encoding'] ?? '')
  response.writeHead(answered.status, {
    'content-type': 'application/json',
    ...(wantsGzip ? { 'content-encoding': 'gzip' } : {}),
    ...answered.headers,
  })
  response.end(wantsGzip ? gzipSync(sent) : sent)
}
