import { andThen } from '../../../core/awaitable.js'
import { errorText } from '../../../core/error-text.js'
import type { Clock } from '../../../platform/clock.js'
import { startDueWorkLoop, type DueWorkLoop, type InFlight } from '../../../platform/due-work-loop.js'
import { ConnectionLostError } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'
import { BuildFailure, type BuildKind, type BuildOutcome, type Compiler, type StoredBuild } from './build.js'
import type { AnyBuildStore, EndedBuild } from './build-store.js'

/** `stop` resolves when nothing is being built and nothing will be. */
export type Builder = Pick<DueWorkLoop, 'expect' | 'stop'>

export interface BuilderDeps {
  readonly store: Pick<AnyBuildStore, 'due' | 'nextDueAtMs' | 'bringForward' | 'end' | 'release'>
  /** No build that is found at the start is due later. */
  readonly dueAtMsMax: number
  /** How often it is looked for what other processes began, or left; never if left out. */
  readonly lookEveryMs?: number
  /** After the end of builds was stored. */
  readonly onEnded: () => void
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
export function startBuilder(deps: BuilderDeps): Builder {
  const { store, compilers, edition, clock, log, isBusy, onEnded, lookEveryMs = Infinity } = deps
  // At once where the store answers at once: a look that writes would hold this thread up while others write its file.
  const first = store.bringForward(deps.dueAtMsMax)
  const isBroughtForward = first instanceof Promise ? first.then(always(true), always(false)) : true
  let isBegun = isBroughtForward === true
  let lookedAtMs = -Infinity
  let hasMore = false
  const ended = (build: StoredBuild, made: string | null, { outcome, fault }: Attempt): EndedBuild => {
    if (fault !== null) log(`the build of ${build.kind} ${build.subject} failed: ${fault}`)
    return { buildNumber: build.buildNumber, outcome, edition: made }
  }
  const end = async (finished: readonly EndedBuild[]): Promise<void> => {
    await store.end(finished, clock.nowMs())
    onEnded()
  }
  const takeUp = async (inFlight: InFlight): Promise<void> => {
    if (!isBegun && !(await isBroughtForward)) await store.bringForward(deps.dueAtMsMax)
    isBegun = true
    lookedAtMs = clock.nowMs()
    hasMore = false
    const countMax = limits.buildsPerSliceMax
    const open = await store.due(lookedAtMs, countMax + limits.buildsInFlightMax - inFlight.room())
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
          if (!inFlight.stopping.aborted) await end([ended(build, made, tried)])
        })
      } else finished.push(ended(build, made, compiled))
      if (clock.monotonicMs() >= endMs) break
    }
    if (finished.length > 0) await end(finished)
    hasMore = takenCount > 0 && (takenCount < due.length || due.length >= countMax)
  }
  const loop = startDueWorkLoop({
    clock,
    takeUp,
    // What was due by the last look is done, or in flight and wakes by its own end.
    nextDueAtMs: () =>
      hasMore ? -Infinity : andThen(store.nextDueAtMs(lookedAtMs), (dueAtMs) => dueAtMs ?? Infinity),
    inFlightMax: limits.buildsInFlightMax,
    idleMsMax: Math.min(limits.researchIdleMsMax, lookEveryMs),
    retryMs: limits.researchRetryMs,
    onFailure: (error) => {
      // That the database is away is said once, by who watches it.
      if (!(error instanceof ConnectionLostError)) log(`builds pause: ${errorText(error)}`)
    },
  })
  return {
    stop: async () => {
      await loop.stop()
      await store.release()
    },
    expect: (dueAtMs) => {
      // Stored after the look that would have found it.
      if (dueAtMs <= lookedAtMs) loop.wake()
      else loop.expect(dueAtMs)
    },
  }
}

const always = (value: boolean) => () => value

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
