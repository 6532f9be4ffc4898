import { identify } from '../../core/identity.js'
import {
  identifierInCell,
  nameWithIdentifiers,
  registerPlaceOf,
  statedKinds,
  type StatedIdentifier,
} from '../../core/stated-identifiers.js'
import type { Query } from '../knowledge.js'
import { idsOfUse, type PropertyId } from './properties.js'
import type { ReconciliationQuery, SingleValue } from './requests.js'

/** What a query asks of the matcher, or why it asks nothing: the fault is in a cell, and is no other query's. */
export type ReconciliationQuestion =
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'company'; readonly id: string }
  | { readonly kind: 'invalid'; readonly reason: string }

const companyId = /^siq_[A-Za-z0-9_-]{1,120}$/

/**
 * As a row of a file would ask: the name with its identifiers in brackets, or these alone; the place from the largest
 * part to the smallest; the rest as context. An identifier that is none (`n/a`, wrong check digits) is left out.
 */
export function questionOf({
  query,
  properties,
}: Pick<ReconciliationQuery, 'query' | 'properties'>): ReconciliationQuestion {
  const texts = new Map<string, string[]>()
  for (const { pid, v } of properties)
    texts.set(pid, [...(texts.get(pid) ?? []), ...v.map(textOf).filter((text) => text !== '')])
  const valuesOf = (id: PropertyId) => texts.get(id) ?? []
  const name = named(query, valuesOf)
  if (name !== null && companyId.test(name)) return { kind: 'company', id: name }
  const identifiers = identifiersOf(name !== null, valuesOf)
  const asked = identifiers.length === 0 ? name : nameWithIdentifiers(name, identifiers)
  const places = placeIds.flatMap(valuesOf)
  const context = contextIds.flatMap(valuesOf)
  const whole = identify(asked, places, context)
  // Where the identifiers make the name too long, it is asked alone.
  const identified = whole.kind === 'invalid' && name !== null ? identify(name, places, context) : whole
  if (identified.kind === 'lookup') return { kind: 'query', query: identified.lookup }
  return identified
}

const contextIds = idsOfUse('context')
/** A town before its region before its country, as addresses are written. */
const placeIds = ['location', 'city', 'postal_code', 'region', 'country'] as const satisfies PropertyId[]

type ValuesOf = (id: PropertyId) => readonly string[]

/** A query without a text may give the name as a property. */
function named(query: string | undefined, valuesOf: ValuesOf): string | null {
  const name = query?.trim() ?? ''
  if (name !== '') return name
  return valuesOf('legal_name')[0] ?? valuesOf('display_name')[0] ?? null
}

/**
 * The country beside a number is where the company is, and need not be that of its register; without a name it is all
 * that can tell in which register the number is meant.
 */
function identifiersOf(hasName: boolean, valuesOf: ValuesOf): StatedIdentifier[] {
  const country = valuesOf('registration_country')[0] ?? (hasName ? undefined : valuesOf('country')[0])
  const registerPlace = country === undefined ? null : registerPlaceOf(country)
  const exchange = valuesOf('exchange')[0] ?? null
  return statedKinds.flatMap((kind) => {
    const place = kind === 'ticker' ? exchange : kind === 'registration_id' ? registerPlace : null
    return valuesOf(kind).flatMap((text) => identifierInCell(kind, text, place) ?? [])
  })
}

/** Of an entity of another service the name tells more than its id there. */
function textOf(value: SingleValue): string {
  if (typeof value === 'object') return (value.name ?? value.id).trim()
  // True and false are values of no property.
  return typeof value === 'boolean' ? '' : String(value).trim()
}
