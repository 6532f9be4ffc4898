import { errorText } from '../core/error-text.js'
import { UserError } from '../core/errors.js'
import { interruptionCode } from '../core/interruption.js'
import { explainSystemFailure } from '../platform/system-limits.js'
import type { OpenRun } from './deps.js'

/** Of a bug: what was thrown may hold anything, and is shown where it happens. */
const unforeseen = { code: 'UNFORESEEN', message: 'the run ended by a bug; its process said which' }

/** A run that ends by an error, or is interrupted before it asks, is remembered as such. */
export async function recordingFailure<Result>(run: OpenRun, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const error = explainSystemFailure(thrown)
    const { interrupt } = run.deps
    const isInterrupted = interrupt.aborted && error === interrupt.reason
    run.history.note({
      error: isInterrupted
        ? { code: 'INTERRUPTED', message: 'interrupted' }
        : error instanceof UserError
          ? { code: error.code, message: errorText(error) }
          : unforeseen,
      timeline: run.timeline.points(),
    })
    const ownCode = error instanceof UserError ? error.exitCode : 1
    await run.history.end(isInterrupted ? interruptionCode(interrupt.reason) : ownCode)
    throw error
  }
}
