import type { OpenCheckpointDeps } from './checkpoint/sqlite/sqlite-checkpoint.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import type { KeptCandidates } from './decisions/review-store.js'
import type { RunReview } from './decisions/review-mirror.js'
import type { HistoryWriter } from './history/history-writer.js'
import type { InboxAccess } from './inbox/webhooks.js'
import type { PartDatabase } from './parts/part-ledger.js'

/** Storage of a run: local files, or a server shared with other processes. */
export interface RunBackend {
  /** Path for local readers. */
  readonly path: string
  openCheckpoint(options: OpenCheckpointDeps): Checkpoint | Promise<Checkpoint>
  /** Opens a reader before the checkpoint is open; null if there is no checkpoint. */
  peek(scope: string): CheckpointReader | null
  /** Creates the writer of the run history. */
  createHistoryWriter(checkpoint: Checkpoint): HistoryWriter
  /** Inbox of deliveries. */
  readonly inbox: InboxAccess
  /** Store of candidates, created on first use. */
  openCandidates(): KeptCandidates
  /** Decisions on the server, copied to the path before they are read; null if they are local. */
  readonly review: RunReview | null
  /** Database of published parts; null if not supported. */
  readonly parts: PartDatabase | null
}
