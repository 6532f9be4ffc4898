import { type Clock, systemClock, type Random, systemRandom } from '../../platform/clock.js'
import { openWithCleanup } from '../../platform/close-stack.js'
import { type Postgres, isServerTrouble } from '../../platform/postgres/postgres.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { withExplanation, lockDataFolder, openDatabase } from './database.js'
import { noWindowStore, openWindowStore, type WindowStore } from '../accounts/rate-limiter.js'
import { UserError, getErrorText } from '../../core/errors.js'
import { parsePostgresUrl, formatPostgresUrl } from '../../core/server-addresses.js'
import { connectPostgres, type ConnectOptions } from '../../platform/postgres/connect.js'
import { explainServerChange } from '../../platform/postgres/explain.js'
import {
  assertGrants,
  assertKnownVersion,
  ensureOwnTables,
  readOwnHead,
  type OwnSchema,
  assertFit,
  readServer,
} from '../../platform/postgres/own-database.js'
import { serviceMigrations } from './postgres-schema.js'
import { createAccountBook, type AnyAccountBook } from '../accounts/account-book.js'

/** The data of a running service. */
export type Storage = OwnStorage | SharedStorage

/** Files or memory of one service, locked against a second one. */
export interface OwnStorage {
  readonly kind: 'own'
  readonly database: Sqlite
  readonly windows: WindowStore
  close(): void
}

/** A PostgreSQL database that several replicas of one service share. */
export interface SharedStorage {
  readonly kind: 'shared'
  readonly postgres: Postgres
  /** The name under which this process claims work. */
  readonly replicaId: string
  /** Duration of a claim that is not renewed, by the server's clock. */
  readonly claimMs: number
  close(): Promise<void>
}

/**
 * Locks the folder, which is created if missing, and opens `service.sqlite` in it, and `limits.sqlite` if rate limits
 * apply. `null` keeps everything in memory. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID.
 */
export function openStorage(
  { dataFolder, rateLimits }: { dataFolder: string | null; rateLimits: 'spec' | 'none' },
  clock: Clock,
  log: (line: string) => void,
): OwnStorage {
  return openWithCleanup(({ add, close }) => {
    const lock = lockDataFolder(dataFolder, clock.nowMs())
    add(() => {
      lock.release()
    })
    const database = openDatabase(dataFolder)
    add(() => database.close())
    const keepsWindows = dataFolder !== null && rateLimits === 'spec'
    const windows = keepsWindows
      ? withExplanation(dataFolder, () => openWindowStore(dataFolder, log))
      : noWindowStore
    add(() => {
      windows.close()
    })
    return { kind: 'own', database, windows, close }
  })
}

/** The data of a service on PostgreSQL, which several replicas may have open at once. */
export interface ServiceDatabase {
  /** The URL without its password. */
  readonly url: string
  readonly postgres: Postgres
  /** Converts an error of the server to one with words for users; returns other errors unchanged. */
  readonly explain: (error: unknown) => unknown
  close(): Promise<void>
}

export interface OpenServiceDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'id'>
  readonly environment?: ConnectOptions['environment']
  /** Most connections of this process; defaults to 4. */
  readonly connectionsMax?: number
}

interface Head {
  readonly id: string
  readonly version: number
}

/**
 * Opens the database, created and migrated as needed; one of several concurrent callers does it. Throws
 * SERVICE_DATA_INVALID if the schema `enrich_service` contains other data or was made by a newer version,
 * SERVICE_DATA_NOT_FOUND if it is empty and `whereNone` is `refuse`, and the codes of a checkpoint on PostgreSQL
 * (CHECKPOINT_URL_*, CHECKPOINT_SERVER_*, …) for an unsuitable URL or server.
 */
export async function openServiceDatabase(
  url: string,
  deps: OpenServiceDeps,
  whereNone: 'make' | 'refuse' = 'make',
): Promise<ServiceDatabase> {
  const address = parsePostgresUrl(url, "the service's data")
  const { environment, connectionsMax = 4 } = deps
  const postgres = connectPostgres(address, {
    connectionsMax,
    statementTimeoutMs: statementMsMax,
    connectTimeoutMs: connectMsMax,
    words,
    ...(environment === undefined ? {} : { environment }),
  })
  const shown = formatPostgresUrl(address)
  const explain = (error: unknown) => explainServerChange(shown, error)
  try {
    const schema = createSchema(deps)
    assertFit(await readServer(postgres), shown)
    const found = await readOwnHead(postgres, shown, schema)
    if (found === null && whereNone === 'refuse') throw createNotFoundError(shown)
    if (found !== null) assertKnownVersion(found, shown, schema)
    await ensureOwnTables(postgres, shown, schema)
    await assertGrants(postgres, shown, schema, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    return { url: shown, postgres, explain, close: () => postgres.close() }
  } catch (error) {
    await postgres.close()
    throw explain(error)
  }
}

/** Short, because a caller waits for each statement. */
const statementMsMax = 20_000
const connectMsMax = 5_000

const words = {
  grantsHint:
    'start one service as owner of the database, which creates the tables, and grant the rights listed in docs/manual/serving.md',
  foreign: (url: string, what: string, cause?: Error) =>
    new UserError('SERVICE_DATA_INVALID', `${url} contains no data of enrich serve: ${what}`, {
      hint: 'use a separate database; nothing in this one was changed',
      cause,
    }),
}

const createSchema = ({ clock, random }: OpenServiceDeps): OwnSchema<Head> => ({
  ...words,
  name: 'enrich_service',
  headTable: 'service',
  migrations: serviceMigrations,
  readHeads: (statements) =>
    statements.query<Head>('SELECT id, schema_version AS version FROM enrich_service.service'),
  insertHead: async (statements) => {
    const head: Head = { id: random.id(''), version: serviceMigrations.length }
    await statements.query(
      'INSERT INTO enrich_service.service (id, schema_version, created_at_ms) VALUES ($1, $2, $3)',
      [head.id, head.version, clock.nowMs()],
    )
    return head
  },
  tooNew: (url) =>
    new UserError(
      'SERVICE_DATA_INVALID',
      `the service's data in ${url} was made by a newer version of enrich`,
      {
        hint: 'use that version, or another database',
      },
    ),
})

function createNotFoundError(url: string): UserError {
  return new UserError('SERVICE_DATA_NOT_FOUND', `there is no service's data in ${url}`, {
    hint: 'pass --data with the database of enrich serve, or create the first account: enrich accounts add NAME',
  })
}

interface WatchDeps {
  /** The URL without its password. */
  readonly url: string
  /** Converts an error to one with words for users. */
  readonly explain: (error: unknown) => unknown
  readonly log: (line: string) => void
}

/** Wraps a connection: logs one line when the server becomes unreachable, and one when it answers again. */
export function withOutageLog(postgres: Postgres, { url, explain, log }: WatchDeps): Postgres {
  let isAway = false
  const watch = async <Result>(working: Promise<Result>): Promise<Result> => {
    try {
      const result = await working
      if (isAway) log(`${url} answers again`)
      isAway = false
      return result
    } catch (error) {
      if (isServerTrouble(error) && !isAway) {
        isAway = true
        log(`requests are refused until the database is back: ${getErrorText(explain(error))}`)
      }
      throw error
    }
  }
  return {
    query: (text, values) => watch(postgres.query(text, values)),
    transaction: (work) => watch(postgres.transaction(work)),
    close: () => postgres.close(),
  }
}

/**
 * Uses the accounts of a service on PostgreSQL, also while replicas run. Throws the errors of `openServiceDatabase`,
 * and reports errors of the server with the same codes.
 */
export async function withSharedAccountBook(
  url: string,
  whereNone: 'make' | 'refuse',
  use: (book: AnyAccountBook) => Promise<void>,
): Promise<void> {
  const deps = { clock: systemClock, random: systemRandom, connectionsMax: 1 }
  const database = await openServiceDatabase(url, deps, whereNone)
  try {
    await use(createAccountBook(database.postgres))
  } catch (error) {
    throw database.explain(error)
  } finally {
    await database.close()
  }
}
