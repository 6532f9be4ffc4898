import type { ServiceClient } from '../../client/client.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import type { Inbox } from '../inbox/inbox.js'
import type { ServerErrorMeaning } from '../rules/outcome.js'
import type { PollingPace } from '../rules/polling.js'
import type { Stopping } from './stopping.js'
import type { Tally } from './tally.js'

export interface SchedulerLimits {
  /** Requests a window; null is no limit (the embedded service). */
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  /** Runs that wait for an answer at one time. */
  inFlightRunsMax: number
  submitConcurrency: number
}

export interface SchedulerOptions {
  checkpoint: Checkpoint
  client: ServiceClient
  clock: Clock
  random: Random
  limits: SchedulerLimits
  polling: PollingPace
  serverErrorMeans: ServerErrorMeaning
  /** Lookups that this run will submit, as far as its plan knows; what the polls are spread by. */
  toSubmitCount: number
  /** Submissions of the job, over all its processes; reserved before they leave. */
  lookupsMax: number | null
  durationMsMax: number | null
  /** Where the deliveries of this checkpoint wait, and the address that each submission bears, if any. */
  webhooks?: { url: string | null; inbox: Inbox }
  /** Aborted: the user asked to stop. */
  interrupt: AbortSignal
  tally?: Tally
}

/** What the parts of the scheduler share. */
export interface SchedulerDeps extends SchedulerOptions {
  tally: Tally
  stopping: Stopping
}
