import { connect, createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback-server.js'

/** An address on loopback that leads to a server, as a name that follows a primary does. */
export interface TcpProxy {
  readonly port: number
  /** New connections go there. */
  leadTo(port: number): void
  /** What the server says gets lost; what is said to it does not. */
  hush(): void
  /** Ends every connection; those that come are no longer hushed. */
  cut(): void
  /** Cuts as soon as this many more bytes have passed, to the server or from it; resolves then. */
  cutAfter(byteCount: number): Promise<void>
  close(): void
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let [port, isHushed] = [target, false]
  let onPassed: (bytes: Buffer) => void = () => undefined
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.on('data', (bytes: Buffer) => {
        onPassed(bytes)
      })
    }
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      if (!isHushed) client.write(bytes)
    })
    upstream.once('end', () => client.end())
  })
  const own = await listenOnLoopback(proxy)
  const cut = () => {
    isHushed = false
    for (const socket of open) socket.destroy()
  }
  return {
    port: own,
    leadTo: (to) => (port = to),
    hush: () => (isHushed = true),
    cut,
    cutAfter: (byteCount) =>
      new Promise((resolve) => {
        let passedCount = 0
        onPassed = ({ length }) => {
          passedCount += length
          if (passedCount < byteCount) return
          onPassed = () => undefined
          cut()
          resolve()
        }
      }),
    close: () => {
      cut()
      proxy.close()
    },
  }
}
