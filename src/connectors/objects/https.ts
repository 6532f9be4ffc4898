import { readFileSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import type { ConnectorOptions, Connector, Place } from '../connector.js'
import { findHomePath, readVariable } from './credential-request.js'
import {
  type StoreReply,
  type StoreRequest,
  HttpClient,
  systemPlatform,
  type StorePlatform,
} from './http-client.js'
import { assertWithoutSecret, createAddressError, listObjectPlaces } from './object-address.js'
import { ObjectSource } from './object-source.js'
import type { ObjectInfo } from './object-store.js'
import { ReadableStore } from './readable-store.js'
import {
  StoreFailure,
  type Patience,
  type SendOptions,
  type StoreService,
  StoreClient,
} from './store-client.js'

/** Adds the credentials of a host to requests to that host only. */
class HttpsService implements StoreService {
  readonly label: string
  readonly #authorization: string | null

  constructor(
    private readonly url: URL,
    { environment }: ConnectorOptions,
  ) {
    this.label = url.origin
    const authorization = readVariable(environment, 'ENRICH_HTTPS_AUTHORIZATION')
    if (authorization !== null && !/^[\x20-\x7e]+$/.test(authorization)) {
      throw new UserError('CREDENTIALS_MISSING', 'ENRICH_HTTPS_AUTHORIZATION is not a valid header', {
        hint: 'write it like "Bearer TOKEN", in one line',
      })
    }
    this.#authorization = authorization ?? readNetrc(environment, url.hostname)
  }

  buildUrl(path: string): string {
    return this.url.origin + path
  }

  get hasCredentials(): boolean {
    return this.#authorization !== null
  }

  sign(request: StoreRequest): Promise<StoreRequest> {
    const isOwn = new URL(request.url).origin === this.url.origin
    if (this.#authorization === null || !isOwn) return Promise.resolve(request)
    return Promise.resolve({
      ...request,
      headers: { ...request.headers, authorization: this.#authorization },
    })
  }

  readFailure(): { code: null } {
    return { code: null }
  }
}

/** Returns the basic authorization of a host from a netrc file; null if it has no entry. */
function readNetrc(environment: ConnectorOptions['environment'], hostname: string): string | null {
  let text: string
  try {
    text = readFileSync(readVariable(environment, 'NETRC') ?? findHomePath(environment, '.netrc'), 'utf8')
  } catch {
    return null
  }
  const words = text.replace(/^\s*#.*$/gm, '').split(/\s+/)
  for (let at = words.indexOf('machine'); at !== -1; at = words.indexOf('machine', at + 1)) {
    if (words[at + 1] !== hostname) continue
    const entry = new Map<string, string>()
    for (let index = at + 2; /^(login|password|account)$/.test(words[index] ?? ''); index += 2) {
      entry.set(words[index] ?? '', words[index + 1] ?? '')
    }
    const user = `${entry.get('login') ?? ''}:${entry.get('password') ?? ''}`
    return `Basic ${Buffer.from(user).toString('base64')}`
  }
  return null
}

const redirects = [301, 302, 303, 307, 308]

/** A file on a web server. */
class HttpsStore extends ReadableStore {
  readonly #opened = new Set<string>()

  constructor(
    client: StoreClient,
    private readonly service: HttpsService,
    private readonly url: URL,
  ) {
    super(client, 'input')
  }

  buildLabel(): string {
    return this.url.origin + this.url.pathname
  }

  /** Redirects may lead to an object of a store. */
  override listPlaces(_key: string, info: ObjectInfo | null): readonly Place[] {
    return [...this.#opened].flatMap((url) => listObjectPlaces(url, info))
  }

  async *list(): AsyncGenerator<never> {}

  protected isMissing({ status }: StoreFailure): boolean {
    return status === 404 || status === 410
  }

  /** Follows redirects. */
  protected async open(
    method: 'GET' | 'HEAD',
    _key: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
    patience?: Patience,
  ): Promise<StoreReply> {
    let { url } = this
    for (let count = 0; count <= this.client.platform.limits.redirectsMax; count++) {
      this.#opened.add(url.href)
      const reply = await this.#send(
        { method, url: url.href, headers },
        { expected: [...expected, ...redirects], patience },
      )
      if (!redirects.includes(reply.status)) return reply
      reply.discard()
      const location = reply.headers['location'] ?? ''
      if (!URL.canParse(location, url.href)) throw this.#createRedirectError('to an invalid address')
      url = new URL(location, url)
      if (url.protocol !== 'https:') throw this.#createRedirectError('to an address that is not https')
    }
    throw this.#createRedirectError('too often')
  }

  async #send(request: StoreRequest, options: SendOptions): Promise<StoreReply> {
    try {
      return await this.client.open(request, options)
    } catch (error) {
      const isRefused = error instanceof StoreFailure && error.status === 401
      // The answer to GET decides.
      if (!isRefused || this.service.hasCredentials || request.method === 'HEAD') throw error
      throw new UserError(
        'CREDENTIALS_MISSING',
        `${this.buildLabel()} needs credentials: searched ENRICH_HTTPS_AUTHORIZATION and the netrc file`,
        { hint: 'set ENRICH_HTTPS_AUTHORIZATION to the whole header, like "Bearer TOKEN"', cause: error },
      )
    }
  }

  /** Does not repeat the other address, which may contain a signature. */
  #createRedirectError(how: string): UserError {
    return new UserError('INPUT_UNREADABLE', `${this.buildLabel()} redirects ${how}`, {
      hint: 'open the address in a browser to see where it leads, and name the final address',
    })
  }
}

/** Files on web servers, as input. `platform` is for tests. */
export function createHttpsConnector(platform: StorePlatform = systemPlatform): Connector {
  return {
    openSource: (address, options) => {
      assertWithoutSecret(address, 'https')
      if (!URL.canParse(address)) throw createAddressError('https', 'the address is not a valid URL')
      const url = new URL(address)
      url.hash = ''
      const service = new HttpsService(url, options)
      const http = new HttpClient(options.environment, platform)
      const client = new StoreClient(service, { http, options, platform })
      return new ObjectSource(new HttpsStore(client, service, url), url.pathname)
    },
    openTarget: () => {
      throw createAddressError('s3', 'an https address can be an input only')
    },
  }
}
