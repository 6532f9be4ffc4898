import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { CommandHost } from './command-host.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const mainPath = join(root, 'dist/cli/main.js')
export const fixture = (name: string) => join(root, 'fixtures', name)

/** The API key of every run and service here; wherever it is seen again, a secret has leaked. */
export const canary = 'canary-7f3a9c-never-to-be-seen'

/** Of the surroundings: an ENRICH_ variable of the developer must not steer a test. The cache saves a third of a start. */
export const surroundings = {
  PATH: process.env['PATH'] ?? '',
  XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
}

interface CliResult {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stdoutBytes: Buffer
  readonly stderr: string
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Its whole standard input; null leaves it open. */
  readonly stdin?: Buffer | string | null
  /** What Node.js is started by, and its own flags: `['/usr/bin/time', '-v']`. */
  readonly wrapper?: readonly string[]
  readonly nodeFlags?: readonly string[]
}

/** A command line that goes on. */
export interface RunningCli {
  readonly child: ChildProcess
  readonly ended: Promise<CliResult>
  /** Resolves with the match once standard error holds it; rejects if the process ends before. */
  sees(pattern: RegExp): Promise<RegExpExecArray>
}

/**
 * A temporary folder to run the real command line in, removed when the test ends. Temporary files go beside
 * it, so that those left behind are seen.
 */
export interface CliPlace {
  readonly folder: string
  readonly temporaryFolder: string
  path(name: string): string
  write(name: string, content: string | Buffer): string
  read(name: string): string
  /** Names in the folder, sorted; `.enrich`, where commands keep what they know, is left out. */
  names(): string[]
  /** Names in a folder of it; none where there is no such folder. */
  namesIn(name: string): string[]
  /** Paths of files that only a running command needs: logs of SQLite, copies of inputs, temporary files. */
  listSideFiles(): string[]
  /**
   * Runs a command to its end, in a process that runs one after another (see `CommandHost`). In a process of its own if
   * the options name something of a process, and at the same time as another command.
   */
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>
  /** In a process of its own. */
  start(args: readonly string[], options?: CliOptions): RunningCli
}

/** Tests that run at the same time pass the hook of their own context. */
export function createPlace(whenFinished: typeof onTestFinished = onTestFinished): CliPlace {
  if (!existsSync(mainPath)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const base = mkdtempSync(join(tmpdir(), 'enrich-cli-'))
  const folder = join(base, 'work')
  const temporaryFolder = join(base, 'tmp')
  mkdirSync(folder)
  mkdirSync(temporaryFolder)
  const children: ChildProcess[] = []
  whenFinished(() => {
    for (const child of children) child.kill('SIGKILL')
    assertNoCanary(base)
    rmSync(base, { recursive: true, force: true })
  })
  const path = (name: string) => join(folder, name)
  const start = (args: readonly string[], options: CliOptions = {}) => {
    const running = startCli(args, options, folder, temporaryFolder)
    children.push(running.child)
    return running
  }
  return {
    folder,
    temporaryFolder,
    path,
    write: (name, content) => {
      writeFileSync(path(name), content)
      return path(name)
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    names: () =>
      readdirSync(folder)
        .filter((name) => name !== '.enrich')
        .sort(),
    listSideFiles: () =>
      readdirSync(base, { recursive: true, encoding: 'utf8' })
        .filter((name) => /(-wal|-shm|-journal|\.reserve|\.spool)$|^tmp\/(?!node-compile-cache)/.test(name))
        .sort(),
    namesIn: (name) => (existsSync(path(name)) ? readdirSync(path(name)).sort() : []),
    start,
    run: async (args, options = {}) =>
      (await runInHost(args, options, folder, temporaryFolder)) ?? start(args, options).ended,
  }
}

const host = new CommandHost(join(root, 'dist/cli/program.js'))

const environmentOf = (options: CliOptions, temporaryFolder: string) => ({
  ...surroundings,
  TMPDIR: temporaryFolder,
  ENRICH_API_KEY: canary,
  ...options.env,
})

async function runInHost(
  args: readonly string[],
  options: CliOptions,
  folder: string,
  temporaryFolder: string,
): Promise<CliResult | null> {
  const { wrapper, nodeFlags, stdin = '' } = options
  const environment = environmentOf(options, temporaryFolder)
  // Node.js reads its own variables when it starts.
  const isOfProcess = Object.keys(environment).some((name) => /^(NODE|SSL|OPENSSL|UV)_/.test(name))
  if (isOfProcess || wrapper !== undefined || nodeFlags !== undefined || stdin === null) return null
  const result = await host.run({ folder, environment, args, stdin })
  if (result === null) return null
  return assertNoKey({ ...result, stdout: result.stdoutBytes.toString('utf8') })
}

function assertNoKey(result: CliResult): CliResult {
  if (result.stdout.includes(canary) || result.stderr.includes(canary))
    throw new Error('the API key was printed')
  return result
}

function startCli(
  args: readonly string[],
  options: CliOptions,
  cwd: string,
  temporaryFolder: string,
): RunningCli {
  const [command = process.execPath, ...rest] = [
    ...(options.wrapper ?? []),
    process.execPath,
    ...(options.nodeFlags ?? []),
    mainPath,
    ...args,
  ]
  const child = spawn(command, rest, {
    cwd,
    env: environmentOf(options, temporaryFolder),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  let stderr = ''
  let watch = (): void => undefined
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
    watch()
  })
  // A command that does not read it may end before all of it is written.
  child.stdin.on('error', () => undefined)
  if (options.stdin !== null) child.stdin.end(options.stdin ?? '')
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const stdoutBytes = Buffer.concat(out)
      const stdout = stdoutBytes.toString('utf8')
      resolve({ code, stdout, stdoutBytes, stderr })
    })
  })
  const checked = ended.then(assertNoKey)
  checked.catch(() => undefined)
  const sees = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      watch = () => {
        const match = pattern.exec(stderr)
        if (match) resolve(match)
      }
      watch()
      void ended.then(() => {
        reject(new Error(`ended without ${String(pattern)}:\n${stderr}`))
      }, reject)
    })
  return { child, ended: checked, sees }
}

function assertNoCanary(folder: string): void {
  // Not `recursive`, which follows links since Node.js 22.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) assertNoCanary(path)
    else if (entry.isFile() && readFileSync(path).includes(canary))
      throw new Error(`the API key stands in ${path}`)
  }
}

/** A config for tests against a service on this machine: nothing waits that need not. */
export const quickConfig = {
  limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
  polling: { firstAfterSeconds: 0, intervalSeconds: 0.05, deadlineMinutes: 5 },
}

export function writeConfig(place: CliPlace, config: object = quickConfig): void {
  place.write('pipeline.config.json', JSON.stringify(config))
}

/** The flags and variables that point a run at a service. */
export const at = (service: { readonly baseUrl: string }): CliOptions => ({
  env: { ENRICH_BASE_URL: service.baseUrl },
})

/** `company_name,city` with a line a name. */
export function companiesCsv(names: readonly string[]): string {
  return `company_name,city\n${names.map((name) => `${name},Lyon\n`).join('')}`
}
