import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop } from '../../platform/due-work-loop.js'
import { limits } from '../limits.js'
import { decideRun } from './run-outcome.js'
import type { Knowledge } from '../knowledge.js'
import type { FinishedRun, RunStore } from './run-store.js'

/** `stop` resolves when no research is going on and none will start. */
export type Researcher = Pick<DueWorkLoop, 'expect' | 'stop'>

export interface ResearcherDeps {
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
export function startResearcher(deps: ResearcherDeps): Researcher {
  const { store, knowledge, clock, log, isBusy, onStored = () => undefined } = deps
  let storeMs = 0
  /** Researches until it is worth a commit: about as long as the last one took. */
  const researchSome = async ({ stopping }: { stopping: AbortSignal }): Promise<void> => {
    const due = store.due(clock.nowMs(), limits.runsPerSliceMax)
    const sliceMs = isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet
    const startMs = clock.monotonicMs()
    const endMs = startMs + Math.max(sliceMs, Math.min(storeMs, limits.researchMsBetweenCommitsMax))
    let sliceEndMs = startMs + sliceMs
    const finished: FinishedRun[] = []
    for (const run of due) {
      const query = { name: run.name, location: run.location, context: run.context }
      const outcome = decideRun(knowledge, query, run.withBasis === 1, clock.nowMs())
      if (outcome.fault !== null) log(`run ${run.runId} failed: ${outcome.fault}`)
      finished.push({ runNumber: run.runNumber, outcome })
      const nowMs = clock.monotonicMs()
      if (nowMs >= endMs || stopping.aborted) break
      if (nowMs < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = clock.monotonicMs() + sliceMs
    }
    if (finished.length === 0) return
    const storedFromMs = clock.monotonicMs()
    store.finish(finished, clock.nowMs())
    storeMs = clock.monotonicMs() - storedFromMs
    onStored()
  }
  return startDueWorkLoop({
    clock,
    takeUp: researchSome,
    nextDueAtMs: () => store.nextDueAtMs() ?? Infinity,
    idleMsMax: limits.researchIdleMsMax,
    retryMs: limits.researchRetryMs,
    onFailure: (error) => {
      log(`research pauses: ${errorText(error)}`)
    },
  })
}
