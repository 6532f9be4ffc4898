import type { AddressInfo, Server } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { UserError } from '../core/errors.js'
import { explainNetworkError } from '../core/http-exchange.js'
import { type ListenAddress, isLoopback } from '../core/server-addresses.js'
import type { Clock } from './clock.js'
import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'this process may not use this port',
  EPERM: 'this process may not use this port',
}

/** Listens and returns the bound address with the actual port. Throws LISTEN_FAILED, and closes `app`. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Readonly<ListenAddress>,
  { purpose = '', hint }: { readonly purpose?: string; readonly hint: string },
): Promise<ListenAddress> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    const code = (error as NodeJS.ErrnoException).code
    const reason = listenFailures[code ?? ''] ?? explainNetworkError(error).reason
    throw new UserError('LISTEN_FAILED', `cannot listen on ${host}:${port}${purpose}: ${reason}`, {
      hint,
      cause: error,
    })
  }
  const { address, port: boundPort } = app.server.address() as AddressInfo
  return { host: address, port: boundPort }
}

export function formatHttpUrl({ host, port }: Readonly<ListenAddress>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Completes requests in flight; closes sockets that stay open longer than the grace period. */
export async function closeWithin(app: FastifyInstance, graceMs: number, clock: Clock): Promise<void> {
  const closed = new AbortController()
  const cut = clock.sleep(graceMs, closed.signal).then(() => {
    app.server.closeAllConnections()
  })
  await app.close()
  closed.abort()
  await cut
}

/**
 * Reads and discards the rest of a request: a sender that is cut off while writing may never read the response. Stops
 * at the end of the request, after `bytesMax` or after `msMax`; a request declared longer than `bytesMax` is not read.
 * Returns whether it was read completely; never throws.
 */
export async function drainRequest(
  request: IncomingMessage,
  { bytesMax, msMax }: { readonly bytesMax: number; readonly msMax: number },
  clock: Clock,
): Promise<boolean> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const hasBody = length !== undefined || encoding !== undefined
  if (!hasBody || request.complete) return true
  if (request.destroyed || Number(length ?? 0) > bytesMax) return false
  const over = new AbortController()
  const stop = () => {
    over.abort()
  }
  let byteCount = 0
  const count = (chunk: Buffer) => {
    byteCount += chunk.length
    if (byteCount > bytesMax) stop()
  }
  request.on('data', count).once('end', stop).once('close', stop).once('error', stop).resume()
  await clock.sleep(msMax, over.signal)
  request.off('data', count).off('end', stop).off('close', stop)
  return request.complete
}

interface RequestSource {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Without the query. */
  readonly path: string
}

export type SourceVerdict = 'allowed' | 'foreign_origin' | 'foreign_host'

/** Origins of other machines that may call a part of a service. */
export interface Guests {
  /** The part: this path and the paths below it. */
  readonly path: string
  /** In browser form: `https://refine.example.com`. */
  readonly origins: readonly string[]
}

/** Path of container health checks, allowed at any address. Its response contains almost no data. */
const probePath = '/healthz'

/**
 * Decides whether a service that listens on `listenAddress` may serve a request. Blocks two attacks by web pages that a
 * user of this machine visits:
 *
 * - A page of another site calls the service. Only browsers send `Origin`; it must be of this machine, of the listen
 * address, or of a guest. Programs send none.
 * - A page points its own name at this machine (DNS rebinding), so that its browser treats the service as the page's
 * origin. Its `Host` header is always the page's name. So a service on loopback accepts only a loopback name or address
 * as `Host`, with any port, because forwarded ports differ. A service beyond loopback cannot know its names, and is
 * reachable anyway: it accepts any `Host`.
 */
export function judgeSource(
  { host, origin, path }: RequestSource,
  listenAddress: string,
  guests: Guests | null = null,
): SourceVerdict {
  if (origin !== undefined && !isAllowedOrigin(origin, listenAddress) && !isGuest(origin, path, guests))
    return 'foreign_origin'
  if (host === undefined || !isLoopbackAddress(listenAddress)) return 'allowed'
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  if (isLoopback(name)) return 'allowed'
  return path === probePath && isAddress(name) ? 'allowed' : 'foreign_host'
}

function isAllowedOrigin(origin: string, listenAddress: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return isLoopback(hostname) || hostname.replace(/^\[|\]$/g, '') === listenAddress
}

function isGuest(origin: string, path: string, guests: Guests | null): boolean {
  if (guests === null || !guests.origins.includes(origin)) return false
  return path === guests.path || path.startsWith(`${guests.path}/`)
}

/** Accepts a socket's address: without brackets, possibly IPv4-mapped IPv6. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopback(address.replace(/^::ffff:/i, ''))
}

/** An IP address cannot be pointed elsewhere by its owner, unlike a name. */
function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || /^\[[0-9a-f:.]+\]$/.test(host)
}

/** Creates a check of request sources (`judgeSource`), which uses the address once the server listens. */
export function createSourceCheck(
  server: Server,
  guests: Guests | null = null,
): (request: { readonly headers: IncomingHttpHeaders; readonly url: string }) => SourceVerdict {
  let listenAddress = '127.0.0.1'
  server.once('listening', () => {
    listenAddress = (server.address() as AddressInfo).address
  })
  return ({ headers, url }) => {
    const path = url.split('?', 1)[0] ?? ''
    return judgeSource({ host: headers.host, origin: headers.origin, path }, listenAddress, guests)
  }
}

/** Returns a signal that is aborted if the caller disconnects before the answer. */
export function createDisconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
