import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { ListenAddress } from '../../core/server-addresses.js'
import {
  judgeSignatureHeaders,
  verifyDelivery,
  type HmacSha256,
  type SignatureVerdict,
  type WebhookKeys,
} from '../../core/webhook-signature.js'
import type { Clock } from '../../platform/clock.js'
import { drainRequest, closeWithin, httpUrl, listen } from '../../platform/http-server.js'
import type { Inbox } from './inbox.js'
import { receiverLimits } from './limits.js'

export interface ReceiverDeps {
  /** Port 0 is any free one. */
  listen: ListenAddress
  /** The path deliveries are sent to; null takes them on any. */
  path: string | null
  keys: WebhookKeys
  inbox: Pick<Inbox, 'receive'>
  clock: Clock
}

/** What came, by what became of it. */
export type ReceiverCounts = Readonly<Record<'received' | 'duplicate' | RefusalKind, number>>
type RefusalKind = Exclude<SignatureVerdict['kind'], 'genuine'>

export interface Receiver {
  readonly url: string
  counts(): ReceiverCounts
  /** Deliveries in flight are answered; then nothing is listened to. */
  close(): Promise<void>
}

/** The status each refusal is answered with; a refused delivery leaves nothing behind but a count. */
const statusOf: Readonly<Record<RefusalKind, 400 | 401>> = {
  unsigned: 401,
  forged: 401,
  stale: 400,
  malformed: 400,
}

const hmacSha256: HmacSha256 = (key, message) => createHmac('sha256', key).update(message).digest()

/**
 * Listens for deliveries: each is verified by its raw bytes, made durable in the inbox, and only then answered
 * with 204 (interface: "Receiver response and retries"). A repeated event is answered the same and changes
 * nothing. Bodies are not parsed here, and nothing of them is logged. Throws LISTEN_FAILED.
 *
 * Neither `Host` nor `Origin` is looked at, unlike by the service: deliveries come by a tunnel or a proxy under a
 * public name, and each proves by its signature where it is from. A web page that calls has no signature, and
 * gets an empty refusal.
 */
export async function startReceiver(deps: ReceiverDeps): Promise<Receiver> {
  const counts = { received: 0, duplicate: 0, unsigned: 0, forged: 0, stale: 0, malformed: 0 }
  const { inbox, keys, clock, path } = deps
  const app = createApp(clock)
  const admit = admission()
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = refuse(request, path, clock.nowMs(), counts) ?? admit(request, reply)
    if (refusal === null) {
      done()
      return
    }
    void drainRequest(request.raw, receiverLimits.drain, clock).then(() =>
      reply.code(refusal).header('connection', 'close').send(),
    )
  })
  app.post('/*', async (request, reply: FastifyReply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const delivery = { ...signatureHeaders(request.raw), body }
    const verdict = verifyDelivery(delivery, keys, clock.nowMs(), hmacSha256)
    if (verdict.kind !== 'genuine') {
      counts[verdict.kind]++
      return reply.code(statusOf[verdict.kind]).send()
    }
    const isNew = await inbox.receive(verdict.eventId, body, clock.nowMs())
    counts[isNew ? 'received' : 'duplicate']++
    return reply.code(204).send()
  })
  const bound = await listen(app, deps.listen, {
    purpose: ' for webhooks',
    hint: 'choose another --webhook-listen',
  })
  return {
    url: httpUrl(bound),
    counts: () => ({ ...counts }),
    close: () => closeWithin(app, receiverLimits.closeGraceMs, clock),
  }
}

/** What can be refused before a body is read: an address that is not ours, headers that no delivery has. */
function refuse(
  request: FastifyRequest,
  path: string | null,
  nowMs: number,
  counts: Record<RefusalKind, number>,
): number | null {
  if (path !== null && request.url.split('?', 1)[0] !== path) return 404
  if (request.method !== 'POST') return 405
  const verdict = judgeSignatureHeaders(signatureHeaders(request.raw), nowMs)
  if (verdict === null) return null
  counts[verdict.kind]++
  return statusOf[verdict.kind]
}

/** What strangers make us hold is bounded: a body counts by its length from its headers on, until it is answered. */
function admission(): (request: FastifyRequest, reply: FastifyReply) => 503 | null {
  let heldBytes = 0
  return (request, reply) => {
    const { bodyBytesMax, bodiesBytesMax } = receiverLimits
    const statedBytes = Number(request.headers['content-length'] ?? bodyBytesMax)
    const bytes = Math.min(statedBytes, bodyBytesMax)
    if (heldBytes + bytes > bodiesBytesMax) return 503
    heldBytes += bytes
    reply.raw.once('close', () => {
      heldBytes -= bytes
    })
    return null
  }
}

/** Each value apart: Node joins those of a header that came twice, and a joined one could pass for one. */
function signatureHeaders({ headersDistinct }: IncomingMessage) {
  return {
    id: headersDistinct['webhook-id'],
    timestamp: headersDistinct['webhook-timestamp'],
    signature: headersDistinct['webhook-signature'],
  }
}

/** The HTTP side without its route: limits, raw bodies, and empty answers to whatever goes wrong. */
function createApp(clock: Clock): FastifyInstance {
  const app = fastify({
    logger: false,
    http: {
      headersTimeout: receiverLimits.headersMsMax,
      connectionsCheckingInterval: receiverLimits.socketCheckMs,
      maxHeaderSize: receiverLimits.headerBytesMax,
    },
    requestTimeout: receiverLimits.requestMsMax,
    connectionTimeout: receiverLimits.idleSocketMsMax,
    bodyLimit: receiverLimits.bodyBytesMax,
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void reply.code(400).send()
    },
  })
  app.server.maxConnections = receiverLimits.connectionsMax
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).send()
  })
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const { statusCode = 500 } = error as Partial<FastifyError>
    // A full disk, say: the service tries again.
    const status = statusCode >= 400 && statusCode < 500 ? statusCode : 503
    await drainRequest(request.raw, receiverLimits.drain, clock)
    return reply.code(status).header('connection', 'close').send()
  })
  return app
}
