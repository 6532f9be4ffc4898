import { isHolderAlive } from '../../platform/process-lock.js'
import { openHistory } from './reader.js'

/** Whether a run writes the checkpoint, as far as can be told without being in its way. Throws CHECKPOINT_*. */
export function isRunGoingOn(checkpointPath: string): boolean {
  if (!isHolderAlive(`${checkpointPath}.lock`)) return false
  const history = openHistory(checkpointPath)
  try {
    // The newest one: a process may live on behind its run.
    return history?.runs()[0]?.endedAtMs === null
  } finally {
    history?.close()
  }
}
