import { listIdentifierColumns, type IdentifierColumns } from '../../core/identifiers.js'
import { type ColumnSamples, listFewerIdentifiers, type NamedColumns, type LookupColumns } from './columns.js'
import { detectColumns, findNameColumn } from './detect-columns.js'
import headerWords from '../../core/headers.json' with { type: 'json' }
import {
  companyNameHeaders,
  earlierIdentifiers,
  earlierWholePlaces,
  isKnownHeader,
  parsePlaceHeader,
  rankNameHeader,
  wholePlaceHeaders,
} from '../../core/header-words.js'
import type { PlaceOrder } from './header-and-cells.js'
import { findOwnersAddress } from './identifier-content.js'
import { rankInHeaders, splitNumber, toHeaderKey, toHeaderKeys } from '../../core/text.js'
import type { Input } from './input.js'

/** Returns the columns that earlier runs may have used: fewer identifiers, and as detected without named columns. */
export function listEarlierColumns(
  { columns: header, layout: { nested } }: Input,
  asked: NamedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const { name, location, context, identifiers, country } = columns
  const detect = (named: NamedColumns, order?: PlaceOrder) =>
    detectColumns(header, named, samples, nested, order)
  const inOrder = name === null ? [] : [detect({ ...asked, name }, 'first')]
  const refused = asked.identifiers === undefined ? listRefused(header, identifiers) : []
  const others = [...inOrder, ...refused.map((one) => detect({ ...asked, identifiers: one }))]
  const candidates: LookupColumns[] = [columns, ...others, ...detectEarlier(header, asked, columns, samples)]
    .flatMap((one) =>
      asked.location === undefined ? [one, { ...one, location: listEarlierLocation(one) }] : [one],
    )
    .flatMap((one) => [
      one,
      ...listFewerIdentifiers(one.identifiers).map((fewer) => ({ ...one, identifiers: fewer })),
    ])
  if (asked.location !== undefined && name !== null) {
    const detected = detect({ name, context, identifiers: 'none' })
    candidates.push(detected, { ...detected, identifiers })
  }
  if (asked.identifiers !== undefined)
    candidates.push(name === null ? columns : detect({ name, location, context }))
  const toKey = ({ name, location, identifiers: own, country = '' }: LookupColumns) =>
    JSON.stringify([name, location, Object.entries(own).sort(), country])
  const asks = ({ name, identifiers: own }: LookupColumns) =>
    name !== null || listIdentifierColumns(own).length > 0
  const seen = new Set([toKey(columns)])
  // An earlier run may have had no country for rows without one.
  const countries = [...new Set([country, undefined])]
  return candidates
    .flatMap((one) => countries.map((code) => ({ ...one, country: code })))
    .filter((one) => asks(one) && !seen.has(toKey(one)) && seen.add(toKey(one)))
}

/** Lists the identifiers with a column of numbers that version 0.2.0 used by its header alone, as `CIN` with numbers of persons. */
function listRefused(header: readonly string[], identifiers: IdentifierColumns): IdentifierColumns[] {
  const rest = Object.entries(identifiers).filter(([key]) => !key.startsWith('registration_'))
  const others = header.filter((column) => !Object.values(identifiers).includes(column))
  return others
    .filter((column) => rankInHeaders(column, earlierIdentifiers.registration_id) >= 0)
    .map((column) => ({ ...Object.fromEntries(rest), registration_id: column }))
}

/**
 * Returns the columns as found by a version that does not know headers with a number (`Ort 1`), or by one that does not
 * know the words added since version 0.2.0. Their cells are known, so columns are still found by these.
 */
function detectEarlier(
  header: readonly string[],
  asked: NamedColumns,
  columns: LookupColumns,
  samples: ColumnSamples,
): LookupColumns[] {
  const isNumbered = (column: string) => /\d$/.test(toHeaderKey(column)) && !isKnownHeader(column)
  const unknown = [isNumbered, isAddedHeader, (column: string) => isNumbered(column) || isAddedHeader(column)]
  const { context, identifiers } = columns
  const named = {
    ...(asked.name === undefined ? {} : { name: columns.name }),
    ...(asked.location === undefined ? {} : { location: columns.location }),
    ...(asked.identifiers === undefined ? {} : { identifiers }),
  }
  return unknown.flatMap((isUnknown) => {
    if (!header.some(isUnknown)) return []
    // Letters for private use are the key of no header.
    const masks = header.map((column, at) =>
      isUnknown(column) ? String.fromCodePoint(maskStart + at) : column,
    )
    const unmask = (column = '') => header[masks.indexOf(column)] ?? column
    const name = findNameColumn(masks) ?? masks[header.indexOf(columns.name ?? '')] ?? noName
    const found = detectColumns(
      name === noName ? [...masks, noName] : masks,
      { name, context: context.map((column) => masks[header.indexOf(column)] ?? column) },
      new Map([...samples].map(([column, cells]) => [masks[header.indexOf(column)] ?? column, cells])),
    )
    const earlier = {
      name: name === noName ? null : unmask(name),
      location: found.location.map(unmask),
      context,
      identifiers: Object.fromEntries(
        Object.entries(found.identifiers).map(([key, column]) => [key, unmask(column)]),
      ),
    }
    return [earlier, { ...earlier, name: columns.name }, { ...earlier, identifiers }].flatMap((one) => [
      { ...one, ...named },
      { ...one, name: columns.name, identifiers, ...named },
    ])
  })
}

const maskStart = 0xf0000
const noName = String.fromCodePoint(maskStart - 1)

/**
 * Returns the location as version 0.2.0 read it: with the first line of an address, and none next to a postal code; without
 * a country next to a whole place.
 */
function listEarlierLocation({ location }: LookupColumns): readonly string[] {
  const [first = ''] = location
  if (location.length === 2 && rankInHeaders(first, wholePlaceHeaders) >= 0) return [first]
  const getPart = (column: string) => parsePlaceHeader(column)?.part
  const lines = location.filter((column) => getPart(column) === 'address')
  const kept = location.some((column) => getPart(column) === 'postal') ? 0 : 1
  const left = lines.length > 1 ? lines.slice(kept) : []
  return location.filter((column) => !left.includes(column))
}

let earlierHeaders: ReadonlySet<string> | null = null

/** Whether a header names a part of a lookup, but not in the words of version 0.2.0. */
function isAddedHeader(header: string): boolean {
  earlierHeaders ??= new Set(
    [
      companyNameHeaders,
      toHeaderKeys(...headerWords.earlier.plainNames),
      earlierWholePlaces,
      ...Object.values(earlierIdentifiers),
    ].flat(),
  )
  const key = toHeaderKey(header)
  const { base } = splitNumber(key)
  if (earlierHeaders.has(key) || earlierHeaders.has(base) || parsePlaceHeader(header, true) !== null)
    return false
  const isKnown = isKnownHeader(header) || isKnownHeader(base)
  return (
    isKnown ||
    parsePlaceHeader(header) !== null ||
    rankNameHeader(header) >= 0 ||
    findOwnersAddress(header) !== null
  )
}
