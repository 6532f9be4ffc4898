import { Command } from 'commander'
import { version } from '../platform/version.js'
import { addApiCommand } from './commands/api.js'
import { addAccountsCommand } from './commands/accounts.js'
import { addCheckpointCommand } from './commands/checkpoint.js'
import { addDoctorCommand } from './commands/doctor.js'
import { addExportCommand } from './commands/export.js'
import type { CliIo } from './terminal/io.js'
import { assertLocalArguments } from './local-paths.js'
import { addPlanCommand } from './commands/plan.js'
import { addReceiveCommand } from './commands/receive.js'
import { addRegistryCommand } from './commands/registry.js'
import { addReconcileCommand } from './commands/reconcile.js'
import { addRetryCommand, addRunCommand } from './commands/run.js'
import { addServeCommand } from './commands/serve.js'
import { addStatusCommand } from './commands/status.js'

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
    () => `\nFlags of run, the default command:\n${flagList(run)}\n${surroundings}`,
  )
  return program
}

/** As wide as the terminal, as far as lines can be read well; 80 where there is none. */
const helpColumns = (): number => Math.min(process.stdout.columns || 80, 100)

const surroundings = `Environment:
  ENRICH_API_KEY         the key of a hosted service; there is no flag for it
  ENRICH_API_KEY_FILE    a file that holds that key, instead
  ENRICH_BASE_URL        the address of a hosted service, like --base-url
  ENRICH_WEBHOOK_SECRET  what the service signs webhooks with (whsec_…)
  ENRICH_SERVE_API_KEY   the key that callers of "enrich serve" show

Exit codes:
  0    every row has a final outcome; or the command did what it was asked
  1    a bug in enrich
  2    usage, config, input or output error; nothing was submitted
  3    output written, but some rows failed, are uncertain, pending or invalid
  4    the service refused the key or the account (401, 403)
  5    the service could not be reached, or what would be a 2 was met after
       submissions; the same command resumes
  8    stopped by budget or credit; the same command resumes
  10   --max-duration reached; the same command resumes
  11   the checkpoint, or the service's data, is in use by another process
  130  interrupted (143 by SIGTERM); the same command resumes
`

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
