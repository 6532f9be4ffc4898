/** What may have become of a row between two outputs of one input, in the order in which it is listed. */
export const changeKinds = [
  'new_row',
  'row_gone',
  'gained_match',
  'lost_match',
  'entity_changed',
  'merged',
  'renamed',
  'became_inactive',
  'became_active',
  'address_changed',
  'identifier_changed',
  'parent_changed',
  'confidence_crossed',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export type ChangeCounts = Readonly<Partial<Record<ChangeKind, number>>>

/** One change of one row, as `enrich diff` and `--changes` write it; null where there is nothing to say. */
export interface Change {
  readonly kind: ChangeKind
  /** The user's own key of the row, where there is a column of them. */
  readonly rowKey: string | null
  /** From 1, in the newer output; of a row that is gone, in the older one. */
  readonly rowNumber: number
  readonly name: string | null
  /** The column of the answer, without its prefix; null where the row itself came or went. */
  readonly field: string | null
  readonly old: string | null
  readonly new: string | null
  readonly oldSource: string | null
  readonly newSource: string | null
  readonly oldEntityId: string | null
  readonly newEntityId: string | null
  /** The number of the run that published the newer output. */
  readonly run: number
}
