import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { errorText } from '../core/error-text.js'
import { UserError } from '../core/errors.js'
import type { ListenAddress } from '../core/listen-address.js'
import type { Clock } from './clock.js'

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
