import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { tellSkipped } from './skipped.js'

/** A block of code of the page, as it is shown. */
export interface ShownCode {
  readonly label: string
  readonly code: string
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const plain = (html: string) =>
  html.replace(/<[^>]+>/g, '').replace(/&#?\w+;/g, (entity) => entities[entity] ?? entity)

export function codeOf(page: string): ShownCode[] {
  return [...page.matchAll(/<pre [^>]*aria-label="([^"]*)"><code>([^]*?)<\/code><\/pre>/g)].map(
    ([, label = '', code = '']) => ({ label: plain(label), code: plain(code) }),
  )
}

/** Whether a program is on this machine; says loudly that what needs it is not run where it is not. */
export function hasProgram(name: string): boolean {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
  if (!isThere) tellSkipped(`${name} is not on this machine, so samples that need it are not run`)
  return isThere
}

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

export function start(command: readonly [string, ...string[]], environment: Environment): ChildProcess {
  const [program, ...args] = command
  return spawn(program, args, { env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe' })
}

/** Runs a program to its end, with this on its standard input. */
export function run(
  command: readonly [string, ...string[]],
  environment: Environment,
  input: Uint8Array | string = '',
): Promise<Ended> {
  const child = start(command, environment)
  const out: string[] = []
  const err: string[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk.toString()))
  // What ends early does not read all of it.
  child.stdin?.on('error', () => undefined).end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      resolve({ status, stdout: out.join(''), stderr: err.join('') })
    })
  })
}
