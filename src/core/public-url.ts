import { fieldLimits } from '../contract/limits.js'
import { isLoopback } from './server-addresses.js'
import { UserError } from './errors.js'
import ipaddr from 'ipaddr.js'
import { parse } from 'tldts'
import { classifyDomain } from './identifiers.js'

/**
 * Whether an IP address is public: false for private, loopback, link-local, multicast, documentation and other reserved
 * addresses, for text that is not an address, and for IPv6 that embeds an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a host of a parsed URL is an IP address: `10.0.0.1`, `[fe80::1]`. */
export function isAddressLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
}

/** Whether a host name is public: at least two labels, and no reserved ending. */
export function isPublicName(hostname: string): boolean {
  const labels = hostname.toLowerCase().split('.')
  return (
    hostname.length <= nameCharsMax &&
    labels.length >= 2 &&
    labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '') &&
    !keptNames.test(hostname)
  )
}

const nameCharsMax = 253
const keptNames =
  /\.(local|localhost|localdomain|internal|intranet|private|lan|home|corp|test|invalid|onion|alt)$|\.home\.arpa$/i

const urlCharsMax = fieldLimits.webhookUrlCharsMax

export interface WebhookUrlRules {
  /** Allows addresses of this machine, with http and any port, for tests. */
  readonly allowsLoopback: boolean
  /** Allows public IP addresses as hosts. */
  readonly allowsAddresses: boolean
  /** Name of the URL in reasons; defaults to `webhook URL`. */
  readonly called?: string
}

/** `isLocal`: the URL leads to this machine, and needs no name resolution. */
export type WebhookUrlVerdict =
  | { readonly kind: 'allowed'; readonly url: URL; readonly isLocal: boolean }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Checks the text of a `webhook_url` (interface: "webhook_url requirements"): https, a public host, port 443 or above
 * 1024, no user and no password. It checks the text before parsing, since URL parsers correct some faults: an empty
 * user, digits of other scripts, an octal address, a backslash. Reasons never repeat the URL, which may contain a
 * token.
 */
export function judgeWebhookUrl(text: string, rules: WebhookUrlRules): WebhookUrlVerdict {
  const verdict = judgeText(text, rules)
  if (verdict.kind === 'allowed') return verdict
  return { kind: 'refused', reason: `the ${rules.called ?? 'webhook URL'} ${verdict.reason}` }
}

function judgeText(text: string, rules: WebhookUrlRules): WebhookUrlVerdict {
  if (text.length > urlCharsMax) return createRefusal(`is longer than ${urlCharsMax} characters`)
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) {
    return createRefusal('contains a space, a backslash or a character outside printable ASCII')
  }
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority.includes('@')) return createRefusal('contains a user or a password')
  const [, host] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(authority) ?? []
  const url = URL.canParse(text) ? new URL(text) : null
  if (scheme === '' || url === null) return createRefusal('is not an https address')
  if (host === undefined || url.hostname !== host.toLowerCase()) {
    return createRefusal('has a host in an unusual spelling')
  }
  return judgeParts(url, rules)
}

function judgeParts(url: URL, rules: WebhookUrlRules): WebhookUrlVerdict {
  const isLocal = isLoopback(url.hostname)
  if (isLocal && rules.allowsLoopback) return { kind: 'allowed', url, isLocal }
  if (url.protocol !== 'https:') return createRefusal('is not https')
  // The parser drops 443, the default port of https.
  if (url.port !== '' && Number(url.port) <= 1024)
    return createRefusal('has a port that is neither 443 nor above 1024')
  const isLiteral = isAddressLiteral(url.hostname)
  if (isLiteral && !rules.allowsAddresses) return createRefusal('has an IP address instead of a host name')
  const isPublic = isLiteral
    ? isPublicAddress(url.hostname.replace(/^\[|\]$/g, ''))
    : isPublicName(url.hostname)
  if (!isPublic) return createRefusal('has a host that is not public')
  return { kind: 'allowed', url, isLocal: false }
}

const createRefusal = (what: string): WebhookUrlVerdict => ({ kind: 'refused', reason: what })

/**
 * Parses the URL to which the service sends deliveries. The service checks it again, with its resolved addresses. A
 * service on this machine (`isLocalService`) may deliver to this machine. Returns the normalized URL; throws
 * WEBHOOK_URL_INVALID with a message that never repeats the text.
 */
export function parseWebhookUrl(text: string, isLocalService = false): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw createUrlError('the webhook URL cannot be parsed')
  if (url.hash !== '') throw createUrlError('the webhook URL has a fragment, which is never sent')
  const rules = { allowsLoopback: isLocalService, allowsAddresses: true }
  const verdict = judgeWebhookUrl(url.href, rules)
  if (verdict.kind === 'refused') throw createUrlError(verdict.reason)
  return url.href
}

function createUrlError(message: string): UserError {
  return new UserError('WEBHOOK_URL_INVALID', message, {
    hint: 'use a public https address that leads to --webhook-listen, like https://hooks.example.com/enrich',
  })
}

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
export function explainSharedDomain(domain: string, text: string): string | null {
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
