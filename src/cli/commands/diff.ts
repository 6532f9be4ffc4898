import { Option, type Command } from 'commander'
import { listFilesInUse } from '../../app/service-connection.js'
import { chooseSpoolFolder } from '../../app/inspect-input.js'
import {
  readChanges,
  withKnownHistory,
  type HistoryReader,
  type RememberedRun,
  chooseRuns,
  toChangeRecord,
  writeChanges,
  type ChangesRequest,
  listRunFiles,
} from '../../pipeline/history/read-history.js'
import { options } from '../../config/options.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import type { Change, ChangeCounts } from '../../core/alarms.js'
import { addConfigFlags, readConfig, findConfigPath, type ConfigFlags } from '../config-flags.js'
import {
  assertOneUseOfStdout,
  createCommandConnectors,
  formatJsonLine,
  type CliIo,
  createRowStream,
} from '../terminal/command-io.js'
import { formatCount, plural } from '../../core/text.js'
import { formatTableLines, getTerminalColumns } from '../terminal/screen.js'

type RunPair = ReturnType<typeof chooseRuns>

/** Changes to print: their counts by kind, and the first ones. */
interface ShownChanges {
  readonly pair: RunPair
  readonly counts: ChangeCounts
  readonly first: readonly Change[]
}

/** In a terminal. The last column is of a list that an own registry answers first. */
const widthsMax = [18, 24, 28, 20, 90, 18]

/** Formats counts by kind, and either the first changes as a table or the path of the written file. */
export function formatDiff(
  shown: ShownChanges,
  columnCount: number,
  writtenTo: string | null = null,
): string {
  const { pair, counts, first } = shown
  const { older, newer } = pair
  const entries = Object.entries(counts)
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  const written = writtenTo === null || writtenTo === '-' ? '' : `  written  ${writtenTo}\n`
  const head = `Run ${newer.number} (${formatDay(newer)}) against run ${older.number} (${formatDay(older)}): `
  if (total === 0) return `${head}nothing changed\n${written}`
  return [
    `${head}${plural(total, 'change')}\n`,
    ...entries.map(([kind, count]) => `  ${kind.padEnd(widthsMax[0] ?? 0)}  ${formatCount(count)}\n`),
    writtenTo === null
      ? `\n${formatChangeTable(first, columnCount)}${formatRest(pair, total - first.length)}`
      : written,
  ].join('')
}

function formatRest({ older, newer }: RunPair, left: number): string {
  if (left === 0) return ''
  return `  … and ${formatCount(left)} more: enrich diff ${older.number}..${newer.number} -o changes.csv\n`
}

const formatDay = ({ startedAtMs }: RememberedRun): string =>
  new Date(startedAtMs).toISOString().slice(0, 16).replace('T', ' ')

export function formatChangeTable(changes: readonly Change[], columnCount: number): string {
  const isWithSides = changes.some((change) => toSides(change) !== '')
  const shown = widthsMax.slice(0, isWithSides ? 6 : 5)
  const widths = columnCount === Infinity ? shown.map(() => Infinity) : shown
  return formatTableLines(changes.map(toCells), widths, columnCount)
    .map((line) => `${line}\n`)
    .join('')
}

function toCells(change: Change): string[] {
  const { kind, rowKey, rowNumber, name, field, old, new: now } = change
  const values = field === null ? '' : `${old ?? '(none)'} → ${now ?? '(none)'}`
  return [kind, rowKey ?? `row ${rowNumber}`, name ?? '', field ?? '', values, toSides(change)]
}

/** The sides that answered, if an own registry answers first; one if it is the same. */
function toSides({ oldAnsweredBy = null, newAnsweredBy = null }: Change): string {
  const sides = [oldAnsweredBy, newAnsweredBy].filter((side) => side !== null)
  return [...new Set(sides.map((side) => (side === 'registry' ? side : 'service')))].join(' → ')
}

const hasSides = ({ older, newer }: RunPair): boolean =>
  [older, newer].some(({ record }) => record?.summary?.first !== undefined)

type Flags = ConfigFlags & { output?: string; format?: ChangesRequest['format']; json?: boolean }

/** Number of changes printed without a file. */
export const shownMax = 20

export function fillDiffCommand(command: Command, io: CliIo): void {
  command
    .option('-o, --output <path>', 'file to write: .csv, .parquet, .ndjson or .xlsx; - for standard output')
    .addOption(
      new Option('--format <format>', 'format of the output; required for standard output').choices(
        options.output.format.choices ?? [],
      ),
    )
  addConfigFlags(command, ['config', 'checkpoint'])
  command
    .option('--json', 'print JSON lines: the compared runs and, without -o, each change')
    .action((asked: string | undefined, flags: Flags) => {
      assertOneUseOfStdout(flags.json === true, flags.output)
      const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
      const { path } = settings.checkpoint
      return withKnownHistory(path, io.environment, (history) =>
        showDiff(history, asked ?? null, { flags, settings, io }),
      )
    })
}

type OutputChanges = Awaited<ReturnType<typeof readChanges>>

interface Call {
  readonly flags: Flags
  readonly settings: Settings
  readonly io: CliIo
}

async function showDiff(history: HistoryReader, asked: string | null, call: Call): Promise<void> {
  const pair = chooseRuns(asked, await history.runs())
  const changes = await readChanges(history, pair.older.number, pair.newer.number)
  if (call.flags.output === undefined) await showChanges(pair, changes, call)
  else await writeFile(pair, changes, { ...call, path: call.flags.output })
}

async function showChanges(pair: RunPair, changes: OutputChanges, { flags, io }: Call): Promise<void> {
  const first: Change[] = []
  for await (const batch of changes.batches) {
    if (flags.json === true)
      for (const change of batch) io.out(formatJsonLine('change', toChangeRecord(change, hasSides(pair))))
    else first.push(...batch.slice(0, shownMax - first.length))
  }
  if (flags.json === true) io.out(formatComparedLine(pair, changes.tally.counts, null))
  else io.out(formatDiff({ pair, counts: changes.tally.counts, first }, getTerminalColumns(io)))
}

async function writeFile(
  pair: RunPair,
  changes: OutputChanges,
  { flags, settings, io, path }: Call & { path: string },
): Promise<void> {
  const { format } = flags
  const { bom, memory } = settings.output
  const access = { connectors: createCommandConnectors(io), folder: chooseSpoolFolder(settings) }
  const own = listFilesInUse(settings, findConfigPath(flags), io.environment)
  assertNotOurs([path], [...own, ...listRunFiles(pair.older), ...listRunFiles(pair.newer)])
  const { delimiter: listDelimiter = null } = pair.newer.record?.input ?? {}
  const request = { path, format, bom, listDelimiter, memory, access, hasSides: hasSides(pair) }
  await writeChanges({ ...request, stdout: createRowStream(io), signal: io.interrupt }, changes.batches)
  if (flags.json === true) io.out(formatComparedLine(pair, changes.tally.counts, path))
  else io.err(formatDiff({ pair, counts: changes.tally.counts, first: [] }, getTerminalColumns(io), path))
}

function formatComparedLine(
  { older, newer }: RunPair,
  counts: ChangeCounts,
  outputPath: string | null,
): string {
  const { series } = newer
  return formatJsonLine('diff', { series, older: older.number, newer: newer.number, counts, outputPath })
}
