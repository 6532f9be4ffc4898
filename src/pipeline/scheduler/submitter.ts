import PQueue from 'p-queue'
import { assertNever } from '../../core/errors.js'
import { mayHaveArrived } from '../../core/http-exchange.js'
import { toRunId } from '../../core/lookup-state.js'
import type { KickoffVerdict } from './outcome.js'
import type { Stop } from './scheduling.js'
import { FailureStreak, freePolicy, notSentPolicy, unknownPolicy } from '../../core/pacing.js'
import { readRateHeaders } from '../../core/pacing.js'
import type { PendingRun, Refusal, ToSubmit } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { StartPermit } from '../../platform/pace.js'
import { type KindContext, type SubmitterDeps, LookupPages } from './kind-context.js'

type OpenedRun = Omit<PendingRun, 'needsAttention'>

/**
 * Submits the lookups in order, each at most once: the intention is durable before the request is sent, and the run id
 * before anything depends on it. A submission whose response was lost is not repeated.
 */
export class Submitter {
  readonly #kind: KindContext
  readonly #deps: SubmitterDeps
  readonly #queue: PQueue
  readonly #pages: LookupPages
  /** The budget of rows left something to the next run. */
  #hasLeftOut = false
  /** No more submissions of this kind are allowed; open runs are still polled. */
  #isOver = false
  #failure: Error | null = null
  readonly #notSent: FailureStreak
  readonly #unknown = new FailureStreak(unknownPolicy)

  constructor(kind: KindContext, deps: SubmitterDeps) {
    this.#kind = kind
    this.#deps = deps
    this.#pages = new LookupPages(kind)
    this.#queue = new PQueue({ concurrency: deps.submitConcurrency })
    this.#notSent = new FailureStreak(kind.protocol.onLost === 'ask_again' ? freePolicy : notSentPolicy)
    kind.stopping.submitSignal.addEventListener('abort', deps.wakeSignal.ring, { once: true })
  }

  /** Resolves when nothing is left to submit, or submitting was stopped, and no submission is in flight. */
  async run(): Promise<void> {
    this.#deps.reservations.begin(await this.#kind.checkpoint.read('spent'))
    try {
      do await this.#submitAll()
      while (await this.#othersLeaveSome())
    } catch (error) {
      this.#failure ??= error as Error
    }
    await this.#queue.onIdle()
    if (this.#failure !== null) throw this.#failure
  }

  async #submitAll(): Promise<void> {
    const { stopping } = this.#kind
    const { pace, wakeSignal, reservations } = this.#deps
    while (this.#canContinue()) {
      const lookup = await this.#next()
      if (lookup === null) break
      const reserved = this.#reserve(lookup)
      if (reserved === 'over') break
      if (reserved === 'left_out') continue
      const permit = await pace.waitForTurn(stopping.submitSignal)
      if (stopping.submitSignal.aborted) {
        reservations.giveBack(lookup)
        break
      }
      void this.#queue
        .add(() => this.#submit(lookup, permit))
        .catch((error: unknown) => {
          this.#failure = error as Error
        })
        .finally(wakeSignal.ring)
    }
  }

  /**
   * Waits while other processes are about to submit lookups that this run needs. Returns whether they left some, which
   * are then submitted now. Lookups that this process skipped itself do not count.
   */
  async #othersLeaveSome(): Promise<boolean> {
    await this.#queue.onIdle()
    if (!this.#canContinue() || this.#hasLeftOut) return false
    const { checkpoint, protocol, stopping } = this.#kind
    const { others } = checkpoint.store
    if ((await others?.wait(protocol.kind, stopping.submitSignal, 'submissions')) !== true) return false
    this.#pages.restart()
    return true
  }

  #canContinue(): boolean {
    return !this.#kind.stopping.submitSignal.aborted && this.#failure === null && !this.#isOver
  }

  /** Returns the next lookup once there is room for another run; null if none is left. */
  async #next(): Promise<ToSubmit | null> {
    const { stopping, backlog } = this.#kind
    const { inFlightRunsMax, submitConcurrency, wakeSignal } = this.#deps
    for (;;) {
      if (stopping.submitSignal.aborted) return null
      // A request with its turn must start at once, or it would be too close to the next one.
      if (this.#countInFlight() < inFlightRunsMax && this.#queue.pending < submitConcurrency) {
        // Read before the page: lookups added in between are found in the next iteration.
        const { isComplete } = backlog
        const lookup = backlog.returned.take() ?? (await this.#pages.next(isComplete))
        if (lookup !== null) return lookup
        if (isComplete && !this.#mayRequeue()) return null
      }
      // A submission in flight may be withdrawn, or a run may end.
      await wakeSignal.wait()
    }
  }

  /** A submission in flight may be withdrawn; if polls show whether it was received, an open run may be requeued. */
  #mayRequeue(): boolean {
    const { backlog, protocol } = this.#kind
    const isOpen = protocol.onLost === 'poll' && this.#deps.poller.openCount > 0
    return this.#queue.pending + this.#queue.size > 0 || backlog.returned.hasAny || isOpen
  }

  #countInFlight(): number {
    return this.#deps.poller.openCount + this.#queue.pending + this.#queue.size
  }

  /** Takes one lookup of the budgets, or leaves it for the next run. */
  #reserve(lookup: ToSubmit): 'taken' | 'left_out' | 'over' {
    const refused = this.#deps.reservations.take(lookup)
    return refused === null ? 'taken' : this.#skipLookup(refused)
  }

  #skipLookup(refused: Stop | 'row_budget_exhausted'): 'left_out' | 'over' {
    const { stopping, backlog, protocol } = this.#kind
    if (refused === 'row_budget_exhausted') {
      // Behind it may be what follows from answers, which is not of this budget.
      if (protocol.kind === 'resolution') return 'over'
      backlog.settle()
      this.#hasLeftOut = true
      return 'left_out'
    }
    stopping.stop(refused)
    return 'over'
  }

  async #submit(lookup: ToSubmit, permit: StartPermit): Promise<void> {
    const { checkpoint, protocol, clock, stopping, backlog, address, counter } = this.#kind
    const { pace, reservations } = this.#deps
    // Between the turn and here the run may have been stopped, or have failed: nothing has left yet.
    if (stopping.submitSignal.aborted || this.#failure !== null) {
      reservations.giveBack(lookup)
      return
    }
    const { lookupId } = lookup
    const intention = await checkpoint.intend(lookupId, clock.nowMs(), reservations.bounds)
    if (typeof intention === 'string') {
      this.#applyRefusal(lookup, intention)
      return
    }
    const { customId } = intention
    if (!intention.mayLeave()) return this.#withdraw(lookup, customId, 'the lease expired before it was sent')
    if (!permit.leave()) return this.#withdraw(lookup, customId, 'its turn passed before it was sent')
    backlog.submit()
    counter.count('submissions')
    const startedAtMs = clock.monotonicMs()
    const url = address.getUrl(lookupId)
    const exchange = await protocol.sendRequest(lookup, customId, url, stopping.replySignal)
    if (exchange.kind === 'reply') pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    const verdict = protocol.judgeKickoff(exchange, lookup, customId, clock.nowMs())
    if (exchange.kind === 'reply') counter.onReply('submissions', verdict, clock.monotonicMs())
    this.#watchReachability(verdict, startedAtMs)
    const isLostRead =
      protocol.onLost === 'ask_again' && verdict.kind === 'not_sent' && mayHaveArrived(exchange)
    if (isLostRead) await this.#repeatRead(lookup, customId, verdict.reason)
    else await this.#applyVerdict(lookup, customId, verdict, startedAtMs)
  }

  /** Handles a submission that the checkpoint refused, for all processes. */
  #applyRefusal(lookup: ToSubmit, refusal: Refusal): void {
    const { reservations } = this.#deps
    if (refusal === 'elsewhere') {
      reservations.giveBack(lookup)
      this.#kind.backlog.settle()
      return
    }
    const isLost = refusal === 'checkpoint_lost'
    const stop = isLost ? { kind: refusal } : reservations.onBudgetRefused(lookup, refusal)
    if (this.#skipLookup(stop) === 'over') this.#isOver = true
  }

  /** Sends a read again after a loss. If it has a price, it may have been billed, so its reservation stays. */
  async #repeatRead(lookup: ToSubmit, id: string, reason: string): Promise<void> {
    const { checkpoint, backlog, counter } = this.#kind
    if (!this.#deps.reservations.isPriced) return this.#withdraw(lookup, id, reason)
    counter.count('lostReads')
    const { lookupId } = lookup
    const update = { event: 'withdraw', lookupId, customId: id, reason, mayBeBilled: true } as const
    if (await checkpoint.apply(update)) backlog.returned.add(lookup)
    else this.#settle('accepted')
  }

  async #applyVerdict(
    lookup: ToSubmit,
    id: string,
    verdict: KickoffVerdict,
    startedAtMs: number,
  ): Promise<void> {
    const { checkpoint, clock, stopping, address, counter } = this.#kind
    const { pace, poller } = this.#deps
    const { lookupId } = lookup
    switch (verdict.kind) {
      case 'answered':
      case 'accepted': {
        const { runId } = verdict
        const own = { lookupId, customId: id, runId, nowMs: clock.nowMs() }
        const accepted = await checkpoint.apply({ event: 'accept', ...own })
        address.onAccepted(lookupId)
        if (accepted === 'uncertain') {
          counter.count('misdirected')
          this.#noteLost(lookupId)
          this.#countFailure(this.#unknown, `the service returned ${runId} for two submissions`, startedAtMs)
          return
        }
        this.#unknown.reset()
        this.#settle('accepted')
        // If a webhook named the run before, it is already polled or answered.
        const run = { lookupId, runId, customId: id, name: lookup.name, submittedAtMs: clock.nowMs() }
        if (accepted && !(await this.#recordAtOnce(run, verdict)))
          poller.add({ ...run, needsAttention: null })
        return
      }
      case 'invalid':
        if (address.mayHaveCausedRefusal(lookupId, verdict.reason))
          return this.#withdraw(lookup, id, verdict.reason)
        if (await checkpoint.apply({ event: 'reject', lookupId, customId: id, reason: verdict.reason })) {
          this.#settle('rejected')
          this.#deps.reservations.giveBack(lookup)
        } else this.#settle('accepted')
        return
      case 'unknown':
        return this.#handleLost(lookup, id, verdict.reason)
      case 'misdirected':
        await this.#handleLost(lookup, id, verdict.reason)
        return this.#claimFor(verdict, startedAtMs)
      case 'rate_limited':
        pace.onRateLimited(verdict.waitMs)
        return this.#withdraw(lookup, id, 'rate limited')
      case 'not_sent':
        return this.#withdraw(lookup, id, verdict.reason)
      case 'refused':
      case 'wrong_address':
      case 'out_of_credit':
      case 'plan_limit':
        stopping.stop(verdict)
        return this.#withdraw(lookup, id, verdict.reason)
      default:
        return assertNever(verdict)
    }
  }

  /** Withdraws a submission that was not created or billed; the lookup is submitted later. */
  async #withdraw(lookup: ToSubmit, id: string, reason: string): Promise<void> {
    const { lookupId } = lookup
    if (!(await this.#kind.checkpoint.apply({ event: 'withdraw', lookupId, customId: id, reason }))) {
      this.#settle('accepted')
      return
    }
    this.#deps.reservations.giveBack(lookup)
    this.#kind.backlog.returned.add(lookup)
  }

  /** Returns false if there was no immediate answer, or the answer is held. */
  async #recordAtOnce(run: OpenedRun, verdict: KickoffVerdict): Promise<boolean> {
    if (verdict.kind !== 'answered') return false
    const { run: answer, failed } = verdict
    return (await this.#deps.recorder.record(run, { run: answer, failed })) === null
  }

  async #handleLost(lookup: ToSubmit, id: string, reason: string): Promise<void> {
    const { checkpoint, protocol } = this.#kind
    if (protocol.onLost === 'poll') return this.#recordUnconfirmed(lookup, id, reason)
    const { lookupId } = lookup
    if (await checkpoint.apply({ event: 'lose', lookupId, customId: id, reason })) this.#noteLost(lookupId)
    else this.#settle('accepted')
  }

  /** Assumes that the request was received. A poll shows its state; if it was not received, the lookup is requeued. */
  async #recordUnconfirmed({ lookupId, name }: ToSubmit, customId: string, reason: string): Promise<void> {
    const { checkpoint, clock, protocol } = this.#kind
    if (protocol.kind === 'resolution') throw new Error('only the service names the runs of resolutions')
    const runId = toRunId(protocol.kind, name)
    const nowMs = clock.nowMs()
    await checkpoint.apply({ event: 'accept', lookupId, customId, runId, nowMs })
    await checkpoint.apply({ event: 'flag', lookupId, reason })
    this.#settle('accepted')
    this.#deps.reservations.noteUncertain(customId)
    const run = { lookupId, runId, customId, name, submittedAtMs: nowMs, needsAttention: reason }
    this.#deps.poller.add(run)
  }

  #noteLost(lookupId: LookupId): void {
    this.#settle('lost')
    this.#deps.onLost?.(lookupId)
  }

  /** Claims the run for another submission, whose custom_id was in the response. */
  async #claimFor(
    { customId, runId, reason }: Extract<KickoffVerdict, { kind: 'misdirected' }>,
    startedAtMs: number,
  ): Promise<void> {
    const { checkpoint, clock, counter } = this.#kind
    counter.count('misdirected')
    const claim = await checkpoint.apply({ event: 'claim', customId, runId, nowMs: clock.nowMs() })
    // Useless responses: many in a row would lose all submissions.
    if (claim !== 'claimed' && claim !== 'early') {
      this.#countFailure(this.#unknown, reason, startedAtMs)
      return
    }
    this.#unknown.reset()
    const owner = await checkpoint.read('owner', { runId })
    if (owner?.isWanted !== true) return
    if (claim === 'claimed') counter.count('claimed')
    this.#deps.poller.add(owner)
  }

  #settle(what: 'accepted' | 'rejected' | 'lost'): void {
    this.#kind.backlog.settle()
    this.#kind.counter.count(what)
  }

  /** Pauses after consecutive failures and gives up after too many; any other response resets the count. */
  #watchReachability(verdict: KickoffVerdict, startedAtMs: number): void {
    if (verdict.kind === 'not_sent') {
      this.#countFailure(this.#notSent, verdict.reason, startedAtMs)
      return
    }
    this.#notSent.reset()
    if (verdict.kind === 'unknown') this.#countFailure(this.#unknown, verdict.reason, startedAtMs)
    // These may still be useless: the run may belong to another lookup.
    else if (verdict.kind !== 'accepted' && verdict.kind !== 'misdirected') this.#unknown.reset()
  }

  #countFailure(streak: FailureStreak, reason: string, startedAtMs: number): void {
    const { random, stopping, clock } = this.#kind
    const { pace } = this.#deps
    const decision = streak.noteFailure(startedAtMs, clock.monotonicMs(), random.fraction())
    if (decision.action === 'pause') pace.pause(decision.delayMs)
    else stopping.stop({ kind: 'unreachable', reason })
  }
}
