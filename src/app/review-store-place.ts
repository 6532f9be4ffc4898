import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { isPostgresUrl } from '../core/postgres-address.js'
import type { CheckpointReader, LookupId } from '../pipeline/checkpoint/checkpoint.js'
import { openReviewStore, type ReviewStore } from '../pipeline/decisions/review-store.js'
import { isRunGoingOn } from '../pipeline/history/going-on.js'
import type { Clock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import type { Inspection } from './inspect-input.js'

/** Where decisions and candidates are, and what tells of runs that go on meanwhile. */
export interface StorePlace {
  readonly store: ReviewStore
  /** As of the last time that it was followed, where the checkpoint is on a server. */
  readonly isRunGoingOn: () => boolean
  /** Brings what was answered since to the reader; null where a file is read as it is written. */
  readonly follow:
    ((reader: CheckpointReader, unanswered: () => readonly LookupId[]) => Promise<void>) | null
  readonly close: () => void | Promise<void>
}

export interface StorePlaceDeps {
  readonly settings: Pick<Settings, 'checkpoint' | 'decisions'>
  readonly environment: Environment
  readonly clock: Clock
}

/** Beside the checkpoint, or in it where that is on a server. Throws REVIEW_STORE_*, CHECKPOINT_*, DISK_FULL. */
export async function openStorePlace(
  { checkpointPath }: Pick<Inspection, 'checkpointPath'>,
  { settings, environment, clock }: StorePlaceDeps,
): Promise<StorePlace> {
  const { path } = settings.checkpoint
  if (isPostgresUrl(path)) {
    const { openSharedStorePlace } = await import('./shared-store-place.js')
    const { path: decisionsPath } = settings.decisions
    return openSharedStorePlace(path, {
      ...{ checkpointPath, decisionsPath, environment, clock, random: systemRandom },
    })
  }
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
