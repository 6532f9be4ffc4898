import type { Postgres, PostgresStatements } from './postgres/postgres.js'
import type { Sqlite } from './sqlite.js'

/**
 * Statements with the rules between them, for SQLite and PostgreSQL alike: SQLite runs them without waiting.
 *
 *     function* countRuns(accountNumber: number): SqlProgram<number> {
 *       const [row] = yield* query<{ count: number }>('SELECT count(*) AS count FROM enrich.runs WHERE …', accountNumber)
 *       return row?.count ?? 0
 *     }
 *     const count = await inTransaction(database, () => countRuns(1))
 */
export type SqlProgram<Result> = Generator<SqlStatement, Result, readonly object[]>

type SqlValue = string | number | boolean | null | Uint8Array

/**
 * SQL that both databases accept, with parameters `$1`, …; SQLite ignores the schema of tables. Two texts where they
 * differ; `null` if SQLite needs none, because its file has one writer.
 */
export type SqlText = string | { readonly sqlite: string | null; readonly postgres: string }

interface SqlStatement {
  readonly text: SqlText
  readonly values: readonly SqlValue[]
}

/** Returns the rows of a statement. SQLite returns booleans as 0 and 1. */
export function* query<Row extends object>(text: SqlText, ...values: readonly SqlValue[]): SqlProgram<Row[]> {
  return (yield { text, values }) as Row[]
}

/** Runs the statements one by one. Throws the errors of the database. */
export function runProgram<Result>(database: Sqlite, program: SqlProgram<Result>): Result
export function runProgram<Result>(database: PostgresStatements, program: SqlProgram<Result>): Promise<Result>
export function runProgram<Result>(
  database: Sqlite | PostgresStatements,
  program: SqlProgram<Result>,
): Awaitable<Result>
export function runProgram<Result>(
  database: Sqlite | PostgresStatements,
  program: SqlProgram<Result>,
): Awaitable<Result> {
  return isSqlite(database) ? runOnSqlite(database, program) : runOnServer(database, program)
}

/** Runs the statements in one transaction, which a thrown error rolls back; on SQLite, as the only writer. */
export function inTransaction<Result>(database: Sqlite, start: () => SqlProgram<Result>): Result
export function inTransaction<Result>(
  database: Sqlite | Postgres,
  start: () => SqlProgram<Result>,
): Awaitable<Result>
export function inTransaction<Result>(
  database: Sqlite | Postgres,
  start: () => SqlProgram<Result>,
): Awaitable<Result> {
  if (isSqlite(database)) return database.transaction(() => runOnSqlite(database, start())).immediate()
  return database.transaction((statements) => runOnServer(statements, start()))
}

const isSqlite = (database: Sqlite | PostgresStatements): database is Sqlite => 'prepare' in database

function runOnSqlite<Result>(database: Sqlite, program: SqlProgram<Result>): Result {
  let step = program.next([])
  while (step.done !== true) step = program.next(execute(database, step.value))
  return step.value
}

async function runOnServer<Result>(
  statements: PostgresStatements,
  program: SqlProgram<Result>,
): Promise<Result> {
  let step = program.next([])
  while (step.done !== true) {
    const { text, values } = step.value
    step = program.next(await statements.query(typeof text === 'string' ? text : text.postgres, values))
  }
  return step.value
}

/** Prepared statements by their text. */
const preparedOf = new WeakMap<Sqlite, Map<string, ReturnType<Sqlite['prepare']>>>()

function execute(database: Sqlite, { text, values }: SqlStatement): readonly object[] {
  const own = typeof text === 'string' ? text : text.sqlite
  if (own === null) return []
  const prepared = preparedOf.get(database) ?? new Map<string, ReturnType<Sqlite['prepare']>>()
  preparedOf.set(database, prepared)
  const statement = prepared.get(own) ?? database.prepare(own.replaceAll(/\benrich(?:_service)?\./g, ''))
  prepared.set(own, statement)
  const named = Object.fromEntries(
    values.map((value, index) => [index + 1, typeof value === 'boolean' ? Number(value) : value]),
  )
  if (statement.reader) return statement.all(named) as object[]
  statement.run(named)
  return []
}

export type Awaitable<Value> = Value | Promise<Value>

/** The methods of `Store`, which may return promises: the store may be on another machine. */
export type Deferrable<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Awaitable<Awaited<Result>>
    : Store[Name]
}

/** Calls `next` with the value: immediately if it is not a promise, else when the promise resolves. */
export const applyWhenReady = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))
