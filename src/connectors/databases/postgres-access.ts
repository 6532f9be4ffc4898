import { setTimeout as sleep } from 'node:timers/promises'
import { UserError, type ErrorCode } from '../../core/errors.js'
import {
  formatPostgresUrl,
  isThisMachine,
  parsePostgresUrl,
  type PostgresAddress,
} from '../../core/server-addresses.js'
import { explainFailure } from '../../platform/postgres/connect.js'
import { ConnectionLostError, StatementError } from '../../platform/postgres/postgres.js'
import { describeRefusal } from '../../platform/postgres/refusals.js'
import { openSession, type PostgresSession } from '../../platform/postgres/session.js'
import type { TableName, ConnectorOptions, Place } from '../connector.js'
import { explainDiskFull } from './local-parquet.js'
import type { FoundTable } from './postgres-plan.js'

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
    const { sqlState, cause } = explained
    const isInCatalog = sqlState === '23505' && /^pg_\w+_index$/.test(cause.constraint ?? '')
    return isInCatalog || ['40001', '40P01', '42P07'].includes(sqlState)
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
    const { what, remedy } = describeRefusal(explained.cause)
    const create = (code: ErrorCode, message: string, hint?: string) =>
      new UserError(code, `${url}: ${message}`, { hint, cause: error })
    const { sqlState } = explained
    if (sqlState.startsWith('28')) return create('ACCESS_DENIED', what, explained.hint)
    if (sqlState === '42501') return create('ACCESS_DENIED', what, remedy ?? undefined)
    if (sqlState === '3D000') {
      const code = access.use === 'input' ? 'INPUT_NOT_FOUND' : 'OUTPUT_UNWRITABLE'
      return create(code, `there is no database ${access.address.database}`, remedy ?? undefined)
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
  throw explainError(
    access,
    failure,
    ({ cause }) => new UserError('STORE_UNREACHABLE', describeRefusal(cause).what, { cause }),
  )
}

/**
 * Selects relations with the relations that they read: a given one, which is `$1`, or those that the transaction has
 * locked, so everything that its statements read, also through views and functions. Given ones come with their
 * partitions. A foreign table has the address of its original.
 */
const selectRelations = `WITH RECURSIVE original AS (
    SELECT t.ftrelid AS oid, coalesce(o.list->>'schema_name', n.nspname) AS schema,
      coalesce(o.list->>'table_name', c.relname) AS name, coalesce(o.list->>'dbname', current_database()) AS database,
      coalesce(o.list->>'hostaddr', o.list->>'host') AS host, coalesce(o.list->>'port', '5432') AS port
    FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_class c ON c.oid = t.ftrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver
      JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw JOIN pg_catalog.pg_proc p ON p.oid = w.fdwhandler
      CROSS JOIN LATERAL (SELECT pg_catalog.jsonb_object_agg(option_name, option_value) AS list
        FROM pg_catalog.pg_options_to_table(coalesce(s.srvoptions, '{}') || coalesce(t.ftoptions, '{}'))) o
    WHERE p.proname = 'postgres_fdw_handler'
  ), placed AS (
    SELECT *, port = pg_catalog.current_setting('port') AND (host IS NULL OR host LIKE '/%'
      OR host IN ('localhost', '127.0.0.1', '::1', pg_catalog.host(pg_catalog.inet_server_addr())) OR host = $2) AS is_here
    FROM original
  ), used(oid, is_whole) AS (
    SELECT $1::oid, true WHERE $1::oid IS NOT NULL
    UNION SELECT l.relation, false FROM pg_catalog.pg_locks l WHERE $1::oid IS NULL AND l.locktype = 'relation'
      AND l.pid = pg_catalog.pg_backend_pid()
      AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
    UNION SELECT next.oid, true FROM used CROSS JOIN LATERAL (
      SELECT d.refobjid AS oid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend d ON d.objid = w.oid
      WHERE w.ev_class = used.oid AND w.ev_type = '1' AND d.classid = 'pg_catalog.pg_rewrite'::regclass
        AND d.refclassid = 'pg_catalog.pg_class'::regclass
      UNION ALL SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE used.is_whole AND i.inhparent = used.oid
      UNION ALL SELECT pg_catalog.to_regclass(pg_catalog.format('%I.%I', f.schema, f.name))::oid FROM placed f
      WHERE f.oid = used.oid AND f.is_here AND f.database = current_database()
    ) next WHERE next.oid IS NOT NULL
  )
  SELECT DISTINCT c.oid::text AS oid, n.nspname AS schema, c.relname AS name, f.schema AS original_schema,
    f.name AS original_name, f.database, f.host, f.port, f.is_here
  FROM used JOIN pg_catalog.pg_class c ON c.oid = used.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN placed f ON f.oid = c.oid
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'pg_catalog'`

const selectServer = `SELECT pg_catalog.pg_is_in_recovery() AS replica, current_database() AS database,
    extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text AS started, current_schema() AS schema,
    (SELECT oid::text FROM pg_catalog.pg_database WHERE datname = current_database()) AS oid,
    pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') AS identified`

/** Returns the places that the statements of the open transaction have read. */
export const listReadPlaces = (
  session: PostgresSession,
  address: PostgresAddress,
): Promise<readonly Place[]> => listPostgresPlaces(session, address, null)

/**
 * Returns the places of a table, which `found` is unless it is missing, with its partitions. A server is known by its
 * start, since a copy of its files has the same identifier. Its replicas are known by the identifier: what is written
 * to the server replaces their rows too.
 */
export async function listPostgresPlaces(
  session: PostgresSession,
  address: PostgresAddress,
  written: { readonly found: FoundTable | null; readonly table: TableName } | null,
): Promise<readonly Place[]> {
  const host = toHostPlace(address.host, address.host)
  const [server = {}] = await session.query(selectServer)
  const servers = [`start ${server.started ?? ''}`]
  if (server.identified === 't' && (written !== null || server.replica === 't')) {
    const [row] = await session.query(
      'SELECT system_identifier::text AS id FROM pg_catalog.pg_control_system()',
    )
    servers.push(`replicas of ${row?.id ?? ''}`)
  }
  const place = (...parts: readonly unknown[]): Place => `postgres ${JSON.stringify(parts)}`
  const nameTable = ({ schema, name }: TableName, database = server.database) =>
    servers.map((id) => place(id, database, schema, name))
  const places: Place[] =
    written !== null && written.found === null
      ? nameTable({ schema: written.table.schema ?? server.schema ?? null, name: written.table.name })
      : []
  const isMissing = written !== null && written.found === null
  const relations = isMissing
    ? []
    : await session.query(selectRelations, [written?.found?.oid ?? null, address.host])
  for (const { oid, schema, name, is_here: isHere, ...original } of relations) {
    places.push(...servers.map((id) => place(id, server.oid, oid)))
    places.push(...nameTable({ schema: schema ?? null, name: name ?? '' }))
    if (written !== null) places.push(place(host, address.port, address.database, schema, name))
    const {
      original_schema: originalSchema = null,
      original_name: originalName = null,
      database,
      port,
    } = original
    if (originalName === null) continue
    if (isHere === 't') places.push(...nameTable({ schema: originalSchema, name: originalName }, database))
    const originalHost = toHostPlace(original.host ?? '', address.host)
    places.push(place(originalHost, Number(port), database, originalSchema, originalName))
  }
  return places
}

/** Returns a host as another one sees it; all names of a machine for itself are one. */
function toHostPlace(host: string, seenBy: string): string {
  const own = host === '' || isThisMachine(host) ? seenBy : host
  return isThisMachine(own) ? 'localhost' : own.toLowerCase()
}
