/**
 * Whether a request with this `Origin` may be served: only browsers send one, and a page of a foreign site,
 * whose name was pointed at this machine, must not reach the service through its visitor. Loopback is, and the
 * address the service listens on; the `Host` header proves nothing, as such a page sets it.
 */
export function isAllowedOrigin(origin: string | undefined, listenHost: string): boolean {
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host) || host === listenHost
}
