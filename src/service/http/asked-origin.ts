import type { FastifyRequest } from 'fastify'

/**
 * The address that this request was sent to: what the reader of a document can call. Behind a proxy it is as
 * good as the headers the proxy sends.
 */
export function askedOrigin({ headers, raw }: FastifyRequest): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const { host } = headers
  if (host !== undefined && /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host))
    return `${scheme}://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = raw.socket
  return `${scheme}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
