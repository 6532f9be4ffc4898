import { ConnectionLostError, sqlStateOf, type Postgres } from '../../../platform/postgres/postgres.js'
import { leaseTimes } from './lease.js'
import { startRepeating } from './repeat.js'

export interface Swept {
  /** Whose lease had run out, and who were fenced by this sweep. */
  readonly fencedCount: number
  /** Lookups that they may have submitted. */
  readonly uncertainCount: number
}

/** Rows a transaction: others wait for no more than these. */
const batchCount = 1_000

export const lostReason = 'the process that submitted it is gone'

/**
 * Fences processes whose lease has run out, and takes from those that are fenced what they held. It never makes
 * anything `new` that was intended: what may have been submitted is uncertain. Any number of processes may sweep at
 * once: each takes what no other is at.
 */
export async function sweep(postgres: Postgres): Promise<Swept> {
  const fenced = await postgres.query(
    `UPDATE enrich.workers SET is_fenced = true, fenced_at = clock_timestamp()
     WHERE worker_id IN (
       SELECT worker_id FROM enrich.workers WHERE NOT is_fenced AND lease_until < clock_timestamp()
       ORDER BY worker_id FOR UPDATE SKIP LOCKED)
     RETURNING worker_id`,
  )
  // After that was committed, and in other statements: these see all that the fenced had committed before.
  let uncertainCount = 0
  for (;;) {
    const step = await postgres.transaction(async ({ query }) => {
      const [worker] = await query<{ id: number }>(
        `SELECT worker_id AS id FROM enrich.workers WHERE is_fenced AND NOT is_swept
         ORDER BY worker_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
      )
      if (worker === undefined) return null
      const [taken] = await query<Taken>(takeSql, [worker.id, batchCount, lostReason])
      const { lookups = 0, wanted = 0, uncertain = 0 } = taken ?? {}
      if (lookups === 0 && wanted === 0) {
        await query('UPDATE enrich.workers SET is_swept = true WHERE worker_id = $1', [worker.id])
      }
      return uncertain
    })
    if (step === null) return { fencedCount: fenced.length, uncertainCount }
    uncertainCount += step
  }
}

interface Taken {
  readonly lookups: number
  readonly wanted: number
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
  ), wanted AS (
    DELETE FROM enrich.wanted w
    WHERE w.worker_id = $1 AND w.position IN (SELECT position FROM enrich.wanted WHERE worker_id = $1 LIMIT $2)
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM lookups) AS lookups, (SELECT count(*) FROM wanted) AS wanted,
    (SELECT count(*) FROM lookups WHERE state = 'uncertain') AS uncertain`

export interface SweepingDeps {
  readonly postgres: Postgres
  readonly everyMs?: number
  readonly onSwept?: (swept: Swept) => void
  /** What is neither a lost connection nor a conflict, both of which the next sweep gets over. */
  readonly onFailure: (error: unknown) => void
}

/** Sweeps now and then. Gives what ends it, once the sweep that is under way has ended. */
export function startSweeping({
  postgres,
  everyMs = leaseTimes.renewEvery,
  onSwept = () => undefined,
  onFailure,
}: SweepingDeps): () => Promise<void> {
  return startRepeating(everyMs, async () => {
    try {
      onSwept(await sweep(postgres))
    } catch (error) {
      const state = sqlStateOf(error)
      if (error instanceof ConnectionLostError || state === '40P01' || state === '40001') return
      onFailure(error)
    }
  })
}
