import type { StageOptions, Stop, SchedulingOptions } from './scheduling.js'
import type { DecidedRows } from '../answers/stage-questions.js'
import type { ServiceClient } from '../../client/client.js'
import type { Clock, WakeSignal } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { RunObjectLenient } from '../../contract/resolution.js'
import type { Checkpoint, LookupId } from '../checkpoint/checkpoint.js'
import type { Inbox } from './inbox.js'
import type { LookupPlan, PlanPolicy } from '../checkpoint/lookup-state.js'
import type { StageKind } from '../../core/lookup-kinds.js'
import type { Backlog, RunCounter } from './backlog.js'
import type { PreparedAnswers } from './prepared-answer.js'

/** An answer that was stored; `run` may be parsed when it is read. */
export interface RecordedAnswer {
  readonly outcome: string
  /** 0 to 100; null without one. */
  readonly confidence: number | null
  readonly run: RunObjectLenient
}

export interface SchedulerDeps {
  scheduling: SchedulingOptions
  checkpoint: Checkpoint
  service: ServiceToAsk
  clock: Clock
  random: Random
  resolutions: ResolutionsToAsk
  /** Kinds to look up in addition to resolutions; optional. */
  stages?: ScheduledStages
  /** Reviewers' decisions: decided rows are not submitted, but their follow-up lookups are; optional. */
  decided?: DecidedRows
  /** The inbox of deliveries, the signal for a new one, and the webhook URL of submissions, if any. */
  webhooks?: { url: string | null; inbox: Inbox; received: WakeSignal }
  /** Aborted if the user asks to stop. */
  interrupt: AbortSignal
}

interface ServiceToAsk {
  client: ServiceClient
  /** Whether the service validates its answers against this version of the contract; defaults to false. */
  answersAreChecked?: boolean
  /** Answers of resolutions that were prepared where they were made; optional. */
  prepared?: PreparedAnswers | undefined
}

interface ResolutionsToAsk {
  backlog: Backlog
  /** Counts events for display; the scheduler reads nothing from it. */
  counter: RunCounter
  /** Called for each resolution that is answered. */
  onAnswered?: ((lookupId: LookupId, answer: RecordedAnswer) => void) | undefined
}

/** A kind to look up in addition to resolutions. */
export interface ScheduledStage {
  backlog: Backlog
  counter: RunCounter
  /** How follow-up lookups are planned, and the sum of the plans. */
  policy: Omit<PlanPolicy, 'nowMs'>
  plan: Record<LookupPlan, number>
  /** Called with the reason why the kind was stopped. */
  onStop: (reason: Stop) => void
}

export interface ScheduledStages {
  /** Whether nothing follows from the answer of a row lookup: it only checks another answer. Defaults to false. */
  readonly isCheck?: (lookupId: LookupId) => boolean
  options: StageOptions
  /** Kinds that follow from answers, and domains if rows have them. */
  kinds: ReadonlyMap<StageKind, ScheduledStage>
}
