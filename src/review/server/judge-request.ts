/** A request to the server of the review page, as far as it says where it comes from. */
export interface PageRequest {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site`: only browsers send it, and no page can change it. */
  readonly fetchSite: string | undefined
  readonly contentType: string | undefined
  /** It asks for the page itself, as links do. */
  readonly isForPage: boolean
  /** It shows the token of the printed address. */
  readonly isEntry: boolean
  /** It bears the cookie of this server. */
  readonly isIn: boolean
}

export interface Listening {
  readonly port: number
  /** Beyond this machine a server has names that it cannot know. */
  readonly isLoopback: boolean
}

export interface Refusal {
  readonly status: 403 | 415 | 421
  readonly message: string
}

/**
 * Why a request is refused; null where it is not. Kept out are pages of other sites that a person visits beside this one:
 * those whose own name was pointed at this machine cannot choose the `Host` that they send, and others have neither our
 * `Origin` nor, for want of `SameSite`, our cookie. To cookies the ports of one machine are one site: what another port
 * asks is refused by what the browser says of it, since a search that nobody can read asks a service all the same. What
 * changes something has to come from our page, as JSON, which no form can send; beyond this machine a proxy with TLS may
 * stand before us.
 */
export function judgeRequest(request: PageRequest, listening: Listening): Refusal | null {
  const { method, host, origin, fetchSite, contentType, isForPage, isEntry, isIn } = request
  if (host === undefined || (listening.isLoopback && !isOurHost(host, listening.port)))
    return { status: 421, message: 'this server has another name' }
  const isChange = method !== 'GET' && method !== 'HEAD'
  if (!isIn && !(isEntry && !isChange))
    return { status: 403, message: 'this browser did not open the address that enrich review printed' }
  if (!isForPage && (fetchSite === 'same-site' || fetchSite === 'cross-site'))
    return { status: 403, message: 'only the review page may ask this' }
  if (!isChange) return null
  const isOurs = origin === `http://${host}` || (!listening.isLoopback && origin === `https://${host}`)
  if (!isOurs || (fetchSite !== undefined && fetchSite !== 'same-origin'))
    return { status: 403, message: 'only the review page may change anything' }
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? ''))
    return { status: 415, message: 'only JSON is taken' }
  return null
}

function isOurHost(host: string, port: number): boolean {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  return names.some((name) => host.toLowerCase() === `${name}:${port}` || (port === 80 && host === name))
}
