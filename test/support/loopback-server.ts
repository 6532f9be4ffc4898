import type { AddressInfo, Server as TcpServer } from 'node:net'
import type { Server } from 'node:http'

/** Gives the port; 0 asks for any that is free. */
export async function listenOnLoopback(server: TcpServer, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
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
