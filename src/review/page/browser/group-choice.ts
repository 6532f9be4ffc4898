import type { AlikeRow, CandidateView, QueueRow } from '../../page-data.js'

/** A verdict that can be given to several rows; null: none of these. */
export interface Choice {
  readonly key: string
  readonly candidate: CandidateView | null
}

/** Those candidates that can be accepted, by the keys they have on the page, and none of these. */
export const choicesOf = (candidates: readonly CandidateView[]): Choice[] => [
  ...candidates
    .map((candidate, index) => ({ key: String(index + 1), candidate }))
    .filter(({ candidate }) => candidate.obstacle === null && candidate.entityId !== null),
  { key: 'n', candidate: null },
]

/** The rows that a verdict can be given to: a company has to be a candidate of each. */
export function settledBy(choice: Choice, row: QueueRow, alike: readonly AlikeRow[]): QueueRow[] {
  const entityId = choice.candidate?.entityId ?? null
  return [
    row,
    ...alike
      .filter(
        ({ entityIds }) => choice.candidate === null || (entityId !== null && entityIds.includes(entityId)),
      )
      .map((one) => one.row),
  ]
}
