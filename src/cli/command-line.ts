import { CommanderError } from 'commander'
import { UserError, type ExitCode, Interruption } from '../core/errors.js'
import { printable } from '../core/terminal-text.js'
import {
  commandsAsTyped,
  programName,
  type CliIo,
  reportError,
  reportInterruption,
} from './terminal/command-io.js'
import { canDraw, Screen } from './terminal/screen.js'
import { setFlagsFromString } from 'node:v8'
import { createRequire } from 'node:module'
import { allocatorEnvironment } from '../parquet/duckdb.js'

/** What a command may do to its own process, and an imported module never does to that of others. */
function prepareProcess(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(allocatorEnvironment)) environment[name] ??= value
  // What loads modules runs once: to compile it well costs a sixth of the start. See `startIsOver`.
  setFlagsFromString('--no-opt')
  if (globalThis.gc === undefined) exposeGc()
}

/** To be called before the work begins: from then on V8 compiles well what runs often. */
function startIsOver(): void {
  setFlagsFromString('--opt')
}

/** The first call makes it: that takes a context of its own, which most commands never need. */
function exposeGc(): void {
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

// The only file that ends the process.
const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitCode>

const screen = new Screen(process.stderr)
process.on('exit', () => {
  screen.clear()
})
const interruption = new AbortController()
const interrupted: { by: keyof typeof exitCodeOfSignal | null } = { by: null }
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The second one leaves at once: everything acknowledged is on disk already.
    if (interrupted.by !== null) process.exit(exitCodeOfSignal[signal])
    interrupted.by = signal
    io.err('\nStopping: finishing in-flight requests. Once more to leave at once.\n')
    interruption.abort(new Interruption(exitCodeOfSignal[signal]))
    // Standard input may never end by itself; files are not read through it.
    process.stdin.destroy(interruption.signal.reason as Error)
  })
}
// A reader of our output that goes away (`| head`) is no error of ours.
process.stdin.on('error', () => undefined) // reported by its reader
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(interrupted.by === null ? 0 : exitCodeOfSignal[interrupted.by])
    throw error
  })
}

let exitCode: ExitCode = 0
const program = programName(process.env)
const io: CliIo = {
  out: (text) => {
    // What is for programs stays as it is.
    const isData = /^[[{]/.test(text)
    const words = isData ? text : commandsAsTyped(text, program)
    if (process.stdout.isTTY)
      screen.words(words, process.stdout, !isData && canDraw(process.stdout, process.env))
    else process.stdout.write(printable(words))
  },
  err: (text) => {
    screen.words(commandsAsTyped(text, program), process.stderr, canDraw(process.stderr, process.env))
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
  // Loaded here: where too few files may be open to load all of it, that is said.
  const { createProgram } = await import('./program.js')
  const commands = await createProgram(io, io.argv)
  startIsOver()
  await commands.parseAsync(process.argv)
} catch (error) {
  exitCode = endOf(error)
}
process.exitCode = exitCode === 130 && interrupted.by !== null ? exitCodeOfSignal[interrupted.by] : exitCode

function endOf(error: unknown): ExitCode {
  if (interrupted.by !== null && (isAbort(error) || (error instanceof UserError && isAbort(error.cause))))
    return reportInterruption(exitCodeOfSignal[interrupted.by], io)
  if (error instanceof CommanderError) {
    // Help and version end with 0; anything else is a mistake in the arguments.
    if (error.exitCode === 0) return 0
    // A command of commands that was named alone: its help would go where errors do not.
    const message =
      error.code === 'commander.help'
        ? 'a command is missing'
        : withoutValues(error.message.replace(/^error: /, ''))
    const hint = message.startsWith("unknown option '--dry-run'")
      ? 'enrich plan says what a run would ask and cost, and submits nothing'
      : 'enrich --help lists the commands; with --help after it, each lists its flags'
    return reportError(new UserError('USAGE_INVALID', message, { hint }), io)
  }
  return reportError(error, io)
}

/** People pass keys to flags that do not exist (`--api-key=…`): of an unknown flag, the name is repeated alone. */
function withoutValues(message: string): string {
  return message.replace(/^(unknown option '[^'=]*=).*(?=')/s, '$1…')
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
