import type { AddressInfo, Server } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { judgeSource } from '../core/request-source.js'
import { foreignHost, foreignOrigin, type Refusal } from './refusal.js'

/** Why a request is not served, by where it comes from (`judgeSource`); null where it may be. */
export function sourceCheck(server: Server): (request: FastifyRequest) => Refusal | null {
  let listenAddress = '127.0.0.1'
  server.once('listening', () => {
    listenAddress = (server.address() as AddressInfo).address
  })
  return ({ headers, url }) => {
    const path = url.split('?', 1)[0] ?? ''
    switch (judgeSource({ host: headers.host, origin: headers.origin, path }, listenAddress)) {
      case 'allowed':
        return null
      case 'foreign_host':
        return foreignHost()
      case 'foreign_origin':
        return foreignOrigin()
    }
  }
}
