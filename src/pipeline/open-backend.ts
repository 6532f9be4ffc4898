import type { Clock } from '../platform/clock.js'
import type { CloseLater } from '../platform/close-stack.js'
import type { RunBackend } from './backend.js'
import type { SharedCheckpointLocation } from './checkpoint/postgres/shared-run.js'
import { peekAtCheckpoint } from './checkpoint/sqlite/reader.js'
import { openCheckpoint } from './checkpoint/sqlite/sqlite-checkpoint.js'
import { openReviewStore, type ReviewStore } from './decisions/review-store.js'
import type { PipelineDeps } from './deps.js'
import { HistoryStore } from './history/sqlite-history.js'
import { createFileInbox } from './inbox/webhooks.js'

/** Opens the backend; `closeLater` closes it. Throws CHECKPOINT_*. */
export async function openBackend(deps: PipelineDeps, closeLater: CloseLater): Promise<RunBackend> {
  const { shared = null, checkpoint, wrapBackend } = deps.store
  const backend =
    shared === null
      ? createFileBackend(checkpoint.path, deps.clock, closeLater)
      : await createServerBackend(shared, deps, closeLater)
  return wrapBackend?.(backend) ?? backend
}

function createFileBackend(path: string, clock: Clock, closeLater: CloseLater): RunBackend {
  let store: ReviewStore | null = null
  closeLater(() => store?.close())
  return {
    path,
    openCheckpoint,
    peek: (scope) => peekAtCheckpoint(path, scope),
    createHistoryWriter: (checkpoint) => new HistoryStore(checkpoint.store),
    inbox: createFileInbox(path, clock),
    openCandidates: () => (store ??= openReviewStore(path)),
    review: null,
    parts: null,
  }
}

/** A run reads local copies of the data on the server. */
async function createServerBackend(
  location: SharedCheckpointLocation,
  deps: PipelineDeps,
  closeLater: CloseLater,
): Promise<RunBackend> {
  // A run with a local checkpoint starts without loading PostgreSQL.
  const { joinSharedCheckpoint } = await import('./checkpoint/postgres/shared-run.js')
  const { createRunInbox } = await import('./inbox/shared-inbox.js')
  const { SharedHistory } = await import('./history/postgres/shared-history.js')
  const { SharedReview } = await import('./decisions/postgres/shared-review.js')
  const { clock, random, interrupt: signal, source, store } = deps
  const { acceptRollback = false } = store
  const folder = source.input.spoolFolder
  const part = source.part?.partition ?? null
  const notice = (text: string) => {
    deps.observe({ type: 'notice', text, isWarning: true })
  }
  const joining = { location, folder, clock, random, acceptRollback, part, notice, signal }
  const run = await joinSharedCheckpoint(joining, closeLater)
  const review = new SharedReview({
    database: run.database,
    checkpointPath: run.path,
    clock,
    random,
    decisionsPath: store.decisions?.path ?? '',
  })
  closeLater(() => {
    review.close()
  })
  return {
    path: run.path,
    openCheckpoint: (options) => run.openCheckpoint(options),
    peek: (scope) => run.peek(scope),
    createHistoryWriter: () => new SharedHistory(run.store(), run.copy),
    inbox: createRunInbox({ ...run, owner: run.store }),
    openCandidates: () => review.runReview.candidates,
    review: review.runReview,
    parts: run.database,
  }
}
