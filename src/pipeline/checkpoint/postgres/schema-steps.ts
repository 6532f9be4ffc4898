/**
 * The steps of a lookup as database functions. Each is one statement; a connection plans it once and keeps the plan,
 * also behind pgbouncer. Sent as text, each would be parsed and planned again, which takes longer than the step. A kept
 * plan must stay right when the tables grow, so plans that read more than these rows are disabled.
 * Never change a released function: add one with a higher number in a later migration, because processes of this
 * version still call the old one.
 */
const buildFunction = (head: string, body: string): string => `
  CREATE FUNCTION enrich.${head} LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan
  AS $function$
  #variable_conflict use_column
  BEGIN
    ${body}
  END $function$;`

/**
 * $1 worker, $2 lookups, $3 intended times, $4 scope, $5 job, $6 prefix of custom ids, $7 to $10 bounds, $11
 * generation: it changes when the checkpoint continues on another server, which stops older processes. Locks the
 * worker's row so that it is not fenced before the commit, and the job's rows so that no two workers use the same
 * remaining budget. Builds custom ids like `formatCustomId`.
 */
const intend = buildFunction(
  `intend_1(bigint, bigint[], bigint[], integer, bigint, text, bigint, bigint, bigint, bigint, integer)
  RETURNS TABLE (lookup_id bigint, custom_id text, attempt integer, was_free boolean, is_alive boolean,
    rows_left bigint, kind_left bigint)`,
  `RETURN QUERY
  WITH me AS MATERIALIZED (
    SELECT w.worker_id FROM enrich.workers w
    WHERE w.worker_id = $1 AND NOT w.is_fenced AND w.ended_at IS NULL AND w.lease_until > clock_timestamp()
      AND EXISTS (SELECT FROM enrich.checkpoint c WHERE c.timeline =
        ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::integer)
    FOR SHARE OF w
  ), locked AS MATERIALIZED (
    SELECT l.lookup_id FROM enrich.lookups l
    WHERE l.lookup_id = ANY($2) AND l.scope_id + 0 = $4 AND l.state || '' = 'new'
      AND coalesce(l.worker_id, $1) = $1 AND EXISTS (SELECT FROM me)
    ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
  ), job AS MATERIALIZED (
    SELECT j.reserved_of_rows, j.reserved_micros FROM enrich.jobs j
    WHERE j.job_id = $5 AND EXISTS (SELECT FROM locked) FOR NO KEY UPDATE OF j
  ), kind AS MATERIALIZED (
    SELECT k.reserved - k.reserved_before AS reserved FROM enrich.job_kinds k
    WHERE k.job_id = $5 AND k.scope_id = $4 AND EXISTS (SELECT FROM job) FOR NO KEY UPDATE OF k
  ), asked AS (
    SELECT a.lookup_id, a.now_ms, a.is_first, locked.lookup_id IS NOT NULL AS was_free,
      count(locked.lookup_id) OVER nth AS nth,
      count(locked.lookup_id) FILTER (WHERE a.is_first) OVER nth AS nth_of_rows
    FROM (
      SELECT i.*, coalesce((SELECT w.is_first FROM enrich.wanted w
        WHERE w.worker_id = $1 AND w.lookup_id = i.lookup_id), false) AS is_first
      FROM unnest($2, $3) WITH ORDINALITY AS i(lookup_id, now_ms, ordinal)
    ) a LEFT JOIN locked ON locked.lookup_id = a.lookup_id
    WINDOW nth AS (ORDER BY a.ordinal)
  ), moved AS (
    UPDATE enrich.lookups l
    SET state = 'intended', attempt = l.attempt + 1, worker_id = $1,
      custom_id = $6 || encode(l.key, 'hex') || '_' || (l.attempt + 1) || CASE $11 WHEN 0 THEN '' ELSE '_' || $11 END
    FROM asked a, job, kind
    WHERE l.lookup_id = a.lookup_id AND a.was_free
      AND ($7 IS NULL OR NOT a.is_first OR job.reserved_of_rows + a.nth_of_rows <= $7)
      AND ($8 IS NULL OR kind.reserved + a.nth <= $8)
      AND ($10 IS NULL OR $9 = 0 OR job.reserved_micros + a.nth * $9 <= $10)
    RETURNING l.lookup_id, l.custom_id, l.attempt, a.now_ms, a.is_first
  ), of_job AS (
    UPDATE enrich.jobs j
    SET reserved_of_rows = j.reserved_of_rows + m.of_rows, reserved_micros = j.reserved_micros + m.total * $9
    FROM (SELECT count(*) AS total, count(*) FILTER (WHERE is_first) AS of_rows FROM moved) m
    WHERE j.job_id = $5 AND m.total > 0
  ), of_kind AS (
    UPDATE enrich.job_kinds k SET reserved = k.reserved + m.total
    FROM (SELECT count(*) AS total FROM moved) m
    WHERE k.job_id = $5 AND k.scope_id = $4 AND m.total > 0
  ), noted AS (
    INSERT INTO enrich.submissions
      (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
    SELECT custom_id, lookup_id, $5, $1, attempt, is_first, $9, 'intended', now_ms FROM moved
    ORDER BY now_ms, lookup_id
  )
  SELECT a.lookup_id, m.custom_id, m.attempt, a.was_free, EXISTS (SELECT FROM me),
    CASE WHEN a.is_first THEN $7 - (SELECT reserved_of_rows FROM job) END,
    $8 - (SELECT reserved FROM kind)
  FROM asked a LEFT JOIN moved m ON m.lookup_id = a.lookup_id;`,
)

/** Returns the budget shares of the rows of `settled` that have `is_given_back`. */
const givenBack = `
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

const buildSettleSql = (givesBack: boolean): string => `RETURN QUERY
  WITH asked AS (
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
      AS a(lookup_id, custom_id, state, verdict, run_id, at_ms, reason, worker_id)
  ), locked AS MATERIALIZED (
    SELECT l.lookup_id, l.custom_id FROM enrich.lookups l
    WHERE l.lookup_id = ANY($1) AND l.state || '' = 'intended' AND l.custom_id = ANY($2)
    ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
  ), moved AS (
    UPDATE enrich.lookups l
    SET state = a.state, worker_id = a.worker_id, run_id = a.run_id, submitted_at_ms = a.at_ms, failure = a.reason
    FROM asked a JOIN locked USING (lookup_id, custom_id)
    WHERE l.lookup_id = a.lookup_id AND (NOT $9 OR a.run_id IS NULL OR NOT EXISTS (
      SELECT FROM enrich.submissions s JOIN enrich.lookups o ON o.lookup_id = s.lookup_id
      WHERE s.run_id = a.run_id AND s.custom_id <> a.custom_id AND o.scope_id = l.scope_id
      OFFSET 0))
    RETURNING a.*
  ), settled AS (
    UPDATE enrich.submissions s
    SET verdict = m.verdict, run_id = m.run_id, accepted_at_ms = m.at_ms, reason = m.reason
    FROM moved m WHERE s.custom_id = m.custom_id
    RETURNING s.*, m.verdict IN ('not_created', 'rejected') AS is_given_back
  )${givesBack ? `, ${givenBack}` : ''}
  SELECT custom_id FROM settled;`

/**
 * $1 to $8, aligned: lookups, custom ids, states, verdicts, runs, times, reasons, new owners; $9 whether the service
 * created the runs, and so could have assigned one twice.
 */
const settle = buildFunction(
  `settle_1(bigint[], text[], text[], text[], text[], bigint[], text[], bigint[], boolean)
  RETURNS TABLE (custom_id text)`,
  `IF $4 && ARRAY['not_created', 'rejected'] THEN
    ${buildSettleSql(true)}
  ELSE
    ${buildSettleSql(false)}
  END IF;`,
)

/**
 * $1 to $12, aligned; $13 all packed answers as one byte string; $14 whether the service created the runs. Writes
 * answers to runs that wait for them; without proof, no other lookup may have the run.
 */
const answer = buildFunction(
  `answer_1(bigint[], text[], text[], text[], integer[], bigint[], integer[], integer[], integer[], integer[], integer[],
    boolean[], bytea, boolean)
  RETURNS TABLE (lookup_id bigint)`,
  `RETURN QUERY
  WITH asked AS (
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      AS a(lookup_id, run_id, state, outcome, line_version, answered_at_ms, packing, line_bytes, body_bytes, start,
        byte_count, is_proved)
  ), locked AS MATERIALIZED (
    SELECT l.lookup_id, l.run_id FROM enrich.lookups l
    WHERE l.lookup_id = ANY($1) AND l.state || '' = 'running' AND l.run_id || '' = ANY($2)
    ORDER BY l.lookup_id FOR NO KEY UPDATE OF l
  ), moved AS (
    UPDATE enrich.lookups l
    SET state = a.state, answered_at_ms = a.answered_at_ms, failure = NULL, worker_id = NULL
    FROM asked a JOIN locked USING (lookup_id, run_id)
    WHERE l.lookup_id = a.lookup_id AND (NOT $14 OR a.is_proved OR NOT EXISTS (
      SELECT FROM enrich.submissions s JOIN enrich.lookups o ON o.lookup_id = s.lookup_id
      WHERE s.run_id = a.run_id AND s.custom_id IS DISTINCT FROM l.custom_id AND o.scope_id = l.scope_id
      OFFSET 0))
    RETURNING a.*
  ), written AS (
    INSERT INTO enrich.answers
    SELECT lookup_id, run_id, outcome, line_version, answered_at_ms, packing, line_bytes, body_bytes,
      substring($13 FROM start FOR byte_count)
    FROM moved
    ON CONFLICT (lookup_id) DO UPDATE SET run_id = excluded.run_id, outcome = excluded.outcome,
      line_version = excluded.line_version, answered_at_ms = excluded.answered_at_ms, packing = excluded.packing,
      line_bytes = excluded.line_bytes, body_bytes = excluded.body_bytes, packed = excluded.packed
  )
  SELECT lookup_id FROM moved;`,
)

export const stepFunctions = [intend, settle, answer].join('\n')
