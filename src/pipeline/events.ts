import type { ColumnReport } from './lookups/column-report.js'
import type { LookupPlan } from './lookups/lookup-state.js'
import type { PlannedSpending } from './figures/planned-spending.js'
import type { Progress } from './figures/progress.js'
import type { RunSummary } from './figures/run-summary.js'

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
