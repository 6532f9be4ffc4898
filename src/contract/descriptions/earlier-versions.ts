import {
  entityRecordV1,
  entityReplyV1,
  candidateV2,
  entityV2,
  factorV2,
  flatHeadquarters,
  flatLegalEntity,
  jobAcceptedV2,
  jobStatusV2,
  reportReply,
  resolutionQueryV2,
  resultV2,
} from '../earlier-versions.js'
import { hierarchyData, hierarchyEntity, hierarchyRelationship, hierarchyReply } from '../hierarchy.js'
import { fieldLimits } from '../limits.js'
import { mcpFailure, mcpMessage, mcpResult, searchQuery, searchReply, searchResult } from '../search.js'
import { describeBlock, describeFields, name } from './describe.js'
import { classificationV1Texts, flatCompanyTexts } from './domains.js'
import {
  candidateTexts,
  factorTexts,
  lookupTexts,
  metadataTexts,
  outcomeTexts,
  queryTexts,
} from './resolutions.js'

describeFields(searchQuery, {
  name: lookupTexts.name,
  country_code:
    'Country of the registration or of the head office: ISO 3166-1, two or three letters in any case',
  region_code: 'State or province: CA',
  limit: {
    text: 'How many results at most',
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: fieldLimits.searchResultsMax,
      default: fieldLimits.searchResultsMax,
    },
  },
  bypass_cache: {
    text: 'Whether an answer that is there already is passed over',
    schema: { type: 'boolean', default: false },
  },
})

name('SearchResult', searchResult, 'A registration that was found.', {
  id: 'Id of the registration, le_…',
  entity_id: 'Id of its company, siq_…; null where a resolution has to make one first',
  name: 'Name of the company',
  status: 'Whether it is active',
  is_branch: 'Whether it is likely a branch, or a foreign registration',
  jurisdiction: 'Where it is registered',
})
describeBlock(searchResult.shape.jurisdiction, {
  country: 'Name of the country',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  jurisdiction_code: 'Country and state in lower case: us_de, gb',
})
name('SearchReply', searchReply, 'What was found; results with a company stand first.', {
  results: 'The results',
  metadata: 'How many there are',
  request_id: 'Id of this call, req_…',
})
describeBlock(searchReply.shape.metadata, {
  total: 'How many were found',
  returned: 'How many are returned',
  query_time_ms: 'How long the search took, in milliseconds',
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
name('LegalEntityV2', flatLegalEntity, 'The registration that stands for a company.', {
  id: 'Id of the registration, le_…',
  name: 'The name on it',
  state_code: 'Code of the state',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  jurisdiction: 'Country and state of the registration',
})
name('EntityV2', entityV2, 'A company that a resolution confirmed, in the form of v2.', flatCompanyTexts)
name('CandidateV2', candidateV2, 'The best guess where no company is confirmed.', {
  ...candidateTexts,
  status: 'active or inactive',
})
name('FactorV2', factorV2, 'Something that speaks for or against the answer.', {
  ...factorTexts,
  code: 'What it is; more may come',
  severity: 'How grave it is; only some have it',
})
name('ResolutionV2', resultV2, 'What became of a resolution. Entity or candidate is there, never both.', {
  request_id: 'Id of the request: reqa_…, or reqs_… of a stream',
  status: 'What became of it; see Resolution',
  ...outcomeTexts,
  confidence: 'How sure it is that this is the company that was meant, 0 to 100',
  metadata: 'What was asked, and when it was answered',
})
describeBlock(resultV2.shape.metadata, metadataTexts)
describeBlock(resultV2.shape.metadata.shape.query, {
  ...queryTexts,
  mode: 'Always standard',
  context: 'Always null: v2 takes none',
})
name('JobAcceptedV2', jobAcceptedV2, 'A job that was started.', {
  request_id: 'Id of the job, reqa_…: poll it at /v2/entity-resolution/status/{request_id}',
  status: 'PENDING',
})
name('JobStatusV2', jobStatusV2, 'How far a job is.', {
  request_id: 'Id of the job',
  status: 'PENDING until the research has ended; COMPLETED says nothing of a match: see data.status',
  data: 'The answer; null while it is pending, and if it failed',
})
name('ReportReply', reportReply, 'A report that is kept.', {
  status: 'received',
  request_id: 'Id of this call, req_…',
})

name('EntityRecordV1', entityRecordV1, 'All that is known of a company, in the form of v1.', {
  id: 'Id of the company, siq_…',
  name: 'The name it is commonly known by',
  type: 'What kind of organization it is',
  subtype: 'The kind in more detail',
  status: 'active or inactive',
  headquarters: 'Where its head office is',
  primary_legal_entity: 'The registration that stands for it',
  attributes: 'Facts',
  social_profiles: 'Its profiles elsewhere',
  classification: 'Its trade',
  operational_presence: 'Where it is registered: one entry for each country',
})
describeBlock(entityRecordV1.shape.classification, { ...classificationV1Texts, sic_codes: 'Codes of SIC' })
describeBlock(entityRecordV1.shape.headquarters, { address: 'The address' })
describeBlock(entityRecordV1.shape.primary_legal_entity, {
  id: 'Id of the registration, le_…',
  name: 'The name on it',
  jurisdiction: 'Where it is registered',
})
describeBlock(entityRecordV1.shape.primary_legal_entity.shape.jurisdiction, {
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  state_province: 'Code of the state',
})
name('EntityReplyV1', entityReplyV1, 'A record, and how far its build is.', {
  entity_id: 'The id that was asked for',
  status: 'building without data, complete, or refreshing with the data there was',
  data: 'The record',
  message: 'The status in a sentence',
  metadata: 'Times of the build',
})

name('HierarchyEntity', hierarchyEntity, 'A company of a hierarchy.', {
  id: 'What the other ids of this result point to; siq_… is its own id',
  name: 'Its name',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  jurisdiction: 'Where it is registered',
  organization_type: 'What kind of organization it is',
  is_publicly_traded: 'Whether its shares are listed',
})
name('HierarchyRelationship', hierarchyRelationship, 'Who holds whom.', {
  id: 'Its id within this result',
  from: 'Id of who holds',
  to: 'Id of who is held',
  relationship_type: 'In which way',
  ownership_percentage: 'How much of it, 0 to 100',
  established_date: 'Since when: YYYY, YYYY-MM or YYYY-MM-DD',
})
name('Hierarchy', hierarchyData, 'The ownership of a company.', {
  entities: 'The companies in it',
  relationships: 'Who holds whom',
  ownership_chain: 'From the company upward, one step each',
  evidence: 'Addresses of the sources',
  summary_short: 'The whole in one or two sentences',
  summary_long: 'The whole in detail',
  mermaid_diagram: 'The whole as a diagram, in the language of Mermaid',
  target_entity: 'The company that was asked for',
  ultimate_parent: 'The company at the top; null where there is none',
})
describeBlock(hierarchyData.shape.ownership_chain, {
  entity_id: 'Id of who is held',
  parent_id: 'Id of who holds',
  relationship_type: 'In which way',
  ownership_percentage: 'How much of it, 0 to 100',
})
describeBlock(hierarchyData.shape.target_entity, { id: 'Its id in entities', name: 'Its name' })
name('HierarchyReply', hierarchyReply, 'A hierarchy, and how far its research is.', {
  entity_id: 'The id that was asked for',
  status: 'not_started until it is requested, in_progress, then completed or failed',
  data: 'The hierarchy; null unless completed',
  last_researched_at: 'When it was researched',
  request_id: 'Id of this call, req_…',
  message: 'The status in a sentence',
})

name('McpMessage', mcpMessage, 'A message of JSON-RPC 2.0.', {
  jsonrpc: '2.0',
  id: 'Yours, returned with the answer; a message without one is a notification',
  method: 'initialize, notifications/initialized, tools/list or tools/call',
  params: 'What the method takes',
})
name('McpResult', mcpResult, 'What the method of a message gave.', {
  jsonrpc: '2.0',
  id: 'That of the message',
  result: 'What the method gives: of tools/list the tools, of tools/call the content',
})
name('McpFailure', mcpFailure, 'Why the method of a message failed.', {
  jsonrpc: '2.0',
  id: 'That of the message; null where it could not be read',
  error: 'The failure',
})
describeFields(mcpFailure.shape.error, {
  code: 'A code of JSON-RPC 2.0: -32601 for an unknown method',
  message: 'The failure in a sentence',
})
