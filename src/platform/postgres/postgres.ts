import { UserError, type ErrorCode } from '../../core/errors.js'

/** A row as the driver gives it: `int8` as a number, `numeric` as a text, `bytea` as a Buffer. */
type PostgresRow = Readonly<Record<string, unknown>>

/**
 * What statements are sent by: unnamed and with parameters, so that pgbouncer may stand between, in transaction mode
 * too. Nothing of a session outlives a transaction: no SET, no temporary table, no advisory lock of a session.
 */
export interface PostgresStatements {
  readonly query: <Row extends object = PostgresRow>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<Row[]>
}

/**
 * A database on a server that other processes use too. A statement, or a transaction, whose end is unknown because the
 * connection broke throws ConnectionLostError: the caller looks what became of it, on another connection, before it
 * does anything else. What the server refuses throws StatementError.
 */
export interface Postgres extends PostgresStatements {
  /** READ COMMITTED: a statement sees what was committed before it began. Rolled back where `work` throws. */
  transaction<Result>(work: (statements: PostgresStatements) => Promise<Result>): Promise<Result>
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** Code, sentence and hint of an error, in a user's words. */
export interface PostgresExplanation {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
}

/** What a server did not do, in a user's words: it needs no further explanation wherever it ends up. */
export class PostgresError extends UserError {
  constructor({ code, message, hint }: PostgresExplanation, cause: unknown) {
    super(code, message, { ...(hint === undefined ? {} : { hint }), cause })
  }
}

/** The server could not be reached, or went away: whether the last statement took effect is not known. */
export class ConnectionLostError extends PostgresError {
  constructor(
    explanation: PostgresExplanation,
    /** False where it is certain that nothing was changed: it was never sent, or rolled back. */
    readonly mayHaveTakenEffect: boolean,
    /** Of the system (`ECONNREFUSED`), of TLS (`CERT_HAS_EXPIRED`), or SQLSTATE (`57P03`); null if unknown. */
    readonly systemCode: string | null,
    cause: unknown,
  ) {
    super(explanation, cause)
  }
}

/** The server refused a statement: nothing of it, or of its transaction, took effect. */
export class StatementError extends PostgresError {
  constructor(
    explanation: PostgresExplanation,
    /** SQLSTATE: five characters. */
    readonly sqlState: string,
    cause: unknown,
  ) {
    super(explanation, cause)
  }
}

/** The server, not the statement, is why: it is away, full, read-only, or failed. */
export const isServerTrouble = (error: unknown): error is PostgresError =>
  error instanceof ConnectionLostError ||
  (error instanceof StatementError && !statementCodes.includes(error.code))

/** Lost to another transaction, which is retried; or wrong. */
const statementCodes: readonly ErrorCode[] = ['CHECKPOINT_SERVER_BUSY', 'CHECKPOINT_STATEMENT_REFUSED']

export const sqlStateOf = (error: unknown): string | null =>
  error instanceof StatementError ? error.sqlState : null
