import type { LookupColumns } from './detect-columns.js'

/**
 * How identifiers are asked: `first`, written into the name, for a service that answers them exactly and judges the
 * name against their holder; `context`, told beside the name to a service that knows names.
 */
export type IdentifierUse = 'first' | 'context'

/** How rows become questions. */
export interface AskingRule {
  readonly columns: LookupColumns
  readonly identifierUse: IdentifierUse
  /** Whether a name's cell that is an identifier itself is asked as one. */
  readonly readsNames: boolean
}
