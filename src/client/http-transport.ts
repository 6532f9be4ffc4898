import { Agent, buildConnector, request, type Dispatcher } from 'undici'
import { isUtf8 } from 'node:buffer'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { promisify } from 'node:util'
import type { Exchange } from '../core/http-exchange.js'
import { systemClock, withTimeout } from '../platform/clock.js'
import {
  defaultLimits,
  noAnswerInTime,
  parseBody,
  stoppedBeforeAnswer,
  type Transport,
  type TransportLimits,
  type TransportOptions,
  type TransportRequest,
} from './transport.js'

/**
 * Creates an HTTP transport with limits: redirects are not followed (the key must not reach another origin), nothing
 * is retried (a submission is billed), and replies are limited in time, size and depth.
 */
export function createTransport(options: TransportOptions): Transport {
  const limits = { ...defaultLimits, ...options.limits }
  const connectFailures = new WeakSet<Error>()
  const agent = new Agent({
    connections: options.connectionsMax,
    pipelining: 1,
    connect: createTrackedConnector(limits.connectMsMax, connectFailures),
    // Below the usual idle limits of servers: a request written to a closing connection is a lost answer.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    exchange: (call) => exchange({ agent, connectFailures, options, limits }, call),
    close: () => agent.destroy(),
  }
}

/**
 * Remembers errors of connections that were never established, including failed TLS handshakes: their requests were
 * not sent. Error codes do not tell, because most of them can also occur in the middle of a reply.
 */
function createTrackedConnector(
  connectMsMax: number,
  connectFailures: WeakSet<Error>,
): ReturnType<typeof buildConnector> {
  const connect = buildConnector({ timeout: connectMsMax })
  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] !== null) connectFailures.add(result[0])
      callback(...result)
    })
  }
}

interface ExchangeContext {
  agent: Agent
  connectFailures: WeakSet<Error>
  options: TransportOptions
  limits: TransportLimits
}

/** Limits the whole exchange, so that a server that sends a byte now and then cannot prolong it. */
async function exchange(wire: ExchangeContext, call: TransportRequest): Promise<Exchange> {
  const signals = call.signal === undefined ? [] : [call.signal]
  return withTimeout({ clock: systemClock, msMax: wire.limits.exchangeMsMax, signals }, (signal) =>
    sendUntilAborted(signal, wire, call),
  )
}

async function sendUntilAborted(
  signal: AbortSignal,
  wire: ExchangeContext,
  call: TransportRequest,
): Promise<Exchange> {
  const { agent, connectFailures, options, limits } = wire
  let reply: Dispatcher.ResponseData
  const describeAbort = () => (call.signal?.aborted === true ? stoppedBeforeAnswer : noAnswerInTime)
  try {
    reply = await request(options.baseUrl + call.path, {
      method: call.method,
      headers: { ...call.headers, 'user-agent': options.userAgent, 'accept-encoding': 'identity' },
      body: call.body ?? null,
      dispatcher: agent,
      signal,
    })
  } catch (error) {
    if (error instanceof Error && connectFailures.has(error)) return noReply(error, 'no')
    return signal.aborted
      ? { kind: 'no_reply', sent: 'maybe', reason: describeAbort() }
      : noReply(error, 'maybe')
  }
  const headers = flattenHeaders(reply.headers)
  try {
    const sent = await readCapped(reply.body, limits.responseBytesMax)
    const bytes = await decode(sent, headers['content-encoding'], limits.responseBytesMax)
    // Lenient decoding would write a damaged name with replacement characters.
    if (!isUtf8(bytes)) throw new BodyFault('the body is not UTF-8')
    const parsed = parseBody(bytes.toString('utf8'), limits.jsonDepthMax)
    return { kind: 'reply', status: reply.statusCode, headers, ...parsed }
  } catch (error) {
    // The status is known even if the body is not usable: a 401 stays a 401.
    const broken = `the body broke off (${signal.aborted ? describeAbort() : findErrorCode(error)})`
    const bodyFault = error instanceof BodyFault ? error.message : broken
    return { kind: 'reply', status: reply.statusCode, headers, body: undefined, bodyFault }
  }
}

/** The reason why a body is not usable; the text contains nothing of the body. */
class BodyFault extends Error {}

async function readCapped(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let byteCount = 0
  // Leaving the loop destroys the stream, and with it the connection.
  for await (const chunk of body) {
    byteCount += chunk.length
    if (byteCount > bytesMax) throw new BodyFault(`the body is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** We request no encoding, but decode one layer if a server encodes anyway. */
async function decode(bytes: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return bytes
  if (!Object.hasOwn(decoders, name)) throw new BodyFault('the body has an encoding that was not requested')
  try {
    return await decoders[name as keyof typeof decoders](bytes, { maxOutputLength: bytesMax })
  } catch {
    throw new BodyFault(`the body cannot be decoded, or is larger than ${bytesMax} bytes`)
  }
}

function noReply(error: unknown, sent: 'no' | 'maybe'): Exchange {
  const code = findErrorCode(error)
  return { kind: 'no_reply', sent, reason: reasons[code] ?? code }
}

const reasons: Record<string, string> = {
  UND_ERR_SOCKET: 'the connection broke before an answer came (UND_ERR_SOCKET)',
  ECONNRESET: 'the connection was reset before an answer came (ECONNRESET)',
  ECONNREFUSED: 'the base URL refused the connection (ECONNREFUSED)',
  ENOTFOUND: 'the host of the base URL was not found (ENOTFOUND)',
}

/** Returns the code of an error, or of the first error inside it that has one. */
function findErrorCode(error: unknown): string {
  let current: unknown = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const code = (current as NodeJS.ErrnoException).code
    if (typeof code === 'string') return code
    if (current instanceof AggregateError && current.errors[0] instanceof Error) current = current.errors[0]
    else if (current.cause instanceof Error) current = current.cause
    else return current.name
  }
  return 'unknown error'
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return plain
}
