import { Command } from 'commander'
import { environmentVariables } from '../config/options.js'
import { exitCodes } from '../core/errors.js'
import { version } from '../platform/version.js'
import { addApiCommand } from './commands/api.js'
import { addAccountsCommand } from './commands/accounts.js'
import { addCheckpointCommand } from './commands/checkpoint.js'
import { addDoctorCommand } from './commands/doctor.js'
import { addExportCommand } from './commands/export.js'
import { termList, type CliIo } from './terminal/io.js'
import { addPlanCommand } from './commands/plan.js'
import { addReceiveCommand } from './commands/receive.js'
import { addRegistryCommand } from './commands/registry.js'
import { addReconcileCommand } from './commands/reconcile.js'
import { addRetryCommand, addRunCommand } from './commands/run.js'
import { addServeCommand } from './commands/serve.js'
import { addStatusCommand } from './commands/status.js'
import { assertLocalPath, type PathUse } from '../core/local-path.js'

/** The whole command line. Mistakes are thrown, never printed by commander itself. */
export function createProgram(io: CliIo): Command {
  const program = new Command('enrich')
    .description('Turns a file of company names into a file of companies.')
    .usage('companies.csv -o out.parquet [flags]  |  <command> …')
    .version(version)
    .exitOverride()
    // Below this the text beside a long flag would not be wrapped at all.
    .configureHelp({ minWidthToWrap: 20 })
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
  const run = addRunCommand(program, io)
  addPlanCommand(program, io)
  addStatusCommand(program, io)
  addExportCommand(program, io)
  addCheckpointCommand(program, io)
  addReconcileCommand(program, io)
  addRetryCommand(program, io)
  addServeCommand(program, io)
  addAccountsCommand(program, io)
  addApiCommand(program, io)
  addReceiveCommand(program, io)
  addRegistryCommand(program, io)
  addDoctorCommand(program, io)
  program.addHelpText(
    'after',
    () => `\nFlags of run, the default command:\n${flagList(run)}\n${environmentAndExitsText()}`,
  )
  return program
}

/** As wide as the terminal, as far as lines can be read well; 80 where there is none. */
const helpColumns = (): number => Math.min(process.stdout.columns || 80, 100)

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
