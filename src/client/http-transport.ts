import { Agent, buildConnector, request, type Dispatcher } from 'undici'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { promisify } from 'node:util'
import { decodeJson, explainNetworkError, findNetworkCode, type Exchange } from '../core/http-exchange.js'
import type { Proxy } from '../platform/outbound/proxy.js'
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

type Connect = ReturnType<typeof buildConnector>

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
    connect: createTrackedConnector(limits.connectMsMax, options.proxy ?? null, connectFailures),
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
 * Remembers errors of connections that were never established, including failed TLS handshakes and refusals of a proxy:
 * their requests were not sent. Error codes do not tell, because most of them can also occur in the middle of a reply.
 */
function createTrackedConnector(
  connectMsMax: number,
  proxy: Proxy | null,
  connectFailures: WeakSet<Error>,
): Connect {
  const direct = buildConnector({ timeout: connectMsMax })
  const connect = proxy === null ? direct : createLazyProxyConnect(proxy, direct, connectMsMax)
  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] !== null) connectFailures.add(result[0])
      callback(...result)
    })
  }
}

/** Loads the code for proxies with the first connection. */
function createLazyProxyConnect(proxy: Proxy, direct: Connect, connectMsMax: number): Connect {
  const loading = import('../platform/outbound/proxy.js')
  return (target, callback) => {
    loading.then(
      ({ createProxyConnect }) => {
        createProxyConnect(() => proxy, direct, { connectMsMax })(target, callback)
      },
      (cause: unknown) => {
        callback(new Error('the code for proxies does not load', { cause }), null)
      },
    )
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
    const { sent, breakage } = await readCapped(reply.body, limits.responseBytesMax)
    const bytes =
      breakage === null ? await decode(sent, headers['content-encoding'], limits.responseBytesMax) : sent
    const text = decodeJson(bytes, headers['content-type'])
    if (text === null) throw breakage ?? new BodyFault('the body is not UTF-8')
    const parsed = parseBody(text, limits.jsonDepthMax)
    // Nothing can follow a closed JSON object: only the end of the message is missing, not the id of a billed run.
    if (breakage !== null && !isObject(parsed.body)) throw breakage
    return { kind: 'reply', status: reply.statusCode, headers, ...parsed }
  } catch (error) {
    // The status is known even if the body is not usable: a 401 stays a 401.
    const broken = `the body broke off (${signal.aborted ? describeAbort() : (findNetworkCode(error) ?? 'unknown reason')})`
    const bodyFault = error instanceof BodyFault ? error.message : broken
    return { kind: 'reply', status: reply.statusCode, headers, body: undefined, bodyFault }
  }
}

/** The reason why a body is not usable; the text contains nothing of the body. */
class BodyFault extends Error {}

/** Reads a body; `breakage` is the reason why it broke off, or null. */
async function readCapped(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<{ sent: Buffer; breakage: Error | null }> {
  const chunks: Buffer[] = []
  let byteCount = 0
  try {
    // Leaving the loop destroys the stream, and with it the connection.
    for await (const chunk of body) {
      byteCount += chunk.length
      if (byteCount > bytesMax) throw new BodyFault(`the body is larger than ${bytesMax} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof BodyFault) throw error
    return { sent: Buffer.concat(chunks), breakage: error as Error }
  }
  return { sent: Buffer.concat(chunks), breakage: null }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  const { reason, hint } = explainNetworkError(error)
  return { kind: 'no_reply', sent, reason, hint }
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return plain
}
