import { type Clock, systemClock } from '../../platform/clock.js'
import { opening } from '../../platform/close-stack.js'
import { type Postgres, isServerTrouble } from '../../platform/postgres/postgres.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { explained, lockDataFolder, openDatabase } from './database.js'
import { forgetfulStore, openWindowStore, type WindowStore } from '../accounts/rate-limiter.js'
import { UserError, errorText } from '../../core/errors.js'
import { parsePostgresUrl, shownPostgresUrl } from '../../core/server-addresses.js'
import { connectPostgres, type ConnectOptions } from '../../platform/postgres/connect.js'
import { explainServerChange } from '../../platform/postgres/explain.js'
import {
  assertGrants,
  assertKnownVersion,
  makeOwn,
  readOwnHead,
  type OwnSchema,
  assertFit,
  readServer,
} from '../../platform/postgres/own-database.js'
import { type Random, systemRandom } from '../../platform/random.js'
import { serviceMigrations } from './postgres-schema.js'
import type { AnyAccountBook } from '../accounts/account-book.js'
import { createSharedAccountBook } from '../accounts/postgres/account-book.js'

/** What a running service keeps its data in. */
export type Storage = OwnStorage | SharedStorage

/** Files of one service, or memory, and what keeps a second service out. */
export interface OwnStorage {
  readonly kind: 'own'
  readonly database: Sqlite
  readonly windows: WindowStore
  close(): void
}

/** A database on PostgreSQL, which several replicas of one service work on. */
export interface SharedStorage {
  readonly kind: 'shared'
  readonly postgres: Postgres
  /** Of this process: what it claims, it claims under this name. */
  readonly replicaId: string
  /** How long a claim holds, by the clock of the server, unless it is renewed. */
  readonly claimMs: number
  close(): Promise<void>
}

/**
 * Locks the folder, which is made if missing, and opens `service.sqlite` and, where limits hold,
 * `limits.sqlite` in it; null keeps all in memory. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID.
 */
export function openStorage(
  { dataFolder, rateLimits }: { dataFolder: string | null; rateLimits: 'spec' | 'none' },
  clock: Clock,
  log: (line: string) => void,
): OwnStorage {
  return opening(({ add, close }) => {
    const lock = lockDataFolder(dataFolder, clock.nowMs())
    add(() => {
      lock.release()
    })
    const database = openDatabase(dataFolder)
    add(() => database.close())
    const keepsWindows = dataFolder !== null && rateLimits === 'spec'
    const windows = keepsWindows
      ? explained(dataFolder, () => openWindowStore(dataFolder, log))
      : forgetfulStore
    add(() => {
      windows.close()
    })
    return { kind: 'own', database, windows, close }
  })
}

/** The data of a service on PostgreSQL, which several replicas may have open at once. */
export interface ServiceDatabase {
  /** As it may be shown. */
  readonly url: string
  readonly postgres: Postgres
  /** Says in a user's words what the server refused; what is none of that is given back as it is. */
  readonly explain: (error: unknown) => unknown
  close(): Promise<void>
}

export interface OpenServiceDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly random: Pick<Random, 'id'>
  readonly environment?: ConnectOptions['environment']
  /** At most so many connections of this process. */
  readonly connectionsMax?: number
}

interface Head {
  readonly id: string
  readonly version: number
}

/**
 * Opens it, made and brought to this version as needed; of several that come first one makes it. Throws
 * SERVICE_DATA_INVALID where the schema `enrich_service` holds something else or what a newer version made, and the
 * codes of a checkpoint on PostgreSQL (CHECKPOINT_URL_*, CHECKPOINT_SERVER_*, …) for a URL or a server that does not do.
 * `whereNone`: SERVICE_DATA_NOT_FOUND where nothing was made yet and nothing may be.
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
  const shown = shownPostgresUrl(address)
  const explain = (error: unknown) => explainServerChange(shown, error)
  try {
    const schema = schemaMadeBy(deps)
    assertFit(await readServer(postgres), shown)
    const found = await readOwnHead(postgres, shown, schema)
    if (found === null && whereNone === 'refuse') throw notFound(shown)
    if (found !== null) assertKnownVersion(found, shown, schema)
    await makeOwn(postgres, shown, schema)
    await assertGrants(postgres, shown, schema, ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
    return { url: shown, postgres, explain, close: () => postgres.close() }
  } catch (error) {
    await postgres.close()
    throw explain(error)
  }
}

/** A caller waits behind each statement. */
const statementMsMax = 20_000
const connectMsMax = 5_000

const words = {
  grantsHint:
    'an owner of the database starts one service, which makes the tables, and grants what docs/serve.md lists',
  foreign: (url: string, what: string, cause?: Error) =>
    new UserError('SERVICE_DATA_INVALID', `${url} holds no data of enrich serve: ${what}`, {
      hint: 'use a database of its own; nothing in this one was touched',
      cause,
    }),
}

const schemaMadeBy = ({ clock, random }: OpenServiceDeps): OwnSchema<Head> => ({
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

function notFound(url: string): UserError {
  return new UserError('SERVICE_DATA_NOT_FOUND', `there is no service's data in ${url}`, {
    hint: 'pass --data with the database of enrich serve, or make a first account: enrich accounts add NAME',
  })
}

interface WatchDeps {
  /** As it may be shown. */
  readonly url: string
  /** What an error says to people. */
  readonly explain: (error: unknown) => unknown
  readonly log: (line: string) => void
}

/** The same, and one line of the log when the server is away, and one when it is back; not one a request. */
export function watched(postgres: Postgres, { url, explain, log }: WatchDeps): Postgres {
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
        log(`requests are refused until the database is back: ${errorText(explain(error))}`)
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
 * Uses the accounts of a service on PostgreSQL, beside replicas that may be running. Throws what `openServiceDatabase`
 * throws, and what the server refuses meanwhile by the same codes.
 */
export async function useSharedBook(
  url: string,
  whereNone: 'make' | 'refuse',
  use: (book: AnyAccountBook) => Promise<void>,
): Promise<void> {
  const deps = { clock: systemClock, random: systemRandom, connectionsMax: 1 }
  const database = await openServiceDatabase(url, deps, whereNone)
  try {
    await use(createSharedAccountBook(database.postgres))
  } catch (error) {
    throw database.explain(error)
  } finally {
    await database.close()
  }
}
