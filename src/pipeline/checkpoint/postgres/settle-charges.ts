import type { Clock } from '../../../platform/clock.js'
import type { PostgresStatements } from '../../../platform/postgres/postgres.js'
import type { SettledCharges } from '../charges.js'
import {
  DryRun,
  settleCharges,
  type ChargesReport,
  type ChargesRequest,
  type RestoredSubmission,
} from '../settle-charges.js'
import {
  assertNotMoved,
  openShared,
  openSharedToRead,
  type OpenSharedDeps,
  type SharedDatabase,
} from './open-database.js'
import { withRetries } from '../../../platform/postgres/retry.js'
import { query, runProgram, type SqlProgram } from '../../../platform/sql-program.js'
import { sweep } from './sweep.js'
import { settleSubmissionSql } from './lookup-rows.js'

export interface SharedChargesRequest extends ChargesRequest, Pick<OpenSharedDeps, 'environment'> {
  readonly clock: Clock
}

/**
 * Settles uncertain submissions, and a failover, with the service's list of charges, in one transaction, while workers
 * continue. A complete list also permits submissions on a server that failed over. Throws CHECKPOINT_*.
 */
export async function settleSharedCharges(request: SharedChargesRequest): Promise<ChargesReport> {
  const { path, isDryRun, completeUntilMs } = request
  const code = await findProblem(request)
  const shared = await openShared(path, { ...request, settlesRollback: true })
  let result: SettledCharges
  try {
    // Makes in-flight submissions of dead workers uncertain.
    if (!isDryRun) await sweep(shared.postgres)
    result = await settleInTransaction(request, (work) => shared.postgres.transaction(work), shared)
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await shared.close()
  }
  const isSettled = completeUntilMs !== null
  if (code !== null && isSettled && !isDryRun)
    await (await openShared(path, { ...request, acceptRollback: true })).close()
  return { ...result, problem: code === null ? null : { code, isSettled } }
}

/** The error code that a run would stop with now. */
async function findProblem({ path, environment }: SharedChargesRequest): Promise<string | null> {
  const shared = await openSharedToRead(path, environment === undefined ? {} : { environment })
  await shared?.close()
  return shared?.problem?.code ?? null
}

async function settleInTransaction(
  request: SharedChargesRequest,
  transaction: <Result>(work: (statements: PostgresStatements) => Promise<Result>) => Promise<Result>,
  { id: checkpointId, url }: Pick<SharedDatabase, 'id' | 'url'>,
): Promise<SettledCharges> {
  try {
    return await withRetries(request, () =>
      transaction(async (statements) => {
        await assertNotMoved(statements, url, 'write')
        const insertSubmission = createInsert()
        const deps = { ...request, checkpointId, settleSubmission: settleSubmissionSql, insertSubmission }
        return runProgram(statements, settleCharges(deps))
      }),
    )
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}

/** Restored submissions belong to one placeholder worker: theirs is unknown. */
function createInsert(): (submission: RestoredSubmission) => SqlProgram<object[]> {
  let workerId: number | undefined
  return function* ({ customId, lookupId, jobId, attempt, nowMs }) {
    if (workerId === undefined) {
      const [worker] = yield* query<{ id: number }>(
        `INSERT INTO enrich.workers (name, job, lease_until, is_fenced, fenced_at, ended_at, is_swept)
         VALUES ('from a list of charges', '', clock_timestamp(), true, clock_timestamp(), clock_timestamp(), true)
         RETURNING worker_id AS id`,
      )
      workerId = worker?.id ?? 0
    }
    return yield* query(
      `INSERT INTO enrich.submissions
         (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
       VALUES ($1, $2, $3, $4, $5, false, 0, 'uncertain', $6)`,
      customId,
      lookupId,
      jobId,
      workerId,
      attempt,
      nowMs,
    )
  }
}
