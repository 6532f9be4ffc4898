import { event, recordRunObject } from '../events.js'
import { fieldLimits } from '../limits.js'
import { jobPending, kickoffBody, kickoffQuery, pollQuery, runAccepted, runObject } from '../resolution.js'
import { action, basisEntry, candidate, citation, factor, jobResult, resultMetadata } from '../result.js'
import { describeBlock, describeFields, name } from './describe.js'

/** The text of `webhook_url`, shared by all v3 requests that accept it. */
export const webhookUrlText = {
  text:
    'Where the event goes when the work has ended: a public https address, port 443 or above 1024, ' +
    'without user and password',
  schema: { type: 'string', format: 'uri', maxLength: fieldLimits.webhookUrlCharsMax },
} as const

/** Field texts of a lookup, shared by all versions. */
export const lookupTexts = {
  name: `Name of the company, at least ${fieldLimits.nameCharsMin} characters without the blanks around it`,
  location: 'Where it is, in free words: city, state, country or several of them',
} as const

const kickoffTexts = {
  ...lookupTexts,
  context:
    'Words that say which company is meant, where several have this name; they choose, and change no search',
  include: 'basis records where each field comes from; ask for it here and again at the poll',
  webhook_url: webhookUrlText,
} as const

name('Kickoff', kickoffBody, 'Which company to resolve. Other keys are ignored.', {
  ...kickoffTexts,
  custom_id:
    'Your own label, echoed at every poll and in the event; need not be unique, and finds no run. Printable ASCII',
})
describeFields(kickoffQuery, kickoffTexts)
describeFields(pollQuery, { include: 'basis shows where each field comes from, if the kickoff asked for it' })

name('RunAccepted', runAccepted, 'A run that was started.', {
  status: 'pending',
  run_id: 'Id of the run, run_…: poll it at /v3/runs/{run_id}',
  custom_id: 'Your label, if one was sent',
})

name('JobPending', jobPending, 'A job that is not finished.', {
  status: 'pending',
  job_id: 'Id of the job: poll it at /v3/jobs/{job_id}',
  request_id: 'The same job in the form reqa_…; the poll takes either',
})

export const candidateTexts = {
  name: 'The name it is commonly known by',
  legal_name: 'The name on its registration',
  jurisdiction: 'Where it is registered',
  status: 'Whether it is active',
  description: 'What it does',
  primary_address: 'Its main address',
} as const
name('Candidate', candidate, 'The best guess where no company is confirmed.', candidateTexts)
describeBlock(candidate.shape.primary_address, {
  full_address: 'The address in one line',
  state_code: 'Code of its state',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
})

export const factorTexts = {
  code: 'What it is: name_close_match, location_mismatch, … More may come',
  type: 'strength speaks for the answer, limitation against it',
  description: 'The same in a sentence',
  impact: 'How much it weighs',
} as const
name('Factor', factor, 'Something that speaks for or against the answer.', factorTexts)

name('Action', action, 'What would make the answer better.', {
  code: 'What to do: verify_address, provide_full_legal_name, … More may come',
  description: 'The same in a sentence',
})

name('Citation', citation, 'A source that says what the field says.', {
  url: 'Where it can be read',
  excerpt: 'What it says',
  source_type: 'What kind of source it is',
  authority_tier: '1 is a government register, 2 a public profile, 3 the company itself or the web',
})

name('BasisEntry', basisEntry, 'Why one field of the entity is believed.', {
  field: 'Path into the entity of the same answer: legal_name, identifiers.0.value',
  confidence: 'How sure it is',
  reasoning: 'Why',
  citations: 'Its sources; there may be none',
})

export const metadataTexts = {
  query: 'What was asked',
  resolved_at: 'When it was resolved',
  updated_at: 'When the answer was last changed',
  from_cache: 'Whether the answer was there already',
  cache_hit_type: 'How it was found among the answers that were there',
} as const
name('ResultMetadata', resultMetadata, 'What was asked, and when it was answered.', metadataTexts)
export const queryTexts = {
  name: 'The name as it was asked',
  location: 'The location as it was asked',
  context: 'The context as it was asked',
  classification: 'How the query itself was judged: ambiguous if its name alone fits several companies',
  mode: 'Always standard; nothing depends on it',
} as const
describeBlock(resultMetadata.shape.query, queryTexts)

/** Field texts of every outcome, of a resolution or of a domain. */
export const outcomeTexts = {
  type: 'What kind of organization it is',
  subtype: 'The kind in more detail',
  entity: 'The company, if one was confirmed',
  candidate: 'The best guess, if none was',
  factors: 'What speaks for and against the answer',
  actions: 'What would make the answer better',
} as const

name('Resolution', jobResult, 'What became of a resolution. Entity or candidate is there, never both.', {
  status:
    'matched: confidence of 80 or more, with an entity. partial_match: below 80, with an entity. ' +
    'inconclusive: several are possible, or the kind is not supported; perhaps a candidate. ' +
    'no_match: nothing was found. not_found: what was asked is no business. ' +
    'merged: see merged_into. failed: the research failed',
  match_confidence: 'How sure it is that this is the company that was meant, 0 to 100',
  ...outcomeTexts,
  subtype: `${outcomeTexts.subtype}; only incorporated_entity comes as an entity`,
  merged_into: 'The id to keep instead, if the status is merged; else null',
  basis: 'Where each field comes from, if kickoff and poll both asked for it',
  request_id: 'Id of a call, req_…',
  metadata: 'What was asked, and when it was answered',
})

name('Run', runObject, 'A run, as its poll shows it and its event carries it.', {
  run_id: 'Id of the run, run_…',
  custom_id: 'Your label, if one was sent',
  status: 'PENDING until the research has ended; COMPLETED says nothing of a match: see data.status',
  data: 'The answer; null while it is pending, and if it failed',
})

name('RecordRun', recordRunObject, 'The end of a build that a read with a webhook_url waited for.', {
  run_id: 'Id of the run, run_…; no answer named it before',
  status: 'PENDING until the build has ended',
  data: 'What the read answers now',
})

name('Event', event, 'The body of a delivery.', {
  id: 'Id of the event, evt_…, the same at every attempt: handle each once',
  object: 'event',
  type: 'What ended, and how',
  api_version: 'v3',
  created: 'When it happened, in Unix seconds; not when it was sent',
  data: 'What it is about',
  data_truncated:
    'Only there if the body was longer than 1 MB: data.object.data is null, and the run poll has it',
})
describeBlock(event.shape.data, { object: 'The run, as its poll shows it' })
