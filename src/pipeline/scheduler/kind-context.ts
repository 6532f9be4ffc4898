import type { Clock, WakeSignal } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Checkpoint, LookupId, OpenRun } from '../checkpoint/checkpoint.js'
import type { AnswerRecorder } from './answer-recorder.js'
import type { Backlog } from './backlog.js'
import type { Reservations } from './budgets.js'
import type { Pace } from './pace.js'
import type { Protocol } from './protocol.js'
import type { RunCounter } from './run-counter.js'
import type { StopController } from './stop-controller.js'
import type { WebhookAddress } from './webhook-address.js'

/** Shared by the submitter and the poller of one kind of lookup. */
export interface KindContext {
  checkpoint: Checkpoint
  protocol: Protocol
  clock: Clock
  random: Random
  backlog: Backlog
  counter: RunCounter
  stopping: StopController
  address: WebhookAddress
}

export interface SubmitterDeps {
  submitConcurrency: number
  inFlightRunsMax: number
  /** Reservations against the budgets of the job. */
  reservations: Reservations
  pace: Pace
  /** Waits for the runs that are submitted here. */
  poller: { add(run: OpenRun): void; readonly openCount: number }
  /** Records answers that the reply to a submission contains. */
  recorder: Pick<AnswerRecorder, 'record'>
  /** Called for a submission whose reply was lost: a webhook may name its run. `null` without webhooks. */
  onLost: ((lookupId: LookupId) => void) | null
  /** Wakes the submitter; also rung from outside when a run ended and there is room for another. */
  wakeSignal: WakeSignal
}
