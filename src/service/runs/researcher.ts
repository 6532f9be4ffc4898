import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { bounds } from '../bounds.js'
import { conclude } from './conclusion.js'
import type { Knowledge } from '../knowledge.js'
import type { FinishedRun, RunStore } from './run-store.js'

export interface Researcher {
  /** A run was stored that is due then. */
  expect(dueAtMs: number): void
  /** Resolves when no research is going on and none will start. */
  stop(): Promise<void>
}

interface Surroundings {
  readonly store: RunStore
  readonly knowledge: Knowledge
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
  /** After the end of runs was stored. */
  readonly onStored?: () => void
}

/**
 * Works off due runs in slices of a few milliseconds, so that HTTP stays responsive; what is open is read
 * from the store, so that a restart goes on where the last process was ended.
 */
export function startResearcher(surroundings: Surroundings): Researcher {
  const { store, knowledge, clock, log, isBusy, onStored = () => undefined } = surroundings
  let stopped = false
  let wakeAtMs = -Infinity
  let alarm = new AbortController()

  let storeMs = 0
  /** Researches until it is worth a commit: about as long as the last one took. */
  const researchSome = async (): Promise<'more' | 'none'> => {
    const due = store.due(clock.nowMs(), bounds.runsPerSliceMax)
    const sliceMs = isBusy() ? bounds.sliceMsWhileBusy : bounds.sliceMsWhileQuiet
    const startMs = clock.monotonicMs()
    const endMs = startMs + Math.max(sliceMs, Math.min(storeMs, bounds.researchMsBetweenCommitsMax))
    let sliceEndMs = startMs + sliceMs
    const finished: FinishedRun[] = []
    for (const run of due) {
      const query = { name: run.name, location: run.location, context: run.context }
      const conclusion = conclude(knowledge, query, run.withBasis === 1, clock.nowMs())
      if (conclusion.fault !== null) log(`run ${run.runId} failed: ${conclusion.fault}`)
      finished.push({ runNumber: run.runNumber, conclusion })
      const nowMs = clock.monotonicMs()
      if (nowMs >= endMs || stopped) break
      if (nowMs < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = clock.monotonicMs() + sliceMs
    }
    if (finished.length > 0) {
      const storedFromMs = clock.monotonicMs()
      store.finish(finished, clock.nowMs())
      storeMs = clock.monotonicMs() - storedFromMs
      onStored()
    }
    return due.length > finished.length || due.length === bounds.runsPerSliceMax ? 'more' : 'none'
  }

  const pause = async (delayMs: number): Promise<void> => {
    alarm = new AbortController()
    wakeAtMs = clock.nowMs() + delayMs
    if (!stopped) await clock.sleep(delayMs, alarm.signal)
    wakeAtMs = -Infinity
  }

  const work = async (): Promise<void> => {
    while (!stopped) {
      try {
        if ((await researchSome()) === 'more') {
          await nextTurn()
          continue
        }
        const dueAtMs = store.nextDueAtMs() ?? Infinity
        await pause(Math.min(Math.max(0, dueAtMs - clock.nowMs()), bounds.researchIdleMsMax))
      } catch (error) {
        log(`research pauses: ${errorText(error)}`)
        await pause(bounds.researchRetryMs)
      }
    }
  }
  const ended = nextTurn().then(work)

  return {
    expect: (dueAtMs) => {
      if (dueAtMs < wakeAtMs) alarm.abort()
    },
    stop: () => {
      stopped = true
      alarm.abort()
      return ended
    },
  }
}
