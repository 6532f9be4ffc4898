import { errorText } from '../../core/error-text.js'
import { UserError, type ErrorCode } from '../../core/errors.js'
import { withoutAddressSecrets } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { PageError } from '../page-data.js'

export interface ErrorReply {
  readonly status: number
  readonly body: PageError
}

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  REVIEW_REQUEST_INVALID: 400,
  REVIEW_ACCESS_REFUSED: 403,
  REVIEW_LOOKUP_UNKNOWN: 404,
  REVIEW_CHOICE_INVALID: 422,
  REVIEW_CHECKPOINT_CHANGED: 410,
  DISK_FULL: 507,
}

export function errorReply(code: ErrorCode, status: number, message: string, hint?: string): ErrorReply {
  return { status, body: { error: { code, message, hint: hint ?? null } } }
}

/** What an error says to the page; null for a bug, of which it learns nothing. */
export function replyOfError(thrown: unknown): ErrorReply | null {
  const error = explainSystemFailure(thrown)
  if (error instanceof UserError) {
    const { code, hint } = error
    const said = hint === undefined ? undefined : withoutAddressSecrets(hint)
    return errorReply(code, statusOfCode[code] ?? 500, withoutAddressSecrets(errorText(error)), said)
  }
  const status = statusOfRequest(error)
  if (status === null) return null
  return errorReply('REVIEW_REQUEST_INVALID', status, messageOf(status), 'load the page again')
}

/** Of what the framework refuses before it comes to a route: a body that is too large, or no JSON. */
function statusOfRequest(error: unknown): number | null {
  const { statusCode: status } = (error ?? {}) as { statusCode?: unknown }
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

function messageOf(status: number): string {
  if (status === 413) return 'the request is too large'
  if (status === 415) return 'only JSON is taken'
  return 'the request cannot be read'
}
