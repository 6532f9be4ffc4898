import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { RunRow } from '../../checkpoint/history-tables.js'
import { readScope } from '../../rules/lookup-kind.js'
import type { KindSubmissions, RememberedRun } from '../history.js'
import { packRecord, rememberedOf, unpackRecord } from '../run-rows.js'
import { withSubmissions } from '../run-spending.js'

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
  /** `null` if the run was copied here. */
  readonly workerId: number | null
}

/** `r` a run, `w` its process: a lease that has run out is that of one which is gone, or will be. */
const runColumnsSql = `r.run_id, r.series, r.started_at_ms, r.ended_at_ms, r.exit_code,
  r.is_published::integer AS is_published, r.baseline, r.output_id, r.record,
  r.worker_id AS "workerId", CASE WHEN r.ended_at_ms IS NULL THEN NOT w.is_fenced AND w.lease_until > clock_timestamp() END AS "isGoingOn"`
const runsSql = `enrich.history_runs r LEFT JOIN enrich.workers w USING (worker_id)`

/** Of a series or of all, the newest first. */
export function sharedRunsOf(statements: PostgresStatements, series: string | null): Promise<SharedRunRow[]> {
  return statements.query<SharedRunRow>(
    `SELECT ${runColumnsSql} FROM ${runsSql} WHERE $1::text IS NULL OR r.series = $1 ORDER BY r.run_id DESC`,
    [series],
  )
}

/** The same with what runs without a summary have submitted. */
export async function settledRunsOf(
  statements: PostgresStatements,
  series: string | null,
): Promise<SharedRunRow[]> {
  const rows = await sharedRunsOf(statements, series)
  const unsettled = rows.flatMap(({ workerId, record }) =>
    workerId !== null && unpackRecord(record)?.summary === null ? [workerId] : [],
  )
  if (unsettled.length === 0) return rows
  const submissions = await querySubmissions(statements, unsettled)
  return rows.map((row) => {
    const own = submissions.filter(({ workerId }) => workerId === row.workerId)
    const record = own.length === 0 ? null : unpackRecord(row.record)
    return record === null || record.summary !== null
      ? row
      : { ...row, record: packRecord(withSubmissions(record, own)) }
  })
}

/** Submissions that were billed, or may have been: by these processes, or by all of them if `null`. */
export async function querySubmissions(
  statements: PostgresStatements,
  workers: readonly number[] | null,
): Promise<(KindSubmissions & { readonly workerId: number | null })[]> {
  const rows = await statements.query<{
    scope: string
    workerId: number | null
    acceptedCount: number
    uncertainCount: number
  }>(
    `SELECT c.scope, CASE WHEN $1::bigint[] IS NOT NULL THEN s.worker_id END AS "workerId",
       count(*) FILTER (WHERE s.verdict = 'accepted') AS "acceptedCount",
       count(*) FILTER (WHERE s.verdict IN ('uncertain', 'intended')) AS "uncertainCount"
     FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id) JOIN enrich.scopes c ON c.scope_id = l.scope_id
     WHERE $1::bigint[] IS NULL OR s.worker_id = ANY($1) GROUP BY 1, 2`,
    [workers],
  )
  return rows.map(({ scope, ...counts }) => {
    const { base, kind } = readScope(scope)
    return { ...counts, kind, scope: base }
  })
}

export function rememberedShared({ isGoingOn, ...row }: SharedRunRow): RememberedRun {
  return { ...rememberedOf(row), ...(isGoingOn === null ? {} : { isGoingOn }) }
}
