import type { OpenCheckpointDeps } from './checkpoint/sqlite/begin-run.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import type { KeptCandidates } from './decisions/review-store.js'
import type { RunReview } from './decisions/review-mirror.js'
import type { HistoryWriter } from './history/history-writer.js'
import type { InboxPlace } from './inbox/webhooks.js'
import type { PartDatabase } from './parts/part-ledger.js'

/** Where a run keeps what it knows: in files of its own, or on a server that others use too. */
export interface RunBackend {
  /** What readers of this machine read. */
  readonly path: string
  openCheckpoint(options: OpenCheckpointDeps): Checkpoint | Promise<Checkpoint>
  /** Looks at what is known before the checkpoint is open; null where nothing is. */
  peek(scope: string): CheckpointReader | null
  /** Writes down what is to be remembered of the run. */
  historyWriter(checkpoint: Checkpoint): HistoryWriter
  /** Where deliveries wait. */
  readonly inbox: InboxPlace
  /** Where candidates are kept, made as needed. */
  candidates(): KeptCandidates
  /** What people decided, which is brought to the path before it is read there; null where it is there. */
  readonly review: RunReview | null
  /** Where the parts of jobs are published; null: nowhere. */
  readonly parts: PartDatabase | null
}
