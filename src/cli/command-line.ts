import { type ExitCode, Interruption } from '../core/errors.js'
import { printable } from '../core/text.js'
import {
  announceStop,
  completeCommands,
  findProgramName,
  isRun,
  type Surroundings,
  reportError,
} from './terminal/command-io.js'
import { canDraw, Screen } from './terminal/screen.js'
import { readFileSync } from 'node:fs'
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
const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const satisfies Record<
  string,
  ExitCode
>

const screen = new Screen(process.stderr)
process.on('exit', () => {
  screen.clear()
})
const interruption = new AbortController()
const survivesHangup = isStartedByNohup()
const interrupted: { by: keyof typeof exitCodeOfSignal | null } = { by: null }
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    const { by } = interrupted
    // The end of a session sends several signals at once: a hangup is neither a second signal, nor followed by one.
    if (signal === 'SIGHUP' && (by !== null || survivesHangup)) return
    // The second signal ends the process immediately: every acknowledged answer is on disk.
    if (by !== null && by !== 'SIGHUP') process.exit(exitCodeOfSignal[signal])
    interrupted.by = signal
    if (by !== null) return
    announceStop(io)
    stopCommand(exitCodeOfSignal[signal])
  })
}

/**
 * Whether the process was started to survive its terminal. Node.js forgets that a signal was ignored, so it is read from
 * the shell's variable, from the input that nohup opens for writing only, or from the parent.
 */
function isStartedByNohup(): boolean {
  if (/(^|\/)nohup$/.test(process.env['_'] ?? '')) return true
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? []
    const status = readFileSync(`/proc/${process.ppid}/status`, 'utf8')
    const [, ignored = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? []
    return (Number.parseInt(flags, 8) & 3) === 1 || BigInt(`0x${ignored}`) % 2n === 1n
  } catch {
    return false
  }
}
process.stdin.on('error', () => undefined) // reported by its reader
// A full log disk or a closed log is no reason to stop paid work: the command continues without its messages.
process.stderr.on('error', () => undefined)
process.stdout.on('error', () => {
  // Rows on standard output may be cut off, as by `| head`.
  if (process.stdout.isTTY || io.argv[0] === 'mcp') stopCommand(130)
})

/** Lets the command end in order; what it has stored stays. */
function stopCommand(code: 130 | 143 | 5): void {
  interruption.abort(new Interruption(code))
  // Standard input may never end.
  process.stdin.destroy(interruption.signal.reason as Error)
}

/** Stops the command after text was lost: its reader has ended, or the disk is full. */
async function stopWithoutOutput(error: NodeJS.ErrnoException): Promise<void> {
  const isFirst = !interruption.signal.aborted
  const isCut = error.code === 'EPIPE'
  stopCommand(isCut ? 130 : 5)
  if (isCut || !isFirst) return
  lost.output = true
  // This write may fail after the command has ended.
  if (process.exitCode !== undefined) process.exitCode = toExitCode(process.exitCode as ExitCode)
  const { toWriteError } = await import('../pipeline/output/plain-table.js')
  reportError(toWriteError('standard output', error), io)
}

/** Returns the exit code of a command that ended with `code`: lost output is no success. */
function toExitCode(code: ExitCode): ExitCode {
  if (!lost.output) return code
  // Text of a run on standard output is JSON lines, or its help.
  const lostCode = isRun(io.argv) && io.argv.includes('--json') ? 5 : 2
  return code === 0 || code === 5 ? lostCode : code
}

const lost = { output: false }
const program = findProgramName(process.env)
const io: Surroundings = {
  out: (text) => {
    // JSON lines are printed unchanged.
    const isData = /^[[{]/.test(text)
    const words = isData ? text : completeCommands(text, io)
    if (process.stdout.isTTY)
      screen.print(words, process.stdout, !isData && canDraw(process.stdout, process.env))
    else {
      process.stdout.write(printable(words), (error) => {
        if (error) void stopWithoutOutput(error)
      })
    }
  },
  err: (text) => {
    screen.print(completeCommands(text, io), process.stderr, canDraw(process.stderr, process.env))
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
}

let exitCode: ExitCode
try {
  // Imported inside `try`, so that a too low limit of open files is reported as an error.
  const { runCommand } = await import('./program.js')
  exitCode = await runCommand(io, startIsOver)
} catch (error) {
  exitCode = reportError(error, io)
}
process.exitCode = toExitCode(exitCode)
if (exitCode === 130 && interruption.signal.aborted && interrupted.by === null && !lost.output)
  io.err('Stopped: the reader of this output ended early.\n')
