import * as z from 'zod'
import {
  entitySubtype,
  entityType,
  identifierType,
  legalForm,
  sector,
  callId,
  entityId,
  legalEntityId,
  presenceId,
} from './enums.js'

const text = z.string().nullable()
const percentage = z.int().min(0).max(100)

/** The ten keys of an address, always all present (interface: "Address block (v3)"). */
export const address = z.strictObject({
  street_address: text,
  street_number: text,
  sub_premise: text,
  city: text,
  state: text,
  state_code: text,
  postal_code: text,
  country: text,
  country_code: text,
  formatted_address: text,
})
export type Address = z.infer<typeof address>

/** Every key is always present; all are `null` if the authority is unknown. */
export const registrationAuthority = z.strictObject({
  id: z.int().nullable(),
  code: text,
  name: text,
  organization: text,
  jurisdiction: text,
  country_code: text,
  website: text,
})

export const primaryLegalEntity = z.strictObject({
  id: legalEntityId,
  jurisdiction: text,
  country_code: text,
  state_code: text,
  registration_authority: registrationAuthority,
})

export const identifier = z.strictObject({ type: identifierType, value: z.string(), jurisdiction: text })
export type Identifier = z.infer<typeof identifier>

export const matchingBranch = z.strictObject({
  notes: text,
  address: text,
  state_code: text,
  country_code: text,
  jurisdiction: text,
})

export const facets = z.strictObject({ sector: sector.nullable(), legal_form: legalForm.nullable() })

export const industryCode = z.strictObject({
  code: z.string(),
  label: text,
  is_primary: z.boolean(),
  confidence: percentage,
})
const codes = z
  .array(industryCode)
  .min(1)
  .refine((list) => list.filter((code) => code.is_primary).length === 1 && list[0]?.is_primary === true, {
    error: 'each scheme must have exactly one primary code, as its first',
  })

/** A scheme that was not classified is absent, never empty (interface: "Industry code entry (v3)"). */
export const industry = z.strictObject({
  schemes: z.strictObject({ naics_2022: codes.optional(), sic: codes.optional() }),
})

/** Blocks keep their keys if their values are unknown; only nullable blocks may be `null` as a whole. */
const entityCore = {
  id: entityId,
  display_name: text,
  legal_name: text,
  status: text,
  description: text,
  website: text,
  headquarters: z.strictObject({ address }),
  primary_legal_entity: primaryLegalEntity,
  identifiers: z.array(identifier),
  matching_branch: matchingBranch.nullable(),
  facets,
  industry,
  parent_entity: z.strictObject({ name: text }).nullable(),
}

/** `entity` of a v3 job result (interface: "v3 job result"). */
export const resultEntity = z.strictObject(entityCore)
export type ResultEntity = z.infer<typeof resultEntity>

/** Every key is always present, and `null` until enrichment fills it. */
export const attributes = z.strictObject({
  description: text,
  website: text,
  domain: text,
  employee_count: z.int().nullable(),
  employee_range: text,
  revenue: z.int().nullable(),
  revenue_range: text,
  founding_date: z.iso.date().nullable(),
  stock_ticker: text,
  exchange: text,
  is_public: z.boolean().nullable(),
  market_cap: z.int().nullable(),
  funding_total_usd: z.int().nullable(),
  funding_rounds_count: z.int().nullable(),
})
export type Attributes = z.infer<typeof attributes>

/** `b2b2c` never appears together with `b2b` or `b2c`. */
const marketSegments = z
  .array(z.string())
  .max(2)
  .refine((list) => !list.includes('b2b2c') || list.length === 1, { error: 'b2b2c excludes other segments' })

export const classification = z.strictObject({
  sector: text,
  industry: text,
  sub_industry: text,
  business_tags: z.array(z.string()),
  market_segments: marketSegments,
  revenue_models: z.array(z.string()).max(3),
  products_services: z.array(z.string()),
})

export const operationalPresence = z.strictObject({
  id: presenceId,
  country_code: text,
  country: text,
  count: z.int(),
  is_home_jurisdiction: z.boolean(),
})

/** The handle of an unknown profile is `null`. */
export const profile = z.strictObject({ handle: text })
export const socialProfiles = z.strictObject({ linkedin: profile, facebook: profile, crunchbase: profile })

/** `entity` of the v3 entity endpoint (interface: "v3 entity record"). */
export const entityRecord = z.strictObject({
  ...entityCore,
  type: entityType,
  subtype: entitySubtype,
  attributes,
  classification,
  operational_presence: z
    .array(operationalPresence)
    .refine((list) => new Set(list.map(({ country_code }) => country_code)).size === list.length, {
      error: 'each country must have at most one entry',
    }),
  social_profiles: socialProfiles,
})
export type EntityRecord = z.infer<typeof entityRecord>

/**
 * The envelope of `GET /v3/entities/{id}`. An absent `enrichment` means unknown, not failed. `merged_into` is set
 * only if `status` is `merged`; `entity` is then the canonical one.
 */
export const entityReply = z.strictObject({
  status: z.string(),
  merged_into: entityId.nullable(),
  entity: entityRecord.nullable(),
  enrichment: z.strictObject({ status: z.string(), updated_at: z.iso.datetime().nullable() }).optional(),
  request_id: callId,
})
export type EntityReply = z.infer<typeof entityReply>
