import type { CandidateSource } from '../core/decisions.js'
import { CandidateStore } from './candidate-store.js'
import { createDoubtPolicy, type DoubtRule } from './input-lookups.js'
import type { InputReviewDeps } from './input-review.js'
import { openSession } from './open-session.js'
import type { ReviewSession } from './session.js'

export type { QueueCounts, ReviewSession } from './session.js'

interface Reviewing {
  readonly doubt: DoubtRule
  readonly candidates: {
    readonly source: CandidateSource
    /** The connection that returns the candidates. */
    readonly scope: string
  }
  readonly reviewer: string
  /** Receives errors of the periodic refresh. Other errors are thrown to the caller. */
  readonly onTrouble: (error: unknown) => void
}

/**
 * Opens the review of an input: the queue of its doubtful lookups, their candidates, and the decisions of all reviewers.
 * Calls `use` with the session, which reads new answers and decisions meanwhile, and closes it afterwards. The service is
 * called only for candidates. Throws like `ReviewSession`, the errors of `use` and the signal's reason.
 *
 *     await withReview({ index, reader, backend, … }, { candidates, reviewer: 'ada', … }, async (session) => {
 *       for (const { lookup } of session.readRows({ view: 'open', statuses: [], text: '', sort: 'rows' }))
 *         await session.decide([{ lookup, seen: 0, verdict: 'none', entityId: null, note: null }])
 *     })
 */
export async function withReview<Result>(
  input: Omit<InputReviewDeps, 'doubt'>,
  { candidates, doubt, reviewer, onTrouble }: Reviewing,
  use: (session: ReviewSession) => Promise<Result>,
): Promise<Result> {
  const { backend, clock } = input
  const store = new CandidateStore({ ...candidates, store: backend.store.candidates, clock })
  const session = await openSession({ ...input, doubt: createDoubtPolicy(doubt) }, store, reviewer)
  const refreshing = refreshPeriodically(session, clock, onTrouble)
  try {
    return await use(session)
  } finally {
    await refreshing.stop()
    await session.close()
  }
}

const everyMsMin = 1_000
/** Minimum pause after a refresh, as a multiple of its duration. */
const pausePerRefresh = 4

/** Refreshes the session periodically until it is stopped. */
function refreshPeriodically(
  session: ReviewSession,
  clock: InputReviewDeps['clock'],
  onTrouble: Reviewing['onTrouble'],
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const runLoop = async (): Promise<void> => {
    let waitMs = everyMsMin
    for (;;) {
      await clock.sleep(waitMs, stopping.signal)
      if (stopping.signal.aborted) return
      const beganMs = clock.monotonicMs()
      try {
        await session.refresh()
      } catch (error) {
        onTrouble(error)
      }
      waitMs = Math.max(everyMsMin, pausePerRefresh * (clock.monotonicMs() - beganMs))
    }
  }
  const stopped = runLoop()
  return {
    stop: () => {
      stopping.abort()
      return stopped
    },
  }
}
