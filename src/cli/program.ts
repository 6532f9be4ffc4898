import { Command } from 'commander'
import { version } from '../version.js'
import { addDoctorCommand } from './doctor-command.js'
import { addExportCommand } from './export-command.js'
import type { CliIo } from './io.js'
import { addPlanCommand } from './plan-command.js'
import { addRegistryCommand } from './registry-command.js'
import { addRetryCommand, addRunCommand } from './run-command.js'
import { addServeCommand } from './serve-command.js'
import { addStatusCommand } from './status-command.js'

/** The whole command line. Mistakes are thrown, never printed by commander itself. */
export function createProgram(io: CliIo): Command {
  const program = new Command('enrich')
    .description('Turns a file of company names into a file of companies.')
    .usage('companies.csv -o out.parquet [flags]  |  <command> …')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        io.out(text)
      },
      // What would be written here is thrown as well, and reported with its code.
      writeErr: () => undefined,
    })
  const run = addRunCommand(program, io)
  addPlanCommand(program, io)
  addStatusCommand(program, io)
  addExportCommand(program, io)
  addRetryCommand(program, io)
  addServeCommand(program, io)
  addRegistryCommand(program, io)
  addDoctorCommand(program, io)
  program.addHelpText('after', () => `\nFlags of run, the default command:\n${flagList(run)}`)
  return program
}

function flagList(command: Command): string {
  const help = command.createHelp()
  const width = Math.max(...command.options.map((option) => option.flags.length))
  return help
    .visibleOptions(command)
    .map((option) => `  ${option.flags.padEnd(width)}  ${help.optionDescription(option)}\n`)
    .join('')
}
