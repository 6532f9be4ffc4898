import * as z from 'zod'

/** Shared enumerations (interface: "Shared enumerations"). Closed in this file; a client accepts other values too. */
export const entityType = z.enum(['business', 'nonprofit', 'government', 'person', 'other', 'unknown'])
export type EntityType = z.infer<typeof entityType>

export const entitySubtype = z.enum([
  'incorporated_entity',
  'unincorporated_entity',
  'nonprofit_entity',
  'government_entity',
  'natural_person',
  'complex_business_structure',
  'trading_name_only',
  'other_entity',
  'unknown',
])
export type EntitySubtype = z.infer<typeof entitySubtype>

/** Outcomes of a v3 resolution; the first five are shared with v2. */
export const outcomeStatus = z.enum([
  'matched',
  'partial_match',
  'inconclusive',
  'no_match',
  'not_found',
  'merged',
  'failed',
])
export type OutcomeStatus = z.infer<typeof outcomeStatus>

export const factorType = z.enum(['strength', 'limitation'])
export const matchedNameKind = z.enum(['legal', 'former', 'other'])

export const identifierType = z.enum([
  'registration_id',
  'cik',
  'sec_cik',
  'lei',
  'bic',
  'ein',
  'duns',
  'ticker',
])
export type IdentifierType = z.infer<typeof identifierType>

export const sector = z.enum(['private', 'public', 'government', 'nonprofit'])
export type Sector = z.infer<typeof sector>

export const legalForm = z.enum([
  'llc',
  'corporation',
  'c_corp',
  's_corp',
  'lp',
  'llp',
  'gp',
  'sole_proprietorship',
  'nonprofit_corp',
  'pllc',
  'pc',
  'cooperative',
  'municipal_agency',
  'government_entity',
  'trust',
  'unknown',
])
export type LegalForm = z.infer<typeof legalForm>

export const basisConfidence = z.enum(['high', 'medium', 'low'])
export const sourceType = z.enum(['government_registry', 'company_website', 'public_profile', 'web'])
export const cacheHitType = z.enum(['exact', 'similar', 'domain_cache'])

/** Classification of the query itself. The interface names only `ambiguous`; other values are free text. */
export const queryClassification = z.string()
