import { setTimeout as sleep } from 'node:timers/promises'
import { UserError, type ErrorCode } from '../../core/errors.js'
import { formatPostgresUrl, parsePostgresUrl, type PostgresAddress } from '../../core/server-addresses.js'
import { explainFailure } from '../../platform/postgres/connect.js'
import { ConnectionLostError, StatementError } from '../../platform/postgres/postgres.js'
import { openSession, type PostgresSession } from '../../platform/postgres/session.js'
import type { ConnectorOptions } from '../connector.js'
import { explainDiskFull } from './local-parquet.js'

/** A database as an input or an output. */
export interface PostgresAccess {
  readonly address: PostgresAddress
  readonly use: 'input' | 'output'
  readonly options: ConnectorOptions
}

/** Parses the address without its table. Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET. */
export function parseDatabase(database: string, use: 'input' | 'output'): PostgresAddress {
  try {
    return parsePostgresUrl(database, `the ${use}`)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const code = error.code === 'CHECKPOINT_URL_HAS_PASSWORD' ? 'ADDRESS_HAS_SECRET' : 'ADDRESS_INVALID'
    throw new UserError(code, error.message, { hint: error.hint, cause: error })
  }
}

/** The connection broke while the server committed. */
class CommitUnknownError extends Error {
  constructor(
    readonly transactionId: string,
    override readonly cause: unknown,
  ) {
    super('the outcome of a commit is unknown')
  }
}

/** Delays between attempts. */
const retryDelaysMs = [250, 1_000, 4_000] as const

/**
 * Connects and runs `work`; repeats both if the connection fails, since the server rolls back what was not committed.
 * Throws STORE_UNREACHABLE, CREDENTIALS_MISSING, ACCESS_DENIED and the errors of `explainStatement`.
 */
export async function withSession<Result>(
  access: PostgresAccess,
  work: (session: PostgresSession) => Promise<Result>,
  explainStatement: (error: StatementError) => UserError,
): Promise<Result> {
  const { address, options } = access
  const { environment, signal } = options
  for (let attempt = 0; ; attempt++) {
    try {
      signal?.throwIfAborted()
      const session = await openSession(address, environment, signal)
      try {
        return await work(session)
      } finally {
        await session.close()
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof CommitUnknownError) {
        if (await hasCommitted(access, error)) return undefined as Result
      } else if (!isPassing(access, error)) throw explainError(access, error, explainStatement)
      const delayMs = retryDelaysMs[attempt]
      if (delayMs === undefined)
        throw explainError(
          access,
          error instanceof CommitUnknownError ? error.cause : error,
          explainStatement,
        )
      await sleep(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
  }
}

/** Errors of files have codes too, like those of connections. */
function explain({ address }: PostgresAccess, thrown: unknown): unknown {
  // The disk of the server can be full too, and its error says so in the same words.
  const isOfServer = thrown instanceof Error && 'severity' in thrown
  const error = isOfServer ? thrown : explainDiskFull(thrown)
  if (error instanceof UserError) return error
  const foreign = (_url: string, what: string, cause?: Error) =>
    new UserError('OUTPUT_UNWRITABLE', what, { cause })
  return explainFailure({ address, words: { grantsHint: '', foreign } }, error)
}

/** Whether another attempt may succeed: the connection failed, or another session won, for example to create a table. */
function isPassing(access: PostgresAccess, error: unknown): boolean {
  const explained = explain(access, error)
  if (explained instanceof StatementError) {
    const isInCatalog = explained.sqlState === '23505' && /"pg_\w+_index"/.test(getServerMessage(explained))
    return isInCatalog || ['40001', '40P01', '42P07'].includes(explained.sqlState)
  }
  if (!(explained instanceof ConnectionLostError)) return false
  const { systemCode } = explained
  return systemCode === '53300' || explained.code === 'CHECKPOINT_UNREACHABLE'
}

function explainError(
  access: PostgresAccess,
  error: unknown,
  explainStatement: (error: StatementError) => UserError,
): unknown {
  const explained = explain(access, error)
  const url = formatPostgresUrl(access.address)
  if (explained instanceof StatementError) {
    const text = getServerMessage(explained)
    const create = (code: ErrorCode, message: string, hint?: string) =>
      new UserError(code, `${url}: ${message}`, { hint, cause: error })
    const { sqlState } = explained
    if (sqlState.startsWith('28'))
      return create('ACCESS_DENIED', 'the server refuses the user or the password', explained.hint)
    if (sqlState === '42501') return create('ACCESS_DENIED', text, `grant the missing right to the user`)
    if (sqlState === '3D000') {
      const code = access.use === 'input' ? 'INPUT_NOT_FOUND' : 'OUTPUT_UNWRITABLE'
      return create(code, `there is no database ${access.address.database}`)
    }
    return explainStatement(explained)
  }
  if (explained instanceof ConnectionLostError) {
    const code = explained.systemCode === 'SASL' ? 'ACCESS_DENIED' : 'STORE_UNREACHABLE'
    return new UserError(code, explained.message, { hint: explained.hint, cause: error })
  }
  if (!(explained instanceof UserError) || !explained.code.startsWith('CHECKPOINT_')) return explained
  // The other one: a certificate file cannot be read.
  const code = explained.code === 'CHECKPOINT_PASSWORD_MISSING' ? 'CREDENTIALS_MISSING' : 'STORE_UNREACHABLE'
  return new UserError(code, explained.message, { hint: explained.hint, cause: error })
}

/** Returns the server's own text of an error. */
export function getServerMessage({ cause }: StatementError): string {
  return cause instanceof Error ? cause.message : ''
}

/** Details of an error that the driver adds to it. */
export function getServerDetails({ cause }: StatementError): {
  readonly where: string
  readonly detail: string
} {
  const { where = '', detail = '' } = cause as { where?: string; detail?: string }
  return { where, detail }
}

/** Commits. An unknown outcome is found out by `withSession`, which returns `undefined` if it took effect. */
export async function commit(session: PostgresSession): Promise<void> {
  const [row] = await session.query('SELECT pg_catalog.pg_current_xact_id()::text AS id')
  try {
    await session.query('COMMIT')
  } catch (error) {
    const isRefused =
      error instanceof Error &&
      'severity' in error &&
      !/^(08|57)/.test(String((error as { code?: string }).code))
    if (isRefused) throw error
    throw new CommitUnknownError(row?.id ?? '', error)
  }
}

/** Attempts to learn the outcome of a commit, while the server may still end the broken session. */
const outcomeAttemptsMax = 60

/** Finds out on a new connection whether a transaction was committed. */
async function hasCommitted(
  access: PostgresAccess,
  { transactionId, cause }: CommitUnknownError,
): Promise<boolean> {
  const { address, options } = access
  let failure: unknown = cause
  for (let attempt = 0; attempt < outcomeAttemptsMax; attempt++) {
    options.signal?.throwIfAborted()
    try {
      const session = await openSession(address, options.environment, options.signal)
      try {
        const [row] = await session.query('SELECT pg_catalog.pg_xact_status($1::xid8) AS status', [
          transactionId,
        ])
        if (row?.status !== 'in progress') return row?.status === 'committed'
      } finally {
        await session.close()
      }
    } catch (error) {
      if (!isPassing(access, error)) throw error
      failure = error
    }
    await sleep(500)
  }
  throw explainError(access, failure, (error) => new UserError('STORE_UNREACHABLE', getServerMessage(error)))
}
