import * as z from 'zod'

/** Every v3 error body. Clients branch on the HTTP status and `type`, never on `message` (interface: "Errors"). */
export const errorBody = z.strictObject({ error: z.strictObject({ type: z.string(), message: z.string() }) })
export type ErrorBody = z.infer<typeof errorBody>

/** The other shapes, of v1 and v2 (interface: "Errors"). */
export const earlierErrorBodies = {
  any: z.strictObject({ error: z.strictObject({ message: z.string(), type: z.string() }) }),
  key: z.strictObject({ message: z.string(), request_id: z.string() }),
  reason: z.strictObject({ error: z.string(), message: z.string() }),
  message: z.strictObject({ message: z.string() }),
  entity: z.strictObject({ message: z.string(), code: z.literal('entity_not_found') }),
} as const

/** Observed v3 types, and those our service uses where the interface shows none (401, 404, 405, 413, 421, 429, 500). */
export const errorTypes = {
  badRequest: 'bad_request',
  unauthorized: 'unauthorized',
  insufficientCredits: 'insufficient_credits',
  noPricingConfigured: 'no_pricing_configured',
  /** A web page of another site called. */
  forbidden: 'forbidden',
  notFound: 'not_found',
  methodNotAllowed: 'method_not_allowed',
  payloadTooLarge: 'payload_too_large',
  /** Called by a name that is not this service's. */
  misdirectedRequest: 'misdirected_request',
  rateLimitExceeded: 'rate_limit_exceeded',
  /** A 429 of the plan: no header of a minute's limit comes with it. */
  monthlyLimitReached: 'monthly_limit_reached',
  apiError: 'api_error',
} as const
