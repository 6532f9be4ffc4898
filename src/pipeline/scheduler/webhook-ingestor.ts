import { readDelivery, type Delivery } from './outcome.js'
import { explainMismatch } from './misdirected.js'
import { getDeliveryMsMax } from './polling.js'
import type { Clock, WakeSignal } from '../../platform/clock.js'
import type { Checkpoint, RunOwner, DeliveryState, Inbox } from '../checkpoint/checkpoint.js'
import type { LookupId } from '../../core/lookup-identity.js'
import { buildStageLookup } from '../checkpoint/lookup.js'
import { toObject } from '../../core/json.js'
import { toRunId, type LookupKind, type StageKind } from '../../core/lookup-state.js'
import { readRecord } from './record-verdicts.js'
import type { AnswerRecorder } from './answer-recorder.js'
import type { Poller } from './poller.js'
import type { RunCounter } from './work.js'

/** Submissions request the basis: an answer is complete only with it. */
export const basisWanted = true

/** The state of a delivery after it was handled, and the reason. */
type DeliveryResult = readonly [state: Exclude<DeliveryState, 'waiting'>, reason: string | null]

export interface DeliveryTarget {
  checkpoint: Pick<Checkpoint, 'apply' | 'read'>
  poller: Pick<Poller, 'closeAnswered' | 'pollSoon' | 'markMisdirected'>
  recorder: Pick<AnswerRecorder, 'record'>
  counter: Pick<RunCounter, 'count'>
}

export interface WebhookIngestorDeps {
  /** The kinds that this run schedules. */
  machines: ReadonlyMap<LookupKind, DeliveryTarget>
  inbox: Pick<Inbox, 'listWaiting' | 'settle' | 'requeue' | 'lookMs'>
  /** Signals a new delivery in the inbox. */
  received: WakeSignal
  clock: Clock
  getDeadlineMs: (kind: LookupKind) => number
  /** Aborted: ends after the deliveries that are already in the inbox. */
  stopSignal: AbortSignal
  counter: RunCounter
}

/**
 * Handles the deliveries in the inbox, including those that another process received. An answer is handled like that of
 * a poll. A lost submission is claimed by its `custom_id`. An incomplete delivery causes a poll.
 */
export class WebhookIngestor {
  readonly #deps: WebhookIngestorDeps
  /** Lost submissions, and until when a delivery may name their runs (monotonic). */
  readonly #lost = new Map<LookupId, { kind: LookupKind; untilMs: number }>()
  #isEnded = false

  constructor(deps: WebhookIngestorDeps) {
    this.#deps = deps
    deps.stopSignal.addEventListener('abort', deps.received.ring, { once: true })
  }

  /** Registers a lost submission, which a delivery may name. `agoMs`: time since it was sent. */
  createLossHandler(kind: LookupKind): (lookupId: LookupId, agoMs?: number) => void {
    const { clock, getDeadlineMs } = this.#deps
    return (lookupId, agoMs = 0) => {
      const hopeMs = getDeliveryMsMax({ deadlineMs: getDeadlineMs(kind) })
      this.#lost.set(lookupId, { kind, untilMs: clock.monotonicMs() - agoMs + hopeMs })
    }
  }

  /** Resolves when no lost submission can be named any more: claimed, too old, or the run stopped. */
  async waitForLostSubmissions(kind: LookupKind): Promise<void> {
    const { clock, inbox, stopSignal } = this.#deps
    for (;;) {
      const hopes = [...this.#lost.values()].filter((lost) => lost.kind === kind)
      const untilMs = hopes.reduce((latest, lost) => Math.max(latest, lost.untilMs), -Infinity)
      const leftMs = untilMs - clock.monotonicMs()
      if (leftMs <= 0 || stopSignal.aborted) return
      await clock.sleep(Math.min(leftMs, inbox.lookMs), stopSignal)
    }
  }

  /** Handles deliveries until `end` is called or the run is stopped, then one last time. */
  async run(): Promise<void> {
    const { inbox, received, stopSignal } = this.#deps
    // Deliveries that earlier runs could not claim may belong to this one.
    await inbox.requeue()
    for (;;) {
      await this.#takeAll()
      if (this.#isEnded || stopSignal.aborted) return
      await received.wait(inbox.lookMs)
    }
  }

  readonly end = (): void => {
    this.#isEnded = true
    this.#deps.received.ring()
  }

  /** Handles a page at once, so that its writes share one commit. */
  async #takeAll(): Promise<void> {
    const { counter, inbox, machines, stopSignal } = this.#deps
    let position = 0
    for (;;) {
      const page = await inbox.listWaiting(position, [...machines.keys()])
      const last = page.at(-1)
      if (last === undefined) return
      position = last.position
      const handled = page.map(async (delivery) => {
        const content = readDelivery(delivery.body, basisWanted)
        const [state, reason] = await this.#judge(content, delivery.receivedAtMs)
        // Settled once its content is durable: after a crash it is handled again.
        if (await inbox.settle(delivery.position, state, reason)) counter.countDelivery(state)
      })
      await Promise.all(handled)
      if (stopSignal.aborted) return
    }
  }

  async #judge(delivery: Delivery, receivedAtMs: number): Promise<DeliveryResult> {
    if (delivery.kind === 'unreadable') return ['quarantined', delivery.reason]
    if (delivery.kind === 'record') return this.#judgeRecord(delivery, receivedAtMs)
    const { counter, clock } = this.#deps
    const { poller, recorder, checkpoint } = this.#getResolutionMachine()
    const { runId, customId } = delivery
    const claim =
      customId === null
        ? 'known'
        : await checkpoint.apply({ event: 'claim', customId, runId, nowMs: clock.nowMs() })
    const owner = await checkpoint.read('owner', { runId })
    if (claim === 'conflict')
      return this.#hold(owner, 'its custom_id and its run_id name different submissions')
    if (claim === 'unknown')
      return owner === null
        ? ['unclaimed', null]
        : this.#hold(owner, 'its custom_id is not the one that its run was submitted with')
    if (claim === 'superseded') return ['taken', 'the lookup was submitted again since']
    if (owner === null)
      return customId === null ? ['unclaimed', null] : ['taken', 'the lookup was submitted again since']
    if (claim === 'claimed' && owner.isWanted) counter.count('claimed')
    this.#lost.delete(owner.lookupId)
    if (delivery.kind === 'finished') {
      const held =
        explainMismatch(delivery.run, owner) ?? (await recorder.record(owner, delivery, owner.isWanted))
      if (held !== null) return this.#hold(owner, held)
      poller.closeAnswered(owner.lookupId, delivery.run, receivedAtMs)
      return ['taken', null]
    }
    if (owner.state === 'running' && owner.isWanted) poller.pollSoon(owner)
    return ['taken', delivery.reason]
  }

  #getResolutionMachine(): DeliveryTarget {
    const machine = this.#deps.machines.get('resolution')
    if (machine === undefined) throw new Error('resolutions are always scheduled')
    return machine
  }

  /** A record is identified by its name: it answers any request for it. */
  async #judgeRecord(
    delivery: Extract<Delivery, { kind: 'record' }>,
    receivedAtMs: number,
  ): Promise<DeliveryResult> {
    const { record: kind, name, body, hasFailed } = delivery
    if (name === null) return ['taken', 'it names no record; it will be polled']
    const machine = this.#deps.machines.get(kind)
    const owner = machine === undefined ? null : await this.#claimRecord(machine, kind, name)
    if (machine === undefined || owner === null) return ['unclaimed', null]
    this.#lost.delete(owner.lookupId)
    if (owner.state !== 'running') return ['taken', null]
    const said = readRecord(kind, name, body)
    if (said.kind !== 'there' && !hasFailed) {
      if (owner.isWanted) machine.poller.pollSoon(owner)
      return ['taken', 'without a final answer']
    }
    const run =
      said.kind === 'there'
        ? said.run
        : { run_id: toRunId(kind, name), status: 'FAILED', data: toObject(body) ?? {} }
    const failed = hasFailed || (said.kind === 'there' && said.failed)
    await machine.recorder.record(owner, { run, failed }, owner.isWanted)
    machine.poller.closeAnswered(owner.lookupId, run, receivedAtMs)
    return ['taken', null]
  }

  /** A request whose response was lost or is outstanding was received, since its record exists. */
  async #claimRecord(machine: DeliveryTarget, kind: StageKind, name: string): Promise<RunOwner | null> {
    const { clock } = this.#deps
    const { key } = buildStageLookup(kind, name)
    const owner = await machine.checkpoint.read('owner', { key })
    if (owner === null || (owner.state !== 'uncertain' && owner.state !== 'intended')) return owner
    const { customId } = owner
    const runId = toRunId(kind, name)
    const claim = await machine.checkpoint.apply({ event: 'claim', customId, runId, nowMs: clock.nowMs() })
    if (claim === 'claimed' && owner.isWanted) machine.counter.count('claimed')
    return machine.checkpoint.read('owner', { key })
  }

  /** Quarantines an inconsistent delivery. If the named run still runs, it is polled. */
  async #hold(owner: RunOwner | null, reason: string): Promise<DeliveryResult> {
    if (owner?.state === 'running' && owner.isWanted)
      await this.#getResolutionMachine().poller.markMisdirected(owner, `by webhook: ${reason}`)
    return ['quarantined', reason]
  }
}
