import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { LookupState } from '../../rules/lookup-state.js'

/** Pages of 8 KiB. */
export interface CountLimits {
  /** A table that is larger is not counted through: about a million lookups. */
  readonly countedMax: number
  /** So many of its pages are read instead, spread over all of it. */
  readonly sampled: number
}

export const countLimits: CountLimits = { countedMax: 25_000, sampled: 4_000 }

export interface ScopeFigures {
  readonly scopeId: number
  readonly scope: string
  readonly submissions: number
  readonly firstSubmittedAtMs: number | null
  readonly lastAnsweredAtMs: number | null
}
export interface StateCount {
  readonly scopeId: number
  readonly state: LookupState
  readonly count: number
}
export interface OutcomeCount {
  readonly scopeId: number
  readonly outcome: string
  readonly count: number
}

export type Share = { readonly lookups: number; readonly answers: number }

/** What share of each table is read to count it, above 0 and at most 1; null: all of it, since it is small. */
export async function sampledShare(
  statements: PostgresStatements,
  { countedMax, sampled }: CountLimits,
): Promise<Share | null> {
  const [pages] = await statements.query<Share>(
    `SELECT pg_relation_size('enrich.lookups') / 8192 AS lookups, pg_relation_size('enrich.answers') / 8192 AS answers`,
  )
  const { lookups = 0, answers = 0 } = pages ?? {}
  if (lookups <= countedMax && answers <= countedMax) return null
  const share = (count: number) => Math.min(1, sampled / Math.max(1, count))
  return { lookups: share(lookups), answers: share(answers) }
}

/** Read newest first, to find when something was answered last. */
const newestCount = 10_000

/** By the counters of jobs; `firstSubmittedAtMs` is when the first job began. */
export const estimatedScopes = (statements: PostgresStatements): Promise<ScopeFigures[]> =>
  statements.query(
    `WITH newest AS (
       SELECT l.scope_id, max(l.answered_at_ms) AS at_ms
       FROM (SELECT lookup_id FROM enrich.submissions ORDER BY submission_id DESC LIMIT ${newestCount}) s
       JOIN enrich.lookups l ON l.lookup_id = s.lookup_id GROUP BY 1
     )
     SELECT sc.scope_id AS "scopeId", sc.scope, sum(k.reserved)::bigint AS submissions,
       min(j.started_at_ms) FILTER (WHERE k.reserved > 0) AS "firstSubmittedAtMs",
       (SELECT at_ms FROM newest WHERE newest.scope_id = sc.scope_id) AS "lastAnsweredAtMs"
     FROM enrich.scopes sc JOIN enrich.job_kinds k ON k.scope_id = sc.scope_id JOIN enrich.jobs j ON j.job_id = k.job_id
     GROUP BY sc.scope_id ORDER BY sc.scope_id`,
  )

/** What is open is counted, by the index that holds it alone; the rest is estimated by a sample of pages. */
export const estimatedStates = (statements: PostgresStatements, share: Share): Promise<StateCount[]> =>
  statements.query(
    `SELECT scope_id AS "scopeId", state, count(*) FROM enrich.lookups
     WHERE state IN ('intended', 'running', 'uncertain') GROUP BY 1, 2
     UNION ALL
     SELECT scope_id, state, round(count(*) / $1::double precision)::bigint
     FROM enrich.lookups TABLESAMPLE SYSTEM ($1::double precision * 100)
     WHERE state IN ('new', 'answered', 'failed', 'invalid') GROUP BY 1, 2`,
    [share.lookups],
  )

export const estimatedOutcomes = (statements: PostgresStatements, share: Share): Promise<OutcomeCount[]> =>
  statements.query(
    `SELECT l.scope_id AS "scopeId", a.outcome, round(count(*) / $1::double precision)::bigint AS count
     FROM (SELECT lookup_id, outcome FROM enrich.answers TABLESAMPLE SYSTEM ($1::double precision * 100) OFFSET 0) a
     JOIN enrich.lookups l ON l.lookup_id = a.lookup_id
     WHERE l.state IN ('answered', 'failed') GROUP BY 1, 2 ORDER BY 3 DESC`,
    [share.answers],
  )
