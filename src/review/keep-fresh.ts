import type { Clock } from '../platform/clock.js'
import type { ReviewSession } from './session.js'

export interface KeepFreshDeps {
  readonly session: ReviewSession
  readonly clock: Clock
  /** Is told of what goes wrong meanwhile; whoever asks or decides is told himself. */
  readonly onTrouble: (error: unknown) => void
}

const everyMsMin = 1_000
/** Of the time, at most one part in so many goes into looking. */
const restPerLook = 4

/** Sees from time to time what a run answered and what others decided, until it is stopped. */
export function keepFresh({ session, clock, onTrouble }: KeepFreshDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const looking = async (): Promise<void> => {
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
      waitMs = Math.max(everyMsMin, restPerLook * (clock.monotonicMs() - beganMs))
    }
  }
  const stopped = looking()
  return {
    stop: () => {
      stopping.abort()
      return stopped
    },
  }
}
