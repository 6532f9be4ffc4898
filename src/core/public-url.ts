import { fieldLimits } from '../contract/limits.js'
import { isLoopback } from './server-addresses.js'
import { UserError } from './errors.js'
import ipaddr from 'ipaddr.js'

/**
 * Whether an address leads somewhere on the internet: false for private, loopback, link-local, multicast,
 * documentation and otherwise reserved ones, for what is no address, and for IPv6 that has an IPv4 address
 * inside (mapped, NAT64, 6to4, Teredo), which could be any of these.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast)
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** `10.0.0.1` and `[fe80::1]`, as a URL's host is spelled once it is parsed. */
export function isAddressLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
}

/** A name that is nobody's own network's: at least two labels, and no ending that is kept from the internet. */
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
  /** Addresses of this machine, http and any port too: for rehearsals. */
  readonly allowsLoopback: boolean
  /** Public addresses where a name is expected. */
  readonly allowsAddresses: boolean
  /** What the address is called in reasons; `webhook URL` if left out. */
  readonly called?: string
}

/** `isLocal` leads to this machine, and is nothing that a name server has to be asked for. */
export type WebhookUrlVerdict =
  | { readonly kind: 'allowed'; readonly url: URL; readonly isLocal: boolean }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * What the interface wants of a `webhook_url` ("webhook_url requirements"), as far as its text tells: https, a
 * public host, port 443 or above 1024, no user and no password. The text is judged as it was given, since
 * parsers mend much of what is amiss: a user that is empty, digits of other scripts, an address in octal, a
 * backslash. Reasons are sentences about "the webhook URL" and never repeat it: a URL may hold a token.
 */
export function judgeWebhookUrl(text: string, rules: WebhookUrlRules): WebhookUrlVerdict {
  const verdict = judgeText(text, rules)
  if (verdict.kind === 'allowed') return verdict
  return { kind: 'refused', reason: `the ${rules.called ?? 'webhook URL'} ${verdict.reason}` }
}

function judgeText(text: string, rules: WebhookUrlRules): WebhookUrlVerdict {
  if (text.length > urlCharsMax) return refused(`is longer than ${urlCharsMax} characters`)
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) {
    return refused('holds a space, a backslash or a character outside printable ASCII')
  }
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority.includes('@')) return refused('holds a user or a password')
  const [, host] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(authority) ?? []
  const url = URL.canParse(text) ? new URL(text) : null
  if (scheme === '' || url === null) return refused('is not an https address')
  if (host === undefined || url.hostname !== host.toLowerCase()) {
    return refused('has a host that is not spelled plainly')
  }
  return judgeParts(url, rules)
}

function judgeParts(url: URL, rules: WebhookUrlRules): WebhookUrlVerdict {
  const isLocal = isLoopback(url.hostname)
  if (isLocal && rules.allowsLoopback) return { kind: 'allowed', url, isLocal }
  if (url.protocol !== 'https:') return refused('is not https')
  // 443 is the default of https: the parser leaves it out.
  if (url.port !== '' && Number(url.port) <= 1024)
    return refused('has a port that is neither 443 nor above 1024')
  const isLiteral = isAddressLiteral(url.hostname)
  if (isLiteral && !rules.allowsAddresses) return refused('has an address where a name is needed')
  const isPublic = isLiteral
    ? isPublicAddress(url.hostname.replace(/^\[|\]$/g, ''))
    : isPublicName(url.hostname)
  if (!isPublic) return refused('has a host that is not public')
  return { kind: 'allowed', url, isLocal: false }
}

const refused = (what: string): WebhookUrlVerdict => ({ kind: 'refused', reason: what })

/**
 * The address that deliveries are sent to, before anything is submitted; the service judges it again, by its
 * addresses too. A service on this machine (`isLocalService`) may deliver to this machine. Spelling is mended
 * here, and a public address is left for the service to judge. Throws WEBHOOK_URL_INVALID; the message never
 * repeats what was given.
 */
export function parseWebhookUrl(text: string, isLocalService = false): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) throw invalid('the webhook URL is no address')
  if (url.hash !== '') throw invalid('the webhook URL holds a fragment, which is never sent')
  const rules = { allowsLoopback: isLocalService, allowsAddresses: true }
  const verdict = judgeWebhookUrl(url.href, rules)
  if (verdict.kind === 'refused') throw invalid(verdict.reason)
  return url.href
}

function invalid(message: string): UserError {
  return new UserError('WEBHOOK_URL_INVALID', message, {
    hint: 'a public https address that leads to --webhook-listen, like https://hooks.example.com/enrich',
  })
}
