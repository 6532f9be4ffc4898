import { z } from 'zod'
import { domainBodyV3, domainReply } from '../domain.js'
import { entityReply } from '../entity.js'
import { entityId, jobId, runId } from '../ids.js'
import { limits } from '../limits.js'
import { recordRunObject } from '../record-run.js'
import { jobPending, kickoffBody, kickoffQuery, pollQuery, runAccepted, runObject } from '../resolution.js'
import { jobResult } from '../result.js'
import type { Route, RouteLimit } from './route.js'

const none = z.object({})
/** Of a resolution, or of a read whose record was still being built. */
const anyRun = z.union([runObject, recordRunObject])
const perKey = (perMinute: number): RouteLimit => ({ perMinute, per: 'key' })

/** Where the interface states a limit on GET alone, POST has one like it, and the run poll that of the job poll. */
export const routesV3 = {
  kickoffRun: {
    method: 'POST',
    path: '/v3/entity-resolution/async',
    summary: 'Begin to resolve a company as a run; billed, not idempotent',
    params: none,
    query: none,
    body: kickoffBody,
    replies: { 202: runAccepted },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(limits.submissionsPerMinute),
    isBilled: true,
  },
  kickoffJob: {
    method: 'GET',
    path: '/v3/entity-resolution/async',
    summary: 'Begin to resolve a company as a job; billed, not idempotent',
    params: none,
    query: kickoffQuery,
    body: null,
    replies: { 202: jobPending },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(limits.submissionsPerMinute),
    isBilled: true,
  },
  pollJob: {
    method: 'GET',
    path: '/v3/jobs/{job_id}',
    summary: 'What became of a job; free',
    params: z.object({ job_id: jobId }),
    query: pollQuery,
    body: null,
    replies: { 200: jobResult, 202: jobPending },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(limits.pollsPerMinute),
  },
  pollRun: {
    method: 'GET',
    path: '/v3/runs/{run_id}',
    summary: 'What became of a run; free',
    params: z.object({ run_id: runId }),
    query: pollQuery,
    body: null,
    replies: { 200: anyRun, 202: anyRun },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(limits.pollsPerMinute),
  },
  readEntity: {
    method: 'GET',
    path: '/v3/entities/{id}',
    summary: 'The record of a company; built on first demand',
    params: z.object({ id: entityId }),
    query: z.object({ webhook_url: z.string().optional() }),
    body: null,
    replies: { 200: entityReply },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(limits.entityReadsPerMinute),
  },
  readDomain: {
    method: 'GET',
    path: '/v3/domain-intelligence',
    summary: 'Whose domain it is, and facts about the domain',
    params: none,
    query: domainBodyV3,
    body: null,
    replies: { 200: domainReply },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(limits.domainReadsPerMinute),
    isBilled: true,
  },
  requestDomain: {
    method: 'POST',
    path: '/v3/domain-intelligence',
    summary: 'The same, with the domain in the body',
    params: none,
    query: none,
    body: domainBodyV3,
    replies: { 200: domainReply },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(limits.domainReadsPerMinute),
    isBilled: true,
  },
} as const satisfies Record<string, Route>
