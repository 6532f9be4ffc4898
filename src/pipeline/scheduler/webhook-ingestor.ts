import { readDelivery, type Delivery } from '../rules/delivery.js'
import { whyMisdirected } from '../rules/misdirected.js'
import { deliveryMsMax } from '../rules/webhook-fallback.js'
import type { Claim, LookupId, RunOwner } from '../checkpoint/checkpoint.js'
import { receiverLimits } from '../inbox/limits.js'
import type { DeliveryState, Inbox, WaitingDelivery } from '../inbox/inbox.js'
import type { AnswerRecorder } from './answer-recorder.js'
import { WakeSignal } from './wake-signal.js'
import type { Poller } from './poller.js'
import type { SchedulerDeps } from './deps.js'

/** A submission asks for the basis, so an answer is whole only with it. */
export const basisWanted = true

/** What becomes of a delivery, and why. */
type Settled = readonly [state: Exclude<DeliveryState, 'waiting'>, reason: string | null]

/**
 * Takes deliveries out of the inbox, whoever received them. An answer takes the same way as that of a poll; a
 * submission whose answer was lost is claimed by the `custom_id` it bore; what is not whole is polled for.
 */
export class WebhookIngestor {
  readonly #deps: SchedulerDeps
  readonly #inbox: Inbox
  readonly #poller: Poller
  readonly #recorder: AnswerRecorder
  readonly #wakeSignal: WakeSignal
  /** Submissions whose answer was lost, and until when a delivery may name their run, by the monotonic clock. */
  readonly #lost = new Map<LookupId, number>()
  #isEnded = false

  constructor(deps: SchedulerDeps, inbox: Inbox, poller: Poller, recorder: AnswerRecorder) {
    this.#deps = deps
    this.#inbox = inbox
    this.#poller = poller
    this.#recorder = recorder
    this.#wakeSignal = new WakeSignal(deps.clock)
    inbox.onReceived = this.#wakeSignal.ring
    deps.stopping.polling.addEventListener('abort', this.#wakeSignal.ring, { once: true })
  }

  /** The answer to this submission was lost: a delivery may bring it back. `agoMs`: since it left. */
  readonly expect = (lookupId: LookupId, agoMs = 0): void => {
    const { clock, polling } = this.#deps
    this.#lost.set(lookupId, clock.monotonicMs() - agoMs + deliveryMsMax(polling))
  }

  /** Resolves when no lost submission can be hoped for any more: claimed, too old, or nothing is waited for. */
  async lostAreOver(): Promise<void> {
    const { clock, stopping } = this.#deps
    for (;;) {
      const untilMs = Math.max(-Infinity, ...this.#lost.values())
      const leftMs = untilMs - clock.monotonicMs()
      if (leftMs <= 0 || stopping.polling.aborted) return
      await clock.sleep(Math.min(leftMs, receiverLimits.lookMs), stopping.polling)
    }
  }

  /** Takes what waits and what comes, until `end` is called or the run is stopped; then once more. */
  async run(): Promise<void> {
    const { stopping } = this.#deps
    // What no earlier run could claim may be one of ours.
    await this.#inbox.requeue()
    for (;;) {
      await this.#takeAll()
      if (this.#isEnded || stopping.polling.aborted) return
      await this.#wakeSignal.wait(receiverLimits.lookMs)
    }
  }

  readonly end = (): void => {
    this.#isEnded = true
    this.#wakeSignal.ring()
  }

  /** A page at a time: what one page asks of the checkpoint is one commit, not thirty. */
  async #takeAll(): Promise<void> {
    let position = 0
    for (;;) {
      const page = this.#inbox.waiting(position)
      await Promise.all(page.map((delivery) => this.#take(delivery)))
      position = page.at(-1)?.position ?? position
      if (page.length < receiverLimits.takeCountMax || this.#deps.stopping.polling.aborted) return
    }
  }

  /** Settled only once what it says is durable: a process that dies in between takes it again. */
  async #take({ position, body, receivedAtMs }: WaitingDelivery): Promise<void> {
    const [state, reason] = await this.#judge(readDelivery(body, basisWanted), receivedAtMs)
    await this.#inbox.settle(position, state, reason)
    this.#deps.tally.deliveries[state]++
  }

  async #judge(delivery: Delivery, receivedAtMs: number): Promise<Settled> {
    if (delivery.kind === 'unreadable') return ['quarantined', delivery.reason]
    const { tally } = this.#deps
    const { runId, customId } = delivery
    const { claim, owner } = await this.#claim(customId, runId)
    switch (claim) {
      case 'conflict':
        return this.#hold(owner, 'its custom_id and its run_id name different submissions')
      case 'unknown':
        return owner === null
          ? ['unclaimed', null]
          : this.#hold(owner, 'its custom_id is not the one that its run was submitted with')
      case 'superseded':
        return ['taken', 'the lookup was submitted again since']
      case 'contested':
      case 'claimed':
      case 'early':
      case 'known':
        break
    }
    if (owner === null) return customId === null ? ['unclaimed', null] : ['taken', 'asked again since']
    if (claim === 'claimed' && owner.isWanted) tally.claimed++
    this.#lost.delete(owner.lookupId)
    if (delivery.kind === 'finished') {
      const misdirected = whyMisdirected(delivery.run, owner)
      const recorded = await this.#recorder.record(owner, { ...delivery, misdirected }, owner.isWanted)
      if (recorded.kind === 'held') return this.#hold(owner, recorded.reason)
      if (recorded.kind === 'moved') this.#poller.close(owner.lookupId)
      else this.#poller.answered(owner.lookupId, delivery.run, receivedAtMs)
      return ['taken', null]
    }
    if (owner.state === 'running' && owner.isWanted) this.#poller.ask(owner)
    return ['taken', delivery.reason]
  }

  /** A run that nobody holds any more, since it was named for several submissions, goes to the one it names itself. */
  async #claim(customId: string | null, runId: string): Promise<{ claim: Claim; owner: RunOwner | null }> {
    const { checkpoint, clock } = this.#deps
    const claim = customId === null ? 'known' : await checkpoint.claim(customId, runId, clock.nowMs())
    const owner = await checkpoint.ownerOf(runId)
    const isFree = claim === 'contested' && owner === null && customId !== null
    if (!isFree || !(await checkpoint.award(customId, runId, clock.nowMs()))) return { claim, owner }
    return { claim: 'claimed', owner: await checkpoint.ownerOf(runId) }
  }

  /** What a delivery mixes up is not used: the run it names, if it still runs, is polled for its own answer. */
  async #hold(owner: RunOwner | null, reason: string): Promise<Settled> {
    if (owner?.state === 'running' && owner.isWanted) await this.#poller.hold(owner, `by webhook: ${reason}`)
    return ['quarantined', reason]
  }
}
