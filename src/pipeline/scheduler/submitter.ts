import PQueue from 'p-queue'
import { customId } from '../../contract/ids.js'
import type { KickoffBody } from '../../contract/resolution.js'
import { unreachable } from '../../core/errors.js'
import { judgeKickoff, type KickoffVerdict } from '../rules/outcome.js'
import { readRateHeaders } from '../rules/rate-headers.js'
import type { ReachabilityPolicy } from '../rules/reachability.js'
import type { Intention, LookupId, ToSubmit } from '../checkpoint/checkpoint.js'
import { Bell } from './wake-signal.js'
import type { DeliveryDesk } from './webhook-ingestor.js'
import type { Pace } from './pace.js'
import { Patience } from './failure-streak.js'
import type { Poller } from './poller.js'
import type { SchedulerContext } from './deps.js'
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
  readonly #context: SchedulerContext
  readonly #pace: Pace
  readonly #poller: Poller
  readonly #desk: DeliveryDesk | null
  readonly #address: WebhookAddress
  readonly #queue: PQueue
  readonly #bell: Bell
  /** Withdrawn lookups, to be submitted before anything else. */
  readonly #again: ToSubmit[] = []
  #page: { position: number; lookup: ToSubmit }[] = []
  #position = 0
  #isExhausted = false
  /** Of the job's budget: what was spent by earlier processes, and what is in the air or was accepted. */
  #reserved = 0
  #failure: Error | null = null
  readonly #notSent: Patience
  readonly #unknown: Patience

  constructor(context: SchedulerContext, pace: Pace, poller: Poller, desk: DeliveryDesk | null = null) {
    this.#context = context
    this.#pace = pace
    this.#poller = poller
    this.#desk = desk
    this.#address = new WebhookAddress(context.webhooks?.url ?? null, context.tally)
    this.#queue = new PQueue({ concurrency: context.limits.submitConcurrency })
    this.#bell = new Bell(context.clock)
    this.#notSent = new Patience(notSentPolicy)
    this.#unknown = new Patience(unknownPolicy)
    context.stopping.submitting.addEventListener('abort', this.#bell.ring, { once: true })
    poller.onRoom = this.#bell.ring
  }

  /** Resolves when nothing is left to submit, or submitting was stopped, and no submission is in the air. */
  async run(): Promise<void> {
    const { stopping, checkpoint } = this.#context
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
        .finally(this.#bell.ring)
      await this.#queue.onSizeLessThan(1)
    }
    await this.#queue.onIdle()
    if (this.#failure !== null) throw this.#failure
  }

  #mayGoOn(): boolean {
    return !this.#context.stopping.submitting.aborted && this.#failure === null
  }

  /** The next lookup when there is room for one more run; null when none is left. */
  async #next(): Promise<ToSubmit | null> {
    for (;;) {
      if (this.#context.stopping.submitting.aborted) return null
      if (this.#inFlight() < this.#context.limits.inFlightRunsMax) {
        const lookup = this.#again.shift() ?? (await this.#nextOfPage())
        if (lookup !== null) return lookup
        if (this.#queue.pending + this.#queue.size === 0 && this.#again.length === 0) return null
      }
      // Something in the air comes back and is withdrawn, or a run ends and makes room.
      await this.#bell.wait()
    }
  }

  #inFlight(): number {
    return this.#poller.openCount + this.#queue.pending + this.#queue.size
  }

  async #nextOfPage(): Promise<ToSubmit | null> {
    if (this.#page.length === 0 && !this.#isExhausted) {
      this.#page = await this.#context.checkpoint.nextToSubmit(this.#position, pageCount)
      this.#isExhausted = this.#page.length === 0
    }
    const entry = this.#page.shift()
    if (entry === undefined) return null
    this.#position = entry.position
    return entry.lookup
  }

  /** Takes one lookup of the budget, or stops: work in flight counts. */
  #reserve(): boolean {
    const { lookupsMax, stopping } = this.#context
    if (lookupsMax !== null && this.#reserved >= lookupsMax) {
      stopping.stop({ kind: 'lookups_max', lookupsMax })
      return false
    }
    this.#reserved++
    return true
  }

  async #submit(lookup: ToSubmit): Promise<void> {
    const { checkpoint, client, clock, tally, stopping } = this.#context
    // Between the turn and here the run may have been stopped: nothing has left yet.
    if (stopping.submitting.aborted) return
    const intention = await checkpoint.intend(lookup.lookupId, clock.nowMs())
    tally.submissions++
    const startedAtMs = clock.monotonicMs()
    const exchange = await client.kickoffRun(
      kickoffOf(lookup, intention, this.#address.urlFor(lookup.lookupId)),
    )
    if (exchange.kind === 'reply') this.#pace.follow(readRateHeaders(exchange.headers, clock.nowMs()))
    const verdict = judgeKickoff(exchange, clock.nowMs(), this.#context.serverErrorMeans, intention.customId)
    if (exchange.kind === 'reply')
      noteAnswer(tally, 'submissions', verdict.kind === 'rate_limited', clock.monotonicMs())
    this.#watchReachability(verdict, startedAtMs)
    await this.#obey(lookup, intention.customId, verdict, startedAtMs)
  }

  async #obey(lookup: ToSubmit, id: string, verdict: KickoffVerdict, startedAtMs: number): Promise<void> {
    const { checkpoint, clock, tally, stopping } = this.#context
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
        if (isFirst) this.#poller.add({ ...run, alarm: null })
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
    if (!(await this.#context.checkpoint.withdraw(lookup.lookupId, id, reason))) {
      this.#wasNamed()
      return
    }
    this.#reserved--
    this.#again.push(lookup)
  }

  async #lose(lookupId: LookupId, id: string, reason: string): Promise<void> {
    if (await this.#context.checkpoint.lose(lookupId, id, reason)) this.#wasLost(lookupId)
    else this.#wasNamed()
  }

  #wasLost(lookupId: LookupId): void {
    this.#context.tally.lost++
    this.#desk?.expect(lookupId)
  }

  /** The answer to one submission bore the custom_id of another: if that is ours, its run is known now. */
  async #claimFor(
    { customId, runId, reason }: Extract<KickoffVerdict, { kind: 'misdirected' }>,
    startedAtMs: number,
  ): Promise<void> {
    const { checkpoint, clock, tally } = this.#context
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
    this.#context.tally.accepted++
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

  #countFailure(patience: Patience, reason: string, startedAtMs: number): void {
    const { random, stopping, clock } = this.#context
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
