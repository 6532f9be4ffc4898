import { UserError } from '../../core/errors.js'
import { shownPostgresUrl, type PostgresAddress } from '../../core/server-addresses.js'
import type { PasswordMissingError } from './password.js'
import type { PostgresExplanation } from './postgres.js'

/** Codes of Node's TLS and of its certificates, which are many. */
const tlsCodes =
  /^(TLS_REFUSED|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/

/** The server that answers is not the one that this process began with, or was put back since. */
export class ServerChangedError extends Error {
  override readonly name = 'ServerChangedError'
}

/** What of ours lies in a database, in the words of its errors. */
export interface OwnWords {
  /** Who makes the tables, and where the grants are listed. */
  readonly grantsHint: string
  /** The names of ours are there, and mean something else. */
  readonly foreign: (url: string, what: string, cause?: Error) => UserError
}

/** A database, and what of ours is in it: what errors name. */
export interface DatabasePlace {
  readonly address: PostgresAddress
  readonly words: OwnWords
}

/** For errors of ours about the server; all others are explained where they arise. */
export const explainServerChange = (url: string, error: unknown): unknown =>
  error instanceof ServerChangedError ? serverChanged(url) : error

export function explainPassword(
  { address }: DatabasePlace,
  { ignoredFile }: PasswordMissingError,
): UserError {
  const url = shownPostgresUrl(address)
  const hint =
    ignoredFile === null
      ? 'set PGPASSWORD, or add a line to ~/.pgpass: host:port:database:user:password'
      : ignoredFile.reason === 'unreadable'
        ? `${ignoredFile.path}, which PGPASSFILE names, cannot be read`
        : `${ignoredFile.path} is not used, since others may read it: chmod 600`
  return new UserError('CHECKPOINT_PASSWORD_MISSING', `${url} asks for a password, and none is known`, {
    hint,
  })
}

/** Why a connection was lost or could not be made, by a code of the system or an SQLSTATE; null if unknown. */
export function explainLost({ address }: DatabasePlace, code: string | null): PostgresExplanation {
  const url = shownPostgresUrl(address)
  if (code === '53300') {
    return {
      code: 'CHECKPOINT_CONNECTIONS_EXHAUSTED',
      message: `${url} takes no more connections`,
      hint: 'a process takes up to five: run fewer, raise max_connections, or put pgbouncer between',
    }
  }
  if (code === 'SASL') return loginRefused(url)
  if (code === '57014') return busy(url, 'a statement took too long, or was cancelled')
  if (code !== null && tlsCodes.test(code)) {
    const what = code === 'TLS_REFUSED' ? 'speaks no TLS' : `does not prove who it is (${code})`
    return {
      code: 'CHECKPOINT_TLS_FAILED',
      message: `${url} ${what}`,
      hint: 'name the host as its certificate does, and add ?sslrootcert=FILE where its authority is your own',
    }
  }
  return {
    code: 'CHECKPOINT_UNREACHABLE',
    message: `${url} cannot be reached: ${reachText(code)}`,
    hint: 'check host, port and firewall, and that the server runs; the same command resumes',
  }
}

function reachText(code: string | null): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name of the host leads nowhere'
  if (code === 'ENOENT') return 'there is no socket in that folder'
  if (code === '57P03') return 'the server is starting or shutting down'
  return code === null ? 'it does not answer' : code
}

const loginRefused = (url: string): PostgresExplanation => ({
  code: 'CHECKPOINT_LOGIN_REFUSED',
  message: `${url} refuses the user or the password`,
  hint: 'check the user in the URL, PGPASSWORD or ~/.pgpass, and pg_hba.conf of the server',
})

const resumes = 'what was acknowledged is safe, and the same command resumes'

const busy = (url: string, what: string): PostgresExplanation => ({
  code: 'CHECKPOINT_SERVER_BUSY',
  message: `${url}: ${what}`,
  hint: `look for sessions that hold locks (pg_stat_activity); ${resumes}`,
})

const readOnly = (url: string, message: string): PostgresExplanation => ({
  code: 'CHECKPOINT_SERVER_READ_ONLY',
  message: `${url} takes no writes: ${message}`,
  hint: `name the primary, or end the read-only mode of the server; ${resumes}`,
})

/** Why the server refused a statement, by its SQLSTATE and message. */
export function explainRefused(
  { address, words }: DatabasePlace,
  sqlState: string,
  message: string,
): PostgresExplanation {
  const url = shownPostgresUrl(address)
  switch (sqlState) {
    // The last two: BEGIN READ WRITE, and a look at the log that is written, on a server in recovery.
    case '25006':
    case '0A000':
    case '55000':
      return readOnly(url, message)
    case '40001':
    case '40P01':
    case '55P03':
      return busy(url, message)
    case '3D000':
    case '57P04':
      return {
        code: 'CHECKPOINT_DATABASE_MISSING',
        message: `${url}: there is no database ${address.database}`,
        hint: `createdb ${address.database}, or name another one`,
      }
    case '42501': {
      const { code, message: text, hint } = grantsMissing(url, words, message)
      return { code, message: text, hint }
    }
    case '3F000':
    case '42P01':
    case '42703': {
      const { code, message: text, hint } = words.foreign(url, message)
      return { code, message: text, hint }
    }
    default:
      return explainClass(url, sqlState, message)
  }
}

/** By the first two characters of the SQLSTATE: its class. */
function explainClass(url: string, sqlState: string, message: string): PostgresExplanation {
  switch (sqlState.slice(0, 2)) {
    case '28':
      return loginRefused(url)
    case '53':
      return {
        code: 'CHECKPOINT_SERVER_FULL',
        message: `${url} has no room left: ${message}`,
        hint: `make room on the disk of the server; ${resumes}`,
      }
    case '21':
    case '22':
    case '23':
    case '26':
    case '42':
      return {
        code: 'CHECKPOINT_STATEMENT_REFUSED',
        message: `${url} refuses a statement of enrich (SQLSTATE ${sqlState}): ${message}`,
        hint: `this is a bug in enrich, unless the tables were changed by other means; ${resumes}`,
      }
    default:
      return {
        code: 'CHECKPOINT_SERVER_FAILED',
        message: `${url} failed (SQLSTATE ${sqlState}): ${message}`,
        hint: `the log of the server says more; ${resumes}`,
      }
  }
}

export const grantsMissing = (
  url: string,
  { grantsHint: hint }: OwnWords,
  what: string,
  cause?: Error,
): UserError => new UserError('CHECKPOINT_GRANTS_MISSING', `${url}: ${what}`, { hint, cause })

export const standby = (url: string): UserError =>
  new UserError('CHECKPOINT_SERVER_STANDBY', `${url} is a standby, and takes no writes`, {
    hint: 'name the primary, or a name that follows it',
  })

export const serverChanged = (url: string): UserError =>
  new UserError(
    'CHECKPOINT_SERVER_CHANGED',
    `the server of ${url} is another one than before, or was restored`,
    {
      hint: 'what it had not yet received may be billed again: see docs/several-machines.md on failover, then pass --accept-rollback once',
    },
  )
