import type { Money } from '../../core/money.js'
import type { TimelinePoint } from './run-record.js'
import type { StageFacts, RunSummary } from './run-summary.js'
import type { ColumnReport } from '../input/columns.js'
import type { LookupPlan } from '../checkpoint/lookup-state.js'
import type { PlannedSpending } from '../../core/planned-spending.js'

/**
 * Events of a run. A `notice` is one sentence for the user; a warning is also reported if only warnings are shown.
 * `spending` is `null` if nothing is billed.
 */
export type RunEvent =
  | { type: 'notice'; text: string; isWarning?: true }
  | ({ type: 'columns' } & ColumnReport)
  | ({ type: 'planned'; rowCount: number; spending: PlannedSpending | null } & PlannedLookups)
  | { type: 'progress'; progress: Progress }
  | { type: 'publishing'; path: string }
  | { type: 'finished'; summary: RunSummary }

/** Distinct lookups of the rows, and their plan; without lookups that follow from answers. */
export interface PlannedLookups {
  readonly lookupCount: number
  /** Lookups by domain instead of a name. */
  readonly domainCount: number
  readonly plan: Readonly<Record<LookupPlan, number>>
}

export type RunObserver = (event: RunEvent) => void

/** A snapshot of a run, for displays and programs. Counts are of distinct lookups. */
export interface Progress {
  lookups: number
  /** Lookups with a final answer, including those from earlier runs. */
  done: number
  running: number
  /** Already answered when the run started. */
  cached: number
  /** Decided by reviewers. */
  decided: number
  failed: number
  uncertain: number
  /** Still to be submitted by this run, within its budget. */
  toSubmit: number
  /** Lookups left for the next run: beyond the budget, or after a stop such as a 402. */
  heldBack: number
  /** Requests in the last minute, and their limits; null if unlimited. */
  submissionsPerMinute: number
  pollsPerMinute: number
  submitLimit: number | null
  pollLimit: number | null
  elapsedMs: number
  etaMs: number | null
  /** Answers of this run, by outcome. */
  outcomes: Readonly<Record<string, number>>
  /** Counts of this run so far, over all kinds of lookups. */
  sofar: Readonly<TimelinePoint>
  /**
   * Time until an answer is possible, by the delay of the first poll; 0 once it is due. Null if answers have arrived or
   * may arrive at any time, or if none is expected.
   */
  firstAnswersInMs: number | null
  /** Each kind looked up in addition to resolutions. */
  stages: readonly StageFacts[]
  /** Cost so far; null if nothing is billed or no price is known. */
  money: Money | null
  /** Budget of --max-cost in units of the currency, including earlier processes; `null` without one. */
  budget: { readonly costMax: number; readonly spent: number } | null
}

/** Facts for an estimate of the time left. */
export interface TimeLeftFacts {
  /** Lookups that this run may still submit, and open runs. */
  toSubmit: number
  running: number
  submissionsPerWindow: number | null
  pollsPerWindow: number | null
  windowMs: number
  inFlightRunsMax: number
  /** Average polls per answer so far; 1 if unknown. */
  pollsPerAnswer: number
  /** Probable duration of a run submitted now, and probable time until all open runs end; `null` if unknown. */
  runs: { readonly runMs: number; readonly leftMs: number } | null
  /** Answers per millisecond in the last minute; 0 if none. */
  answersPerMs: number
}

/**
 * Estimates the time left. With limits: the time to submit and poll the rest, and the duration of the last run. Without
 * a limit on polls: the rate of the last minute. Null if there is no basis for an estimate.
 */
export function estimateEtaMs(facts: TimeLeftFacts): number | null {
  const { toSubmit, running, submissionsPerWindow, pollsPerWindow, windowMs, runs } = facts
  const open = toSubmit + running
  if (open === 0) return 0
  const submitMs = submissionsPerWindow === null ? 0 : (toSubmit / submissionsPerWindow) * windowMs
  if (pollsPerWindow === null) {
    if (facts.answersPerMs > 0) return Math.max(submitMs, open / facts.answersPerMs)
    return submitMs === 0 ? null : submitMs
  }
  const pollMs = ((open * Math.max(1, facts.pollsPerAnswer)) / pollsPerWindow) * windowMs
  if (runs === null) return Math.max(submitMs, pollMs)
  // Above the limit of runs in flight, a lookup waits for a run to end.
  const waiting = Math.max(0, toSubmit - Math.max(0, facts.inFlightRunsMax - running))
  const roomMs = (waiting / facts.inFlightRunsMax) * runs.runMs
  const lastMs = toSubmit === 0 ? runs.leftMs : Math.max(submitMs, roomMs) + runs.runMs
  return Math.max(pollMs, lastMs)
}
