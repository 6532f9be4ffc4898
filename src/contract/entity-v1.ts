import * as z from 'zod'
import { address, attributes, operationalPresence } from './entity.js'
import { entitySubtype, entityType } from './enums.js'
import { entityId, legalEntityId } from './ids.js'

const text = z.string().nullable()
const percentage = z.int().min(0).max(100)
const profile = z.strictObject({ handle: z.string() })

/** Interface: "Classification code entry (v1)": `name`, where v3 says `label`. */
export const codeEntryV1 = z.strictObject({
  code: z.string(),
  name: text,
  relevance: percentage,
  confidence: percentage,
  is_primary: z.boolean(),
})

/** Only v1 may leave a profile out (interface: "v1 entity record"). */
export const socialProfilesV1 = z.strictObject({
  crunchbase: profile.optional(),
  linkedin: profile.optional(),
  facebook: profile.optional(),
  twitter: profile.optional(),
})
export type SocialProfilesV1 = z.infer<typeof socialProfilesV1>

/** `data` of the v1 entity endpoint (interface: "v1 entity record"). */
export const entityRecordV1 = z.strictObject({
  id: entityId,
  name: text,
  type: entityType,
  subtype: entitySubtype,
  status: z.enum(['active', 'inactive']).nullable(),
  headquarters: z.strictObject({ address }),
  primary_legal_entity: z.strictObject({
    id: legalEntityId,
    name: text,
    jurisdiction: z.strictObject({ country_code: text, state_province: text }),
  }),
  attributes,
  social_profiles: socialProfilesV1,
  classification: z.strictObject({
    naics_codes_2022: z.array(codeEntryV1),
    sic_codes: z.array(codeEntryV1),
    business_tags: z.array(z.string()),
    business_model: z.array(z.string()),
    products_services: z.array(z.string()),
  }),
  operational_presence: z.array(operationalPresence),
})
export type EntityRecordV1 = z.infer<typeof entityRecordV1>

/** When a record was and will be made; of no more than that does the interface speak. */
export const buildMetadata = z.strictObject({
  last_updated: z.iso.datetime().nullable(),
  processing_started_at: z.iso.datetime().nullable(),
  estimated_completion: z.iso.datetime().nullable(),
})
export type BuildMetadata = z.infer<typeof buildMetadata>

/** 200 of `GET /v1/entities/{entity_id}`: `data` is null while `building`, and never else. */
export const entityReplyV1 = z.strictObject({
  entity_id: entityId,
  status: z.enum(['building', 'complete', 'refreshing']),
  data: entityRecordV1.nullable(),
  message: text,
  metadata: buildMetadata,
})
export type EntityReplyV1 = z.infer<typeof entityReplyV1>
