import { setImmediate as nextTurn } from 'node:timers/promises'
import { andThen, type Awaitable, type Deferrable } from '../../core/awaitable.js'
import { errorText } from '../../core/error-text.js'
import type { Clock } from '../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop, type InFlight } from '../../platform/due-work-loop.js'
import { createGatheredCommits } from '../../platform/gathered-commits.js'
import { ConnectionLostError } from '../../platform/postgres/postgres.js'
import { limits } from '../limits.js'
import { decideRun, type RunOutcome } from './run-outcome.js'
import type { Knowledge } from '../knowledge.js'
import type { DueRun, FinishedRun, RunStore } from './run-store.js'

/** `stop` resolves when no research is going on and none will start. */
export type Researcher = Pick<DueWorkLoop, 'expect' | 'stop'>

export interface ResearcherDeps {
  readonly store: Deferrable<Pick<RunStore, 'due' | 'nextDueAtMs' | 'finish'>>
  readonly knowledge: Pick<Knowledge, 'resolve'>
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
  /** After the end of runs was stored. */
  readonly onStored?: () => void
}

/**
 * Works off due runs in slices of a few milliseconds, so that HTTP stays responsive, or beside one another where the
 * knowledge answers elsewhere; what is open is read from the store, so that a restart goes on where the last process
 * was ended.
 */
export function startResearcher(deps: ResearcherDeps): Researcher {
  const { store, knowledge, clock, log, isBusy, onStored = () => undefined } = deps
  let storeMs = 0
  let lookedAtMs = -Infinity
  let hasMore = false
  let lastFailure: unknown
  const finish = (finished: readonly FinishedRun[]): Awaitable<void> => {
    const storedFromMs = clock.monotonicMs()
    return andThen(store.finish(finished, clock.nowMs()), () => {
      storeMs = clock.monotonicMs() - storedFromMs
      onStored()
    })
  }
  const commits = createGatheredCommits((finished: readonly FinishedRun[]) =>
    andThen(finish(finished), () => finished.map(() => ({ value: undefined }))),
  )
  const ended = ({ runId, runNumber }: DueRun, outcome: RunOutcome): FinishedRun => {
    if (outcome.fault !== null) log(`run ${runId} failed: ${outcome.fault}`)
    return { runNumber, outcome }
  }
  const finishLater = async (run: DueRun, answer: Promise<RunOutcome>, stopping: AbortSignal) => {
    const outcome = await unlessAborted(answer, stopping)
    // What is cut off by the stop is still due, and is asked for by the next process.
    if (outcome !== null) await commits.add(ended(run, outcome))
  }
  /** Researches until it is worth a commit: about as long as the last one took. */
  const researchSome = async (inFlight: InFlight): Promise<void> => {
    lookedAtMs = clock.nowMs()
    hasMore = false
    const countMax = limits.runsPerSliceMax
    const open = await store.due(lookedAtMs, countMax + limits.runsInFlightMax - inFlight.room())
    const due = open.filter(({ runNumber }) => !inFlight.has(runNumber))
    const sliceMs = isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet
    const startMs = clock.monotonicMs()
    const endMs = startMs + Math.max(sliceMs, Math.min(storeMs, limits.researchMsBetweenCommitsMax))
    let sliceEndMs = startMs + sliceMs
    const finished: FinishedRun[] = []
    let takenCount = 0
    for (const run of due) {
      if (inFlight.room() <= 0) break
      takenCount++
      const query = { name: run.name, location: run.location, context: run.context }
      const outcome = decideRun(knowledge, query, run.withBasis === 1, clock.nowMs())
      if (outcome instanceof Promise) {
        inFlight.begin(run.runNumber, () => finishLater(run, outcome, inFlight.stopping))
      } else finished.push(ended(run, outcome))
      const nowMs = clock.monotonicMs()
      if (nowMs >= endMs || inFlight.stopping.aborted) break
      if (nowMs < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = clock.monotonicMs() + sliceMs
    }
    if (finished.length > 0) await finish(finished)
    hasMore = inFlight.room() > 0 && (takenCount < due.length || due.length >= countMax)
  }
  const loop = startDueWorkLoop({
    clock,
    takeUp: researchSome,
    // What was due by the last look is done, or in flight and wakes by its own end.
    nextDueAtMs: async () => (hasMore ? -Infinity : ((await store.nextDueAtMs(lookedAtMs)) ?? Infinity)),
    inFlightMax: limits.runsInFlightMax,
    idleMsMax: limits.researchIdleMsMax,
    retryMs: limits.researchRetryMs,
    onFailure: (error) => {
      // All runs of one commit fail by the same error; that a database is away is said once, by whoever watches it.
      const isSaid = error === lastFailure || error instanceof ConnectionLostError
      if (!isSaid) log(`research pauses: ${errorText(error)}`)
      lastFailure = error
    },
  })
  return {
    stop: () => loop.stop(),
    expect: (dueAtMs) => {
      // Stored after the look that would have found it.
      if (dueAtMs <= lookedAtMs) loop.wake()
      else loop.expect(dueAtMs)
    },
  }
}

/** Null where the signal comes first. */
function unlessAborted<Value>(answer: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      resolve(null)
    }
    signal.addEventListener('abort', stop, { once: true })
    void answer.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop)
    })
  })
}
