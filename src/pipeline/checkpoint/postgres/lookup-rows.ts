import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { RowAnswer, RunOwner } from '../records.js'
import type { LookupId, Lookup } from '../../../core/lookup-identity.js'
import { unpackBody, type PackedAnswer } from '../packed-answer.js'
import { restoredSql } from '../tables.js'
import { clockSkewMs, type Change, type LookupChange, type LookupNow } from '../transitions.js'
import type { LookupKind } from '../../../core/lookup-state.js'
import type { SharedStore } from './store.js'

/** Locks a lookup until the transaction ends. */
export async function lockLookup(
  statements: PostgresStatements,
  lookupId: LookupId,
): Promise<LookupNow | undefined> {
  const [row] = await statements.query<LookupNow>(
    `SELECT lookup_id AS "lookupId", state, custom_id AS "customId", run_id AS "runId" FROM enrich.lookups
     WHERE lookup_id = $1 FOR NO KEY UPDATE`,
    [lookupId],
  )
  return row
}

/** The columns of an answer, as `PackedAnswer`. */
export const packedColumnsSql = `a.packing, a.line_bytes AS "lineBytes", a.body_bytes AS "bodyBytes", a.packed`

/** The last response body of a lookup, as JSON; `null` if it has none. */
export async function readAnswerBody(
  statements: PostgresStatements,
  lookupId: LookupId,
): Promise<string | null> {
  const [row] = await statements.query<PackedAnswer>(
    `SELECT ${packedColumnsSql} FROM enrich.answers a WHERE a.lookup_id = $1`,
    [lookupId],
  )
  return row === undefined ? null : unpackBody(row)
}

/** Writes the changes of a transition under its locks. Returns the lookups that this worker owns afterwards. */
export async function applyChanges(
  statements: PostgresStatements,
  changes: readonly Change[],
  workerId: number,
): Promise<Set<LookupId>> {
  const kept = new Set<LookupId>()
  for (const change of changes) {
    switch (change.of) {
      case 'lookup':
        if (await settleLookup(statements, change, workerId)) kept.add(change.lookupId)
        break
      case 'submission':
        await statements.query(settleSubmissionSql, [
          change.customId,
          change.verdict,
          change.runId,
          change.acceptedAtMs,
          change.reason,
        ])
        break
      case 'attention':
        await statements.query('UPDATE enrich.lookups SET failure = $2 WHERE lookup_id = $1', [
          change.lookupId,
          change.reason,
        ])
        break
      case 'answer':
        throw new Error('answers are written in batches')
    }
  }
  return kept
}

/** Returns whether this worker owns the lookup from here on. */
async function settleLookup(
  { query }: PostgresStatements,
  { lookupId, state, keeper, runId, acceptedAtMs, reason }: LookupChange,
  workerId: number,
): Promise<boolean> {
  const [kept] = await query<{ workerId: number | null }>(
    `UPDATE enrich.lookups SET state = $2, run_id = $3, submitted_at_ms = $4, failure = $5,
       worker_id = CASE WHEN $6 = 'self' OR $6 = 'whoever wants it' AND EXISTS (
         SELECT FROM enrich.wanted w WHERE w.worker_id = $7 AND w.lookup_id = $1 AND NOT w.is_decided) THEN $7::bigint END
     WHERE lookup_id = $1 RETURNING worker_id AS "workerId"`,
    [lookupId, state, runId, acceptedAtMs, reason, keeper, workerId],
  )
  return kept?.workerId === workerId
}

/**
 * Returns the budget of an unbilled submission to its job, or takes it again if it was billed after all. $1 custom id,
 * $2 verdict, $3 run, $4 time of acceptance, $5 reason.
 */
export const settleSubmissionSql = `WITH before AS (
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
  SELECT FROM settled`

/**
 * Whether another submission of the scope has the run. Only the service's own runs can be named twice: other kinds are
 * identified by their content.
 */
export async function isRunTaken(
  statements: PostgresStatements,
  store: Pick<SharedStore, 'job'>,
  kind: LookupKind,
  { runId, customId }: { readonly runId: string; readonly customId: string },
): Promise<boolean> {
  if (kind !== 'resolution') return false
  const rows = await statements.query(
    `SELECT FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id)
     WHERE s.run_id = $1 AND l.scope_id = $2 AND s.custom_id <> $3 LIMIT 1`,
    [runId, store.job.kinds.getScopeId(kind), customId],
  )
  return rows.length > 0
}

/** Reads valid answers to row lookups of a kind, after a position; in order. */
export async function selectRowAnswers(
  store: SharedStore,
  kind: LookupKind,
  afterPosition: number,
  count: number,
): Promise<RowAnswer[]> {
  const rows = await store.query<Lookup & PackedAnswer & { position: number; lookupId: LookupId }>(
    `SELECT w.position, l.lookup_id AS "lookupId", l.name, l.location, l.context, ${packedColumnsSql}
     FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
     JOIN enrich.answers a ON a.lookup_id = l.lookup_id
     WHERE w.worker_id = $1 AND w.scope_id = $2 AND w.position > $3 AND NOT w.is_decided AND w.is_first
       AND l.state = 'answered' ORDER BY w.position LIMIT $4`,
    [store.worker.id, store.job.kinds.getScopeId(kind), afterPosition, count],
  )
  return rows.map(({ position, lookupId, name, location, context, ...packed }) => ({
    position,
    lookupId,
    asked: { name, location, context },
    body: unpackBody(packed),
  }))
}

/** The submitted text of a row lookup of this run; `null` for a follow-up lookup. */
export async function selectRowLookup(store: SharedStore, lookupId: LookupId): Promise<Lookup | null> {
  const [row] = await store.query<Lookup>(
    `SELECT l.name, l.location, l.context FROM enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
     WHERE w.worker_id = $1 AND w.lookup_id = $2 AND w.is_first AND NOT w.is_decided`,
    [store.worker.id, lookupId],
  )
  return row ?? null
}

const ownerSql = `SELECT l.lookup_id AS "lookupId", coalesce(l.run_id, '') AS "runId",
    coalesce(l.custom_id, '') AS "customId", l.name, coalesce(l.submitted_at_ms, 0) AS "submittedAtMs",
    l.failure AS "needsAttention", l.state,
    EXISTS (SELECT FROM enrich.wanted w WHERE w.worker_id = $1 AND w.lookup_id = l.lookup_id AND NOT w.is_decided)
      AS "isWanted"
  FROM enrich.lookups l WHERE l.scope_id = $2`

export async function selectOwner(
  store: SharedStore,
  kind: LookupKind,
  given: { readonly runId: string } | { readonly key: Uint8Array },
): Promise<RunOwner | null> {
  const [column, value] = 'runId' in given ? ['run_id', given.runId] : ['key', Buffer.from(given.key)]
  const values = [store.worker.id, store.job.kinds.getScopeId(kind), value]
  const [row] = await store.query<RunOwner>(`${ownerSql} AND l.${column} = $3`, values)
  return row ?? null
}

/** Lookups whose response was lost by a submission sent after `afterMs`. */
export function selectLostSince(
  store: SharedStore,
  kind: LookupKind,
  afterMs: number,
  among: 'wanted' | 'all',
): Promise<{ lookupId: LookupId; intendedAtMs: number }[]> {
  return store.query(
    `SELECT l.lookup_id AS "lookupId", s.intended_at_ms AS "intendedAtMs"
     FROM enrich.lookups l JOIN enrich.submissions s ON s.custom_id = l.custom_id
     WHERE l.scope_id = $2 AND l.state = 'uncertain' AND s.intended_at_ms > $3
       AND ($4 OR EXISTS (SELECT FROM enrich.wanted w
         WHERE w.worker_id = $1 AND w.lookup_id = l.lookup_id AND NOT w.is_decided))`,
    [store.worker.id, store.job.kinds.getScopeId(kind), afterMs, among === 'all'],
  )
}

/** Covers several minutes at all rate limits together, so that submissions of other kinds hide none. */
const recentRead = 10_000

/** Reads the send times of the newest submissions of a kind by all workers; oldest first. */
export async function selectRecentSubmissions(
  store: SharedStore,
  kind: LookupKind,
  afterMs: number,
  countMax: number,
): Promise<number[]> {
  const rows = await store.query<{ atMs: number }>(
    `SELECT s.intended_at_ms AS "atMs" FROM
       (SELECT submission_id, lookup_id, intended_at_ms FROM enrich.submissions
        ORDER BY submission_id DESC LIMIT greatest($3::bigint, ${recentRead})) s
     JOIN enrich.lookups l ON l.lookup_id = s.lookup_id
     WHERE l.scope_id = $1 AND s.intended_at_ms > $2 ORDER BY s.submission_id DESC LIMIT $3`,
    [store.job.kinds.getScopeId(kind), afterMs, countMax],
  )
  return rows.map(({ atMs }) => atMs).sort((one, other) => one - other)
}

/** The lookups of this worker's run, of one kind, after a position. $1 worker, $2 scope, $3 position. */
export const wantedFrom = `enrich.wanted w JOIN enrich.lookups l ON l.lookup_id = w.lookup_id
  LEFT JOIN enrich.workers h ON h.worker_id = l.worker_id`
export const isWanted = 'w.worker_id = $1 AND w.scope_id = $2 AND w.position > $3 AND NOT w.is_decided'

/** No other live worker owns the lookup. */
export const isFree = '(l.worker_id IS NULL OR l.worker_id = $1 OR h.is_fenced OR h.ended_at IS NOT NULL)'

/** The failure is kept for `restoreReopened`. */
export const openedAgain = `state = 'new', custom_id = NULL, run_id = NULL, worker_id = NULL`

/** The last billed submission of a reopened lookup `l`, with the outcome of its answer and the status to retry it by. */
const lastBilled = `(SELECT s.verdict, a.outcome, CASE WHEN a.outcome IS NOT NULL THEN a.outcome
      WHEN s.verdict = 'rejected' THEN 'invalid_input'
      WHEN s.verdict = 'accepted' AND l.failure IS NOT NULL THEN 'error' END AS status
    FROM enrich.submissions s LEFT JOIN enrich.answers a ON a.lookup_id = s.lookup_id AND a.run_id = s.run_id
    WHERE s.lookup_id = l.lookup_id AND s.verdict IN ('accepted', 'rejected', 'uncertain')
    ORDER BY s.attempt DESC LIMIT 1)`

/** Returns the condition that a job has submitted the lookup `l`, although another one may have done so since. */
const buildSubmittedBySql = (job: string): string => `EXISTS (SELECT FROM enrich.submissions s
    JOIN enrich.jobs j USING (job_id)
    WHERE s.lookup_id = l.lookup_id AND s.verdict <> 'not_created' AND j.input = ${job})`

/** Whether `restoreReopened` would restore the lookup `l`, which is `new`, from its submission `b`. */
const isRestorable = '(l.custom_id IS NULL OR b.outcome IS NOT NULL)'

/**
 * Returns the condition that this run may submit the lookup `l`, which is `new`. If another run reopened it and did not
 * submit it, this run does so only if it would have reopened it too. `reopening`: see `Reopening`.
 */
export function buildMaySubmitSql(reopening: string): string {
  const policy = `(${reopening}::jsonb -> l.scope_id::text)`
  return `(l.attempt = 0 OR l.worker_id IS NOT DISTINCT FROM $1 OR NOT EXISTS (SELECT FROM ${lastBilled} b WHERE ${isRestorable}
    AND NOT coalesce(
      ${policy} -> 'statuses' ? b.status AND NOT ${buildSubmittedBySql(`(${policy} ->> 'retry')`)}
      OR b.outcome IS NOT NULL AND l.answered_at_ms < (${policy} ->> 'cutoffMs')::bigint
      OR b.outcome IS NULL AND ${policy} -> 'verdicts' ? b.verdict, false)))`
}

/**
 * Gives reopened lookups that were not submitted again the state that their last submission left them; neither those
 * that the retry of another live worker may still submit, nor those that this run may (`null`: it submits nothing more).
 */
export async function restoreReopened(
  { query }: Pick<PostgresStatements, 'query'>,
  workerId: number,
  scopeIds: readonly number[],
  afterPosition: number,
  reopening: string | null,
): Promise<void> {
  await query(
    `WITH open AS MATERIALIZED (
       SELECT l.lookup_id FROM ${wantedFrom}
       WHERE ${isWanted.replace('= $2', '= ANY($2::integer[])')} AND l.state = 'new' AND l.attempt > 0 AND ${isFree}
         AND ($4::jsonb IS NULL OR NOT ${buildMaySubmitSql('$4')})
         AND NOT EXISTS (SELECT FROM enrich.workers ow JOIN enrich.jobs oj ON oj.job_id = ow.job_id
           JOIN enrich.wanted o ON o.worker_id = ow.worker_id AND o.lookup_id = l.lookup_id
           CROSS JOIN LATERAL ${lastBilled} b
           WHERE ow.worker_id <> $1 AND NOT o.is_decided AND NOT ow.is_fenced AND ow.ended_at IS NULL
             AND b.status = ANY(string_to_array(substring(oj.input FROM '^retry [0-9]+ of ([a-z_,]+): '), ',')))
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
     ), s AS (
       SELECT DISTINCT ON (lookup_id) * FROM enrich.submissions JOIN open USING (lookup_id)
       WHERE verdict IN ('accepted', 'rejected', 'uncertain') ORDER BY lookup_id, attempt DESC
     )
     UPDATE enrich.lookups l SET ${restoredSql}, worker_id = NULL
     FROM s LEFT JOIN enrich.answers a ON a.lookup_id = s.lookup_id AND a.run_id = s.run_id
     WHERE l.lookup_id = s.lookup_id AND (l.custom_id IS NULL OR a.outcome IS NOT NULL)`,
    [workerId, scopeIds, afterPosition, reopening],
  )
}

/** Counts answers dated in the future. */
export async function countFromFuture(store: SharedStore, kind: LookupKind, nowMs: number): Promise<number> {
  const [row] = await store.query<{ count: number }>(
    `SELECT count(*) AS count FROM ${wantedFrom} WHERE ${isWanted} AND l.answered_at_ms > $4`,
    [store.worker.id, store.job.kinds.getScopeId(kind), 0, nowMs + clockSkewMs],
  )
  return row?.count ?? 0
}

/**
 * Reopens lookups by outcome, except what this retry submitted. A run that needs attention counts as `error`; a slow run
 * has no outcome.
 */
export async function reopenOutcomes(
  store: SharedStore,
  kind: LookupKind,
  outcomes: readonly string[],
  afterPosition: number,
): Promise<void> {
  await store.query(
    `UPDATE enrich.lookups SET ${openedAgain} WHERE lookup_id IN (
       SELECT l.lookup_id FROM ${wantedFrom}
       WHERE ${isWanted} AND ${isFree} AND CASE l.state
         WHEN 'invalid' THEN 'invalid_input'
         WHEN 'running' THEN CASE WHEN l.failure IS NULL THEN NULL ELSE 'error' END
         WHEN 'answered' THEN (SELECT a.outcome FROM enrich.answers a WHERE a.lookup_id = l.lookup_id)
         WHEN 'failed' THEN 'failed' END = ANY($4::text[])
       AND NOT ${buildSubmittedBySql('$5')}
       ORDER BY l.lookup_id FOR NO KEY UPDATE OF l)`,
    [
      store.worker.id,
      store.job.kinds.getScopeId(kind),
      afterPosition,
      outcomes,
      store.job.retry?.job ?? null,
    ],
  )
}
