import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { limits } from '../limits.js'

export interface ListenedOn {
  readonly url: string
  readonly host: string
  readonly port: number
}

/** A request a moment ago means that callers are there, and that the next one is on its way. */
export function watchRequests(app: FastifyInstance, clock: Clock): () => boolean {
  let lastRequestMs = -Infinity
  app.server.on('request', () => {
    lastRequestMs = clock.monotonicMs()
  })
  return () => clock.monotonicMs() - lastRequestMs < limits.quietAfterMs
}

/** Throws LISTEN_FAILED. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<ListenedOn> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    const code = (error as NodeJS.ErrnoException).code
    const taken = code === 'EADDRINUSE' ? 'the port is taken' : String(code ?? error)
    throw new UserError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${taken}`, {
      hint: 'choose another address, or port 0 for any free port',
      cause: error,
    })
  }
  const bound = app.server.address() as AddressInfo
  const anywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const reachable = anywhere[bound.address] ?? bound.address
  const authority = reachable.includes(':') ? `[${reachable}]` : reachable
  return { url: `http://${authority}:${bound.port}`, host: bound.address, port: bound.port }
}

/** Requests in flight are answered; sockets that keep one open for longer are cut. */
export async function closeApp(app: FastifyInstance, clock: Clock): Promise<void> {
  const closed = new AbortController()
  const cut = clock.sleep(limits.closeGraceMs, closed.signal).then(() => {
    app.server.closeAllConnections()
  })
  await app.close()
  closed.abort()
  await cut
}
