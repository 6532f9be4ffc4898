import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import { listJobInputs } from '../../../core/partition.js'
import { toInboxCounts, type DeliveryState, type InboxCounts } from '../inbox.js'
import type { ScopeCounts, UncertainLookup } from '../lookup.js'
import { runProgram } from '../../../platform/sql-program.js'
import { addJobs, countRows, readUncertain, type CountedRows } from '../sqlite/reader-queries.js'

/** In pages of 8 KiB. */
interface CountLimits {
  /** Larger tables are sampled instead of counted: about a million lookups. */
  readonly countedMax: number
  /** Pages read by a sample, spread over the whole table. */
  readonly sampled: number
}

const countLimits: CountLimits = { countedMax: 25_000, sampled: 4_000 }

type Share = { readonly lookups: number; readonly answers: number }

/** Returns the share of each table to sample, above 0 and at most 1; `null` if the tables are small. */
async function calculateSampleShare(
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

/** Newest submissions read to find the time of the last answer. */
const newestCount = 10_000

/** From the counters of jobs; `firstSubmittedAtMs` is the start of the first job. */
const estimateScopes = (statements: PostgresStatements): Promise<CountedRows['scopes']> =>
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

/** Open lookups are counted by their partial index; the others are estimated from a sample of pages. */
const estimateStates = (statements: PostgresStatements, share: Share): Promise<CountedRows['states']> =>
  statements.query(
    `SELECT scope_id AS "scopeId", state, count(*) FROM enrich.lookups
     WHERE state IN ('intended', 'running', 'uncertain') GROUP BY 1, 2
     UNION ALL
     SELECT scope_id, state, round(count(*) / $1::double precision)::bigint
     FROM enrich.lookups TABLESAMPLE SYSTEM ($1::double precision * 100)
     WHERE state IN ('new', 'answered', 'failed', 'invalid') GROUP BY 1, 2`,
    [share.lookups],
  )

const estimateOutcomes = (statements: PostgresStatements, share: Share): Promise<CountedRows['outcomes']> =>
  statements.query(
    `SELECT l.scope_id AS "scopeId", a.outcome, round(count(*) / $1::double precision)::bigint AS count
     FROM (SELECT lookup_id, outcome FROM enrich.answers TABLESAMPLE SYSTEM ($1::double precision * 100) OFFSET 0) a
     JOIN enrich.lookups l ON l.lookup_id = a.lookup_id
     WHERE l.state IN ('answered', 'failed') GROUP BY 1, 2 ORDER BY 3 DESC`,
    [share.answers],
  )

/** A worker of a checkpoint, running or recently ended. */
interface WorkerStatus {
  readonly id: number
  /** Host and process id. */
  readonly name: string
  /** Input files of its job; empty if the job has a name. */
  readonly inputs: readonly string[]
  readonly doing: string
  readonly startedAtMs: number
  /** `late`: its lease has expired, but no worker has fenced it yet. */
  readonly state: 'alive' | 'late' | 'gone' | 'ended'
  /** Remaining time of its lease; negative after it has expired. */
  readonly leaseLeftMs: number
  /** Submissions without a reply yet, and runs that it waits for. */
  readonly intendedCount: number
  readonly runningCount: number
}

/** A rate limit of the service, shared by all workers with one API key. */
interface PaceStatus {
  readonly route: string
  /** First characters of the key's hash, to tell keys apart. */
  readonly key: string
  readonly perMinute: number
  readonly givenCount: number
  /** Time since the last turn; negative if turns are reserved ahead. */
  readonly idleMs: number
  readonly pausedMs: number
}

/** Budget used by a job that has not ended. */
interface JobStatus {
  readonly id: number
  readonly base: string
  readonly inputs: readonly string[]
  readonly startedAtMs: number
  /** Billed and possibly billed submissions of row lookups. */
  readonly reservedOfRows: number
  /** Cost of all submissions, in millionths. */
  readonly reservedMicros: number
  readonly partCount: number | null
  readonly publishedCount: number
}

export interface SharedStatus {
  readonly workers: readonly WorkerStatus[]
  readonly paces: readonly PaceStatus[]
  readonly jobs: readonly JobStatus[]
}

/** Workers that ended earlier are not listed. */
const goneHours = 24
const listedMax = 200

/** Returns the counts that a reader of a file returns. Estimates large tables, and marks the result. */
export async function readSharedCounts(
  statements: PostgresStatements,
  limits = countLimits,
): Promise<ScopeCounts[]> {
  const share = await calculateSampleShare(statements, limits)
  if (share === null) return runProgram(statements, addJobs(await runProgram(statements, countRows())))
  const estimated = {
    scopes: await estimateScopes(statements),
    states: await estimateStates(statements, share),
    outcomes: await estimateOutcomes(statements, share),
  }
  const counts = await runProgram(statements, addJobs(estimated))
  return counts.map((one) => ({ ...one, isEstimated: true }))
}

/** Returns the first lookups that may have been billed and have no answer, including those in flight. */
export const readSharedUncertain = (
  statements: PostgresStatements,
  limit: number,
): Promise<UncertainLookup[]> => runProgram(statements, readUncertain(limit))

const toMillisecondsSql = (time: string) => `(extract(epoch FROM ${time}) * 1000)::double precision`

export async function readSharedStatus(statements: PostgresStatements): Promise<SharedStatus> {
  const workers = await statements.query<Omit<WorkerStatus, 'inputs'> & { job: string }>(
    `SELECT w.worker_id AS id, w.name, w.job, w.doing, ${toMillisecondsSql('w.started_at')} AS "startedAtMs",
       ${toMillisecondsSql('w.lease_until - clock_timestamp()')} AS "leaseLeftMs",
       CASE WHEN w.ended_at IS NOT NULL THEN 'ended' WHEN w.is_fenced THEN 'gone'
         WHEN w.lease_until < clock_timestamp() THEN 'late' ELSE 'alive' END AS state,
       (SELECT count(*) FROM enrich.submissions s WHERE s.worker_id = w.worker_id AND s.verdict = 'intended')
         AS "intendedCount",
       (SELECT count(*) FROM enrich.lookups l WHERE l.worker_id = w.worker_id AND l.state = 'running')
         AS "runningCount"
     FROM enrich.workers w
     WHERE NOT w.is_fenced OR coalesce(w.ended_at, w.fenced_at) > clock_timestamp() - interval '${goneHours} hours'
     ORDER BY w.is_fenced, w.worker_id DESC LIMIT ${listedMax}`,
  )
  const paces = await statements.query<PaceStatus>(
    `SELECT route, left(key_hash, 8) AS key, 60000 / greatest(spacing_ms, 0.001) AS "perMinute",
       given AS "givenCount", ${toMillisecondsSql('clock_timestamp() - next_at')} AS "idleMs",
       CASE WHEN paused_until > clock_timestamp() THEN ${toMillisecondsSql('paused_until - clock_timestamp()')} ELSE 0 END AS "pausedMs"
     FROM enrich.paces ORDER BY key_hash, route LIMIT ${listedMax}`,
  )
  const jobs = await statements.query<Omit<JobStatus, 'inputs'> & { job: string }>(
    `SELECT j.job_id AS id, sc.scope AS base, j.input AS job, j.started_at_ms AS "startedAtMs",
       j.reserved_of_rows AS "reservedOfRows", j.reserved_micros AS "reservedMicros",
       j.partition_count AS "partCount",
       (SELECT count(*) FROM enrich.outputs o WHERE o.job_id = j.job_id) AS "publishedCount"
     FROM enrich.jobs j JOIN enrich.scopes sc USING (scope_id)
     WHERE j.ended_at_ms IS NULL AND j.input NOT LIKE 'retry of %'
     ORDER BY j.job_id DESC LIMIT ${listedMax}`,
  )
  const addInputs = <Row extends { job: string }>({ job, ...row }: Row) => ({
    ...row,
    inputs: listJobInputs(job),
  })
  return { workers: workers.map(addInputs), paces, jobs: jobs.map(addInputs) }
}

/** Counts deliveries by state; `null` if none was ever received. */
export async function readSharedInboxCounts({ query }: PostgresStatements): Promise<InboxCounts | null> {
  const groups = await query<{ state: DeliveryState; count: number }>(
    'SELECT state, count(*) FROM enrich.inbox GROUP BY state',
  )
  return groups.length === 0 ? null : toInboxCounts(groups)
}
