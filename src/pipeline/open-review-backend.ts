import { type ReviewStore, openReviewStore } from './decisions/review-store.js'
import type { CheckpointReader } from './checkpoint/lookup.js'
import type { LookupId } from '../core/lookup-identity.js'
import { openServer } from './checkpoint/open.js'
import { type Clock, systemRandom } from '../platform/clock.js'
import type { SharedReviewDeps } from './decisions/shared-review.js'
import { isPostgresUrl } from '../core/server-addresses.js'
import { isRunGoingOn } from './history/read-history.js'

export { CompanyRecords, toAnswerFacts, type AnswerFacts } from './decisions/company-records.js'
export {
  openReviewStoreToRead,
  type ReviewCandidates,
  type ReviewDecisions,
} from './decisions/review-store.js'

/** Store of decisions and candidates, with the state of active runs. */
export interface ReviewBackend {
  readonly store: ReviewStore
  /** Whether a run is active; on a server, as of the last call of `follow`. */
  readonly isRunGoingOn: () => boolean | Promise<boolean>
  /** Copies new answers to the reader; `null` for a checkpoint in a file, which needs no copy. */
  readonly follow: ((reader: CheckpointReader, unanswered: () => readonly LookupId[]) => Promise<void>) | null
  readonly close: () => void | Promise<void>
}

interface ReviewPlace {
  /** Path of the checkpoint file, or address of a checkpoint on PostgreSQL. */
  readonly path: string
  /** File that is read: the same, or the copy of a checkpoint on a server. */
  readonly checkpointPath: string
  readonly decisionsPath: string
  /** Source of the password of a server. */
  readonly environment: Environment
  readonly clock: Clock
}

type Environment = Readonly<Record<string, string | undefined>>

/** Opens the store in the database of a checkpoint; active runs are polled. Throws CHECKPOINT_*, DISK_FULL. */
async function openSharedReviewBackend(
  url: string,
  deps: Omit<SharedReviewDeps, 'database'> & { readonly environment: Environment },
): Promise<ReviewBackend> {
  const { openSharedReview } = await import('./decisions/shared-review.js')
  const database = await openServer(url, deps)
  let store: ReviewStore | null = null
  try {
    store = openSharedReview({ ...deps, database })
    await store.decisions.refresh()
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
      isGoingOn = await database.isAnyAlive()
      if (!isGoingOn && !wasGoingOn) return
      const answered = await database.filterAnswered(unanswered())
      if (answered.length > 0) await reader.fetch({ ids: answered })
    },
    close: async () => {
      opened.close()
      await database.close()
    },
  }
}

/**
 * Opens the store of decisions and candidates next to a checkpoint in a file, or in the database. The caller closes it.
 * Throws REVIEW_STORE_*, CHECKPOINT_*, DISK_FULL.
 *
 * @example
 * const { store, close } = await openReviewBackend({ path, checkpointPath: path, decisionsPath, environment, clock })
 */
export async function openReviewBackend(place: ReviewPlace): Promise<ReviewBackend> {
  const { path, ...deps } = place
  if (isPostgresUrl(path)) return openSharedReviewBackend(path, { ...deps, random: systemRandom })
  const store = openReviewStore(path)
  return {
    store,
    isRunGoingOn: () => isRunGoingOn(path),
    follow: null,
    close: () => {
      store.close()
    },
  }
}
