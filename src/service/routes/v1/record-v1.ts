import type { Attributes, EntityRecord } from '../../../contract/entity.js'
import type { EntityRecordV1, SocialProfilesV1 } from '../../../contract/entity-v1.js'
import { flatEntity } from '../../records/flat-entity.js'

/** A record in the form and the order of v1 (interface: "v1 entity record"). */
export function recordV1Of(record: EntityRecord): EntityRecordV1 {
  const { id, name, status } = flatEntity(record)
  return {
    id,
    name,
    type: record.type,
    subtype: record.subtype,
    status,
    headquarters: { address: addressOf(record) },
    primary_legal_entity: legalEntityOf(record),
    attributes: attributesOf(record.attributes),
    social_profiles: profilesOf(record.social_profiles),
    classification: classificationV1Of(record.industry, record.classification),
    operational_presence: record.operational_presence,
  }
}

type AddressV1 = EntityRecordV1['headquarters']['address']

function addressOf({ headquarters: { address } }: EntityRecord): AddressV1 {
  return {
    city: address.city,
    state: address.state,
    country: address.country,
    state_code: address.state_code,
    postal_code: address.postal_code,
    sub_premise: address.sub_premise,
    country_code: address.country_code,
    street_number: address.street_number,
    street_address: address.street_address,
    formatted_address: address.formatted_address,
  }
}

function legalEntityOf({
  primary_legal_entity,
  legal_name,
}: EntityRecord): EntityRecordV1['primary_legal_entity'] {
  const { id, country_code, state_code } = primary_legal_entity
  return { id, name: legal_name, jurisdiction: { country_code, state_province: state_code } }
}

function attributesOf(attributes: Attributes): Attributes {
  return { ...attributes }
}

/** v1 leaves out a profile that is not known. */
function profilesOf(profiles: EntityRecord['social_profiles']): SocialProfilesV1 {
  return Object.fromEntries(Object.entries(profiles).filter(([, { handle }]) => handle !== null))
}

type ClassificationV1 = EntityRecordV1['classification']

/**
 * Codes and labels of v3 in the lists of v1. How relevant a code is to the company no source tells apart from
 * how sure it is, so both are the confidence. `business_model` is free text, and written from the two lists
 * that replace it (interface: "Versioning").
 */
export function classificationV1Of(
  industry: EntityRecord['industry'],
  classification: EntityRecord['classification'],
): ClassificationV1 {
  return {
    naics_codes_2022: codesOf(industry.schemes.naics_2022),
    sic_codes: codesOf(industry.schemes.sic),
    business_tags: classification.business_tags,
    business_model: [
      ...classification.market_segments.map((segment) => segment.toUpperCase()),
      ...classification.revenue_models.map(inWords),
    ],
    products_services: classification.products_services,
  }
}

type CodesV3 = EntityRecord['industry']['schemes']['sic']

function codesOf(codes: CodesV3): ClassificationV1['sic_codes'] {
  return (codes ?? []).map(({ code, label, confidence, is_primary }) => ({
    code,
    name: label,
    relevance: confidence,
    confidence,
    is_primary,
  }))
}

/** `usage_based` is "Usage based". */
function inWords(term: string): string {
  const words = term.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
