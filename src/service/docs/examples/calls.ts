import { domainResult } from '../../../contract/domain.js'
import type { RequestId } from '../../../contract/enums.js'
import { mcpToolName } from '../../../contract/search.js'
import type { RouteName } from '../../../contract/routes.js'
import { buildHierarchy } from '../../records/hierarchy.js'
import { toDomainResultV1, toRecordV1 } from '../../routes/v1.js'
import { toResultV2 } from '../../routes/v2.js'
import { exampleRecord, exampleCallId, exampleResult, exampleTimes } from './company.js'

/** A request with parameters and query values as text. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

const entityRequest = { params: { entity_id: exampleRecord.id } }

export const exampleRequests: Readonly<Record<RouteName, ExampleRequest>> = {
  kickoffRun: {
    body: { name: 'Acme Trading', location: 'Leeds', include: 'basis', custom_id: 'row-17' },
  },
  kickoffJob: { query: { name: 'Acme Trading', location: 'Leeds', include: 'basis' } },
  pollRun: { params: { run_id: 'run_Zp4xR8uK2c' }, query: { include: 'basis' } },
  pollJob: { params: { job_id: '0197f3c2a4e84b1d9c55' }, query: { include: 'basis' } },
  readEntity: { params: { id: exampleRecord.id } },
  readDomain: { query: { domain: 'https://www.acme.example/contact' } },
  requestDomain: { body: { domain: 'sales@acme.example' } },
  search: { query: { name: 'Acme Trading', country_code: 'GB', limit: '5' } },
  streamResolution: { query: { name: 'Acme Trading', location: 'Leeds' } },
  submitResolution: { query: { name: 'Acme Trading', location: 'Leeds' } },
  pollResolution: { params: { request_id: 'reqa_Hb6mQ1yV3e' } },
  readEntityV1: entityRequest,
  readDomainV1: { query: { domain: 'acme.example' } },
  readHierarchy: entityRequest,
  readUltimateParent: entityRequest,
  requestHierarchy: entityRequest,
  report: { body: { request_id: 'reqa_Hb6mQ1yV3e', verdict: 'wrong company' } },
  mcp: {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: mcpToolName, arguments: { name: 'Acme Trading', country_code: 'GB' } },
    },
  },
}

/** Example replies by status. */
export type ExampleAnswers = Readonly<Record<number, unknown>>

const entityId = exampleRecord.id
const runId = 'run_Zp4xR8uK2c'
const jobId = '0197f3c2a4e84b1d9c55'
const requestId = 'reqa_Hb6mQ1yV3e' as RequestId
const metadata = {
  last_updated: exampleTimes.ended,
  processing_started_at: exampleTimes.started,
  estimated_completion: null,
}

const exampleRun = { run_id: runId, custom_id: 'row-17', status: 'COMPLETED', data: exampleResult }
const jobPending = { status: 'pending', job_id: jobId, request_id: requestId }

const domainOutcome = domainResult.parse({
  status: 'matched',
  confidence: exampleResult.match_confidence,
  type: exampleResult.type,
  subtype: exampleResult.subtype,
  entity: pickCompanyFields(),
  candidate: null,
  factors: exampleResult.factors,
  actions: [],
  domain_intelligence: {
    domain: 'acme.example',
    url: 'https://acme.example/',
    domain_aliases: ['acme-trading.example'],
    description: 'Tools and hardware for the trade.',
    tranco_rank: 482_113,
    website_status: {
      status: 200,
      is_resolvable: true,
      is_webserver_responsive: true,
      has_content: true,
      failure_reason: null,
      last_checked: exampleTimes.ended,
    },
    domain_context: {
      domain_type: 'corporate_website',
      domain_relationship: 'direct_owner',
      domain_purpose: null,
      business_relevance: null,
    },
    is_disposable_email_provider: false,
    industry: exampleRecord.industry,
    classification: exampleRecord.classification,
    social_profiles: { ...exampleRecord.social_profiles, twitter: { handle: 'acmetrading' } },
  },
})

/** Returns the fields of a domain's entity, which has fewer than that of a resolution. */
function pickCompanyFields() {
  const { id, display_name, legal_name, status, description, website } = exampleRecord
  const { headquarters, primary_legal_entity, identifiers, matching_branch } = exampleRecord
  const names = { id, display_name, legal_name, status, description, website }
  return { ...names, headquarters, primary_legal_entity, identifiers, matching_branch }
}

const domainReply = {
  domain: 'acme.example',
  status: 'complete',
  message: null,
  request_id: exampleCallId,
  metadata,
  data: domainOutcome,
}

const resolutionV2 = toResultV2(JSON.stringify(exampleResult), requestId)

const buildHierarchyReply = (status: string, data: object | null, message: string | null) => ({
  entity_id: entityId,
  status,
  data,
  last_researched_at: data === null ? null : exampleTimes.ended,
  request_id: exampleCallId,
  message,
})
const ownerId = 'siq_5d3a91c07be84f26a1c9d0e7'
const completedHierarchy = buildHierarchyReply(
  'completed',
  buildHierarchy({
    targetId: entityId,
    entities: [
      {
        id: entityId,
        name: 'ACME TRADING LIMITED',
        country_code: 'GB',
        jurisdiction: 'gb',
        organization_type: 'business',
        is_publicly_traded: false,
      },
      {
        id: ownerId,
        name: 'Acme Group plc',
        country_code: 'GB',
        jurisdiction: 'gb',
        organization_type: 'business',
        is_publicly_traded: true,
      },
    ],
    relationships: [
      {
        id: 'r1',
        from: ownerId,
        to: entityId,
        relationship_type: 'owns',
        ownership_percentage: 100,
        established_date: '2011-04',
      },
    ],
    ultimateParentId: ownerId,
    evidence: ['https://register.example/01234567'],
  }),
  null,
)

/** An example reply of each route, by status. Those of v1 and v2 are converted from v3 by the service's own code. */
export const exampleAnswers: Readonly<Record<RouteName, ExampleAnswers>> = {
  kickoffRun: { 202: { status: 'pending', run_id: runId, custom_id: 'row-17' } },
  kickoffJob: { 202: jobPending },
  pollRun: { 200: exampleRun, 202: { run_id: runId, custom_id: 'row-17', status: 'PENDING', data: null } },
  pollJob: { 200: exampleResult, 202: jobPending },
  readEntity: {
    200: {
      status: 'matched',
      merged_into: null,
      entity: exampleRecord,
      enrichment: { status: 'complete', updated_at: exampleTimes.ended },
      request_id: exampleCallId,
    },
  },
  readDomain: { 200: domainReply },
  requestDomain: { 200: domainReply },
  search: {
    200: {
      results: [
        {
          id: 'le_3fP9cW1rZa',
          entity_id: entityId,
          name: 'ACME TRADING LIMITED',
          status: 'active',
          is_branch: false,
          jurisdiction: { country: 'United Kingdom', country_code: 'GB', jurisdiction_code: 'gb' },
        },
      ],
      metadata: { total: 1, returned: 1, query_time_ms: 4 },
      request_id: exampleCallId,
    },
  },
  streamResolution: { 200: { ...resolutionV2, request_id: 'reqs_Hb6mQ1yV3e' } },
  submitResolution: { 202: { request_id: requestId, status: 'PENDING' } },
  pollResolution: {
    200: { request_id: requestId, status: 'COMPLETED', data: resolutionV2 },
    202: { request_id: requestId, status: 'PENDING', data: null },
  },
  readEntityV1: {
    200: {
      entity_id: entityId,
      status: 'complete',
      data: toRecordV1(exampleRecord),
      message: null,
      metadata,
    },
  },
  readDomainV1: {
    200: {
      domain: 'acme.example',
      status: 'complete',
      data: toDomainResultV1(domainOutcome),
      message: null,
      metadata,
    },
  },
  readHierarchy: { 200: completedHierarchy },
  readUltimateParent: { 200: completedHierarchy },
  requestHierarchy: {
    200: completedHierarchy,
    202: buildHierarchyReply('in_progress', null, 'The research is running. Poll again in 5 to 10 seconds.'),
  },
  report: { 202: { status: 'received', request_id: exampleCallId } },
  mcp: {
    200: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: '{"results":[],"metadata":{"total":0,"returned":0}}' }],
        structuredContent: { results: [], metadata: { total: 0, returned: 0 } },
        isError: false,
      },
    },
  },
}

export const exampleEvent = {
  id: 'evt_T1nB5kD9xW',
  object: 'event',
  type: 'entity_resolution.completed',
  api_version: 'v3',
  created: Date.parse(exampleTimes.ended) / 1_000,
  data: { object: exampleRun },
}
