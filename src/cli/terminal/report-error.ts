import { errorStack } from '../../core/error-text.js'
import { UserError, type ExitCode } from '../../core/errors.js'
import { withoutAddressSecrets } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import { commandsAsTyped, type CliIo } from './io.js'

/** Says what went wrong, on standard error and, with --json, as a line on standard output. Returns the exit code. */
export function reportError(thrown: unknown, io: CliIo): ExitCode {
  const error = explainSystemFailure(thrown)
  const wantsJson = io.argv.includes('--json')
  if (error instanceof UserError) {
    const { code, exitCode } = error
    const message = withoutAddressSecrets(error.message)
    const hint =
      error.hint === undefined ? undefined : commandsAsTyped(withoutAddressSecrets(error.hint), io.program)
    if (wantsJson)
      io.out(`${JSON.stringify({ type: 'error', code, message, hint: hint ?? null, exitCode })}\n`)
    io.err(`error ${code}: ${message}\n`)
    if (hint !== undefined) io.err(`  hint: ${hint}\n`)
    return exitCode
  }
  const stack = errorStack(error)
  if (wantsJson) {
    io.out(
      `${JSON.stringify({ type: 'error', code: 'BUG', message: String(error), hint: null, exitCode: 1 })}\n`,
    )
  }
  io.err(`This is a bug in enrich; what was submitted is safe, the same command resumes.\n${stack}\n`)
  return 1
}

/** Says that nothing was begun when the signal came. Returns `exitCode`. */
export function reportInterruption(exitCode: ExitCode, io: CliIo): ExitCode {
  const message = 'interrupted while the input was being read: nothing was submitted'
  if (io.argv.includes('--json'))
    io.out(`${JSON.stringify({ type: 'error', code: 'INTERRUPTED', message, hint: null, exitCode })}\n`)
  io.err(
    `Interrupted while the input was being read: nothing was submitted. The same command starts again.\n`,
  )
  return exitCode
}

/** Said by commands that only look: a run with this checkpoint would stop. */
export function warnOfStanding(problem: UserError | null, io: CliIo): void {
  if (problem === null) return
  io.err(`warning ${problem.code}: ${problem.message}\n`)
  if (problem.hint !== undefined) io.err(`  hint: ${problem.hint}\n`)
}
