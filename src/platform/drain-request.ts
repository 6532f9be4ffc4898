import type { IncomingMessage } from 'node:http'
import type { Clock } from './clock.js'

/**
 * Reads what is still coming of a request and throws it away. A sender that is cut off while it writes may never
 * read the answer: the reset overtakes it. Ends with the request, or when `bytesMax` were read or `msMax` have
 * passed; a request that says it is longer than that is not read at all. Whether all of it was read; never throws.
 */
export async function drainRequest(
  request: IncomingMessage,
  { bytesMax, msMax }: { readonly bytesMax: number; readonly msMax: number },
  clock: Clock,
): Promise<boolean> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const hasBody = length !== undefined || encoding !== undefined
  if (!hasBody || request.complete) return true
  if (request.destroyed || Number(length ?? 0) > bytesMax) return false
  const over = new AbortController()
  const stop = () => {
    over.abort()
  }
  let byteCount = 0
  const count = (chunk: Buffer) => {
    byteCount += chunk.length
    if (byteCount > bytesMax) stop()
  }
  request.on('data', count).once('end', stop).once('close', stop).once('error', stop).resume()
  await clock.sleep(msMax, over.signal)
  request.off('data', count).off('end', stop).off('close', stop)
  return request.complete
}
