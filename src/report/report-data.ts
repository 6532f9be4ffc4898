import type { Change, ChangeCounts } from '../core/alarms.js'
import type { OutputFigures, RememberedRun } from '../pipeline/history/read-history.js'
import { formatAmount, formatCost as formatCostText, type Money } from '../core/money.js'
import { html, type Html } from '../web/html.js'

/** Limits of lists in a page. The rest is only counted. */
export const reportLimits = {
  earlierRunsMax: 30,
  changesPerKindMax: 100,
  attentionMax: 300,
} as const

/** Returns the figures of a run's output, or those known when it stopped. */
export const getFigures = (run: RememberedRun | undefined): OutputFigures | null =>
  run?.record?.figures ?? run?.record?.knownFigures ?? null

export interface ReportData {
  readonly run: RememberedRun
  /** Earlier runs of the same series that published an output, newest first. At most `earlierRunsMax`. */
  readonly earlier: readonly RememberedRun[]
  /** This run and earlier ones of the same series that cost anything or published an output, newest first. */
  readonly paid: readonly RememberedRun[]
  /** `null` if there was no output to compare with. */
  readonly changes: ReportChanges | null
  /** Rows for `enrich review`. `null` if they are not stored. */
  readonly review: ReportAttention | null
  /** Rows that have no answer and are not waiting for one. `null` if the run's output is not stored. */
  readonly unanswered: ReportAttention | null
  readonly madeAtMs: number
}

export interface ReportChanges {
  /** The run whose output is compared. */
  readonly baseline: number
  readonly counts: ChangeCounts
  /**
   * Grouped by kind, those with the most rows first; at most `changesPerKindMax` per kind. `null` if an output is no
   * longer stored and only counts are left.
   */
  readonly largest: readonly ReportChange[] | null
}

export interface ReportChange extends Change {
  readonly rowCount: number
}

export interface ReportAttention {
  /** Number of all these rows, including those not listed. */
  readonly rowCount: number
  /** Distinct entries, those with the most rows first; at most `attentionMax`. */
  readonly entries: readonly AttentionEntry[]
}

/** Rows with the same lookup. */
export interface AttentionEntry {
  /** The first of these rows, starting at 1. */
  readonly rowNumber: number
  readonly rowCount: number
  readonly rowKey: string | null
  readonly name: string | null
  readonly status: string
  readonly confidence: number | null
  /** The company found, if it is uncertain. */
  readonly found: string | null
  /** One sentence that explains the status, or the error. */
  readonly reason: string | null
  /** Evidence for the company: a web address, or text. */
  readonly source: string | null
}

/** Outcomes in a few groups. The first is at the bottom of a column. */
export const outcomeGroups = [
  { key: 'matched', label: 'matched', statuses: ['matched', 'merged'] },
  { key: 'doubtful', label: 'partial or inconclusive', statuses: ['partial_match', 'inconclusive'] },
  { key: 'none', label: 'no company', statuses: ['no_match', 'not_found'] },
  { key: 'open', label: 'without an answer yet', statuses: ['pending', 'uncertain'] },
  { key: 'failed', label: 'failed or not submitted', statuses: ['failed', 'error', 'invalid_input'] },
] as const
type OutcomeKey = (typeof outcomeGroups)[number]['key']

/** Returns the group of a status. Unknown statuses are in the group `doubtful`, so that a reviewer sees them. */
export function toOutcomeGroup(status: string): OutcomeKey {
  const group = outcomeGroups.find(({ statuses }) => (statuses as readonly string[]).includes(status))
  return group?.key ?? 'doubtful'
}

export function countRowsByGroup(rowsByStatus: Readonly<Record<string, number>>): Record<OutcomeKey, number> {
  const rows = { matched: 0, doubtful: 0, none: 0, open: 0, failed: 0 }
  for (const [status, count] of Object.entries(rowsByStatus)) rows[toOutcomeGroup(status)] += count
  return rows
}

/** Whether a row with this status has no answer and will not get one by waiting. True for unknown statuses. */
export function isUnanswered(status: string): boolean {
  const known = outcomeGroups.find(({ statuses }) => (statuses as readonly string[]).includes(status))
  return known === undefined || known.key === 'failed' || status === 'uncertain'
}

/** Formats a share: `96.4 %`; 0 and 100 only if exact. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const share = (part / whole) * 100
  if (share > 0 && share < 0.1) return 'under 0.1 %'
  if (share < 100 && share > 99.9) return 'over 99.9 %'
  return `${share.toFixed(1)} %`
}

/** `EUR 12.30`, without line breaks. */
export const formatMoney = (units: number, currency: string | null): string =>
  formatAmount(units, currency).replaceAll(' ', '\u00a0')

/** `at most EUR 12.30`, without line breaks. */
export const formatCost = (money: Money): string => formatCostText(money).replaceAll(' ', '\u00a0')

/** Renders a time in UTC: `2026-01-31 04:05 UTC` */
export function renderMoment(atMs: number): Html {
  const text = new Date(atMs).toISOString()
  return html`<time datetime="${text}">${formatMoment(atMs)}</time>`
}

const formatMoment = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** `2026-01-31` */
export const formatDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
