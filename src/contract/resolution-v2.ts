import * as z from 'zod'
import { matchingBranch } from './entity.js'
import { cacheHitType, entitySubtype, entityType, factorType, outcomeStatus } from './enums.js'
import { callId, entityId, legalEntityId, requestId, streamId } from './ids.js'
import { checkOutcome } from './outcome-rules.js'
import { lookupName } from './resolution.js'
import { action, candidate } from './result.js'

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

/** Outcomes that v2 knows. */
export const outcomeStatusV2 = outcomeStatus.exclude(['merged', 'failed'])

/** `data` of a completed v2 job, and, with its own `request_id`, the body of the stream. */
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
 * Answers of the v2 status poll: 202 while `PENDING`, 200 at the end (interface: "Job and run envelopes"). What
 * a stream began can be read by its `reqs_` id as well, so that an answer its caller missed is not lost.
 */
export const jobStatusV2 = z.strictObject({
  request_id: z.union([requestId, streamId]),
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: resultV2.nullable(),
})
export type JobStatusV2 = z.infer<typeof jobStatusV2>

/** Feedback about an answer; the interface shows no shape, so any JSON object is taken. */
export const reportBody = z.record(z.string(), z.unknown())
export const reportReply = z.strictObject({ status: z.literal('received'), request_id: callId })
