import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { expect, vi } from 'vitest'
import type { event } from '../../src/contract/events.js'
import type { z } from 'zod'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'

/** One delivery as it came. */
export interface Delivered {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly event: z.infer<typeof event>
}

/** A status, or whatever is done to the response. `index` counts the deliveries from 0. */
type Answer = number | ((response: ServerResponse, delivered: Delivered, index: number) => void)

/** Somebody's webhook receiver on the loopback, which remembers what it was sent and answers as the test sets it. */
export interface HookReceiver {
  readonly url: string
  readonly port: number
  readonly deliveries: readonly Delivered[]
  /** TCP connections, whether or not anything was sent over them. */
  connectionCount(): number
  answer: Answer
  /** Waits until there are so many deliveries, and holds that there are no more of them. */
  has(count: number): Promise<readonly Delivered[]>
  close(): Promise<void>
}

export async function startHookReceiver(answer: Answer = 204, port = 0): Promise<HookReceiver> {
  const deliveries: Delivered[] = []
  let connectionCount = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const delivered: Delivered = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body,
        get event() {
          return JSON.parse(body.toString()) as Delivered['event']
        },
      }
      const index = deliveries.push(delivered) - 1
      const { answer } = receiver
      if (typeof answer === 'number') response.writeHead(answer).end()
      else answer(response, delivered, index)
    })
  })
  server.on('connection', () => connectionCount++)
  const bound = await listenOnLoopback(server, port)
  const receiver: HookReceiver = {
    url: `http://127.0.0.1:${bound}/hook`,
    port: bound,
    deliveries,
    connectionCount: () => connectionCount,
    answer,
    has: async (count) => {
      await vi.waitFor(
        () => {
          expect(deliveries.length).toBeGreaterThanOrEqual(count)
        },
        { timeout: 10_000 },
      )
      expect(deliveries).toHaveLength(count)
      return deliveries
    },
    close: () => closeAtOnce(server),
  }
  return receiver
}
