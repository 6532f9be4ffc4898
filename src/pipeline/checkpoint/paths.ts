import { existsSync } from 'node:fs'

/** The file beside a checkpoint that says how far it was written. */
export const headPath = (checkpointPath: string): string => `${checkpointPath}.head`

/** Whether there is a checkpoint, or what is left of one. */
export const isAnythingAt = (checkpointPath: string): boolean =>
  existsSync(checkpointPath) || existsSync(headPath(checkpointPath))
