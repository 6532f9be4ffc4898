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

/**
 * What was not billed is there again for the job that it was taken from; what turns out to have been billed after all is
 * taken from it.
 */
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
       RETURNING s.*, ($2 IN ('intended', 'accepted', 'uncertain'))::integer - before.was_reserved::integer AS taken
     ), of_job AS (
       UPDATE enrich.jobs j
       SET reserved_of_rows = j.reserved_of_rows + s.taken * s.is_first::integer,
         reserved_micros = j.reserved_micros + s.taken * s.price_micros
       FROM settled s WHERE j.job_id = s.job_id AND s.taken <> 0
     ), of_kind AS (
       UPDATE enrich.job_kinds k SET reserved = k.reserved + s.taken
       FROM settled s JOIN enrich.lookups l USING (lookup_id)
       WHERE s.taken <> 0 AND k.job_id = s.job_id AND k.scope_id = l.scope_id
     )
     SELECT FROM settled`,
    [customId, verdict, runId, acceptedAtMs, reason],
  )
}

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
