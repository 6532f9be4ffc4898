import type { SettledCharges } from '../charges.js'
import {
  DryRun,
  settleCharges,
  type ChargesReport,
  type ChargesRequest,
  type RestoredSubmission,
} from '../settle-charges.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { inTransaction, query, type SqlProgram } from '../../../platform/sql-program.js'
import { ensureCheckpointId } from './checkpoint-file.js'
import { createDamagedError, createHeadError } from '../checkpoint-errors.js'
import { describeDamage, findDamage, readHeadComparison } from './verify.js'
import { HeadKeeper } from './head-keeper.js'
import { assertCheckpointPath, withExplainedErrors, lockCheckpoint, openToWrite } from './open-database.js'
import { calculateNextChain } from '../tables.js'

/** Settles uncertain submissions, and a rollback, with the service's list of charges. Throws CHECKPOINT_*. */
export function settleFileCharges(request: ChargesRequest): ChargesReport {
  const { path } = request
  assertCheckpointPath(path)
  const lock = lockCheckpoint(path, request.nowMs)
  try {
    return withExplainedErrors(path, () => {
      const { standing, found } = readHeadComparison(path)
      const database = openToWrite(path)
      try {
        const wrong = findDamage(database, 'all')
        if (wrong.length > 0) throw createDamagedError(path, undefined, describeDamage(wrong))
        const id = ensureCheckpointId(database, request, found)
        const result = settleInTransaction(database, id, request)
        const code = createHeadError(path, standing)?.code ?? null
        const lost = standing.kind === 'behind' ? standing.lostSubmissionCount : Infinity
        const isSettled = request.completeUntilMs !== null || result.restored.length >= lost
        if (!request.isDryRun && (code === null || isSettled)) {
          const keeper = new HeadKeeper(database, found, { path, acceptRollback: code !== null })
          keeper.beforeCommit()
          keeper.afterCommit()
          keeper.close()
        }
        return { ...result, problem: code === null ? null : { code, isSettled } }
      } finally {
        database.close()
      }
    })
  } finally {
    lock.release()
  }
}

function settleInTransaction(
  database: Sqlite,
  checkpointId: string,
  request: ChargesRequest,
): SettledCharges {
  const deps = { ...request, checkpointId, settleSubmission, insertSubmission }
  try {
    return inTransaction(database, () => settleCharges(deps))
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}

const settleSubmission =
  'UPDATE submissions SET verdict = $2, run_id = $3, accepted_at_ms = $4, reason = $5 WHERE custom_id = $1'

function* insertSubmission(submission: RestoredSubmission): SqlProgram<object[]> {
  const { customId, lookupId, jobId, attempt, nowMs } = submission
  const [last] = yield* query<{ chain: string }>('SELECT chain FROM submissions ORDER BY rowid DESC LIMIT 1')
  const chain = calculateNextChain(last?.chain ?? '', { customId, attempt, intendedAtMs: nowMs })
  return yield* query(
    `INSERT INTO submissions (custom_id, lookup_id, job_id, attempt, verdict, intended_at_ms, chain)
     VALUES ($1, $2, $3, $4, 'uncertain', $5, $6)`,
    customId,
    lookupId,
    jobId,
    attempt,
    nowMs,
    chain,
  )
}
