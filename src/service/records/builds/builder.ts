import { errorText } from '../../../core/error-text.js'
import type { Clock } from '../../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop, type InFlight } from '../../../platform/due-work-loop.js'
import { limits } from '../../limits.js'
import { BuildFailure, type BuildKind, type BuildOutcome, type Compiler, type StoredBuild } from './build.js'
import type { BuildStore, EndedBuild } from './build-store.js'

/** `stop` resolves when nothing is being built and nothing will be. */
export type Builder = Pick<DueWorkLoop, 'expect' | 'stop'>

export interface BuilderDeps {
  readonly store: Pick<BuildStore, 'due' | 'nextDueAtMs'>
  /** All or none, in one durable transaction. */
  readonly end: (ended: readonly EndedBuild[], atMs: number) => void
  readonly compilers: Readonly<Record<BuildKind, Compiler>>
  readonly edition: () => string | null
  readonly clock: Clock
  readonly log: (line: string) => void
  readonly isBusy: () => boolean
}

/**
 * Works off due builds: those that only think in slices of a few milliseconds, those that ask the network
 * beside one another. What is open is read from the store, so that a restart goes on where the last process
 * was ended.
 */
export function startBuilder({ store, end, compilers, edition, clock, log, isBusy }: BuilderDeps): Builder {
  let lookedAtMs = -Infinity
  let hasMore = false
  const ended = (build: StoredBuild, made: string | null, { outcome, fault }: Attempt): EndedBuild => {
    if (fault !== null) log(`the build of ${build.kind} ${build.subject} failed: ${fault}`)
    return { buildNumber: build.buildNumber, outcome, edition: made }
  }
  const takeUp = (inFlight: InFlight): void => {
    lookedAtMs = clock.nowMs()
    hasMore = false
    const countMax = limits.buildsPerSliceMax
    const open = store.due(lookedAtMs, countMax + limits.buildsInFlightMax - inFlight.room())
    const due = open.filter(({ buildNumber }) => !inFlight.has(buildNumber))
    const endMs = clock.monotonicMs() + (isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet)
    const finished: EndedBuild[] = []
    let takenCount = 0
    for (const build of due) {
      if (inFlight.room() <= 0) break
      takenCount++
      const made = edition()
      const compiled = attempt(() => compilers[build.kind](build.subject, inFlight.stopping))
      if (compiled instanceof Promise) {
        inFlight.begin(build.buildNumber, async () => {
          const tried = await compiled.then(succeeded, failed)
          // What is cut off by the stop is still due, and is built by the next process.
          if (!inFlight.stopping.aborted) end([ended(build, made, tried)], clock.nowMs())
        })
      } else finished.push(ended(build, made, compiled))
      if (clock.monotonicMs() >= endMs) break
    }
    if (finished.length > 0) end(finished, clock.nowMs())
    hasMore = takenCount > 0 && (takenCount < due.length || due.length >= countMax)
  }
  return startDueWorkLoop({
    clock,
    takeUp,
    // What was due by the last look is done, or in flight and wakes by its own end.
    nextDueAtMs: () => (hasMore ? -Infinity : (store.nextDueAtMs(lookedAtMs) ?? Infinity)),
    inFlightMax: limits.buildsInFlightMax,
    idleMsMax: limits.researchIdleMsMax,
    retryMs: limits.researchRetryMs,
    onFailure: (error) => {
      log(`builds pause: ${errorText(error)}`)
    },
  })
}

interface Attempt {
  readonly outcome: BuildOutcome
  /** For the log: why it failed. */
  readonly fault: string | null
}

function attempt(compile: () => string | Promise<string>): Attempt | Promise<string> {
  try {
    const result = compile()
    return typeof result === 'string' ? succeeded(result) : result
  } catch (error) {
    return failed(error)
  }
}

const succeeded = (result: string): Attempt => ({ outcome: { ok: true, result }, fault: null })

function failed(error: unknown): Attempt {
  const failure = error instanceof BuildFailure ? error.message : 'internal error'
  return { outcome: { ok: false, failure }, fault: errorText(error) }
}
