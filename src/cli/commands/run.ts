import { existsSync } from 'node:fs'
import type { WriteStream } from 'node:tty'
import type { Command } from 'commander'
import type { FileConfig } from '../../config/file-config.js'
import { defaultPaths } from '../../config/options.js'
import { resolveSettings } from '../../config/settings.js'
import { errorCodes, UserError, getInterruptionCode } from '../../core/errors.js'
import { addConfigFlags, readConfig, findConfigPath, statusFlag, type ConfigFlags } from '../config-flags.js'
import { addGroupedHelp } from '../run-help.js'
import {
  assertOneUseOfStdout,
  commandNames,
  createRowStream,
  formatRecordedCommand,
  formatCommandLine,
  type CliIo,
} from '../terminal/command-io.js'
import type { CoverageFinder, ReporterFlags } from '../terminal/reporter.js'

const flagGroups = [
  'output',
  'partial',
  'config',
  'input',
  'checkpoint',
  'decisions',
  'service',
  'asking',
  'webhook',
  'reporting',
  'run',
] as const

/** Outcomes that `retry` accepts. Uncertain lookups may have been billed and have a separate flag. */
const retryable = [
  'failed',
  'error',
  'invalid_input',
  'inconclusive',
  'no_match',
  'not_found',
  'partial_match',
  'matched',
  'merged',
]

/** Help for `enrich` without arguments, if the config names no input. */
const shortHelp = `enrich turns a file of company names into a file of companies.

  enrich companies.csv -o out.parquet   looks up each company once; run it again to resume
  enrich plan companies.csv             shows the lookups and their cost; submits nothing
  enrich status                         shows the state of the checkpoint and the next steps

enrich --help lists the commands, enrich run --help the flags.
Nothing was done: there is no input on the command line or in ${defaultPaths.config}.
`

type RunFlags = ConfigFlags & ReporterFlags & { status?: string; acceptRollback?: boolean }

export function fillRunCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, flagGroups)
  addGroupedHelp(command, io)
  command.action(async (inputs: string[], flags: RunFlags) => {
    await assertNoCommand(inputs)
    const config = readConfig(inputs, flags, io.environment)
    if (io.argv.length === 0 && config.input?.paths === undefined) {
      io.out(shortHelp)
      io.setExitCode(errorCodes.USAGE_INVALID)
      return
    }
    await runJob(config, flags, [], io)
  })
}

export function fillRetryCommand(command: Command, io: CliIo): void {
  command.requiredOption(statusFlag, `statuses: ${retryable.join(', ')}`)
  addConfigFlags(command, flagGroups)
  addGroupedHelp(command, io)
  command.action((inputs: string[], flags: RunFlags) =>
    runJob(readConfig(inputs, flags, io.environment), flags, parseStatuses(flags.status ?? ''), io),
  )
}

/** Throws USAGE_INVALID if the first input looks like a mistyped command: no dot, no slash, and no such file. */
async function assertNoCommand(inputs: readonly string[]): Promise<void> {
  const [word] = inputs
  if (word === undefined || word === '-' || !/^[a-z-]+$/i.test(word) || existsSync(word)) return
  const nearest = await findNearestCommand(word)
  throw new UserError('USAGE_INVALID', `${word} is neither a command nor a file`, {
    hint: `${nearest === null ? '' : `did you mean enrich ${nearest}? `}enrich --help lists the commands; an input is a file, like companies.csv`,
  })
}

/** Returns `null` if no command is within two typing errors, or within one for a short word. */
async function findNearestCommand(word: string): Promise<string | null> {
  // Imported here, because only a mistyped command needs it.
  const { calculateDistance } = await import('../../core/word-forms.js')
  const typosMax = word.length < 5 ? 1 : 2
  const [nearest] = commandNames
    .map((name) => ({ name, typos: calculateDistance(word.toLowerCase(), name, typosMax) }))
    .filter(({ typos }) => typos <= typosMax)
    .sort((one, other) => one.typos - other.typos)
  return nearest?.name ?? null
}

async function runJob(
  config: FileConfig,
  flags: RunFlags,
  askAgain: readonly string[],
  io: CliIo,
): Promise<void> {
  assertOneUseOfStdout(flags.json === true, config.output?.path)
  // Imported here, so that `--help` does not load it.
  const { createReporter } = await import('../terminal/reporter.js')
  const { enrich } = await import('../../app/enrich.js')
  const { getExitCode } = await import('../../pipeline/history/run-figures.js')
  const errorColumn = findErrorColumn(config, io)
  const drawn = disableDrawing(io, config)
  const reporter = createReporter(drawn, flags, errorColumn, await createCoverageFinder(config, io))
  const configPath = findConfigPath(flags)
  const run = enrich(config, {
    ...(configPath === null ? {} : { configPath }),
    signal: io.interrupt,
    environment: io.environment,
    askAgain,
    acceptRollback: flags.acceptRollback === true,
    stdin: io.stdin,
    stdout: createRowStream(io),
    command: formatRecordedCommand(io),
  })
  for await (const event of run) reporter.tell(event)
  const summary = await run.summary
  io.setExitCode(getExitCode(summary, getInterruptionCode(io.interrupt.reason)))
}

/**
 * The added column with the reason for a missing answer; `null` if the output does not have it, and for settings that the
 * run will refuse.
 */
function findErrorColumn(config: FileConfig, { environment }: CliIo): string | null {
  try {
    const { prefix, columns } = resolveSettings(config, environment).output
    const name = `${prefix}error`
    return columns === undefined || columns.includes('error') || columns.includes(name) ? name : null
  } catch {
    return null
  }
}

/** Compares the countries of rows without a company with the loaded registers; for a hosted service, finds nothing. */
async function createCoverageFinder(config: FileConfig, io: CliIo): Promise<CoverageFinder> {
  const { environment } = io
  const path = findRegistry(config, environment)
  if (path === null) return () => null
  const { findCoverage } = await import('../../registry/load.js')
  const { buildGetFlags, describeUnmatched } = await import('../terminal/sources-text.js')
  const { countUnmatched } = await import('../terminal/summary-text.js')
  const named = path === defaultPaths.registry ? null : path
  return (summary) => {
    const { unmatchedByCountry = [] } = summary
    if (unmatchedByCountry.length === 0 || countUnmatched(summary) === 0) return null
    const counts = new Map(unmatchedByCountry.map(({ country, rowCount }) => [country, rowCount]))
    const coverage = findCoverage(counts, path)
    return describeUnmatched(coverage, formatCommandLine(io), buildGetFlags(coverage, named, environment))
  }
}

/** The registry of the embedded service; `null` without one, and for settings that the run will refuse. */
function findRegistry(config: FileConfig, environment: CliIo['environment']): string | null {
  try {
    const { baseUrl, registryPath } = resolveSettings(config, environment).service
    const path = registryPath ?? defaultPaths.registry
    return baseUrl === null && existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** Disables the progress bar if rows are written to the same terminal. */
function disableDrawing(io: CliIo, config: FileConfig): CliIo {
  const isShared = config.output?.path === '-' && (io.stdout as Partial<WriteStream>).isTTY === true
  return isShared ? { ...io, isTerminal: false } : io
}

function parseStatuses(text: string): string[] {
  const statuses = text.split(',').map((status) => status.trim())
  for (const status of statuses) {
    if (status === 'uncertain') {
      throw new UserError('USAGE_INVALID', 'uncertain lookups may have been billed', {
        hint: 'enrich status --uncertain lists them; enrich reconcile LEDGER.csv settles them, free; --resubmit-uncertain submits them again',
      })
    }
    if (!retryable.includes(status)) {
      throw new UserError('USAGE_INVALID', `--status ${JSON.stringify(status)} is not one of the statuses`, {
        hint: `pass one or more of ${retryable.join(', ')}`,
      })
    }
  }
  return statuses
}
