import type { WriteStream } from 'node:tty'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { withKnownHistory } from '../../app/known-history.js'
import { parsePositive } from '../../config/option.js'
import { resolveSettings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import type { KindSubmissions, RememberedRun } from '../../pipeline/history/history.js'
import { addUpRuns } from '../../pipeline/history/run-spending.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { jsonLine, type CliIo } from '../terminal/io.js'
import { runsTable, runText, totalsText, unknownText } from '../terminal/runs-text.js'

type RunsFlags = ConfigFlags & { limit: number; run?: number; json?: boolean }

const limitUsual = 30

export function fillRunsCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint'])
  command
    .option('--limit <n>', 'list no more than the newest n', wholeNumber, limitUsual)
    .option('--run <n>', 'one run in full, by its number', wholeNumber)
    .option('--json', 'each run as one JSON line, with all that is kept of it; the last line has the totals')
    .action(async (flags: RunsFlags) => {
      const { path } = resolveSettings(configOf([], flags, io.environment), io.environment).checkpoint
      const known = await withKnownHistory(path, io.environment, (history) => ({
        runs: history.runs(),
        submissions: history.submissions(),
      }))
      showRuns(path, known, flags, io)
    })
}

interface KnownRuns {
  readonly runs: readonly RememberedRun[]
  readonly submissions: readonly KindSubmissions[]
}

function showRuns(path: string, { runs, submissions }: KnownRuns, flags: RunsFlags, io: CliIo): void {
  const chosen =
    flags.run === undefined ? runs.slice(0, flags.limit) : runs.filter(({ number }) => number === flags.run)
  if (flags.run !== undefined && chosen.length === 0) {
    throw new UserError('RUN_NOT_FOUND', `${path} knows no run ${flags.run}`, {
      hint: 'enrich runs lists them',
    })
  }
  const totals = addUpRuns(runs, submissions)
  if (flags.json === true) {
    for (const run of chosen) io.out(jsonLine('run', run))
    if (flags.run === undefined) io.out(jsonLine('totals', totals))
  } else if (flags.run !== undefined) for (const run of chosen) io.out(runText(run, runs))
  else if (chosen.length === 0) io.out(`${path}: no run is remembered yet; the next one is.\n`)
  else io.out(runsTable(chosen, columnsOf(io)) + unknownText(chosen) + totalsText(totals))
}

/** Where nobody has to look at it, as wide as it is. */
const columnsOf = ({ stdout }: CliIo): number => (stdout as Partial<WriteStream>).columns ?? Infinity

function wholeNumber(text: string): number {
  const parsed = parsePositive(text)
  if ('fault' in parsed) throw new InvalidArgumentError(parsed.fault)
  return parsed.value
}
