import type { z } from 'zod'

export interface RouteLimit {
  readonly perMinute: number
  /** Who shares the budget: two keys of one account do on some routes (interface: "Limits"). */
  readonly per: 'key' | 'account'
}

/**
 * A route as a value: the service mounts it, the client calls it, the tests walk it, the OpenAPI document
 * prints it. `path` holds `{placeholders}`; `errors` are the statuses that may come with an error body;
 * `limit` is null where the interface states none.
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

/** HEAD is answered wherever GET is, except where it would be billed: it is taken to cost and to begin nothing. */
export function methodsOf({ method, isBilled }: Route): ('GET' | 'HEAD' | 'POST')[] {
  return method === 'GET' && isBilled !== true ? ['GET', 'HEAD'] : [method]
}

/** The version is carried in the path (interface: "Versioning"). */
export type Version = 'v1' | 'v2' | 'v3'

/** The version a path speaks; whatever is neither v1 nor v2 is answered as v3. */
export function versionOf(path: string): Version {
  const prefix = /^\/(v[12])(?:[/?]|$)/.exec(path)?.[1]
  return prefix === 'v1' || prefix === 'v2' ? prefix : 'v3'
}
