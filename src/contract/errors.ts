import * as z from 'zod'

/** Every v3 error body. Clients branch on the HTTP status and `type`, never on `message` (interface: "Errors"). */
export const errorBody = z.strictObject({ error: z.strictObject({ type: z.string(), message: z.string() }) })
export type ErrorBody = z.infer<typeof errorBody>

/** The error bodies of v1 and v2 (interface: "Errors"). */
export const earlierErrorBodies = {
  any: z.strictObject({ error: z.strictObject({ message: z.string(), type: z.string() }) }),
  key: z.strictObject({ message: z.string(), request_id: z.string() }),
  reason: z.strictObject({ error: z.string(), message: z.string() }),
  message: z.strictObject({ message: z.string() }),
  entity: z.strictObject({ message: z.string(), code: z.literal('entity_not_found') }),
} as const

/** Observed v3 types, and our own for statuses whose type the interface does not show. */
export const errorTypes = {
  badRequest: 'bad_request',
  unauthorized: 'unauthorized',
  insufficientCredits: 'insufficient_credits',
  noPricingConfigured: 'no_pricing_configured',
  /** A request from a web page of another site. */
  forbidden: 'forbidden',
  notFound: 'not_found',
  methodNotAllowed: 'method_not_allowed',
  payloadTooLarge: 'payload_too_large',
  /** The host name of the request is not this service's. */
  misdirectedRequest: 'misdirected_request',
  rateLimitExceeded: 'rate_limit_exceeded',
  /** A 429 of the plan, sent without the headers of the per-minute limit. */
  monthlyLimitReached: 'monthly_limit_reached',
  apiError: 'api_error',
} as const
