import type { Environment } from '../config/file-config.js'
import { openShared } from '../pipeline/checkpoint/postgres/open-database.js'
import { filterAnswered, isAnyAlive } from '../pipeline/checkpoint/postgres/lookup-rows.js'
import { ReviewStatements } from '../pipeline/decisions/postgres/review-sql.js'
import { SharedReview, type SharedReviewDeps } from '../pipeline/decisions/postgres/shared-review.js'
import type { ReviewBackend } from '../review/input-review.js'

/** Opens the store in the database of a checkpoint; active runs are polled. Throws CHECKPOINT_*, DISK_FULL. */
export async function openSharedReviewBackend(
  url: string,
  deps: Omit<SharedReviewDeps, 'database'> & { readonly environment: Environment },
): Promise<ReviewBackend> {
  const database = await openShared(url, deps)
  const statements = new ReviewStatements(database, deps)
  let store: SharedReview | null = null
  try {
    store = new SharedReview({ ...deps, database })
    await store.refresh()
  } catch (error) {
    store?.close()
    await database.close()
    throw error
  }
  const opened = store
  let isGoingOn = false
  return {
    store: opened,
    isRunGoingOn: () => isGoingOn,
    follow: async (reader, unanswered) => {
      const wasGoingOn = isGoingOn
      isGoingOn = await isAnyAlive(statements)
      if (!isGoingOn && !wasGoingOn) return
      const answered = await filterAnswered(statements, unanswered())
      if (answered.length > 0) await reader.fetchLookups(answered)
    },
    close: async () => {
      opened.close()
      await database.close()
    },
  }
}
