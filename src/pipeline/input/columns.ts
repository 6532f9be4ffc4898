import {
  type IdentifierKey,
  type IdentifierPlaceKey,
  identifierKeys,
  identifierPlaceKeys,
  identifierNames,
} from '../../core/identifiers.js'

/** The input columns of a lookup. */
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

/** Input columns by kind of identifier. */
export type IdentifierColumns = {
  readonly [Key in IdentifierKey | IdentifierPlaceKey]?: string | undefined
}

/** Lists the identifier columns, without their places, the strongest first. */
export const listIdentifierColumns = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

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

const namedMax = 10

const columnCharsMax = 60

const whyCharsMax = 100

/**
 * Describes in a few lines which columns are used, and which are not.
 *
 * @example
 * formatColumnLines(report) // ['name from Company; location from City', 'not used: Reg No (company number); …']
 */
export function formatColumnLines(report: ColumnReport): string[] {
  const { name, location, context, unused } = report
  const formatNames = (columns: readonly string[]) => columns.map((column) => truncateText(column)).join(', ')
  const asked = [
    name === null ? 'no names' : `name from ${truncateText(name)}`,
    location.length === 0 ? 'no location' : `location from ${formatNames(location)}`,
    ...(context.length === 0 ? [] : [`context from ${formatNames(context)}`]),
  ]
  const lines = [asked.join('; '), ...formatIdentifierLine(report)]
  if (unused.length === 0) return lines
  const rest = unused.length > namedMax ? ` and ${unused.length - namedMax} more` : ''
  const others = unused
    .slice(0, namedMax)
    .map(
      ({ column, kind, why }) =>
        `${truncateText(column)} (${kind}${why === undefined ? '' : `: ${truncateText(why, whyCharsMax)}`})`,
    )
  return [
    ...lines,
    `not used: ${others.join(', ')}${rest}; --location-columns, --context-columns and --id-columns choose others`,
  ]
}

function formatIdentifierLine({ identifiers, identifierUse }: ColumnReport): string[] {
  const columns = listIdentifierColumns(identifiers)
  if (columns.length === 0) return []
  const { registration_country: country, exchange } = identifiers
  const places: Partial<Record<string, string>> = {
    ...(country === undefined ? {} : { registration_id: ` with its country from ${truncateText(country)}` }),
    ...(exchange === undefined ? {} : { ticker: ` with its exchange from ${truncateText(exchange)}` }),
  }
  const named = columns.map(
    ({ key, column }) => `${identifierNames[key]} from ${truncateText(column)}${places[key] ?? ''}`,
  )
  const use = { first: 'identifiers, looked up first', context: 'identifiers, as context' }[identifierUse]
  return [`${use}: ${named.join(', ')}`]
}

const truncateText = (column: string, charsMax = columnCharsMax): string => {
  // oxlint-disable-next-line no-control-regex -- a header may hold anything; a terminal must not
  const text = column.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}
