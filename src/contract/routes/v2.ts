import { z } from 'zod'
import { requestId } from '../ids.js'
import { limits } from '../limits.js'
import { jobAcceptedV2, jobStatusV2, resolutionQueryV2, resultV2 } from '../resolution-v2.js'
import { searchQuery, searchReply } from '../search.js'
import type { Route, RouteLimit } from './route.js'

const none = z.object({})
/** One budget each: the text leaves open whether the two routes share theirs. */
const perAccount: RouteLimit = { perMinute: limits.submissionsPerMinute, per: 'account' }

export const routesV2 = {
  search: {
    method: 'GET',
    path: '/v2/search',
    summary: 'Instant search of registrations and companies',
    params: none,
    query: searchQuery,
    body: null,
    replies: { 200: searchReply },
    errors: [400, 401, 500],
    limit: null,
  },
  streamResolution: {
    method: 'GET',
    path: '/v2/entity-resolution/stream',
    summary: 'Resolve a company; the connection is held until the answer is there',
    params: none,
    query: resolutionQueryV2,
    body: null,
    replies: { 200: resultV2 },
    // Beside what the interface lists: it is billed, so credit may run out; and a key holds so many at a time.
    errors: [400, 401, 402, 429, 500, 502],
    limit: null,
    isBilled: true,
  },
  submitResolution: {
    method: 'GET',
    path: '/v2/entity-resolution/async',
    summary: 'Begin to resolve a company; billed on submission, not idempotent',
    params: none,
    query: resolutionQueryV2,
    body: null,
    replies: { 202: jobAcceptedV2 },
    errors: [400, 401, 402, 403, 429, 500, 503, 504],
    limit: perAccount,
    isBilled: true,
  },
  pollResolution: {
    method: 'GET',
    path: '/v2/entity-resolution/status/{request_id}',
    summary: 'What became of a submission; free',
    // A malformed id is answered with 500 here, which no schema can say: the handler judges it.
    params: z.object({ request_id: z.union([requestId, z.string()]) }),
    query: none,
    body: null,
    replies: { 200: jobStatusV2, 202: jobStatusV2 },
    errors: [400, 401, 404, 429, 500, 504],
    limit: perAccount,
  },
} as const satisfies Record<string, Route>
