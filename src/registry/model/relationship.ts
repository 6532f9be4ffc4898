/**
 * How one registration stands to another, from the child's side: GLEIF's types of relationship records, and
 * `IS_CONTROLLED_BY` for a parent that a plain file names without saying how.
 */
export type RelationshipType =
  | 'IS_DIRECTLY_CONSOLIDATED_BY'
  | 'IS_ULTIMATELY_CONSOLIDATED_BY'
  | 'IS_INTERNATIONAL_BRANCH_OF'
  | 'IS_FUND-MANAGED_BY'
  | 'IS_SUBFUND_OF'
  | 'IS_FEEDER_TO'
  | 'IS_CONTROLLED_BY'

/**
 * The types by which a parent owns or contains its child. Who manages a fund, or what it feeds, does not
 * own it.
 */
export const ownershipTypes = [
  'IS_DIRECTLY_CONSOLIDATED_BY',
  'IS_ULTIMATELY_CONSOLIDATED_BY',
  'IS_INTERNATIONAL_BRANCH_OF',
  'IS_SUBFUND_OF',
  'IS_CONTROLLED_BY',
] as const satisfies readonly RelationshipType[]
export type OwnershipType = (typeof ownershipTypes)[number]
