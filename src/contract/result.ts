import * as z from 'zod'
import { resultEntity } from './entity.js'
import {
  basisConfidence,
  cacheHitType,
  entitySubtype,
  entityType,
  factorType,
  matchedNameKind,
  outcomeStatus,
  queryClassification,
  sourceType,
  callId,
  customId,
  entityId,
  checkOutcome,
  jobId,
  requestId,
  runId,
} from './enums.js'
import { fieldLimits } from './limits.js'

export { matchedConfidenceMin } from './limits.js'

const text = z.string().nullable()

export const candidate = z.strictObject({
  name: text,
  legal_name: text,
  jurisdiction: text,
  status: text,
  description: text,
  primary_address: z.strictObject({ full_address: text, state_code: text, country_code: text }),
})
export type Candidate = z.infer<typeof candidate>

/** `matched_name` is not in the interface, which permits more members: the name in a register that fits the query. */
export const factor = z.strictObject({
  code: z.string(),
  type: factorType,
  description: text,
  impact: text,
  matched_name: z.strictObject({ name: z.string(), kind: matchedNameKind }).optional(),
})
export type Factor = z.infer<typeof factor>

export const action = z.strictObject({ code: z.string(), description: text })
export type Action = z.infer<typeof action>

/** The authority of a citation follows from its source (interface: "Shared enumerations"). */
export const authorityTiers = {
  government_registry: 1,
  public_profile: 2,
  company_website: 3,
  web: 3,
} as const satisfies Record<z.infer<typeof sourceType>, number>

export const citation = z
  .strictObject({
    url: text,
    excerpt: text,
    source_type: sourceType,
    authority_tier: z.int().min(1).max(3),
  })
  .refine((cited) => cited.authority_tier === authorityTiers[cited.source_type], {
    error: 'authority_tier must match source_type',
  })
export type Citation = z.infer<typeof citation>

/** The reason to believe one field of `entity`; `field` is a dot-path into the entity of the same response. */
export const basisEntry = z.strictObject({
  field: z.string().min(1),
  confidence: basisConfidence,
  reasoning: text,
  citations: z.array(citation),
})
export type BasisEntry = z.infer<typeof basisEntry>

/** The findings of research, without an envelope. */
const resolutionShape = {
  status: outcomeStatus,
  match_confidence: z.int().min(0).max(100),
  type: entityType.nullable(),
  subtype: entitySubtype.nullable(),
  entity: resultEntity.nullable(),
  candidate: candidate.nullable(),
  factors: z.array(factor),
  actions: z.array(action),
  merged_into: entityId.nullable(),
}

/**
 * The answer of the research behind a job: a job result without its envelope. `basis` has an entry for every
 * populated field with a known source; `classification` is that of the query itself.
 */
export const resolution = z
  .strictObject({
    ...resolutionShape,
    basis: z.array(basisEntry),
    classification: queryClassification.nullable(),
  })
  .superRefine(checkOutcome)
export type Resolution = z.infer<typeof resolution>

export const resultMetadata = z.strictObject({
  query: z.strictObject({
    name: z.string(),
    location: text,
    context: text,
    classification: queryClassification.nullable(),
    mode: z.literal('standard'),
  }),
  resolved_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime().nullable(),
  from_cache: z.boolean(),
  cache_hit_type: cacheHitType.nullable(),
})

/** The 200 body of a job poll, and `data` of a run (interface: "v3 job result"). */
export const jobResult = z
  .strictObject({
    ...resolutionShape,
    basis: z.array(basisEntry).optional(),
    request_id: callId,
    metadata: resultMetadata,
  })
  .superRefine(checkOutcome)
export type JobResult = z.infer<typeof jobResult>

/** The length is counted in code points after trimming. */
export const lookupName = z
  .string()
  .refine((name) => Array.from(name.trim()).length >= fieldLimits.nameCharsMin, {
    error: `name must have at least ${fieldLimits.nameCharsMin} characters`,
  })
  .meta({ minLength: fieldLimits.nameCharsMin })

export const include = z.enum(['basis'])

const kickoffFields = {
  name: lookupName,
  location: z.string().optional(),
  context: z.string().optional(),
  include: include.optional(),
  webhook_url: z.string().optional(),
}

/** Body of `POST /v3/entity-resolution/async`; unknown keys are ignored (interface: "v3 entity resolution"). */
export const kickoffBody = z.object({ ...kickoffFields, custom_id: customId.optional() })
export type KickoffBody = z.infer<typeof kickoffBody>

/** Query of `GET /v3/entity-resolution/async`; `custom_id` is documented on POST only. */
export const kickoffQuery = z.object(kickoffFields)

/** 202 of the POST kickoff; `custom_id` is absent if none was sent. */
export const runAccepted = z.strictObject({
  status: z.literal('pending'),
  run_id: runId,
  custom_id: customId.optional(),
})
export type RunAccepted = z.infer<typeof runAccepted>

/** 202 of the GET kickoff, and of a job poll while the job runs. */
export const jobPending = z.strictObject({
  status: z.literal('pending'),
  job_id: jobId,
  request_id: requestId,
})
export type JobPending = z.infer<typeof jobPending>

/** Query of the polls: the basis is returned only if both the kickoff and the poll request it. */
export const pollQuery = z.object({ include: include.optional() })

/** The run of a resolution. A webhook sends it in `data.object`; for the run poll see `run`. */
export const runObject = z.strictObject({
  run_id: runId,
  custom_id: customId.optional(),
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: jobResult.nullable(),
})
export type RunObject = z.infer<typeof runObject>

/**
 * The fields of a run object that a client may rely on; other fields are kept unchanged. The status is free text:
 * compare it in upper case, and treat an unknown one as "not finished".
 */
export const runObjectLenient = z.looseObject({
  run_id: z.string().min(1),
  custom_id: z.string().nullish(),
  status: z.string(),
  data: z.record(z.string(), z.unknown()).nullish(),
})
export type RunObjectLenient = z.infer<typeof runObjectLenient>

/** The fields of the 202 of a POST kickoff that a client may rely on. */
export const runAcceptedLenient = z.looseObject({ run_id: z.string().min(1) })
