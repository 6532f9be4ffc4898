import { calculateDistance } from './word-forms.js'
import { checkpointErrors } from './error-codes/checkpoint.js'
import { commandErrors } from './error-codes/commands.js'
import { tableErrors } from './error-codes/inputs-and-outputs.js'
import { serviceErrors } from './error-codes/services.js'

/**
 * Every error code that a user can see, with its meaning and what to do; one file for each subject. `exitCode` defaults
 * to 2, which states that nothing was submitted.
 */
export const errorTable = {
  ...commandErrors,
  ...tableErrors,
  ...checkpointErrors,
  ...serviceErrors,
} as const

interface ExitEntry {
  /** Text of `--help`. */
  readonly meaning?: string
  /** Text of the manual; defaults to `meaning`. */
  readonly manual?: string
}

export const exitCodes = {
  0: {
    meaning: 'success; a run also answered every lookup: none is failed, refused, uncertain or pending',
  },
  1: { meaning: 'a bug in enrich', manual: 'a bug in enrich; the stack trace is printed' },
  2: { meaning: 'usage, config, input or output error; nothing was submitted' },
  3: {
    meaning: 'output written, but some rows failed, were refused by the service, are uncertain or pending',
    manual:
      'of a run: output written, but some rows failed, were refused by the service, are uncertain or pending; of `reconcile`: some entries need your attention',
  },
  4: {
    meaning: 'the service refused the key or the account (401, 403)',
    manual:
      'the service refused the key or the account (401, 403), or a database or an object store refused access',
  },
  5: {
    meaning:
      'the service could not be reached, or an error stopped the run after submissions; the same command resumes',
    manual:
      'the service could not be reached, or an error stopped the run after submissions (the input changed, the disk is full); the same command resumes',
  },
  6: {
    meaning: 'output written, and a condition of --fail-on is met',
  },
  7: {
    meaning: 'the input may be read wrongly; nothing was submitted (see --accept-doubtful-input)',
    manual:
      'the input may be read wrongly, and the run would be billed; nothing was submitted, see `--accept-doubtful-input`',
  },
  8: {
    meaning: 'stopped by budget or credit; the same command resumes',
    manual:
      "stopped by budget or credit (--max-lookups, --max-cost, 402, a plan's limit); the same command resumes, a partition only with a larger budget",
  },
  10: { meaning: '--max-duration reached; the same command resumes' },
  11: { meaning: "the checkpoint, or the service's data, is in use by another process" },
  130: {
    meaning: 'interrupted (143 by SIGTERM); the same command resumes',
    manual: 'interrupted (SIGINT); the same command resumes',
  },
  /** `--help` lists it with 130. */
  143: { manual: 'terminated (SIGTERM, SIGHUP); the same command resumes' },
} as const satisfies Record<number, ExitEntry>
/** Exit code of a command. */
export type ExitCode = keyof typeof exitCodes

/** The rule for a code that is not in `exitCodes`. */
export const otherExitCodes = 'a later version may add codes: do not retry, and notify an operator, as for 1'

/** Code of an error; the reference of errors has the meaning of each. */
export type ErrorCode = keyof typeof errorTable

interface ErrorEntry {
  readonly exitCode?: ExitCode
  readonly meaning: string
  readonly remedy: string
}

const table: Readonly<Record<ErrorCode, ErrorEntry>> = errorTable

/** Exit code of each error if nothing was submitted before it. */
export const errorCodes = Object.fromEntries(
  Object.entries(table).map(([code, { exitCode = 2 }]) => [code, exitCode]),
) as { readonly [Code in ErrorCode]: (typeof errorTable)[Code] extends { exitCode: infer Exit } ? Exit : 2 }

/** An error to show to the user: code, message, hint and cause. Any other thrown error is a bug. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly hint: string | undefined
  #isAfterSubmissions = false

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.hint = options.hint
  }

  /**
   * @internal Marks the error as raised after submissions: exit code 5 instead of 2, since 2 means that nothing was
   * submitted.
   */
  markAfterSubmissions(): this {
    this.#isAfterSubmissions = true
    return this
  }

  get exitCode(): ExitCode {
    const exitCode = errorCodes[this.code]
    return exitCode === 2 && this.#isAfterSubmissions ? 5 : exitCode
  }
}

/** Returns the error with `hint` before its hint. Any other value, or a null hint, leaves it unchanged. */
export function withHintFirst(error: unknown, hint: string | null): unknown {
  if (hint === null || !(error instanceof UserError)) return error
  const hints = error.hint === undefined ? [hint] : [hint, error.hint]
  return new UserError(error.code, error.message, { hint: hints.join('; '), cause: error.cause })
}

/** The error for a checkpoint that does not exist. `runCommand`: the command that creates it. */
export const createNoCheckpointError = (
  path: string,
  runCommand = 'enrich companies.csv -o out.parquet',
): UserError =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: `check --checkpoint and the current folder. A run creates a checkpoint: ${runCommand}`,
  })

/** Exit code of an interrupted run: 130, 143 after SIGTERM and SIGHUP, or 5 after standard output could not be written. */
type InterruptionCode = 130 | 143 | 5

/** Abort reason of an interrupted run. */
export class Interruption extends Error {
  override readonly name = 'AbortError'

  constructor(readonly exitCode: InterruptionCode) {
    super('This operation was aborted')
  }
}

/** Returns the exit code for an abort reason; 130 if the caller gave another reason. */
export const getInterruptionCode = (reason: unknown): InterruptionCode =>
  reason instanceof Interruption ? reason.exitCode : 130

/** Ends an exhaustive switch: a new member of a union does not compile until it is handled. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}

/** Returns the message of a thrown value, which need not be an Error. */
export function getErrorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the stack of a thrown value, for logs and bug reports. */
export function getErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** A serialized error; a structured clone would lose its code, hint and class. */
export interface SentError {
  readonly message: string
  readonly stack: string | undefined
  readonly code: unknown
  readonly hint: string | undefined
}

export function sendError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  const { code = null } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return { message, stack, code, hint: error instanceof UserError ? error.hint : undefined }
}

export function receiveError({ message, stack, code, hint }: SentError): Error {
  const error =
    typeof code === 'string' && code in errorCodes
      ? new UserError(code as ErrorCode, message, hint === undefined ? {} : { hint })
      : Object.assign(new Error(message), code === null ? {} : { code })
  if (stack !== undefined) error.stack = stack
  return error
}

/** The start of a hint, `did you mean lei? `: the known word nearest to a typed one; `''` if a third of it is wrong. */
export function suggestNearest(typed: string, known: readonly string[]): string {
  const word = typed.toLowerCase()
  if (word === '') return ''
  const typosMax = Math.min(2, Math.ceil(word.length / 3))
  const ranked = known
    .map((name) => ({ name, typos: calculateDistance(word, name.toLowerCase(), typosMax) }))
    .sort((one, other) => one.typos - other.typos)
  return ranked[0] === undefined || ranked[0].typos > typosMax ? '' : `did you mean ${ranked[0].name}? `
}
