import type { ColumnReport } from './lookups/column-report.js'
import type { LookupPlan } from './lookups/lookup-state.js'
import type { PlannedSpending } from './figures/planned-spending.js'
import type { Progress } from './figures/progress.js'
import type { RunSummary } from './summary.js'

/**
 * `spending` is `null` where nobody pays.
 *
 * What a run reports while it goes on. A `notice` is one plain sentence for the user; a warning is reported also where
 * nothing but warnings is.
 */
export type RunEvent =
  | { type: 'notice'; text: string; isWarning?: true }
  | ({ type: 'columns' } & ColumnReport)
  | ({ type: 'planned'; rowCount: number; spending: PlannedSpending | null } & PlannedLookups)
  | { type: 'progress'; progress: Progress }
  | { type: 'publishing'; path: string }
  | { type: 'finished'; summary: RunSummary }

/** What rows ask, each distinct question once, and what is to be done of it; without what follows from answers. */
export interface PlannedLookups {
  readonly lookupCount: number
  /** Of these, asked by a domain in place of a name. */
  readonly domainCount: number
  readonly plan: Readonly<Record<LookupPlan, number>>
}

export type RunObserver = (event: RunEvent) => void
