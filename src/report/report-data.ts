import type { RememberedRun } from '../pipeline/history/remembered-runs.js'
import type { Change, ChangeCounts } from '../pipeline/figures/change-kinds.js'
import type { OutputFigures, RunRecord } from '../pipeline/figures/run-record.js'

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

/** What became of rows, in few groups that can be told apart at a glance; the first is at the bottom of a column. */
export const outcomeGroups = [
  { key: 'matched', label: 'matched', statuses: ['matched', 'merged'] },
  { key: 'doubtful', label: 'doubtful', statuses: ['partial_match', 'inconclusive'] },
  { key: 'none', label: 'no match', statuses: ['no_match', 'not_found'] },
  { key: 'open', label: 'without an answer yet', statuses: ['pending', 'uncertain'] },
  { key: 'failed', label: 'failed or not asked', statuses: ['failed', 'error', 'invalid_input'] },
] as const
type OutcomeKey = (typeof outcomeGroups)[number]['key']

/** Those of a status that is not known are with the doubtful ones: somebody has to look at them. */
export function outcomeOf(status: string): OutcomeKey {
  const group = outcomeGroups.find(({ statuses }) => (statuses as readonly string[]).includes(status))
  return group?.key ?? 'doubtful'
}

export function rowsByGroup(rowsByStatus: Readonly<Record<string, number>>): Record<OutcomeKey, number> {
  const rows = { matched: 0, doubtful: 0, none: 0, open: 0, failed: 0 }
  for (const [status, count] of Object.entries(rowsByStatus)) rows[outcomeOf(status)] += count
  return rows
}

/** Whether a row of this status has no answer, and will not get one by waiting; statuses that are not known are among them. */
export function isUnanswered(status: string): boolean {
  const known = outcomeGroups.find(({ statuses }) => (statuses as readonly string[]).includes(status))
  return known === undefined || known.key === 'failed' || status === 'uncertain'
}

/** Whether the report of a run may show rows of a status. */
export const isListedIn = (record: RunRecord | null) => (status: string) =>
  isUnanswered(status) || Object.hasOwn(record?.summary?.review?.rowsByStatus ?? {}, status)
