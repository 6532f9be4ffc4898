import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'
import type pg from 'pg'
import { UserError } from '../../core/errors.js'
import type { PostgresAddress, PostgresTls } from '../../core/server-addresses.js'
import {
  type DatabasePlace,
  type DatabaseTexts,
  explainLost,
  explainPassword,
  explainRefused,
} from './explain.js'
import {
  findPassword,
  PasswordMissingError,
  ConnectionLostError,
  type Postgres,
  type PostgresStatements,
  StatementError,
} from './postgres.js'
import type { ServerError } from './refusals.js'

export interface ConnectOptions {
  /** Maximum number of connections; further work waits. */
  readonly connectionsMax?: number
  readonly connectTimeoutMs?: number
  /** Slower statements are aborted together with their connection. */
  readonly statementTimeoutMs?: number
  /** Source of passwords; optional, defaults to `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Texts for errors about tables. */
  readonly words?: DatabaseTexts
}

const plainWords: DatabaseTexts = {
  grantsHint: 'as the owner of the tables, grant the missing privileges',
  foreign: (url, what, cause) =>
    new UserError('CHECKPOINT_DATABASE_FOREIGN', `${url} contains other tables: ${what}`, { cause }),
}

type Driver = typeof pg

let loaded: Driver | null = null

/** Loads the driver with the first connection. */
export function loadDriver(): Driver {
  return (loaded ??= createRequire(import.meta.url)('pg') as Driver)
}

/**
 * Connects at the first statement; replaces broken connections at the next one. Statements throw ConnectionLostError,
 * StatementError or PasswordMissingError if the connection fails. Throws CHECKPOINT_TLS_FAILED if a certificate file
 * cannot be read.
 */
export function connectPostgres(address: PostgresAddress, options: ConnectOptions = {}): Postgres {
  const { connectionsMax = 4, connectTimeoutMs = 10_000, statementTimeoutMs = 60_000 } = options
  const { environment = process.env, words = plainWords } = options
  const place: DatabasePlace = { address, words }
  const { Pool, types } = loadDriver()
  const int8: number = types.builtins.INT8
  const parserOf = types.getTypeParser as (oid: number, format: string) => unknown
  const getTypeParser = (oid: number, format: string) => (oid === int8 ? Number : parserOf(oid, format))
  const config: pg.PoolConfig = {
    ...buildClientConfig(address, environment),
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    // Client-side: pgbouncer refuses unknown startup settings.
    query_timeout: statementTimeoutMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    types: { getTypeParser: getTypeParser as typeof types.getTypeParser },
  }
  const pool = new Pool(config)
  // Without these, a connection that breaks while idle would end the process.
  const ignore = () => undefined
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  const turns = createTurns(connectionsMax)

  const withClient = async <Result>(work: (client: LeasedClient) => Promise<Result>): Promise<Result> => {
    await turns.take()
    try {
      const client = await pool.connect().catch((error: unknown) => {
        throw markWithoutEffect(explainFailure(place, error))
      })
      const lent: LeasedClient = { client, place, isBroken: false }
      try {
        return await work(lent)
      } finally {
        client.release(lent.isBroken)
      }
    } finally {
      turns.giveBack()
    }
  }
  // The server ends idle transactions, because a suspended process would block all others with its locks.
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${Math.min(statementTimeoutMs, idleInTransactionMsMax)}`

  return {
    query: (text, values) => withClient((lent) => fetchRows(lent, text, values)),
    transaction: (work) =>
      withClient(async (lent) => {
        // Until COMMIT is sent, the server rolls back an interrupted transaction.
        const result = await runStatements(lent, begin, (statements) => work(statements))
        await commit(lent)
        return result
      }),
    close: () => pool.end(),
  }
}

/** Returns the settings of a connection. Throws CHECKPOINT_TLS_FAILED if a certificate file cannot be read. */
export function buildClientConfig(
  address: PostgresAddress,
  environment: Readonly<Record<string, string | undefined>>,
): pg.ClientConfig {
  const user = address.user ?? (environment.PGUSER || userInfo().username)
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    user,
    // Called if the server requests a password; the driver does not search for one itself.
    password: () => findPassword(address, user, environment),
    ssl: address.tls === null ? false : buildTlsOptions(address.tls),
    application_name: 'enrich',
    client_encoding: 'UTF8',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}

const idleInTransactionMsMax = 10_000

interface LeasedClient {
  readonly client: pg.PoolClient
  readonly place: DatabasePlace
  /** Not reused: the state of its server process is unknown. */
  isBroken: boolean
}

async function send(lent: LeasedClient, text: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
  try {
    return await lent.client.query(text, values as unknown[] | undefined)
  } catch (error) {
    const refusal = explainFailure(lent.place, error)
    if (refusal instanceof ConnectionLostError) lent.isBroken = true
    throw refusal
  }
}

async function fetchRows(lent: LeasedClient, text: string, values?: readonly unknown[]): Promise<never[]> {
  const { rows } = await send(lent, text, values)
  return rows as never[]
}

async function runStatements<Result>(
  lent: LeasedClient,
  begin: string,
  work: (statements: PostgresStatements) => Promise<Result>,
): Promise<Result> {
  try {
    await send(lent, begin)
    return await work({
      query: (text, values) =>
        fetchRows(lent, text, values).catch((error: unknown) => {
          throw markWithoutEffect(error)
        }),
    })
  } catch (error) {
    if (!lent.isBroken) await send(lent, 'ROLLBACK').catch(() => undefined)
    throw markWithoutEffect(error)
  }
}

async function commit(lent: LeasedClient): Promise<void> {
  const { command } = await send(lent, 'COMMIT')
  // After a failed statement, the server rolls back without an error.
  if (command !== 'COMMIT') throw new Error('a statement failed, and its transaction continued')
}

function buildTlsOptions({ mode, rootPath, certificatePath, keyPath }: PostgresTls): ConnectionOptions {
  return {
    ...(rootPath !== null && { ca: readPem(rootPath) }),
    ...(certificatePath !== null && { cert: readPem(certificatePath) }),
    ...(keyPath !== null && { key: readPem(keyPath) }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new UserError('CHECKPOINT_TLS_FAILED', `cannot read ${path}`, {
      hint: 'set sslrootcert, sslcert and sslkey to PEM files on this machine',
      cause,
    })
  }
}

/** Limits concurrent work, in order of arrival. The pool's own queue would time out waiting work. */
function createTurns(countMax: number): { take: () => Promise<void>; giveBack: () => void } {
  const waiting: (() => void)[] = []
  let takenCount = 0
  return {
    take: () => {
      if (takenCount < countMax) {
        takenCount++
        return Promise.resolve()
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    giveBack: () => {
      const next = waiting.shift()
      if (next === undefined) takenCount--
      else next()
    },
  }
}

/** SQLSTATEs that end a connection, or prevent one for now. */
const lostStates = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300', '57014'])
const isLostState = (state: string) => lostStates.has(state) || state.startsWith('08')

/** Driver errors without a code: a broken connection, or a timeout. */
const lostTexts =
  /^(Connection terminated|timeout expired|timeout exceeded|Query read timeout|Client has encountered|Client was closed|Cannot use a pool)/

/** Translates a driver error for users; returns errors unrelated to the server or its connection unchanged. */
export function explainFailure(place: DatabasePlace, error: unknown): unknown {
  if (error instanceof PasswordMissingError) return explainPassword(place, error)
  if (!(error instanceof Error)) return error
  const createLostError = (systemCode: string | null) =>
    new ConnectionLostError(explainLost(place, systemCode), true, systemCode, error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  if ('severity' in error && code !== null) {
    const refusal = error as unknown as ServerError
    return isLostState(code)
      ? createLostError(code)
      : new StatementError(explainRefused(place, refusal), refusal)
  }
  if (code !== null) return createLostError(code)
  if (lostTexts.test(error.message)) return createLostError(null)
  // Other driver texts about the connection start: the server has no TLS, or fails to prove the password.
  if (/SSL/.test(error.message)) return createLostError('TLS_REFUSED')
  if (/^SASL/.test(error.message)) return createLostError('SASL')
  return error
}

/** Marks an error as certainly without effect: never sent, or rolled back by the server. */
const markWithoutEffect = (error: unknown): unknown =>
  error instanceof ConnectionLostError && error.mayHaveTakenEffect
    ? new ConnectionLostError(error, false, error.systemCode, error.cause)
    : error
