import { UserError } from '../../core/errors.js'
import { parseRetryAfterMs } from '../../core/time.js'
import type { ConnectorOptions } from '../connector.js'
import type { CredentialContext } from './credential-request.js'
import {
  ConnectionFault,
  type HttpClient,
  type StoreReply,
  type StoreRequest,
  type StorePlatform,
} from './http-client.js'

/** The facts in the body of a reply with an error. */
export interface FailureFacts {
  /** Error code of the store, like `NoSuchKey`; null if the reply has none. */
  readonly code: string | null
  /** Region of the bucket, if the store names it. */
  readonly region?: string | null
}

/** A store answered a request with an error. Contains nothing of the request. */
export class StoreFailure extends Error {
  readonly code: string | null
  // Private: inspection must not show texts of the server.
  readonly #region: string | null
  readonly #headers: StoreReply['headers']

  constructor(
    readonly status: number,
    headers: StoreReply['headers'],
    { code, region = null }: FailureFacts,
  ) {
    super(code === null ? `status ${status}` : `status ${status}, ${code}`)
    this.code = code
    this.#region = region
    this.#headers = headers
  }

  get region(): string | null {
    return this.#headers['x-amz-bucket-region'] ?? this.#region
  }

  /** Unix time of the store in milliseconds; NaN if unknown. */
  get dateMs(): number {
    return Date.parse(this.#headers['date'] ?? '')
  }

  get retryAfter(): string | null {
    return this.#headers['retry-after'] ?? null
  }

  get isTemporary(): boolean {
    return [408, 429, 500, 502, 503, 504].includes(this.status) || temporaryCodes.has(this.code ?? '')
  }
}

const temporaryCodes = new Set([
  'ConditionalRequestConflict',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServerBusy',
  'ServiceUnavailable',
  'SlowDown',
])

/** The part of a store that signs requests and understands errors. */
export interface StoreService {
  /** Shown in messages: `s3://bucket`. */
  readonly label: string
  /** Returns the URL of a path as requests have it, without a signature. */
  buildUrl(path: string): string
  /** Returns the request with credentials. Throws CREDENTIALS_MISSING and ConnectionFault. */
  sign(request: StoreRequest): Promise<StoreRequest>
  readFailure(text: string, headers: StoreReply['headers']): FailureFacts
  /** Reacts to an error by another region or new credentials; returns whether to send the request again. */
  adapt?(failure: StoreFailure): Promise<boolean>
}

export interface SendOptions {
  /** Statuses of success. */
  readonly expected: readonly number[]
  /** Shared by the requests of one operation; optional. */
  readonly patience?: Patience | undefined
  /** Sent even after the signal has aborted, with fewer retries. */
  readonly isCleanup?: boolean
}

/** Sends requests to one store, and repeats them after temporary failures. */
export class StoreClient {
  readonly http: HttpClient
  readonly options: ConnectorOptions
  readonly platform: StorePlatform
  #hasAnswered = false
  #hasNotified = false

  constructor(
    readonly service: StoreService,
    context: CredentialContext,
  ) {
    this.http = context.http
    this.options = context.options
    this.platform = context.platform
  }

  /** Returns the text of the reply. Throws StoreFailure, STORE_UNREACHABLE and the reason of the signal. */
  async call(request: StoreRequest, options: SendOptions): Promise<{ reply: StoreReply; text: string }> {
    return this.send(request, options, async (reply) => ({ reply, text: await this.http.readText(reply) }))
  }

  /** Returns the reply with a body that is not read yet. */
  async open(request: StoreRequest, options: SendOptions): Promise<StoreReply> {
    return this.send(request, options, (reply) => Promise.resolve(reply))
  }

  /** The same with `take` as the reader of the reply; a failure that it throws is handled like one of the store. */
  async send<Result>(
    request: StoreRequest,
    { expected, isCleanup = false, patience = this.startPatience(isCleanup) }: SendOptions,
    take: (reply: StoreReply) => Promise<Result>,
  ): Promise<Result> {
    let adaptationCount = 0
    for (;;) {
      try {
        const signal = isCleanup ? undefined : this.options.signal
        const reply = await this.http.exchange(await this.service.sign(request), signal)
        this.#hasAnswered = true
        if (!expected.includes(reply.status)) throw await this.#readFailure(reply)
        return await take(reply)
      } catch (error) {
        if (error instanceof StoreFailure) {
          if (adaptationCount++ < 2 && (await this.service.adapt?.(error)) === true) continue
          if (!error.isTemporary) throw error
        }
        await patience.wait(error)
      }
    }
  }

  startPatience(isCleanup = false): Patience {
    return new Patience(this, isCleanup)
  }

  /** Whether the store answered before: its name and address are right. */
  get hasAnswered(): boolean {
    return this.#hasAnswered
  }

  /** Reports a store that does not answer as expected, once. */
  notifyTrouble(text: string): void {
    if (!this.#hasNotified) this.options.notice(text)
    this.#hasNotified = true
  }

  async close(): Promise<void> {
    await this.http.close()
  }

  async #readFailure(reply: StoreReply): Promise<StoreFailure> {
    let text = ''
    try {
      text = await this.http.readText(reply)
    } catch (error) {
      // The status is known even if the body is not usable.
      if (!(error instanceof ConnectionFault)) throw error
    }
    return new StoreFailure(reply.status, reply.headers, this.service.readFailure(text, reply.headers))
  }
}

/** Delays between attempts, and their end after a time without progress. */
export class Patience {
  #progressAtMs: number
  #attemptCount = 0

  constructor(
    private readonly client: StoreClient,
    private readonly isCleanup: boolean,
  ) {
    this.#progressAtMs = client.platform.clock.monotonicMs()
  }

  onProgress(): void {
    this.#progressAtMs = this.client.platform.clock.monotonicMs()
    this.#attemptCount = 0
  }

  /** Waits after a temporary failure. Throws other errors unchanged, STORE_UNREACHABLE, and the reason of the signal. */
  async wait(error: unknown): Promise<void> {
    if (!(error instanceof StoreFailure || error instanceof ConnectionFault)) throw error
    if (error instanceof ConnectionFault && error.isPermanent) throw this.#toError(error, 'cannot be used')
    const { client } = this
    const { clock, limits } = client.platform
    const signal = this.isCleanup ? undefined : client.options.signal
    const delayMs = this.#chooseDelay(error)
    const elapsedMs = clock.monotonicMs() - this.#progressAtMs + delayMs
    if (elapsedMs > this.#limitMs) throw this.#toError(error, 'kept failing')
    if (elapsedMs > limits.noticeAfterMs) {
      client.notifyTrouble(`${client.service.label} does not answer as expected (${error.message}); retrying`)
    }
    await clock.sleep(delayMs, signal)
    signal?.throwIfAborted()
  }

  get #limitMs(): number {
    const { hasAnswered, platform } = this.client
    if (this.isCleanup) return platform.limits.cleanupPatienceMs
    return hasAnswered ? platform.limits.patienceMs : platform.limits.firstPatienceMs
  }

  #chooseDelay(error: Error): number {
    const { clock, random, limits } = this.client.platform
    const ceilingMs = Math.min(limits.backoffMsMax, limits.backoffMsMin * 2 ** this.#attemptCount++)
    const backoffMs = ceilingMs * (0.5 + random.fraction() / 2)
    const header = error instanceof StoreFailure ? error.retryAfter : null
    if (header === null) return backoffMs
    const requestedMs = parseRetryAfterMs(header, clock.nowMs()) ?? 0
    return Math.max(backoffMs, Math.min(limits.retryAfterMsMax, requestedMs))
  }

  #toError(cause: Error, text: string): UserError {
    const hint = cause instanceof ConnectionFault ? cause.hint : null
    return new UserError('STORE_UNREACHABLE', `${this.client.service.label} ${text}: ${cause.message}`, {
      hint: `${hint ?? 'check the address, the endpoint and the network'}; then run the same command again`,
      cause,
    })
  }
}
