import * as z from 'zod'
import { isDeeperThan } from '../../core/json.js'
import { limits } from '../limits.js'
import { badRequest, Refusal } from '../refusal.js'
import { describeFault, errorTypes, nameBelow } from '../../contract/errors.js'
import { isKnownProperty, isKnownType, listPropertyIds, type PropertyId } from './manifest.js'
import { identify } from '../../core/lookup-identity.js'
import {
  readCellIdentifier,
  appendIdentifiers,
  toRegisterPlace,
  statedKinds,
  type StatedIdentifier,
} from '../../core/numbers/stated-identifiers.js'
import type { Query } from '../knowledge.js'

const { reconciliation } = limits

/** A value that is an entity of another service, because its column was reconciled with it. */
const entityValue = z.object({ id: z.string(), name: z.string().optional() })
const singleValue = z.union([z.string(), z.number(), z.boolean(), entityValue], {
  error: 'a text, a number, true or false, or an object with an id is needed',
})
type SingleValue = z.infer<typeof singleValue>

const queryProperty = z.object({
  pid: z.string(),
  v: z
    .union([singleValue, z.array(singleValue).max(reconciliation.valuesMax)], {
      error: `a value, or a list of at most ${reconciliation.valuesMax}, is needed; a value is a text, a number, true or false, or an object with an id`,
    })
    .transform((value) => (Array.isArray(value) ? value : [value])),
})

/** One query of a batch (v0.2, "Structure of a Reconciliation Query"). Unknown fields are ignored. */
const reconciliationQuery = z
  .object({
    query: z.string().optional(),
    type: z
      .union([z.string(), z.array(z.string()).max(reconciliation.typesMax)], {
        error: 'the id of a type, or a list of them, is needed',
      })
      .transform((type) => [type].flat())
      .default([]),
    limit: z.int().min(1).default(reconciliation.candidatesByDefault),
    type_strict: z.enum(['any', 'should', 'all']).default('should'),
    properties: z.array(queryProperty).max(reconciliation.propertiesMax).default([]),
  })
  .refine(({ query, properties }) => query !== undefined || properties.length > 0, {
    error: 'a query or properties are needed',
  })
export type ReconciliationQuery = z.infer<typeof reconciliationQuery>

const extensionQuery = z.object({
  ids: z.array(z.string()).max(reconciliation.extendedIdsMax),
  properties: z.array(z.object({ id: z.string() })).max(reconciliation.propertiesMax),
})
export type ExtensionQuery = z.infer<typeof extensionQuery>

/** Parses the queries of a batch, by their keys. Throws 400, and 413 if there are too many. */
export function readQueries(text: string): (readonly [key: string, query: ReconciliationQuery])[] {
  const batch = readObject(text, 'queries')
  const { batchQueriesMax } = reconciliation
  const queryCount = Object.keys(batch).length
  if (queryCount > batchQueriesMax) {
    const message = `queries: at most ${batchQueriesMax} a batch, this one has ${queryCount}`
    throw new Refusal(413, errorTypes.payloadTooLarge, message)
  }
  return Object.entries(batch).map(([key, value]) => {
    const at = `queries.${key}`
    const query = parse(reconciliationQuery, value, at)
    for (const id of query.type) if (!isKnownType(id)) throw createUnknownTypeRefusal(at, id)
    for (const { pid } of query.properties)
      if (!isKnownProperty(pid)) throw createUnknownPropertyRefusal(at, pid)
    return [key, query]
  })
}

/** Throws 400. */
export function readExtension(text: string): ExtensionQuery {
  const query = parse(extensionQuery, readObject(text, 'extend'), 'extend')
  for (const { id } of query.properties)
    if (!isKnownProperty(id)) throw createUnknownPropertyRefusal('extend', id)
  return query
}

export const createUnknownTypeRefusal = (at: string, id: string): Refusal =>
  badRequest(`${at}: there is no type ${quote(id)}; suggest/type lists them`)

const createUnknownPropertyRefusal = (at: string, id: string): Refusal =>
  badRequest(`${at}: there is no property ${quote(id)}; suggest/property lists them`)

/** Longest part of the client's input that a message repeats. */
const quotedCharsMax = 60

function quote(text: string): string {
  return JSON.stringify(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}…` : text)
}

function readObject(text: string, name: 'queries' | 'extend'): object {
  if (isDeeperThan(text, limits.bodyDepthMax)) throw badRequest(`${name}: nested too deep`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest(`${name}: this is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`${name}: a JSON object is needed`)
  }
  return value
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, at: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw badRequest(describeFault(parsed.error, value, nameBelow(at)))
}

/** A parsed query, or the reason why it is invalid: a fault in one cell does not affect other queries. */
type ReconciliationQuestion =
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'company'; readonly id: string }
  | { readonly kind: 'invalid'; readonly reason: string }

const companyId = /^siq_[A-Za-z0-9_-]{1,120}$/

/**
 * Converts a query to a lookup like that of an input row: the name with its identifiers in brackets, or these alone;
 * the places, the smallest first; the rest as context. Invalid identifiers (`n/a`, wrong check digits) are ignored.
 */
export function toQuestion({
  query,
  properties,
}: Pick<ReconciliationQuery, 'query' | 'properties'>): ReconciliationQuestion {
  const texts = new Map<string, string[]>()
  for (const { pid, v } of properties)
    texts.set(pid, [...(texts.get(pid) ?? []), ...v.map(toText).filter((text) => text !== '')])
  const getValues = (id: PropertyId) => texts.get(id) ?? []
  const name = chooseName(query, getValues)
  if (name !== null && companyId.test(name)) return { kind: 'company', id: name }
  const identifiers = parseIdentifiers(name !== null, getValues)
  const asked = identifiers.length === 0 ? name : appendIdentifiers(name, identifiers)
  const places = placeIds.flatMap(getValues)
  const context = contextIds.flatMap(getValues)
  const whole = identify(asked, places, context)
  // Without the identifiers, if they make the name too long.
  const identified = whole.kind === 'invalid' && name !== null ? identify(name, places, context) : whole
  if (identified.kind === 'lookup') return { kind: 'query', query: identified.lookup }
  return identified
}

const contextIds = listPropertyIds('context')
/** A town before its region before its country, as in addresses. */
const placeIds = ['location', 'city', 'postal_code', 'region', 'country'] as const satisfies PropertyId[]

type ValueGetter = (id: PropertyId) => readonly string[]

/** Returns the name of a query. A query without a text may give it as a property. */
function chooseName(query: string | undefined, valuesOf: ValueGetter): string | null {
  const name = query?.trim() ?? ''
  if (name !== '') return name
  return valuesOf('legal_name')[0] ?? valuesOf('display_name')[0] ?? null
}

/**
 * Returns the valid identifiers. The country next to a number is that of the company, and may differ from that of its
 * register; without a name it is the only hint to the register.
 */
function parseIdentifiers(hasName: boolean, valuesOf: ValueGetter): StatedIdentifier[] {
  const country = valuesOf('registration_country')[0] ?? (hasName ? undefined : valuesOf('country')[0])
  const registerPlace = country === undefined ? null : toRegisterPlace(country)
  const exchange = valuesOf('exchange')[0] ?? null
  return statedKinds.flatMap((kind) => {
    const place = kind === 'ticker' ? exchange : kind === 'registration_id' ? registerPlace : null
    return valuesOf(kind).flatMap((text) => readCellIdentifier(kind, text, place) ?? [])
  })
}

/** For an entity of another service, the name is more useful than its id there. */
function toText(value: SingleValue): string {
  if (typeof value === 'object') return (value.name ?? value.id).trim()
  // No property has boolean values.
  return typeof value === 'boolean' ? '' : String(value).trim()
}
