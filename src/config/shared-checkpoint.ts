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

/** What of a run is not to be had with a checkpoint on PostgreSQL: it needs webhooks. */
export function assertFitsCheckpoint(path: string, asked: { readonly webhooks: boolean }): void {
  if (asked.webhooks) assertCheckpointIsFile(path, 'receiving webhooks (--webhook-url, --webhook-listen)')
}
