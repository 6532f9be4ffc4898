import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import {
  fastify,
  type ConnectionError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { errorTypes } from '../../contract/errors.js'
import { apiKeyHeader, rateLimitHeaders } from '../../contract/limits.js'
import { routes, parseVersion } from '../../contract/routes.js'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../platform/sql-program.js'
import { getErrorStack } from '../../core/errors.js'
import {
  type Guests,
  type SourceVerdict,
  createSourceCheck,
  drainRequest,
} from '../../platform/http-server.js'
import type { Clock, Random } from '../../platform/clock.js'
import { authenticate, type Callers } from '../accounts/accounts.js'
import { limits } from '../limits.js'
import { createCallId } from '../runs/run-store.js'
import {
  badRequest,
  buildErrorBody,
  isUnexpected,
  createMalformedIdRefusal,
  Refusal,
  toRefusal,
  RouteTable,
  createForeignHostRefusal,
  createForeignOriginRefusal,
} from '../refusal.js'

interface AppDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
  readonly guests?: Guests | null
}

/**
 * Creates the HTTP server without routes: its limits, and JSON errors in the interface's shape. Bodies stay text
 * until their route reads them, so that the key is checked before the body.
 */
export function createApp(
  callers: Deferrable<Callers>,
  { clock, random, log, guests = null }: AppDeps,
): FastifyInstance {
  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => {
    if (refusal.status === 413) reply.header('connection', 'close')
    // With these headers, a caller would take the plan's limit for that of the minute, and wait for its end.
    if (refusal.type === errorTypes.monthlyLimitReached) {
      for (const name of Object.values(rateLimitHeaders)) reply.removeHeader(name)
    }
    const body = buildErrorBody(parseVersion(request.url), refusal, createCallId(random))
    reply.code(refusal.status).headers(refusal.headers).send(body)
  }
  const table = new RouteTable()
  const app = fastify({
    logger: false,
    http: {
      headersTimeout: limits.headersMsMax,
      connectionsCheckingInterval: limits.socketCheckMs,
      maxHeaderSize: limits.headerBytesMax,
      // Node.js would refuse it with an empty body; the hook below sends the right one.
      requireHostHeader: false,
    },
    requestTimeout: limits.requestMsMax,
    connectionTimeout: limits.idleSocketMsMax,
    bodyLimit: limits.bodyBytesMax,
    routerOptions: { maxParamLength: limits.paramCharsMax },
    // Routes declare HEAD themselves: a HEAD of the GET kickoff would start and bill a job.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      reply.headers(commonHeaders)
      const refusal = findSourceRefusal(request) ?? createPathRefusal(request, callers)
      void applyWhenReady(refusal, (known) => {
        refuse(request, reply, known)
      })
    },
    clientErrorHandler: (error, socket) => {
      refuseSocket(error, socket, { table, clock })
    },
  })
  const judge = createSourceCheck(app.server, guests)
  const findSourceRefusal = (request: FastifyRequest) => toSourceRefusal(judge(request))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    if (isUtf8(body)) done(null, body.toString('utf8'))
    else done(badRequest('the body is not UTF-8'))
  })
  app.server.on('checkExpectation', (request, response) => {
    // An unknown expectation is ignored; Node.js would answer without a body.
    app.server.emit('request', request, response)
  })
  app.addHook('onRoute', ({ url, method }) => {
    table.add(url, [method].flat())
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders)
    const isHostless = request.raw.httpVersion === '1.1' && request.headers.host === undefined
    const refusal = isHostless ? badRequest('the host header is missing') : findSourceRefusal(request)
    // Before the body is read: Fastify would refuse some methods for it.
    done(refusal ?? (request.is404 ? table.refuse(request.url) : undefined))
  })
  app.addHook('onSend', shrinkReply)
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const refusal = toRefusal(error, request.routeOptions.bodyLimit)
    if (isUnexpected(error) && refusal.status >= 500) {
      log(`${request.method} ${request.routeOptions.url ?? 'unknown route'}: ${getErrorStack(error)}`)
    }
    const isRead = await drainRequest(request.raw, limits.drain, clock)
    // On an open connection the rest of the body would be read, however long it is.
    if (!isRead) reply.header('connection', 'close')
    refuse(request, reply, refusal)
    return reply
  })
  app.setNotFoundHandler((request) => {
    throw table.refuse(request.url)
  })
  app.server.on('connect', ({ url = '' }, socket: Socket) => {
    endSocket(socket, table.refuse(url), clock)
  })
  return app
}

const commonHeaders = {
  // An answer is for one key only, and a GET kickoff is billed: caches and proxies must not store or repeat them.
  'cache-control': 'no-store',
  // Prevents pages of other sites from showing or running an answer.
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

const statusPollPath = routes.pollResolution.path.replace(/\{.*/, '')

/** Checks the key before the path, as every route does. */
function createPathRefusal(request: FastifyRequest, callers: Deferrable<Callers>): Awaitable<Refusal> {
  const isStatusPoll = request.url.startsWith(statusPollPath)
  try {
    const judged = applyWhenReady(authenticate(callers, request.headers[apiKeyHeader]), () =>
      isStatusPoll ? createMalformedIdRefusal() : badRequest('the path is malformed'),
    )
    return judged instanceof Promise ? judged.catch((error: unknown) => toRefusal(error)) : judged
  } catch (error) {
    return toRefusal(error)
  }
}

/**
 * Answers on the socket itself, for data that is not HTTP, has too large headers or arrives too slowly. The socket is
 * destroyed a little later: at once, the answer could be lost with data the peer still sends; without a limit, a peer
 * could keep the socket open.
 */
function refuseSocket(
  { code, rawPacket }: ConnectionError,
  socket: Socket,
  { table, clock }: { readonly table: RouteTable; readonly clock: Clock },
): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // Node.js reads no request with a method that it does not know. The packet is a buffer; its type is wrong.
  const packet = rawPacket as unknown as Buffer | undefined
  const head = code === 'HPE_INVALID_METHOD' ? (packet?.toString('latin1') ?? '') : ''
  const [, url] = /^[\w!#$%&'*+.^`|~-]+ (\/\S*) HTTP\/1\.[01]\r\n/.exec(head) ?? []
  endSocket(socket, url === undefined ? (socketRefusals[code] ?? notHttp) : table.refuse(url), clock)
}

function endSocket(socket: Socket, { status, message, type, headers }: Refusal, clock: Clock): void {
  const body = JSON.stringify({ error: { type, message } })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  void clock.sleep(limits.lingerMs).then(() => socket.destroy())
}

const notHttp = badRequest('this is not HTTP')

const socketRefusals: Partial<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, errorTypes.badRequest, 'the headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, errorTypes.badRequest, 'the request took too long to arrive'),
}

/** Returns the refusal for the origin of a request; `null` if it is allowed. */
function toSourceRefusal(verdict: SourceVerdict): Refusal | null {
  switch (verdict) {
    case 'allowed':
      return null
    case 'foreign_host':
      return createForeignHostRefusal()
    case 'foreign_origin':
      return createForeignOriginRefusal()
  }
}

/** Returns a function that tells whether there was a request a moment ago, so that another is likely. */
export function watchRequests(app: FastifyInstance, clock: Clock): () => boolean {
  let lastRequestMs = -Infinity
  app.server.on('request', () => {
    lastRequestMs = clock.monotonicMs()
  })
  return () => clock.monotonicMs() - lastRequestMs < limits.quietAfterMs
}

const compress = {
  // The default quality of Brotli takes longer than the transfer that it saves.
  br: (body: string) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (body: string) => promisify(gzip)(body),
}
const brotliQuality = 4

/** Gives a large reply an ETag, answers a repeated read with 304, and compresses the body if the caller accepts it. */
async function shrinkReply(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> {
  const type = String(reply.getHeader('content-type'))
  if (typeof body !== 'string' || !/^(?:application\/json|text\/(?:html|javascript))\b/.test(type))
    return body
  if (Buffer.byteLength(body) < limits.shrunkBytesMin) return body
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`)
  if (reply.statusCode === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    // Weak: replies that differ only in their encoding or the id of their call have the same tag.
    const lasting = body.replace(/"request_id":"req_[^"]*"/g, '')
    const tag = `"${createHash('sha256').update(lasting).digest('base64url')}"`
    reply.header('etag', `W/${tag}`)
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
    if (known?.includes(tag) === true || known?.includes('*') === true) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      return null
    }
  }
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '')
  if (encoding === null) return body
  reply.header('content-encoding', encoding).removeHeader('content-length')
  return compress[encoding](body)
}

/** Returns the encoding with the highest weight, Brotli first; `null` for none. */
function chooseEncoding(accepted: string): keyof typeof compress | null {
  const weights = new Map(
    accepted.split(',').map((entry): [string, number] => {
      const [name = '', ...parameters] = entry.toLowerCase().split(';')
      const weight = parameters
        .map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1])
        .find((one) => one !== undefined)
      return [name.trim(), Number(weight ?? 1)]
    }),
  )
  const weigh = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weigh('gzip') > weigh('br') ? 'gzip' : 'br'
  return weigh(best) > 0 && weigh(best) >= (weights.get('identity') ?? 0) ? best : null
}
