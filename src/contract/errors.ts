import { z } from 'zod'

/** Every v3 error body. Clients branch on the HTTP status and `type`, never on `message` (interface: "Errors"). */
export const errorBody = z.strictObject({ error: z.strictObject({ type: z.string(), message: z.string() }) })
export type ErrorBody = z.infer<typeof errorBody>

/** Observed v3 types, and those our service uses where the interface shows none (401, 404, 405, 413, 429, 500). */
export const errorTypes = {
  badRequest: 'bad_request',
  unauthorized: 'unauthorized',
  insufficientCredits: 'insufficient_credits',
  noPricingConfigured: 'no_pricing_configured',
  notFound: 'not_found',
  methodNotAllowed: 'method_not_allowed',
  payloadTooLarge: 'payload_too_large',
  rateLimitExceeded: 'rate_limit_exceeded',
  /** A 429 of the plan: no header of a minute's limit comes with it. */
  monthlyLimitReached: 'monthly_limit_reached',
  apiError: 'api_error',
} as const
