import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock, Random } from '../../platform/clock.js'

export type Entry =
  | { readonly kind: 'admitted'; readonly cookie: string }
  /** The token was used before, at this time. A new one is in force. */
  | { readonly kind: 'reused'; readonly firstUsedAtMs: number }
  | { readonly kind: 'unknown' }

/**
 * Admits one browser: the first that shows the token of the printed address. It gets a cookie that no script and no other
 * site can use. When the token is shown again by a browser without that cookie, two parties know the address: the cookie
 * and the token are replaced, so that only a reader of the terminal can continue.
 */
export class Access {
  readonly #random: Random
  readonly #clock: Pick<Clock, 'nowMs'>
  #entryToken: string
  #session: string
  #usedAtMs: number | null = null

  constructor(random: Random, clock: Pick<Clock, 'nowMs'>) {
    this.#random = random
    this.#clock = clock
    this.#entryToken = random.id('')
    this.#session = random.id('')
  }

  /** Token of the address that opens the page now. */
  get entryToken(): string {
    return this.#entryToken
  }

  enter(token: string, port: number): Entry {
    if (!isSame(token, this.#entryToken)) return { kind: 'unknown' }
    const firstUsedAtMs = this.#usedAtMs
    if (firstUsedAtMs === null) {
      this.#usedAtMs = this.#clock.nowMs()
      const cookie = `${getCookieName(port)}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`
      return { kind: 'admitted', cookie }
    }
    this.#entryToken = this.#random.id('')
    this.#session = this.#random.id('')
    this.#usedAtMs = null
    return { kind: 'reused', firstUsedAtMs }
  }

  /** `cookies` is the header as received. */
  isIn(cookies = '', port: number): boolean {
    return cookies.split(';').some((cookie) => {
      const [name, value = ''] = cookie.trim().split('=', 2)
      return name === getCookieName(port) && isSame(value, this.#session)
    })
  }
}

/** Browsers keep the cookies of all ports of a machine together. */
const getCookieName = (port: number): string => `enrich_review_${port}`

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The parts of a request that show its origin. */
export interface PageRequest {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`: only browsers send it, and pages cannot change it. */
  readonly fetchSite: string | undefined
  readonly contentType: string | undefined
  /** The request is for the page itself, as links are. */
  readonly isForPage: boolean
  /** The request has the token of the printed address. */
  readonly isEntry: boolean
  /** The request has this server's cookie. */
  readonly isIn: boolean
}

export interface Listening {
  readonly port: number
  /** Beyond this machine, the server cannot know its host names. */
  readonly isLoopback: boolean
}

export interface Refusal {
  readonly status: 403 | 415 | 421
  readonly message: string
}

/**
 * Returns the reason to refuse a request, or `null`. Protects against pages of other sites in the same browser. DNS
 * rebinding is detected by `Host`; other sites have neither our `Origin` nor, because of `SameSite`, our cookie. Cookies
 * are shared by all ports of a host: `Sec-Fetch-Site` identifies requests from other ports, which could otherwise start
 * searches at the service. Changes must come from our page as JSON, which forms cannot send. Beyond this machine, a TLS
 * proxy may be in front.
 */
export function judgeRequest(request: PageRequest, listening: Listening): Refusal | null {
  const { method, host, origin, fetchSite, contentType, isForPage, isEntry, isIn } = request
  if (host === undefined || (listening.isLoopback && !isOurHost(host, listening.port)))
    return { status: 421, message: 'the host name is not that of this server' }
  const isChange = method !== 'GET' && method !== 'HEAD'
  if (!isIn && !(isEntry && !isChange))
    return { status: 403, message: 'this browser is not the one that the URL of enrich review admitted' }
  if (!isForPage && (fetchSite === 'same-site' || fetchSite === 'cross-site'))
    return { status: 403, message: 'only the review page may request this' }
  if (!isChange) return null
  const isOurs = origin === `http://${host}` || (!listening.isLoopback && origin === `https://${host}`)
  if (!isOurs || (fetchSite !== undefined && fetchSite !== 'same-origin'))
    return { status: 403, message: 'only the review page may change anything' }
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? ''))
    return { status: 415, message: 'only JSON is accepted' }
  return null
}

function isOurHost(host: string, port: number): boolean {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  return names.some((name) => host.toLowerCase() === `${name}:${port}` || (port === 80 && host === name))
}
