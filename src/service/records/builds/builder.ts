import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorText } from '../../../core/error-text.js'
import type { Clock } from '../../../platform/clock.js'
import { bounds } from '../../bounds.js'
import { BuildFailure, type BuildKind, type BuildOutcome, type Compiler, type StoredBuild } from './build.js'
import type { BuildStore, EndedBuild } from './build-store.js'

export interface Builder {
  /** A build was stored that is due then. */
  expect(dueAtMs: number): void
  /** Resolves when nothing is being built and nothing will be. */
  stop(): Promise<void>
}

interface Surroundings {
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
export function startBuilder({ store, end, compilers, edition, clock, log, isBusy }: Surroundings): Builder {
  const stopping = new AbortController()
  const { signal } = stopping
  const inFlight = new Map<number, Promise<void>>()
  let wakeAtMs = -Infinity
  let alarm = new AbortController()

  const wake = () => {
    alarm.abort()
  }
  const ended = (build: StoredBuild, made: string | null, { outcome, fault }: Attempt): EndedBuild => {
    if (fault !== null) log(`the build of ${build.kind} ${build.subject} failed: ${fault}`)
    return { buildNumber: build.buildNumber, outcome, edition: made }
  }
  const land = async (build: StoredBuild, made: string | null, compiling: Promise<string>) => {
    const tried = await compiling.then(succeeded, failed)
    try {
      if (!signal.aborted) end([ended(build, made, tried)], clock.nowMs())
    } catch (error) {
      // It is still due, and is built again.
      log(`builds pause: ${errorText(error)}`)
      await clock.sleep(bounds.researchRetryMs, signal)
    }
    inFlight.delete(build.buildNumber)
    wake()
  }

  const slice = (nowMs: number): 'more' | 'none' => {
    const countMax = bounds.buildsPerSliceMax
    const open = store.due(nowMs, countMax + inFlight.size)
    const due = open.filter(({ buildNumber }) => !inFlight.has(buildNumber))
    const endMs = clock.monotonicMs() + (isBusy() ? bounds.sliceMsWhileBusy : bounds.sliceMsWhileQuiet)
    const finished: EndedBuild[] = []
    let takenCount = 0
    for (const build of due) {
      if (inFlight.size >= bounds.buildsInFlightMax) break
      takenCount++
      const made = edition()
      const compiled = attempt(() => compilers[build.kind](build.subject, signal))
      if (compiled instanceof Promise) inFlight.set(build.buildNumber, land(build, made, compiled))
      else finished.push(ended(build, made, compiled))
      if (clock.monotonicMs() >= endMs) break
    }
    if (finished.length > 0) end(finished, clock.nowMs())
    return takenCount > 0 && (takenCount < due.length || due.length >= countMax) ? 'more' : 'none'
  }

  const pause = async (delayMs: number): Promise<void> => {
    alarm = new AbortController()
    wakeAtMs = clock.nowMs() + delayMs
    if (!signal.aborted) await clock.sleep(delayMs, alarm.signal)
    wakeAtMs = -Infinity
  }
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const nowMs = clock.nowMs()
        if (slice(nowMs) === 'more') {
          await nextTurn()
          continue
        }
        // What was due by now is done, or in flight and wakes by its own end.
        const dueInMs = (store.nextDueAtMs(nowMs) ?? Infinity) - clock.nowMs()
        await pause(Math.min(Math.max(0, dueInMs), bounds.researchIdleMsMax))
      } catch (error) {
        log(`builds pause: ${errorText(error)}`)
        await pause(bounds.researchRetryMs)
      }
    }
    await Promise.all(inFlight.values())
  }
  const worked = nextTurn().then(work)

  return {
    expect: (dueAtMs) => {
      if (dueAtMs < wakeAtMs) wake()
    },
    stop: () => {
      stopping.abort()
      wake()
      return worked
    },
  }
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
