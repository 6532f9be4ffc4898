import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import { WakeSignal } from '../../platform/wake-signal.js'
import type { RunObjectLenient } from '../../contract/resolution.js'
import type { Checkpoint, LookupId, OpenRun } from '../checkpoint/checkpoint.js'
import type { PollingPace } from '../rules/polling.js'
import { AnswerRecorder, type AnswerRecorderDeps } from './answer-recorder.js'
import type { Backlog } from './backlog.js'
import type { KindBudget } from './cost-budget.js'
import type { JobBudget } from './job-budget.js'
import type { KindPaces } from './kind-paces.js'
import { Poller } from './poller.js'
import type { Protocol } from './protocol.js'
import { Reservations } from './reservations.js'
import type { RunCounter } from './run-counter.js'
import type { Stopping } from './stopping.js'
import { Submitter } from './submitter.js'
import { WebhookAddress } from './webhook-address.js'

export interface KindMachineDeps {
  checkpoint: Checkpoint
  protocol: Protocol
  clock: Clock
  random: Random
  limits: { submissionsPerWindow: number | null; windowMs: number }
  inFlightRunsMax: number
  submitConcurrency: number
  lookupsMax: number | null
  jobBudget: JobBudget
  /** Null where this kind costs nothing, or what it costs has no bound. */
  budget: KindBudget | null
  polling: PollingPace
  paces: KindPaces
  stopping: Stopping
  backlog: Backlog
  counter: RunCounter
  /** What its requests bear, where its end can be sent; null where it is not to be. */
  webhookUrl: string | null
  /** A submission whose answer was lost may yet be named by a webhook. */
  onLost: ((lookupId: LookupId) => void) | null
  followMerges: AnswerRecorderDeps['followMerges']
  onAnswered: (lookupId: LookupId, answer: RunObjectLenient) => Promise<void>
  answersAreChecked: boolean
}

/** Asks the lookups of one kind, each part with what it uses and no more. */
export class KindMachine {
  readonly checkpoint: Checkpoint
  readonly poller: Poller
  readonly recorder: AnswerRecorder
  readonly address: WebhookAddress
  readonly backlog: Backlog
  readonly counter: RunCounter
  readonly #submitter: Submitter
  readonly #moreSignal: WakeSignal

  constructor(deps: KindMachineDeps) {
    const { checkpoint, protocol, clock, random, polling, paces, stopping, backlog, counter } = deps
    this.checkpoint = checkpoint
    this.backlog = backlog
    this.counter = counter
    this.#moreSignal = new WakeSignal(clock)
    this.address = new WebhookAddress(protocol.hasEvents ? deps.webhookUrl : null, counter)
    const shared = { checkpoint, protocol, clock, counter }
    const { followMerges, onAnswered, answersAreChecked } = deps
    this.recorder = new AnswerRecorder({ ...shared, followMerges, onAnswered, answersAreChecked })
    this.poller = new Poller({
      ...shared,
      random,
      polling,
      submissionsPerWindow: deps.limits.submissionsPerWindow,
      windowMs: deps.limits.windowMs,
      pace: paces.polls,
      stopping,
      recorder: this.recorder,
      backlog,
      address: this.address,
      roomSignal: this.#moreSignal,
      onDisproved: (customId) => {
        counter.count('disproved')
        deps.budget?.disproved(customId)
      },
    })
    this.#submitter = new Submitter({
      ...shared,
      random,
      submitConcurrency: deps.submitConcurrency,
      inFlightRunsMax: deps.inFlightRunsMax,
      reservations: new Reservations(deps),
      pace: paces.submissions,
      stopping,
      backlog,
      address: this.address,
      poller: this.poller,
      recorder: this.recorder,
      onLost: deps.onLost,
      wakeSignal: this.#moreSignal,
    })
  }

  /** More is to be submitted, or runs already. */
  add(toSubmitCount: number, open: readonly OpenRun[]): void {
    this.backlog.add(toSubmitCount)
    this.poller.takeOver(open)
    if (toSubmitCount > 0) this.#moreSignal.ring()
  }

  /** What was added is all. */
  readonly complete = (): void => {
    this.backlog.complete()
    this.#moreSignal.ring()
  }

  /**
   * Submits, and polls: both resolve when nothing is left to do, or it was stopped. Where one rejects, its caller has to
   * stop the other, which may wait for it. `lostAreOver`: see WebhookIngestor.
   */
  run(lostAreOver: () => Promise<void>): Promise<void>[] {
    const submitting = this.#submitter.run().then(lostAreOver)
    return [submitting.finally(this.poller.noMoreRuns), this.poller.run()]
  }
}
