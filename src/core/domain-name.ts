import { parse } from 'tldts'
import { classifyDomain } from './identifiers.js'
import { isPublicName } from './server-addresses.js'

/** More characters than a typed URL has. */
const textCharsMax = 2_048

/**
 * Returns the root domain of a domain, a URL or an e-mail address, in lower-case ASCII: `example.co.uk` for
 * `https://Shop.Example.co.uk:8443/x`, `EXAMPLE.co.uk.` and `mailto:jane@mail.example.co.uk` (interface: "v3 domain
 * intelligence"). A name that a hosting provider gives its customers (`acme.github.io`) is a root domain, and so is the
 * provider's (`github.io`). Returns null for an IP address in any spelling, a single label, a bare suffix (`co.uk`) and
 * reserved names.
 */
export function toRootDomain(text: string): string | null {
  if (text.length > textCharsMax) return null
  const host = toAsciiHost(extractHost(text.trim()))
  if (host === null || !isPublicName(host)) return null
  const options = { extractHostname: false, detectIp: false }
  const domain =
    parse(host, { ...options, allowPrivateDomains: true }).domain ??
    parse(host, { ...options, allowPrivateDomains: false }).domain
  return domain !== null && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?\./.test(domain) ? domain : null
}

/** Returns the host of an address: without scheme, user, port and path. */
function extractHost(text: string): string {
  const address = text.replace(/^mailto:/i, '').replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//i, '')
  const authority = /^[^/?#\\]*/.exec(address)?.[0] ?? ''
  // Several addresses in one line are ambiguous.
  if (authority.includes(',')) return ''
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
}

/** Returns the ASCII form of a host (UTS 46), or null if it is not a valid host. */
function toAsciiHost(host: string): string | null {
  // The URL parser would treat these characters as other parts of a URL, or drop them.
  if (!/^[^\s\p{Cc}:/?#[\]@\\<>|^"'`{};]+$/u.test(host)) return null
  // The letter makes Node.js 24 refuse an xn-- label that decodes to nothing, as older versions do without it.
  const address = `http://ü.${host}`
  return URL.canParse(address) ? new URL(address).hostname.replace('xn--tda.', '') : null
}

/** Explains why a domain is not that of one company; `null` if it may be. */
function explainSharedDomain(domain: string, text: string): string | null {
  switch (classifyDomain(domain)) {
    case 'mail provider':
      return `${domain} is a mail provider's domain, not a company's`
    case 'disposable':
      return `${domain} is a domain of disposable mailboxes, not a company's`
    case 'platform': {
      const [, host = '', path = ''] = /^(?:[a-z]+:)?(?:\/\/)?([^/?#]*)([^]*)$/i.exec(text) ?? []
      const isOwnFront = host.toLowerCase().replace(/^www\./, '') === domain && path.replace('/', '') === ''
      return text.includes('@') || isOwnFront ? null : `a page on ${domain} does not say whose domain it is`
    }
    case null:
      return null
  }
}

/** Position of a website in its domain: at its root, in a subdomain, or a page of a site. */
export type SiteFit = 'root' | 'subdomain' | 'page'

/** "/", "/en", "/gb/en/", "/index.html": the front page, in some language. */
const frontPage = /^\/?(?:[a-z]{2}(?:[-_][a-z]{2,4})?(?:\/|$)){0,2}(?:(?:index|home|default)(?:\.\w+)?)?$/i

/**
 * Returns the position of a website in its domain. A page may be hosted by another company: many companies state a
 * page of a web host or of a social network.
 */
export function classifySite(website: string): SiteFit {
  const [, host = '', path = ''] = /^(?:\w+:\/\/)?([^/?#]*)([^?#]*)/.exec(website.trim()) ?? []
  if (!frontPage.test(path)) return 'page'
  const labelCount = (name: string) => name.split('.').filter((label) => label !== '').length
  const isRoot = labelCount(host.replace(/^www\d?\./i, '')) === labelCount(toRootDomain(website) ?? '')
  return isRoot ? 'root' : 'subdomain'
}

interface Site {
  readonly domain: string | null
  readonly faults: readonly ('website' | 'email')[]
  /** Why a valid domain is not usable. */
  readonly shared: string | null
}

/** Returns the root domain of the website, else of the e-mail address; not that of a mail provider. */
export function findWebsite(website: string | undefined, email: string | undefined): Site {
  const faults: ('website' | 'email')[] = []
  let shared: string | null = null
  const given = { website, email }
  for (const key of ['website', 'email'] as const) {
    const text = given[key]
    if (text === undefined) continue
    const parts = text.split(/[\s,;|<>]+/).filter((part) => part.includes(key === 'email' ? '@' : '.'))
    const domains = parts.flatMap((part) => {
      const domain = toRootDomain(part)
      return domain === null ? [] : [{ domain, why: explainSharedDomain(domain, part) }]
    })
    const found = domains.find(({ why }) => why === null)
    if (found !== undefined) return { domain: found.domain, faults, shared: null }
    shared ??= domains[0]?.why ?? null
    if (domains.length === 0) faults.push(key)
  }
  return { domain: null, faults, shared }
}
