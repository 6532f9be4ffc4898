import { ConnectionLostError, type Postgres } from '../../src/platform/postgres/postgres.js'
import { lostReason } from '../../src/pipeline/checkpoint/postgres/sweep.js'
import { startPeriodicTask } from '../../src/platform/postgres/retry.js'

const everyMs = 100

/**
 * The mistake that a shared queue makes: what somebody had taken whose lease ran out is given to others, though it may
 * have been submitted. Gives what ends it.
 */
export function startGivingBack(postgres: Postgres, mayAsk: () => boolean): () => Promise<void> {
  return startPeriodicTask(everyMs, async () => {
    if (!mayAsk()) return
    await askIfThere(() =>
      postgres.query(
        `WITH taken AS (
           SELECT l.lookup_id, s.custom_id FROM enrich.lookups l
           JOIN enrich.submissions s ON s.custom_id = l.custom_id
           JOIN enrich.workers w ON w.worker_id = s.worker_id
           WHERE w.is_fenced AND (l.state = 'intended' OR (l.state = 'uncertain' AND s.reason = $1))
           ORDER BY l.lookup_id FOR UPDATE OF l
         ), forgotten AS (
           UPDATE enrich.submissions s SET verdict = 'not_created' FROM taken WHERE s.custom_id = taken.custom_id
         )
         UPDATE enrich.lookups l SET state = 'new', worker_id = NULL, custom_id = NULL, failure = NULL
         FROM taken WHERE l.lookup_id = taken.lookup_id`,
        [lostReason],
      ),
    )
  })
}

/** Null before the tables are made, and while the server is away. */
export async function askIfThere<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ConnectionLostError || String(error).includes('does not exist')) return null
    throw error
  }
}
