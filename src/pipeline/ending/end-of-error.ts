import { UserError, interruptionCode } from '../../core/errors.js'
import { withoutAddressSecrets } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { RunEnd } from '../rules/run-end.js'

type EndByError = Pick<RunEnd, 'exitCode'> & { readonly failure: NonNullable<RunEnd['failure']> }

/** What a run ends with that what was thrown has ended, and what is said of it to others. */
export function endOfError(thrown: unknown, interrupt: AbortSignal): EndByError {
  const error = explainSystemFailure(thrown)
  if (interrupt.aborted && (isAbort(error) || (error instanceof UserError && isAbort(error.cause)))) {
    const exitCode = interruptionCode(interrupt.reason)
    return { exitCode, failure: { code: 'INTERRUPTED', message: 'interrupted' } }
  }
  if (error instanceof UserError) {
    const { code, exitCode, message } = error
    return { exitCode, failure: { code, message: withoutAddressSecrets(message) } }
  }
  // What was thrown may hold anything, and is shown where it happens.
  const message = 'the run ended by a bug; its process said which'
  return { exitCode: 1, failure: { code: 'UNFORESEEN', message } }
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
