import { UserError } from '../../core/errors.js'
import { explainNetworkCode } from '../../core/http-exchange.js'
import { formatPostgresUrl, type PostgresAddress } from '../../core/server-addresses.js'
import type { PasswordMissingError, PostgresExplanation } from './postgres.js'
import { describeRefusal, type ServerError } from './refusals.js'

/** Error codes of Node.js for TLS and certificates. */
const tlsCodes =
  /^(TLS_REFUSED|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH)/

/** The server was replaced or restored since this process started. */
export class ServerChangedError extends Error {
  override readonly name = 'ServerChangedError'
}

/** Texts for errors about our tables in a database. */
export interface DatabaseTexts {
  /** Tells how to create the tables, or where the grants are listed. */
  readonly grantsHint: string
  /** Tables with our names exist, with another meaning. */
  readonly foreign: (url: string, what: string, cause?: Error) => UserError
}

/** A database and the texts for its errors. */
export interface DatabasePlace {
  readonly address: PostgresAddress
  readonly words: DatabaseTexts
}

/** For our own errors about the server; all others are explained at their origin. */
export const explainServerChange = (url: string, error: unknown): unknown =>
  error instanceof ServerChangedError ? createServerChangedError(url) : error

export function explainPassword(
  { address }: DatabasePlace,
  { ignoredFile }: PasswordMissingError,
): UserError {
  const url = formatPostgresUrl(address)
  const hint =
    ignoredFile === null
      ? 'set PGPASSWORD, or add a line to ~/.pgpass: host:port:database:user:password'
      : ignoredFile.reason === 'unreadable'
        ? `PGPASSFILE is set to ${ignoredFile.path}, which cannot be read`
        : `${ignoredFile.path} is ignored because other users may read it: run chmod 600`
  return new UserError('CHECKPOINT_PASSWORD_MISSING', `${url} requires a password, and none was found`, {
    hint,
  })
}

/** Explains why a connection was lost or failed, from a system code or an SQLSTATE; `null` if unknown. */
export function explainLost({ address }: DatabasePlace, code: string | null): PostgresExplanation {
  const url = formatPostgresUrl(address)
  if (code === '53300') {
    return {
      code: 'CHECKPOINT_CONNECTIONS_EXHAUSTED',
      message: `${url} accepts no more connections`,
      hint: 'each process uses up to five connections: run fewer processes, raise max_connections, or use pgbouncer',
    }
  }
  if (code === 'SASL') return explainLoginRefused(url)
  if (code === '57014') return explainBusy(url, describeRefusal({ code, message: '' }).what)
  if (code !== null && tlsCodes.test(code)) {
    const what = code === 'TLS_REFUSED' ? 'it does not support TLS' : explainNetworkCode(code).reason
    return {
      code: 'CHECKPOINT_TLS_FAILED',
      message: `${url} cannot be used: ${what}`,
      hint: 'use the host name of the certificate; for a private certificate authority, add ?sslrootcert=FILE',
    }
  }
  return {
    code: 'CHECKPOINT_UNREACHABLE',
    message: `${url} cannot be reached: ${describeReachError(code)}`,
    hint: 'check host, port and firewall, and that the server runs; then run the same command again to resume',
  }
}

function describeReachError(code: string | null): string {
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved'
  if (code === 'ENOENT') return 'that folder contains no socket'
  if (code === '57P03') return 'the server is starting or shutting down'
  if (code === '25P03' || code === '57P05') return 'the server ended the session, which was idle for too long'
  if (code !== null && /^57P/.test(code)) return 'the server ended the connection'
  if (code !== null && /^08/.test(code)) return 'the connection broke'
  return code === null ? 'no response' : explainNetworkCode(code).reason
}

const explainLoginRefused = (url: string): PostgresExplanation => ({
  code: 'CHECKPOINT_LOGIN_REFUSED',
  message: `${url} refuses the user or the password`,
  hint: 'check the user in the URL, PGPASSWORD or ~/.pgpass, and pg_hba.conf of the server',
})

const resumes = 'all confirmed work is saved; run the same command again to resume'

const explainBusy = (url: string, what: string): PostgresExplanation => ({
  code: 'CHECKPOINT_SERVER_BUSY',
  message: `${url}: ${what}`,
  hint: `look for sessions that hold locks (pg_stat_activity); ${resumes}`,
})

const explainReadOnly = (url: string): PostgresExplanation => ({
  code: 'CHECKPOINT_SERVER_READ_ONLY',
  message: `${url} does not accept writes`,
  hint: `connect to the primary, or end the read-only mode of the server; ${resumes}`,
})

/** Explains why the server refused a statement. */
export function explainRefused({ address, words }: DatabasePlace, error: ServerError): PostgresExplanation {
  const url = formatPostgresUrl(address)
  const { code: sqlState } = error
  const { what } = describeRefusal(error)
  switch (sqlState) {
    // The last two: BEGIN READ WRITE and reading the write-ahead log position, on a server in recovery.
    case '25006':
    case '0A000':
    case '55000':
      return explainReadOnly(url)
    case '40001':
    case '40P01':
    case '55P03':
      return explainBusy(url, what)
    case '3D000':
    case '57P04':
      return {
        code: 'CHECKPOINT_DATABASE_MISSING',
        message: `${url}: there is no database ${address.database}`,
        hint: `run createdb ${address.database}, or use another database`,
      }
    case '42501': {
      const { code, message: text, hint } = createGrantsMissingError(url, words, what)
      return { code, message: text, hint }
    }
    case '3F000':
    case '42P01':
    case '42703': {
      const { code, message: text, hint } = words.foreign(url, what)
      return { code, message: text, hint }
    }
    default:
      return explainClass(url, sqlState, what)
  }
}

/** Explains an SQLSTATE by its class, the first two characters. */
function explainClass(url: string, sqlState: string, what: string): PostgresExplanation {
  switch (sqlState.slice(0, 2)) {
    case '28':
      return explainLoginRefused(url)
    case '53':
      return {
        code: 'CHECKPOINT_SERVER_FULL',
        message: `${url}: ${what}`,
        hint: `free disk space or memory on the server; ${resumes}`,
      }
    case '21':
    case '22':
    case '23':
    case '26':
    case '42':
      return {
        code: 'CHECKPOINT_STATEMENT_REFUSED',
        message: `${url} refuses a statement of enrich (SQLSTATE ${sqlState}): ${what}`,
        hint: `this is a bug in enrich, unless the tables were changed by other means; ${resumes}`,
      }
    default:
      return {
        code: 'CHECKPOINT_SERVER_FAILED',
        message: `${url} failed (SQLSTATE ${sqlState}): ${what}`,
        hint: `see the server log; ${resumes}`,
      }
  }
}

export const createGrantsMissingError = (
  url: string,
  { grantsHint: hint }: DatabaseTexts,
  what: string,
  cause?: Error,
): UserError => new UserError('CHECKPOINT_GRANTS_MISSING', `${url}: ${what}`, { hint, cause })

export const createStandbyError = (url: string): UserError =>
  new UserError('CHECKPOINT_SERVER_STANDBY', `${url} is a standby and does not accept writes`, {
    hint: 'connect to the primary, or use a host name that follows it',
  })

export const createServerChangedError = (url: string): UserError =>
  new UserError('CHECKPOINT_SERVER_CHANGED', `the server of ${url} was replaced or restored`, {
    hint: 'its missing submissions may be billed again: see docs/manual/several-machines.md on failover, then pass --accept-rollback once',
  })
