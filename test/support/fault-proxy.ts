import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

interface FaultContext {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Sends the request on to the store. */
  readonly forward: () => Promise<Reply>
}

/** What happens to a request instead of its way to the store. */
export type Fault = (context: FaultContext) => Promise<void> | void

export interface FaultProxy {
  readonly endpoint: string
  /** Method and path with query of all requests so far. */
  readonly requests: string[]
  /** Their headers. */
  readonly headers: IncomingHttpHeaders[]
  /** Later requests whose method and path match meet the fault, `times` times. */
  fail(pattern: RegExp, fault: Fault, times?: number): void
  /** Forgets requests and faults. */
  forget(): void
  close(): Promise<void>
}

interface OwnReplies {
  /** Answers without the server; null for its answer. */
  before(method: string, url: URL): Reply | null
  /** Replaces the answer of the server; null keeps it. */
  after(method: string, url: URL): Reply | null
}

/** A proxy on loopback in front of a server on another port, which can answer, cut, delay and change. */
export async function startFaultProxy(port: number, own?: OwnReplies): Promise<FaultProxy> {
  const faults: { pattern: RegExp; fault: Fault; rest: number }[] = []
  const requests: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    requests.push(`${method} ${url}`)
    headers.push(incoming.headers)
    outgoing.on('error', () => undefined)
    const target = new URL(url, 'http://localhost')
    const forward = async () => {
      const early = own?.before(method, target) ?? null
      if (early !== null) {
        incoming.resume()
        return early
      }
      const reply = await sendOn(port, incoming)
      // A refusal of the signature comes first.
      return reply.status === 403 ? reply : (own?.after(method, target) ?? reply)
    }
    const met = faults.find(({ pattern, rest }) => rest > 0 && pattern.test(`${method} ${url}`))
    if (met !== undefined) met.rest--
    const run = async () => {
      if (met !== undefined) await met.fault({ incoming, outgoing, forward })
      else sendReply(outgoing, await forward())
    }
    run().catch(() => outgoing.destroy())
  })
  return {
    endpoint: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    requests,
    headers,
    fail: (pattern, fault, times = 1) => faults.push({ pattern, fault, rest: times }),
    forget: () => {
      for (const list of [requests, headers, faults]) list.length = 0
    },
    close: () => closeAtOnce(server),
  }
}

/** Answers without the store. */
export const answer =
  (status: number, code = '', headers: Record<string, string> = {}): Fault =>
  ({ incoming, outgoing }) => {
    incoming.resume()
    incoming.on('end', () => {
      sendReply(outgoing, {
        status,
        headers: { 'content-type': 'application/xml', ...headers },
        body: Buffer.from(incoming.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`),
      })
    })
  }

/** Answers with status 200 and a text, without the store. */
export const answerText =
  (text: string): Fault =>
  ({ incoming, outgoing }) => {
    incoming.resume()
    incoming.on('end', () => outgoing.writeHead(200).end(text))
  }

/** Never answers. */
export const stall: Fault = ({ incoming }) => {
  incoming.resume()
}

/** Cuts the connection before anything is answered, and before the body of the request is read. */
export const cutRequest: Fault = ({ incoming }) => {
  incoming.socket.destroy()
}

/** The store handles the request, and its reply is lost. */
export const loseReply: Fault = async ({ incoming, forward }) => {
  await forward()
  incoming.socket.destroy()
}

/** Sends a part of the body, then cuts the connection; `stalls` leaves it open instead. */
export const cutReply =
  (byteCount: number, stalls = false): Fault =>
  async ({ outgoing, forward }) => {
    const reply = await forward()
    outgoing.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length) })
    outgoing.write(reply.body.subarray(0, byteCount), () => {
      if (!stalls) outgoing.destroy()
    })
  }

/** Changes a reply of the store. */
export const changeReply =
  (change: (reply: Reply) => Reply): Fault =>
  async ({ outgoing, forward }) => {
    sendReply(outgoing, change(await forward()))
  }

function sendReply(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}

/** The server ignores ranges. */
export const ignoreRange: Fault = async ({ incoming, outgoing, forward }) => {
  delete incoming.headers.range
  sendReply(outgoing, await forward())
}

function sendOn(port: number, incoming: IncomingMessage): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = incoming
    const upstream = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('error', reject)
        reply.on('end', () => {
          const kept = { ...reply.headers }
          delete kept.connection
          delete kept['transfer-encoding']
          resolve({ status: reply.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) })
        })
      },
    )
    upstream.on('error', reject)
    incoming.on('error', reject)
    incoming.pipe(upstream)
  })
}
