import { Command, CommanderError } from 'commander'
import { isAddress } from '../connectors/connectors.js'
import { version } from '../platform/native-package.js'
import { describeOption, findTyped, furtherHelp, suggestChoice, suggestOption } from './run-help.js'
import {
  getHelpWidth,
  formatTermList,
  wrappedColumnsLeast,
  type CliIo,
  reportError,
  reportInterruption,
  type Surroundings,
} from './terminal/command-io.js'
import { UserError, type ExitCode, getInterruptionCode } from '../core/errors.js'
import { assertLocalPath, type PathUse } from '../core/local-path.js'

interface ListedCommand {
  readonly words: string
  readonly description: string
  /** Heading under which `--help` names the command. Without one, `--help` shows the description. */
  readonly group?: 'Runs' | 'Checkpoint' | 'Registry' | 'Service' | 'Setup'
  readonly isDefault?: boolean
  /** Imports the function that adds flags and action. */
  readonly load: () => Promise<(command: Command, io: CliIo) => void>
}

/** All commands, in the order of `--help`. The module of a command is imported when it is called. */
const listedCommands: readonly ListedCommand[] = [
  {
    words: 'run [inputs...]',
    description: 'enrich files (default command); run it again to resume',
    isDefault: true,
    load: async () => (await import('./commands/run.js')).fillRunCommand,
  },
  {
    words: 'plan [inputs...]',
    description: 'show rows, distinct lookups, cost and time of a run; submits nothing, writes nothing',
    load: async () => (await import('./commands/plan.js')).fillPlanCommand,
  },
  {
    words: 'show <file>',
    description: 'show rows of a file or table, one row with its sources, and counts by status',
    load: async () => (await import('./commands/show.js')).fillShowCommand,
  },
  {
    words: 'status',
    description: 'show the state of the checkpoint and the next steps',
    load: async () => (await import('./commands/status.js')).fillStatusCommand,
  },
  {
    words: 'runs',
    group: 'Runs',
    description: 'list the runs, the newest first; no network, writes nothing',
    load: async () => (await import('./commands/runs.js')).fillRunsCommand,
  },
  {
    words: 'collect',
    group: 'Checkpoint',
    description: 'check that all partitions of a job are published; write the manifest, and one file with -o',
    load: async () => (await import('./commands/collect.js')).fillCollectCommand,
  },
  {
    words: 'export [inputs...]',
    group: 'Runs',
    description: 'write the answers so far; submits nothing',
    load: async () => (await import('./commands/export.js')).fillExportCommand,
  },
  {
    words: 'diff [runs]',
    group: 'Runs',
    description:
      'show the changes between two outputs of one input: 12, 12..15, or the last two that were compared',
    load: async () => (await import('./commands/diff.js')).fillDiffCommand,
  },
  {
    words: 'report [run]',
    group: 'Runs',
    description: 'write a report of a run as one HTML file; no network',
    load: async () => (await import('./commands/report.js')).fillReportCommand,
  },
  {
    words: 'review [inputs...]',
    description: 'decide doubtful rows on a local page; the decisions go to a file for your team',
    load: async () => (await import('./commands/review.js')).fillReviewCommand,
  },
  {
    words: 'checkpoint',
    group: 'Checkpoint',
    description: 'verify, repair, compact or move the checkpoint',
    load: async () => (await import('./commands/checkpoint.js')).fillCheckpointCommand,
  },
  {
    words: 'reconcile <ledger>',
    group: 'Checkpoint',
    description: "settle uncertain and lost submissions with the service's list of charges; no network",
    load: async () => (await import('./commands/reconcile.js')).fillReconcileCommand,
  },
  {
    words: 'retry [inputs...]',
    group: 'Runs',
    description: 'submit lookups with these outcomes again; a hosted service bills each again',
    load: async () => (await import('./commands/run.js')).fillRetryCommand,
  },
  {
    words: 'serve',
    group: 'Service',
    description: 'serve the interface from your registry; the key is ENRICH_SERVE_API_KEY',
    load: async () => (await import('./commands/serve.js')).fillServeCommand,
  },
  {
    words: 'accounts',
    group: 'Service',
    description: 'manage the accounts of "enrich serve": keys, credit, limits, signing secrets',
    load: async () => (await import('./commands/accounts.js')).fillAccountsCommand,
  },
  {
    words: 'api <method> <path>',
    group: 'Service',
    description: 'call one route of the interface, like api GET /v2/search --query name=Siemens',
    load: async () => (await import('./commands/api.js')).fillApiCommand,
  },
  {
    words: 'receive',
    group: 'Service',
    description: 'receive webhooks for runs; the secret is ENRICH_WEBHOOK_SECRET',
    load: async () => (await import('./commands/receive.js')).fillReceiveCommand,
  },
  {
    words: 'mcp',
    group: 'Service',
    description: 'serve tools for assistants (Model Context Protocol) over standard input and output',
    load: async () => {
      const { fillMcpCommand } = await import('./commands/mcp.js')
      return (command, io) => {
        fillMcpCommand(command, io, createProgram)
      }
    },
  },
  {
    words: 'registry',
    group: 'Registry',
    description: 'load, show, search and evaluate a registry',
    load: async () => (await import('./commands/registry.js')).fillRegistryCommand,
  },
  {
    words: 'init <file>',
    description: 'inspect a file, show five enriched rows and write the config; nothing is billed',
    load: async () => (await import('./commands/init.js')).fillInitCommand,
  },
  {
    words: 'completion <shell>',
    group: 'Setup',
    description: 'print a script for bash, zsh or fish that completes commands and flags',
    load: async () => (await import('./commands/completion.js')).fillCompletionCommand,
  },
  {
    words: 'doctor [inputs...]',
    group: 'Setup',
    description:
      'check config, key, base URL, registry, checkpoint, webhooks and input columns; nothing is submitted',
    load: async () => (await import('./commands/doctor.js')).fillDoctorCommand,
  },
]

/**
 * Builds the command line. Loads the flags and actions of the commands named in `typed`, or of all commands if it is
 * `null`. Invalid arguments are thrown; commander does not print them.
 */
export async function createProgram(io: CliIo, typed: readonly string[] | null = null): Promise<Command> {
  const program = new Command('enrich')
    .description('Turns a file of company names into a file of companies.')
    .usage('companies.csv -o out.parquet [flags]  |  <command> …')
    .version(version)
    .exitOverride()
    .configureHelp({ minWidthToWrap: wrappedColumnsLeast, optionDescription: describeOption })
    .configureOutput({
      getOutHelpWidth: getHelpWidth,
      writeOut: (text) => {
        io.out(text)
      },
      // Errors are also thrown, and reported with their code.
      writeErr: () => undefined,
    })
  program.hook('preAction', (_, command) => {
    assertLocalArguments(command)
  })
  for (const listed of listedCommands) await addCommand(program, listed, io, typed)
  // Set after the commands, which would inherit it.
  return program.configureHelp({ formatHelp: () => formatOverview(program) })
}

/**
 * Runs the command of `surroundings.argv`, prints its result or error, and returns its exit code. Ends no process and
 * reads no other arguments. `beforeAction` is called when the modules of the command are loaded.
 */
export async function runCommand(
  surroundings: Surroundings,
  beforeAction: () => void = () => undefined,
): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const io: CliIo = {
    ...surroundings,
    setExitCode: (code) => {
      exitCode = code
    },
  }
  const signal = io.interrupt
  let program: Command | undefined
  try {
    program = await createProgram(io, io.argv)
    beforeAction()
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    const isStopped =
      signal.aborted && (isAbort(error) || (error instanceof UserError && isAbort(error.cause)))
    if (isStopped) exitCode = reportInterruption(getInterruptionCode(signal.reason), io)
    else if (error instanceof CommanderError) exitCode = reportUse(error, io, program)
    else exitCode = reportError(error, io)
  }
  return exitCode === 130 ? getInterruptionCode(signal.reason) : exitCode
}

/** Reports a mistake in the arguments; help and version end with 0. */
function reportUse(error: CommanderError, io: CliIo, program: Command | undefined): ExitCode {
  if (error.exitCode === 0) return 0
  const isGroupAlone = error.code === 'commander.help'
  const message = isGroupAlone
    ? 'a command is missing'
    : removeFlagValues(error.message.replace(/^error: /, ''))
  const option = suggestOption(message, program, io.argv)
  // The library's own suggestion goes by spelling.
  const text = option === null ? message : (message.split('\n')[0] ?? message)
  const code = reportError(
    new UserError('USAGE_INVALID', text, { hint: option ?? suggestHelp(message, io.argv) }),
    io,
  )
  if (isGroupAlone && program !== undefined) io.err(formatGroup(program, io.argv))
  return code
}

/** Removes the value of an unknown flag, which may be a secret (`--api-key=…`). */
function removeFlagValues(message: string): string {
  return message.replace(/^(unknown option '[^'=]*=).*(?=')/s, '$1…')
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function suggestHelp(message: string, argv: readonly string[]): string {
  if (message.startsWith("unknown option '--dry-run'"))
    return 'enrich plan is the dry run: it shows the lookups and the cost of a run, and submits nothing'
  if (message.startsWith('unknown command') && argv[0] === 'registry')
    return 'enrich registry --help lists its commands; to remove a source, load the others into a new registry (docs/manual/registers.md)'
  return `${suggestChoice(message)}enrich --help lists the commands, enrich COMMAND --help the flags of a command`
}

/** The help of the program: common commands with their descriptions, and the names of the others. */
function formatOverview(program: Command): string {
  const common = listedCommands.flatMap(({ words, description, group }) =>
    group === undefined ? [[words, description] as const] : [],
  )
  const others = new Map<string, string[]>()
  for (const { words, group } of listedCommands) {
    if (group === undefined) continue
    others.set(group, [...(others.get(group) ?? []), words.split(' ', 1)[0] ?? ''])
  }
  return `${[
    `Usage: enrich ${program.usage()}`,
    program.description(),
    formatTermList('Common commands:', common),
    formatTermList(
      'Other commands:',
      [...others].map(([group, names]) => [group, names.join(', ')]),
    ),
    formatTermList('More help:', furtherHelp),
  ].join('\n\n')}\n`
}

/** Formats the commands of the group that `argv` names (`enrich registry`); empty text if it names none. */
function formatGroup(program: Command, argv: readonly string[]): string {
  const group = findTyped(program, argv)
  if (group === program || group.commands.length === 0) return ''
  const title = `Commands of enrich ${group.name()}:`
  return `\n${formatTermList(
    title,
    group.commands.map((command) => [command.name(), command.description()]),
  )}\n`
}

async function addCommand(
  program: Command,
  { words, description, isDefault = false, load }: ListedCommand,
  io: CliIo,
  typed: readonly string[] | null,
): Promise<void> {
  const command = program.command(words, { isDefault }).description(description)
  // A completion script contains all commands.
  const isWhole = typed === null || typed[0] === 'completion'
  if (isDefault || isWhole || typed.includes(command.name())) (await load())(command, io)
}

/** Placeholders and arguments that are paths. */
const pathWord = /[<[](?:path|file|folder)[>\]]/
const argumentNames = ['inputs', 'file', 'files', 'paths', 'folder', 'queries', 'ledger']
const useOfFlag: Readonly<Record<string, PathUse>> = {
  output: 'output',
  checkpoint: 'checkpoint',
  registry: 'registry',
  errors: 'output',
  report: 'report',
  export: 'output',
  import: 'input',
}

/** Commands that read rows of a job, or write rows: from and to tables and objects too. */
const remoteCommands: ReadonlySet<string> = new Set([
  'run',
  'retry',
  'plan',
  'show',
  'init',
  'doctor',
  'export',
  'diff',
  'review',
])
const remoteNames: ReadonlySet<string> = new Set(['output', 'changes', 'inputs', 'file'])

/** Throws if an argument or flag has an address and takes only a local path. */
function assertLocalArguments(command: Command): void {
  const mayBeRemote = (name: string, value: string) =>
    remoteCommands.has(command.name()) && remoteNames.has(name) && isAddress(value)
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    const name = option.attributeName()
    if (typeof value === 'string' && pathWord.test(option.flags) && !mayBeRemote(name, value))
      assertLocalPath(value, useOfFlag[name] ?? 'file')
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (!argumentNames.includes(argument.name())) continue
    for (const value of [command.processedArgs[index]].flat())
      if (typeof value === 'string' && !mayBeRemote(argument.name(), value)) assertLocalPath(value, 'input')
  }
}
