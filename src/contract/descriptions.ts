import { describeBlock, describeFields, name } from './descriptions/describe.js'
import { classificationV1Texts, flatCompanyTexts } from './descriptions/companies-and-domains.js'
import {
  candidateTexts,
  factorTexts,
  lookupTexts,
  metadataTexts,
  outcomeTexts,
  queryTexts,
  webhookUrlText,
} from './descriptions/resolutions.js'
import { earlierErrorBodies, errorBody } from './errors.js'
import { routes, type RouteName } from './routes.js'
import {
  candidateV2,
  entityRecordV1,
  entityReplyV1,
  entityV2,
  factorV2,
  flatHeadquarters,
  flatLegalEntity,
  jobAcceptedV2,
  jobStatusV2,
  reportReply,
  resolutionQueryV2,
  resultV2,
} from './earlier-versions.js'
import { hierarchyData, hierarchyEntity, hierarchyRelationship, hierarchyReply } from './hierarchy.js'
import { fieldLimits } from './limits.js'
import { mcpFailure, mcpMessage, mcpResult, searchQuery, searchReply, searchResult } from './search.js'

export { getFieldTexts, namedShapes, type FieldText } from './descriptions/describe.js'

const message = 'What went wrong, in a sentence'
const errorFields = { type: 'Kind of error: branch on it and on the status, never on the message', message }

name('Error', errorBody, 'An error of v3.', { error: 'What went wrong' })
describeFields(errorBody.shape.error, errorFields)
name('ErrorV1', earlierErrorBodies.any, 'An error of v1 and v2.', { error: 'What went wrong' })
describeFields(earlierErrorBodies.any.shape.error, errorFields)
name('KeyError', earlierErrorBodies.key, 'v1 and v2: the key is missing or wrong.', {
  message,
  request_id: 'Id of this call, req_…',
})
name('ReasonError', earlierErrorBodies.reason, 'v2: refused because of credit, plan or billing.', {
  error: 'The reason: insufficient_credits, monthly_limit_reached, …',
  message,
})
name('MessageError', earlierErrorBodies.message, 'v2: the limit per minute is reached.', { message })
name('EntityError', earlierErrorBodies.entity, 'v1: there is no such company.', {
  message,
  code: 'entity_not_found',
})

const { pollRun, pollJob, readEntity, readEntityV1, pollResolution } = routes

describeFields(pollRun.params, { run_id: 'Id of the run, from the kickoff or an event' })
describeFields(pollJob.params, { job_id: 'Id of the job: the job_id of the kickoff, or its request_id' })
describeFields(readEntity.params, { id: 'Id of the company, siq_…; no le_ and no op_' })
describeFields(readEntity.query, { webhook_url: webhookUrlText })
// v1 uses the same path parameters for entities and hierarchies.
describeFields(readEntityV1.params, { entity_id: 'Id of the company, siq_…' })
describeFields(pollResolution.params, {
  request_id: {
    text: 'Id of the request, reqa_…, or reqs_… of a stream; one that is malformed is answered with 500',
    schema: { type: 'string' },
  },
})

/** The description of each route, in addition to its summary. */
export const routeTexts: Readonly<Record<RouteName, string>> = {
  kickoffRun:
    'Returns at once; research takes one to five minutes. Poll the run, or name a webhook_url. ' +
    'A request sent twice starts and charges two runs. If its answer was lost, the run may exist.',
  kickoffJob:
    'Does the same as the POST, and is charged as well. Nothing may repeat or prefetch it: prefer the POST.',
  pollRun: 'Polls start nothing and cost nothing. Every 5 to 10 seconds is often enough.',
  pollJob: 'Polls start nothing and cost nothing. A failed resolution is a 200 with the status failed.',
  readEntity:
    'Never waits: it returns the current record, with the state of its build in enrichment.status. ' +
    'With a webhook_url an event is sent at the end of the build, unless the record is already complete.',
  readDomain:
    'Answers 200 also while research runs: see status. With a webhook_url an event is sent at its end, ' +
    'unless the answer is already complete. The first request ever for a domain is charged.',
  requestDomain: 'The same as the GET, with the domain in the body.',
  search: 'Answers within a second. If entity_id is null, only a resolution can return the company.',
  streamResolution: 'Holds the connection for as long as the research takes, three to five minutes.',
  submitResolution:
    'Returns at once. Charged on submission, and refunded if the research fails. A request sent twice ' +
    'is charged twice.',
  pollResolution: 'Polls cost nothing. COMPLETED does not mean that something was found: see data.status.',
  readEntityV1: 'Never waits. The first read starts the build, which takes two to five minutes.',
  readDomainV1: 'Never waits. Ask again every 5 to 10 seconds while it is building or refreshing.',
  readHierarchy: 'Answers 200 in every state. Reading starts no research.',
  readUltimateParent: 'The same answer as that of the hierarchy.',
  requestHierarchy:
    'Research takes 10 to 20 minutes; while it runs, another request changes nothing. No body is needed.',
  report: 'Any JSON object. It is stored for the operator of the service, and changes no answer.',
  mcp:
    'JSON-RPC 2.0 over HTTP. A failed method is a 200 with error; a message without an id is a ' +
    'notification, answered with an empty 202.',
}

describeFields(searchQuery, {
  name: lookupTexts.name,
  country_code:
    'Country of the registration or of the head office: ISO 3166-1, two or three letters in any case',
  region_code: 'State or province: CA',
  limit: {
    text: 'Largest number of results',
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: fieldLimits.searchResultsMax,
      default: fieldLimits.searchResultsMax,
    },
  },
  bypass_cache: {
    text: 'Whether to ignore a cached answer',
    schema: { type: 'boolean', default: false },
  },
})

name('SearchResult', searchResult, 'A matching registration.', {
  id: 'Id of the registration, le_…',
  entity_id: 'Id of its company, siq_…; null if only a resolution can return it',
  name: 'Name of the company',
  status: 'Whether it is active',
  is_branch: 'Whether it is likely a branch, or a foreign registration',
  jurisdiction: 'Jurisdiction of its registration',
})
describeBlock(searchResult.shape.jurisdiction, {
  country: 'Name of the country',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  jurisdiction_code: 'Country and state in lower case: us_de, gb',
})
name('SearchReply', searchReply, 'The results of a search; those with a company come first.', {
  results: 'The results',
  metadata: 'Counts and duration',
  request_id: 'Id of this call, req_…',
})
describeBlock(searchReply.shape.metadata, {
  total: 'Number of matches',
  returned: 'Number of results returned',
  query_time_ms: 'Duration of the search in milliseconds',
})

describeFields(resolutionQueryV2, lookupTexts)

name('AddressV2', flatHeadquarters, 'The address of v1 domains and v2 resolutions.', {
  city: 'Town or city',
  state: 'State, province or county',
  address: 'The whole address in one line',
  country: 'Name of the country',
  state_code: 'Code of the state',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
})
name('LegalEntityV2', flatLegalEntity, 'The main registration of a company.', {
  id: 'Id of the registration, le_…',
  name: 'The name on it',
  state_code: 'Code of the state',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  jurisdiction: 'Country and state of the registration',
})
name('EntityV2', entityV2, 'A company that a resolution confirmed, in the form of v2.', flatCompanyTexts)
name('CandidateV2', candidateV2, 'The best guess if no company is confirmed.', {
  ...candidateTexts,
  status: 'active or inactive',
})
name('FactorV2', factorV2, 'Evidence for or against the answer.', {
  ...factorTexts,
  code: 'Kind of evidence; more may be added',
  severity: 'Severity; only some have one',
})
name('ResolutionV2', resultV2, 'The outcome of a resolution. At most one of entity and candidate is set.', {
  request_id: 'Id of the request: reqa_…, or reqs_… of a stream',
  status: 'Outcome; see Resolution',
  ...outcomeTexts,
  confidence: 'Certainty that this is the requested company, 0 to 100',
  metadata: 'The query, and the times of its answer',
})
describeBlock(resultV2.shape.metadata, metadataTexts)
describeBlock(resultV2.shape.metadata.shape.query, {
  ...queryTexts,
  mode: 'Always standard',
  context: 'Always null: v2 has no context',
})
name('JobAcceptedV2', jobAcceptedV2, 'A job that was started.', {
  request_id: 'Id of the job, reqa_…: poll it at /v2/entity-resolution/status/{request_id}',
  status: 'PENDING',
})
name('JobStatusV2', jobStatusV2, 'The state of a job.', {
  request_id: 'Id of the job',
  status: 'PENDING until the research has ended; COMPLETED does not mean a match: see data.status',
  data: 'The answer; null while it is pending, and if it failed',
})
name('ReportReply', reportReply, 'A stored report.', {
  status: 'received',
  request_id: 'Id of this call, req_…',
})

name('EntityRecordV1', entityRecordV1, 'The full record of a company, in the form of v1.', {
  id: 'Id of the company, siq_…',
  name: 'The name it is commonly known by',
  type: 'Kind of organization',
  subtype: 'The kind in more detail',
  status: 'active or inactive',
  headquarters: 'Its head office',
  primary_legal_entity: 'Its main registration',
  attributes: 'Facts',
  social_profiles: 'Its profiles in social networks',
  classification: 'Its industry',
  operational_presence: 'Countries of its registrations: one entry for each',
})
describeBlock(entityRecordV1.shape.classification, { ...classificationV1Texts, sic_codes: 'Codes of SIC' })
describeBlock(entityRecordV1.shape.headquarters, { address: 'The address' })
describeBlock(entityRecordV1.shape.primary_legal_entity, {
  id: 'Id of the registration, le_…',
  name: 'The name on it',
  jurisdiction: 'Jurisdiction of its registration',
})
describeBlock(entityRecordV1.shape.primary_legal_entity.shape.jurisdiction, {
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  state_province: 'Code of the state',
})
name('EntityReplyV1', entityReplyV1, 'A record and the state of its build.', {
  entity_id: 'The requested id',
  status: 'building without data, complete, or refreshing with the previous data',
  data: 'The record',
  message: 'The status in a sentence',
  metadata: 'Times of the build',
})

name('HierarchyEntity', hierarchyEntity, 'A company of a hierarchy.', {
  id: 'Id that the rest of this result refers to; the id of the company if it starts with siq_',
  name: 'Its name',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  jurisdiction: 'Jurisdiction of its registration',
  organization_type: 'Kind of organization',
  is_publicly_traded: 'Whether its shares are listed; null if unknown',
})
name('HierarchyRelationship', hierarchyRelationship, 'An owner and the company it owns.', {
  id: 'Its id within this result',
  from: 'Id of the owner',
  to: 'Id of the owned company',
  relationship_type: 'Kind of relationship',
  ownership_percentage: 'Share owned, 0 to 100',
  established_date: 'Start of the relationship: YYYY, YYYY-MM or YYYY-MM-DD',
})
name('Hierarchy', hierarchyData, 'The ownership of a company.', {
  entities: 'The companies in it',
  relationships: 'Owners and the companies they own',
  ownership_chain: 'Steps from the company up to its ultimate parent',
  evidence: 'Addresses of the sources',
  summary_short: 'Summary in one or two sentences',
  summary_long: 'Summary in detail',
  mermaid_diagram: 'Diagram in the language of Mermaid',
  target_entity: 'The requested company',
  ultimate_parent: 'The company at the top; null if none',
})
describeBlock(hierarchyData.shape.ownership_chain, {
  entity_id: 'Id of the owned company',
  parent_id: 'Id of the owner',
  relationship_type: 'Kind of relationship',
  ownership_percentage: 'Share owned, 0 to 100',
})
describeBlock(hierarchyData.shape.target_entity, { id: 'Its id in entities', name: 'Its name' })
name('HierarchyReply', hierarchyReply, 'A hierarchy and the state of its research.', {
  entity_id: 'The requested id',
  status: 'not_started until it is requested, in_progress, then completed or failed',
  data: 'The hierarchy; null unless completed',
  last_researched_at: 'Time of the research',
  request_id: 'Id of this call, req_…',
  message: 'The status in a sentence',
})

name('McpMessage', mcpMessage, 'A message of JSON-RPC 2.0.', {
  jsonrpc: '2.0',
  id: 'Your id, returned with the answer; a message without one is a notification',
  method: 'initialize, notifications/initialized, tools/list or tools/call',
  params: 'Parameters of the method',
})
name('McpResult', mcpResult, 'The result of a method.', {
  jsonrpc: '2.0',
  id: 'Id of the message',
  result: 'The tools for tools/list, the content for tools/call',
})
name('McpFailure', mcpFailure, 'The failure of a method.', {
  jsonrpc: '2.0',
  id: 'Id of the message; null if it could not be read',
  error: 'The failure',
})
describeFields(mcpFailure.shape.error, {
  code: 'A code of JSON-RPC 2.0: -32601 for an unknown method',
  message: 'The failure in a sentence',
})
