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

/** The server could not be reached, or went away: whether the last statement took effect is not known. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'

  constructor(
    message: string,
    /** False where it is certain that nothing was changed: it was never sent, or rolled back. */
    readonly mayHaveTakenEffect: boolean,
    /** Of the system (`ECONNREFUSED`), of TLS (`CERT_HAS_EXPIRED`), or SQLSTATE (`57P03`); null: none is known. */
    readonly code: string | null = null,
  ) {
    super(message)
  }
}

/** The server refused a statement: nothing of it, or of its transaction, took effect. */
export class StatementError extends Error {
  override readonly name = 'StatementError'

  constructor(
    message: string,
    /** SQLSTATE: five characters. */
    readonly sqlState: string,
  ) {
    super(message)
  }
}

export const sqlStateOf = (error: unknown): string | null =>
  error instanceof StatementError ? error.sqlState : null
