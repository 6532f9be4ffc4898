import { createHash } from 'node:crypto'
import type { WebClient, WebReply } from '../../connectors/connectors.js'
import { toRootDomain } from '../../core/domain-name.js'
import { UserError } from '../../core/errors.js'
import { isLoopback } from '../../core/server-addresses.js'
import { parseRetryAfterMs } from '../../core/time.js'
import type { Clock } from '../../platform/clock.js'
import type { RegisterSource, SourcePlace } from '../sources/source.js'

/** How to tell a publisher who asks. */
export const contactExample = 'Your company name@example.com'

/** Bounds of requests to publishers. Times are in milliseconds. */
export const publisherLimits = {
  /** Attempts without progress. */
  triesMax: 5,
  delayMs: 500,
  retryAfterMsMax: 60_000,
  redirectsMax: 5,
  socrataRows: 50_000,
} as const

/** A file of a register as its publisher announces it. */
export interface RemoteFile {
  readonly url: string
  readonly fileName: string
  readonly byteCount: number | null
  readonly etag: string | null
  /** Header `Last-Modified`. */
  readonly modified: string | null
  /** Address of its checksum. */
  readonly checksum: string | null
}

/** Returns the file as it may be stored: the query of an address may hold a key, so only its hash is kept. */
export const toStoredFile = (file: RemoteFile): RemoteFile => ({
  ...file,
  url: file.url.replace(
    /\?.*$/s,
    (query) => `#${createHash('sha256').update(query).digest('hex').slice(0, 8)}`,
  ),
})

/** Whether a file is certainly the one that was announced before. */
export function isSameVersion(one: RemoteFile, other: RemoteFile): boolean {
  if (toStoredFile(one).url !== toStoredFile(other).url || one.byteCount !== other.byteCount) return false
  if (one.etag !== null || other.etag !== null) return one.etag === other.etag
  return one.modified !== null && one.modified === other.modified
}

export interface PublisherAccess {
  readonly web: WebClient
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Name and e-mail address of the user, for publishers that want them. */
  readonly contact: string | null
  /** Address of a server that holds copies, under the host and path of the originals. */
  readonly mirror: string | null
}

/** The web server of a source: finds its files, and sends requests by its rules. */
export class Publisher {
  #nextAtMs = 0

  constructor(
    readonly source: RegisterSource,
    readonly access: PublisherAccess,
    /** Name or path by which the user gets the source. */
    private readonly name: string,
  ) {}

  /** Finds the newest files. Throws REGISTER_UNREACHABLE, REGISTER_MOVED, USAGE_INVALID. */
  async locate(places: readonly SourcePlace[]): Promise<RemoteFile[]> {
    const files: RemoteFile[] = []
    for (const place of places) {
      for (const { url, fileName } of await this.#list(place))
        files.push(await this.#announce(url, fileName, 'checksum' in place ? (place.checksum ?? null) : null))
    }
    return files
  }

  /** Returns the text behind an address. */
  async readText(url: string): Promise<string> {
    const { reply } = await this.request('GET', url, {}, [200])
    return this.access.web.readText(reply)
  }

  /**
   * Sends a request, follows redirects within the publisher's hosts, and repeats it after temporary failures. Throws
   * REGISTER_UNREACHABLE, REGISTER_MOVED, USAGE_INVALID, and the reason of the signal.
   */
  async request(
    method: 'GET' | 'HEAD',
    address: string,
    headers: Readonly<Record<string, string>>,
    expected: readonly number[],
  ): Promise<{ reply: WebReply; url: string }> {
    let url = address
    for (let redirects = 0, tries = 1; ;) {
      const reply = await this.#send(method, url, headers, tries)
      if (reply === null) {
        tries++
        continue
      }
      const { status } = reply
      if (expected.includes(status)) return { reply, url }
      reply.discard()
      if (status >= 301 && status <= 308 && redirects++ < publisherLimits.redirectsMax) {
        url = this.#follow(url, reply.headers['location'] ?? '')
      } else if ((status === 429 || status >= 500) && tries < publisherLimits.triesMax) {
        await this.pause(tries++, reply.headers['retry-after'])
      } else throw this.#createStatusError(url, status)
    }
  }

  /** Waits before another attempt, the longer the more there were. */
  async pause(tries: number, retryAfter?: string): Promise<void> {
    const { clock, signal } = this.access
    const asked = retryAfter === undefined ? null : parseRetryAfterMs(retryAfter, clock.nowMs())
    const delayMs = Math.max(publisherLimits.delayMs * 2 ** (tries - 1), asked ?? 0)
    await clock.sleep(Math.min(delayMs, publisherLimits.retryAfterMsMax), signal)
    signal.throwIfAborted()
  }

  /** Names the publisher's page, and how to continue without its address. */
  createHint(first: string | null = null): string {
    const { page } = this.source
    return `${first === null ? '' : `${first}; `}see ${page}; if the file is elsewhere: enrich registry get ${this.name} --from ADDRESS_OR_PATH`
  }

  createUnreachableError(
    url: string,
    reason: string,
    hint: string | null = null,
    cause?: unknown,
  ): UserError {
    const { host } = new URL(url)
    return new UserError('REGISTER_UNREACHABLE', `${this.source.publisher} (${host}): ${reason}`, {
      hint: this.createHint(hint),
      cause,
    })
  }

  /** Returns `null` after a temporary failure of the network. */
  async #send(
    method: 'GET' | 'HEAD',
    url: string,
    headers: Readonly<Record<string, string>>,
    tries: number,
  ): Promise<WebReply | null> {
    const { web, clock, signal, mirror } = this.access
    const { requestsPerSecond } = this.source
    if (requestsPerSecond !== undefined) {
      await clock.sleep(this.#nextAtMs - clock.monotonicMs(), signal)
      this.#nextAtMs = clock.monotonicMs() + 1_000 / requestsPerSecond
    }
    this.#assertSafe(url)
    const sent = mirror === null ? url : toMirror(mirror, url)
    try {
      return await web.exchange(
        { method, url: sent, headers: { ...this.#createAgent(), ...headers } },
        signal,
      )
    } catch (error) {
      const failure = web.explain(error)
      if (failure === null) throw error
      if (failure.isPermanent || tries >= publisherLimits.triesMax)
        throw this.createUnreachableError(url, failure.reason, failure.hint, error)
      await this.pause(tries)
      return null
    }
  }

  #createAgent(): Record<string, string> {
    const { wantsContact = false, publisher } = this.source
    const { contact } = this.access
    if (!wantsContact) return {}
    if (contact !== null) return { 'user-agent': contact }
    throw new UserError(
      'USAGE_INVALID',
      `${publisher} wants a name and an e-mail address with each request`,
      {
        hint: `pass --contact "${contactExample}", or set ENRICH_CONTACT`,
      },
    )
  }

  #assertSafe(url: string): void {
    const { protocol, hostname, username, password } = new URL(url)
    if (username !== '' || password !== '')
      throw new UserError('USAGE_INVALID', `the address of ${hostname} has a password`, {
        hint: 'download the file and pass its path: --from PATH',
      })
    if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return
    throw new UserError('REGISTER_MOVED', `the address of ${hostname} is not https`, {
      hint: this.createHint(),
    })
  }

  #follow(from: string, location: string): string {
    const { mirror } = this.access
    const sent = mirror === null ? from : toMirror(mirror, from)
    if (!URL.canParse(location, sent))
      throw new UserError('REGISTER_MOVED', `${new URL(from).host} leads to an invalid address`, {
        hint: this.createHint(),
      })
    const found = new URL(location, sent).href
    const to = mirror === null ? found : fromMirror(mirror, found)
    if (this.#isOwnHost(new URL(from), new URL(to))) return to
    throw new UserError(
      'REGISTER_MOVED',
      `${new URL(from).host} leads to another host: ${new URL(to).origin}`,
      {
        hint: this.createHint('if you trust it, pass its address'),
      },
    )
  }

  /** A host of the same domain, or one that the source names. */
  #isOwnHost(from: URL, to: URL): boolean {
    if (from.host === to.host) return from.protocol === to.protocol || to.protocol === 'https:'
    const { hosts = [] } = this.source
    if (hosts.some((host) => to.hostname === host || to.hostname.endsWith(`.${host}`))) return true
    const domain = toRootDomain(to.hostname)
    return domain !== null && domain === toRootDomain(from.hostname)
  }

  #createStatusError(url: string, status: number): UserError {
    const { host, pathname } = new URL(url)
    if (status === 404 || status === 410 || (status >= 301 && status <= 308)) {
      return new UserError(
        'REGISTER_MOVED',
        `${this.source.publisher} has no file at ${host}${pathname} (status ${status})`,
        {
          hint: this.createHint(),
        },
      )
    }
    return this.createUnreachableError(url, `it refused the request (status ${status})`)
  }

  async #list(place: SourcePlace): Promise<{ url: string; fileName: string | null }[]> {
    if ('url' in place) return [{ url: place.url, fileName: place.name ?? null }]
    if ('page' in place) return [{ url: await this.#findLink(place.page, place.link), fileName: null }]
    if ('ckan' in place) return this.#listPackage(place)
    const address = `${place.socrata}/resource/${place.dataset}.json`
    const [counted] = (await this.#readJson(`${address}?$select=count(*)`)) as { count?: string }[]
    const { socrataRows } = publisherLimits
    const pageCount = Math.ceil(Number(counted?.count ?? 0) / socrataRows)
    return Array.from({ length: pageCount }, (_, page) => ({
      url: `${address}?$limit=${socrataRows}&$order=:id&$offset=${page * socrataRows}`,
      fileName: `page-${String(page + 1).padStart(4, '0')}.json`,
    }))
  }

  async #findLink(page: string, link: string): Promise<string> {
    const html = await this.readText(page)
    const links = [...html.matchAll(/href\s*=\s*["']?([^"'\s>]+)/gi)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    )
    const wanted = new RegExp(link, 'iu')
    const newest = links
      .filter((href) => wanted.test(href))
      .sort()
      .at(-1)
    if (newest !== undefined && URL.canParse(newest, page)) return new URL(newest, page).href
    throw new UserError('REGISTER_MOVED', `the page ${page} has no link to the file`, {
      hint: this.createHint(),
    })
  }

  async #listPackage(
    place: Extract<SourcePlace, { ckan: string }>,
  ): Promise<{ url: string; fileName: string | null }[]> {
    const url = `${place.ckan}/api/3/action/package_show?id=${place.package}`
    const reply = (await this.#readJson(url)) as {
      result?: { resources?: { name?: string; url?: string }[] }
    }
    const wanted = new RegExp(place.resource, 'iu')
    const found = (reply.result?.resources ?? []).filter(
      (one) => URL.canParse(one.url ?? '') && wanted.test(`${one.name ?? ''} ${one.url ?? ''}`),
    )
    if (found.length === 0)
      throw new UserError('REGISTER_MOVED', `the package at ${url} has no such file`, {
        hint: this.createHint(),
      })
    return (place.all === true ? found : found.slice(-1)).map((one) => ({
      url: one.url ?? '',
      fileName: null,
    }))
  }

  async #readJson(url: string): Promise<unknown> {
    try {
      return JSON.parse(await this.readText(url)) as unknown
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw this.createUnreachableError(url, 'it sent no JSON', null, error)
    }
  }

  /** Asks for the facts of a file. Servers that do not answer HEAD leave them open. */
  async #announce(address: string, named: string | null, checksum: string | null): Promise<RemoteFile> {
    const { reply, url } = await this.request('HEAD', address, {}, [200, 400, 403, 405, 501])
    reply.discard()
    const { 'content-length': length, 'content-disposition': disposition, etag } = reply.headers
    const isKnown = reply.status === 200
    const proposed = /filename\*?=(?:UTF-8'')?"?([^";]+)/i.exec(disposition ?? '')?.[1]
    const last = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
    return {
      url: address,
      fileName: toFileName(named ?? proposed ?? last),
      byteCount: isKnown && length !== undefined ? Number(length) : null,
      etag: isKnown ? (etag ?? null) : null,
      modified: isKnown ? (reply.headers['last-modified'] ?? null) : null,
      checksum,
    }
  }
}

const toFileName = (text: string): string =>
  text.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^\.+/, '') || 'file'

function toMirror(mirror: string, address: string): string {
  const { host, pathname, search } = new URL(address)
  return `${mirror.replace(/\/$/, '')}/${host}${pathname}${search}`
}

function fromMirror(mirror: string, address: string): string {
  const start = `${mirror.replace(/\/$/, '')}/`
  return address.startsWith(start) ? `https://${address.slice(start.length)}` : address
}
