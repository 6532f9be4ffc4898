import type { AskingRule, IdentifierUse } from './asking-rule.js'
import { identifierOfCells, type ColumnSamples } from './column-content.js'
import { askedColumns, placeColumns, searchIdentifiers, type LookupColumns } from './detect-columns.js'
import {
  headerKey,
  placeOfHeader,
  wholePlaceHeaders,
  identifierHeaders,
  otherIdentifierHeaders,
} from './header-words.js'
import { identifierKeys, identifierNames, identifiersIn } from './identifier-columns.js'
import {
  nameMembers,
  noNested,
  plainColumns,
  type NestedColumn,
  type NestedColumns,
} from './nested-columns.js'

/** The columns in use, and columns that look like a place or an identifier and are not used. */
export interface ColumnReport extends LookupColumns {
  identifierUse: IdentifierUse
  /** `why`: the reason against a column that its header or its cells suggest as an identifier. */
  unused: readonly { column: string; kind: string; why?: string }[]
}

const kindsOfHeaders = new Map([
  ...identifierKeys.flatMap((type) =>
    identifierHeaders[type].map((key) => [key, identifierNames[type]] as const),
  ),
  ...otherIdentifierHeaders.flatMap(([kind, keys]) => keys.map((key) => [key, kind] as const)),
])
/** Words before a kind of identifier: `Account DUNS`, `Supplier VAT No`. */
const owners =
  /^(?:company|account|customer|client|vendor|supplier|partner|business|billing|primary|main)(?=.)/
const kindOfHeader = (key: string): string | undefined =>
  kindsOfHeaders.get(key) ?? kindsOfHeaders.get(key.replace(owners, ''))

const partNames = {
  city: 'city',
  region: 'region',
  postal: 'postal code',
  country: 'country',
  address: 'address',
}

/** Reports the use of each column, and other columns that might help. */
export function reportColumns(
  header: readonly string[],
  { columns: used, identifierUse }: AskingRule,
  samples: ColumnSamples,
  nested: NestedColumns = noNested,
): ColumnReport {
  const plain = plainColumns(header, nested)
  const taken = new Set(askedColumns(used))
  const places = new Map(placeColumns(plain, samples).map(({ column, part }) => [column, partNames[part]]))
  const found = searchIdentifiers(plain, used, samples).unused
  const kindOf = (column: string): string | undefined => {
    const key = headerKey(column)
    return (
      places.get(column) ??
      (wholePlaceHeaders.includes(key) ? 'place' : undefined) ??
      kindOfHeader(key) ??
      identifierOfCells(samples.get(column) ?? []) ??
      undefined
    )
  }
  const unused = header.flatMap((column) => {
    if (taken.has(column)) return []
    const own = nested.get(column)
    if (own !== undefined) return unusedNested(column, own, used)
    const kind = found.get(column)?.kind ?? kindOf(column)
    const why = found.get(column)?.why
    return kind === undefined ? [] : [{ column, kind, ...(why === undefined ? {} : { why }) }]
  })
  return { ...used, identifierUse, unused }
}

/** Reports a nested column without used members that may contain a name or parts of a place. */
function unusedNested(column: string, nested: NestedColumn, used: LookupColumns): ColumnReport['unused'] {
  const { members } = nested
  if (askedColumns(used).some((one) => members.includes(one))) return []
  const [name] = nameMembers(nested)
  const places = members.filter((member) => placeOfHeader(member.slice(member.lastIndexOf('.') + 1)) !== null)
  if (name !== undefined)
    return [{ column, kind: nested.kind, why: `--name-column ${name} reads names from it` }]
  if (places.length === 0) return []
  return [{ column, kind: nested.kind, why: `--location-columns ${places.join(',')} reads places from it` }]
}

const namedMax = 10
const columnCharsMax = 60
const whyCharsMax = 100

/** Describes in a few lines which columns are used, and which are not. */
export function columnLines(report: ColumnReport): string[] {
  const { name, location, context, unused } = report
  const named = (columns: readonly string[]) => columns.map((column) => short(column)).join(', ')
  const asked = [
    name === null ? 'no names' : `name from ${short(name)}`,
    location.length === 0 ? 'no location' : `location from ${named(location)}`,
    ...(context.length === 0 ? [] : [`context from ${named(context)}`]),
  ]
  const lines = [asked.join('; '), ...identifierLine(report)]
  if (unused.length === 0) return lines
  const rest = unused.length > namedMax ? ` and ${unused.length - namedMax} more` : ''
  const others = unused
    .slice(0, namedMax)
    .map(
      ({ column, kind, why }) =>
        `${short(column)} (${kind}${why === undefined ? '' : `: ${short(why, whyCharsMax)}`})`,
    )
  return [
    ...lines,
    `not used: ${others.join(', ')}${rest}; --location-columns, --context-columns and --id-columns choose others`,
  ]
}

function identifierLine({ identifiers, identifierUse }: ColumnReport): string[] {
  const columns = identifiersIn(identifiers)
  if (columns.length === 0) return []
  const { registration_country: country, exchange } = identifiers
  const places: Partial<Record<string, string>> = {
    ...(country === undefined ? {} : { registration_id: ` with its country from ${short(country)}` }),
    ...(exchange === undefined ? {} : { ticker: ` with its exchange from ${short(exchange)}` }),
  }
  const named = columns.map(
    ({ key, column }) => `${identifierNames[key]} from ${short(column)}${places[key] ?? ''}`,
  )
  const use = { first: 'identifiers, looked up first', context: 'identifiers, as context' }[identifierUse]
  return [`${use}: ${named.join(', ')}`]
}

const short = (column: string, charsMax = columnCharsMax): string => {
  // eslint-disable-next-line no-control-regex -- a header may hold anything; a terminal must not
  const text = column.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text
}
