import { Option, type Command } from 'commander'
import { filesInUse } from '../../app/embedded-service.js'
import { withKnownHistory } from '../../app/known-history.js'
import { UserError } from '../../core/errors.js'
import { options } from '../../config/options.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { ChangeCounter, changesBetween } from '../../pipeline/history/changes-between.js'
import { changeRecord, changesTarget, publishChanges } from '../../pipeline/history/changes-file.js'
import { chooseRuns, type RunPair } from '../../pipeline/history/choose-runs.js'
import type { KnownHistory, PublishedOutput, RememberedRun } from '../../pipeline/history/history.js'
import { settledOutput } from '../../pipeline/history/settled-output.js'
import type { AskedFormat } from '../../pipeline/output/output-format.js'
import { memoryBytesOf } from '../../pipeline/output/resolve-output.js'
import { assertNotOurs, type OwnFile } from '../../pipeline/own-files.js'
import type { Change } from '../../pipeline/rules/change-kinds.js'
import { addConfigFlags, configOf, configPathOf, type ConfigFlags } from '../config-flags.js'
import { changesText } from '../terminal/changes-text.js'
import { assertOneUseOfStdout, jsonLine, type CliIo } from '../terminal/io.js'

type Flags = ConfigFlags & { output?: string; format?: AskedFormat; json?: boolean }

/** Without `-o`, so many changes are shown. */
const shownMax = 20
const columnsDefault = 100

export function fillDiffCommand(command: Command, io: CliIo): void {
  command
    .option(
      '-o, --output <path>',
      'the file to write: .csv, .parquet, .ndjson or .xlsx; - for standard output',
    )
    .addOption(
      new Option('--format <format>', 'needed for standard output').choices(
        options.output.format.choices ?? [],
      ),
    )
  addConfigFlags(command, ['config', 'checkpoint'])
  command
    .option('--json', 'as JSON lines: what was compared, and without -o each change')
    .action((asked: string | undefined, flags: Flags) => {
      assertOneUseOfStdout(flags.json === true, flags.output)
      const settings = resolveSettings(configOf([], flags, io.environment), io.environment)
      const { path } = settings.checkpoint
      return withKnownHistory(path, io.environment, (history) =>
        showDiff(history, asked ?? null, { flags, settings, io }),
      )
    })
}

interface Call {
  readonly flags: Flags
  readonly settings: Settings
  readonly io: CliIo
}

async function showDiff(history: KnownHistory, asked: string | null, call: Call): Promise<void> {
  const pair = chooseRuns(asked, history.runs())
  await history.fetch({ newer: pair.newer.number, older: pair.older.number })
  const counter = new ChangeCounter()
  const older = known(settledOutput(history, pair.older.number), pair.older)
  const newer = known(history.published(pair.newer.number), pair.newer)
  const changes = counter.counting(changesBetween(older, newer))
  if (call.flags.output === undefined) showChanges(pair, changes, counter, call)
  else await writeChanges(pair, changes, counter, { ...call, path: call.flags.output })
}

function known(output: PublishedOutput | null, { number }: RememberedRun): PublishedOutput {
  if (output !== null) return output
  throw new UserError('RUN_OUTPUT_UNKNOWN', `what run ${number} wrote is no longer remembered`, {
    hint: 'enrich runs lists the runs; history.keep says how many outputs are remembered',
  })
}

function showChanges(
  pair: RunPair,
  batches: Iterable<readonly Change[]>,
  counter: ChangeCounter,
  { flags, io }: Call,
): void {
  const first: Change[] = []
  for (const batch of batches) {
    if (flags.json === true) for (const change of batch) io.out(jsonLine('change', changeRecord(change)))
    else first.push(...batch.slice(0, shownMax - first.length))
  }
  if (flags.json === true) io.out(comparedLine(pair, counter, null))
  else io.out(changesText({ pair, counts: counter.counts, first }, terminalColumns(io)))
}

async function writeChanges(
  pair: RunPair,
  batches: Iterable<readonly Change[]>,
  counter: ChangeCounter,
  { flags, settings, io, path }: Call & { path: string },
): Promise<void> {
  const { format } = flags
  const { bom, memory } = settings.output
  const target = changesTarget({ path, format, bom, memoryBytes: memoryBytesOf(memory) })
  const own = filesInUse(settings, configPathOf(flags), io.environment)
  assertNotOurs([path], [...own, ...filesOf(pair.older), ...filesOf(pair.newer)])
  await publishChanges({ ...target, stdout: io.stdout, signal: io.interrupt }, batches)
  if (flags.json === true) io.out(comparedLine(pair, counter, path))
  else io.err(changesText({ pair, counts: counter.counts, first: [] }, terminalColumns(io), path))
}

/** What a run read and wrote. */
const filesOf = ({ number, record }: RememberedRun): OwnFile[] => [
  ...(record?.input.paths ?? []).map((path) => ({ path, what: `the input of run ${number},` })),
  ...(record?.summary?.outputPaths ?? []).map((path) => ({ path, what: `the output of run ${number},` })),
]

function comparedLine(
  { older, newer }: RunPair,
  { counts }: ChangeCounter,
  outputPath: string | null,
): string {
  const { series } = newer
  return jsonLine('diff', { series, older: older.number, newer: newer.number, counts, outputPath })
}

const terminalColumns = ({ stdout }: CliIo): number =>
  (stdout as { readonly columns?: number }).columns ?? columnsDefault
