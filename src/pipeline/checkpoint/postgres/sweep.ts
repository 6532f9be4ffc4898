import { ConnectionLostError, sqlStateOf, type Postgres } from '../../../platform/postgres/postgres.js'
import { leaseTimes } from './lease.js'
import { startRepeating } from './retry.js'

export interface Swept {
  /** Whose lease had run out, and who were fenced by this sweep. */
  readonly fencedCount: number
  /** Lookups that they may have submitted. */
  readonly uncertainCount: number
}

/** Rows a transaction: others wait for no more than these. */
const batchCount = 1_000

export const lostReason = 'the process that submitted it is gone'

/** No lease is longer: where one is, the clock of the server was set back. */
const leaseMsMax = 600_000

/** So long a process that was stopped may come back to what it wanted; a machine that sleeps longer begins anew. */
const backMs = 3_600_000

/**
 * Fences processes whose lease has run out, and takes from those that are fenced what they held. It never makes
 * anything `new` that was intended: what may have been submitted is uncertain. What they want stays for an hour, for
 * those that were only stopped. Any number of processes may sweep at once: each takes what no other is at.
 */
export async function sweep(postgres: Postgres): Promise<Swept> {
  const fenced = await postgres.query(
    `UPDATE enrich.workers SET is_fenced = true, fenced_at = clock_timestamp()
     WHERE worker_id IN (
       SELECT worker_id FROM enrich.workers WHERE NOT is_fenced
         AND lease_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + $1 * interval '1 millisecond'
       ORDER BY worker_id FOR UPDATE SKIP LOCKED)
     RETURNING worker_id`,
    [leaseMsMax],
  )
  // After that was committed, and in other statements: these see all that the fenced had committed before.
  let uncertainCount = 0
  for (;;) {
    const taken = await takeHeld(postgres)
    if (taken === null) break
    uncertainCount += taken
  }
  while (await forgetWanted(postgres));
  return { fencedCount: fenced.length, uncertainCount }
}

/** Of one process, and so many rows; gives how many of them are uncertain, and null where nothing is left to be taken. */
const takeHeld = (postgres: Postgres): Promise<number | null> =>
  postgres.transaction(async ({ query }) => {
    const [worker] = await query<{ id: number }>(
      `SELECT worker_id AS id FROM enrich.workers WHERE is_fenced AND NOT is_swept
       ORDER BY worker_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    )
    if (worker === undefined) return null
    const [taken] = await query<Taken>(takeSql, [worker.id, batchCount, lostReason])
    const { lookups = 0, uncertain = 0 } = taken ?? {}
    if (lookups === 0)
      await query('UPDATE enrich.workers SET is_swept = true WHERE worker_id = $1', [worker.id])
    return uncertain
  })

/** The same of what those wanted that do not come back; false where nothing is left. */
const forgetWanted = (postgres: Postgres): Promise<boolean> =>
  postgres.transaction(async ({ query }) => {
    // Its row is locked: a process that comes back now waits, and finds that it is over.
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

interface Taken {
  readonly lookups: number
  readonly uncertain: number
}

/** $1 the worker, $2 how many rows of each, $3 why. Runs stay with it until somebody who wants them adopts them. */
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

export interface SweepingDeps {
  readonly postgres: Postgres
  readonly everyMs?: number
  readonly onSwept?: (swept: Swept) => void
  /** What is neither a lost connection nor a conflict, both of which the next sweep gets over. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Sweeps at once, so that whoever begins finds what the dead have left, and now and then. Gives what ends it, once the
 * sweep that is under way has ended.
 */
export async function startSweeping({
  postgres,
  everyMs = leaseTimes.renewEvery,
  onSwept = () => undefined,
  onFailure,
}: SweepingDeps): Promise<() => Promise<void>> {
  const sweepOnce = async () => {
    try {
      onSwept(await sweep(postgres))
    } catch (error) {
      const state = sqlStateOf(error)
      if (error instanceof ConnectionLostError || state === '40P01' || state === '40001') return
      onFailure(error)
    }
  }
  await sweepOnce()
  return startRepeating(everyMs, sweepOnce)
}
