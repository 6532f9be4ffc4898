import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The file beside a checkpoint that says how far it was written. */
export const headPath = (checkpointPath: string): string => `${checkpointPath}.head`

/** Whether there is a checkpoint, or what is left of one. */
export const isAnythingAt = (checkpointPath: string): boolean =>
  existsSync(checkpointPath) || existsSync(headPath(checkpointPath))

/**
 * The user's own copy of the head of a billed checkpoint, outside the checkpoint's folder: a backup that is restored
 * over the checkpoint does not restore it.
 */
export function witnessPath(checkpointId: string): string {
  const { XDG_STATE_HOME: named = '' } = process.env
  const stateFolder = isAbsolute(named) ? named : join(homedir(), '.local', 'state')
  return join(stateFolder, 'enrich', `${encodeURIComponent(checkpointId)}.head`)
}

/** Where the decisions on lookups of a checkpoint are kept: beside it. */
export function reviewStorePath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.review.sqlite`
}

/** Whether anything may have been decided: there is a file of decisions, or a review store. */
export const isAnythingDecided = (decisionsPath: string, checkpointPath: string): boolean =>
  existsSync(decisionsPath) || existsSync(reviewStorePath(checkpointPath))
