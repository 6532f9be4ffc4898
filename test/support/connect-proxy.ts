import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { listenOnLoopback } from './loopback-server.js'

export interface ConnectProxyOptions {
  /** Required as basic authorization: `user:password`. */
  readonly credentials?: string
  /** Speaks TLS with its clients. */
  readonly certificate?: { readonly key: string; readonly cert: string }
  /** Ports of hosts that exist only here, such as `service.test:443`. */
  readonly hosts?: Readonly<Record<string, number>>
  /** Answers a request for a tunnel otherwise; returns whether it did. */
  readonly answer?: (socket: Duplex, request: IncomingMessage) => boolean
}

/** A real proxy on loopback for tunnels. */
export interface ConnectProxy {
  readonly port: number
  /** Host and port of each tunnel that was requested, refused ones included. */
  readonly requested: string[]
  readonly authorizations: (string | undefined)[]
  close(): Promise<void>
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { credentials, certificate, hosts = {}, answer } = options
  const server: Server = certificate === undefined ? createHttpServer() : createHttpsServer(certificate)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  const requested: string[] = []
  const authorizations: (string | undefined)[] = []
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const { url = '', headers } = request
    requested.push(url)
    authorizations.push(headers['proxy-authorization'])
    socket.on('error', () => undefined)
    if (answer?.(socket, request) === true) return
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
    if (expected !== undefined && headers['proxy-authorization'] !== expected) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n<p>no',
      )
      return
    }
    const { hostname, port } = new URL(`tcp://${url}`)
    const target = connect(hosts[url] ?? Number(port), hosts[url] === undefined ? hostname : '127.0.0.1')
    let isOpen = false
    target.once('connect', () => {
      isOpen = true
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    target.on('error', () => {
      if (isOpen) socket.destroy()
      else socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    socket.once('close', () => target.destroy())
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    requested,
    authorizations,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Speaks TLS in front of a plain server on loopback. */
export async function startTlsFront(
  targetPort: number,
  certificate: { readonly key: string; readonly cert: string },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTlsServer(certificate, (socket) => {
    const target = connect(targetPort, '127.0.0.1')
    for (const one of [socket, target]) {
      sockets.add(one)
      one.on('error', () => undefined).once('close', () => sockets.delete(one))
    }
    socket.pipe(target).pipe(socket)
    socket.once('close', () => target.destroy())
    target.once('close', () => socket.destroy())
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
