import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { judgeSource, type Guests, type SourceVerdict } from '../core/request-source.js'

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
