import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import type { EntityRecord } from '../../contract/entity.js'
import { entityId, type IdentifierType } from '../../contract/enums.js'
import { assertNever } from '../../core/errors.js'
import type { Knowledge, Ownership } from '../knowledge.js'
import { findOwnershipChain } from '../records/hierarchy.js'
import { badRequest } from '../refusal.js'
import {
  findProperty,
  reconciliationProperties,
  type PropertyId,
  isKnownType,
  organization,
  type ReconciliationType,
} from './manifest.js'
import { createUnknownTypeRefusal, type ExtensionQuery } from './queries.js'

/** Returns the name that distinguishes companies of one brand. */
export const getCompanyName = ({ legal_name: legal, display_name: display, id }: EntityRecord): string =>
  legal ?? display ?? id

/** Returns the place, for example `Cupertino, CA, United States`; `null` if unknown. */
export function formatPlace({
  headquarters: { address },
  primary_legal_entity: primary,
}: EntityRecord): string | null {
  const { city, state, country } = address
  const parts = [city, state, country ?? primary.country_code].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(', ')
}

/** Describes a company on one line: brand, place, status, registration number. */
export function describeCompany(record: EntityRecord, foundName: string | null = null): string {
  const { display_name: brand, status } = record
  const name = getCompanyName(record)
  const other = [foundName, brand].find((one) => one !== null && !hasSameLetters(one, name))
  const number = record.identifiers.find(({ type }) => type === 'registration_id')
  const parts = [
    other ?? null,
    formatPlace(record),
    status,
    number === undefined
      ? null
      : [number.jurisdiction, number.value].filter((part) => part !== null).join(' '),
  ]
  return parts.filter((part) => part !== null && part !== '').join(' · ')
}

/** A value of a property (v0.2, "Data Extension Responses"): a text, a day, or another company. */
export type ExtensionValue =
  { readonly str: string } | { readonly date: string } | { readonly id: string; readonly name: string }

export interface ExtensionReply {
  readonly meta: readonly {
    readonly id: string
    readonly name: string
    readonly type?: Pick<ReconciliationType, 'id' | 'name'>
  }[]
  /** Values by requested id, then by requested property. Every one of them has an entry, as clients expect. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, readonly ExtensionValue[]>>>>
}

export interface ProposalReply {
  readonly properties: readonly { readonly id: string; readonly name: string; readonly description: string }[]
  readonly type?: string
  readonly limit?: number
}

/**
 * Returns the properties, which are the same for all types (v0.2, "Data Extension Property Proposals"). A blank type
 * comes from a column that was reconciled without one. Throws 400.
 */
export function proposeProperties(query: Readonly<Record<string, unknown>>): ProposalReply {
  const { type, limit } = query
  if (type !== undefined && typeof type !== 'string') throw badRequest('query.type: one type is needed')
  if (type !== undefined && type !== '' && !isKnownType(type))
    throw createUnknownTypeRefusal('query.type', type)
  if (limit !== undefined && (typeof limit !== 'string' || !/^[1-9]\d{0,8}$/.test(limit))) {
    throw badRequest('query.limit: a whole number from 1 on is needed')
  }
  const properties = reconciliationProperties.map(({ id, name, description }) => ({ id, name, description }))
  return {
    properties: limit === undefined ? properties : properties.slice(0, Number(limit)),
    ...(type === undefined ? {} : { type }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  }
}

/** Returns the values of properties. An unknown id has none; a merged id has those of the company it became. */
export function extendCompanies({ ids, properties }: ExtensionQuery, knowledge: Knowledge): ExtensionReply {
  const asked = [...new Set(properties.map(({ id }) => id))].flatMap((id) => findProperty(id) ?? [])
  return {
    meta: asked.map(({ id, name }) => ({
      id,
      name,
      ...(isCompany(id) ? { type: { id: organization.id, name: organization.name } } : {}),
    })),
    rows: Object.fromEntries(
      ids.map((id) => {
        const readValues = createValueReader(id, knowledge)
        return [id, Object.fromEntries(asked.map((property) => [property.id, readValues(property.id)]))]
      }),
    ),
  }
}

const isCompany = (id: PropertyId) => id === 'parent' || id === 'ultimate_parent'

function createValueReader(text: string, knowledge: Knowledge): ValueReader {
  const id = entityId.safeParse(text)
  const record = id.success ? knowledge.entity(id.data)?.record : undefined
  return record === undefined ? () => [] : createPropertyReader(record, knowledge)
}

type ValueReader = (id: PropertyId) => readonly ExtensionValue[]

/** Returns a reader of the company's properties, which looks up the ownership on demand. */
export function createPropertyReader(
  record: EntityRecord,
  knowledge: Pick<Knowledge, 'ownership'>,
): ValueReader {
  let ownership: Ownership | null | undefined
  const getOwnership = () => (ownership ??= knowledge.ownership(record.id))
  return (property) => {
    switch (property) {
      case 'parent':
        return findParent(record, getOwnership())
      case 'ultimate_parent':
        return findUltimateParent(getOwnership())
      case 'founding_date': {
        const day = record.attributes.founding_date
        return day === null ? [] : [{ date: `${day}T00:00:00Z` }]
      }
      default:
        return readTexts(property, record).flatMap((str) => (str === null || str === '' ? [] : [{ str }]))
    }
  }
}

type TextProperty = Exclude<PropertyId, 'parent' | 'ultimate_parent' | 'founding_date'>

function readTexts(property: TextProperty, record: EntityRecord): readonly (string | null)[] {
  const { headquarters, primary_legal_entity: primary, industry, classification, attributes } = record
  const { address } = headquarters
  switch (property) {
    case 'country':
      return [address.country ?? primary.country_code]
    case 'region':
      return [address.state]
    case 'city':
      return [address.city]
    case 'postal_code':
      return [address.postal_code]
    case 'location':
      return [address.formatted_address ?? formatPlace(record)]
    case 'street_address':
      return [address.street_address]
    case 'cik':
      return listIdentifiers(record, 'cik', 'sec_cik')
    case 'lei':
    case 'registration_id':
    case 'ein':
    case 'bic':
    case 'ticker':
      return listIdentifiers(record, property)
    case 'website':
      return [record.website]
    case 'registration_country':
      return [primary.country_code]
    case 'exchange':
      return [attributes.exchange]
    case 'legal_name':
      return [record.legal_name]
    case 'display_name':
      return [record.display_name]
    case 'status':
      return [record.status]
    case 'type':
      return [record.type]
    case 'legal_form':
      return [record.facets.legal_form]
    case 'jurisdiction':
      return [primary.jurisdiction]
    case 'registration_authority':
      return [primary.registration_authority.organization ?? primary.registration_authority.name]
    case 'industry':
      return [classification.sub_industry ?? classification.industry ?? classification.sector]
    case 'sic':
      return industry.schemes.sic?.map(({ code }) => code) ?? []
    case 'naics':
      return industry.schemes.naics_2022?.map(({ code }) => code) ?? []
    default:
      return assertNever(property)
  }
}

function listIdentifiers({ identifiers }: EntityRecord, ...types: readonly IdentifierType[]): string[] {
  return [...new Set(identifiers.filter(({ type }) => types.includes(type)).map(({ value }) => value))]
}

function findParent({ parent_entity: stated }: EntityRecord, ownership: Ownership | null): ExtensionValue[] {
  const [first] = ownership === null ? [] : findOwnershipChain(ownership).chain
  const known = first === undefined ? null : findCompany(first.parent_id, ownership)
  if (known !== null) return [known]
  const name = stated?.name ?? null
  return name === null ? [] : [{ str: name }]
}

function findUltimateParent(ownership: Ownership | null): ExtensionValue[] {
  const topId = ownership === null ? null : findOwnershipChain(ownership).ultimateParentId
  const known = topId === null ? null : findCompany(topId, ownership)
  return known === null ? [] : [known]
}

/** The ids of an ownership may be valid only within it; an id without `siq_` cannot be looked up. */
function findCompany(id: string, ownership: Ownership | null): ExtensionValue | null {
  const name = ownership?.entities.find((entity) => entity.id === id)?.name
  if (name === undefined) return null
  return entityId.safeParse(id).success ? { id, name } : { str: name }
}
