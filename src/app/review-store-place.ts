import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import { isPostgresUrl } from '../core/postgres-address.js'
import { openReviewStore } from '../pipeline/decisions/review-store.js'
import { isRunGoingOn } from '../pipeline/history/going-on.js'
import type { Clock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import type { Inspection } from './inspect-input.js'
import type { StorePlace } from './store-place.js'

interface StorePlaceDeps {
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
      checkpointPath,
      decisionsPath,
      environment,
      clock,
      random: systemRandom,
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
