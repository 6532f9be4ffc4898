import * as z from 'zod'
import {
  classification,
  identifier,
  industry,
  matchingBranch,
  profile,
  resultEntity,
  socialProfiles,
} from './entity.js'
import {
  buildMetadata,
  codeEntryV1,
  candidateV2,
  factorV2,
  flatHeadquarters,
  flatLegalEntity,
  outcomeStatusV2,
} from './earlier-versions.js'
import { entitySubtype, entityType, callId, entityId } from './enums.js'
import { action, candidate, factor } from './result.js'

const text = z.string().nullable()

/** A domain, a URL or an e-mail address. */
export const domainBody = z.object({ domain: z.string().min(1) })
/** `webhook_url` is documented on GET; the interface says "any v3 request", so POST accepts it too. */
export const domainBodyV3 = domainBody.extend({ webhook_url: z.string().optional() })

export const websiteStatus = z.strictObject({
  status: z.int().nullable(),
  is_resolvable: z.boolean().nullable(),
  is_webserver_responsive: z.boolean().nullable(),
  has_content: z.boolean().nullable(),
  failure_reason: text,
  last_checked: z.iso.datetime().nullable(),
})
export type WebsiteStatus = z.infer<typeof websiteStatus>

const domainContext = z.strictObject({
  domain_type: text,
  domain_relationship: text,
  domain_purpose: text,
  business_relevance: text,
})

const domainFacts = {
  domain: z.string(),
  url: text,
  domain_aliases: z.array(z.string()),
  description: text,
  tranco_rank: z.int().min(1).nullable(),
  website_status: websiteStatus,
  domain_context: domainContext,
  is_disposable_email_provider: z.boolean().nullable(),
}

/** Facts about the domain, distinct from its company (interface: "v3 domain-intelligence result"). */
export const domainIntelligence = z.strictObject({
  ...domainFacts,
  industry,
  classification,
  social_profiles: socialProfiles.extend({ twitter: profile }),
})
export type DomainIntelligence = z.infer<typeof domainIntelligence>

const outcome = {
  status: outcomeStatusV2,
  confidence: z.int().min(0).max(100),
  type: entityType.nullable(),
  subtype: entitySubtype.nullable(),
}

/** The identifier `jurisdiction` is optional here. */
const domainEntity = resultEntity
  .omit({ facets: true, industry: true, parent_entity: true })
  .extend({ identifiers: z.array(identifier.partial({ jurisdiction: true })) })

/** Present only if the requested domain redirects to another. */
export const redirectInfo = z.strictObject({
  is_redirect: z.boolean(),
  original_domain: z.string(),
  final_domain: z.string(),
  redirect_status_code: z.int(),
  redirect_type: z.string(),
})

export const domainResult = z.strictObject({
  ...outcome,
  entity: domainEntity.nullable(),
  candidate: candidate.nullable(),
  factors: z.array(factor),
  actions: z.array(action),
  domain_intelligence: domainIntelligence,
  redirect_info: redirectInfo.optional(),
})
export type DomainResult = z.infer<typeof domainResult>

/** 200 of the v3 domain endpoint, also while research runs: `data` is `null` unless `complete`. */
export const domainReply = z.strictObject({
  domain: z.string(),
  status: z.enum(['complete', 'building', 'pending']),
  message: text,
  request_id: callId,
  metadata: buildMetadata,
  data: domainResult.nullable(),
})
export type DomainReply = z.infer<typeof domainReply>

export const domainResultV1 = z.strictObject({
  ...outcome,
  status: outcomeStatusV2.exclude(['not_found']),
  entity: z
    .strictObject({
      id: entityId,
      name: text,
      status: text,
      description: text,
      website: text,
      headquarters: flatHeadquarters,
      primary_legal_entity: flatLegalEntity,
      matching_branch: matchingBranch.nullable(),
    })
    .nullable(),
  candidate: candidateV2.nullable(),
  factors: z.array(factorV2),
  actions: z.array(action),
  domain_intelligence: z.strictObject({
    ...domainFacts,
    classification: z.strictObject({
      naics_codes_2022: z.array(codeEntryV1),
      business_model: z.array(z.string()),
      products_services: z.array(z.string()),
      business_tags: z.array(z.string()),
    }),
  }),
})
export type DomainResultV1 = z.infer<typeof domainResultV1>

/** 200 of the v1 domain endpoint (interface: "v1 domain-intelligence result"). */
export const domainReplyV1 = z.strictObject({
  domain: z.string(),
  status: z.enum(['building', 'complete', 'refreshing', 'error']),
  data: domainResultV1.nullable(),
  message: text,
  metadata: buildMetadata,
})
export type DomainReplyV1 = z.infer<typeof domainReplyV1>
