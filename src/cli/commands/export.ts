import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { listFilesInUse } from '../../app/service-connection.js'
import { chooseSpoolFolder, inspectInput } from '../../app/inspect-input.js'
import { countUnreadCompanies, exportRows, prepareExport } from '../../pipeline/export-rows.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { version } from '../../platform/native-package.js'
import { addConfigFlags, readConfig, findConfigPath, type ConfigFlags } from '../config-flags.js'
import {
  assertOneUseOfStdout,
  createCommandConnectors,
  formatJsonLine,
  type CliIo,
  warnOfProblem,
  createRowStream,
} from '../terminal/command-io.js'
import { suggestShow } from '../terminal/summary-text.js'

/** Resolves the output of the settings. Throws OUTPUT_*; `assertUsable` also compares it with the input. */
export function prepareOutput(settings: Settings, configPath: string | null, io: CliIo) {
  return prepareExport({
    request: settings.output,
    asked: { stages: settings.stages.asked, hasSides: settings.first !== null },
    access: { connectors: createCommandConnectors(io), folder: chooseSpoolFolder(settings) },
    ownFiles: listFilesInUse(settings, configPath, io.environment),
    changesPath: settings.output.changes,
  })
}

export function fillExportCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['output', 'config', 'input', 'checkpoint', 'decisions', 'service'])
  command.option('--json', 'print the result as one JSON line')
  command.action(async (inputs: string[], flags: ConfigFlags & { json?: boolean }) => {
    const settings = resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
    const { output, assertUsable } = prepareOutput(settings, findConfigPath(flags), io)
    assertOneUseOfStdout(flags.json === true, output.path)
    await inspectInput(
      {
        settings,
        stdin: io.stdin,
        signal: io.interrupt,
        environment: io.environment,
      },
      async (found) => {
        const { input, reader, store } = found
        if (reader === null) {
          throw new UserError(
            'CHECKPOINT_NOT_FOUND',
            `there is no checkpoint at ${settings.checkpoint.path}`,
            {
              hint: 'there are no answers yet; run enrich without "export" first',
            },
          )
        }
        for (const note of input.listNotes()) io.err(`  note: ${note}\n`)
        await assertUsable(input, 0)
        const { rowCounts, rowCount, paths } = await exportRows(found, {
          output,
          doubtThreshold: settings.review.threshold,
          metadata: { 'enrich.version': version },
          stdout: createRowStream(io),
          signal: io.interrupt,
        })
        if (flags.json === true) {
          const rowsByStatus = Object.fromEntries(rowCounts)
          io.out(formatJsonLine('exported', { rowCount, rowsByStatus, outputPaths: paths }))
        }
        const rows = [...rowCounts].map(([status, count]) => `${status} ${formatCount(count)}`).join(' · ')
        io.err(`${plural(rowCount, 'row')} (${rows})\n`)
        const unread = countUnreadCompanies(found)
        if (unread > 0)
          io.err(
            `  note: ${plural(unread, 'accepted company has', 'accepted companies have')} only the id and the name: the record is not here. Run ${io.program} with the same input and output, without "export", to request it\n`,
          )
        for (const path of paths) io.err(`  written   ${path}\n`)
        for (const { text, command: typed } of suggestShow(paths, io.program))
          io.err(`  next      ${text}: ${typed}\n`)
        warnOfProblem(store.problem, io)
      },
    )
  })
}
