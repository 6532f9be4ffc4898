import type { Deferrable } from '../platform/sql-program.js'
import { systemClock, type Clock, systemRandom, type Random } from '../platform/clock.js'
import type { ConnectOptions } from '../platform/postgres/connect.js'
import { inTransaction, query } from '../platform/sql-program.js'
import type { Sqlite } from '../platform/sqlite.js'
import type { CallId } from '../contract/enums.js'
import type { Postgres } from '../platform/postgres/postgres.js'
import {
  cacheCallers,
  createSharedCallers,
  createStoredCallers,
  storeAccounts,
  type AccountOptions,
  type Callers,
} from './accounts/accounts.js'
import { createCredit, freeOfCharge, type Credit } from './accounts/charges.js'
import {
  createRateLimiter,
  createSharedRateLimiter,
  unlimited,
  type RateLimiter,
} from './accounts/rate-limiter.js'
import {
  buildRunEvent,
  createOutgoing,
  createSharedOutgoing,
  writeRunEvents,
  type Outgoing,
  type OutgoingDeps,
} from './deliveries/webhooks.js'
import type { WaiterEnding } from './records/builds/build.js'
import { createBuildStore, type AnyBuildStore } from './records/builds/build-store.js'
import { createSharedBuildStore } from './records/builds/postgres-build-store.js'
import {
  createDirectJournal,
  createJournal,
  createRunStore,
  type AnyRunStore,
  type Journal,
  type OnRunEnded,
  type RunStore,
} from './runs/run-store.js'
import { createMemoryRunStore } from './runs/memory-run-store.js'
import { releaseClaims } from './runs/postgres/claims.js'
import { createSharedJournal } from './runs/postgres/journal.js'
import { createSharedRunStore } from './runs/postgres/run-store.js'
import { limits } from './limits.js'
import {
  openServiceDatabase,
  openStorage,
  withOutageLog,
  type SharedStorage,
  type Storage,
} from './storage/storage.js'

/** The stores of the service, for every kind of storage. */
export interface Stores<Runs extends AnyRunStore> {
  readonly callers: Deferrable<Callers>
  readonly limiter: RateLimiter
  readonly credit: Credit
  readonly runs: Runs
  readonly journal: Journal
  readonly outgoing: Outgoing
  readonly builds: AnyBuildStore
  readonly reports: Deferrable<ReportStore>
}

interface StoresDeps extends OutgoingDeps {
  /** Listeners of this process for runs that end. */
  readonly waiting: readonly OnRunEnded[]
  /** Builds the events for the waiters of an ended build. */
  readonly endingOf: WaiterEnding
}

/** Opened data, in which the accounts given at the start are stored. */
export interface OpenData<Runs extends AnyRunStore> {
  readonly storage: Storage
  /** Whether runs are kept in memory for one caller in this process: nothing is billed, and polls wait. */
  readonly isInProcess: boolean
  readonly createStores: (deps: StoresDeps) => Stores<Runs>
}

interface DataOptions {
  /** Accounts to store, with their keys as hashes; accounts of earlier starts are kept. */
  readonly accounts: readonly AccountOptions[]
  /** Whether the interface's limits per minute apply. */
  readonly rateLimits: 'spec' | 'none'
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: (line: string) => void
}

export interface OwnDataOptions extends DataOptions {
  /** The folder of `service.sqlite`; `null` keeps everything in memory. */
  readonly dataFolder: string | null
}

/** Opens the data of a single service. Throws SERVICE_DATA_IN_USE, SERVICE_DATA_INVALID, API_KEY_INVALID. */
export function openOwnData(options: OwnDataOptions): OpenData<RunStore> {
  const { clock = systemClock, log = () => undefined } = options
  const storage = openStorage(options, clock, log)
  const { database, windows } = storage
  try {
    storeAccounts(database, options.accounts, clock.nowMs())
  } catch (error) {
    storage.close()
    throw error
  }
  return {
    storage,
    isInProcess: false,
    createStores: (deps) => {
      const { waiting, ...records } = createRecordStores(database, deps)
      const runs = createRunStore(database, waiting)
      return {
        ...records,
        callers: createStoredCallers(database),
        limiter: options.rateLimits === 'spec' ? createRateLimiter(clock, windows) : unlimited,
        credit: createCredit(database, clock),
        runs,
        journal: createJournal(runs),
      }
    },
  }
}

/** Creates the stores other than runs. `waiting` includes the listener that writes their events. */
function createRecordStores(database: Sqlite, deps: StoresDeps) {
  const outgoing = createOutgoing(database, deps)
  return {
    outgoing,
    builds: createBuildStore(database, { ...deps, outbox: outgoing.outbox }),
    reports: createReportStore(database, deps.clock),
    waiting: [writeRunEvents(outgoing.outbox), ...deps.waiting],
  }
}

/** Opens data in memory with at most `runsMax` runs. Throws API_KEY_INVALID. */
export function openMemory(options: DataOptions, runsMax: number): OpenData<RunStore> {
  const { storage } = openOwnData({ ...options, dataFolder: null })
  return {
    storage,
    isInProcess: true,
    createStores: (deps) => {
      if (storage.kind !== 'own') throw new Error('memory is not shared')
      const { waiting, ...records } = createRecordStores(storage.database, deps)
      const runs = createMemoryRunStore(runsMax, waiting)
      return {
        ...records,
        callers: cacheCallers(createStoredCallers(storage.database)),
        limiter: unlimited,
        credit: freeOfCharge,
        runs,
        journal: createDirectJournal(runs),
      }
    },
  }
}

export interface SharedDataOptions extends DataOptions {
  /** `postgres://…`, the same for all replicas of a service. */
  readonly databaseUrl: string
  /** Source of passwords; defaults to `process.env`. */
  readonly environment?: ConnectOptions['environment']
  /** Duration of a claim that is not renewed; defaults to `limits.claimMs`. */
  readonly claimMs?: number
}

/** Opens data that other replicas use at the same time. Throws the errors of `openServiceDatabase`, API_KEY_INVALID. */
export async function openSharedData(
  options: SharedDataOptions,
): Promise<OpenData<AnyRunStore> & { readonly storage: SharedStorage }> {
  const { clock = systemClock, random = systemRandom, log = () => undefined } = options
  const { accounts, environment, claimMs = limits.claimMs } = options
  const opened = await openServiceDatabase(options.databaseUrl, {
    clock,
    random,
    connectionsMax: limits.connectionsMax,
    ...(environment === undefined ? {} : { environment }),
  })
  const postgres = withOutageLog(opened.postgres, { ...opened, log })
  const replicaId = random.id('replica_')
  const close = async () => {
    // If this fails, the claims expire by themselves.
    await releaseClaims(postgres, replicaId).catch(() => undefined)
    await opened.close()
  }
  let closed: Promise<void> | undefined
  const storage: SharedStorage = {
    kind: 'shared',
    postgres,
    replicaId,
    claimMs,
    close: () => (closed ??= close()),
  }
  try {
    await storeAccounts(postgres, accounts, clock.nowMs())
  } catch (error) {
    await opened.close()
    throw opened.explain(error)
  }
  return {
    storage,
    isInProcess: false,
    createStores: (deps) => {
      const outgoing = createSharedOutgoing(storage, deps)
      const addEvents: typeof outgoing.outbox.add = (statements, events) =>
        outgoing.outbox.add(statements, events)
      return {
        outgoing,
        builds: createSharedBuildStore({ ...storage, ...deps, addEvents }),
        reports: createReportStore(postgres, clock),
        callers: createSharedCallers(postgres, clock),
        limiter: options.rateLimits === 'spec' ? createSharedRateLimiter(postgres, clock) : unlimited,
        // The store checks the allowance in its transaction, across all replicas.
        credit: freeOfCharge,
        runs: createSharedRunStore(storage, {
          clock,
          writeEvents: (statements, ended, atMs) =>
            addEvents(
              statements,
              ended.map((run) => buildRunEvent(run, atMs)).filter((event) => event !== null),
            ),
          onEnded: deps.waiting,
        }),
        journal: createSharedJournal(postgres, clock),
      }
    },
  }
}

/** Feedback about answers in the table `reports`, for the operator of the service. */
export interface ReportStore {
  /** Stores a report as JSON text. Durable when it returns; only the newest reports of an account are kept. */
  keep(accountNumber: number, callId: CallId, body: string): void
}

/** Replicas that store reports at once may leave a few older ones. */
function createReportStore(database: Sqlite | Postgres, clock: Clock): Deferrable<ReportStore> {
  return {
    keep: (accountNumber, callId, body) =>
      inTransaction(database, function* () {
        yield* query(
          'INSERT INTO enrich_service.reports (account_number, call_id, body, created_at_ms) VALUES ($1, $2, $3, $4)',
          accountNumber,
          callId,
          body,
          clock.nowMs(),
        )
        yield* query(
          `DELETE FROM enrich_service.reports WHERE account_number = $1 AND report_number <= (
             SELECT report_number FROM enrich_service.reports WHERE account_number = $1
             ORDER BY report_number DESC LIMIT 1 OFFSET ${limits.reportsPerAccountMax})`,
          accountNumber,
        )
      }),
  }
}
