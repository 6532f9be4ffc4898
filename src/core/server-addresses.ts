import ipaddr from 'ipaddr.js'
import { fieldLimits } from '../contract/limits.js'
import { UserError } from './errors.js'

/**
 * Parses the base address of a service, without a trailing slash. It must be https, or http to this machine: the key is
 * sent in a header. Throws BASE_URL_INVALID; the message never repeats the text, since users may paste keys into URLs.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid('the base URL is not an http(s) address', 'for example https://api.example.com')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(
      'the base URL contains more than scheme, host, port and path',
      'set the key in ENRICH_API_KEY',
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw invalid(
      'the base URL is http and not on this machine',
      'use https: the API key is sent in a header',
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Returns the environment variables that may name the proxy for a protocol like `https:`, in order of precedence. */
export function listProxyVariables(protocol: string): readonly string[] {
  const name = `${protocol.replace(':', '')}_proxy`
  return [name, name.toUpperCase(), 'all_proxy', 'ALL_PROXY']
}

/** Whether a variable names a proxy. The code for proxies is loaded only then. */
export const hasProxyVariable = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  ['https:', 'http:'].some((protocol) =>
    listProxyVariables(protocol).some((name) => (environment[name]?.trim() ?? '') !== ''),
  )

function invalid(message: string, hint: string): UserError {
  return new UserError('BASE_URL_INVALID', message, { hint })
}

/** TLS settings of a connection. Paths lead to PEM files; null: the defaults of the system. */
export interface PostgresTls {
  /** `verify-ca` accepts any host name in a certificate of a trusted issuer. */
  readonly mode: 'verify-full' | 'verify-ca'
  readonly rootPath: string | null
  readonly certificatePath: string | null
  readonly keyPath: string | null
}

export interface PostgresAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** Null: PGUSER, or the user of the operating system. */
  readonly user: string | null
  /** Null: no TLS, which is only allowed on this machine. */
  readonly tls: PostgresTls | null
}

export const isPostgresUrl = (path: string): boolean => /^postgres(ql)?:\/\//i.test(path)

const form = 'postgres://user@host:5432/database'
const parameters = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/**
 * Parses the URL of a database. Throws CHECKPOINT_URL_INVALID, CHECKPOINT_URL_HAS_PASSWORD or CHECKPOINT_TLS_REQUIRED;
 * no message repeats the text, since users may paste passwords into URLs. Messages name the database as `what`.
 */
export function parsePostgresUrl(text: string, what = 'the checkpoint'): PostgresAddress {
  const invalid = (why: string, hint?: string) => createUrlError(what, why, hint)
  const decodePart = (part: string) => decodeOrThrow(part, invalid)
  const url = isPostgresUrl(text) && URL.canParse(text) ? new URL(text) : null
  // A text that is not a URL may contain a password with a slash or a question mark.
  if (url === null) throw invalid('it cannot be read as a URL')
  const getParameter = (name: string) => url.searchParams.get(name) || null
  if (url.password !== '' || getParameter('password') !== null) {
    throw new UserError('CHECKPOINT_URL_HAS_PASSWORD', `the URL of ${what} contains a password`, {
      hint: `the list of processes would show it: set PGPASSWORD, or store it in ~/.pgpass, and write ${form}`,
    })
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined || url.hash !== '') {
    throw invalid('it has an unknown parameter', `known parameters: ${parameters.join(', ')}`)
  }
  const host = decodePart(url.hostname).replace(/^\[|\]$/g, '') || getParameter('host')
  const database = decodePart(url.pathname.replace(/^\//, ''))
  const port = Number(url.port || getParameter('port') || 5432)
  if (host === null) throw invalid('it names no host')
  if (/[,\s]/.test(host))
    throw invalid('it names several hosts', 'name the one that accepts writes, or an alias of it')
  if (database === '' || database.includes('/')) throw invalid('it names no database')
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('its port is not valid')
  return {
    host,
    port,
    database,
    user: decodePart(url.username) || getParameter('user'),
    tls: resolveTls(
      { mode: getParameter('sslmode'), isLocal: isThisMachine(host), what, invalid },
      {
        rootPath: getParameter('sslrootcert'),
        certificatePath: getParameter('sslcert'),
        keyPath: getParameter('sslkey'),
      },
    ),
  }
}

/** Formats an address for display and storage. */
export const formatPostgresUrl = ({ host, port, database, user }: PostgresAddress): string =>
  host.startsWith('/')
    ? `postgres:///${database}?host=${host}&port=${port}`
    : `postgres://${user === null ? '' : `${encodeURIComponent(user)}@`}${host.includes(':') ? `[${host}]` : host}:${port}/${database}`

/** Whether a host is a Unix socket or the loopback interface. */
export const isThisMachine = (host: string): boolean =>
  host.startsWith('/') || host === '::1' || isLoopback(host)

type Invalid = (why: string, hint?: string) => UserError

interface TlsRequest {
  readonly mode: string | null
  readonly isLocal: boolean
  readonly what: string
  readonly invalid: Invalid
}

function resolveTls(
  { mode, isLocal, what, invalid }: TlsRequest,
  paths: Omit<PostgresTls, 'mode'>,
): PostgresTls | null {
  switch (mode) {
    case null:
      return isLocal ? null : { mode: 'verify-full', ...paths }
    case 'verify-full':
    case 'require':
      return { mode: 'verify-full', ...paths }
    case 'verify-ca':
      return { mode: 'verify-ca', ...paths }
    case 'disable':
    case 'allow':
    case 'prefer':
      if (isLocal) return null
      throw new UserError(
        'CHECKPOINT_TLS_REQUIRED',
        `${what} is on another machine, and sslmode disables TLS`,
        {
          hint: 'remove sslmode, or set verify-full or verify-ca, with sslrootcert=FILE if you use a private certificate authority',
        },
      )
    default:
      throw invalid(
        'its sslmode is not known',
        'use verify-full, verify-ca, require or, on this machine, disable',
      )
  }
}

function decodeOrThrow(text: string, invalid: Invalid): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('it has a % that is not followed by two hexadecimal digits')
  }
}

function createUrlError(what: string, why: string, hint?: string): UserError {
  return new UserError('CHECKPOINT_URL_INVALID', `the URL of ${what} is wrong: ${why}`, {
    hint: hint ?? `use ${form}; set the password in PGPASSWORD or ~/.pgpass`,
  })
}

export interface ListenAddress {
  host: string
  port: number
}

/** Parses `127.0.0.1:8787` or `[::1]:0`; a port alone means 127.0.0.1. Returns null for anything else. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):)?(\d{1,5})$/.exec(text)
  if (match === null || Number(match[2]) > 65_535) return null
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port: Number(match[2]) }
}

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
  if (url === null) throw createWebhookError('the webhook URL cannot be parsed')
  if (url.hash !== '') throw createWebhookError('the webhook URL has a fragment, which is never sent')
  const rules = { allowsLoopback: isLocalService, allowsAddresses: true }
  const verdict = judgeWebhookUrl(url.href, rules)
  if (verdict.kind === 'refused') throw createWebhookError(verdict.reason)
  return url.href
}

function createWebhookError(message: string): UserError {
  return new UserError('WEBHOOK_URL_INVALID', message, {
    hint: 'use a public https address that leads to --webhook-listen, like https://hooks.example.com/enrich',
  })
}
