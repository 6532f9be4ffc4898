import type { Command } from 'commander'
import { listFilesInUse } from '../../app/service-connection.js'
import { withKnownHistory, type HistoryReader, listRunFiles } from '../../pipeline/history/read-history.js'
import { resolveSettings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { publishText } from '../../pipeline/output/plain-table.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import { buildReport } from '../../report/report.js'
import { addConfigFlags, readConfig, findConfigPath, type ConfigFlags } from '../config-flags.js'
import { assertOneUseOfStdout, formatJsonLine, type CliIo } from '../terminal/command-io.js'

type Flags = ConfigFlags & { output: string; json?: boolean }

/** In the current folder. */
const outputDefault = 'report.html'

export function fillReportCommand(command: Command, io: CliIo): void {
  command.option('-o, --output <path>', 'HTML file to write, or - for standard output', outputDefault)
  addConfigFlags(command, ['config', 'checkpoint'])
  command.option('--json', 'print the result as one JSON line')
  command.action((asked: string | undefined, flags: Flags) => {
    assertOneUseOfStdout(flags.json === true, flags.output)
    const number = asked === undefined ? null : parseRunNumber(asked)
    const { path } = resolveSettings(readConfig([], flags, io.environment), io.environment).checkpoint
    return withKnownHistory(path, io.environment, (history) => writeReport(history, number, flags, io))
  })
}

function parseRunNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UserError('USAGE_INVALID', `${text} is not the number of a run`, {
    hint: 'enrich runs lists the runs with their numbers; the default is the last run with an output',
  })
}

async function writeReport(
  reader: HistoryReader,
  number: number | null,
  flags: Flags,
  io: CliIo,
): Promise<void> {
  const { run, html } = await buildReport({ reader, number, nowMs: Date.now() })
  if (flags.output === '-') {
    // Not wrapped for the terminal: this is HTML.
    io.stdout.write(html)
    return
  }
  const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
  const own = listFilesInUse(settings, findConfigPath(flags), io.environment)
  assertNotOurs([flags.output], [...own, ...listRunFiles(run)])
  await publishText(flags.output, html)
  if (flags.json === true) io.out(formatJsonLine('report', { run: run.number, outputPath: flags.output }))
  else io.err(`  written   ${flags.output}   (run ${run.number})\n`)
}
