import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { listSqliteFiles, resolveFinalPath } from '../../platform/files.js'

/** The head file next to a checkpoint; it records the newest commit. */
export const getHeadPath = (checkpointPath: string): string => `${checkpointPath}.head`

/** Whether a checkpoint, or part of one, exists at this path. */
export const isCheckpointAt = (checkpointPath: string): boolean =>
  existsSync(checkpointPath) || existsSync(getHeadPath(checkpointPath))

/** The file of the state folder that names the billed checkpoint that was last at a path. */
export function getPathMark(checkpointPath: string): string {
  const digest = createHash('sha256').update(resolve(checkpointPath)).digest('hex').slice(0, 32)
  return getHeadCopyPath(`at-${digest}`)
}

/** The second copy of the head of a billed checkpoint, in another folder: restoring a backup keeps it. */
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

/**
 * Returns all files of a checkpoint, its inbox and its review store, with their descriptions. SQLite creates its files
 * next to the target of a link.
 */
export function listCheckpointFiles(
  checkpointPath: string,
): readonly { readonly path: string; readonly what: string }[] {
  return [...new Set([checkpointPath, resolveFinalPath(checkpointPath)])].flatMap((path) => [
    ...listSqliteFiles(path, 'the checkpoint'),
    ...listSqliteFiles(`${path}.lock`, "the checkpoint's lock"),
    { path: `${path}.lock.json`, what: "the checkpoint's lock" },
    { path: `${path}.reserve`, what: "the checkpoint's reserve" },
    { path: getHeadPath(path), what: "the checkpoint's head" },
    ...listSqliteFiles(getInboxPath(path), 'the inbox of webhooks'),
    ...listSqliteFiles(getReviewStorePath(path), 'the review store'),
  ])
}
