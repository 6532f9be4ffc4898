import type { z } from 'zod'
import { entityRecord, type EntityRecord, type resultEntity } from '../../../contract/entity.js'
import { jobResult, type JobResult } from '../../../contract/result.js'

/** The company of every example. It is parsed, so that the examples are valid. */

const entity: z.input<typeof resultEntity> = {
  id: 'siq_8Kq2vX4mT7',
  display_name: 'Acme Trading',
  legal_name: 'ACME TRADING LIMITED',
  status: 'active',
  description: 'Wholesale of tools and hardware.',
  website: 'https://acme.example',
  headquarters: {
    address: {
      street_address: '1 High Street',
      street_number: '1',
      sub_premise: null,
      city: 'Leeds',
      state: 'England',
      state_code: 'GB-ENG',
      postal_code: 'LS1 1AA',
      country: 'United Kingdom',
      country_code: 'GB',
      formatted_address: '1 High Street, Leeds LS1 1AA, United Kingdom',
    },
  },
  primary_legal_entity: {
    id: 'le_3fP9cW1rZa',
    jurisdiction: 'gb',
    country_code: 'GB',
    state_code: null,
    registration_authority: {
      id: 585,
      code: 'RA000585',
      name: 'Companies Register',
      organization: 'Companies House',
      jurisdiction: 'gb',
      country_code: 'GB',
      website: 'https://www.gov.uk/companies-house',
    },
  },
  identifiers: [{ type: 'registration_id', value: '01234567', jurisdiction: 'GB' }],
  matching_branch: null,
  facets: { sector: 'private', legal_form: 'corporation' },
  industry: {
    schemes: {
      naics_2022: [
        { code: '423710', label: 'Hardware Merchant Wholesalers', is_primary: true, confidence: 80 },
      ],
      sic: [{ code: '5072', label: 'Wholesale-Hardware', is_primary: true, confidence: 80 }],
    },
  },
  parent_entity: { name: 'Acme Group plc' },
}

export const exampleRecord: EntityRecord = entityRecord.parse({
  ...entity,
  type: 'business',
  subtype: 'incorporated_entity',
  attributes: {
    description: entity.description,
    website: entity.website,
    domain: 'acme.example',
    employee_count: 120,
    employee_range: '51-200',
    revenue: 18_000_000,
    revenue_range: '10M-50M',
    founding_date: '1987-05-12',
    stock_ticker: null,
    exchange: null,
    is_public: false,
    market_cap: null,
    funding_total_usd: null,
    funding_rounds_count: null,
  },
  classification: {
    sector: 'Wholesale trade',
    industry: 'Durable goods',
    sub_industry: 'Hardware',
    business_tags: ['tools', 'hardware'],
    market_segments: ['b2b'],
    revenue_models: ['one_time_sales'],
    products_services: ['hand tools', 'fasteners'],
  },
  operational_presence: [
    {
      id: 'op_5Jd7bN2sGB',
      country_code: 'GB',
      country: 'United Kingdom',
      count: 2,
      is_home_jurisdiction: true,
    },
  ],
  social_profiles: {
    linkedin: { handle: 'acme-trading' },
    facebook: { handle: 'acmetrading' },
    crunchbase: { handle: 'acme-trading' },
  },
} satisfies z.input<typeof entityRecord>)

export const exampleTimes = {
  started: '2026-01-05T02:00:00.000Z',
  ended: '2026-01-05T02:02:10.000Z',
} as const
export const exampleCallId = 'req_w6Yt0Lq9'

export const exampleResult: JobResult = jobResult.parse({
  status: 'matched',
  match_confidence: 96,
  type: 'business',
  subtype: 'incorporated_entity',
  entity,
  candidate: null,
  factors: [
    {
      code: 'name_close_match',
      type: 'strength',
      description: 'The name agrees with that of the registration.',
      impact: 'high',
      matched_name: { name: 'ACME TRADING LIMITED', kind: 'legal' },
    },
  ],
  actions: [],
  merged_into: null,
  basis: [
    {
      field: 'legal_name',
      confidence: 'high',
      reasoning: 'The register holds this name.',
      citations: [
        {
          url: 'https://register.example/01234567',
          excerpt: 'ACME TRADING LIMITED',
          source_type: 'government_registry',
          authority_tier: 1,
        },
      ],
    },
  ],
  request_id: exampleCallId,
  metadata: {
    query: { name: 'Acme Trading', location: 'Leeds', context: null, classification: null, mode: 'standard' },
    resolved_at: exampleTimes.ended,
    updated_at: exampleTimes.ended,
    from_cache: false,
    cache_hit_type: null,
  },
} satisfies z.input<typeof jobResult>)
