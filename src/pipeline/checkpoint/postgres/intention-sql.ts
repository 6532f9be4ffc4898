import { timelineSql } from '../../../platform/postgres/server.js'

/**
 * $1 worker, $2 lookups, $3 when each leaves, $4 scope, $5 job, $6 what custom ids begin with, $7 to $10 the bounds,
 * $11 what custom ids end with.
 * The worker's row is held so that nobody fences it before this commits, the rows of the job so that no two processes
 * take the same rest. A checkpoint that was gone on with on another server has another id: who began before does not go on. A custom id is made as `formatCustomId` makes it.
 *
 * What is compared as an expression (`+ 0`, `|| ''`), or looked up one by one, is so that a planner which knows little of
 * tables that have just grown reads no more of them than these rows.
 */
export const intendSql = `
  WITH me AS MATERIALIZED (
    SELECT w.worker_id FROM enrich.workers w
    WHERE w.worker_id = $1 AND NOT w.is_fenced AND w.ended_at IS NULL AND w.lease_until > clock_timestamp()
      AND EXISTS (SELECT FROM enrich.checkpoint c
        WHERE c.timeline = ${timelineSql} AND starts_with($6, 'enr_' || c.id || '_'))
    FOR SHARE OF w
  ), locked AS MATERIALIZED (
    SELECT l.lookup_id FROM enrich.lookups l
    WHERE l.lookup_id = ANY($2::bigint[]) AND l.scope_id + 0 = $4 AND l.state || '' = 'new'
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
      FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS i(lookup_id, now_ms, ordinal)
    ) a LEFT JOIN locked ON locked.lookup_id = a.lookup_id
    WINDOW nth AS (ORDER BY a.ordinal)
  ), moved AS (
    UPDATE enrich.lookups l
    SET state = 'intended', attempt = l.attempt + 1, worker_id = $1,
      custom_id = $6 || encode(l.key, 'hex') || '_' || (l.attempt + 1) || $11
    FROM asked a, job, kind
    WHERE l.lookup_id = a.lookup_id AND a.was_free
      AND ($7::bigint IS NULL OR NOT a.is_first OR job.reserved_of_rows + a.nth_of_rows <= $7)
      AND ($8::bigint IS NULL OR kind.reserved + a.nth <= $8)
      AND ($10::bigint IS NULL OR $9::bigint = 0 OR job.reserved_micros + a.nth * $9::bigint <= $10)
    RETURNING l.lookup_id, l.custom_id, l.attempt, a.now_ms, a.is_first
  ), of_job AS (
    UPDATE enrich.jobs j
    SET reserved_of_rows = j.reserved_of_rows + m.of_rows, reserved_micros = j.reserved_micros + m.total * $9::bigint
    FROM (SELECT count(*) AS total, count(*) FILTER (WHERE is_first) AS of_rows FROM moved) m
    WHERE j.job_id = $5 AND m.total > 0
  ), of_kind AS (
    UPDATE enrich.job_kinds k SET reserved = k.reserved + m.total
    FROM (SELECT count(*) AS total FROM moved) m
    WHERE k.job_id = $5 AND k.scope_id = $4 AND m.total > 0
  ), noted AS (
    INSERT INTO enrich.submissions
      (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
    SELECT custom_id, lookup_id, $5, $1, attempt, is_first, $9::bigint, 'intended', now_ms FROM moved
    ORDER BY now_ms, lookup_id
  )
  SELECT a.lookup_id AS "lookupId", m.custom_id AS "customId", m.attempt, a.was_free AS "wasFree",
    EXISTS (SELECT FROM me) AS "isAlive",
    CASE WHEN a.is_first THEN $7::bigint - (SELECT reserved_of_rows FROM job) END AS "rowsLeft",
    $8::bigint - (SELECT reserved FROM kind) AS "kindLeft"
  FROM asked a LEFT JOIN moved m ON m.lookup_id = a.lookup_id`
