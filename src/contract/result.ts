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
  entityId,
  checkOutcome,
} from './enums.js'

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
