import { UserError, type ErrorCode } from '../../core/errors.js'
import type { ServerError } from './refusals.js'
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { PostgresAddress } from '../../core/server-addresses.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The server requires a password, and none was found. */
export class PasswordMissingError extends Error {
  override readonly name = 'PasswordMissingError'

  constructor(
    /** The password file that was ignored, with the reason. */
    readonly ignoredFile: {
      readonly path: string
      readonly reason: 'readable_by_others' | 'unreadable'
    } | null,
  ) {
    super('the server requires a password')
  }
}

/**
 * Returns PGPASSWORD, or the first matching line of PGPASSFILE (`~/.pgpass`): `host:port:database:user:password`, each
 * of the first four may be `*`. Ignores a file that others may read. Throws PasswordMissingError.
 */
export function findPassword(address: PostgresAddress, user: string, environment: Environment): string {
  const { PGPASSWORD: own, PGPASSFILE: named, HOME: home } = environment
  if (own) return own
  const path = named || join(home || homedir(), '.pgpass')
  const lines = readPrivate(path, Boolean(named))
  const asked = [
    address.host.startsWith('/') ? 'localhost' : address.host,
    String(address.port),
    address.database,
    user,
  ]
  for (const line of lines) {
    const fields = parseFields(line)
    const password = fields[4]
    if (password && asked.every((value, index) => fields[index] === '*' || fields[index] === value)) {
      return password
    }
  }
  throw new PasswordMissingError(null)
}

function readPrivate(path: string, isNamed: boolean): string[] {
  try {
    const found = statSync(path)
    // Windows has no such mode bits.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new PasswordMissingError({ path, reason: 'readable_by_others' })
    }
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch (error) {
    if (error instanceof PasswordMissingError) throw error
    if (isNamed) throw new PasswordMissingError({ path, reason: 'unreadable' })
    return []
  }
}

/** `\:` and `\\` are escapes; the password is the rest of the line. */
function parseFields(line: string): string[] {
  if (line.startsWith('#')) return []
  const fields: string[] = []
  let field = ''
  for (const [, escaped, other = ''] of line.matchAll(/\\([:\\])|([^])/g)) {
    if (other === ':' && fields.length < 4) {
      fields.push(field)
      field = ''
    } else field += escaped ?? other
  }
  return [...fields, field]
}

/** A row from the driver: `int8` as a number, `numeric` as a string, `bytea` as a Buffer. */
type PostgresRow = Readonly<Record<string, unknown>>

/**
 * Executes statements, unnamed and with parameters, so that pgbouncer works, also in transaction mode. No session state
 * outlives a transaction: no SET, temporary tables or session-level advisory locks.
 */
export interface PostgresStatements {
  readonly query: <Row extends object = PostgresRow>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<Row[]>
}

/**
 * A database on a shared server. A statement or transaction with an unknown outcome, because the connection broke,
 * throws ConnectionLostError: the caller must find out the outcome on another connection. Statements that the server
 * refuses throw StatementError.
 */
export interface Postgres extends PostgresStatements {
  /** READ COMMITTED: a statement sees what was committed before it started. Rolls back if `work` throws. */
  transaction<Result>(work: (statements: PostgresStatements) => Promise<Result>): Promise<Result>
  /** Waits for work in progress. */
  close(): Promise<void>
}

export interface PostgresExplanation {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
}

/** A server error, explained for users: needs no further translation. */
export class PostgresError extends UserError {
  constructor({ code, message, hint }: PostgresExplanation, cause: unknown) {
    super(code, message, { ...(hint === undefined ? {} : { hint }), cause })
  }
}

/** The server was unreachable or the connection broke: it is unknown whether the last statement took effect. */
export class ConnectionLostError extends PostgresError {
  constructor(
    explanation: PostgresExplanation,
    /** False if certainly nothing was changed: it was never sent, or was rolled back. */
    readonly mayHaveTakenEffect: boolean,
    /** System code (`ECONNREFUSED`), TLS code (`CERT_HAS_EXPIRED`) or SQLSTATE (`57P03`); `null` if unknown. */
    readonly systemCode: string | null,
    cause: unknown,
  ) {
    super(explanation, cause)
  }
}

/** The server refused a statement, which had no effect, nor had its transaction. */
export class StatementError extends PostgresError {
  constructor(
    explanation: PostgresExplanation,
    override readonly cause: ServerError,
  ) {
    super(explanation, cause)
  }

  /** SQLSTATE: five characters. */
  get sqlState(): string {
    return this.cause.code
  }
}

/** Whether the server caused the error, not the statement: it is unavailable, full, read-only, or failed. */
export const isServerTrouble = (error: unknown): error is PostgresError =>
  error instanceof ConnectionLostError ||
  (error instanceof StatementError && !statementCodes.includes(error.code))

/** A conflict with another transaction, which is retried, or a wrong statement. */
const statementCodes: readonly ErrorCode[] = ['CHECKPOINT_SERVER_BUSY', 'CHECKPOINT_STATEMENT_REFUSED']

export const getSqlState = (error: unknown): string | null =>
  error instanceof StatementError ? error.sqlState : null

/** PostgreSQL text cannot contain NUL. Normalized names have none, but a location might. */
export const replaceNuls = <Text extends string | null>(text: Text): Text | string =>
  text?.replaceAll('\0', ' ') ?? text

/**
 * Joins byte strings for one parameter: an array of them would be sent as text. `starts` counts bytes from 1, as
 * `substring` does.
 */
export function joinBytes(parts: readonly Uint8Array[]): { starts: number[]; bytes: Buffer } {
  let end = 0
  const starts = parts.map(({ length }) => {
    const start = end + 1
    end += length
    return start
  })
  return { starts, bytes: Buffer.concat(parts) }
}
