import { buildConnector, Client } from 'undici'
import { outboundLimits } from './limits.js'

/** How undici makes a connection: TCP, and TLS where the target is https. */
export type Connect = ReturnType<typeof buildConnector>

/** Certificates are verified, for the name that is asked for; `ca` adds to whom is trusted. */
export function createConnect(ca?: string): Connect {
  return buildConnector({
    timeout: outboundLimits.connectMsMax,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
}

/**
 * Connects to these addresses, the next when one does not answer, whatever the name leads to by now. Host
 * header, SNI and certificate are still those of the name.
 */
function pinnedConnect(addresses: readonly string[], connect: Connect, signal: AbortSignal): Connect {
  return (target, callback) => {
    let firstError: Error | null = null
    const attempt = (index: number): void => {
      const address = addresses[index]
      if (address === undefined || signal.aborted) {
        callback(firstError ?? new Error('there is no address to connect to'), null)
        return
      }
      connect({ ...target, hostname: address }, (error, socket) => {
        if (error === null) {
          callback(null, socket)
          return
        }
        firstError ??= error
        attempt(index + 1)
      })
    }
    attempt(0)
  }
}

/**
 * A connection of its own for one exchange, so that it goes where that exchange's check allowed. No redirect is
 * followed and no proxy of the environment is used. It has no timeouts: the signal ends the whole, however slow.
 */
export function pinnedClient(
  { origin }: URL,
  addresses: readonly string[],
  connect: Connect,
  signal: AbortSignal,
): Client {
  return new Client(origin, {
    connect: pinnedConnect(addresses, connect, signal),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
