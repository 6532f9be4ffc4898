import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop, type InFlight } from '../../platform/due-work-loop.js'
import type { Answered, Knowledge } from '../knowledge.js'
import { limits } from '../limits.js'
import { decideRun } from './run-outcome.js'
import type { DueRun, FinishedRun, RunStore } from './run-store.js'

/** `stop` resolves when no research is going on and none will start. */
export type Researcher = Pick<DueWorkLoop, 'expect' | 'stop'>

export interface ResearcherDeps {
  readonly store: Pick<RunStore, 'due' | 'nextDueAtMs' | 'finish'>
  readonly knowledge: Pick<Knowledge, 'resolve'>
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
  /** After the end of runs was stored. */
  readonly onStored?: () => void
}

/**
 * Asks for due runs, many at a time where the knowledge answers later, and in slices of a few milliseconds where
 * it answers in this thread, so that HTTP stays responsive. What is open is read from the store, so that a
 * restart goes on where the last process was ended; what is in flight holds up nothing else.
 */
export function startResearcher(deps: ResearcherDeps): Researcher {
  const { store, knowledge, clock, log, isBusy, onStored = () => undefined } = deps
  let finished: FinishedRun[] = []
  let storeMs = 0
  let lookedAtMs = -Infinity
  let hasMore = false
  /** Stored after the last look, though due by then. */
  let hasLate = false

  const research = (run: DueRun): Answered<void> => {
    const end = (outcome: FinishedRun['outcome']) => {
      if (outcome.fault !== null) log(`run ${run.runId} failed: ${outcome.fault}`)
      finished.push({ runNumber: run.runNumber, outcome })
    }
    const query = { name: run.name, location: run.location, context: run.context }
    const outcome = decideRun(knowledge, query, run.withBasis === 1, clock)
    if (outcome instanceof Promise) return outcome.then(end)
    end(outcome)
  }
  /** What fails to be stored is dropped: it is still due. */
  const storeFinished = () => {
    if (finished.length === 0) return
    const batch = finished
    finished = []
    const fromMs = clock.monotonicMs()
    store.finish(batch, clock.nowMs())
    storeMs = clock.monotonicMs() - fromMs
    onStored()
  }
  /** Researches until it is worth a commit: about as long as the last one took. */
  const researchSome = async (loop: InFlight): Promise<void> => {
    // First, so that what has ended is not due any more.
    storeFinished()
    lookedAtMs = clock.nowMs()
    hasLate = false
    const inFlightCount = limits.researchInFlightMax - loop.room()
    const due = store
      .due(lookedAtMs, limits.runsPerSliceMax + inFlightCount)
      .filter(({ runNumber }) => !loop.has(runNumber))
    const sliceMs = isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet
    const startMs = clock.monotonicMs()
    const endMs = startMs + Math.max(sliceMs, Math.min(storeMs, limits.researchMsBetweenCommitsMax))
    let sliceEndMs = startMs + sliceMs
    let takenCount = 0
    for (const run of due) {
      if (loop.room() <= 0) break
      takenCount++
      const asked = research(run)
      if (asked !== undefined) loop.begin(run.runNumber, () => asked)
      const nowMs = clock.monotonicMs()
      if (nowMs >= endMs || loop.stopping.aborted) break
      if (nowMs < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = clock.monotonicMs() + sliceMs
    }
    hasMore = loop.room() > 0 && (takenCount < due.length || due.length >= limits.runsPerSliceMax)
    storeFinished()
  }
  const loop = startDueWorkLoop({
    clock,
    takeUp: researchSome,
    inFlightMax: limits.researchInFlightMax,
    // What was due by the last look is done, or in flight and wakes by its own end.
    nextDueAtMs: () => (hasMore || hasLate ? -Infinity : (store.nextDueAtMs(lookedAtMs) ?? Infinity)),
    idleMsMax: limits.researchIdleMsMax,
    retryMs: limits.researchRetryMs,
    onFailure: (error) => {
      log(`research pauses: ${errorText(error)}`)
    },
  })
  return {
    stop: () => loop.stop(),
    expect: (dueAtMs) => {
      if (dueAtMs <= lookedAtMs) hasLate = true
      loop.expect(dueAtMs)
    },
  }
}
