import * as z from 'zod'
import { matchingBranch, address, attributes, operationalPresence } from './entity.js'
import {
  cacheHitType,
  entitySubtype,
  entityType,
  factorType,
  outcomeStatus,
  callId,
  entityId,
  legalEntityId,
  requestId,
  streamId,
  checkOutcome,
} from './enums.js'
import { lookupName, action, candidate } from './result.js'

const text = z.string().nullable()

/** Query of the v2 stream and of the v2 async submission (interface: "v2 entity resolution"). */
export const resolutionQueryV2 = z.object({ name: lookupName, location: z.string().optional() })

/** The flat address of v1 and v2. */
export const flatHeadquarters = z.strictObject({
  city: text,
  state: text,
  address: text,
  country: text,
  state_code: text,
  country_code: text,
})

export const flatLegalEntity = z.strictObject({
  id: legalEntityId,
  name: text,
  state_code: text,
  country_code: text,
  jurisdiction: text,
})

export const entityV2 = z.strictObject({
  id: entityId,
  name: text,
  status: z.enum(['active', 'inactive']).nullable(),
  website: text,
  description: text,
  headquarters: flatHeadquarters,
  matching_branch: matchingBranch.nullable(),
  primary_legal_entity: flatLegalEntity,
})
export type EntityV2 = z.infer<typeof entityV2>

export const candidateV2 = candidate.extend({ status: z.enum(['active', 'inactive']).nullable() })
export type CandidateV2 = z.infer<typeof candidateV2>

export const factorV2 = z.strictObject({
  code: z.string(),
  type: factorType,
  impact: text,
  description: text,
  severity: z.string().optional(),
})

/** The outcomes that v2 supports. */
export const outcomeStatusV2 = outcomeStatus.exclude(['merged', 'failed'])

/** `data` of a completed v2 job and, with its own `request_id`, the body of the stream. */
export const resultV2 = z
  .strictObject({
    request_id: z.union([requestId, streamId]),
    status: outcomeStatusV2,
    type: entityType.nullable(),
    subtype: entitySubtype.nullable(),
    confidence: z.int().min(0).max(100),
    entity: entityV2.nullable(),
    candidate: candidateV2.nullable(),
    factors: z.array(factorV2),
    actions: z.array(action),
    metadata: z.strictObject({
      query: z.strictObject({
        mode: text,
        name: z.string(),
        context: text,
        location: text,
        classification: text,
      }),
      from_cache: z.boolean(),
      updated_at: z.iso.datetime().nullable(),
      resolved_at: z.iso.datetime().nullable(),
      cache_hit_type: cacheHitType.nullable(),
    }),
  })
  .superRefine((result, context) => {
    checkOutcome({ ...result, match_confidence: result.confidence, merged_into: null }, context)
  })
export type ResultV2 = z.infer<typeof resultV2>

/** 202 of the v2 async submission. */
export const jobAcceptedV2 = z.strictObject({ request_id: requestId, status: z.literal('PENDING') })

/**
 * Replies of the v2 status poll: 202 while `PENDING`, 200 at the end (interface: "Job and run envelopes"). A stream
 * can be polled by its `reqs_` id, so that a caller that missed the answer can still read it.
 */
export const jobStatusV2 = z.strictObject({
  request_id: z.union([requestId, streamId]),
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: resultV2.nullable(),
})
export type JobStatusV2 = z.infer<typeof jobStatusV2>

/** Feedback about an answer; the interface shows no shape, so any JSON object is accepted. */
export const reportBody = z.record(z.string(), z.unknown())
export const reportReply = z.strictObject({ status: z.literal('received'), request_id: callId })

const percentage = z.int().min(0).max(100)
const profile = z.strictObject({ handle: z.string() })

/** `name` is called `label` in v3 (interface: "Classification code entry (v1)"). */
export const codeEntryV1 = z.strictObject({
  code: z.string(),
  name: text,
  relevance: percentage,
  confidence: percentage,
  is_primary: z.boolean(),
})

/** A profile may be absent in v1 only (interface: "v1 entity record"). */
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

/** Build times of a record. The interface states nothing more about them. */
export const buildMetadata = z.strictObject({
  last_updated: z.iso.datetime().nullable(),
  processing_started_at: z.iso.datetime().nullable(),
  estimated_completion: z.iso.datetime().nullable(),
})
export type BuildMetadata = z.infer<typeof buildMetadata>

/** 200 of `GET /v1/entities/{entity_id}`: `data` is `null` exactly while `building`. */
export const entityReplyV1 = z.strictObject({
  entity_id: entityId,
  status: z.enum(['building', 'complete', 'refreshing']),
  data: entityRecordV1.nullable(),
  message: text,
  metadata: buildMetadata,
})
export type EntityReplyV1 = z.infer<typeof entityReplyV1>
