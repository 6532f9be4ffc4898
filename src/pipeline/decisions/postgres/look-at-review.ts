import type { CloseLater } from '../../../platform/close-stack.js'
import type { SharedLook } from '../../checkpoint/postgres/look.js'
import type { RunReview } from '../run-review.js'
import { SharedReview, type SharedReviewDeps } from './shared-review.js'

/** What people decided there, for commands that only look. */
export async function lookAtReview(
  { path, database }: SharedLook,
  deps: Omit<SharedReviewDeps, 'database' | 'checkpointPath'>,
  closeLater: CloseLater,
): Promise<RunReview> {
  const review = new SharedReview({ ...deps, database, checkpointPath: path })
  closeLater(() => {
    review.close()
  })
  await review.refresh()
  return review.ofRun
}
