import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Chance } from '../../simulation/chance.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'

/** One delivery, as it came. */
export interface Delivery {
  readonly runId: string
  /** Of the header, and of the body. */
  readonly eventIds: readonly string[]
  readonly bodyHash: string
  readonly isSigned: boolean
}

/** Whoever is delivered to: remembers all, is slow now and then, and refuses as often as it is told. */
export async function startReceiver(chance: Chance, refusedRate: number) {
  const deliveries: Delivery[] = []
  let inFlight = 0
  let inFlightMax = 0
  const server = createServer((request, response) => {
    inFlightMax = Math.max(inFlightMax, ++inFlight)
    response.once('close', () => inFlight--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const event = JSON.parse(body.toString()) as { id: string; data: { object: { run_id: string } } }
      deliveries.push({
        runId: event.data.object.run_id,
        eventIds: [String(request.headers['webhook-id']), event.id],
        bodyHash: createHash('sha256').update(body).digest('hex'),
        isSigned: request.headers['webhook-signature'] !== undefined,
      })
      const status = chance.happens(refusedRate) ? 500 : 204
      setTimeout(() => response.writeHead(status).end(), chance.whole(0, 20))
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    inFlightMax: () => inFlightMax,
    close: () => closeAtOnce(server),
  }
}
