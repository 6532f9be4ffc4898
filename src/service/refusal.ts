import { errorTypes, type ErrorBody } from '../contract/errors.js'

/** A request answered with an error status. Not a bug: nothing is logged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const badRequest = (message: string): Refusal => new Refusal(400, errorTypes.badRequest, message)

export const unauthorized = (): Refusal =>
  new Refusal(401, errorTypes.unauthorized, 'the apikey header is missing, or no key of this service')

export const insufficientCredits = (): Refusal =>
  new Refusal(402, errorTypes.insufficientCredits, 'the credit balance is exhausted; nothing was charged')

export const notEnabled = (): Refusal =>
  new Refusal(403, errorTypes.noPricingConfigured, 'v3 is not enabled for this account')

/** One answer for an unknown id and for another account's: the two must not be told apart. */
export const notFound = (kind: 'run' | 'job' | 'entity' | 'route'): Refusal =>
  new Refusal(404, errorTypes.notFound, `no such ${kind}`)

export const methodNotAllowed = (allowed: readonly string[]): Refusal =>
  new Refusal(405, errorTypes.methodNotAllowed, `this route takes ${allowed.join(' and ')}`, {
    allow: allowed.join(', '),
  })

export const rateLimitExceeded = (resetSeconds: number): Refusal =>
  new Refusal(429, errorTypes.rateLimitExceeded, `the limit a minute is reached; reset in ${resetSeconds} s`)

/** Says nothing of the cause: a stack, a path or a statement is for the log. */
export const internalError = (): Refusal => new Refusal(500, errorTypes.apiError, 'internal error')

/** The v3 shape (interface: "Errors"). */
export function v3ErrorBody(refusal: Refusal): ErrorBody {
  return { error: { type: refusal.type, message: refusal.message } }
}
