import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { Damage, Verification } from '../sqlite/verify.js'
import { canUnpack, type PackedAnswer } from '../packed-answer.js'
import { packedColumnsSql } from './lookup-rows.js'
import { openSharedToRead, type OpenSharedDeps } from './open-database.js'

/** Checks all tables read-only, while workers continue; `null` if there is no checkpoint. Throws CHECKPOINT_*. */
export async function verifyShared(
  url: string,
  deps: Pick<OpenSharedDeps, 'environment'>,
): Promise<Verification | null> {
  const shared = await openSharedToRead(url, deps)
  if (shared === null) return null
  const { problem, url: path } = shared
  // Counting millions of rows takes longer than the usual statement timeout.
  const postgres = shared.connectMore({ connectionsMax: 1, statementTimeoutMs: statementMsMax })
  try {
    const damage = await findSharedDamage(postgres)
    const shown =
      problem === null ? null : { code: problem.code, message: problem.message, hint: problem.hint ?? null }
    return { path, damage, problem: shown }
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await postgres.close()
    await shared.close()
  }
}

const statementMsMax = 3_600_000
const examplesMax = 10
const answersAtOnce = 500

/** Finds contradictions between rows. PostgreSQL checks its own files. */
export async function findSharedDamage(statements: PostgresStatements): Promise<Damage[]> {
  const found: Damage[] = []
  for (const { where, what, sql } of checks) {
    const rows = await statements.query<{ name: string; total: number }>(
      `SELECT name, count(*) OVER () AS total FROM (${sql}) AS f(name) LIMIT ${examplesMax}`,
    )
    const [first] = rows
    if (first !== undefined)
      found.push({ where, what, count: first.total, examples: rows.map(({ name }) => name) })
  }
  const unread = await listUnreadableAnswers(statements)
  return unread.length === 0
    ? found
    : [
        ...found,
        {
          where: 'answers',
          what: 'answers cannot be unpacked',
          count: unread.length,
          examples: unread.slice(0, examplesMax),
        },
      ]
}

async function listUnreadableAnswers({ query }: PostgresStatements): Promise<string[]> {
  const names: string[] = []
  for (let after = 0; ;) {
    const rows = await query<PackedAnswer & { lookupId: number; name: string }>(
      `SELECT a.lookup_id AS "lookupId", l.name, ${packedColumnsSql} FROM enrich.answers a
       JOIN enrich.lookups l USING (lookup_id) WHERE a.lookup_id > $1 ORDER BY a.lookup_id LIMIT $2`,
      [after, answersAtOnce],
    )
    for (const { name, ...answer } of rows) if (!canUnpack(answer)) names.push(name)
    after = rows.at(-1)?.lookupId ?? after
    if (rows.length < answersAtOnce) return names
  }
}

const reserved = `s.verdict IN ('intended', 'accepted', 'uncertain')`

interface Check extends Pick<Damage, 'where' | 'what'> {
  /** Selects the name of each faulty row. */
  readonly sql: string
}

/** Each check is one statement with one snapshot, so workers may continue. */
const checks: readonly Check[] = [
  {
    where: 'jobs',
    what: 'the used budgets of jobs do not match their submissions',
    sql: `SELECT j.input FROM enrich.jobs j LEFT JOIN enrich.submissions s ON s.job_id = j.job_id AND ${reserved}
      GROUP BY j.job_id
      HAVING j.reserved_of_rows <> count(*) FILTER (WHERE s.is_first)
        OR j.reserved_micros <> coalesce(sum(s.price_micros), 0)`,
  },
  {
    where: 'jobs',
    what: 'the counts of a kind of lookups do not match its submissions',
    sql: `SELECT j.input FROM enrich.job_kinds k JOIN enrich.jobs j USING (job_id) LEFT JOIN (
        SELECT s.job_id, l.scope_id, count(*) AS total FROM enrich.submissions s
        JOIN enrich.lookups l USING (lookup_id) WHERE ${reserved} GROUP BY 1, 2) g
      ON g.job_id = k.job_id AND g.scope_id = k.scope_id
      WHERE k.reserved <> coalesce(g.total, 0)`,
  },
  {
    where: 'lookups',
    what: 'states do not match the last submission or its answer',
    sql: `SELECT l.name FROM enrich.lookups l LEFT JOIN enrich.submissions s ON s.custom_id = l.custom_id
      WHERE (l.state IN ('intended', 'running', 'answered', 'failed', 'uncertain', 'invalid')
          AND s.verdict IS DISTINCT FROM CASE l.state WHEN 'intended' THEN 'intended' WHEN 'uncertain' THEN 'uncertain'
            WHEN 'invalid' THEN 'rejected' ELSE 'accepted' END)
        OR (l.state IN ('answered', 'failed') AND NOT EXISTS
          (SELECT FROM enrich.answers a WHERE a.lookup_id = l.lookup_id AND a.run_id = l.run_id))`,
  },
  {
    where: 'lookups',
    what: 'closed lookups still have an owner',
    sql: `SELECT l.name FROM enrich.lookups l
      WHERE l.state IN ('answered', 'failed', 'uncertain', 'invalid') AND l.worker_id IS NOT NULL`,
  },
  {
    where: 'lookups',
    what: 'lookups have fewer attempts than their submissions',
    sql: `SELECT l.name FROM enrich.lookups l
      WHERE l.attempt < (SELECT max(s.attempt) FROM enrich.submissions s WHERE s.lookup_id = l.lookup_id)`,
  },
  {
    where: 'submissions',
    what: 'lookups have several submissions in flight',
    sql: `SELECT l.name FROM enrich.submissions s JOIN enrich.lookups l USING (lookup_id)
      WHERE s.verdict = 'intended' GROUP BY l.lookup_id HAVING count(*) > 1`,
  },
]
