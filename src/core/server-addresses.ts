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
