import type { RunId } from '../../../contract/ids.js'
import { andThen, type Awaitable, type Deferrable } from '../../../core/awaitable.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { OutboxWakes } from '../../deliveries/outbox.js'
import {
  stepOnDemand,
  stepOnRequest,
  type BuildKind,
  type BuildWaiter,
  type Compiler,
  type StoredBuild,
  isWaitedFor,
  runObjectOf,
  BuildFailure,
  type BuildOutcome,
} from './build.js'
import type { AnyBuildStore, AskedBuild, EndedBuild } from './build-store.js'
import { errorText } from '../../../core/errors.js'
import { startDueWorkLoop, type DueWorkLoop, type InFlight } from '../../../platform/due-work-loop.js'
import { ConnectionLostError } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'

/** `stop` resolves when nothing is being built and nothing will be. */
type Builder = Pick<DueWorkLoop, 'expect' | 'stop'>

interface BuilderDeps {
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
function startBuilder(deps: BuilderDeps): Builder {
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

export interface BuildsDeps {
  readonly store: AnyBuildStore
  readonly clock: Clock
  readonly random: Random
  /** How long a build takes, evenly spread. */
  readonly buildMs: { readonly min: number; readonly max: number }
  readonly compilers: Readonly<Record<BuildKind, Compiler>>
  /** What is known now, by name; another name makes what was built before old. Cheap: every read asks it. */
  readonly edition: () => string | null
  /** Woken after the commit of what the store added. */
  readonly outbox: Pick<OutboxWakes, 'wake'>
  /** How often it is looked for what other processes began, or left; Infinity where there are none. */
  readonly lookEveryMs?: number
  readonly log: (line: string) => void
  /** Whether requests are coming in, which wait for the thread. */
  readonly isBusy: () => boolean
}

interface Asked {
  readonly waiter?: BuildWaiter | null
  /** Whose unit the first build of this subject is; every later one is free. */
  readonly chargedAccountNumber?: number | null
}

/**
 * What is compiled on first demand: exactly one build a subject at a time, however many callers ask.
 * Everything that these calls acknowledge is durable when they return, and goes on after a restart.
 */
export interface Builds {
  /** Never starts anything. */
  read(kind: BuildKind, subject: string): StoredBuild | null
  /**
   * What a read does: starts the first build, one some time after a failure, and a refresh of what is old. A
   * waiter is taken where the build goes on, and gets its event in the transaction that ends it.
   */
  demand(kind: BuildKind, subject: string, asked?: Asked): StoredBuild
  /** A build is under way when this returns: a new one, a refresh of what is complete, or the one that was. */
  start(kind: BuildKind, subject: string, waiter?: BuildWaiter): StoredBuild
  /** The run object of a waiter as JSON text; undefined for another account's, or an unknown one. */
  runObject(
    accountNumber: number,
    runId: RunId,
  ): { readonly isPending: boolean; readonly text: string } | undefined
  /** Resolves when nothing is being built and nothing will be. */
  stop(): Promise<void>
}

export function createBuilds(deps: BuildsDeps): Deferrable<Builds> & Pick<Builds, 'stop'> {
  const { clock, random, buildMs, edition, outbox, store } = deps
  const ask = (
    kind: BuildKind,
    subject: string,
    stepOf: AskedBuild['stepOf'],
    { waiter = null, chargedAccountNumber = null }: Asked,
  ): Awaitable<StoredBuild> => {
    const takesMs = Math.round(buildMs.min + random.fraction() * (buildMs.max - buildMs.min))
    const asked = { kind, subject, stepOf, takesMs, waiter, isWaitedFor, chargedAccountNumber }
    return andThen(store.ask(asked), ({ build, hasBegun }) => {
      outbox.wake()
      if (hasBegun) builder.expect(clock.nowMs() + takesMs)
      return build
    })
  }
  const builder = startBuilder({
    ...deps,
    dueAtMsMax: clock.nowMs() + buildMs.max,
    onEnded: outbox.wake,
  })
  return {
    read: (kind, subject) => store.read(kind, subject),
    demand: (kind, subject, asked = {}) =>
      ask(kind, subject, (build, nowMs) => stepOnDemand(build, edition(), nowMs), asked),
    start: (kind, subject, waiter) => ask(kind, subject, stepOnRequest, { waiter: waiter ?? null }),
    runObject: (accountNumber, runId) =>
      andThen(store.objectOf(accountNumber, runId), (object) => {
        if (object === undefined) return undefined
        return { isPending: object === null, text: object ?? runObjectOf(runId, 'PENDING', null) }
      }),
    stop: () => builder.stop(),
  }
}
