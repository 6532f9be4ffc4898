import PQueue from 'p-queue'
import type { RunObjectLenient } from '../../contract/result.js'
import { calculateBackoffMs, FailureStreak, failedPollPolicy, pollsPolicy } from '../../core/pacing.js'
import { assertNever } from '../../core/errors.js'
import { WakeSignal } from '../../platform/clock.js'
import type { PollVerdict } from './outcome.js'
import {
  isPastDeadline,
  findNextPoll,
  type PollPlan,
  type PollSupply,
  findNextFallbackPoll,
  type FallbackRun,
} from './polling.js'
import type { PollingPace } from './scheduling.js'
import { readRateHeaders } from '../../core/pacing.js'
import { RunDurations, viewOpenRuns } from './run-durations.js'
import type { PendingRun } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { AnswerRecorder } from './answer-recorder.js'
import type { Pace } from '../../platform/pace.js'
import type { KindContext } from './kind-context.js'
import { findEndedAtMs, toFinalAnswer, type FinalAnswer, type PreparedVerdict } from './protocol.js'

/** Polls of the embedded service are not limited. They wait for the end of their run, then for a shared commit. */
const [limitedPollsMax, unlimitedPollsMax] = [16, 128]
/** One run in this many is polled early, to learn how long runs take. */
const scoutEvery = 10
/** A run may be unknown for a moment (a lagging replica), but not three times. */
const [unknownAnswersMax, unknownGapMsMax] = [3, 20_000]

interface Run extends PendingRun, FallbackRun {
  failureCount: number
  unknownCount: number
}

export interface PollerDeps {
  polling: PollingPace
  /** Submissions in `windowMs`; null if unlimited. */
  submissionsPerWindow: number | null
  windowMs: number
  pace: Pace
  recorder: Pick<AnswerRecorder, 'record'>
  /** Signals that a run ended, which makes room for another one. */
  roomSignal: Pick<WakeSignal, 'ring'>
  onDisproved: (customId: string) => void
}

/** Polls the open runs until each has its final answer or is left for the next command. */
export class Poller {
  readonly #kind: KindContext
  readonly #deps: PollerDeps
  readonly #queue: PQueue
  readonly #wakeSignal: WakeSignal
  readonly #runs = new Map<LookupId, Run>()
  readonly #durations: RunDurations
  #addedCount = 0
  #moreRunsCome = true
  readonly #failureStreak = new FailureStreak(pollsPolicy)
  #failure: Error | null = null

  constructor(kind: KindContext, deps: PollerDeps) {
    this.#kind = kind
    this.#deps = deps
    const { clock, counter, stopping } = kind
    const { polling, pace } = deps
    const pollsMax = pace.getStartsPerMs() === null ? unlimitedPollsMax : limitedPollsMax
    this.#queue = new PQueue({ concurrency: pollsMax })
    this.#wakeSignal = new WakeSignal(clock)
    this.#durations = new RunDurations(Math.max(1, polling.firstAfterMs || polling.intervalMs))
    counter.watchOpenRuns(() => viewOpenRuns(this.#runs.values(), this.#durations, clock.monotonicMs()))
    stopping.pollSignal.addEventListener('abort', this.#wakeSignal.ring, { once: true })
  }

  get openCount(): number {
    return this.#runs.size
  }

  /** Adds a run. Waits use the monotonic clock, since the system clock may jump. */
  add(run: PendingRun, asked: Run['asked'] = null): void {
    // An incomplete delivery may arrive before the response to the submission.
    if (this.#runs.has(run.lookupId)) return
    const { clock } = this.#kind
    const { polling } = this.#deps
    const openedAtMs = clock.monotonicMs()
    this.#runs.set(run.lookupId, {
      ...run,
      openedAtMs,
      submittedAtMs: openedAtMs - Math.max(0, clock.nowMs() - run.submittedAtMs),
      lastPolledAtMs: null,
      seenRunningAtMs: null,
      // A submission that may not have been received could still be on its way.
      notBeforeMs: run.needsAttention === null ? openedAtMs : openedAtMs + polling.intervalMs,
      isBeingPolled: false,
      asked,
      isScout: this.#addedCount++ % scoutEvery === 0,
      failureCount: 0,
      unknownCount: 0,
    })
    this.#wakeSignal.ring()
  }

  /** Adds runs of an earlier process, whose deliveries may have been missed. */
  takeOver(runs: readonly PendingRun[]): void {
    for (const run of runs) this.add(run, 'once')
  }

  /** Marks a run that received the data of another lookup, and polls it now. */
  async markMisdirected(run: PendingRun, reason: string): Promise<void> {
    this.pollSoon(run)
    const known = this.#runs.get(run.lookupId)
    if (known !== undefined) await this.#setNeedsAttention(known, reason)
  }

  /** Polls the run now, since its delivery was incomplete. */
  pollSoon(run: PendingRun): void {
    const known = this.#runs.get(run.lookupId)
    if (known === undefined) this.add(run, 'until_answered')
    else known.asked = 'until_answered'
    this.#wakeSignal.ring()
  }

  /** Closes a run whose answer came by webhook, and learns its duration. */
  closeAnswered(lookupId: LookupId, answer: RunObjectLenient, receivedAtMs: number): void {
    const run = this.#runs.get(lookupId)
    const { clock, protocol } = this.#kind
    // The system clock may have been set back.
    const agoMs = Math.max(0, clock.nowMs() - receivedAtMs)
    if (run !== undefined)
      this.#recordDuration(run, protocol.answers.getEndedAtMs(answer), clock.monotonicMs() - agoMs, true)
    this.close(lookupId)
  }

  /** Stops polling the run. */
  close(lookupId: LookupId): void {
    this.#runs.delete(lookupId)
    this.#wakeSignal.ring()
    this.#deps.roomSignal.ring()
  }

  readonly finishAdding = (): void => {
    this.#moreRunsCome = false
    this.#wakeSignal.ring()
  }

  /** Resolves when no run is open and none will be added, or polling was stopped, and no poll is in flight. */
  async run(): Promise<void> {
    const { stopping, clock } = this.#kind
    while (!stopping.pollSignal.aborted && this.#failure === null) {
      this.#deferLateRuns()
      if (this.#runs.size === 0 && !this.#moreRunsCome) break
      const next = this.#next()
      const waitMs = next === null ? Infinity : next.dueAtMs - clock.monotonicMs()
      if (waitMs > 0) await this.#wakeSignal.wait(waitMs)
      // A poll that has its turn must start at once.
      else if (this.#queue.pending >= this.#queue.concurrency) await this.#wakeSignal.wait()
      else await this.#pollOne()
    }
    await this.#queue.onIdle()
    if (this.#failure !== null) throw this.#failure
  }

  /** Waits for a turn, then polls the run that is overdue the longest. */
  async #pollOne(): Promise<void> {
    const { stopping } = this.#kind
    const permit = await this.#deps.pace.waitForTurn(stopping.pollSignal)
    const run = this.#next()?.run
    if (run === undefined || stopping.pollSignal.aborted || !permit.leave()) return
    run.isBeingPolled = true
    void this.#queue
      .add(() => this.#poll(run))
      .catch((error: unknown) => {
        this.#failure = error as Error
      })
      .finally(() => {
        run.isBeingPolled = false
        this.#wakeSignal.ring()
      })
  }

  async #poll(run: Run): Promise<void> {
    const { protocol, clock, counter, stopping } = this.#kind
    const { pace } = this.#deps
    counter.count('polls')
    const startedAtMs = clock.monotonicMs()
    run.lastPolledAtMs = startedAtMs
    const exchange = await protocol.poll(run, stopping.pollSignal)
    // A failure caused by the stop says nothing about the service.
    if (stopping.pollSignal.aborted && !(exchange.kind === 'reply' && exchange.bodyFault === null)) return
    if (exchange.kind === 'reply') pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    const verdict = protocol.judgePoll(exchange, run, clock.nowMs())
    if (exchange.kind === 'reply') counter.onReply('polls', verdict, clock.monotonicMs())
    if (verdict.kind === 'retry') this.#handleFailure(run, verdict.reason, startedAtMs)
    else this.#failureStreak.reset()
    if (verdict.kind === 'pending') this.#seeRunning(run, startedAtMs)
    // A webhook may have been faster; its duration is known then.
    if (verdict.kind === 'finished' && this.#runs.has(run.lookupId))
      this.#recordDuration(run, findEndedAtMs(verdict, protocol), startedAtMs)
    await this.#applyVerdict(run, verdict)
  }

  async #applyVerdict(run: Run, verdict: PollVerdict | PreparedVerdict): Promise<void> {
    switch (verdict.kind) {
      case 'pending':
        run.failureCount = 0
        if (run.asked === 'once') run.asked = null
        return this.#setNeedsAttention(run, null)
      case 'finished':
        return this.#finish(run, toFinalAnswer(verdict))
      case 'misdirected':
        return this.#hold(run, verdict.reason)
      case 'rate_limited':
        this.#deps.pace.onRateLimited(verdict.waitMs)
        return
      case 'refused':
      case 'unreachable':
        this.#kind.stopping.stop(verdict)
        return
      case 'run_unknown':
        return this.#handleUnknown(run, verdict.reason)
      case 'not_created':
        // A run that the service confirmed is not submitted again, but polled.
        return run.needsAttention === null
          ? this.#handleUnknown(run, verdict.reason)
          : this.#requeueLookup(run, verdict.reason)
      case 'retry':
        return
      default:
        return assertNever(verdict)
    }
  }

  async #finish(run: Run, answer: FinalAnswer): Promise<void> {
    const held = await this.#deps.recorder.record(run, answer)
    if (held === null) this.close(run.lookupId)
    else await this.#hold(run, held)
  }

  /** Retries later: a cache or a proxy mixes up answers only for a while. */
  async #hold(run: Run, reason: string): Promise<void> {
    const { clock, random } = this.#kind
    run.failureCount++
    run.notBeforeMs =
      clock.monotonicMs() + calculateBackoffMs(failedPollPolicy, run.failureCount, random.fraction())
    await this.#setNeedsAttention(run, reason)
  }

  /** `reason` is null if the last answer was its own. */
  async #setNeedsAttention(run: Run, reason: string | null): Promise<void> {
    const { checkpoint, counter } = this.#kind
    if (reason !== null) counter.count('misdirected')
    // A webhook may have answered it already.
    if (!this.#runs.has(run.lookupId)) return
    if (reason === null) counter.unmarkHeld(run.lookupId)
    else counter.markHeld(run.lookupId)
    if (run.needsAttention === reason) return
    run.needsAttention = reason
    await checkpoint.apply({ event: 'flag', lookupId: run.lookupId, reason })
  }

  /** The key is probably of another account: the run stays in the checkpoint for the right key. */
  async #handleUnknown(run: Run, reason: string): Promise<void> {
    const { clock } = this.#kind
    const { polling } = this.#deps
    run.unknownCount++
    run.notBeforeMs = clock.monotonicMs() + Math.min(unknownGapMsMax, polling.firstAfterMs)
    if (run.unknownCount < unknownAnswersMax || !this.#runs.has(run.lookupId)) return
    const { lookupId, runId } = run
    const what = `the service does not know ${runId} (${reason})`
    await this.#kind.checkpoint.apply({ event: 'flag', lookupId, reason: what })
    this.#deferRun(run)
  }

  /** Requeues a lookup whose response was lost and whose request was not received. */
  async #requeueLookup(run: Run, reason: string): Promise<void> {
    const { checkpoint, backlog } = this.#kind
    const { onDisproved } = this.#deps
    const { lookupId, customId, name } = run
    backlog.returned.expect(lookupId)
    await checkpoint.apply({ event: 'disprove', lookupId, customId, reason })
    onDisproved(customId)
    backlog.requeue({ lookupId, name, location: null, context: null, isOfRow: 0 })
    this.close(lookupId)
  }

  #next(): PollPlan<Run> | null {
    const { address, clock } = this.#kind
    const { polling } = this.#deps
    return address.isInUse
      ? findNextFallbackPoll(this.#runs.values(), polling)
      : findNextPoll(this.#runs, polling, this.#supply(), clock.monotonicMs())
  }

  #supply(): PollSupply {
    const { backlog, protocol } = this.#kind
    const { pace, submissionsPerWindow, windowMs, polling } = this.#deps
    const { leftCount } = backlog
    return {
      durations: polling.firstAfterMs > 0 ? this.#durations : null,
      pollsPerMs: pace.getStartsPerMs(),
      submittingMsLeft: submissionsPerWindow === null ? 0 : (leftCount / submissionsPerWindow) * windowMs,
      toSubmitCount: leftCount,
      takesTurns: protocol.sharesLimit && leftCount > 0,
    }
  }

  #seeRunning(run: Run, atMs: number): void {
    const seenMs = run.seenRunningAtMs === null ? 0 : run.seenRunningAtMs - run.submittedAtMs
    run.seenRunningAtMs = atMs
    this.#durations.noteRunning(seenMs, atMs - run.submittedAtMs)
  }

  /** `endedAtMs`: as stated, by the service's clock; `knownAtMs`: arrival of the answer, by the monotonic clock. */
  #recordDuration(run: Run, endedAtMs: number | null, knownAtMs: number, isSent = false): void {
    const { clock } = this.#kind
    const getAgeMs = (atMs: number) => atMs - run.submittedAtMs
    this.#durations.addEnding({
      seenMs: run.seenRunningAtMs === null ? 0 : getAgeMs(run.seenRunningAtMs),
      knownMs: getAgeMs(knownAtMs),
      saidMs: endedAtMs === null ? null : getAgeMs(clock.monotonicMs() - (clock.nowMs() - endedAtMs)),
      isSent,
    })
  }

  #handleFailure(run: Run, reason: string, startedAtMs: number): void {
    const { clock, random, stopping } = this.#kind
    run.failureCount++
    run.notBeforeMs =
      clock.monotonicMs() + calculateBackoffMs(failedPollPolicy, run.failureCount, random.fraction())
    const decision = this.#failureStreak.noteFailure(startedAtMs, clock.monotonicMs(), random.fraction())
    if (decision.action === 'give_up') stopping.stop({ kind: 'unreachable', reason })
  }

  #deferLateRuns(): void {
    const nowMs = this.#kind.clock.monotonicMs()
    for (const run of this.#runs.values()) {
      // Later ones were opened later.
      if (!isPastDeadline(run, this.#deps.polling, nowMs)) break
      if (!run.isBeingPolled) this.#deferRun(run)
    }
  }

  #deferRun(run: Run): void {
    this.#kind.counter.count('parked')
    this.close(run.lookupId)
  }
}
