import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { Command } from 'commander'
import type { FlagGroup } from '../../config/option.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { assertLocalPath } from '../../core/local-path.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import {
  addConfigFlags,
  findConfigPath,
  readConfig,
  selectArguments,
  type ConfigFlags,
} from '../config-flags.js'
import { resolveFinalPath } from '../../platform/files.js'
import { formatCommandLine, type CliIo } from '../terminal/command-io.js'
import type { SpendingCap } from '../../config/billing.js'

export type CreateProgram = (io: CliIo, typed: readonly string[]) => Promise<Command>

/** A line of the `--json` output of a command. */
export interface JsonLine {
  readonly type: string
  readonly [key: string]: unknown
}

/** Groups of flags that the settings of a call depend on. */
const settingGroups: readonly FlagGroup[] = [
  'config',
  'input',
  'output',
  'checkpoint',
  'decisions',
  'service',
  'asking',
]

/** Arguments of a tool that select the input. */
export interface InputArguments {
  readonly files?: readonly string[] | undefined
  readonly name_column?: string | undefined
  readonly location_columns?: readonly string[] | undefined
  readonly sheet?: string | undefined
  readonly no_header?: boolean | undefined
  readonly limit?: number | undefined
}

export interface WorkspaceDeps {
  readonly io: CliIo
  readonly createProgram: CreateProgram
  /** The current folder, without links. */
  readonly root: string
  /** Flags of the server that its commands get too. */
  readonly flags: readonly string[]
  readonly cap: SpendingCap
  readonly allowsRun: boolean
  /** Whether runs start without a question to the user. */
  readonly skipsQuestions: boolean
}

/** The folder of an assistant: checks its paths, and runs commands of enrich in it. */
export class Workspace {
  readonly #config: string | null

  /** Remembers the config: a later change needs a new start, because the user approved the present one. */
  constructor(readonly deps: WorkspaceDeps) {
    this.#config = this.#readConfigText()
  }

  /** Arguments of a command that select its input, and the server's flags of these groups. Throws PATH_*, INPUT_*. */
  toWords(input: InputArguments, groups: readonly FlagGroup[] = settingGroups): string[] {
    const {
      files = [],
      name_column: name,
      location_columns: location,
      sheet,
      no_header: isHeaderless,
      limit,
    } = input
    return [
      ...files.map((file) => this.#resolveInput(file)),
      ...selectArguments(this.deps.flags, groups),
      ...(name === undefined ? [] : [`--name-column=${name}`]),
      ...(location === undefined ? [] : [`--location-columns=${location.join(',')}`]),
      ...(sheet === undefined ? [] : [`--sheet=${sheet}`]),
      ...(isHeaderless === true ? ['--no-header'] : []),
      ...(limit === undefined ? [] : ['--limit', String(limit)]),
    ]
  }

  resolveOutput(path: string): string {
    return resolveBelow(this.deps.root, path)
  }

  /** Settings of a command with these arguments. Throws CONFIG_*, PATH_* and USAGE_INVALID. */
  readSettings(words: readonly string[]): Settings {
    if (this.#readConfigText() !== this.#config) {
      throw new UserError('CONFIG_CHANGED', 'the config changed after the server started', {
        hint: 'check the change, and start the server again',
      })
    }
    const command = addConfigFlags(new Command().argument('[inputs...]'), settingGroups).exitOverride()
    command.configureOutput({ writeErr: () => undefined }).parse([...words], { from: 'user' })
    const { environment } = this.deps.io
    const settings = resolveSettings(readConfig(command.args, command.opts(), environment), environment)
    this.#assertBelow(settings)
    return settings
  }

  /** Runs a command in this process. Throws what the command throws; its notices go to standard error. */
  async run(words: readonly string[], signal: AbortSignal, onLine: (line: JsonLine) => void): Promise<void> {
    const end = words.indexOf('--')
    const argv = words.toSpliced(end === -1 ? words.length : end, 0, '--json')
    const io: CliIo = {
      ...this.deps.io,
      argv,
      isTerminal: false,
      interrupt: signal,
      stdin: Readable.from([]),
      stdout: new PassThrough(),
      out: (text) => {
        for (const line of text.split('\n')) if (line !== '') onLine(JSON.parse(line) as JsonLine)
      },
      setExitCode: () => undefined,
    }
    const program = await this.deps.createProgram(io, argv)
    await program.parseAsync(argv, { from: 'user' })
  }

  /** Returns the lines that a command prints. */
  async collect(words: readonly string[], signal: AbortSignal, linesMax = Infinity): Promise<JsonLine[]> {
    const lines: JsonLine[] = []
    await this.run(words, signal, (line) => {
      // The last line has the counts.
      if (lines.length > linesMax) lines.pop()
      lines.push(line)
    })
    return lines
  }

  /** The command for a terminal. */
  formatCommand(words: readonly string[]): { readonly folder: string; readonly command: string } {
    const { io, root } = this.deps
    return { folder: root, command: formatCommandLine({ program: io.program, argv: words }) }
  }

  /** An existing file, because any other path would be read as a pattern. */
  #resolveInput(path: string): string {
    const below = resolveBelow(this.deps.root, path)
    if (existsSync(below)) return below
    throw new UserError('INPUT_NOT_FOUND', `there is no file ${path}`, {
      hint: `paths are relative to ${this.deps.root}; name each file, patterns are not expanded`,
    })
  }

  /** Paths of the config are checked like those of an assistant, except for the files that enrich itself keeps. */
  #assertBelow({ input, output, metricsPath, checkpoint }: Settings): void {
    for (const path of input.paths ?? []) this.#resolveInput(path)
    const others = [input.query, output.path, output.changes, output.report, metricsPath]
    for (const path of others) if (path) this.resolveOutput(path)
    if (!isPostgresUrl(checkpoint.path)) return
    throw new UserError('PATH_IS_ADDRESS', 'the checkpoint of enrich mcp must be a file', {
      hint: 'set --checkpoint to a file; a checkpoint on PostgreSQL is for commands on a terminal',
    })
  }

  #readConfigText(): string | null {
    const [, config] = selectArguments(this.deps.flags, ['config'])
    const flags: ConfigFlags = config === undefined ? {} : { config }
    const path = findConfigPath(flags)
    return path !== null && existsSync(path) ? readFileSync(path, 'utf8') : null
  }
}

/** Resolves a path and its links to one relative to `root`. Throws PATH_IS_ADDRESS and PATH_OUTSIDE_ROOT. */
export function resolveBelow(root: string, path: string): string {
  assertLocalPath(path, 'file')
  if (path === '-') throw createOutsideError('standard input and output', 'they carry the protocol')
  if (path.includes('\0')) throw createOutsideError('a path with a NUL character', 'no file has such a name')
  const below = relative(root, resolveFinalPath(resolve(root, path)))
  const names = below.split(sep)
  if (names[0] === '..' || isAbsolute(below)) throw createOutsideError(path, 'it leads out of the folder')
  if (below === '') throw createOutsideError(path, 'it is the folder itself')
  if (names.some((name) => name.startsWith('.')))
    throw createOutsideError(path, 'files and folders whose names begin with a dot are hidden')
  // A file name must not be read as a flag or as an address.
  return /^-|^[a-z0-9+.-]+:/i.test(below) ? `.${sep}${below}` : below
}

const createOutsideError = (path: string, why: string): UserError =>
  new UserError('PATH_OUTSIDE_ROOT', `an assistant cannot use ${path}: ${why}`, {
    hint: 'name a file below the folder of --root; links must stay in it too',
  })
