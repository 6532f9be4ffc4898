import type { LookupColumns } from './detect-columns.js'

/**
 * How identifiers are submitted. `first`: as part of the name, to a service that resolves identifiers exactly and
 * compares the name with their holder. `context`: as context, to a service that resolves names.
 */
export type IdentifierUse = 'first' | 'context'

/** How rows become lookups. */
export interface LookupRule {
  readonly columns: LookupColumns
  readonly identifierUse: IdentifierUse
  /** Whether a name cell that contains an identifier is submitted as one. */
  readonly readsNames: boolean
}
