import * as z from 'zod'
import { matchedConfidenceMin } from './limits.js'

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

/**
 * Identifier kinds (interface: "Identifier kinds"). Branded, so that a `RunId` cannot be passed as a `RequestId`: the
 * interface says the two are never interchangeable.
 */
const createPrefixedId = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9_-]{1,120}$`))

/** A master entity, `siq_…`. */
export const entityId = createPrefixedId('siq_').brand<'EntityId'>()
export type EntityId = z.infer<typeof entityId>

/** One government registration, `le_…`. */
export const legalEntityId = createPrefixedId('le_').brand<'LegalEntityId'>()
export type LegalEntityId = z.infer<typeof legalEntityId>

/** Presence in one country, `op_…`. */
export const presenceId = createPrefixedId('op_').brand<'PresenceId'>()

/** One HTTP call, `req_…`; each call has a new one. */
export const callId = createPrefixedId('req_').brand<'CallId'>()
export type CallId = z.infer<typeof callId>

/** The alternate id of a v3 job, `reqa_…`. */
export const requestId = createPrefixedId('reqa_').brand<'RequestId'>()
export type RequestId = z.infer<typeof requestId>

/** One streaming resolution, `reqs_…`. */
export const streamId = createPrefixedId('reqs_').brand<'StreamId'>()
export type StreamId = z.infer<typeof streamId>

/** A v3 unit of work started by POST, `run_…`. */
export const runId = createPrefixedId('run_').brand<'RunId'>()
export type RunId = z.infer<typeof runId>

/** One webhook event, `evt_…`. */
export const eventId = createPrefixedId('evt_').brand<'EventId'>()
export type EventId = z.infer<typeof eventId>

/** Opaque: a client must neither parse nor validate it. */
export const jobId = z.string().min(1).brand<'JobId'>()
export type JobId = z.infer<typeof jobId>

/** At most 200 characters of printable ASCII (space included); need not be unique (interface: "v3 entity resolution"). */
export const customId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x20-\x7e]+$/, 'printable ASCII only')
  .brand<'CustomId'>()
export type CustomId = z.infer<typeof customId>

/** The parts of an outcome that must be consistent. */
export interface OutcomeFields {
  readonly status: OutcomeStatus
  readonly match_confidence: number
  readonly type: EntityType | null
  readonly subtype: EntitySubtype | null
  readonly entity: object | null
  readonly candidate: object | null
  readonly merged_into: string | null
  readonly factors: readonly { readonly code: string }[]
  readonly basis?: readonly { readonly field: string }[] | undefined
}

/** Returns a message for each broken rule of "Resolution outcome meanings" and of the basis. */
function findOutcomeFaults(outcome: OutcomeFields): string[] {
  const { status, match_confidence: confidence, entity, candidate } = outcome
  const isKnown = entity !== null
  const isUnresolved = status === 'no_match' || status === 'not_found'
  const isSupported = outcome.type === 'business' && outcome.subtype === 'incorporated_entity'
  const faults: [isFault: boolean, message: string][] = [
    [isKnown && candidate !== null, 'entity and candidate are never both populated'],
    [
      status === 'matched' && !(isKnown && confidence >= matchedConfidenceMin),
      'matched requires a confidence of 80 or above and an entity',
    ],
    [
      status === 'partial_match' && !(isKnown && confidence < matchedConfidenceMin),
      'partial_match requires a confidence below 80 and an entity',
    ],
    [status === 'inconclusive' && isKnown, 'inconclusive has no entity'],
    [isUnresolved && (isKnown || candidate !== null), `${status} has neither entity nor candidate`],
    [isKnown && !isSupported, 'only an incorporated business may be an entity'],
    [
      (status === 'merged') !== (outcome.merged_into !== null),
      'merged_into is set if and only if the status is merged',
    ],
  ]
  const isFactor = (wanted: string) => outcome.factors.some(({ code }) => code === wanted)
  const isConfirmed = isFactor('legal_entity_confirmed')
  faults.push([
    isConfirmed && isFactor('no_legal_entity_confirmed'),
    'a legal entity is either confirmed or not confirmed',
  ])
  for (const { field } of outcome.basis ?? []) {
    faults.push([!hasPath(entity, field), `basis names ${field}, which is not in the entity`])
  }
  return faults.filter(([isFault]) => isFault).map(([, message]) => message)
}

/** Checks own properties only, so that `constructor` is not a field. */
function hasPath(value: unknown, path: string): boolean {
  let inner = value
  for (const part of path.split('.')) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, part)) return false
    inner = (inner as Record<string, unknown>)[part]
  }
  return true
}

/** Adds an issue for each broken rule; for a schema's `superRefine`. */
export function checkOutcome(outcome: OutcomeFields, context: z.RefinementCtx): void {
  for (const message of findOutcomeFaults(outcome)) context.addIssue({ code: 'custom', message })
}

/** Converts a label to its code: "Incorporated Entity" is `incorporated_entity`. */
export function toCode(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
