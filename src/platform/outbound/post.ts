import { outboundLimits } from './limits.js'
import { pinnedClient, type Connect } from './pinned-connect.js'

interface Message {
  readonly url: URL
  /** What the connection may go to, in this order. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** The reason is ours, or a code of Node's; it holds nothing of the address. */
  | { readonly kind: 'unanswered'; readonly reason: string }

/** Sends one message once. Never throws. */
export type Post = (message: Message) => Promise<PostOutcome>

/** What is answered after the status is read up to a limit, and thrown away. */
export function createPost(connect: Connect): Post {
  return async ({ url, addresses, headers, body, signal }) => {
    const client = pinnedClient(url, addresses, connect, signal)
    // A signal of the request's own would not be seen before there is a connection.
    const cut = () => {
      client.destroy().catch(() => undefined)
    }
    signal.addEventListener('abort', cut, { once: true })
    try {
      if (signal.aborted) return { kind: 'unanswered', reason: 'no answer in time' }
      const path = url.pathname + url.search
      const reply = await client.request({ method: 'POST', path, headers, body })
      await drain(reply.body as AsyncIterable<Buffer>)
      return { kind: 'answered', status: reply.statusCode }
    } catch (error) {
      return { kind: 'unanswered', reason: signal.aborted ? 'no answer in time' : codeOf(error) }
    } finally {
      signal.removeEventListener('abort', cut)
      // Whatever is still being sent to us has nowhere to go.
      cut()
    }
  }
}

/** The status has come, so nothing that happens to the body changes what it means. */
async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  let byteCount = 0
  try {
    for await (const chunk of body) {
      byteCount += chunk.length
      if (byteCount > outboundLimits.receiverAnswerBytesMax) return
    }
  } catch {
    return
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code ?? (error instanceof Error ? error.name : 'unknown error')
}
