import { UserError, type ExitCode, errorStack } from '../../core/errors.js'
import { withoutSecretArguments, leftOut } from '../../core/secret.js'
import type { DrawnLine } from './screen.js'
import { withoutAddressSecrets } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'

/** Where a command writes, and what the process hands it. */
export interface CliIo {
  /** What the command is for: text for people or JSON lines for programs. */
  out(text: string): void
  /** Progress, notices, errors. */
  err(text: string): void
  /** On a terminal alone: one line below all words, drawn anew each time; the next words take its place. */
  draw(line: DrawnLine): void
  /** Whether `draw` may be called. */
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  /** What this command line is called by here: `enrich`, or npx with it. */
  readonly program: string
  /** Arguments as typed, to say which command resumes. */
  readonly argv: readonly string[]
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly interrupt: AbortSignal
  /** What the process ends with when nothing is thrown; 0 unless said otherwise. */
  setExitCode(code: ExitCode): void
}

/** Resolves at the first SIGINT or SIGTERM: what a command that stands waits for. */
export function interrupted({ interrupt }: CliIo): Promise<void> {
  return new Promise((resolve) => {
    if (interrupt.aborted) resolve()
    interrupt.addEventListener('abort', () => {
      resolve()
    })
  })
}

export function assertOneUseOfStdout(wantsJson: boolean, outputPath: string | undefined): void {
  if (!wantsJson || outputPath !== '-') return
  throw new UserError('USAGE_INVALID', '--json and -o - both want standard output', {
    hint: 'write the output to a file',
  })
}

/** `enrich …` as it would be typed again, without what may be a secret. */
export function commandLine({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  return [program, ...withoutSecretArguments(argv).map(quote)].join(' ')
}

export function quote(argument: string): string {
  return /^[A-Za-z0-9_./:=@%+,…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}

/** As wide as the terminal, as far as lines can be read well; 80 columns without one. */
export const helpColumns = (): number => Math.min(process.stdout.columns || 80, 100)

/** Texts beside names are not wrapped to less. */
export const wrappedColumnsLeast = 20

/** For helps: each name and beside it its text, on lines that begin under its first word. */
export function termList(title: string, terms: readonly (readonly [name: string, text: string])[]): string {
  const nameColumns = Math.max(...terms.map(([name]) => name.length))
  const indent = ' '.repeat(nameColumns + 4)
  // Too narrow for two columns: left to the terminal's own layout, as the list of flags is.
  const columnCount = helpColumns() - indent.length < wrappedColumnsLeast ? Infinity : helpColumns()
  const lines = terms.map(([name, text]) => {
    const wrapped: string[] = []
    for (const word of text.split(' ')) {
      const line = wrapped.at(-1)
      if (line === undefined || line.length + 1 + word.length > columnCount) wrapped.push(`${indent}${word}`)
      else wrapped[wrapped.length - 1] = `${line} ${word}`
    }
    return `  ${name.padEnd(nameColumns)}  ${wrapped.join('\n').trimStart()}`
  })
  return [title, ...lines].join('\n')
}

/** What a command tells a program with `--json`: one object a line, each with its `type`; errors are such lines too. */
export function jsonLine(type: string, value: object): string {
  return `${JSON.stringify({ type, ...value })}\n`
}

/** The first words of commands; a test compares them with the program's. */
export const commandNames = [
  'run',
  'plan',
  'status',
  'runs',
  'collect',
  'export',
  'diff',
  'report',
  'review',
  'retry',
  'serve',
  'accounts',
  'api',
  'receive',
  'registry',
  'checkpoint',
  'reconcile',
  'init',
  'completion',
  'doctor',
]

/**
 * How this command is called again from where it was called. Under npx nothing called `enrich` need be on the path;
 * and a bare `npx enrich`, typed where it is not installed, would fetch a stranger's package.
 */
export function programName(environment: Readonly<Record<string, string | undefined>>): string {
  const isOfNpx =
    environment['npm_command'] === 'exec' && /^'?enrich\b/.test(environment['npm_lifecycle_script'] ?? '')
  return isOfNpx ? 'npx --no-install enrich' : 'enrich'
}

const ofCommand = new RegExp(
  `(?<![\\w./@-]|no-install )enrich(?= (?:(?:${commandNames.join('|')})\\b|--?[a-z]|[^\\n();]{1,400}? -o ))`,
  'g',
)

/** Commands in a text for people, as they would be typed here. */
export function commandsAsTyped(text: string, program: string): string {
  return program === 'enrich' ? text : text.replace(ofCommand, program)
}

/**
 * The command as it was typed, to be kept: without the value of a flag that may hold a secret, and of an address no more
 * than its scheme and host, where people put keys before or behind.
 */
export function recordedCommand({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  const shown = withoutSecretArguments(argv, ['--webhook-url']).map((argument) =>
    argument.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)/is, hostOnly),
  )
  return commandLine({ program, argv: shown })
}

function hostOnly(_: string, scheme: string, user: string | undefined, host: string, rest: string): string {
  return `${scheme}${user === undefined ? '' : `${leftOut}@`}${host}${/^\/*$/.test(rest) ? '' : `/${leftOut}`}`
}

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
