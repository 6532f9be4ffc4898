import { buildConnector, Client } from 'undici'
import { outboundLimits } from './address-guard.js'

/** How undici makes a connection: TCP, and TLS where the target is https. */
export type Connect = ReturnType<typeof buildConnector>

/** Certificates are verified, for the name that is asked for; `ca` adds to whom is trusted. */
export function createConnect(ca?: string): Connect {
  return buildConnector({
    timeout: outboundLimits.connectMsMax,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
}

/**
 * Connects to these addresses, the next when one does not answer, whatever the name leads to by now. Host
 * header, SNI and certificate are still those of the name.
 */
function pinnedConnect(addresses: readonly string[], connect: Connect, signal: AbortSignal): Connect {
  return (target, callback) => {
    let firstError: Error | null = null
    const attempt = (index: number): void => {
      const address = addresses[index]
      if (address === undefined || signal.aborted) {
        callback(firstError ?? new Error('there is no address to connect to'), null)
        return
      }
      connect({ ...target, hostname: address }, (error, socket) => {
        if (error === null) {
          callback(null, socket)
          return
        }
        firstError ??= error
        attempt(index + 1)
      })
    }
    attempt(0)
  }
}

/**
 * A connection of its own for one exchange, so that it goes where that exchange's check allowed. No redirect is
 * followed and no proxy of the environment is used. It has no timeouts: the signal ends the whole, however slow.
 */
export function pinnedClient(
  { origin }: URL,
  addresses: readonly string[],
  connect: Connect,
  signal: AbortSignal,
): Client {
  return new Client(origin, {
    connect: pinnedConnect(addresses, connect, signal),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

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
