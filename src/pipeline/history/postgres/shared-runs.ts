import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { RunRow } from '../../checkpoint/history-tables.js'
import type { RememberedRun } from '../history.js'
import { rememberedOf } from '../run-rows.js'

/**
 * Held, shared, by who begins a run or copies what runs published; alone by who forgets what nobody has any more. Any
 * number; each until its transaction ends.
 */
const historyLock = 7_305_511_969

export const lockShared = (statements: PostgresStatements) =>
  statements.query('SELECT pg_advisory_xact_lock_shared($1)', [historyLock])

export const lockAlone = (statements: PostgresStatements) =>
  statements.query('SELECT pg_advisory_xact_lock($1)', [historyLock])

/** A run, and whether its process lives; null where that is not known. */
export interface SharedRunRow extends RunRow {
  readonly isGoingOn: boolean | null
}

/** `r` a run, `w` its process: a lease that has run out is that of one which is gone, or will be. */
const runColumnsSql = `r.run_id, r.series, r.started_at_ms, r.ended_at_ms, r.exit_code,
  r.is_published::integer AS is_published, r.baseline, r.output_id, r.record,
  CASE WHEN r.ended_at_ms IS NULL THEN NOT w.is_fenced AND w.lease_until > clock_timestamp() END AS "isGoingOn"`
const runsSql = `enrich.history_runs r LEFT JOIN enrich.workers w USING (worker_id)`

/** Of a series or of all, the newest first. */
export function sharedRunsOf(statements: PostgresStatements, series: string | null): Promise<SharedRunRow[]> {
  return statements.query<SharedRunRow>(
    `SELECT ${runColumnsSql} FROM ${runsSql} WHERE $1::text IS NULL OR r.series = $1 ORDER BY r.run_id DESC`,
    [series],
  )
}

export function rememberedShared({ isGoingOn, ...row }: SharedRunRow): RememberedRun {
  return { ...rememberedOf(row), ...(isGoingOn === null ? {} : { isGoingOn }) }
}

/** Whether the tables are there: an older version made none, and who only looks makes none. */
export async function hasHistory(statements: PostgresStatements): Promise<boolean> {
  const rows = await statements.query("SELECT 1 WHERE to_regclass('enrich.history_runs') IS NOT NULL")
  return rows.length === 1
}
