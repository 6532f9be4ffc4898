import { isLoopback } from './base-url.js'

/** Where a request comes from, as far as its headers say. */
export interface RequestSource {
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
