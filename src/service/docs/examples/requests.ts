import type { RouteName } from '../../../contract/routes.js'
import { mcpToolName } from '../../../contract/mcp.js'
import { exampleRecord } from './company.js'

/** A call as it goes over the wire: texts in the path and the query. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

const ofEntity = { params: { entity_id: exampleRecord.id } }

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
  readEntityV1: ofEntity,
  readDomainV1: { query: { domain: 'acme.example' } },
  readHierarchy: ofEntity,
  readUltimateParent: ofEntity,
  requestHierarchy: ofEntity,
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
