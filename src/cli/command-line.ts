import { CommanderError } from 'commander'
import { UserError, type ExitCode, getInterruptionCode, Interruption } from '../core/errors.js'
import { printable } from '../core/text.js'
import {
  replaceProgramName,
  findProgramName,
  type CliIo,
  reportError,
  reportInterruption,
} from './terminal/command-io.js'
import { canDraw, Screen } from './terminal/screen.js'
import { setFlagsFromString } from 'node:v8'
import { createRequire } from 'node:module'
import { allocatorEnvironment } from '../parquet/duckdb.js'

/** Settings of this process, which modules that are imported as a library must not change. */
function prepareProcess(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(allocatorEnvironment)) environment[name] ??= value
  // Code that loads modules runs once; optimizing it takes a sixth of the start-up time. See `startIsOver`.
  setFlagsFromString('--no-opt')
  if (globalThis.gc === undefined) defineLazyGc()
}

/** Enables V8's optimizing compiler for the work of the command. */
function startIsOver(): void {
  setFlagsFromString('--opt')
}

/** Defines `globalThis.gc`; its context is created by the first call, because most commands never need it. */
function defineLazyGc(): void {
  globalThis.gc = (() => {
    setFlagsFromString('--expose-gc')
    const { runInNewContext } = createRequire(import.meta.url)('node:vm') as {
      runInNewContext: (code: string) => unknown
    }
    const gc = runInNewContext('gc') as NodeJS.GCFunction
    globalThis.gc = gc
    gc()
  }) as typeof globalThis.gc
}

prepareProcess(process.env)

// No other file ends the process.
const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitCode>

const screen = new Screen(process.stderr)
process.on('exit', () => {
  screen.clear()
})
const interruption = new AbortController()
const interrupted: { by: keyof typeof exitCodeOfSignal | null } = { by: null }
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second signal ends the process immediately: every acknowledged answer is on disk.
    if (interrupted.by !== null) process.exit(exitCodeOfSignal[signal])
    interrupted.by = signal
    io.err('\nStopping: finishing requests in flight. Interrupt again to stop immediately.\n')
    stopCommand(exitCodeOfSignal[signal])
  })
}
process.stdin.on('error', () => undefined) // reported by its reader
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    // Rows on standard output may be cut off, as by `| head`. Without the reader of anything else, the command stops.
    if (stream === process.stderr || stream.isTTY || io.argv[0] === 'mcp') stopCommand(130)
  })
}

/** Lets the command end in order; what it has stored stays. */
function stopCommand(code: 130 | 143): void {
  interruption.abort(new Interruption(code))
  // Standard input may never end.
  process.stdin.destroy(interruption.signal.reason as Error)
}

/** Stops the command after text was lost: its reader has ended, or the disk is full. */
async function stopWithoutOutput(error: NodeJS.ErrnoException): Promise<void> {
  const isFirst = !interruption.signal.aborted
  stopCommand(130)
  if (error.code === 'EPIPE' || !isFirst) return
  lost.output = true
  const { toWriteError } = await import('../pipeline/output/output-path.js')
  const code = reportError(toWriteError('standard output', error), io)
  process.exitCode ||= code
}

const lost = { output: false }
/** Lists the commands of the group on the command line; empty text without a group. */
let listCommandsOfGroup: () => string = () => ''
let exitCode: ExitCode = 0
const program = findProgramName(process.env)
const io: CliIo = {
  out: (text) => {
    // JSON lines are printed unchanged.
    const isData = /^[[{]/.test(text)
    const words = isData ? text : replaceProgramName(text, program)
    if (process.stdout.isTTY)
      screen.print(words, process.stdout, !isData && canDraw(process.stdout, process.env))
    else {
      process.stdout.write(printable(words), (error) => {
        if (error) void stopWithoutOutput(error)
      })
    }
  },
  err: (text) => {
    screen.print(replaceProgramName(text, program), process.stderr, canDraw(process.stderr, process.env))
  },
  draw: (line) => {
    screen.draw(line)
  },
  isTerminal: canDraw(process.stderr, process.env),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  program,
  argv: process.argv.slice(2),
  interrupt: interruption.signal,
  setExitCode: (code) => {
    exitCode = code
  },
}

try {
  // Imported inside `try`, so that a too low limit of open files is reported as an error.
  const { createProgram, formatGroup } = await import('./program.js')
  const commands = await createProgram(io, io.argv)
  listCommandsOfGroup = () => formatGroup(commands, io.argv)
  startIsOver()
  await commands.parseAsync(process.argv)
} catch (error) {
  exitCode = reportFailure(error)
}
process.exitCode = exitCode === 130 ? getInterruptionCode(interruption.signal.reason) : exitCode
if (exitCode === 130 && interruption.signal.aborted && interrupted.by === null && !lost.output)
  io.err('Stopped: the reader of this output ended early.\n')

function reportFailure(error: unknown): ExitCode {
  const { signal } = interruption
  if (signal.aborted && (isAbort(error) || (error instanceof UserError && isAbort(error.cause))))
    return reportInterruption(getInterruptionCode(signal.reason), io)
  if (error instanceof CommanderError) {
    // Help and version end with 0; anything else is a mistake in the arguments.
    if (error.exitCode === 0) return 0
    // A group of commands without a command.
    const message =
      error.code === 'commander.help'
        ? 'a command is missing'
        : removeFlagValues(error.message.replace(/^error: /, ''))
    const code = reportError(new UserError('USAGE_INVALID', message, { hint: suggestHelp(message) }), io)
    if (error.code === 'commander.help') io.err(listCommandsOfGroup())
    return code
  }
  return reportError(error, io)
}

/** Removes the value of an unknown flag, which may be a secret (`--api-key=…`). */
function removeFlagValues(message: string): string {
  return message.replace(/^(unknown option '[^'=]*=).*(?=')/s, '$1…')
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function suggestHelp(message: string): string {
  if (message.startsWith("unknown option '--dry-run'"))
    return 'enrich plan is the dry run: it shows the lookups and the cost of a run, and submits nothing'
  if (message.startsWith('unknown command') && io.argv[0] === 'registry')
    return 'enrich registry --help lists its commands; to remove a source, load the others into a new registry (docs/registry.md)'
  return 'enrich --help lists the commands, enrich COMMAND --help the flags of a command'
}
