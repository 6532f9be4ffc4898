import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../platform/random.js'

/**
 * Who may look and decide: the browser in which the printed address was opened first, until it is closed. The address
 * bears a token that counts once, and the browser gets a cookie for it, which no script and no other site can use.
 */
export interface Access {
  /** Of the address that is printed. */
  readonly entryToken: string
  /** What to set as a cookie where the token is shown for the first time; null for any other. */
  enter(token: string, port: number): string | null
  /** `cookies` is the header as it came. */
  isIn(cookies: string | undefined, port: number): boolean
}

export function createAccess(random: Random): Access {
  const entryToken = random.id('')
  const session = random.id('')
  let isUsed = false
  return {
    entryToken,
    enter: (token, port) => {
      if (isUsed || !isSame(token, entryToken)) return null
      isUsed = true
      return `${cookieName(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`
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

/** In a time that tells nothing of where they differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
