import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupId } from '../checkpoint.js'

/** Whether any process works on the checkpoint. */
export async function isAnyAlive(statements: PostgresStatements): Promise<boolean> {
  const rows = await statements.query(
    'SELECT 1 FROM enrich.workers WHERE NOT is_fenced AND lease_until > clock_timestamp() LIMIT 1',
  )
  return rows.length > 0
}

/** Looked at in one statement. */
const lookupsAtOnce = 20_000

/** Those that have an answer by now, or never will. */
export async function answeredAmong(
  statements: PostgresStatements,
  lookupIds: readonly LookupId[],
): Promise<LookupId[]> {
  const found: LookupId[] = []
  for (let start = 0; start < lookupIds.length; start += lookupsAtOnce) {
    const rows = await statements.query<{ lookupId: LookupId }>(
      `SELECT lookup_id AS "lookupId" FROM enrich.lookups
       WHERE lookup_id = ANY($1::bigint[]) AND state IN ('answered', 'invalid', 'failed')`,
      [lookupIds.slice(start, start + lookupsAtOnce)],
    )
    for (const { lookupId } of rows) found.push(lookupId)
  }
  return found
}
