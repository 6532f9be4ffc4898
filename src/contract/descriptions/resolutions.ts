import { completedRun, event, failedRun, pendingRun, recordRunObject, run } from '../events.js'
import { fieldLimits } from '../limits.js'
import {
  jobPending,
  kickoffBody,
  kickoffQuery,
  pollQuery,
  runAccepted,
  runObject,
  action,
  basisEntry,
  candidate,
  citation,
  factor,
  jobResult,
  resultMetadata,
} from '../result.js'
import { describeBlock, describeFields, name, namedShapes } from './describe.js'

/** The text of `webhook_url`, shared by all v3 requests that accept it. */
export const webhookUrlText = {
  text:
    'Receiver of the event at the end of the work: a public https address, port 443 or above 1024, ' +
    'without user and password',
  schema: { type: 'string', format: 'uri', maxLength: fieldLimits.webhookUrlCharsMax },
} as const

/** Field texts of a lookup, shared by all versions. */
export const lookupTexts = {
  name: `Name of the company, at least ${fieldLimits.nameCharsMin} characters after trimming`,
  location: 'Its place in free text: city, state, country or several of them',
} as const

const kickoffTexts = {
  ...lookupTexts,
  context:
    "Text that selects one of several companies with this name; it does not change the search. An identifier in it that is not the company's (`LEI …`) makes the answer inconclusive",
  include: 'basis records the source of each field; request it here and again at the poll',
  webhook_url: webhookUrlText,
} as const

name('Kickoff', kickoffBody, 'The company to resolve. Other keys are ignored.', {
  ...kickoffTexts,
  custom_id:
    'Your own label, returned at every poll and in the event; need not be unique, and cannot be polled. Printable ASCII',
})
describeFields(kickoffQuery, kickoffTexts)
describeFields(pollQuery, { include: 'basis returns the source of each field, if the kickoff requested it' })

name('RunAccepted', runAccepted, 'A run that was started.', {
  status: 'pending',
  run_id: 'Id of the run, run_…: poll it at /v3/runs/{run_id}',
  custom_id: 'Your label, if one was sent',
})

name('JobPending', jobPending, 'A job that is not finished.', {
  status: 'pending',
  job_id: 'Id of the job: poll it at /v3/jobs/{job_id}',
  request_id: 'The same job in the form reqa_…; the poll accepts either',
})

export const candidateTexts = {
  name: 'The name it is commonly known by',
  legal_name: 'The name on its registration',
  jurisdiction: 'Jurisdiction of its registration',
  status: 'Whether it is active',
  description: 'What it does',
  primary_address: 'Its main address',
} as const
name('Candidate', candidate, 'The best guess if no company is confirmed.', candidateTexts)
describeBlock(candidate.shape.primary_address, {
  full_address: 'The address in one line',
  state_code: 'Code of its state',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
})

export const factorTexts = {
  code: 'Kind of evidence: name_close_match, location_mismatch, … More may be added',
  type: 'strength is evidence for the answer, limitation against it',
  description: 'The same in a sentence',
  impact: 'Weight of the evidence',
} as const
name('Factor', factor, 'Evidence for or against the answer.', {
  ...factorTexts,
  matched_name:
    'The name of the company that fits the name of the query; in one factor, if there is such a name',
})
describeBlock(factor.shape.matched_name, {
  name: 'The name as the register writes it',
  kind: 'legal is the registered name, former an earlier one, other a trade name, abbreviation or translation',
})

name('Action', action, 'A step that would improve the answer.', {
  code: 'The step: verify_address, provide_full_legal_name, … More may be added',
  description: 'The same in a sentence',
})

name('Citation', citation, 'A source of a field.', {
  url: 'Address of the source',
  excerpt: 'Text of the source',
  source_type: 'Kind of source',
  authority_tier: '1 is a government register, 2 a public profile, 3 the company itself or the web',
})

name('BasisEntry', basisEntry, 'The evidence for one field of the entity.', {
  field: 'Path into the entity of the same answer: legal_name, identifiers.0.value',
  confidence: 'Certainty of the field',
  reasoning: 'Reason in a sentence',
  citations: 'Its sources; may be empty',
})

export const metadataTexts = {
  query: 'The query',
  resolved_at: 'Time of the resolution',
  updated_at: 'Time of the last change of the answer',
  from_cache: 'Whether the answer comes from a cache',
  cache_hit_type: 'Kind of cache hit',
} as const
name('ResultMetadata', resultMetadata, 'The query, and the times of its answer.', metadataTexts)
export const queryTexts = {
  name: 'The name of the request',
  location: 'The location of the request',
  context: 'The context of the request',
  classification: 'Classification of the query itself: ambiguous if its name alone fits several companies',
  mode: 'Always standard; nothing depends on it',
} as const
describeBlock(resultMetadata.shape.query, queryTexts)

/** Field texts of every outcome, of a resolution or of a domain. */
export const outcomeTexts = {
  type: 'Kind of organization',
  subtype: 'The kind in more detail',
  entity: 'The company, if one was confirmed',
  candidate: 'The best guess, if none was',
  factors: 'Evidence for and against the answer',
  actions: 'Steps that would improve the answer',
} as const

name('Resolution', jobResult, 'The outcome of a resolution. At most one of entity and candidate is set.', {
  status:
    'matched: confidence of 80 or more, with an entity. partial_match: below 80, with an entity. ' +
    'inconclusive: several are possible, or the kind is not supported; may have a candidate. ' +
    'no_match: nothing was found. not_found: the query is not a business. ' +
    'merged: see merged_into. failed: the research failed',
  match_confidence: 'Certainty that this is the requested company, 0 to 100',
  ...outcomeTexts,
  subtype: `${outcomeTexts.subtype}; only incorporated_entity is returned as an entity`,
  merged_into: 'The id to store instead, if the status is merged; otherwise null',
  basis: 'The source of each field, if both kickoff and poll requested it',
  request_id: 'Id of a call, req_…',
  metadata: 'The query, and the times of its answer',
})

const runFields = {
  run_id: 'Id of the run, run_…',
  custom_id: 'Your label, if one was sent',
  status: 'PENDING until the research has ended; COMPLETED does not mean a match: see data.status',
}
name('DeliveredRun', runObject, 'A run, as sent in its event.', {
  ...runFields,
  data: 'The answer; null if it failed, and in an event with data_truncated',
})
namedShapes.add(run, {
  id: 'Run',
  text: 'A run, as returned by its poll; status tells the three kinds apart.',
})
name('PendingRun', pendingRun, 'A run whose research, or build, is in progress.', {
  ...runFields,
  data: 'null while it is in progress',
})
name('CompletedRun', completedRun, 'A run that has ended with an answer.', {
  ...runFields,
  data: 'The result of a resolution, or the reply to the read that started a build',
})
name('FailedRun', failedRun, 'A run that failed.', {
  ...runFields,
  data: 'null; the known part of the record if a build failed',
})

name('RecordRun', recordRunObject, 'The state of a build that a read with a webhook_url requested.', {
  run_id: 'Id of the run, run_…; not in the reply to the read',
  status: 'PENDING until the build has ended',
  data: 'The current reply to the read',
})

name('Event', event, 'The body of a delivery.', {
  id: 'Id of the event, evt_…, the same at every attempt: handle each once',
  object: 'event',
  type: 'Kind of work and its outcome',
  api_version: 'v3',
  created: 'Time of the event in Unix seconds; not the time of the delivery',
  data: 'The object of the event',
  data_truncated:
    'Present only if the body was longer than 1 MB: data.object.data is null, and the run poll returns it',
})
describeBlock(event.shape.data, { object: 'The run, as returned by its poll' })
