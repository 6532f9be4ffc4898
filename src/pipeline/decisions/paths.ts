import { existsSync } from 'node:fs'

/** Where the decisions on lookups of a checkpoint are kept: beside it. */
export function reviewStorePath(checkpointPath: string): string {
  return `${checkpointPath.replace(/\.sqlite$/, '')}.review.sqlite`
}

/** Whether anything may have been decided: there is a file of decisions, or a review store. */
export const isAnythingDecided = (decisionsPath: string, checkpointPath: string): boolean =>
  existsSync(decisionsPath) || existsSync(reviewStorePath(checkpointPath))
