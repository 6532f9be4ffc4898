import { createServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import type { Server } from 'node:http'

/** Gives the port; 0 asks for any that is free. */
export async function listenOnLoopback(server: TcpServer, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/**
 * A port at which nothing listens, for a server that starts later or is started again. The system gives ports from
 * 32,768 on to servers and connections that ask for any, so none of those takes it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => {
        resolve(false)
      })
      probe.listen(port, '127.0.0.1', () => {
        resolve(true)
      })
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

/** Cuts what is still connected. */
export function closeAtOnce(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })
}
