import type { CheckpointReader, LookupId } from '../pipeline/checkpoint/checkpoint.js'
import type { ReviewStore } from '../pipeline/decisions/review-store.js'

/** Where decisions and candidates are, and what tells of runs that go on meanwhile. */
export interface StorePlace {
  readonly store: ReviewStore
  /** As of the last time that it was followed, where the checkpoint is on a server. */
  readonly isRunGoingOn: () => boolean
  /** Brings what was answered since to the reader; null where a file is read as it is written. */
  readonly follow: ((reader: CheckpointReader, unanswered: () => readonly LookupId[]) => Promise<void>) | null
  readonly close: () => void | Promise<void>
}
