import type { Clock } from '../../../platform/clock.js'
import type { Postgres } from '../../../platform/postgres/postgres.js'
import { PostgresError } from '../../../platform/postgres/postgres.js'
import type { Partition } from '../../rules/partition.js'
import type { OpenCheckpointDeps } from '../begin-run.js'
import { copyWanted } from './copying.js'
import { joinJob } from './job.js'
import type { LocalCopy } from './local-copy.js'
import { Others } from './others.js'
import { PostgresCheckpoint, type SharedTurnsOf } from './postgres-checkpoint.js'
import { repeated } from './repeating.js'
import { SharedStore } from './store.js'
import type { Worker } from './worker.js'

export interface OpenPostgresCheckpointDeps extends Pick<
  OpenCheckpointDeps,
  'scope' | 'job' | 'nowMs' | 'random'
> {
  readonly clock: Clock
  /** A database that was found fit, and what custom ids are made of in it. */
  readonly postgres: Postgres
  readonly id: string
  readonly generation: number
  readonly explain: (error: unknown) => unknown
  /** This process, joined; it is closed with the checkpoint, and the database is not. */
  readonly worker: Worker
  /** What readers of this machine read; it is not closed. */
  readonly copy: LocalCopy
  /** Turns at a limit of the service; null where it has none. */
  readonly turnsOf: SharedTurnsOf | null
  /** The part of the job that this process has; null: its job has no parts. */
  readonly part?: Partition | null
}

/** Joins the job of a shared checkpoint. Throws CHECKPOINT_*. */
export async function openPostgresCheckpoint(deps: OpenPostgresCheckpointDeps): Promise<PostgresCheckpoint> {
  const { postgres, worker, copy, scope, nowMs, explain } = deps
  const joined = { base: scope, input: deps.job, workerId: worker.id, nowMs }
  const job = await repeated(deps, () =>
    postgres.transaction((statements) => joinJob(statements, joined)),
  ).catch((error: unknown) => {
    throw explain(error)
  })
  const store = new SharedStore({ ...deps, job })
  let isClosed = false
  return new PostgresCheckpoint(
    {
      store,
      others: new Others(store),
      turnsOf: deps.turnsOf,
      remember: (change) => copy.remember(change),
      copyForReading: () => copyWanted(store, copy),
      close: async () => {
        if (isClosed) return
        isClosed = true
        await giveUp(postgres, store.workerId)
        await worker.close()
      },
    },
    'resolution',
  )
}

/**
 * What this process still has. Nothing of it is in flight any more: an intention that stands was never answered. Where the
 * server is away, others sort it out once the lease has run out.
 */
async function giveUp(postgres: Postgres, workerId: number): Promise<void> {
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
    await postgres.query('DELETE FROM enrich.wanted WHERE worker_id = $1', [workerId])
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error
  }
}
