import type { Charge } from '../rules/ledger.js'
import type { Random } from '../../platform/random.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { checkpointId } from './begin-run.js'
import { damaged, standingError } from './damage-error.js'
import { damageText, findDamage } from './find-damage.js'
import { readHead } from './head-file.js'
import { HeadKeeper } from './head-keeper.js'
import { assertCheckpointPath, explained, lockCheckpoint, openToWrite } from './open.js'
import type { Reconciled } from './charge-rules.js'
import { Reconciler } from './reconcile.js'
import { standingOf } from './verify.js'

export interface ReconcileRequest {
  path: string
  charges: ReadonlyMap<string, Charge>
  completeUntilMs: number | null
  scope: string | null
  isDryRun: boolean
  nowMs: number
  random: Random
}

export interface ReconcileReport extends Reconciled {
  /** What kept runs from submitting before, and whether it still does. */
  problem: { code: string; isSettled: boolean } | null
}

/** Undoes what was tried. */
class DryRun extends Error {}

/** Settles what is uncertain, and a rollback, by the service's own list of charges. Throws CHECKPOINT_*. */
export function reconcileCheckpoint(request: ReconcileRequest): ReconcileReport {
  const { path } = request
  assertCheckpointPath(path)
  const lock = lockCheckpoint(path, request.nowMs)
  try {
    return explained(path, () => {
      const { standing } = standingOf(path)
      const database = openToWrite(path)
      const found = readHead(path)
      try {
        const wrong = findDamage(database, 'all')
        if (wrong.length > 0) throw damaged(path, undefined, damageText(wrong))
        const id = checkpointId(database, request, found)
        const result = settled(database, id, request)
        const code = standingError(path, standing)?.code ?? null
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

function settled(database: Sqlite, id: string, request: ReconcileRequest): Reconciled {
  const done: { result?: Reconciled } = {}
  try {
    database.transaction(() => {
      done.result = new Reconciler({ ...request, database, checkpointId: id }).run()
      if (request.isDryRun) throw new DryRun()
    })()
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  if (done.result === undefined) throw new Error('nothing was reconciled')
  return done.result
}
