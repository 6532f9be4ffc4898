import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import type * as program from '../../src/cli/program.js'
import { completeCommands, findProgramName } from '../../src/cli/terminal/command-io.js'
import { printable } from '../../src/core/text.js'
import type { CommandOrder, CommandResult } from './command-host.js'

// Runs commands of a built program one after another in this process; `command-host.ts` orders them.

const [, , programPath = ''] = process.argv
const ownFolder = process.cwd()
const { runCommand } = (await import(pathToFileURL(programPath).href)) as typeof program

async function run({ folder, environment, args, stdin }: CommandOrder): Promise<CommandResult> {
  process.chdir(folder)
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, environment)
  // As `command-line.ts` does: JSON lines are printed unchanged.
  const program = findProgramName(process.env)
  const words = (text: string) => printable(completeCommands(text, { program, argv: args }))
  const chunks: Buffer[] = []
  let stderr = ''
  const stdout = new PassThrough()
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const code = await runCommand({
    out: (text) => stdout.write(/^[[{]/.test(text) ? printable(text) : words(text)),
    err: (text) => (stderr += words(text)),
    draw: () => undefined,
    isTerminal: false,
    environment: process.env,
    stdin: new PassThrough().end(stdin),
    stdout,
    program,
    argv: args,
    interrupt: new AbortController().signal,
  })
  await finished(stdout.end())
  // A disk that a process is in cannot be unmounted.
  process.chdir(ownFolder)
  return { code, stdoutBytes: Buffer.concat(chunks), stderr }
}

process.on('message', (order: CommandOrder) => {
  void run(order).then((result) => process.send?.(result))
})
