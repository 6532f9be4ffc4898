import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/postgres-address.js'

/** Throws CHECKPOINT_SHARED_UNSUPPORTED where the checkpoint is on PostgreSQL, and `what` needs one in a file. */
export function assertCheckpointIsFile(path: string, what: string): void {
  if (!isPostgresUrl(path)) return
  throw new UserError(
    'CHECKPOINT_SHARED_UNSUPPORTED',
    `${what} does not work with a checkpoint on PostgreSQL yet`,
    {
      hint: 'leave it out, or pass --checkpoint with a file',
    },
  )
}

/** What of a run is not to be had with a checkpoint on PostgreSQL: it needs what is remembered of runs. */
export function assertFitsCheckpoint(
  path: string,
  asked: { readonly changes: boolean; readonly report: boolean },
): void {
  if (asked.changes) assertCheckpointIsFile(path, 'listing changes (--changes)')
  if (asked.report) assertCheckpointIsFile(path, 'a report (--report)')
}

/** Throws CHECKPOINT_SHARED_UNSUPPORTED for what PostgreSQL does itself; `hint` says how. */
export function assertNotOnServer(path: string, what: string, hint: string): void {
  if (!isPostgresUrl(path)) return
  throw new UserError('CHECKPOINT_SHARED_UNSUPPORTED', `${what} is of checkpoints in files`, { hint })
}
