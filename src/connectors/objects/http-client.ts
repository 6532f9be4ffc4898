import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import { Agent, buildConnector, request as sendRequest, type Dispatcher } from 'undici'
import { UserError } from '../../core/errors.js'
import { explainNetworkError } from '../../core/http-exchange.js'
import { stripByteOrderMark } from '../../core/text.js'
import { hasProxyVariable } from '../../core/server-addresses.js'
import { type Clock, systemClock, systemRandom, type Random } from '../../platform/clock.js'
import type { TunnelOptions } from '../../platform/outbound/proxy.js'
import type { Environment } from '../connector.js'

const mebibyte = 2 ** 20

/** Bounds of requests to object stores. Times are in milliseconds, sizes in bytes. */
export const storeLimits = {
  connectMsMax: 10_000,
  /** Longest silence while a reply is awaited or read, and while a body is sent. */
  silenceMsMax: 30_000,
  /** The same between the last byte of a body and the reply: a store joins the parts of a large upload meanwhile. */
  joiningMsMax: 300_000,
  /** Longest time of retries without progress, for a store that answered before. */
  patienceMs: 300_000,
  /** The same for a store that never answered: its name or address may be wrong. */
  firstPatienceMs: 30_000,
  /** The same for requests that remove what a failed upload left. */
  cleanupPatienceMs: 10_000,
  backoffMsMin: 500,
  backoffMsMax: 30_000,
  retryAfterMsMax: 120_000,
  /** The user is notified once retries take longer. */
  noticeAfterMs: 3_000,
  /** Time limit of a request for credentials to the machine or container. */
  metadataMsMax: 3_000,
  /** Credentials are renewed this long before they expire. */
  renewBeforeMs: 300_000,
  clockSkewMsMax: 300_000,
  /** Size of replies other than objects. */
  textBytesMax: 16 * mebibyte,
  partBytesMin: 8 * mebibyte,
  partsMax: 10_000,
  /** Parts of an upload, or objects of a pattern. */
  transfersInFlight: 4,
  uploadRestartsMax: 3,
  objectsMax: 10_000,
  redirectsMax: 5,
}
export type StoreLimits = typeof storeLimits

/** Time, randomness and limits as arguments. */
export interface StorePlatform {
  readonly clock: Clock
  readonly random: Random
  readonly limits: StoreLimits
}

export const systemPlatform: StorePlatform = { clock: systemClock, random: systemRandom, limits: storeLimits }

/** A body that can be sent several times. */
export interface RequestBody {
  readonly byteCount: number
  open(): AsyncIterable<Uint8Array>
}

export interface StoreRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody
}

export interface StoreReply {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Must be read, or discarded. Throws ConnectionFault if it breaks off. */
  readonly body: AsyncIterable<Buffer>
  discard(): void
}

/** No usable reply came. The text contains nothing of the request. */
export class ConnectionFault extends Error {
  constructor(
    message: string,
    /** Whether a retry is useless. */
    readonly isPermanent = false,
    /** Remedy of a failure of the network. */
    readonly hint: string | null = null,
  ) {
    super(message)
  }
}

/** Sends requests once each: no redirects, no retries, silence is limited. */
export class HttpClient {
  readonly #agent: Agent
  readonly #platform: StorePlatform

  /** `SSL_CERT_FILE` adds authorities that certificates of servers may have. Proxy variables apply. */
  constructor(environment: Environment, platform: StorePlatform) {
    this.#platform = platform
    const ca = readAuthorities(environment)
    const { connectMsMax } = platform.limits
    const direct = { timeout: connectMsMax, ...(ca === null ? {} : { ca }) }
    this.#agent = new Agent({
      pipelining: 1,
      connect: hasProxyVariable(environment)
        ? createProxyingConnect(environment, buildConnector(direct), { connectMsMax, ca: ca ?? undefined })
        : direct,
      // Below the usual idle limits of servers.
      keepAliveTimeout: 4_000,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Throws ConnectionFault, and the reason of the signal. */
  async exchange(request: StoreRequest, signal?: AbortSignal): Promise<StoreReply> {
    signal?.throwIfAborted()
    const { silenceMsMax, joiningMsMax } = this.#platform.limits
    const watch = new SilenceWatch(this.#platform.clock, silenceMsMax, signal)
    const { method, url, headers, body } = request
    let bodyError: unknown = null
    const sendBody = async function* (content: RequestBody) {
      // Undici throws its own errors into this generator; only those of the content are kept.
      const chunks = content.open()[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await chunks.next().catch((error: unknown) => {
            bodyError = error
            throw error
          })
          watch.extend(next.done === true ? joiningMsMax : silenceMsMax)
          if (next.done === true) return
          yield next.value
        }
      } finally {
        await chunks.return?.()
      }
    }
    try {
      const reply = await sendRequest(url, {
        method,
        headers: {
          'user-agent': 'enrich',
          'accept-encoding': 'identity',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': String(body.byteCount) }),
        },
        body: body === undefined || body.byteCount === 0 ? null : Readable.from(sendBody(body)),
        dispatcher: this.#agent,
        signal: watch.signal,
      })
      watch.extend(silenceMsMax)
      return toReply(reply, watch, signal)
    } catch (error) {
      watch.stop()
      throw bodyError ?? toFault(error, watch, signal)
    }
  }

  /** Returns the whole body as text. Throws ConnectionFault, also for a body that is too large. */
  async readText(reply: StoreReply): Promise<string> {
    const chunks: Buffer[] = []
    let byteCount = 0
    for await (const chunk of reply.body) {
      byteCount += chunk.length
      if (byteCount > this.#platform.limits.textBytesMax)
        throw new ConnectionFault('its reply is too large', true)
      chunks.push(chunk)
    }
    return stripByteOrderMark(Buffer.concat(chunks).toString('utf8'))
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

type Connect = ReturnType<typeof buildConnector>

/** Loads the code for proxies, which few environments have. */
function createProxyingConnect(environment: Environment, direct: Connect, options: TunnelOptions): Connect {
  const loading = import('../../platform/outbound/proxy.js')
  return (target, callback) => {
    void loading.then(({ createProxyConnect, findProxy }) => {
      createProxyConnect(
        (destination) => findProxy(destination, environment),
        direct,
        options,
      )(target, callback)
    })
  }
}

function readAuthorities(environment: Environment): string[] | null {
  const { SSL_CERT_FILE: own, NODE_EXTRA_CA_CERTS: extra } = environment
  if (own === undefined || own === '') return null
  // A list of authorities replaces those of Node.js, so that it has to repeat them.
  return [
    ...rootCertificates,
    ...[own, ...(extra === undefined || extra === '' ? [] : [extra])].map((path) => {
      try {
        return readFileSync(path, 'utf8')
      } catch (cause) {
        throw new UserError('STORE_UNREACHABLE', 'the certificates of SSL_CERT_FILE cannot be read', {
          hint: 'correct SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, or unset them',
          cause,
        })
      }
    }),
  ]
}

function toReply(reply: Dispatcher.ResponseData, watch: SilenceWatch, signal?: AbortSignal): StoreReply {
  const headers = Object.fromEntries(
    Object.entries(reply.headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  const readBody = async function* (): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of reply.body as AsyncIterable<Buffer>) {
        watch.extend()
        yield chunk
      }
    } catch (error) {
      throw toFault(error, watch, signal)
    } finally {
      watch.stop()
    }
  }
  const discard = () => {
    watch.stop()
    reply.body.on('error', () => undefined).destroy()
  }
  return { status: reply.statusCode, headers, body: readBody(), discard }
}

/** Aborts a request after a time without progress, or with the signal of the caller. */
class SilenceWatch {
  readonly #ending = new AbortController()
  readonly #finished = new AbortController()
  readonly #stopFollowing: () => void
  #limitMs: number
  #deadlineMs: number
  isExpired = false

  constructor(
    private readonly clock: Clock,
    limitMs: number,
    signal?: AbortSignal,
  ) {
    this.#limitMs = limitMs
    this.#deadlineMs = clock.monotonicMs() + limitMs
    const end = () => {
      this.#ending.abort()
    }
    signal?.addEventListener('abort', end, { once: true })
    this.#stopFollowing = () => signal?.removeEventListener('abort', end)
    void this.#wait()
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  extend(limitMs = this.#limitMs): void {
    this.#limitMs = limitMs
    this.#deadlineMs = this.clock.monotonicMs() + limitMs
  }

  stop(): void {
    this.#finished.abort()
    this.#stopFollowing()
  }

  async #wait(): Promise<void> {
    for (;;) {
      const restMs = this.#deadlineMs - this.clock.monotonicMs()
      if (restMs <= 0) break
      await this.clock.sleep(restMs, this.#finished.signal)
      if (this.#finished.signal.aborted) return
    }
    this.isExpired = true
    this.#ending.abort()
  }
}

function toFault(error: unknown, watch: SilenceWatch, signal?: AbortSignal): unknown {
  if (error instanceof UserError) return error
  if (signal?.aborted === true) return signal.reason
  if (watch.isExpired) return new ConnectionFault('it sent nothing for a long time')
  const { reason, hint, isPermanent } = explainNetworkError(error)
  return new ConnectionFault(reason, isPermanent, hint)
}
