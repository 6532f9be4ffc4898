import { describeFields, name } from './descriptions/describe.js'
import './descriptions/companies.js'
import './descriptions/domains.js'
import './descriptions/earlier-versions.js'
import { webhookUrlText } from './descriptions/resolutions.js'
import { earlierErrorBodies, errorBody } from './errors.js'
import { routes, type RouteName } from './routes.js'

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
