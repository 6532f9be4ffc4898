import { z } from 'zod'
import { entityReply } from './entity.js'
import { entityId, jobId, runId } from './ids.js'
import { limits } from './limits.js'
import { jobPending, kickoffBody, kickoffQuery, pollQuery, runAccepted, runObject } from './resolution.js'
import { jobResult } from './result.js'

const none = z.object({})

/**
 * A route as a value: the service mounts it, the client calls it, the tests walk it.
 * `path` holds `{placeholders}`; `errors` are the statuses that may come with an error body;
 * `perMinute` is the budget of one key, or null where the interface states none.
 */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly params: z.ZodType
  readonly query: z.ZodType
  readonly body: z.ZodType | null
  readonly replies: Readonly<Record<number, z.ZodType>>
  readonly errors: readonly number[]
  readonly perMinute: number | null
}

/** The v3 part of the interface (interface: "Endpoints"). */
export const routes = {
  kickoffRun: {
    method: 'POST',
    path: '/v3/entity-resolution/async',
    params: none,
    query: none,
    body: kickoffBody,
    replies: { 202: runAccepted },
    errors: [400, 401, 402, 403, 429, 500],
    perMinute: limits.submissionsPerMinute,
  },
  kickoffJob: {
    method: 'GET',
    path: '/v3/entity-resolution/async',
    params: none,
    query: kickoffQuery,
    body: null,
    replies: { 202: jobPending },
    errors: [400, 401, 402, 403, 429, 500],
    perMinute: limits.submissionsPerMinute,
  },
  pollJob: {
    method: 'GET',
    path: '/v3/jobs/{job_id}',
    params: z.object({ job_id: jobId }),
    query: pollQuery,
    body: null,
    replies: { 200: jobResult, 202: jobPending },
    errors: [400, 401, 404, 429, 500],
    perMinute: limits.pollsPerMinute,
  },
  pollRun: {
    method: 'GET',
    path: '/v3/runs/{run_id}',
    params: z.object({ run_id: runId }),
    query: pollQuery,
    body: null,
    replies: { 200: runObject, 202: runObject },
    errors: [400, 401, 404, 429, 500],
    perMinute: limits.pollsPerMinute,
  },
  readEntity: {
    method: 'GET',
    path: '/v3/entities/{id}',
    params: z.object({ id: entityId }),
    query: z.object({ webhook_url: z.string().optional() }),
    body: null,
    replies: { 200: entityReply },
    errors: [400, 401, 404, 429, 500],
    perMinute: limits.entityReadsPerMinute,
  },
} as const satisfies Record<string, Route>
export type RouteName = keyof typeof routes
