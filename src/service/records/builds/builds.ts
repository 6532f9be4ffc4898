import type { RunId } from '../../../contract/enums.js'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../../platform/sql-program.js'
import type { Clock } from '../../../platform/clock.js'
import type { LaneSignals } from '../../deliveries/outbox.js'
import type { HeldPolls } from '../../runs/polls.js'
import {
  stepOnDemand,
  stepOnRequest,
  type BuildKind,
  type BuildWaiter,
  type Compiler,
  type StoredBuild,
  isUnderWay,
  isWaitedFor,
  formatRunObject,
  BuildFailure,
  type BuildOutcome,
} from './build.js'
import type { AnyBuildStore, BuildRequest, EndedBuild, RequestedBuild } from './build-store.js'
import { getErrorText } from '../../../core/errors.js'
import { DueWorkLoop, type InFlight } from '../../../platform/due-work-loop.js'
import { ConnectionLostError } from '../../../platform/postgres/postgres.js'
import { limits } from '../../limits.js'

interface BuilderDeps extends Omit<BuildsDeps, 'store' | 'buildMs' | 'outbox' | 'held'> {
  readonly store: Pick<AnyBuildStore, 'due' | 'nextDueAtMs' | 'limitDueTimes' | 'end' | 'release'>
  /** Latest due time of builds found at the start. */
  readonly dueAtMsMax: number
  /** Called after the end of builds was stored. */
  readonly onEnded: (ended: readonly EndedBuild[]) => void
}

/**
 * Runs due builds: synchronous ones in slices of a few milliseconds, those that use the network concurrently. Open
 * builds are read from the store, so that a restart continues with them. Starts immediately.
 */
class Builder {
  readonly #deps: BuilderDeps
  readonly #loop: DueWorkLoop
  readonly #areDueTimesLimited: Awaitable<boolean>
  #isBegun: boolean
  #lookedAtMs = -Infinity
  #hasMore = false
  /** Time from the due time of recent builds to their ends, by kind. */
  readonly #workMs = new Map<BuildKind, number>()

  constructor(deps: BuilderDeps) {
    const { store, clock, lookEveryMs = Infinity } = deps
    this.#deps = deps
    // Before the loop starts: a later write could block this thread while another process writes to the file.
    const first = store.limitDueTimes(deps.dueAtMsMax)
    this.#areDueTimesLimited = first instanceof Promise ? first.then(always(true), always(false)) : true
    this.#isBegun = this.#areDueTimesLimited === true
    this.#loop = new DueWorkLoop({
      clock,
      takeUp: (inFlight) => this.#buildSome(inFlight),
      // Builds due at the last read are done, or in flight and wake the loop when they end.
      nextDueAtMs: () =>
        this.#hasMore
          ? -Infinity
          : applyWhenReady(store.nextDueAtMs(this.#lookedAtMs), (dueAtMs) => dueAtMs ?? Infinity),
      inFlightMax: limits.buildsInFlightMax,
      idleMsMax: Math.min(limits.researchIdleMsMax, lookEveryMs),
      retryMs: limits.researchRetryMs,
      onFailure: (error) => {
        // The connection monitor logs once that the database is unreachable.
        if (!(error instanceof ConnectionLostError)) deps.log(`builds pause: ${getErrorText(error)}`)
      },
    })
  }

  /** Builds no later than this time. */
  expect(dueAtMs: number): void {
    // It was stored after the read that would have found it.
    if (dueAtMs <= this.#lookedAtMs) this.#loop.wake()
    else this.#loop.expect(dueAtMs)
  }

  /** Expects the end of an open build from the work of recent builds; never in the past. */
  estimateEndMs({ kind, dueAtMs }: StoredBuild): number {
    return Math.max(dueAtMs, this.#deps.clock.nowMs()) + Math.round(this.#workMs.get(kind) ?? 0)
  }

  /** Resolves once no build is in progress and none will start. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.#deps.store.release()
  }

  async #buildSome(inFlight: InFlight): Promise<void> {
    const { store, compilers, edition, clock, isBusy } = this.#deps
    if (!this.#isBegun && !(await this.#areDueTimesLimited)) await store.limitDueTimes(this.#deps.dueAtMsMax)
    this.#isBegun = true
    this.#lookedAtMs = clock.nowMs()
    this.#hasMore = false
    const countMax = limits.buildsPerSliceMax
    const open = await store.due(this.#lookedAtMs, countMax + limits.buildsInFlightMax - inFlight.room())
    const due = open.filter(({ buildNumber }) => !inFlight.has(buildNumber))
    const endMs = clock.monotonicMs() + (isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet)
    const finished: EndedBuild[] = []
    let takenCount = 0
    for (const build of due) {
      if (inFlight.room() <= 0) break
      takenCount++
      const made = edition()
      const compiled = tryCompile(() => compilers[build.kind](build.subject, inFlight.stopping))
      if (compiled instanceof Promise) {
        inFlight.begin(build.buildNumber, async () => {
          const tried = await compiled.then(toSuccess, toFailure)
          // A build cut off by the stop is still due; the next process runs it.
          if (!inFlight.stopping.aborted) await this.#end([this.#toEndedBuild(build, made, tried)])
        })
      } else finished.push(this.#toEndedBuild(build, made, compiled))
      if (clock.monotonicMs() >= endMs) break
    }
    if (finished.length > 0) await this.#end(finished)
    this.#hasMore = takenCount > 0 && (takenCount < due.length || due.length >= countMax)
  }

  #toEndedBuild(build: StoredBuild, made: string | null, { outcome, fault }: Attempt): EndedBuild {
    const tookMs = Math.max(0, this.#deps.clock.nowMs() - build.dueAtMs)
    const beforeMs = this.#workMs.get(build.kind) ?? tookMs
    this.#workMs.set(build.kind, beforeMs + (tookMs - beforeMs) * newestShare)
    if (fault !== null) this.#deps.log(`the build of ${build.kind} ${build.subject} failed: ${fault}`)
    return { buildNumber: build.buildNumber, outcome, edition: made }
  }

  async #end(finished: readonly EndedBuild[]): Promise<void> {
    await this.#deps.store.end(finished, this.#deps.clock.nowMs())
    this.#deps.onEnded(finished)
  }
}

/** Weight of the newest build in the expected duration. */
const newestShare = 0.2

const always = (value: boolean) => () => value

interface Attempt {
  readonly outcome: BuildOutcome
  /** The reason for a failure, for the log; `null` after a success. */
  readonly fault: string | null
}

function tryCompile(compile: () => string | Promise<string>): Attempt | Promise<string> {
  try {
    const result = compile()
    return typeof result === 'string' ? toSuccess(result) : result
  } catch (error) {
    return toFailure(error)
  }
}

const toSuccess = (result: string): Attempt => ({ outcome: { ok: true, result }, fault: null })

function toFailure(error: unknown): Attempt {
  const failure = error instanceof BuildFailure ? error.message : 'internal error'
  return { outcome: { ok: false, failure }, fault: getErrorText(error) }
}

interface BuildDuration {
  readonly choose: (kind: BuildKind) => number
  /** Longest duration that `choose` returns. */
  readonly max: number
}

export interface BuildsDeps {
  readonly store: AnyBuildStore
  readonly clock: Clock
  readonly buildMs: BuildDuration
  readonly compilers: Readonly<Record<BuildKind, Compiler>>
  /** Returns the current edition of the knowledge; builds of other editions are outdated. Must be cheap. */
  readonly edition: () => string | null
  /** Woken after the commit of new events. */
  readonly outbox: Pick<LaneSignals, 'wake'>
  /** Lets reads wait for the end of their build, except the one that starts it; `null` if they are answered at once. */
  readonly held: Pick<HeldPolls, 'waitForEnd' | 'release'> | null
  /** Interval between reads of the builds that other processes started or left; `Infinity` without other processes. */
  readonly lookEveryMs?: number
  readonly log: (line: string) => void
  /** Whether requests are arriving, which need the thread. */
  readonly isBusy: () => boolean
}

interface DemandOptions {
  /** The account of the caller, because research takes turns among accounts; defaults to 0. */
  readonly accountNumber?: number
  readonly waiter?: BuildWaiter | null
  /** The account charged for the first build of this subject; later ones are free. */
  readonly chargedAccountNumber?: number | null
}

/**
 * The records built on first demand: at most one build of a subject at once, for all callers. All calls are durable
 * when they return; a restart continues the builds.
 */
export interface Builds {
  /** Returns the stored build without starting one; `null` if none. */
  read(kind: BuildKind, subject: string): StoredBuild | null
  /**
   * Returns the build for a read. Starts the first build, retries a failure after some time, and refreshes an old
   * result. A waiter of a build in progress gets its event in the transaction that ends the build. The due time of a
   * build in progress is the expected end.
   */
  demand(kind: BuildKind, subject: string, asked?: DemandOptions): StoredBuild
  /** Starts a build or a refresh, unless one is in progress, and returns it. */
  start(kind: BuildKind, subject: string, asked?: Pick<DemandOptions, 'accountNumber'>): StoredBuild
  /** Returns the run object of a waiter as JSON text; `undefined` for another account's run, or an unknown one. */
  runObject(
    accountNumber: number,
    runId: RunId,
  ): { readonly isPending: boolean; readonly text: string } | undefined
  /** Resolves once no build is in progress and none will start. */
  stop(): Promise<void>
}

export function createBuilds(deps: BuildsDeps): Deferrable<Builds> & Pick<Builds, 'stop'> {
  const { clock, buildMs, edition, outbox, store, held } = deps
  const ask = (
    kind: BuildKind,
    subject: string,
    stepOf: BuildRequest['chooseStep'],
    { accountNumber = 0, waiter = null, chargedAccountNumber = null }: DemandOptions,
  ): Awaitable<RequestedBuild> => {
    let chosenMs: number | undefined
    const chooseMs = () => (chosenMs ??= buildMs.choose(kind))
    const asked: BuildRequest = {
      kind,
      subject,
      accountNumber,
      chooseStep: stepOf,
      chooseMs,
      waiter,
      isWaitedFor,
      chargedAccountNumber,
    }
    // Not later than the store's own time: the build could be due at the last look, and be missed by it.
    const askedAtMs = clock.nowMs()
    return applyWhenReady(store.ask(asked), ({ build, hasBegun }) => {
      outbox.wake()
      if (hasBegun) builder.expect(askedAtMs + chooseMs())
      if (!isUnderWay(build)) return { build, hasBegun }
      return { build: { ...build, dueAtMs: builder.estimateEndMs(build) }, hasBegun }
    })
  }
  const builder = new Builder({
    ...deps,
    dueAtMsMax: clock.nowMs() + buildMs.max,
    onEnded: (ended) => {
      outbox.wake()
      for (const { buildNumber } of ended) held?.release(`build ${buildNumber}`)
    },
  })
  const whenEnded = async (build: StoredBuild): Promise<StoredBuild> => {
    await held?.waitForEnd(`build ${build.buildNumber}`)
    return (await store.read(build.kind, build.subject)) ?? build
  }
  const hold = (build: StoredBuild) => (held !== null && isUnderWay(build) ? whenEnded(build) : build)
  return {
    read: (kind, subject) => applyWhenReady(store.read(kind, subject), (build) => build && hold(build)),
    demand: (kind, subject, asked = {}) =>
      applyWhenReady(
        ask(kind, subject, (build, nowMs) => stepOnDemand(build, edition(), nowMs), asked),
        ({ build, hasBegun }) => (hasBegun ? build : hold(build)),
      ),
    start: (kind, subject, asked = {}) =>
      applyWhenReady(ask(kind, subject, stepOnRequest, asked), ({ build }) => build),
    runObject: (accountNumber, runId) =>
      applyWhenReady(store.objectOf(accountNumber, runId), (object) => {
        if (object === undefined) return undefined
        return { isPending: object === null, text: object ?? formatRunObject(runId, 'PENDING', null) }
      }),
    stop: () => builder.stop(),
  }
}
