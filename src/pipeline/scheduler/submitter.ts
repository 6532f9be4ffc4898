import PQueue from 'p-queue'
import { customId } from '../../contract/ids.js'
import type { KickoffBody } from '../../contract/resolution.js'
import { unreachable } from '../../core/errors.js'
import { judgeKickoff, type KickoffVerdict } from '../rules/outcome.js'
import { readRateHeaders } from '../rules/rate-headers.js'
import type { ReachabilityPolicy } from '../rules/reachability.js'
import type { Intention, LookupId, ToSubmit } from '../checkpoint/checkpoint.js'
import { WakeSignal } from './wake-signal.js'
import type { WebhookIngestor } from './webhook-ingestor.js'
import type { Pace } from './pace.js'
import { FailureStreak } from './failure-streak.js'
import type { Poller } from './poller.js'
import type { SchedulerDeps } from './deps.js'
import { noteAnswer } from './tally.js'
import { WebhookAddress } from './webhook-address.js'

/** Lookups read from the checkpoint at a time. */
const pageCount = 500

const notSentPolicy: ReachabilityPolicy = {
  delayMsBase: 500,
  delayMsMax: 60_000,
  failuresMax: 12,
  firstFailuresMax: 4,
}

/** Every further try may be billed and lost: far fewer of them. */
const unknownPolicy: ReachabilityPolicy = {
  delayMsBase: 2_000,
  delayMsMax: 60_000,
  failuresMax: 8,
  firstFailuresMax: 5,
}

/**
 * Submits the wanted lookups in order, each at most once: the intention is durable before the request leaves,
 * the run id before anything depends on it, and an answer that was lost is never followed by a second try.
 */
export class Submitter {
  readonly #deps: SchedulerDeps
  readonly #pace: Pace
  readonly #poller: Poller
  readonly #desk: WebhookIngestor | null
  readonly #address: WebhookAddress
  readonly #queue: PQueue
  readonly #wakeSignal: WakeSignal
  /** Withdrawn lookups, to be submitted before anything else. */
  readonly #again: ToSubmit[] = []
  #page: { position: number; lookup: ToSubmit }[] = []
  #position = 0
  #isExhausted = false
  /** Of the job's budget: what was spent by earlier processes, and what is in flight or was accepted. */
  #reserved = 0
  #failure: Error | null = null
  readonly #notSent: FailureStreak
  readonly #unknown: FailureStreak

  constructor(deps: SchedulerDeps, pace: Pace, poller: Poller, desk: WebhookIngestor | null = null) {
    this.#deps = deps
    this.#pace = pace
    this.#poller = poller
    this.#desk = desk
    this.#address = new WebhookAddress(deps.webhooks?.url ?? null, deps.tally)
    this.#queue = new PQueue({ concurrency: deps.limits.submitConcurrency })
    this.#wakeSignal = new WakeSignal(deps.clock)
    this.#notSent = new FailureStreak(notSentPolicy)
    this.#unknown = new FailureStreak(unknownPolicy)
    deps.stopping.submitting.addEventListener('abort', this.#wakeSignal.ring, { once: true })
    poller.onRoom = this.#wakeSignal.ring
  }

  /** Resolves when nothing is left to submit, or submitting was stopped, and no submission is in flight. */
  async run(): Promise<void> {
    const { stopping, checkpoint } = this.#deps
    this.#reserved = await checkpoint.spent()
    while (this.#mayGoOn()) {
      const lookup = await this.#next()
      if (lookup === null) break
      await this.#pace.turn(stopping.submitting)
      if (stopping.submitting.aborted || !this.#reserve()) break
      void this.#queue
        .add(() => this.#submit(lookup))
        .catch((error: unknown) => {
          this.#failure = error as Error
        })
        .finally(this.#wakeSignal.ring)
      await this.#queue.onSizeLessThan(1)
    }
    await this.#queue.onIdle()
    if (this.#failure !== null) throw this.#failure
  }

  #mayGoOn(): boolean {
    return !this.#deps.stopping.submitting.aborted && this.#failure === null
  }

  /** The next lookup when there is room for one more run; null when none is left. */
  async #next(): Promise<ToSubmit | null> {
    for (;;) {
      if (this.#deps.stopping.submitting.aborted) return null
      if (this.#inFlight() < this.#deps.limits.inFlightRunsMax) {
        const lookup = this.#again.shift() ?? (await this.#nextOfPage())
        if (lookup !== null) return lookup
        if (this.#queue.pending + this.#queue.size === 0 && this.#again.length === 0) return null
      }
      // Something in flight comes back and is withdrawn, or a run ends and makes room.
      await this.#wakeSignal.wait()
    }
  }

  #inFlight(): number {
    return this.#poller.openCount + this.#queue.pending + this.#queue.size
  }

  async #nextOfPage(): Promise<ToSubmit | null> {
    if (this.#page.length === 0 && !this.#isExhausted) {
      this.#page = await this.#deps.checkpoint.nextToSubmit(this.#position, pageCount)
      this.#isExhausted = this.#page.length === 0
    }
    const entry = this.#page.shift()
    if (entry === undefined) return null
    this.#position = entry.position
    return entry.lookup
  }

  /** Takes one lookup of the budget, or stops: work in flight counts. */
  #reserve(): boolean {
    const { lookupsMax, stopping } = this.#deps
    if (lookupsMax !== null && this.#reserved >= lookupsMax) {
      stopping.stop({ kind: 'lookups_max', lookupsMax })
      return false
    }
    this.#reserved++
    return true
  }

  async #submit(lookup: ToSubmit): Promise<void> {
    const { checkpoint, client, clock, tally, stopping } = this.#deps
    // Between the turn and here the run may have been stopped: nothing has left yet.
    if (stopping.submitting.aborted) return
    const intention = await checkpoint.intend(lookup.lookupId, clock.nowMs())
    tally.submissions++
    const startedAtMs = clock.monotonicMs()
    const exchange = await client.kickoffRun(
      kickoffOf(lookup, intention, this.#address.urlFor(lookup.lookupId)),
    )
    if (exchange.kind === 'reply') this.#pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    const verdict = judgeKickoff(exchange, clock.nowMs(), this.#deps.serverErrorMeans, intention.customId)
    if (exchange.kind === 'reply')
      noteAnswer(tally, 'submissions', verdict.kind === 'rate_limited', clock.monotonicMs())
    this.#watchReachability(verdict, startedAtMs)
    await this.#obey(lookup, intention.customId, verdict, startedAtMs)
  }

  async #obey(lookup: ToSubmit, id: string, verdict: KickoffVerdict, startedAtMs: number): Promise<void> {
    const { checkpoint, clock, tally, stopping } = this.#deps
    const { lookupId } = lookup
    switch (verdict.kind) {
      case 'accepted': {
        const { runId } = verdict
        const isFirst = await checkpoint.accept(lookupId, id, runId, clock.nowMs())
        this.#address.accepted(lookupId)
        if (isFirst === 'contested') {
          tally.contested++
          this.#wasLost(lookupId)
          this.#countFailure(this.#unknown, `${runId} was named for several submissions`, startedAtMs)
          return
        }
        this.#unknown.answered()
        tally.accepted++
        // Named by a webhook before: the run is looked after, or answered.
        const run = { lookupId, runId, customId: id, name: lookup.name, submittedAtMs: clock.nowMs() }
        if (isFirst) this.#poller.add({ ...run, needsAttention: null })
        return
      }
      case 'invalid':
        if (this.#address.mayBeWhy(lookupId, verdict.reason))
          return this.#withdraw(lookup, id, verdict.reason)
        if (await checkpoint.reject(lookupId, id, verdict.reason)) {
          tally.rejected++
          this.#reserved--
        } else this.#wasNamed()
        return
      case 'unknown':
        return this.#lose(lookupId, id, verdict.reason)
      case 'misdirected':
        await this.#lose(lookupId, id, verdict.reason)
        return this.#claimFor(verdict, startedAtMs)
      case 'rate_limited':
        this.#pace.refused(verdict.waitMs)
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
        return unreachable(verdict)
    }
  }

  /** Not created, so not billed: the reservation is free again, and the lookup is submitted later. */
  async #withdraw(lookup: ToSubmit, id: string, reason: string): Promise<void> {
    if (!(await this.#deps.checkpoint.withdraw(lookup.lookupId, id, reason))) {
      this.#wasNamed()
      return
    }
    this.#reserved--
    this.#again.push(lookup)
  }

  async #lose(lookupId: LookupId, id: string, reason: string): Promise<void> {
    if (await this.#deps.checkpoint.lose(lookupId, id, reason)) this.#wasLost(lookupId)
    else this.#wasNamed()
  }

  #wasLost(lookupId: LookupId): void {
    this.#deps.tally.lost++
    this.#desk?.expect(lookupId)
  }

  /** The answer to one submission bore the custom_id of another: if that is ours, its run is known now. */
  async #claimFor(
    { customId, runId, reason }: Extract<KickoffVerdict, { kind: 'misdirected' }>,
    startedAtMs: number,
  ): Promise<void> {
    const { checkpoint, clock, tally } = this.#deps
    tally.misdirected++
    const claim = await checkpoint.claim(customId, runId, clock.nowMs())
    // Of no use to anybody: many in a row would lose all that is submitted.
    if (claim !== 'claimed' && claim !== 'early') {
      this.#countFailure(this.#unknown, reason, startedAtMs)
      return
    }
    this.#unknown.answered()
    const owner = await checkpoint.ownerOf(runId)
    if (owner?.isWanted !== true) return
    if (claim === 'claimed') tally.claimed++
    this.#poller.add(owner)
  }

  /** A webhook, or the answer to another submission, named its run before: it was created. */
  #wasNamed(): void {
    this.#deps.tally.accepted++
  }

  /** Pauses after failures in a row and gives up after too many; any other answer ends the row. */
  #watchReachability(verdict: KickoffVerdict, startedAtMs: number): void {
    if (verdict.kind === 'not_sent') {
      this.#countFailure(this.#notSent, verdict.reason, startedAtMs)
      return
    }
    this.#notSent.answered()
    if (verdict.kind === 'unknown') this.#countFailure(this.#unknown, verdict.reason, startedAtMs)
    // These may yet turn out to be of no use: the run they name may be another's.
    else if (verdict.kind !== 'accepted' && verdict.kind !== 'misdirected') this.#unknown.answered()
  }

  #countFailure(patience: FailureStreak, reason: string, startedAtMs: number): void {
    const { random, stopping, clock } = this.#deps
    const decision = patience.failed(startedAtMs, clock.monotonicMs(), random.fraction())
    if (decision.action === 'pause') this.#pace.pause(decision.delayMs)
    else stopping.stop({ kind: 'unreachable', reason })
  }
}

/** `include` must be given here for the run to record its basis at all. */
function kickoffOf(lookup: ToSubmit, intention: Intention, webhookUrl: string | null): KickoffBody {
  return {
    name: lookup.name,
    ...(lookup.location === null ? {} : { location: lookup.location }),
    ...(lookup.context === null ? {} : { context: lookup.context }),
    custom_id: customId.parse(intention.customId),
    include: 'basis',
    ...(webhookUrl === null ? {} : { webhook_url: webhookUrl }),
  }
}
