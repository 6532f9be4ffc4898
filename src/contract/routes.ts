import * as z from 'zod'
import { domainBody, domainBodyV3, domainReply, domainReplyV1 } from './domain.js'
import { entityReply } from './entity.js'
import {
  entityReplyV1,
  jobAcceptedV2,
  jobStatusV2,
  reportBody,
  reportReply,
  resolutionQueryV2,
  resultV2,
} from './earlier-versions.js'
import { run } from './events.js'
import { hierarchyReply } from './hierarchy.js'
import { entityId, jobId, requestId, runId } from './enums.js'
import { rateLimits } from './limits.js'
import { mcpAccepted, mcpMessage, mcpReply, searchQuery, searchReply } from './search.js'
import { jobPending, kickoffBody, kickoffQuery, pollQuery, runAccepted, jobResult } from './result.js'

export interface RouteLimit {
  readonly perMinute: number
  /** The keys that share the budget: on some routes, all keys of one account (interface: "Limits"). */
  readonly per: 'key' | 'account'
}

/**
 * A route as a value: the service mounts it, the client calls it, the tests iterate over it, and the OpenAPI document
 * prints it. `path` contains `{placeholders}`; `errors` are the statuses with an error body; `limit` is `null` if the
 * interface states none.
 */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: `/${Version}/${string}`
  readonly summary: string
  readonly params: z.ZodType
  readonly query: z.ZodType
  readonly body: z.ZodType | null
  readonly replies: Readonly<Record<number, z.ZodType>>
  readonly errors: readonly number[]
  readonly limit: RouteLimit | null
  /** Whether a call may be charged (interface: "Billed"). */
  readonly isBilled?: true
}

/** Defaults of most routes: no parameters, no query and no stated limit. */
const plain = { params: z.object({}), query: z.object({}), limit: null } as const
const read = { ...plain, method: 'GET', body: null } as const
const change = { ...plain, method: 'POST' } as const

const entityParams = z.object({ entity_id: entityId })

const perKey = (perMinute: number): RouteLimit => ({ perMinute, per: 'key' })
/** One budget for each route: the interface does not say whether the two routes of v2 share one. */
const perAccount: RouteLimit = { perMinute: rateLimits.submissionsPerMinute, per: 'account' }

/**
 * The whole interface (interface: "Endpoints"), ordered by version. If it states a limit on a GET of v3 only, the
 * POST has the same limit; the run poll has that of the job poll.
 */
export const routes = {
  readEntityV1: {
    ...read,
    path: '/v1/entities/{entity_id}',
    summary: 'The record of a company; built on first demand',
    params: entityParams,
    replies: { 200: entityReplyV1 },
    errors: [400, 401, 404, 500, 504],
  },
  readDomainV1: {
    ...read,
    path: '/v1/domain-intelligence',
    summary: 'The company of a domain, and facts about the domain',
    query: domainBody,
    replies: { 200: domainReplyV1 },
    errors: [400, 401, 500, 504],
  },
  readHierarchy: {
    ...read,
    path: '/v1/entity/{entity_id}/hierarchy',
    summary: 'The ownership of a company, from the last research',
    params: entityParams,
    replies: { 200: hierarchyReply },
    errors: [400, 401, 500],
  },
  readUltimateParent: {
    ...read,
    path: '/v1/entity/{entity_id}/ultimate-parent',
    summary: 'The ultimate parent of a company, from the last research',
    params: entityParams,
    replies: { 200: hierarchyReply },
    errors: [400, 401, 500],
  },
  requestHierarchy: {
    ...change,
    path: '/v1/entity/{entity_id}/hierarchy',
    summary: 'Start research of the ownership of a company',
    params: entityParams,
    // The interface shows no payload: none is required, and any body is ignored.
    body: z.unknown(),
    replies: { 200: hierarchyReply, 202: hierarchyReply },
    errors: [400, 401, 500],
  },
  report: {
    ...change,
    path: '/v1/entity-resolution/report',
    summary: 'Feedback about an answer',
    body: reportBody,
    replies: { 202: reportReply },
    errors: [400, 401, 500],
  },
  mcp: {
    ...change,
    path: '/v1/mcp',
    summary: 'Model Context Protocol: one tool, search_legal_entities',
    body: mcpMessage,
    replies: { 200: mcpReply, 202: mcpAccepted },
    errors: [400, 401, 403, 500],
  },
  search: {
    ...read,
    path: '/v2/search',
    summary: 'Instant search of registrations and companies',
    query: searchQuery,
    replies: { 200: searchReply },
    errors: [400, 401, 500],
  },
  streamResolution: {
    ...read,
    path: '/v2/entity-resolution/stream',
    summary: 'Resolve a company; the connection is held until the research has ended',
    query: resolutionQueryV2,
    replies: { 200: resultV2 },
    // The interface does not list 402 and 429: the route is billed, and a key may open a limited number of streams.
    errors: [400, 401, 402, 429, 500, 502],
    isBilled: true,
  },
  submitResolution: {
    ...read,
    path: '/v2/entity-resolution/async',
    summary: 'Start to resolve a company; billed on submission, not idempotent',
    query: resolutionQueryV2,
    replies: { 202: jobAcceptedV2 },
    errors: [400, 401, 402, 403, 429, 500, 503, 504],
    limit: perAccount,
    isBilled: true,
  },
  pollResolution: {
    ...read,
    path: '/v2/entity-resolution/status/{request_id}',
    summary: 'The state and the result of a submission; free',
    // A malformed id is answered with 500 here, which a schema cannot express: the handler checks it.
    params: z.object({ request_id: z.union([requestId, z.string()]) }),
    replies: { 200: jobStatusV2, 202: jobStatusV2 },
    errors: [400, 401, 404, 429, 500, 504],
    limit: perAccount,
  },
  kickoffRun: {
    ...change,
    path: '/v3/entity-resolution/async',
    summary: 'Start to resolve a company as a run; billed, not idempotent',
    body: kickoffBody,
    replies: { 202: runAccepted },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(rateLimits.submissionsPerMinute),
    isBilled: true,
  },
  kickoffJob: {
    ...read,
    path: '/v3/entity-resolution/async',
    summary: 'Start to resolve a company as a job; billed, not idempotent',
    query: kickoffQuery,
    replies: { 202: jobPending },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(rateLimits.submissionsPerMinute),
    isBilled: true,
  },
  pollJob: {
    ...read,
    path: '/v3/jobs/{job_id}',
    summary: 'The state and the result of a job; free',
    params: z.object({ job_id: jobId }),
    query: pollQuery,
    replies: { 200: jobResult, 202: jobPending },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(rateLimits.pollsPerMinute),
  },
  pollRun: {
    ...read,
    path: '/v3/runs/{run_id}',
    summary: 'The state and the result of a run; free',
    params: z.object({ run_id: runId }),
    query: pollQuery,
    replies: { 200: run, 202: run },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(rateLimits.pollsPerMinute),
  },
  readEntity: {
    ...read,
    path: '/v3/entities/{id}',
    summary: 'The record of a company; built on first demand',
    params: z.object({ id: entityId }),
    query: z.object({ webhook_url: z.string().optional() }),
    replies: { 200: entityReply },
    errors: [400, 401, 404, 429, 500],
    limit: perKey(rateLimits.entityReadsPerMinute),
  },
  readDomain: {
    ...read,
    path: '/v3/domain-intelligence',
    summary: 'The company of a domain, and facts about the domain',
    query: domainBodyV3,
    replies: { 200: domainReply },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(rateLimits.domainReadsPerMinute),
    isBilled: true,
  },
  requestDomain: {
    ...change,
    path: '/v3/domain-intelligence',
    summary: 'The same, with the domain in the body',
    body: domainBodyV3,
    replies: { 200: domainReply },
    errors: [400, 401, 402, 403, 429, 500],
    limit: perKey(rateLimits.domainReadsPerMinute),
    isBilled: true,
  },
} as const satisfies Record<string, Route>
export type RouteName = keyof typeof routes

/** Returns the methods of a route. A GET also accepts HEAD, unless it is billed. */
export function listMethods({ method, isBilled }: Route): ('GET' | 'HEAD' | 'POST')[] {
  return method === 'GET' && isBilled !== true ? ['GET', 'HEAD'] : [method]
}

/** The version is in the path (interface: "Versioning"). */
export type Version = 'v1' | 'v2' | 'v3'

/** Returns the version of a path; paths of neither v1 nor v2 are answered as v3. */
export function parseVersion(path: string): Version {
  const prefix = /^\/(v[12])(?:[/?]|$)/.exec(path)?.[1]
  return prefix === 'v1' || prefix === 'v2' ? prefix : 'v3'
}
