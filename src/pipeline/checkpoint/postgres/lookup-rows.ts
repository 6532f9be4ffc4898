import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { moveLookup, type LookupEvent } from '../../rules/lookup-life.js'
import type { LookupState } from '../../rules/lookup-state.js'
import type { LookupId, RunContender } from '../checkpoint.js'

/** A lookup as its next change finds it; nobody else changes it before the transaction ends. */
export interface LockedLookup {
  lookupId: LookupId
  state: LookupState
  customId: string | null
  runId: string | null
}

/** By their numbers, in their order: who locks several always locks them so, and two never wait for each other. */
export async function lockLookups(
  statements: PostgresStatements,
  lookupIds: readonly LookupId[],
): Promise<Map<LookupId, LockedLookup>> {
  const rows = await statements.query<LockedLookup>(
    `SELECT lookup_id AS "lookupId", state, custom_id AS "customId", run_id AS "runId" FROM enrich.lookups
     WHERE lookup_id = ANY($1::bigint[]) ORDER BY lookup_id FOR NO KEY UPDATE`,
    [lookupIds],
  )
  return new Map(rows.map((row) => [row.lookupId, row]))
}

export async function lockLookup(
  statements: PostgresStatements,
  lookupId: LookupId,
): Promise<LockedLookup | undefined> {
  return (await lockLookups(statements, [lookupId])).get(lookupId)
}

/** The state an event leads to. Throws where the life of a lookup knows no such step: that is a bug. */
export function stateAfter(
  row: LockedLookup | undefined,
  lookupId: LookupId,
  event: LookupEvent,
): LookupState {
  const state = row === undefined ? null : moveLookup(row.state, event)
  if (state === null)
    throw new Error(`lookup ${lookupId} is ${row?.state ?? 'unknown'}: "${event}" cannot happen to it`)
  return state
}

/** What the answer to a submission leaves behind. */
export interface Settlement {
  runId: string | null
  acceptedAtMs: number | null
  reason: string | null
}

/** `workerId`: who looks after it from here on. */
export async function settleLookup(
  statements: PostgresStatements,
  {
    lookupId,
    state,
    workerId,
    runId,
    acceptedAtMs,
    reason,
  }: Settlement & {
    lookupId: LookupId
    state: LookupState
    workerId: number | null
  },
): Promise<void> {
  await statements.query(
    `UPDATE enrich.lookups SET state = $2, worker_id = $3, run_id = $4, submitted_at_ms = $5, failure = $6
     WHERE lookup_id = $1`,
    [lookupId, state, workerId, runId, acceptedAtMs, reason],
  )
}

/** What was not billed is there again for the job that it was taken from. */
export async function settleSubmission(
  statements: PostgresStatements,
  { customId, verdict, runId, acceptedAtMs, reason }: Settlement & { customId: string; verdict: string },
): Promise<void> {
  await statements.query(
    `WITH before AS (
       SELECT custom_id, verdict IN ('intended', 'accepted', 'uncertain') AS was_reserved FROM enrich.submissions
       WHERE custom_id = $1 FOR UPDATE
     ), settled AS (
       UPDATE enrich.submissions s SET verdict = $2, run_id = $3, accepted_at_ms = $4, reason = $5
       FROM before WHERE s.custom_id = before.custom_id
       RETURNING s.*, before.was_reserved AND $2 IN ('not_created', 'rejected') AS is_given_back
     ), ${givenBackSql}
     SELECT FROM settled`,
    [customId, verdict, runId, acceptedAtMs, reason],
  )
}

/** Of the rows of `settled` that say `is_given_back`: their share of the budgets. */
const givenBackSql = `
  of_job AS (
    UPDATE enrich.jobs j
    SET reserved_of_rows = j.reserved_of_rows - g.of_rows, reserved_micros = j.reserved_micros - g.micros
    FROM (SELECT job_id, count(*) FILTER (WHERE is_first) AS of_rows, sum(price_micros)::bigint AS micros
      FROM settled WHERE is_given_back GROUP BY job_id) g
    WHERE j.job_id = g.job_id
  ), of_kind AS (
    UPDATE enrich.job_kinds k SET reserved = k.reserved - g.total
    FROM (SELECT s.job_id, l.scope_id, count(*) AS total FROM settled s JOIN enrich.lookups l USING (lookup_id)
      WHERE s.is_given_back GROUP BY 1, 2) g
    WHERE k.job_id = g.job_id AND k.scope_id = g.scope_id
  )`

/** Submissions of a scope that the service gave one run to, in the order in which they were intended. */
export function contendersOf(
  statements: PostgresStatements,
  runId: string,
  scopeId: number,
): Promise<RunContender[]> {
  return statements.query<RunContender>(
    `SELECT s.custom_id AS "customId", s.lookup_id AS "lookupId", l.name FROM enrich.submissions s
     JOIN enrich.lookups l USING (lookup_id) WHERE s.run_id = $1 AND l.scope_id = $2 ORDER BY s.submission_id`,
    [runId, scopeId],
  )
}
