import type { RunId } from '../../contract/ids.js'
import type { Clock } from '../../platform/clock.js'
import { limits } from '../limits.js'
import type { OnRunEnded } from './run-store.js'

/** Polls of runs that have not ended wait for the end, in place of an answer that says nothing. */
export interface HeldPolls {
  /** To be called for every run that ends. */
  readonly onEnded: OnRunEnded
  /** Resolves when the run may have ended, the poll was held for long, or the service closes. */
  mayHaveEnded(runId: RunId): Promise<void>
  /** Ends those that are held; no more are. */
  close(): void
}

/** One timer for all that are held: a poll is held for `heldPollMsMax` at most, and mostly for less. */
export function createHeldPolls(clock: Clock): HeldPolls {
  const waiting = new Map<RunId, (() => void)[]>()
  const closing = new AbortController()
  let isTimed = false

  const releaseAll = () => {
    const released = [...waiting.values()].flat()
    waiting.clear()
    for (const release of released) release()
  }
  const time = async () => {
    isTimed = true
    await clock.sleep(limits.heldPollMsMax, closing.signal)
    isTimed = false
    releaseAll()
  }
  return {
    onEnded: ({ runId }) => {
      const released = waiting.get(runId) ?? []
      waiting.delete(runId)
      for (const release of released) release()
    },
    mayHaveEnded: (runId) =>
      new Promise((resolve) => {
        if (closing.signal.aborted) {
          resolve()
          return
        }
        const others = waiting.get(runId)
        if (others === undefined) waiting.set(runId, [resolve])
        else others.push(resolve)
        if (!isTimed) void time()
      }),
    close: () => {
      closing.abort()
      releaseAll()
    },
  }
}
