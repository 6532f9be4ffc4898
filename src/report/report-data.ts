import type { RememberedRun } from '../pipeline/history/history.js'
import type { Change, ChangeCounts } from '../pipeline/rules/change-kinds.js'
import type { OutputFigures } from '../pipeline/rules/run-record.js'

/** How much of what a run came to is handed to a page; the rest is counted. */
export const reportLimits = {
  earlierRunsMax: 30,
  changesPerKindMax: 100,
  attentionMax: 300,
} as const

/** Of its output; else of what it knew when it stopped. */
export const figuresOf = (run: RememberedRun | undefined): OutputFigures | null =>
  run?.record?.figures ?? run?.record?.knownFigures ?? null

/** Everything that the report of a run shows. */
export interface ReportData {
  readonly run: RememberedRun
  /** Of the same series and before it, the newest first; those that published an output. At most `earlierRunsMax`. */
  readonly earlier: readonly RememberedRun[]
  /** Of the same series up to this run, the newest first: every run that cost anything, and those that published. */
  readonly paid: readonly RememberedRun[]
  /** Null where there was no output to compare with. */
  readonly changes: ReportChanges | null
  /** Rows that `enrich review` asks about. Null where they are not remembered. */
  readonly review: ReportAttention | null
  /** Rows without an answer that wait for none. Null where the output of the run is not remembered. */
  readonly unanswered: ReportAttention | null
  readonly madeAtMs: number
}

export interface ReportChanges {
  /** The run whose output it was compared with. */
  readonly baseline: number
  readonly counts: ChangeCounts
  /**
   * Those of one kind one after another, those of most rows first; at most `changesPerKindMax` of a kind. Null where
   * one of the two outputs is no longer remembered, and only the counts are.
   */
  readonly largest: readonly ReportChange[] | null
}

/** A change, once for all rows that changed alike. */
export interface ReportChange extends Change {
  readonly rowCount: number
}

export interface ReportAttention {
  /** Of them all, those left out too. */
  readonly rowCount: number
  /** Distinct ones, of most rows first; at most `attentionMax`. */
  readonly entries: readonly AttentionEntry[]
}

/** Rows that ask the same. */
export interface AttentionEntry {
  /** Of the first of them, from 1. */
  readonly rowNumber: number
  readonly rowCount: number
  readonly rowKey: string | null
  readonly name: string | null
  readonly status: string
  readonly confidence: number | null
  /** What was found, if not surely. */
  readonly found: string | null
  /** What it was found by: an address of the web, or words. */
  readonly source: string | null
}
