import PQueue from 'p-queue'
import type { RunObjectLenient } from '../../contract/resolution.js'
import { answerLineVersion, renderAnswer } from '../../core/answer-line.js'
import { backoffMs, type BackoffPolicy } from '../../core/backoff.js'
import { unreachable } from '../../core/errors.js'
import { followMerge, mergedIntoOf, withChain } from '../../core/merged.js'
import { findOddities } from '../../core/oddities.js'
import { judgePoll, outcomeOf, type PollVerdict } from '../../core/outcome.js'
import { isPastDeadline, nextPoll, type PollableRun } from '../../core/polling.js'
import type { LookupId, OpenRun } from '../checkpoint/checkpoint.js'
import { Bell } from './bell.js'
import type { Pace } from './pace.js'
import { Patience } from './patience.js'
import type { SchedulerContext } from './scheduler.js'
import { count } from './tally.js'

const pollConcurrency = 16
const failedPollPolicy: BackoffPolicy = { delayMsBase: 2_000, delayMsMax: 60_000 }
/** Polls of whichever runs that no usable answer came to: the service is gone. Each run waits on its own. */
const reachabilityPolicy = { ...failedPollPolicy, failuresMax: 20, firstFailuresMax: 5 }
/** A run may be unknown for a moment (a replica behind), but not three times. */
const unknownAnswersMax = 3

interface Run extends OpenRun, PollableRun {
  failureCount: number
  unknownCount: number
}

/** Asks for the runs that are open until each has its final answer, or is parked for the next command. */
export class Poller {
  readonly #context: SchedulerContext
  readonly #pace: Pace
  readonly #queue = new PQueue({ concurrency: pollConcurrency })
  readonly #bell: Bell
  readonly #runs = new Map<LookupId, Run>()
  #moreRunsCome = true
  readonly #patience = new Patience(reachabilityPolicy)
  #failure: Error | null = null
  /** Called when a run ended: there is room for one more. */
  onRoom: () => void = () => undefined

  constructor(context: SchedulerContext, pace: Pace) {
    this.#context = context
    this.#pace = pace
    this.#bell = new Bell(context.clock)
    context.stopping.polling.addEventListener('abort', this.#bell.ring, { once: true })
  }

  get openCount(): number {
    return this.#runs.size
  }

  /** Waits are measured by the monotonic clock: the wall clock may jump. */
  add(run: OpenRun): void {
    const { clock } = this.#context
    const openedAtMs = clock.monotonicMs()
    this.#runs.set(run.lookupId, {
      ...run,
      openedAtMs,
      submittedAtMs: openedAtMs - Math.max(0, clock.nowMs() - run.submittedAtMs),
      lastPolledAtMs: null,
      notBeforeMs: openedAtMs,
      isBeingPolled: false,
      failureCount: 0,
      unknownCount: 0,
    })
    this.#bell.ring()
  }

  /** Runs that an earlier process submitted. */
  takeOver(runs: readonly OpenRun[]): void {
    for (const run of runs) this.add(run)
  }

  readonly noMoreRuns = (): void => {
    this.#moreRunsCome = false
    this.#bell.ring()
  }

  /** Resolves when no run is open and none will be added, or polling was stopped, and no poll is in the air. */
  async run(): Promise<void> {
    const { stopping, clock, polling } = this.#context
    while (!stopping.polling.aborted && this.#failure === null) {
      this.#parkLate()
      if (this.#runs.size === 0 && !this.#moreRunsCome) break
      const next = nextPoll(this.#runs.values(), polling)
      const waitMs = next === null ? Infinity : next.dueAtMs - clock.monotonicMs()
      if (waitMs > 0) await this.#bell.wait(waitMs)
      else await this.#pollOne()
    }
    await this.#queue.onIdle()
    if (this.#failure !== null) throw this.#failure
  }

  /** Waits for a turn, then asks for whichever run is due longest by then. */
  async #pollOne(): Promise<void> {
    const { stopping, polling } = this.#context
    await this.#queue.onSizeLessThan(1)
    await this.#pace.turn(stopping.polling)
    const run = nextPoll(this.#runs.values(), polling)?.run
    if (run === undefined || stopping.polling.aborted) return
    run.isBeingPolled = true
    void this.#queue
      .add(() => this.#poll(run))
      .catch((error: unknown) => {
        this.#failure = error as Error
      })
      .finally(() => {
        run.isBeingPolled = false
        this.#bell.ring()
      })
  }

  async #poll(run: Run): Promise<void> {
    const { client, clock, tally } = this.#context
    run.lastPolledAtMs = clock.monotonicMs()
    tally.polls++
    const startedAtMs = clock.monotonicMs()
    const exchange = await client.pollRun(run.runId, { include: 'basis' })
    const verdict = judgePoll(exchange, run.runId, clock.nowMs())
    if (verdict.kind === 'retry') this.#meetFailure(run, verdict.reason, startedAtMs)
    else this.#patience.answered()
    await this.#obey(run, verdict)
  }

  async #obey(run: Run, verdict: PollVerdict): Promise<void> {
    const { tally, stopping } = this.#context
    switch (verdict.kind) {
      case 'pending':
        run.failureCount = 0
        return
      case 'finished':
        return this.#finish(run, verdict.run, verdict.failed)
      case 'rate_limited':
        tally.rateLimited++
        this.#pace.pause(verdict.waitMs)
        return
      case 'refused':
        stopping.stop(verdict)
        return
      case 'run_unknown':
        return this.#meetUnknown(run, verdict.reason)
      case 'retry':
        return
      default:
        return unreachable(verdict)
    }
  }

  async #finish(run: Run, sent: RunObjectLenient, failed: boolean): Promise<void> {
    const { checkpoint, clock, tally } = this.#context
    const outcome = outcomeOf(sent, failed)
    const answer = outcome === 'merged' ? await this.#followMerges(sent) : sent
    const isFirst = await checkpoint.answer(run.lookupId, {
      runId: run.runId,
      state: outcome === 'failed' ? 'failed' : 'answered',
      outcome,
      line: renderAnswer(answer),
      lineVersion: answerLineVersion,
      body: JSON.stringify(answer),
      answeredAtMs: clock.nowMs(),
    })
    if (isFirst) {
      tally.answered++
      count(tally.outcomes, outcome)
      for (const oddity of findOddities(sent)) count(tally.oddities, oddity)
    } else tally.contradictions++
    this.#close(run)
  }

  /** Reads on from the entity that the answer names to the one at the end of the chain; a circle ends where it began. */
  async #followMerges(answer: RunObjectLenient): Promise<RunObjectLenient> {
    const first = mergedIntoOf(answer)
    if (first === null) return answer
    const seen = [first]
    for (;;) {
      await this.#pace.turn(this.#context.stopping.polling)
      if (this.#context.stopping.polling.aborted) break
      const step = followMerge(seen, await this.#context.client.readEntity(seen.at(-1) ?? first))
      if (step.kind === 'circle') {
        count(this.#context.tally.oddities, 'merged ids that go in a circle')
        return answer
      }
      if (step.kind === 'end') break
      seen.push(step.id)
    }
    return withChain(answer, seen)
  }

  /** Most likely another account's key: the run stays, so that the right key finds it again. */
  async #meetUnknown(run: Run, reason: string): Promise<void> {
    run.unknownCount++
    if (run.unknownCount < unknownAnswersMax) return
    await this.#context.checkpoint.alarm(run.lookupId, `the service does not know ${run.runId} (${reason})`)
    this.#park(run)
  }

  #meetFailure(run: Run, reason: string, startedAtMs: number): void {
    const { clock, random, stopping } = this.#context
    run.failureCount++
    run.notBeforeMs = clock.monotonicMs() + backoffMs(failedPollPolicy, run.failureCount, random.fraction())
    const decision = this.#patience.failed(startedAtMs, clock.monotonicMs(), random.fraction())
    if (decision.action === 'give_up') stopping.stop({ kind: 'unreachable', reason })
  }

  #parkLate(): void {
    const { polling, clock } = this.#context
    const nowMs = clock.monotonicMs()
    for (const run of this.#runs.values()) {
      if (!run.isBeingPolled && isPastDeadline(run, polling, nowMs)) this.#park(run)
    }
  }

  #park(run: Run): void {
    this.#context.tally.parked++
    this.#close(run)
  }

  #close(run: Run): void {
    this.#runs.delete(run.lookupId)
    this.onRoom()
  }
}
