import { getErrorText, UserError } from '../../../core/errors.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import type { Clock, Random } from '../../../platform/clock.js'
import { lookupKinds } from '../../../core/lookup-state.js'
import type { Partition } from '../../../core/partition.js'
import type { OpenCheckpointDeps } from '../sqlite/checkpoint-file.js'
import { Checkpoint } from '../checkpoint.js'
import type { OtherWorkers } from '../lookup-store.js'
import { leaseTimes, openWorker, type LeaseTimes, type Worker } from './lease.js'
import { createPeek, type Peek, LocalCopy, copyWanted } from './local-copy.js'
import { openShared, type OpenSharedDeps, type SharedDatabase } from './open-database.js'
import { hashKey, openSharedTurns } from './shared-turns.js'
import { PostgresStore } from './postgres-store.js'
import { SharedStore, type CheckpointDatabase } from './store.js'
import { startSweeper } from './sweep.js'
import { ConnectionLostError, type Postgres, PostgresError } from '../../../platform/postgres/postgres.js'
import { calculateBackoffMs } from '../../../core/pacing.js'
import { type RetryDeps, withRetries } from '../../../platform/postgres/retry.js'
import { joinJob } from './jobs.js'
import { restoreReopened } from './lookup-rows.js'
import { WorkerWatch } from './other-workers.js'

interface OpenPostgresCheckpointDeps {
  readonly run: Pick<OpenCheckpointDeps, 'scope' | 'job' | 'retried' | 'nowMs'>
  readonly random: Random
  readonly clock: Clock
  readonly database: CheckpointDatabase
  /** This process's worker; closed with the checkpoint, unlike the database. */
  readonly worker: Worker
  /** Local copy for readers of this machine; not closed here. */
  readonly copy: LocalCopy
  /** Creates turns at a service limit; `null` if the service has no limits. */
  readonly turnsOf: OtherWorkers['createTurns']
  /** This process's part of the job; `null` if the job has no parts. */
  readonly part?: Partition | null
}

/** Joins the job of a shared checkpoint. `store` executes the statements of the run. Throws CHECKPOINT_*. */
export async function openPostgresCheckpoint(
  deps: OpenPostgresCheckpointDeps,
): Promise<{ checkpoint: Checkpoint; store: SharedStore }> {
  const { worker, copy } = deps
  const { scope, job: input, retried, nowMs } = deps.run
  const { postgres, explain } = deps.database
  const joined = { base: scope, input, retried, workerId: worker.id, nowMs }
  const job = await withRetries(deps, () =>
    postgres.transaction((statements) => joinJob(statements, joined)),
  ).catch((error: unknown) => {
    throw explain(error)
  })
  const store = new SharedStore({ ...deps, job })
  let isClosed = false
  const others = new WorkerWatch(store, {
    createTurns: deps.turnsOf,
    copyForReading: () => copyWanted(store, copy),
  })
  const lookups = new PostgresStore({
    store,
    others,
    url: deps.database.url,
    close: async () => {
      if (isClosed) return
      isClosed = true
      await releaseLookups(postgres, store)
      await worker.close()
    },
  })
  return { checkpoint: new Checkpoint(lookups), store }
}

/**
 * Releases all lookups of this worker. Nothing is in flight any more: intentions without an answer become uncertain. If
 * the server is unavailable, other workers clean up after the lease has expired.
 */
async function releaseLookups(postgres: Postgres, { worker, job }: SharedStore): Promise<void> {
  const workerId = worker.id
  const reason = 'the process ended before the answer to the submission came'
  try {
    await postgres.query(
      `WITH lost AS (
         SELECT lookup_id, custom_id FROM enrich.lookups WHERE worker_id = $1 AND state = 'intended'
         ORDER BY lookup_id FOR NO KEY UPDATE
       ), moved AS (
         UPDATE enrich.lookups l SET state = 'uncertain', worker_id = NULL, failure = $2
         FROM lost WHERE l.lookup_id = lost.lookup_id
       )
       UPDATE enrich.submissions s SET verdict = 'uncertain', reason = $2 FROM lost
       WHERE s.custom_id = lost.custom_id AND s.verdict = 'intended'`,
      [workerId, reason],
    )
    await postgres.query('UPDATE enrich.lookups SET worker_id = NULL WHERE worker_id = $1', [workerId])
    const scopeIds = lookupKinds.map((kind) => job.kinds.getScopeId(kind))
    await restoreReopened(postgres, workerId, scopeIds, 0, null)
    await postgres.query('DELETE FROM enrich.wanted WHERE worker_id = $1', [workerId])
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error
  }
}

/** A restarting server is available again by then. */
const awayMsMaxByDefault = 30_000
const awayPolicy = { delayMsBase: 200, delayMsMax: 2_000 }

interface UnreachableRetryDeps extends RetryDeps {
  readonly notice?: (text: string) => void
  readonly signal?: AbortSignal
  readonly awayMsMax?: number
}

/**
 * Runs `open` and retries it while the server is unreachable, for half a minute. Throws the errors of `open`; for an
 * unreachable server, after that time or when the signal aborts.
 */
function retryWhileUnreachable<Result>(
  deps: UnreachableRetryDeps,
  open: () => Promise<Result>,
): Promise<Result> {
  return retryOnError(deps, open, isUnreachable)
}

/** Retries each statement and transaction that certainly had no effect. Transactions must be repeatable. */
function createRetryingPostgres(deps: UnreachableRetryDeps, postgres: Postgres): Postgres {
  const isAway = (error: unknown) => error instanceof ConnectionLostError && !error.mayHaveTakenEffect
  return {
    query: (text, values) => retryOnError(deps, () => postgres.query(text, values), isAway),
    transaction: (work) => retryOnError(deps, () => postgres.transaction(work), isAway),
    close: () => postgres.close(),
  }
}

async function retryOnError<Result>(
  { clock, random, notice, signal, awayMsMax = awayMsMaxByDefault }: UnreachableRetryDeps,
  work: () => Promise<Result>,
  isAway: (error: unknown) => boolean,
): Promise<Result> {
  const sinceMs = clock.monotonicMs()
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      const isOver = signal?.aborted === true || clock.monotonicMs() - sinceMs >= awayMsMax
      if (isOver || !isAway(error)) throw error
      if (failures === 1 && error instanceof UserError)
        notice?.(`${error.message}: retrying for ${Math.round(awayMsMax / 1_000)} seconds.`)
      await clock.sleep(calculateBackoffMs(awayPolicy, failures, random.fraction()), signal)
    }
  }
}

/** Error codes of unknown host names. */
const unknownNames: readonly (string | null)[] = ['ENOTFOUND', 'EAI_AGAIN']

/** The server is unreachable, perhaps only for a moment: it is starting or failing over. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ConnectionLostError &&
  error.code === 'CHECKPOINT_UNREACHABLE' &&
  !unknownNames.includes(error.systemCode)

/** Location of a shared checkpoint, with the credentials of the service. */
export interface SharedCheckpointLocation extends Pick<OpenSharedDeps, 'environment'> {
  readonly url: string
  /** API key of the service, which identifies shared limits; `null` for a service without limits. */
  readonly apiKey: () => string | null
}

export interface SharedRunDeps {
  readonly location: SharedCheckpointLocation
  /** Folder of the local copy during the run. */
  readonly folder: string
  readonly clock: Clock
  readonly random: Random
  readonly acceptRollback: boolean
  /** The run's part of its job; `null` if the job has no parts. */
  readonly part?: Partition | null
  readonly times?: LeaseTimes
  /** Shows a notice to the user. */
  readonly notice?: (text: string) => void
  /** Ends the wait for an unreachable server. */
  readonly signal?: AbortSignal
  /** How long to wait for an unreachable server at the start. */
  readonly awayMsMax?: number
}

/** Access of a run to a checkpoint on PostgreSQL. */
export interface SharedRun {
  /** Path of the local copy; removed with the run. */
  readonly path: string
  /** Reads the copy; lookups are in it once they were fetched. */
  readonly peek: Peek
  openCheckpoint(options: OpenCheckpointDeps): Promise<Checkpoint>
  /** Executes the run's statements; available once the checkpoint is open. */
  readonly store: () => SharedStore
  /** Closed with the run. */
  readonly database: SharedDatabase
  readonly clock: Clock
  readonly random: Random
}

/** Throws CHECKPOINT_*. */
export async function joinSharedCheckpoint(deps: SharedRunDeps, closeLater: CloseLater): Promise<SharedRun> {
  const { location, clock, random, folder } = deps
  const shared = await retryWhileUnreachable(deps, () => openShared(location.url, { ...location, ...deps }))
  closeLater(() => shared.close())
  const copy = new LocalCopy(folder)
  closeLater(() => {
    copy.close()
  })
  let joined: SharedStore | null = null
  const store = () => {
    if (joined === null) throw new Error('the checkpoint is not open yet')
    return joined
  }
  return {
    path: copy.path,
    database: { ...shared, postgres: createRetryingPostgres(deps, shared.postgres) },
    clock,
    random,
    peek: createPeek(shared, copy, deps),
    openCheckpoint: async (options) => {
      const opened = await openJoinedCheckpoint(deps, shared, copy, options)
      joined = opened.store
      return opened.checkpoint
    },
    store,
  }
}

async function openJoinedCheckpoint(
  deps: SharedRunDeps,
  shared: SharedDatabase,
  copy: LocalCopy,
  options: OpenCheckpointDeps,
): ReturnType<typeof openPostgresCheckpoint> {
  const { location, clock, random, part = null, times = leaseTimes } = deps
  const { scope, job, notice } = options
  const { postgres, prompt, server, explain } = shared
  const leased = await retryWhileUnreachable(deps, () =>
    openWorker({ prompt, server, clock, job, times }).catch((error: unknown) => {
      throw explain(error)
    }),
  )
  let lastFailure: string | null = null
  const endSweeping = await startSweeper({
    postgres,
    everyMs: times.renewEvery,
    onFailure: (error) => {
      const failure = getErrorText(explain(error))
      if (failure !== lastFailure) notice?.(`Cannot take over runs of workers that ended: ${failure}`)
      lastFailure = failure
    },
  })
  const worker: Worker = {
    get id() {
      return leased.id
    },
    get term() {
      return leased.term
    },
    get hold() {
      return leased.hold
    },
    get end() {
      return leased.end
    },
    mayLeave: (intendedIn?: number) => leased.mayLeave(intendedIn),
    setActivity: (doing: () => string) => {
      leased.setActivity(doing)
    },
    close: async () => {
      await endSweeping()
      await leased.close()
    },
  }
  const key = location.apiKey()
  const turnsOf =
    key === null
      ? null
      : (route: string, windowMs: number) =>
          openSharedTurns({ prompt, clock, random, keyHash: hashKey(scope, key), route, windowMs })
  return openPostgresCheckpoint({
    run: options,
    random,
    clock,
    database: shared,
    worker,
    copy,
    turnsOf,
    part,
  })
}
