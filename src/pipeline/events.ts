import type { ColumnReport } from './rules/column-report.js'
import type { Progress } from './rules/progress.js'
import type { RunSummary } from './summary.js'

/**
 * What a run reports while it goes on. A `notice` is one plain sentence for the user; a warning is reported also where
 * nothing but warnings is.
 */
export type RunEvent =
  | { type: 'notice'; text: string; isWarning?: true }
  | ({ type: 'columns' } & ColumnReport)
  | { type: 'planned'; rowCount: number; lookupCount: number; plan: Readonly<Record<string, number>> }
  | { type: 'progress'; progress: Progress }
  | { type: 'publishing'; path: string }
  | { type: 'finished'; summary: RunSummary }
export type RunObserver = (event: RunEvent) => void
