import type { PublishedEntry, PublishedOutput } from '../pipeline/history/history.js'
import { needsReview, parsePublishedState } from '../pipeline/rules/published-state.js'
import type { OutputFigures } from '../pipeline/rules/run-record.js'
import type { ReviewCounts } from '../pipeline/rules/run-summary.js'
import { isUnanswered } from './outcome-groups.js'
import { reportLimits, type AttentionEntry, type ReportAttention } from './report-data.js'

/** An entry, with how many rows have it. */
interface Counted {
  readonly number: number
  readonly rowCount: number
}

/** Rows of an output that are left to review, by the counts of its run. Throws HISTORY_VERSION. */
export function rowsToReview(
  output: PublishedOutput,
  { rowCount, rowsByStatus }: ReviewCounts,
  figures: OutputFigures | null,
): ReportAttention {
  const counted = countAmong(output, (status) => Object.hasOwn(rowsByStatus, status))
  const statuses = Object.keys(rowsByStatus)
  const allOfThem = statuses.reduce((sum, status) => sum + (figures?.rowsByStatus[status] ?? 0), 0)
  // States are unpacked only where some rows of these statuses are decided, or sure enough.
  return largestOf(output, allOfThem === rowCount ? counted : amongReviewed(output, counted))
}

/** Rows of an output without an answer that wait for none. Throws HISTORY_VERSION. */
export const unansweredRows = (output: PublishedOutput): ReportAttention =>
  largestOf(output, countAmong(output, isUnanswered))

function amongReviewed(output: PublishedOutput, counted: readonly Counted[]): Counted[] {
  const reviewed = new Set<number>()
  for (const [number, { state }] of output.entries(counted.map((one) => one.number)))
    if (needsReview(state)) reviewed.add(number)
  return counted.filter(({ number }) => reviewed.has(number))
}

function largestOf(output: PublishedOutput, counted: Counted[]): ReportAttention {
  const rowCount = counted.reduce((sum, one) => sum + one.rowCount, 0)
  const largest = counted.sort((one, other) => other.rowCount - one.rowCount || one.number - other.number)
  return { rowCount, entries: entriesOf(output, largest.slice(0, reportLimits.attentionMax)) }
}

function countAmong(output: PublishedOutput, isWanted: (status: string) => boolean): Counted[] {
  const wanted = new Set(output.numbersOf(isWanted))
  const counts = new Map<number, number>()
  for (const number of output.rows) if (wanted.has(number)) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].map(([number, rowCount]) => ({ number, rowCount }))
}

/** Those of most rows first, and those of as many in the order of their rows. */
function entriesOf(output: PublishedOutput, largest: readonly Counted[]): AttentionEntry[] {
  const firstRows = new Map(largest.map(({ number }) => [number, 0]))
  for (const [index, number] of output.rows.entries())
    if (firstRows.get(number) === 0) firstRows.set(number, index + 1)
  const counts = new Map(largest.map(({ number, rowCount }) => [number, rowCount]))
  return [...output.entries(counts.keys())]
    .map(([number, entry]) =>
      attentionEntry(entry, { rowNumber: firstRows.get(number) ?? 0, rowCount: counts.get(number) ?? 0 }),
    )
    .sort((one, other) => other.rowCount - one.rowCount || one.rowNumber - other.rowNumber)
}

function attentionEntry(
  { rowKey, name, state }: PublishedEntry,
  place: Pick<AttentionEntry, 'rowNumber' | 'rowCount'>,
): AttentionEntry {
  const fields = parsePublishedState(state)
  const confidence = fields.get('confidence')
  const found = fields.get('display_name') ?? fields.get('legal_name') ?? fields.get('entity_id')
  return {
    ...place,
    rowKey,
    name,
    status: fields.get('status')?.value ?? '',
    confidence: confidence === undefined ? null : Number(confidence.value),
    found: found?.value ?? null,
    source: fields.get('status')?.source ?? fields.get('entity_id')?.source ?? found?.source ?? null,
  }
}
