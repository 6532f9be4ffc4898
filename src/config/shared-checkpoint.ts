import { UserError } from '../core/errors.js'
import { isPostgresUrl } from '../core/postgres-address.js'

/** Throws CHECKPOINT_SHARED_UNSUPPORTED for what PostgreSQL does itself; `hint` says how. */
export function assertNotOnServer(path: string, what: string, hint: string): void {
  if (!isPostgresUrl(path)) return
  throw new UserError('CHECKPOINT_SHARED_UNSUPPORTED', `${what} is of checkpoints in files`, { hint })
}
