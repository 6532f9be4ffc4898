import type { RunRecord } from '../pipeline/rules/run-record.js'

/** What became of rows, in few groups that can be told apart at a glance; the first is at the bottom of a column. */
export const outcomeGroups = [
  { key: 'matched', label: 'matched', statuses: ['matched', 'merged'] },
  { key: 'doubtful', label: 'doubtful', statuses: ['partial_match', 'inconclusive'] },
  { key: 'none', label: 'no match', statuses: ['no_match', 'not_found'] },
  { key: 'open', label: 'without an answer yet', statuses: ['pending', 'uncertain'] },
  { key: 'failed', label: 'failed or not asked', statuses: ['failed', 'error', 'invalid_input'] },
] as const
export type OutcomeKey = (typeof outcomeGroups)[number]['key']

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
