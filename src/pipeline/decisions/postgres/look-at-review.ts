import type { CloseLater } from '../../../platform/close-stack.js'
import type { SharedLook } from '../../checkpoint/postgres/look.js'
import type { RunReview } from '../run-review.js'
import { SharedReview, type SharedReviewDeps } from './shared-review.js'

/** What people decided there, for commands that only look; null where an older version made no tables for it. */
export async function lookAtReview(
  { path, database }: SharedLook,
  deps: Omit<SharedReviewDeps, 'database' | 'checkpointPath'>,
  closeLater: CloseLater,
): Promise<RunReview | null> {
  const tables = await database.postgres
    .query("SELECT 1 WHERE to_regclass('enrich.review_decisions') IS NOT NULL")
    .catch((error: unknown) => {
      throw database.explain(error)
    })
  if (tables.length === 0) return null
  const review = new SharedReview({ ...deps, database, checkpointPath: path })
  closeLater(() => {
    review.close()
  })
  await review.refresh()
  return review.ofRun
}
