import { expect, vi } from 'vitest'
import type { ServiceClient, ServiceReply } from './service-client.js'

/** Reads until the record's build has ended; gives the first reply after. */
export async function untilBuilt(client: ServiceClient, path: string): Promise<ServiceReply> {
  const waiting = ['building', 'refreshing']
  let reply = await client.get(path)
  await vi.waitFor(
    async () => {
      reply = await client.get(path)
      const { status, enrichment } = reply.json as { status?: string; enrichment?: { status: string } }
      expect(waiting).not.toContain(enrichment?.status ?? status ?? '')
    },
    { timeout: 10_000, interval: 5 },
  )
  return reply
}
