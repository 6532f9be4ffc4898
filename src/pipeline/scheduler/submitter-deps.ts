import type { Clock, WakeSignal } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Checkpoint, LookupId } from '../checkpoint/checkpoint.js'
import type { AnswerRecorder } from './answer-recorder.js'
import type { Backlog } from './backlog.js'
import type { Pace } from './pace.js'
import type { Poller } from './poller.js'
import type { Protocol } from './protocol.js'
import type { Reservations } from './budgets.js'
import type { RunCounter } from './run-counter.js'
import type { Stopping } from './stopping.js'
import type { WebhookAddress } from './webhook-address.js'

export interface SubmitterDeps {
  checkpoint: Pick<
    Checkpoint,
    | 'spent'
    | 'nextToSubmit'
    | 'elsewhere'
    | 'intend'
    | 'accept'
    | 'withdraw'
    | 'reject'
    | 'lose'
    | 'claim'
    | 'ownerOf'
    | 'setNeedsAttention'
  >
  protocol: Protocol
  clock: Clock
  random: Random
  submitConcurrency: number
  inFlightRunsMax: number
  /** Of the budgets of the job. */
  reservations: Reservations
  pace: Pace
  stopping: Stopping
  backlog: Backlog
  address: WebhookAddress
  /** Waits for the runs that are made here. */
  poller: Pick<Poller, 'add' | 'openCount'>
  /** Takes what is answered at once. */
  recorder: Pick<AnswerRecorder, 'record'>
  /** A webhook may bring back what was lost; null without webhooks. */
  onLost: ((lookupId: LookupId) => void) | null
  /** What this waits for; rung from outside too, when a run ended and there is room for one more. */
  wakeSignal: WakeSignal
  counter: RunCounter
}
