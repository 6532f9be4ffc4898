import { UserError } from '../../core/errors.js'
import { LockHeldError, takeLock, type ProcessLock } from '../../platform/process-lock.js'
import { explainCheckpointError } from './open.js'

/** One process at a time. Throws CHECKPOINT_IN_USE, which says who holds it. */
export function lockCheckpoint(path: string, nowMs: number): ProcessLock {
  try {
    return takeLock(`${path}.lock`, nowMs)
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw explainCheckpointError(path, error)
    throw new UserError('CHECKPOINT_IN_USE', `the checkpoint ${path} is in use by ${error.holder}`, {
      hint: 'wait for that process to end, or pass another --checkpoint',
      cause: error,
    })
  }
}
