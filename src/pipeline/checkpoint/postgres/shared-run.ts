import { errorText } from '../../../core/error-text.js'
import type { CloseLater } from '../../../platform/close-stack.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { Partition } from '../../rules/partition.js'
import type { OpenCheckpointDeps } from '../begin-run.js'
import type { Checkpoint } from '../checkpoint.js'
import { leaseTimes, openWorker, type LeaseTimes } from './lease.js'
import { peekInto, type Peek } from './look.js'
import { LocalCopy } from './local-copy.js'
import { openPostgresCheckpoint } from './open-checkpoint.js'
import { openShared, type OpenSharedDeps, type SharedDatabase } from './open.js'
import { keyHashOf, openTurns } from './pace.js'
import type { PostgresCheckpoint } from './postgres-checkpoint.js'
import type { SharedStore } from './store.js'
import { startSweeping } from './sweep.js'
import { patientPostgres, whileAway } from './while-away.js'

/** Where the checkpoint of a run is shared, and what by. */
export interface SharedPlace extends Pick<OpenSharedDeps, 'environment'> {
  readonly url: string
  /** Of the service; who has the same shares its limits. Null: of a service without limits. */
  readonly apiKey: () => string | null
}

export interface SharedRunDeps extends SharedPlace {
  /** Where what readers read is kept while the run goes on. */
  readonly folder: string
  readonly clock: Clock
  readonly random: Random
  readonly acceptRollback: boolean
  /** The part of its job that the run has; null: its job has no parts. */
  readonly part?: Partition | null
  readonly times?: LeaseTimes
  /** What to tell the user. */
  readonly notice?: (text: string) => void
  /** Ends the wait for a server that is away. */
  readonly signal?: AbortSignal
  /** So long a server that is away is waited for at the start. */
  readonly awayMsMax?: number
}

/** A run's way to a checkpoint on PostgreSQL. */
export interface SharedRun {
  /** What readers of this machine read; gone with the run. */
  readonly path: string
  /** What is known is in the copy once it was fetched. */
  readonly peek: Peek
  openCheckpoint(options: OpenCheckpointDeps): Promise<Checkpoint>
  /** What the run sends statements by, from when its checkpoint is open. */
  readonly store: () => SharedStore
  readonly copy: LocalCopy
  /** Closed with the run. */
  readonly database: SharedDatabase
  readonly clock: Clock
  readonly random: Random
}

/** Throws CHECKPOINT_*. */
export async function joinShared(deps: SharedRunDeps, closeLater: CloseLater): Promise<SharedRun> {
  const shared = await whileAway(deps, () => openShared(deps.url, deps))
  closeLater(() => shared.close())
  const { clock, random, folder } = deps
  const copy = new LocalCopy(folder, { scope: 'copy', job: 'copy', nowMs: clock.nowMs(), random })
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
    database: { ...shared, postgres: patientPostgres(deps, shared.postgres) },
    clock,
    random,
    peek: peekInto(shared, copy, deps),
    openCheckpoint: async (options) => {
      const checkpoint = await openJoined(deps, shared, copy, options)
      joined = checkpoint.store
      return checkpoint
    },
    store,
    copy,
  }
}

async function openJoined(
  deps: SharedRunDeps,
  shared: SharedDatabase,
  copy: LocalCopy,
  options: OpenCheckpointDeps,
): Promise<PostgresCheckpoint> {
  const { apiKey, clock, random, part = null, times = leaseTimes } = deps
  const { scope, job, nowMs, notice } = options
  const { postgres, prompt, server, id, generation } = shared
  const explain = (error: unknown) => shared.explain(error)
  const leased = await whileAway(deps, () =>
    openWorker({ prompt, server, clock, job, times }).catch((error: unknown) => {
      throw explain(error)
    }),
  )
  let lastFailure: string | null = null
  const endSweeping = await startSweeping({
    postgres,
    everyMs: times.renewEvery,
    onFailure: (error) => {
      const failure = errorText(explain(error))
      if (failure !== lastFailure) notice?.(`Runs of processes that ended cannot be taken over: ${failure}`)
      lastFailure = failure
    },
  })
  const worker = {
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
    tell: (doing: () => string) => {
      leased.tell(doing)
    },
    close: async () => {
      await endSweeping()
      await leased.close()
    },
  }
  const key = apiKey()
  const turnsOf =
    key === null
      ? null
      : (route: string, windowMs: number) =>
          openTurns({ prompt, clock, random, keyHash: keyHashOf(scope, key), route, windowMs })
  return openPostgresCheckpoint({
    scope,
    job,
    nowMs,
    random,
    clock,
    postgres,
    id,
    generation,
    explain,
    worker,
    copy,
    turnsOf,
    part,
  })
}
