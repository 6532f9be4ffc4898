import { UserError } from '../../core/errors.js'
import { shownPostgresUrl, type PostgresAddress } from '../../core/postgres-address.js'
import { PasswordMissingError } from './password.js'
import { ConnectionLostError, StatementError } from './postgres.js'

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

/** What went wrong with a database of ours, for people; what is none of that is given back as it is. */
export function explainPostgresError(address: PostgresAddress, words: OwnWords, error: unknown): unknown {
  const url = shownPostgresUrl(address)
  if (error instanceof ServerChangedError) return serverChanged(url)
  if (error instanceof PasswordMissingError) return passwordMissing(url, error)
  if (error instanceof ConnectionLostError) return explainLost(url, error)
  if (error instanceof StatementError) return explainRefused(url, address, words, error)
  return error
}

function passwordMissing(url: string, { ignoredFile }: PasswordMissingError): UserError {
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

function explainLost(url: string, cause: ConnectionLostError): UserError {
  const { code } = cause
  if (code === '53300') {
    return new UserError('CHECKPOINT_CONNECTIONS_EXHAUSTED', `${url} takes no more connections`, {
      hint: 'a process takes up to five: run fewer, raise max_connections, or put pgbouncer between',
      cause,
    })
  }
  if (code === 'SASL') return loginRefused(url, cause)
  if (code !== null && tlsCodes.test(code)) {
    const what = code === 'TLS_REFUSED' ? 'speaks no TLS' : `does not prove who it is (${code})`
    return new UserError('CHECKPOINT_TLS_FAILED', `${url} ${what}`, {
      hint: 'name the host as its certificate does, and add ?sslrootcert=FILE where its authority is your own',
      cause,
    })
  }
  return new UserError('CHECKPOINT_UNREACHABLE', `${url} cannot be reached: ${reachText(code)}`, {
    hint: 'check host, port and firewall, and that the server runs; the same command resumes',
    cause,
  })
}

function reachText(code: string | null): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the name of the host leads nowhere'
  if (code === 'ENOENT') return 'there is no socket in that folder'
  if (code === '57P03') return 'the server is starting or shutting down'
  return code === null ? 'it does not answer' : code
}

const loginRefused = (url: string, cause: Error) =>
  new UserError('CHECKPOINT_LOGIN_REFUSED', `${url} refuses the user or the password`, {
    hint: 'check the user in the URL, PGPASSWORD or ~/.pgpass, and pg_hba.conf of the server',
    cause,
  })

function explainRefused(
  url: string,
  { database }: PostgresAddress,
  words: OwnWords,
  cause: StatementError,
): unknown {
  const { sqlState } = cause
  switch (sqlState) {
    case '28P01':
    case '28000':
      return loginRefused(url, cause)
    case '3D000':
      return new UserError('CHECKPOINT_DATABASE_MISSING', `${url}: there is no database ${database}`, {
        hint: `createdb ${database}, or name another one`,
        cause,
      })
    case '42501':
      return grantsMissing(url, words, cause.message, cause)
    case '25006':
      return standby(url)
    case '3F000':
    case '42P01':
    case '42703':
      return words.foreign(url, cause.message, cause)
    default:
      if (sqlState.startsWith('53')) {
        return new UserError('CHECKPOINT_SERVER_FULL', `${url} has no room left: ${cause.message}`, {
          hint: 'make room on the disk of the server; what was acknowledged is safe, and the same command resumes',
          cause,
        })
      }
      return cause
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
