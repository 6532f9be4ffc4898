/** Changes of a row between two outputs of one input, in the order of lists. */
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
  'left_register',
  'address_changed',
  'identifier_changed',
  'parent_changed',
  'confidence_crossed',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export type ChangeCounts = Readonly<Partial<Record<ChangeKind, number>>>

/** A change of one row, as written by `enrich diff` and `--changes`; values are null if not applicable. */
export interface Change {
  readonly kind: ChangeKind
  /** The user's key of the row, if there is a key column. */
  readonly rowKey: string | null
  /** From 1, in the newer output; in the older one if the row is gone. */
  readonly rowNumber: number
  readonly name: string | null
  /** Answer column without its prefix; null if the row was added or removed. */
  readonly field: string | null
  readonly old: string | null
  readonly new: string | null
  readonly oldSource: string | null
  readonly newSource: string | null
  readonly oldEntityId: string | null
  readonly newEntityId: string | null
  /** With an own registry that answers first: `registry`, or the URL of the service. */
  readonly oldAnsweredBy?: string | null
  readonly newAnsweredBy?: string | null
  /** Number of the run that published the newer output. */
  readonly run: number
}
