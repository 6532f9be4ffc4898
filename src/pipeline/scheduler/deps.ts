import type { StageOptions } from '../lookups/stage-options.js'
import type { DecidedRows } from '../lookups/stage-questions.js'
import type { ServiceClient } from '../../client/client.js'
import type { Clock, WakeSignal } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { RunObjectLenient } from '../../contract/resolution.js'
import type { Checkpoint, LookupId } from '../checkpoint/checkpoint.js'
import type { Inbox } from '../inbox/inbox.js'
import type { StageKind } from '../lookups/lookup-kind.js'
import type { LookupPlan, PlanPolicy } from '../lookups/lookup-state.js'
import type { CostLimit } from '../figures/money.js'
import type { ServerErrorMeaning } from '../answers/outcome.js'
import type { PollingPace } from '../pace/polling.js'
import type { Stop } from '../figures/stop.js'
import type { Backlog } from './backlog.js'
import type { RunCounter } from './run-counter.js'

export interface SchedulerLimits {
  /** Requests a window; null is no limit (the embedded service). */
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  /** Runs that wait for an answer at one time. */
  inFlightRunsMax: number
  submitConcurrency: number
}

/** What the user chooses, or the service says. */
export interface SchedulingOptions {
  limits: SchedulerLimits
  polling: PollingPace
  serverErrorMeans: ServerErrorMeaning
  /** Submissions of the job, over all its processes; reserved before they leave. */
  lookupsMax: number | null
  /** What submissions of the job may cost, of all kinds together; no bound if left out. */
  cost?: CostLimit
  durationMsMax: number | null
}

export interface SchedulerDeps {
  scheduling: SchedulingOptions
  checkpoint: Checkpoint
  service: ServiceToAsk
  clock: Clock
  random: Random
  resolutions: ResolutionsToAsk
  /** What is asked besides resolutions; nothing if left out. */
  stages?: StagesToAsk
  /** What people decided: it is not asked, and what follows from it is. Nothing if left out. */
  decided?: DecidedRows
  /**
   * Where the deliveries of this checkpoint wait, what is rung when this process receives one, and the address that
   * each submission bears, if any.
   */
  webhooks?: { url: string | null; inbox: Inbox; received: WakeSignal }
  /** Aborted if the user asks to stop. */
  interrupt: AbortSignal
}

interface ServiceToAsk {
  client: ServiceClient
  /** Whether the service validates its answers against this version of the contract; defaults to false. */
  answersAreChecked?: boolean
}

interface ResolutionsToAsk {
  backlog: Backlog
  /** Counts events for display; the scheduler reads nothing from it. */
  counter: RunCounter
  /** Called for each resolution that is answered. */
  onAnswered?: ((lookupId: LookupId, run: RunObjectLenient) => void) | undefined
}

/** A kind that is asked besides resolutions. */
export interface StageToAsk {
  backlog: Backlog
  counter: RunCounter
  /** How what follows from answers is planned, as it comes; and the sum of it. */
  policy: Omit<PlanPolicy, 'nowMs'>
  plan: Record<LookupPlan, number>
  /** Gets why the kind was stopped. */
  onStop: (reason: Stop) => void
}

export interface StagesToAsk {
  options: StageOptions
  /** Those that are asked after answers, and domains where rows ask for them. */
  kinds: ReadonlyMap<StageKind, StageToAsk>
}
