import { type IdentifierColumns, identifierKeys, identifierPlaceKeys } from '../../core/identifiers.js'

export interface LookupColumns {
  /** Null if rows have only identifiers. */
  name: string | null
  location: readonly string[]
  context: readonly string[]
  identifiers: IdentifierColumns
}

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
  /** Why the columns may be the wrong ones; absent without a doubt. */
  readonly doubt?: string
  /** Reads company numbers and wrong LEIs as version 0.2.0 did, to find what it looked up. */
  readonly isEarlier?: boolean
}

/** Settings of a config file by the flags that would override them: `--row-key` is `input.rowKey in my.json`. */
export type ConfigOrigin = Readonly<Record<string, string>>

/** Columns named by the user; the others are detected. */
export interface NamedColumns {
  name?: string | undefined
  location?: readonly string[] | undefined
  context?: readonly string[] | undefined
  /** Only these columns, or none. */
  identifiers?: IdentifierColumns | 'none' | undefined
  /** Undefined if no config file was read. */
  origin?: ConfigOrigin | undefined
}

/** Lists all columns of a lookup, in the order in which cells are read. */
export const listLookupColumns = ({ name, location, context, identifiers }: LookupColumns): string[] => [
  ...(name === null ? [] : [name]),
  ...location,
  ...context,
  ...listIdentifierCells(identifiers),
]

/** Returns the column that labels a row in displays. */
export const getLabelColumn = (columns: LookupColumns): string => listLookupColumns(columns)[0] ?? ''

/** Lists the columns read in addition to name, location and context. */
const listIdentifierCells = (columns: IdentifierColumns): string[] =>
  [...identifierKeys, ...identifierPlaceKeys].flatMap((key) => columns[key] ?? [])

/** The first cells of each column. A missing column is unknown, and does not exclude a match. */
export type ColumnSamples = ReadonlyMap<string, readonly string[]>

/** The columns in use, and columns that look like a place or an identifier and are not used. */
export interface ColumnReport extends LookupColumns {
  identifierUse: IdentifierUse
  /** `why`: the reason against a column that its header or its cells suggest as an identifier. */
  unused: readonly { column: string; kind: string; why?: string }[]
}
