import { buildConnector, Client } from 'undici'
import { explainNetworkError } from '../../core/http-exchange.js'
import { outboundLimits } from './address-guard.js'

/** Undici's connector: TCP, and TLS for https. */
export type Connect = ReturnType<typeof buildConnector>

/** Creates a connector that verifies certificates for the requested name; `ca` adds a trusted authority. */
export function createConnect(ca?: string): Connect {
  return buildConnector({
    timeout: outboundLimits.connectMsMax,
    maxCachedSessions: 0,
    ...(ca === undefined ? {} : { ca }),
  })
}

/** Connects to these addresses in order, without resolving the name, which Host, SNI and certificate use. */
function createPinnedConnect(addresses: readonly string[], connect: Connect, signal: AbortSignal): Connect {
  return (target, callback) => {
    let firstError: Error | null = null
    const tryConnect = (index: number): void => {
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
        tryConnect(index + 1)
      })
    }
    tryConnect(0)
  }
}

/**
 * Creates a separate connection for one exchange, so that it uses only checked addresses. Follows no redirects and
 * ignores proxy variables. Has no timeouts: the signal ends it.
 */
export function createPinnedClient(
  { origin }: URL,
  addresses: readonly string[],
  connect: Connect,
  signal: AbortSignal,
): Client {
  return new Client(origin, {
    connect: createPinnedConnect(addresses, connect, signal),
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

interface Message {
  readonly url: URL
  /** Allowed addresses, in order. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** The reason is our text, without parts of the address. */
  | { readonly kind: 'unanswered'; readonly reason: string }

/** Sends one message once. Never throws. */
export type Post = (message: Message) => Promise<PostOutcome>

/** Creates a sender that reads the response body up to a limit and discards it. */
export function createPost(connect: Connect): Post {
  return async ({ url, addresses, headers, body, signal }) => {
    const client = createPinnedClient(url, addresses, connect, signal)
    // The request's own signal would be ignored before there is a connection.
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
      return {
        kind: 'unanswered',
        reason: signal.aborted ? 'no answer in time' : explainNetworkError(error).reason,
      }
    } finally {
      signal.removeEventListener('abort', cut)
      // Discards the rest of the response.
      cut()
    }
  }
}

/** Errors in the body are ignored, because the status is known. */
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
