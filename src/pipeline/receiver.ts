import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { ListenAddress } from '../core/server-addresses.js'
import {
  judgeSignatureHeaders,
  verifyDelivery,
  type HmacSha256,
  type SignatureVerdict,
  type WebhookKeys,
} from '../core/webhooks.js'
import type { Clock, Random } from '../platform/clock.js'
import { drainRequest, closeWithin, formatHttpUrl, listen } from '../platform/http-server.js'
import { withCleanup } from '../platform/close-stack.js'
import type { Inbox } from './checkpoint/checkpoint.js'
import { openInbox } from './checkpoint/open.js'

export interface ReceiverDeps {
  /** Port 0 selects any free port. */
  listen: ListenAddress
  /** Path of deliveries; `null` accepts any path. */
  path: string | null
  keys: WebhookKeys
  inbox: Pick<Inbox, 'receive'>
  clock: Clock
}

const receiverLimits = {
  /** The interface limits deliveries to 1 MB, in either reading of it, and truncates longer ones. */
  bodyBytesMax: 2 * 1024 * 1024,
  headerBytesMax: 16 * 1024,
  /** How much of a request refused early is still read, so that its sender receives the response. */
  drain: { bytesMax: 32 * 1024 * 1024, msMax: 2_000 },
  /** Total size of all bodies being read; above it, the response is 503, and the service retries. */
  bodiesBytesMax: 64 * 1024 * 1024,
  connectionsMax: 1_024,
  /** The service waits 15 s for a response. */
  headersMsMax: 10_000,
  requestMsMax: 14_000,
  idleSocketMsMax: 30_000,
  socketCheckMs: 5_000,
  closeGraceMs: 2_000,
} as const

/** Requests by result. */
export type ReceiverCounts = Readonly<Record<'received' | 'duplicate' | RefusalKind, number>>
type RefusalKind = Exclude<SignatureVerdict['kind'], 'genuine'>

export interface Receiver {
  readonly url: string
  counts(): ReceiverCounts
  /** Completes deliveries in flight, then stops listening. */
  close(): Promise<void>
}

/** Response status of each refusal; a refused delivery is only counted. */
const statusOf: Readonly<Record<RefusalKind, 400 | 401>> = {
  unsigned: 401,
  forged: 401,
  stale: 400,
  malformed: 400,
}

const hmacSha256: HmacSha256 = (key, message) => createHmac('sha256', key).update(message).digest()

/**
 * Listens for deliveries. Verifies the raw bytes of each, stores it durably in the inbox, and only then responds with
 * 204 (interface: "Receiver response and retries"). A repeated event gets the same response and changes nothing. Bodies
 * are neither parsed nor logged here. Throws LISTEN_FAILED.
 *
 * Unlike the service, it checks neither `Host` nor `Origin`: deliveries arrive through a tunnel or a proxy under a
 * public name, and each proves its origin by its signature. A web page has no signature, and gets an empty refusal.
 */
export async function startReceiver(deps: ReceiverDeps): Promise<Receiver> {
  const counts = { received: 0, duplicate: 0, unsigned: 0, forged: 0, stale: 0, malformed: 0 }
  const { inbox, keys, clock, path } = deps
  const app = createApp(clock)
  const admit = createAdmission()
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
    const delivery = { ...readSignatureHeaders(request.raw), body }
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
    url: formatHttpUrl(bound),
    counts: () => ({ ...counts }),
    close: () => closeWithin(app, receiverLimits.closeGraceMs, clock),
  }
}

/** Refuses requests before their body is read: a wrong path, or headers that no delivery has. */
function refuse(
  request: FastifyRequest,
  path: string | null,
  nowMs: number,
  counts: Record<RefusalKind, number>,
): number | null {
  if (path !== null && request.url.split('?', 1)[0] !== path) return 404
  if (request.method !== 'POST') return 405
  const verdict = judgeSignatureHeaders(readSignatureHeaders(request.raw), nowMs)
  if (verdict === null) return null
  counts[verdict.kind]++
  return statusOf[verdict.kind]
}

/** Limits the total size of unverified bodies: each counts by its declared length until its response is sent. */
function createAdmission(): (request: FastifyRequest, reply: FastifyReply) => 503 | null {
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

/** Reads each value separately: Node.js joins repeated headers, and a joined value might be accepted. */
function readSignatureHeaders({ headersDistinct }: IncomingMessage) {
  return {
    id: headersDistinct['webhook-id'],
    timestamp: headersDistinct['webhook-timestamp'],
    signature: headersDistinct['webhook-signature'],
  }
}

/** Creates the HTTP server without its route: limits, raw bodies, and empty error responses. */
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
    // A full disk, for example: the service retries.
    const status = statusCode >= 400 && statusCode < 500 ? statusCode : 503
    await drainRequest(request.raw, receiverLimits.drain, clock)
    return reply.code(status).header('connection', 'close').send()
  })
  return app
}

interface StandingReceiver extends Omit<ReceiverDeps, 'inbox'> {
  /** Path of a checkpoint file, or address of a checkpoint on PostgreSQL. */
  readonly checkpointPath: string
  readonly random: Random
  /** Source of the password of a server. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * Receives deliveries for any run of a checkpoint while `use` works, then completes those in flight. `inboxPath`: path or
 * address of the inbox, to print. Throws LISTEN_FAILED, CHECKPOINT_*.
 *
 * @example
 * await withReceiver({ checkpointPath, listen, path: null, keys, ...system }, async ({ url }) => waitForInterrupt(url))
 */
export async function withReceiver(
  deps: StandingReceiver,
  use: (receiving: { readonly url: string; readonly inboxPath: string }) => Promise<void>,
): Promise<ReceiverCounts> {
  return withCleanup(async (closeLater) => {
    const { inbox, place } = await openInbox(deps.checkpointPath, deps, closeLater)
    const receiver = await startReceiver({ ...deps, inbox })
    try {
      await use({ url: receiver.url, inboxPath: place })
    } finally {
      await receiver.close()
    }
    return receiver.counts()
  })
}
