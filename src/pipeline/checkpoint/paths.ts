import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The head file next to a checkpoint; it records the newest commit. */
export const getHeadPath = (checkpointPath: string): string => `${checkpointPath}.head`

/** Whether a checkpoint, or part of one, exists at this path. */
export const isCheckpointAt = (checkpointPath: string): boolean =>
  existsSync(checkpointPath) || existsSync(getHeadPath(checkpointPath))

/**
 * Returns the path of the second copy of the head of a billed checkpoint, in another folder, so that a restored backup
 * does not replace it.
 */
export function getHeadCopyPath(checkpointId: string): string {
  const { XDG_STATE_HOME: named = '' } = process.env
  const stateFolder = isAbsolute(named) ? named : join(homedir(), '.local', 'state')
  return join(stateFolder, 'enrich', `${encodeURIComponent(checkpointId)}.head`)
}

/** The review store next to a checkpoint. */
export function getReviewStorePath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.review.sqlite`
}

/** The inbox next to a checkpoint. */
export function getInboxPath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.inbox.sqlite`
}

/** Whether there may be decisions: a decisions file or a review store exists. */
export const hasDecisions = (decisionsPath: string, checkpointPath: string): boolean =>
  existsSync(decisionsPath) || existsSync(getReviewStorePath(checkpointPath))
