import type { DomainReplyV1, DomainResult, DomainResultV1 } from '../../contract/domain.js'
import type { EntityReplyV1, EntityRecordV1, SocialProfilesV1 } from '../../contract/earlier-versions.js'
import { entityRecord, type Attributes, type EntityRecord } from '../../contract/entity.js'
import type { EntityId, CallId } from '../../contract/enums.js'
import { applyWhenReady, type Deferrable, type Awaitable } from '../../platform/sql-program.js'
import type { Handlers, Answer } from '../http/mount.js'
import type { Knowledge } from '../knowledge.js'
import { toBuildMetadata, type StoredBuild, type BuildState, toIsoTime } from '../records/builds/build.js'
import type { Builds } from '../records/builds/builds.js'
import { parseEntityRecord } from '../records/builds/entity-build.js'
import { parseDomain, parseDomainResult, describeFailure } from '../records/domains/domain-build.js'
import { flattenCandidate, flattenEntity } from '../records/flat-entities.js'
import { internalError, Refusal } from '../refusal.js'
import type { ReportStore } from '../stores.js'
import type { HierarchyData, HierarchyReply } from '../../contract/hierarchy.js'

/**
 * Reads a record in the form of v1. It never waits: the first read starts the build (interface: "v1 entity and
 * domain"). v1 has no status for a merge and returns the record of the canonical company.
 */
export function createEntityHandlersV1(
  knowledge: Knowledge,
  builds: Pick<Deferrable<Builds>, 'demand'>,
): Pick<Handlers, 'readEntityV1'> {
  return {
    readEntityV1: ({ caller: { accountNumber }, params }) => {
      const found = knowledge.entity(params.entity_id)
      if (found === null) throw createEntityNotFoundRefusal()
      const { id } = entityRecord.parse(found.record)
      return applyWhenReady(builds.demand('entity', id, { accountNumber }), (build) => ({
        status: 200,
        body: buildEntityReplyV1(params.entity_id, build),
      }))
    },
  }
}

function buildEntityReplyV1(entityId: EntityId, build: StoredBuild): EntityReplyV1 {
  // v1 has no status for a record that could not be built: it is an error of the service.
  if (build.state === 'failed') throw internalError()
  const { result } = build
  return {
    entity_id: entityId,
    status: build.state,
    data: result === null ? null : toRecordV1(parseEntityRecord(result)),
    message: entityMessages[build.state],
    metadata: toBuildMetadata(build),
  }
}

const entityMessages = {
  building: 'The record is being built. Poll again in 5 to 10 seconds.',
  refreshing: 'The record is being refreshed; this is the previous one.',
  complete: null,
} as const

export const createEntityNotFoundRefusal = () => {
  const message = 'no such entity'
  return new Refusal(404, 'not_found', message, { body: { message, code: 'entity_not_found' } })
}

/** Reads a domain in the form of v1 (interface: "v1 domain-intelligence result"). Not billed. */
export function createDomainHandlersV1(
  builds: Pick<Deferrable<Builds>, 'demand'>,
): Pick<Handlers, 'readDomainV1'> {
  return {
    readDomainV1: ({ caller: { accountNumber }, query }) =>
      applyWhenReady(builds.demand('domain', parseDomain(query.domain), { accountNumber }), (build) => ({
        status: 200,
        body: buildDomainReplyV1(build),
      })),
  }
}

function buildDomainReplyV1(build: StoredBuild): DomainReplyV1 {
  const { state, result } = build
  return {
    domain: build.subject,
    status: state === 'failed' ? 'error' : state,
    data: result === null ? null : toDomainResultV1(parseDomainResult(result)),
    message: state === 'failed' ? describeFailure(build) : domainMessages[state],
    metadata: toBuildMetadata(build),
  }
}

const domainMessages: Readonly<Record<Exclude<BuildState, 'failed'>, string | null>> = {
  building: 'Research is running. Poll again in 5 to 10 seconds.',
  refreshing: 'Research is running again; this is the previous result.',
  complete: null,
}

/** Converts a result to v1, which has no `not_found`, and no industry schemes, profiles and redirects. */
export function toDomainResultV1(found: DomainResult): DomainResultV1 {
  const { industry, classification, ...facts } = found.domain_intelligence
  const { naics_codes_2022, business_model, products_services, business_tags } = toClassificationV1(
    industry,
    classification,
  )
  return {
    status: found.status === 'not_found' ? 'no_match' : found.status,
    confidence: found.confidence,
    type: found.type,
    subtype: found.subtype,
    entity: found.entity === null ? null : flattenEntity(found.entity),
    candidate: found.candidate === null ? null : flattenCandidate(found.candidate),
    factors: found.factors.map(({ code, type, description, impact }) => ({
      code,
      type,
      description,
      impact,
    })),
    actions: found.actions,
    domain_intelligence: {
      domain: facts.domain,
      url: facts.url,
      domain_aliases: facts.domain_aliases,
      description: facts.description,
      tranco_rank: facts.tranco_rank,
      website_status: facts.website_status,
      domain_context: facts.domain_context,
      is_disposable_email_provider: facts.is_disposable_email_provider,
      classification: { naics_codes_2022, business_model, products_services, business_tags },
    },
  }
}

/** Converts a record to the form and the order of v1 (interface: "v1 entity record"). */
export function toRecordV1(record: EntityRecord): EntityRecordV1 {
  const { id, name, status } = flattenEntity(record)
  return {
    id,
    name,
    type: record.type,
    subtype: record.subtype,
    status,
    headquarters: { address: toAddress(record) },
    primary_legal_entity: toLegalEntity(record),
    attributes: copyAttributes(record.attributes),
    social_profiles: toProfiles(record.social_profiles),
    classification: toClassificationV1(record.industry, record.classification),
    operational_presence: record.operational_presence,
  }
}

type AddressV1 = EntityRecordV1['headquarters']['address']

function toAddress({ headquarters: { address } }: EntityRecord): AddressV1 {
  return {
    city: address.city,
    state: address.state,
    country: address.country,
    state_code: address.state_code,
    postal_code: address.postal_code,
    sub_premise: address.sub_premise,
    country_code: address.country_code,
    street_number: address.street_number,
    street_address: address.street_address,
    formatted_address: address.formatted_address,
  }
}

function toLegalEntity({
  primary_legal_entity,
  legal_name,
}: EntityRecord): EntityRecordV1['primary_legal_entity'] {
  const { id, country_code, state_code } = primary_legal_entity
  return { id, name: legal_name, jurisdiction: { country_code, state_province: state_code } }
}

function copyAttributes(attributes: Attributes): Attributes {
  return { ...attributes }
}

/** v1 leaves out unknown profiles. */
function toProfiles(profiles: EntityRecord['social_profiles']): SocialProfilesV1 {
  return Object.fromEntries(Object.entries(profiles).filter(([, { handle }]) => handle !== null))
}

type ClassificationV1 = EntityRecordV1['classification']

/**
 * Converts codes and labels of v3 to the lists of v1. No source has both the relevance of a code and its certainty,
 * so both are the confidence. `business_model` is free text, written from the two lists that replace it (interface:
 * "Versioning").
 */
function toClassificationV1(
  industry: EntityRecord['industry'],
  classification: EntityRecord['classification'],
): ClassificationV1 {
  return {
    naics_codes_2022: toCodes(industry.schemes.naics_2022),
    sic_codes: toCodes(industry.schemes.sic),
    business_tags: classification.business_tags,
    business_model: [
      ...classification.market_segments.map((segment) => segment.toUpperCase()),
      ...classification.revenue_models.map(toWords),
    ],
    products_services: classification.products_services,
  }
}

type CodesV3 = EntityRecord['industry']['schemes']['sic']

function toCodes(codes: CodesV3): ClassificationV1['sic_codes'] {
  return (codes ?? []).map(({ code, label, confidence, is_primary }) => ({
    code,
    name: label,
    relevance: confidence,
    confidence,
    is_primary,
  }))
}

/** Converts `usage_based` to "Usage based". */
function toWords(term: string): string {
  const words = term.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Stores feedback for the operator of the service; durable before it is acknowledged. */
export function createReportHandlers(reports: Deferrable<ReportStore>): Pick<Handlers, 'report'> {
  return {
    report: ({ caller, callId, body }) =>
      applyWhenReady(reports.keep(caller.accountNumber, callId, JSON.stringify(body)), () => ({
        status: 202,
        body: { status: 'received', request_id: callId },
      })),
  }
}

/**
 * Creates the handlers for research of ownership (interface: "Hierarchy"). A read never starts it and returns 200 in
 * every state; an unknown id has the state of research that was never requested. A request starts it or starts it
 * again; while it runs, further requests change nothing.
 */
export function createHierarchyHandlers(
  knowledge: Pick<Knowledge, 'entity'>,
  builds: Pick<Deferrable<Builds>, 'read' | 'start'>,
): Pick<Handlers, 'readHierarchy' | 'readUltimateParent' | 'requestHierarchy'> {
  // A merged company has the hierarchy of the company it was merged into.
  const getSubject = (id: EntityId) => knowledge.entity(id)?.mergedInto ?? id
  const read = ({ callId, params }: { callId: CallId; params: { entity_id: EntityId } }): Awaitable<Answer> =>
    applyWhenReady(builds.read('hierarchy', getSubject(params.entity_id)), (build) => ({
      status: 200,
      body: buildHierarchyReply(params.entity_id, build, callId),
    }))
  return {
    readHierarchy: read,
    readUltimateParent: read,
    requestHierarchy: ({ caller: { accountNumber }, callId, params }) =>
      applyWhenReady(builds.start('hierarchy', getSubject(params.entity_id), { accountNumber }), (build) => ({
        status: 202,
        body: buildHierarchyReply(params.entity_id, build, callId),
      })),
  }
}

function buildHierarchyReply(entityId: EntityId, build: StoredBuild | null, callId: CallId): HierarchyReply {
  return {
    entity_id: entityId,
    ...describeState(build),
    last_researched_at: build === null ? null : toIsoTime(build.updatedAtMs),
    request_id: callId,
  }
}

function describeState(build: StoredBuild | null): Pick<HierarchyReply, 'status' | 'data' | 'message'> {
  if (build === null) {
    const message = 'This research was never requested. A POST to the hierarchy starts it.'
    return { status: 'not_started', data: null, message }
  }
  switch (build.state) {
    case 'building':
    case 'refreshing':
      return {
        status: 'in_progress',
        data: null,
        message: 'The research is running. Poll again in 5 to 10 seconds.',
      }
    case 'failed':
      return {
        status: 'failed',
        data: null,
        message: `The research failed: ${build.failure ?? 'internal error'}`,
      }
    case 'complete': {
      // A failed repetition keeps the earlier result.
      const message =
        build.failure === null
          ? null
          : `This is an earlier result. The last research failed: ${build.failure}`
      const data = build.result === null ? null : (JSON.parse(build.result) as HierarchyData)
      return { status: 'completed', data, message }
    }
  }
}
