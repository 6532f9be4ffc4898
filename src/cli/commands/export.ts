import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import { assertNoClash } from '../../pipeline/answers/columns.js'
import { getLabelColumn } from '../../pipeline/input/detect-columns.js'
import { UserError } from '../../core/errors.js'
import { listFilesInUse } from '../../app/service-connection.js'
import { chooseSpoolFolder, inspectInput } from '../../app/inspect-input.js'
import { createAnswerLines } from '../../pipeline/output/answer-lines.js'
import { copyCandidates } from '../../pipeline/decisions/gather-candidates.js'
import { openReviewOfRows } from '../../pipeline/decisions/decided-lookups.js'
import { assertNotOurs, assertOutputsApart } from '../../pipeline/output/own-files.js'
import {
  assertOutputUsable,
  listWrittenPaths,
  resolveOutput,
  type ResolvedOutput,
} from '../../pipeline/output/output-path.js'
import { publish } from '../../pipeline/output/publish.js'
import type { Input } from '../../pipeline/input/input.js'
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

/** Resolves the output of the settings. Throws OUTPUT_*; `assertUsable` also compares it with the input. */
export function prepareOutput(
  settings: Settings,
  configPath: string | null,
  io: CliIo,
): {
  readonly output: ResolvedOutput
  readonly assertUsable: (input: Input, rowCount: number) => Promise<void>
} {
  const connectors = createCommandConnectors(io)
  const { changes } = settings.output
  const output = resolveOutput(
    settings.output,
    { stages: settings.stages.asked, hasSides: settings.first !== null },
    { connectors, folder: chooseSpoolFolder(settings) },
  )
  assertNotOurs(listWrittenPaths(output), listFilesInUse(settings, configPath, io.environment))
  return {
    output,
    assertUsable: async (input, rowCount) => {
      assertNoClash(input.columns, output.columns)
      assertOutputUsable(input.files, output.path, output.format, rowCount, input.bytes)
      await assertOutputsApart(input.files, {
        paths: listWrittenPaths(output),
        appendedPaths: changes === undefined ? [] : [changes],
        mode: output.remote?.mode ?? 'replace',
        connectors,
      })
    },
  }
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
      async ({
        input,
        columns,
        index,
        first,
        reader,
        checkpointPath,
        decided,
        scope,
        problem,
        review: shared,
      }) => {
        if (reader === null) {
          throw new UserError(
            'CHECKPOINT_NOT_FOUND',
            `there is no checkpoint at ${settings.checkpoint.path}`,
            {
              hint: 'there are no answers yet; run enrich without "export" first',
            },
          )
        }
        first?.checkSample()
        for (const note of input.listNotes()) io.err(`  note: ${note}\n`)
        await assertUsable(input, 0)
        const doubtThreshold = settings.review.threshold
        if (shared !== null) {
          const { columns: written } = output
          const wanted = { index, reader, decided: decided.lookups, columns: written, doubtThreshold }
          await copyCandidates({ ...wanted, review: shared, scope })
        }
        const review = openReviewOfRows({
          checkpointPath,
          scope,
          decided,
          reader,
          columns: output.columns,
          doubtThreshold,
        })
        const answers = createAnswerLines({ index, reader, stages: output.stages, review, first })
        const report = await publish({
          input,
          output,
          nameColumn: getLabelColumn(columns),
          answers,
          rowCount: index.rowCount,
          metadata: { 'enrich.version': version, 'enrich.input_sha256': await input.identity.hashContent() },
          stdout: createRowStream(io),
          signal: io.interrupt,
        }).finally(review.close)
        if (flags.json === true) {
          const { rowCount, paths } = report
          const rowsByStatus = Object.fromEntries(answers.rowCounts)
          io.out(formatJsonLine('exported', { rowCount, rowsByStatus, outputPaths: paths }))
        }
        const rows = [...answers.rowCounts]
          .map(([status, count]) => `${status} ${formatCount(count)}`)
          .join(' · ')
        io.err(`${plural(report.rowCount, 'row')} (${rows})\n`)
        for (const path of report.paths) io.err(`  written   ${path}\n`)
        warnOfProblem(problem, io)
      },
    )
  })
}
