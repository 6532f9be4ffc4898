import type { WebsiteStatus } from './domain.js'
import type { Address, EntityRecord, ResultEntity } from './entity.js'
import type { Resolution } from './result.js'

/** Blocks with unknown values: every key is present (interface: "Resources and their fields"). */

export const unknownAddress: Address = {
  street_address: null,
  street_number: null,
  sub_premise: null,
  city: null,
  state: null,
  state_code: null,
  postal_code: null,
  country: null,
  country_code: null,
  formatted_address: null,
}

export const unknownAuthority: ResultEntity['primary_legal_entity']['registration_authority'] = {
  id: null,
  code: null,
  name: null,
  organization: null,
  jurisdiction: null,
  country_code: null,
  website: null,
}

export const unknownClassification: EntityRecord['classification'] = {
  sector: null,
  industry: null,
  sub_industry: null,
  business_tags: [],
  market_segments: [],
  revenue_models: [],
  products_services: [],
}

export const unknownProfiles: EntityRecord['social_profiles'] = {
  linkedin: { handle: null },
  facebook: { handle: null },
  crunchbase: { handle: null },
}

/** A resolution without a result, except for its status. */
export const nothingFound: Omit<Resolution, 'status'> = {
  match_confidence: 0,
  type: null,
  subtype: null,
  entity: null,
  candidate: null,
  factors: [],
  actions: [],
  merged_into: null,
  basis: [],
  classification: null,
}

export const unknownWebsiteStatus: WebsiteStatus = {
  status: null,
  is_resolvable: null,
  is_webserver_responsive: null,
  has_content: null,
  failure_reason: null,
  last_checked: null,
}
