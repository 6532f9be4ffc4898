import { UserError } from '../../core/errors.js'
import { damaged } from './damage-error.js'
import { damageText, findDamage } from './find-damage.js'
import { explainCheckpointError, openToRead } from './open.js'

/**
 * Runs what depends on a checkpoint. A failure that nobody foresaw is a bug, unless the checkpoint is damaged: then
 * that is why, whatever it looks like. Throws CHECKPOINT_DAMAGED in its place.
 */
export async function blamingDamage<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    throw damageBehind(path, error)
  }
}

function damageBehind(path: string, error: unknown): unknown {
  const isForeseen = error instanceof UserError || (error instanceof Error && error.name === 'AbortError')
  if (isForeseen) return error
  try {
    const database = openToRead(path, 'unfinished')
    if (database === null) return error
    try {
      const found = findDamage(database, 'all')
      return found.length === 0 ? error : damaged(path, error, damageText(found))
    } finally {
      database.close()
    }
  } catch (fault) {
    const explained = explainCheckpointError(path, fault)
    return explained instanceof UserError ? explained : error
  }
}
