import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'

/**
 * Admits one browser: the first that shows the token of the printed address. It gets a cookie that no script and no other
 * site can use. When the token is shown again by a browser without that cookie, two parties know the address: the cookie
 * and the token are replaced, so that only a reader of the terminal can continue.
 */
export interface Access {
  /** Token of the address that opens the page now. */
  readonly entryToken: string
  enter(token: string, port: number): Entry
  /** `cookies` is the header as received. */
  isIn(cookies: string | undefined, port: number): boolean
}

export type Entry =
  | { readonly kind: 'admitted'; readonly cookie: string }
  /** The token was used before, at this time. A new one is in force. */
  | { readonly kind: 'reused'; readonly firstUsedAtMs: number }
  | { readonly kind: 'unknown' }

export function createAccess(random: Random, clock: Pick<Clock, 'nowMs'>): Access {
  let entryToken = random.id('')
  let session = random.id('')
  let usedAtMs: number | null = null
  return {
    get entryToken() {
      return entryToken
    },
    enter: (token, port) => {
      if (!isSame(token, entryToken)) return { kind: 'unknown' }
      if (usedAtMs === null) {
        usedAtMs = clock.nowMs()
        return {
          kind: 'admitted',
          cookie: `${cookieName(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`,
        }
      }
      const firstUsedAtMs = usedAtMs
      entryToken = random.id('')
      session = random.id('')
      usedAtMs = null
      return { kind: 'reused', firstUsedAtMs }
    },
    isIn: (cookies = '', port) =>
      cookies.split(';').some((cookie) => {
        const [name, value = ''] = cookie.trim().split('=', 2)
        return name === cookieName(port) && isSame(value, session)
      }),
  }
}

/** Browsers keep the cookies of all ports of a machine together. */
const cookieName = (port: number): string => `enrich_review_${port}`

/** Compares in constant time. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
