import type { LookupRule, IdentifierUse } from './lookup-kind.js'
import { detectIdentifier, type ColumnSamples } from './column-content.js'
import {
  listLookupColumns,
  listPlaceColumns,
  searchIdentifiers,
  type LookupColumns,
} from './detect-columns.js'
import {
  toHeaderKey,
  parsePlaceHeader,
  wholePlaceHeaders,
  identifierHeaders,
  otherIdentifierHeaders,
} from './header-words.js'
import { identifierKeys, identifierNames, listIdentifierColumns } from './identifier-columns.js'
import {
  listNameMembers,
  noNested,
  listPlainColumns,
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
const findHeaderKind = (key: string): string | undefined =>
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
  { columns: used, identifierUse }: LookupRule,
  samples: ColumnSamples,
  nested: NestedColumns = noNested,
): ColumnReport {
  const plain = listPlainColumns(header, nested)
  const taken = new Set(listLookupColumns(used))
  const places = new Map(
    listPlaceColumns(plain, samples).map(({ column, part }) => [column, partNames[part]]),
  )
  const found = searchIdentifiers(plain, used, samples).unused
  const findKind = (column: string): string | undefined => {
    const key = toHeaderKey(column)
    return (
      places.get(column) ??
      (wholePlaceHeaders.includes(key) ? 'place' : undefined) ??
      findHeaderKind(key) ??
      detectIdentifier(samples.get(column) ?? []) ??
      undefined
    )
  }
  const unused = header.flatMap((column) => {
    if (taken.has(column)) return []
    const own = nested.get(column)
    if (own !== undefined) return reportUnusedNested(column, own, used)
    const kind = found.get(column)?.kind ?? findKind(column)
    const why = found.get(column)?.why
    return kind === undefined ? [] : [{ column, kind, ...(why === undefined ? {} : { why }) }]
  })
  return { ...used, identifierUse, unused }
}

/** Reports a nested column without used members that may contain a name or parts of a place. */
function reportUnusedNested(
  column: string,
  nested: NestedColumn,
  used: LookupColumns,
): ColumnReport['unused'] {
  const { members } = nested
  if (listLookupColumns(used).some((one) => members.includes(one))) return []
  const [name] = listNameMembers(nested)
  const places = members.filter(
    (member) => parsePlaceHeader(member.slice(member.lastIndexOf('.') + 1)) !== null,
  )
  if (name !== undefined)
    return [{ column, kind: nested.kind, why: `--name-column ${name} reads names from it` }]
  if (places.length === 0) return []
  return [{ column, kind: nested.kind, why: `--location-columns ${places.join(',')} reads places from it` }]
}

const namedMax = 10
const columnCharsMax = 60
const whyCharsMax = 100

/** Describes in a few lines which columns are used, and which are not. */
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
