import { apiKeyHeader } from '../../contract/limits.js'
import { limits } from '../limits.js'
import type { EntityType } from '../../contract/enums.js'

/** The use of a property in a query: part of the place, identifier, place of an identifier, or context. */
export type PropertyUse = 'place' | 'identifier' | 'identifier_place' | 'context'

interface ReconciliationProperty {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly use: PropertyUse
}

const property = <Id extends string, Use extends PropertyUse>(
  id: Id,
  name: string,
  use: Use,
  description: string,
) => ({ id, name, use, description })

/**
 * All properties, the same for queries and for added columns (v0.2). In a query, places and identifiers are matched;
 * the others are hints with little weight.
 */
export const reconciliationProperties = [
  property('country', 'Country', 'place', 'Country of the headquarters: a name or an ISO code'),
  property('region', 'Region', 'place', 'State or province of the headquarters: a name or an ISO code'),
  property('city', 'City', 'place', 'City of the headquarters'),
  property('postal_code', 'Postal code', 'place', 'Postal code of the headquarters'),
  property('location', 'Address', 'place', 'Address of the headquarters on one line, or a part of it'),
  property('lei', 'LEI', 'identifier', 'Legal entity identifier, 20 characters'),
  property('cik', 'CIK', 'identifier', 'Central Index Key of the SEC'),
  property(
    'registration_id',
    'Company number',
    'identifier',
    'Number in its register; add the country of the register',
  ),
  property('ein', 'EIN', 'identifier', 'Employer identification number (US)'),
  property('bic', 'BIC', 'identifier', 'Business identifier code, 8 or 11 characters'),
  property('ticker', 'Ticker', 'identifier', 'AAPL, or NASDAQ:AAPL'),
  property('website', 'Website', 'identifier', 'URL of the website, or its domain'),
  property(
    'registration_country',
    'Country of the register',
    'identifier_place',
    'Country of the register of a company number',
  ),
  property('exchange', 'Exchange', 'identifier_place', 'Stock exchange of a ticker'),
  property('legal_name', 'Registered name', 'context', 'Name in the register'),
  property('display_name', 'Name in use', 'context', 'A shorter known name, or the usual spelling'),
  property('status', 'Status', 'context', 'active or inactive'),
  property('type', 'Kind of body', 'context', 'business, nonprofit, government, person or other'),
  property('legal_form', 'Legal form', 'context', 'The most similar US legal form: corporation, llc'),
  property('street_address', 'Street', 'context', 'Street and number of the headquarters'),
  property('jurisdiction', 'Jurisdiction', 'context', 'Jurisdiction of the register: gb, us_de'),
  property('registration_authority', 'Register', 'context', 'Authority that keeps the register'),
  property('founding_date', 'Founded', 'context', 'Founding date, or the known part of it'),
  property('industry', 'Industry', 'context', 'Industry of the SIC or NAICS code'),
  property('sic', 'SIC code', 'context', 'Standard Industrial Classification'),
  property('naics', 'NAICS code', 'context', 'North American Industry Classification System, 2022'),
  property('parent', 'Parent', 'context', 'Controlling company, if a register states it'),
  property('ultimate_parent', 'Ultimate parent', 'context', 'The topmost parent'),
] as const satisfies readonly ReconciliationProperty[]

export type PropertyId = (typeof reconciliationProperties)[number]['id']

const propertiesById = new Map<string, ReconciliationProperty & { readonly id: PropertyId }>(
  reconciliationProperties.map((one) => [one.id, one]),
)

export const isKnownProperty = (id: string): id is PropertyId => propertiesById.has(id)

/** Returns the property; `null` for an unknown id. */
export const findProperty = (id: string): (ReconciliationProperty & { readonly id: PropertyId }) | null =>
  propertiesById.get(id) ?? null

export const listPropertyIds = (use: PropertyUse): PropertyId[] =>
  reconciliationProperties.filter((one) => one.use === use).map(({ id }) => id)

/** A category of companies in the Reconciliation Service API (v0.2, "Types"). */
export interface ReconciliationType {
  readonly id: string
  readonly name: string
  readonly broader?: readonly ReconciliationType[]
}

/** The type of every company. */
export const organization: ReconciliationType = { id: 'organization', name: 'Organization' }

const createNarrowerType = (id: string, name: string): ReconciliationType => ({
  id,
  name,
  broader: [organization],
})

/** Types by the type of the record; `unknown` has only the general type. */
const typesByRecord = {
  business: createNarrowerType('business', 'Company'),
  nonprofit: createNarrowerType('nonprofit', 'Nonprofit organization'),
  government: createNarrowerType('government', 'Government body'),
  person: createNarrowerType('person', 'Person in business'),
  other: createNarrowerType('other', 'Other body'),
  unknown: null,
} as const satisfies Record<EntityType, ReconciliationType | null>

export const reconciliationTypes: readonly ReconciliationType[] = [
  organization,
  ...Object.values(typesByRecord).filter((type) => type !== null),
]

const knownIds = new Set(reconciliationTypes.map(({ id }) => id))
export const isKnownType = (id: string): boolean => knownIds.has(id)

/** Returns the most general type first: a client that proposes a type proposes the first. */
export function listTypes(type: EntityType): readonly ReconciliationType[] {
  const own = typesByRecord[type]
  return own === null ? [organization] : [organization, own]
}

/** The effect of a query's types (`type_strict`): on the match only, one type must fit, or all must fit. */
type TypeStrictness = 'should' | 'any' | 'all'

/** Whether a company of this type has the requested types. A company of unknown type has any. */
export function isOfTypes(type: EntityType, wanted: readonly string[], strictness: TypeStrictness): boolean {
  if (wanted.length === 0 || type === 'unknown') return true
  const own = new Set(listTypes(type).map(({ id }) => id))
  const isOwn = (id: string) => own.has(id)
  return strictness === 'all' ? wanted.every(isOwn) : wanted.some(isOwn)
}

interface SuggestService {
  readonly service_url: string
  readonly service_path: string
}

/** The service manifest (v0.2, "Service Manifest"). */
export interface Manifest {
  readonly versions: readonly string[]
  readonly name: string
  readonly identifierSpace: string
  readonly schemaSpace: string
  readonly serviceVersion: string
  readonly defaultTypes: readonly ReconciliationType[]
  readonly view: { readonly url: string }
  readonly preview: { readonly url: string; readonly width: number; readonly height: number }
  readonly suggest: Readonly<Record<'entity' | 'property' | 'type', SuggestService>>
  readonly extend: { readonly propose_properties: SuggestService; readonly property_settings: readonly [] }
  readonly batchSize: number
  readonly authentication?: { readonly type: 'apiKey'; readonly name: string; readonly in: 'header' }
}

export const reconciliationPaths = {
  endpoint: '/reconcile',
  entity: '/reconcile/suggest/entity',
  property: '/reconcile/suggest/property',
  type: '/reconcile/suggest/type',
  propose: '/reconcile/extend/propose',
  preview: '/reconcile/preview',
  view: '/reconcile/view',
} as const

/** Size in pixels of the frame in which a client shows a preview. */
export const previewSize = { width: 420, height: 260 } as const

/**
 * Ids of companies are derived from the registers' own keys, so two services with the same company give it the same
 * id. Therefore the identifier space contains no address.
 */
const identifierSpace = 'urn:enrich:entity:'
const schemaSpace = 'https://schema.org/Organization'

export interface ManifestFacts {
  /** Address of the request; the addresses in the manifest start with it. */
  readonly origin: string
  readonly version: string
  readonly needsKey: boolean
}

export function buildManifest({ origin, version, needsKey }: ManifestFacts): Manifest {
  const paths = reconciliationPaths
  const at = (path: string): SuggestService => ({ service_url: origin, service_path: path })
  return {
    versions: ['0.2'],
    name: 'Companies (enrich)',
    identifierSpace,
    schemaSpace,
    serviceVersion: version,
    defaultTypes: [organization],
    view: { url: `${origin}${paths.view}?id={{id}}` },
    preview: { url: `${origin}${paths.preview}?id={{id}}`, ...previewSize },
    suggest: { entity: at(paths.entity), property: at(paths.property), type: at(paths.type) },
    extend: { propose_properties: at(paths.propose), property_settings: [] },
    batchSize: limits.reconciliation.batchQueriesMax,
    ...(needsKey ? { authentication: { type: 'apiKey', name: apiKeyHeader, in: 'header' } } : {}),
  }
}
