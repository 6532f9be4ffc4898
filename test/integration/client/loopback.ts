import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createServiceClient, type ServiceClient } from '../../../src/client/client.js'
import { createTransport } from '../../../src/client/http-transport.js'
import type { Transport, TransportLimits } from '../../../src/client/transport.js'

export interface Heard {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A server on loopback that keeps what it heard; gone with everything connected to it when the test ends. */
export interface Loopback {
  url: string
  port: number
  heard: Heard[]
  connectionCount: number
  /** Connections that are open now. */
  sockets: Set<Socket>
}

export async function listen(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>()
  const loopback: Loopback = { url: '', port: 0, heard: [], connectionCount: 0, sockets }
  server.on('connection', (socket: Socket) => {
    loopback.connectionCount++
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  loopback.port = (server.address() as AddressInfo).port
  loopback.url = `http://127.0.0.1:${loopback.port}`
  return loopback
}

export async function serve(answer: (response: ServerResponse, heard: Heard) => void): Promise<Loopback> {
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const heard = { method, url, headers, body: Buffer.concat(chunks).toString() }
      loopback.heard.push(heard)
      answer(response, heard)
    })
  })
  const loopback = await listen(server)
  return loopback
}

/** Answers each connection's first bytes as told, without any HTTP of Node's in between. */
export async function serveRaw(answer: (socket: Socket) => void): Promise<Loopback> {
  const loopback = await listen(
    createServer((socket) => {
      socket.once('data', () => {
        answer(socket)
      })
    }),
  )
  return loopback
}

export function transportTo(baseUrl: string, limits: Partial<TransportLimits> = {}): Transport {
  const transport = createTransport({ baseUrl, userAgent: 'enrich/test', connectionsMax: 4, limits })
  onTestFinished(() => transport.close())
  return transport
}

export const apiKey = 'CANARY-key-7c1'

export function clientTo(baseUrl: string, limits: Partial<TransportLimits> = {}): ServiceClient {
  const client = createServiceClient({
    baseUrl,
    apiKey,
    userAgent: 'enrich/test',
    connectionsMax: 4,
    limits,
  })
  onTestFinished(() => client.close())
  return client
}
