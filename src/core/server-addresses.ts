import { UserError } from './errors.js'

/**
 * The base address of a service, without a trailing slash. https, or http to this machine alone: the key
 * would cross the network in the clear. Throws BASE_URL_INVALID; the message never repeats what was given,
 * since people paste keys into URLs.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid('the base URL is not an http(s) address', 'for example https://api.example.com')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(
      'the base URL holds more than scheme, host, port and path',
      'the key goes into ENRICH_API_KEY',
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

function invalid(message: string, hint: string): UserError {
  return new UserError('BASE_URL_INVALID', message, { hint })
}

/** How the server proves who it is. Paths are of PEM files; null: those that the system trusts, none of our own. */
export interface PostgresTls {
  /** `verify-ca` takes a certificate of a trusted issuer, whatever name it bears. */
  readonly mode: 'verify-full' | 'verify-ca'
  readonly rootPath: string | null
  readonly certificatePath: string | null
  readonly keyPath: string | null
}

export interface PostgresAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** Null: PGUSER, or whoever runs this. */
  readonly user: string | null
  /** Null: none, which only this machine may be reached by. */
  readonly tls: PostgresTls | null
}

export const isPostgresUrl = (path: string): boolean => /^postgres(ql)?:\/\//i.test(path)

const form = 'postgres://user@host:5432/database'
const parameters = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/**
 * The address of a database. Throws CHECKPOINT_URL_INVALID, CHECKPOINT_URL_HAS_PASSWORD and CHECKPOINT_TLS_REQUIRED; no
 * message repeats what was given, since people paste passwords into URLs. `what` it is the address of.
 */
export function parsePostgresUrl(text: string, what = 'the checkpoint'): PostgresAddress {
  const invalid = (why: string, hint?: string) => invalidUrl(what, why, hint)
  const decoded = (part: string) => decodedOr(part, invalid)
  const url = isPostgresUrl(text) && URL.canParse(text) ? new URL(text) : null
  // What is no URL may be one whose password holds a slash or a question mark.
  if (url === null) throw invalid('it cannot be read as a URL')
  const given = (name: string) => url.searchParams.get(name) || null
  if (url.password !== '' || given('password') !== null) {
    throw new UserError('CHECKPOINT_URL_HAS_PASSWORD', `the URL of ${what} holds a password`, {
      hint: `it would be seen in the list of processes: set PGPASSWORD, or keep it in ~/.pgpass, and write ${form}`,
    })
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined || url.hash !== '') {
    throw invalid('it has a parameter that is not known here', `known are ${parameters.join(', ')}`)
  }
  const host = decoded(url.hostname).replace(/^\[|\]$/g, '') || given('host')
  const database = decoded(url.pathname.replace(/^\//, ''))
  const port = Number(url.port || given('port') || 5432)
  if (host === null) throw invalid('it names no host')
  if (/[,\s]/.test(host))
    throw invalid('it names several hosts', 'name the one that takes writes, or a name that leads to it')
  if (database === '' || database.includes('/')) throw invalid('it names no database')
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('its port is no port')
  return {
    host,
    port,
    database,
    user: decoded(url.username) || given('user'),
    tls: tlsOf(
      { mode: given('sslmode'), isLocal: isThisMachine(host), what, invalid },
      {
        rootPath: given('sslrootcert'),
        certificatePath: given('sslcert'),
        keyPath: given('sslkey'),
      },
    ),
  }
}

/** An address as it may be shown and kept. */
export const shownPostgresUrl = ({ host, port, database, user }: PostgresAddress): string =>
  host.startsWith('/')
    ? `postgres:///${database}?host=${host}&port=${port}`
    : `postgres://${user === null ? '' : `${encodeURIComponent(user)}@`}${host.includes(':') ? `[${host}]` : host}:${port}/${database}`

/** A Unix socket, or the loopback interface: nobody between can read. */
const isThisMachine = (host: string) => host.startsWith('/') || host === '::1' || isLoopback(host)

type Invalid = (why: string, hint?: string) => UserError

interface AskedTls {
  readonly mode: string | null
  readonly isLocal: boolean
  readonly what: string
  readonly invalid: Invalid
}

function tlsOf(
  { mode, isLocal, what, invalid }: AskedTls,
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
        `${what} is on another machine, and sslmode leaves TLS out`,
        {
          hint: 'leave sslmode out, or set verify-full or verify-ca, with sslrootcert=FILE where the certificate is of your own authority',
        },
      )
    default:
      throw invalid(
        'its sslmode is not known',
        'known are verify-full, verify-ca, require and, on this machine, disable',
      )
  }
}

function decodedOr(text: string, invalid: Invalid): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('it has a % that is not followed by two hexadecimal digits')
  }
}

function invalidUrl(what: string, why: string, hint?: string): UserError {
  return new UserError('CHECKPOINT_URL_INVALID', `the URL of ${what} is wrong: ${why}`, {
    hint: hint ?? `like ${form}; the password goes into PGPASSWORD or ~/.pgpass`,
  })
}

export interface ListenAddress {
  host: string
  port: number
}

/** `127.0.0.1:8787`, `[::1]:0`; null for anything else. A port alone listens on this machine alone. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):)?(\d{1,5})$/.exec(text)
  if (match === null || Number(match[2]) > 65_535) return null
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port: Number(match[2]) }
}
