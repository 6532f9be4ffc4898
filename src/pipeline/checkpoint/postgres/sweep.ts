import { ConnectionLostError, getSqlState, type Postgres } from '../../../platform/postgres/postgres.js'
import { leaseTimes } from './lease.js'
import { startPeriodicTask } from '../../../platform/postgres/retry.js'

export interface SweepResult {
  /** Workers with expired leases that this sweep fenced. */
  readonly fencedCount: number
  /** Lookups that these workers may have submitted. */
  readonly uncertainCount: number
}

/** Rows per transaction: limits how long other workers wait for locks. */
const batchCount = 1_000

export const lostReason = 'the process that submitted it is gone'

/** Longest possible lease: a longer one means that the server's clock was set back. */
const leaseMsMax = 600_000

/** How long a suspended worker may return to its lookups; after a longer sleep it starts again. */
const backMs = 3_600_000

/**
 * Fences workers whose lease has expired, and releases the lookups of fenced workers. An intended lookup becomes
 * uncertain, never `new`, because it may have been submitted. The wanted lists are kept for an hour, for workers that
 * were only suspended. Any number of processes may sweep at once: each skips locked rows.
 */
export async function sweep(postgres: Postgres): Promise<SweepResult> {
  const fenced = await postgres.query(
    `UPDATE enrich.workers SET is_fenced = true, fenced_at = clock_timestamp()
     WHERE worker_id IN (
       SELECT worker_id FROM enrich.workers WHERE NOT is_fenced
         AND lease_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + $1 * interval '1 millisecond'
       ORDER BY worker_id FOR UPDATE SKIP LOCKED)
     RETURNING worker_id`,
    [leaseMsMax],
  )
  // Separate statements after that commit: they see all that the fenced workers had committed.
  let uncertainCount = 0
  for (;;) {
    const taken = await releaseBatch(postgres)
    if (taken === null) break
    uncertainCount += taken
  }
  while (await deleteWantedBatch(postgres));
  return { fencedCount: fenced.length, uncertainCount }
}

/** Releases one batch of one worker; returns how many of its lookups became uncertain, `null` if nothing is left. */
const releaseBatch = (postgres: Postgres): Promise<number | null> =>
  postgres.transaction(async ({ query }) => {
    const [worker] = await query<{ id: number }>(
      `SELECT worker_id AS id FROM enrich.workers WHERE is_fenced AND NOT is_swept
       ORDER BY worker_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    )
    if (worker === undefined) return null
    const [taken] = await query<ReleasedCounts>(takeSql, [worker.id, batchCount, lostReason])
    const { lookups = 0, uncertain = 0 } = taken ?? {}
    if (lookups === 0)
      await query('UPDATE enrich.workers SET is_swept = true WHERE worker_id = $1', [worker.id])
    return uncertain
  })

/** Deletes one batch of the wanted list of a worker that will not return; false if nothing is left. */
const deleteWantedBatch = (postgres: Postgres): Promise<boolean> =>
  postgres.transaction(async ({ query }) => {
    // Its row is locked: a worker that returns now waits, and finds that its term is over.
    const [worker] = await query<{ id: number }>(
      `UPDATE enrich.workers SET is_over = true WHERE worker_id = (
         SELECT worker_id FROM enrich.workers
         WHERE is_fenced AND NOT is_forgotten
           AND (is_over OR ended_at IS NOT NULL OR fenced_at < clock_timestamp() - $1 * interval '1 millisecond')
         ORDER BY worker_id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING worker_id AS id`,
      [backMs],
    )
    if (worker === undefined) return false
    const gone = await query(
      `DELETE FROM enrich.wanted WHERE worker_id = $1
         AND position IN (SELECT position FROM enrich.wanted WHERE worker_id = $1 LIMIT $2) RETURNING 1`,
      [worker.id, batchCount],
    )
    if (gone.length === 0)
      await query('UPDATE enrich.workers SET is_forgotten = true WHERE worker_id = $1', [worker.id])
    return true
  })

interface ReleasedCounts {
  readonly lookups: number
  readonly uncertain: number
}

/** $1 worker, $2 batch size, $3 reason. Runs stay with the worker until another one adopts them. */
const takeSql = `
  WITH held AS MATERIALIZED (
    SELECT l.lookup_id, l.custom_id, l.state FROM enrich.lookups l
    WHERE l.worker_id = $1 AND l.state IN ('new', 'intended')
    ORDER BY l.lookup_id LIMIT $2 FOR UPDATE OF l
  ), lookups AS (
    UPDATE enrich.lookups l
    SET worker_id = NULL,
      state = CASE WHEN held.state = 'intended' THEN 'uncertain' ELSE l.state END,
      failure = CASE WHEN held.state = 'intended' THEN $3 ELSE l.failure END
    FROM held WHERE l.lookup_id = held.lookup_id
    RETURNING l.state
  ), submissions AS (
    UPDATE enrich.submissions s SET verdict = 'uncertain', reason = $3
    FROM held WHERE held.state = 'intended' AND s.custom_id = held.custom_id AND s.verdict = 'intended'
  )
  SELECT (SELECT count(*) FROM lookups) AS lookups,
    (SELECT count(*) FROM lookups WHERE state = 'uncertain') AS uncertain`

export interface SweeperDeps {
  readonly postgres: Postgres
  readonly everyMs?: number
  readonly onSwept?: (swept: SweepResult) => void
  /** Called for errors other than lost connections and conflicts, which the next sweep retries. */
  readonly onFailure: (error: unknown) => void
}

/** Sweeps once, which cleans up after dead workers, then periodically. Returns a function that stops it. */
export async function startSweeper({
  postgres,
  everyMs = leaseTimes.renewEvery,
  onSwept = () => undefined,
  onFailure,
}: SweeperDeps): Promise<() => Promise<void>> {
  const sweepOnce = async () => {
    try {
      onSwept(await sweep(postgres))
    } catch (error) {
      const state = getSqlState(error)
      if (error instanceof ConnectionLostError || state === '40P01' || state === '40001') return
      onFailure(error)
    }
  }
  await sweepOnce()
  return startPeriodicTask(everyMs, sweepOnce)
}
