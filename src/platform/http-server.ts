import type { AddressInfo, Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { errorText, UserError } from '../core/errors.js'
import { type ListenAddress, isLoopback } from '../core/server-addresses.js'
import type { Clock } from './clock.js'
import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'

/** Gives the address as it was bound, with the port that port 0 became. Throws LISTEN_FAILED; `app` is closed then. */
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
    const reason = code === 'EADDRINUSE' ? 'the port is taken' : (code ?? errorText(error))
    throw new UserError('LISTEN_FAILED', `cannot listen on ${host}:${port}${purpose}: ${reason}`, {
      hint,
      cause: error,
    })
  }
  const { address, port: boundPort } = app.server.address() as AddressInfo
  return { host: address, port: boundPort }
}

export function httpUrl({ host, port }: Readonly<ListenAddress>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Requests in flight are answered; sockets that keep one open for longer than the grace are cut. */
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
 * Reads what is still coming of a request and throws it away. A sender that is cut off while it writes may never
 * read the answer: the reset overtakes it. Ends with the request, or when `bytesMax` were read or `msMax` have
 * passed; a request that says it is longer than that is not read at all. Whether all of it was read; never throws.
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

/** Where a request comes from, as far as its headers say. */
interface RequestSource {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Without its query. */
  readonly path: string
}

export type SourceVerdict = 'allowed' | 'foreign_origin' | 'foreign_host'

/** Pages beyond this machine that may call a part of a service. */
export interface Guests {
  /** The part: this path and those below it. */
  readonly path: string
  /** As browsers write them: `https://refine.example.com`. */
  readonly origins: readonly string[]
}

/** What a probe of containers asks, at whatever address it finds the service. It tells next to nothing. */
const probePath = '/healthz'

/**
 * Whether a service that listens on `listenAddress` may serve a request. Two things are kept out, both of them
 * web pages that a person of this machine visits:
 *
 * - a page of another site that calls the service. Only browsers send `Origin`, and it must be of this machine,
 *   of the address listened on, or a guest's. Who calls from elsewhere is a program, and sends none.
 * - a page whose own name was pointed at this machine (DNS rebinding), so that to its browser the service is of
 *   the page's origin. Such a page cannot choose the `Host` it sends: it is the page's name. So a service that
 *   listens on loopback is called by a name or an address of loopback; the port is free, as it differs behind a
 *   forwarded port. A service that listens beyond loopback has names that it cannot know, and is not a secret
 *   of this machine: no `Host` is refused there.
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

/** Of an address as a socket has it: without brackets, and perhaps an IPv4 address within IPv6. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || isLoopback(address.replace(/^::ffff:/i, ''))
}

/** An address cannot be pointed elsewhere by its owner, as a name can. */
function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || /^\[[0-9a-f:.]+\]$/.test(host)
}

/** Judges the requests to a server by where they come from (`judgeSource`), once it listens. */
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
