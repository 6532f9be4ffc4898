import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { UserError, type ErrorCode, type ExitCode, getErrorStack } from '../../core/errors.js'
import { redactArguments, omittedText, redactAddresses } from '../../core/local-path.js'
import type { StatusLine } from './screen.js'
import { createConnectors, type Connectors } from '../../connectors/connectors.js'
import { createTemporaryFolder } from '../../platform/files.js'
import { explainFailure } from '../../platform/system-limits.js'
import { html, renderPage } from '../../web/html.js'

/** Streams, arguments and environment of a command. */
export interface Surroundings {
  /** Writes results to standard output: text, or JSON lines. */
  out(text: string): void
  /** Writes progress, notices and errors to standard error. */
  err(text: string): void
  /** Redraws the status line below the output. Terminals only. */
  draw(line: StatusLine): void
  /** Whether `draw` may be called. */
  readonly isTerminal: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: NodeJS.WritableStream
  /** The program as the user calls it: `enrich`, or npx with it. */
  readonly program: string
  /** Arguments as typed, used to print the command that resumes. */
  readonly argv: readonly string[]
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly interrupt: AbortSignal
}

export interface CliIo extends Surroundings {
  /** Sets the exit code for an end without an error; the default is 0. */
  setExitCode(code: ExitCode): void
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
export function waitForInterrupt({ interrupt }: CliIo): Promise<void> {
  return new Promise((resolve) => {
    if (interrupt.aborted) resolve()
    interrupt.addEventListener('abort', () => {
      resolve()
    })
  })
}

export function assertOneUseOfStdout(wantsJson: boolean, outputPath: string | undefined): void {
  if (!wantsJson || outputPath !== '-') return
  throw new UserError('USAGE_INVALID', '--json and -o - both write to standard output', {
    hint: 'write the output to a file',
  })
}

/** Creates a stream for rows on standard output; drops rows, with a note, once its reader has ended. */
export function createRowStream(io: CliIo): Writable {
  let isClosed = false
  return new Writable({
    write(chunk: Buffer, _, done) {
      if (isClosed) {
        done()
        return
      }
      io.stdout.write(chunk, (error?: NodeJS.ErrnoException | null) => {
        isClosed = error?.code === 'EPIPE'
        if (isClosed)
          io.err('  note: the reader of standard output ended early; the other rows were not written\n')
        done(isClosed ? null : error)
      })
    },
  })
}

/** The command line to type again, without secrets. */
export function formatCommandLine({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  return [program, ...redactArguments(argv).map(quote)].join(' ')
}

export function quote(argument: string): string {
  return /^[A-Za-z0-9_./:=@%+,…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}

/** Width of help: that of the terminal, at most 100 columns; 80 without a terminal. */
export const getHelpWidth = (): number => Math.min(process.stdout.columns || 80, 100)

/** Minimum width of the wrapped text in the second column. */
export const wrappedColumnsLeast = 20

/** Formats terms in two columns: the names, and their texts with hanging indent. */
export function formatTermList(
  title: string,
  terms: readonly (readonly [name: string, text: string])[],
): string {
  const nameColumns = Math.max(...terms.map(([name]) => name.length))
  const indent = ' '.repeat(nameColumns + 4)
  // A terminal that is too narrow for two columns wraps the lines itself, like commander's list of flags.
  const columnCount = getHelpWidth() - indent.length < wrappedColumnsLeast ? Infinity : getHelpWidth()
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

/** Formats a line of `--json` output: one object with its `type`. */
export function formatJsonLine(type: string, value: object): string {
  return `${JSON.stringify({ type, ...value })}\n`
}

/** The names of all commands; a test compares them with the program. */
export const commandNames = [
  'run',
  'plan',
  'show',
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
  'mcp',
  'registry',
  'checkpoint',
  'reconcile',
  'init',
  'completion',
  'doctor',
]

/**
 * The program as the user can call it again. Under npx, `enrich` may not be on the path, and a bare `npx enrich` in
 * another folder could download an unrelated package.
 */
export function findProgramName(environment: Readonly<Record<string, string | undefined>>): string {
  const isOfNpx =
    environment['npm_command'] === 'exec' && /^'?enrich\b/.test(environment['npm_lifecycle_script'] ?? '')
  return isOfNpx ? 'npx --no-install enrich' : 'enrich'
}

const ofCommand = new RegExp(
  `(?<![\\w./@-]|no-install )enrich(?= (?:(?:COMMAND|${commandNames.join('|')})\\b|--?[a-z]|[^\\n();]{1,400}? -o ))`,
  'g',
)

/** Commands on a checkpoint; `migrate` names its own. */
const onCheckpoint =
  /(?<![\w./@-])enrich (?:checkpoint (?:verify|repair|compact)|status|runs|diff|report|reconcile)\b(?![^\n;()]* (?:--checkpoint|--config|-c)\b)/g

/** Adds to commands of a text the checkpoint and the config file that were typed, and replaces `enrich` by the program. */
export function completeCommands(text: string, { program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  const typed = argv.flatMap((argument, at) => {
    const [flag = '', value = argv[at + 1] ?? ''] = argument.split(/=(.*)/s, 2)
    const isShown = /^(?:--checkpoint|--config|-c)$/.test(flag) && redactAddresses(value) === value
    return isShown ? [`${flag} ${quote(value)}`] : []
  })
  const whole =
    typed.length === 0 ? text : text.replace(onCheckpoint, `$& ${typed.join(' ').replaceAll('$', '$$$$')}`)
  return program === 'enrich' ? whole : whole.replace(ofCommand, program)
}

/** The command line to record: without values of secret flags, and with only the scheme and host of URLs. */
export function formatRecordedCommand({ program, argv }: Pick<CliIo, 'program' | 'argv'>): string {
  const shown = redactArguments(argv, ['--webhook-url']).map((argument) =>
    argument.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?([^/?#]*)(.*)/is, keepHostOnly),
  )
  return formatCommandLine({ program, argv: shown })
}

function keepHostOnly(
  _: string,
  scheme: string,
  user: string | undefined,
  host: string,
  rest: string,
): string {
  return `${scheme}${user === undefined ? '' : `${omittedText}@`}${host}${/^\/*$/.test(rest) ? '' : `/${omittedText}`}`
}

/** The line of an error with `--json`, in place of the last line of a command. */
export interface ErrorLine {
  readonly type: 'error'
  /** `INTERRUPTED`: stopped before the first submission; `BUG`: an error that is not the user's. */
  readonly code: ErrorCode | 'INTERRUPTED' | 'BUG'
  /** The event, in one sentence. */
  readonly message: string
  /** The remedy, or `null`. */
  readonly hint: string | null
  readonly exitCode: ExitCode
}

const formatErrorLine = (error: Omit<ErrorLine, 'type'>): string =>
  formatJsonLine('error' satisfies ErrorLine['type'], error)

/** Prints an error to standard error and, with --json, as a line to standard output. Returns the exit code. */
export function reportError(thrown: unknown, io: Surroundings): ExitCode {
  const error = explainFailure(thrown)
  const wantsJson = io.argv.includes('--json')
  if (error instanceof UserError) {
    const { code, exitCode } = error
    const message = redactAddresses(error.message)
    const hint = error.hint === undefined ? undefined : completeCommands(redactAddresses(error.hint), io)
    if (wantsJson) io.out(formatErrorLine({ code, message, hint: hint ?? null, exitCode }))
    io.err(`error ${code}: ${message}\n`)
    if (hint !== undefined) io.err(`  hint: ${hint}\n`)
    return exitCode
  }
  const stack = getErrorStack(error)
  if (wantsJson) io.out(formatErrorLine({ code: 'BUG', message: String(error), hint: null, exitCode: 1 }))
  const saved = isRun(io.argv) ? ' All submitted lookups are recorded; the same command resumes.' : ''
  io.err(`This is a bug in enrich.${saved}\n${stack}\n`)
  return 1
}

/** A command's first words, its work after the first signal, and the state after a stop without a result. */
type StopText = readonly [command: RegExp, finishing: string, stopped: string]

const stopTexts: readonly StopText[] = [
  [/^(serve|mcp)$/, 'finishing requests in flight', 'nothing is lost'],
  [/^receive$/, 'storing the webhooks that arrived', 'all accepted webhooks are stored'],
  [
    /^review$/,
    'closing the review; verdicts that you gave on its page are saved',
    'no file was written, and no verdict was imported',
  ],
  [
    /^registry (get|refresh|import|load)$/,
    'a register that is not complete leaves the registry unchanged',
    'the registry has only complete registers. The same command continues',
  ],
  [/^(export|diff|collect)$/, 'no output is left incomplete', 'no output was written'],
  [/^(plan|init|doctor)$/, 'nothing is submitted', 'nothing was submitted'],
  [/^(run|retry)$/, 'finishing requests in flight', 'nothing was submitted. The same command starts again'],
]

/** The other commands are short, or cannot stop halfway. */
const otherStopText: StopText = [/^/, 'this command ends when its step is complete', 'nothing was changed']

function findStopText(argv: readonly string[]): StopText {
  const words = getCommand(argv) === 'registry' ? argv.slice(0, 2).join(' ') : getCommand(argv)
  return stopTexts.find(([command]) => command.test(words)) ?? otherStopText
}

const getCommand = ([first = '']: readonly string[]): string => (commandNames.includes(first) ? first : 'run')

/** Whether the command submits lookups. */
export const isRun = (argv: readonly string[]): boolean => /^(run|retry)$/.test(getCommand(argv))

/** Tells what the command finishes after the first signal. */
export function announceStop(io: Pick<Surroundings, 'argv' | 'err'>): void {
  const [, finishing] = findStopText(io.argv)
  io.err(`\nStopping: ${finishing}. Interrupt again to stop immediately.\n`)
}

/** Reports an interruption before the first submission, or of a command that submits nothing. Returns its exit code. */
export function reportInterruption(exitCode: ExitCode, io: Surroundings): ExitCode {
  const [, , stopped] = findStopText(io.argv)
  if (io.argv.includes('--json'))
    io.out(formatErrorLine({ code: 'INTERRUPTED', message: `interrupted: ${stopped}`, hint: null, exitCode }))
  io.err(`Interrupted: ${stopped}.\n`)
  return exitCode === 5 ? 2 : exitCode
}

/** Warns, in commands that only read, of a problem that would stop a run with this checkpoint. */
export function warnOfProblem(problem: UserError | null, io: CliIo): void {
  if (problem === null) return
  io.err(`warning ${problem.code}: ${problem.message}\n`)
  if (problem.hint !== undefined) io.err(`  hint: ${problem.hint}\n`)
}

/** Access to tables and objects for a command that is no run. */
export const createCommandConnectors = (io: CliIo): Connectors =>
  createConnectors({
    environment: io.environment,
    signal: io.interrupt,
    notice: (text) => {
      io.err(`  note: ${text}\n`)
    },
  })

const folderPrefix = 'enrich-review-'

/** Returns the platform's command that opens a file in the user's browser. */
function getOpenerCommand(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open']
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}

/**
 * Opens an address that contains a secret in the user's browser. Every user of the machine can read the arguments of a
 * process, so the browser opens a file that only this user can read, and that redirects to the address. Returns a
 * function that removes the file. Without a browser nothing happens. Throws a system error if no folder is writable.
 */
export function openSecretAddress(url: string, platform: NodeJS.Platform = process.platform): () => void {
  const folder = createPrivateFolder()
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
  }
  const path = join(folder, 'open.html')
  try {
    writeFileSync(path, redirectPage(url), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    remove()
    throw error
  }
  const [command, ...args] = getOpenerCommand(platform)
  const child = spawn(command, [...args, path], { shell: false, stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  return remove
}

/**
 * Creates a folder in the home folder, without a leading dot: browsers installed as a snap or a flatpak can read neither
 * hidden folders nor the temporary folder. Without a home folder, the temporary folder is used.
 */
function createPrivateFolder(): string {
  try {
    return createTemporaryFolder(homedir(), folderPrefix)
  } catch {
    return createTemporaryFolder(tmpdir(), folderPrefix)
  }
}

const redirectPage = (url: string): string =>
  renderPage({
    title: 'Opening the review page',
    head: html`<meta name="color-scheme" content="light dark" />
      <meta http-equiv="refresh" content="0; url=${url}" />`,
    body: html`<body>
      <p><a href="${url}">Open the review page</a></p>
    </body>`,
  })
