import { Command } from 'commander'
import { environmentVariables } from '../config/options.js'
import { exitCodes } from '../core/errors.js'
import { version } from '../platform/installed-package.js'
import { helpColumns, termList, wrappedColumnsLeast, type CliIo } from './terminal/command-io.js'
import { assertLocalPath, type PathUse } from '../core/local-path.js'

interface ListedCommand {
  readonly words: string
  readonly description: string
  /** Of commands: it has no flags of its own. */
  readonly isGroup?: boolean
  readonly isDefault?: boolean
  /** Gives it its flags and what it does. */
  readonly load: () => Promise<(command: Command, io: CliIo) => void>
}

/** The commands as `--help` lists them; what one of them needs is loaded when it is called. */
const listedCommands: readonly ListedCommand[] = [
  {
    words: 'run [inputs...]',
    description: 'enrich files (default command); run it again to resume',
    isDefault: true,
    load: async () => (await import('./commands/run.js')).fillRunCommand,
  },
  {
    words: 'plan [inputs...]',
    description: 'show rows, distinct lookups, cost and time of a run; no network, writes nothing',
    load: async () => (await import('./commands/plan.js')).fillPlanCommand,
  },
  {
    words: 'status',
    description: 'show the state of the checkpoint and the next steps',
    load: async () => (await import('./commands/status.js')).fillStatusCommand,
  },
  {
    words: 'runs',
    description: 'list the runs, the newest first; no network, writes nothing',
    load: async () => (await import('./commands/runs.js')).fillRunsCommand,
  },
  {
    words: 'collect',
    description: 'check that all partitions of a job are published; write the manifest, and one file with -o',
    load: async () => (await import('./commands/collect.js')).fillCollectCommand,
  },
  {
    words: 'export [inputs...]',
    description: 'write the answers so far; no network',
    load: async () => (await import('./commands/export.js')).fillExportCommand,
  },
  {
    words: 'diff [runs]',
    description: 'show the changes between two outputs of one input: 12, 12..15, or the last two; no network',
    load: async () => (await import('./commands/diff.js')).fillDiffCommand,
  },
  {
    words: 'report [run]',
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
    description: 'verify, repair, compact or move the checkpoint',
    isGroup: true,
    load: async () => (await import('./commands/checkpoint.js')).fillCheckpointCommand,
  },
  {
    words: 'reconcile <ledger>',
    description: "settle uncertain and lost submissions with the service's list of charges; no network",
    load: async () => (await import('./commands/reconcile.js')).fillReconcileCommand,
  },
  {
    words: 'retry [inputs...]',
    description: 'submit lookups with these outcomes again; a hosted service bills each again',
    load: async () => (await import('./commands/run.js')).fillRetryCommand,
  },
  {
    words: 'serve',
    description: 'serve the interface from your registry; the key is ENRICH_SERVE_API_KEY',
    load: async () => (await import('./commands/serve.js')).fillServeCommand,
  },
  {
    words: 'accounts',
    description: 'manage the accounts of "enrich serve": keys, credit, limits, signing secrets',
    isGroup: true,
    load: async () => (await import('./commands/accounts.js')).fillAccountsCommand,
  },
  {
    words: 'api <method> <path>',
    description: 'call one route of the interface, like api GET /v2/search --query name=Siemens',
    load: async () => (await import('./commands/api.js')).fillApiCommand,
  },
  {
    words: 'receive',
    description: 'receive webhooks for runs; the secret is ENRICH_WEBHOOK_SECRET',
    load: async () => (await import('./commands/receive.js')).fillReceiveCommand,
  },
  {
    words: 'registry',
    description: 'load, show, search and evaluate a registry',
    isGroup: true,
    load: async () => (await import('./commands/registry.js')).fillRegistryCommand,
  },
  {
    words: 'init <file>',
    description: 'inspect a file, show five enriched rows and write the config; nothing is billed',
    load: async () => (await import('./commands/init.js')).fillInitCommand,
  },
  {
    words: 'completion <shell>',
    description: 'print a script for bash, zsh or fish that completes commands and flags',
    load: async () => (await import('./commands/completion.js')).fillCompletionCommand,
  },
  {
    words: 'doctor [inputs...]',
    description:
      'check config, key, base URL, registry, checkpoint, webhooks and input columns; nothing is submitted',
    load: async () => (await import('./commands/doctor.js')).fillDoctorCommand,
  },
]

/**
 * The command line, with the commands whole that are among the words typed; all of them where no words are given.
 * Mistakes are thrown, never printed by commander itself.
 */
export async function createProgram(io: CliIo, typed: readonly string[] | null = null): Promise<Command> {
  const program = new Command('enrich')
    .description('Turns a file of company names into a file of companies.')
    .usage('companies.csv -o out.parquet [flags]  |  <command> …')
    .version(version)
    .exitOverride()
    // Below this the text beside a long flag would not be wrapped at all.
    .configureHelp({ minWidthToWrap: wrappedColumnsLeast })
    .configureOutput({
      getOutHelpWidth: helpColumns,
      writeOut: (text) => {
        io.out(text)
      },
      // What would be written here is thrown as well, and reported with its code.
      writeErr: () => undefined,
    })
  program.hook('preAction', (_, command) => {
    assertLocalArguments(command)
  })
  let run = program
  for (const listed of listedCommands) {
    const command = await addCommand(program, listed, io, typed)
    if (listed.isDefault === true) run = command
  }
  program.addHelpText(
    'after',
    () => `\nFlags of run, the default command:\n${flagList(run)}\n${environmentAndExitsText()}`,
  )
  return program
}

async function addCommand(
  program: Command,
  { words, description, isGroup = false, isDefault = false, load }: ListedCommand,
  io: CliIo,
  typed: readonly string[] | null,
): Promise<Command> {
  const command = program.command(words, { isDefault }).description(description)
  // A script of completions has all commands in it.
  const isWhole = typed === null || typed[0] === 'completion'
  if (isDefault || isWhole || typed.includes(command.name())) (await load())(command, io)
  // Nobody sees or passes it: a command with flags is listed as one.
  else if (!isGroup) command.option('--not-loaded')
  return command
}

/** What `--help` says beside the flags. */
function environmentAndExitsText(): string {
  const variables = Object.entries(environmentVariables).map(([name, { help }]) => [name, help] as const)
  const exits = Object.entries(exitCodes).flatMap(([code, entry]) =>
    'meaning' in entry ? [[code, entry.meaning] as const] : [],
  )
  return `${termList('Environment:', variables)}\n\n${termList('Exit codes:', exits)}\n`
}

/** As commander lists the flags of the other commands. */
function flagList(command: Command): string {
  const help = command.createHelp()
  help.helpWidth = helpColumns()
  const termWidth = help.longestOptionTermLength(command, help)
  return help
    .visibleOptions(command)
    .map(
      (option) =>
        `${help.formatItem(help.optionTerm(option), termWidth, help.optionDescription(option), help)}\n`,
    )
    .join('')
}

/** What flags and arguments call a path; whatever is none of these is a name, a URL or a number. */
const pathWord = /[<[](?:path|file|folder)[>\]]/
const argumentNames = ['inputs', 'file', 'files', 'paths', 'folder', 'queries', 'ledger']
const useOfFlag: Readonly<Record<string, PathUse>> = {
  output: 'output',
  checkpoint: 'checkpoint',
  registry: 'registry',
  errors: 'output',
  report: 'output',
  export: 'output',
  import: 'input',
}

/** Refuses an address wherever a command takes a path, before the command begins. */
function assertLocalArguments(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' && pathWord.test(option.flags))
      assertLocalPath(value, useOfFlag[option.attributeName()] ?? 'file')
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (!argumentNames.includes(argument.name())) continue
    for (const value of [command.processedArgs[index]].flat())
      if (typeof value === 'string') assertLocalPath(value, 'input')
  }
}
