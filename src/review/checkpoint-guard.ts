import { statSync } from 'node:fs'
import { UserError } from '../core/errors.js'

/**
 * Takes a checkpoint as it is, and throws REVIEW_CHECKPOINT_CHANGED from then on where another file is in its place, or
 * none: what is read from the one that is open is not what runs know by then. One that is written, compacted or migrated
 * stays the same file.
 */
export function guardCheckpoint(path: string): () => void {
  const opened = fileOf(path)
  return () => {
    const found = fileOf(path)
    if (found === opened) return
    const what = found === null ? 'is gone' : 'was replaced'
    throw new UserError(
      'REVIEW_CHECKPOINT_CHANGED',
      `the checkpoint ${path} ${what} while its review was open`,
      {
        hint: 'what was decided is safe: put it back, or start enrich review again',
      },
    )
  }
}

/** What tells files apart; null where there is none. */
function fileOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}
