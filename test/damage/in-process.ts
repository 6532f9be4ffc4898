import { PassThrough } from 'node:stream'
import { UserError } from '../../src/core/errors.js'
import { type CliIo, reportError } from '../../src/cli/terminal/command-io.js'
import { createProgram } from '../../src/cli/program.js'
import { apiKey, type Ended } from './states.js'

/** The same command without a process of its own: a tenth of the time, and one at a time. */
export async function enrichInProcess(folder: string, url: string, args: readonly string[]): Promise<Ended> {
  const ended: Ended = { code: 0, stdout: '', stderr: '' }
  const io: CliIo = {
    out: (text) => (ended.stdout += text),
    err: (text) => (ended.stderr += text),
    draw: () => undefined,
    isTerminal: false,
    program: 'enrich',
    environment: { ENRICH_BASE_URL: url, ENRICH_API_KEY: apiKey },
    stdin: new PassThrough().end(),
    stdout: new PassThrough().resume(),
    argv: args,
    interrupt: new AbortController().signal,
    setExitCode: (code) => {
      ended.code = code
    },
  }
  const back = process.cwd()
  process.chdir(folder)
  try {
    const program = await createProgram(io, args)
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    ended.code = reportError(error, io)
    if (!(error instanceof UserError)) ended.stderr += String((error as Error).stack)
  } finally {
    process.chdir(back)
  }
  return ended
}
