import { setImmediate as nextTurn } from 'node:timers/promises'
import { applyWhenReady, type Awaitable, type Deferrable } from '../../platform/sql-program.js'
import { getErrorText } from '../../core/errors.js'
import type { Clock, Random } from '../../platform/clock.js'
import { DueWorkLoop, type InFlight } from '../../platform/due-work-loop.js'
import { GroupCommit } from '../../platform/group-commit.js'
import { ConnectionLostError } from '../../platform/postgres/postgres.js'
import { limits } from '../limits.js'
import { decideRun, type RunOutcome } from './run-outcome.js'
import type { Knowledge } from '../knowledge.js'
import type { DueRun, FinishedRun, RunStore, Journal, NewRun } from './run-store.js'
import type { CallId, CustomId } from '../../contract/enums.js'
import type { Credit } from '../accounts/charges.js'
import { createRunIds, type RunKind } from './run-store.js'
import type { Caller } from '../accounts/accounts.js'

export interface ResearcherDeps {
  readonly store: Deferrable<Pick<RunStore, 'due' | 'nextDueAtMs' | 'finish'>>
  readonly knowledge: Pick<Knowledge, 'resolve'>
  readonly clock: Clock
  readonly log: (line: string) => void
  /** Whether requests are arriving, which need the thread. */
  readonly isBusy: () => boolean
  /** Called after the end of runs was stored. */
  readonly onStored?: () => void
}

/**
 * Researches due runs in slices of a few milliseconds, so that HTTP stays responsive, or concurrently if the
 * knowledge answers asynchronously. Open runs are read from the store, so that a restart continues with them. Starts
 * immediately.
 */
export class Researcher {
  readonly #deps: ResearcherDeps
  readonly #loop: DueWorkLoop
  readonly #commits = new GroupCommit((finished: readonly FinishedRun[]) =>
    applyWhenReady(this.#finish(finished), () => finished.map(() => ({ value: undefined }))),
  )
  #storeMs = 0
  #lookedAtMs = -Infinity
  #hasMore = false
  #lastFailure: unknown

  constructor(deps: ResearcherDeps) {
    const { clock, store } = deps
    this.#deps = deps
    this.#loop = new DueWorkLoop({
      clock,
      takeUp: (inFlight) => this.#researchSome(inFlight),
      // Runs due at the last read are done, or in flight and wake the loop when they end.
      nextDueAtMs: async () =>
        this.#hasMore ? -Infinity : ((await store.nextDueAtMs(this.#lookedAtMs)) ?? Infinity),
      inFlightMax: limits.runsInFlightMax,
      idleMsMax: limits.researchIdleMsMax,
      retryMs: limits.researchRetryMs,
      onFailure: (error) => {
        // All runs of one commit fail with the same error. The connection monitor logs outages.
        const isSaid = error === this.#lastFailure || error instanceof ConnectionLostError
        if (!isSaid) deps.log(`research pauses: ${getErrorText(error)}`)
        this.#lastFailure = error
      },
    })
  }

  /** Researches no later than this time. */
  expect(dueAtMs: number): void {
    // It was stored after the read that would have found it.
    if (dueAtMs <= this.#lookedAtMs) this.#loop.wake()
    else this.#loop.expect(dueAtMs)
  }

  /** Resolves once no research is in progress and none will start. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Researches for about as long as the last commit took, then commits. */
  async #researchSome(inFlight: InFlight): Promise<void> {
    const { store, knowledge, clock, isBusy } = this.#deps
    this.#lookedAtMs = clock.nowMs()
    this.#hasMore = false
    const countMax = limits.runsPerSliceMax
    const open = await store.due(this.#lookedAtMs, countMax + limits.runsInFlightMax - inFlight.room())
    const due = open.filter(({ runNumber }) => !inFlight.has(runNumber))
    const sliceMs = isBusy() ? limits.sliceMsWhileBusy : limits.sliceMsWhileQuiet
    const startMs = clock.monotonicMs()
    const endMs = startMs + Math.max(sliceMs, Math.min(this.#storeMs, limits.researchMsBetweenCommitsMax))
    let sliceEndMs = startMs + sliceMs
    const finished: FinishedRun[] = []
    let takenCount = 0
    for (const run of due) {
      if (inFlight.room() <= 0) break
      takenCount++
      const query = { name: run.name, location: run.location, context: run.context }
      const asked = { withBasis: run.withBasis === 1, nowMs: clock.nowMs() }
      const { runId, echoed } = run
      const outcome = decideRun(knowledge, query, echoed ? { runId, ...echoed, ...asked } : asked)
      if (outcome instanceof Promise) {
        inFlight.begin(run.runNumber, () => this.#finishLater(run, outcome, inFlight.stopping))
      } else finished.push(this.#toFinishedRun(run, outcome))
      const nowMs = clock.monotonicMs()
      if (nowMs >= endMs || inFlight.stopping.aborted) break
      if (nowMs < sliceEndMs) continue
      await nextTurn()
      sliceEndMs = clock.monotonicMs() + sliceMs
    }
    if (finished.length > 0) await this.#finish(finished)
    this.#hasMore = inFlight.room() > 0 && (takenCount < due.length || due.length >= countMax)
  }

  #toFinishedRun({ runId, runNumber }: DueRun, outcome: RunOutcome): FinishedRun {
    if (outcome.fault !== null) this.#deps.log(`run ${runId} failed: ${outcome.fault}`)
    return { runNumber, outcome }
  }

  async #finishLater(run: DueRun, answer: Promise<RunOutcome>, stopping: AbortSignal): Promise<void> {
    const outcome = await resolveUnlessAborted(answer, stopping)
    // A run cut off by the stop is still due; the next process researches it.
    if (outcome !== null) await this.#commits.add(this.#toFinishedRun(run, outcome))
  }

  #finish(finished: readonly FinishedRun[]): Awaitable<void> {
    const { store, clock, onStored } = this.#deps
    const storedFromMs = clock.monotonicMs()
    return applyWhenReady(store.finish(finished, clock.nowMs()), () => {
      this.#storeMs = clock.monotonicMs() - storedFromMs
      onStored?.()
    })
  }
}

/** Resolves to `null` if the signal is aborted first. */
function resolveUnlessAborted<Value>(answer: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
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

export interface SubmissionDeps {
  readonly journal: Journal
  readonly credit: Credit
  readonly researcher: Researcher
  readonly clock: Clock
  readonly random: Random
  readonly researchMs: { readonly min: number; readonly max: number }
}

/** The parameters of a submission, validated against the contract; the same for all routes. */
interface Submission {
  readonly kind: RunKind
  readonly name: string
  readonly location: string | undefined
  readonly context: string | undefined
  readonly customId: CustomId | null
  readonly webhookUrl: string | null
  readonly withBasis: boolean
}

/**
 * Bills a unit and stores the run, both or neither; resolves once they are durable. Throws 402 without credit, 429 at
 * the monthly limit, and any error of the store; nothing was billed then.
 */
export async function submit(
  { caller, callId }: { readonly caller: Caller; readonly callId: CallId },
  asked: Submission,
  { journal, credit, researcher, clock, random, researchMs }: SubmissionDeps,
): Promise<NewRun> {
  const nowMs = clock.nowMs()
  const run: NewRun = {
    accountNumber: caller.accountNumber,
    ids: createRunIds(asked.kind, callId, random, nowMs),
    customId: asked.customId,
    surface: asked.kind === 'run' || asked.kind === 'job' ? 'v3' : 'v2',
    webhookUrl: asked.webhookUrl,
    query: {
      name: replaceLoneSurrogates(asked.name),
      location: asked.location === undefined ? null : replaceLoneSurrogates(asked.location),
      context: asked.context === undefined ? null : replaceLoneSurrogates(asked.context),
    },
    withBasis: asked.withBasis,
    createdAtMs: nowMs,
    dueAtMs: nowMs + Math.round(researchMs.min + random.fraction() * (researchMs.max - researchMs.min)),
  }
  await credit.charge(caller, () => journal.append(run))
  researcher.expect(run.dueAtMs)
  return run
}

/** SQLite would store half a surrogate pair as invalid UTF-8; it is replaced by U+FFFD, as encoders do. */
function replaceLoneSurrogates(text: string): string {
  return /\p{Surrogate}/u.test(text) ? Buffer.from(text).toString() : text
}
