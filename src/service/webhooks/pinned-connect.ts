import { buildConnector } from 'undici'
import { bounds } from '../bounds.js'

/** How undici makes a connection: TCP, and TLS where the target is https. */
export type Connect = ReturnType<typeof buildConnector>

/** Certificates are verified, for the name that is asked for; `ca` adds to whom is trusted. */
export function createConnect(ca?: string): Connect {
  return buildConnector({
    timeout: bounds.connectMsMax,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
}

/**
 * Connects to these addresses, the next when one does not answer, whatever the name leads to by now. Host
 * header, SNI and certificate are still those of the name.
 */
export function pinnedConnect(addresses: readonly string[], connect: Connect, signal: AbortSignal): Connect {
  const attempt = (index: number, ...[target, callback]: Parameters<Connect>) => {
    const address = addresses[index]
    if (address === undefined || signal.aborted) {
      callback(new Error('no address is left to connect to'), null)
      return
    }
    connect({ ...target, hostname: address }, (...result) => {
      const isLast = index + 1 >= addresses.length
      if (result[0] === null || isLast || signal.aborted) callback(...result)
      else attempt(index + 1, target, callback)
    })
  }
  return (target, callback) => {
    attempt(0, target, callback)
  }
}
