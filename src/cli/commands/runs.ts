import type { Command } from 'commander'
import {
  withKnownHistory,
  sumRuns,
  type RunRecord,
  type ScopeSubmissions,
  type RememberedRun,
  getBilled,
  getSubmissions,
  formatFirst,
  formatSample,
} from '../../pipeline/history/read-history.js'
import { parsePositive } from '../../config/option.js'
import { resolveSettings } from '../../config/settings.js'
import { formatAlarm } from '../../core/alarms.js'
import { UserError } from '../../core/errors.js'
import { addConfigFlags, getParsedValue, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'
import { basename } from 'node:path'
import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { formatAmount, formatBilledCount, formatCost, sumSubmitted } from '../../core/money.js'
import { formatSubmissions } from '../terminal/lookup-text.js'
import { getTerminalColumns } from '../terminal/screen.js'

interface Column {
  readonly title: string
  /** Priority: if the table is too wide, the column with the lowest weight is dropped first. */
  readonly weight: number
  readonly cell: (run: RememberedRun, runs: readonly RememberedRun[]) => string
  readonly isText?: boolean
}

const columns: readonly Column[] = [
  { title: 'run', weight: 100, cell: ({ number }) => String(number) },
  { title: 'began (UTC)', weight: 90, cell: ({ startedAtMs }) => formatInstant(startedAtMs), isText: true },
  { title: 'job', weight: 20, cell: ({ series }) => formatJobName(series), isText: true },
  { title: 'rows', weight: 60, cell: ({ record }) => count(record, ({ summary }) => summary?.rowCount) },
  {
    title: 'submitted',
    weight: 50,
    cell: ({ record }) => count(record, (one) => sumSubmitted(getSubmissions(one))),
  },
  { title: 'cost', weight: 40, cell: ({ record }) => formatRunCost(record) },
  { title: 'matched', weight: 70, cell: ({ record }) => formatMatched(record) },
  { title: 'took', weight: 30, cell: (run) => formatRunDuration(run) },
  { title: 'ended', weight: 95, cell: formatEnd, isText: true },
]

const between = '  '

/** One line for each run, the newest first. Omits columns that do not fit, are empty, or are the same for all runs. */
function formatRuns(runs: readonly RememberedRun[], columnsMax: number): string {
  const isWorthIt = ({ title }: Column, cells: readonly string[]) =>
    (title !== 'job' || new Set(cells).size > 1) && cells.some((cell) => cell !== '')
  let shown = columns
    .map((column) => ({ column, cells: runs.map((run) => column.cell(run, runs)) }))
    .filter(({ column, cells }) => isWorthIt(column, cells))
    .map((one) => ({
      ...one,
      width: Math.max(...[one.column.title, ...one.cells].map((cell) => cell.length)),
    }))
  const sumWidths = (some: typeof shown) =>
    some.reduce((sum, { width }) => sum + width, between.length * (some.length - 1))
  while (shown.length > 1 && sumWidths(shown) > columnsMax) {
    const least = Math.min(...shown.map(({ column }) => column.weight))
    shown = shown.filter(({ column }) => column.weight !== least)
  }
  const line = (cellOf: (one: (typeof shown)[number]) => string) =>
    `${shown
      .map((one) =>
        one.column.isText === true ? cellOf(one).padEnd(one.width) : cellOf(one).padStart(one.width),
      )
      .join(between)
      .trimEnd()}\n`
  return [
    line(({ column }) => column.title),
    ...runs.map((_, at) => line(({ cells }) => cells[at] ?? '')),
  ].join('')
}

/** `Total: 3 runs, 300 submitted, 294 billed, EUR 14.70; 6 more may have been billed` */
function formatTotals(totals: ReturnType<typeof sumRuns>): string {
  const { runCount, submittedCount, billedCount, isBilledAtMost, uncertainCount, costs } = totals
  const priced = costs.reduce((sum, { lookupCount }) => sum + lookupCount, 0)
  const most = isBilledAtMost ? 'at most ' : ''
  const amounts = costs.map(({ cost, currency }) => `${most}${formatAmount(cost, currency)}`).join(' and ')
  const parts = [
    plural(runCount, 'run'),
    `${formatCount(submittedCount)} submitted`,
    `${formatBilledCount({ count: billedCount, isMost: isBilledAtMost })} billed`,
    ...(amounts === ''
      ? []
      : [priced < billedCount ? `${amounts} for ${formatCount(priced)} of them` : amounts]),
  ]
  const unsure =
    uncertainCount === 0
      ? ''
      : `; ${formatCount(uncertainCount)} more may have been billed: enrich status --uncertain`
  return `Total: ${parts.join(', ')}${unsure}\n`
}

function formatRun(run: RememberedRun, runs: readonly RememberedRun[]): string {
  const { record } = run
  const facts: [string, string][] = [
    ['began', `${formatInstant(run.startedAtMs)} UTC`],
    ['ended', [formatEnd(run, runs), formatRunDuration(run)].filter((text) => text !== '').join(', after ')],
    ['job', formatJobName(run.series)],
    ...(record === null ? [] : listRecordFacts(record)),
    ['output', run.isPublished ? formatOutput(run) : 'not stored'],
  ]
  const lines = facts.map(([name, text]) => `  ${name.padEnd(9)} ${text}\n`)
  return `Run ${run.number}\n${lines.join('')}${formatUnknown([run])}`
}

function listRecordFacts(record: RunRecord): [string, string][] {
  const { error, alarms, changes, input, figures } = record
  const formatCounts = (counts: Readonly<Record<string, number | undefined>>) =>
    Object.entries(counts)
      .sort(([, a = 0], [, b = 0]) => b - a)
      .map(([name, number = 0]) => `${name} ${formatCount(number)}`)
      .join(' · ')
  return [
    ['command', record.command],
    ['version', record.program],
    ['service', record.scope],
    [
      'input',
      `${input.paths.join(', ')} (${input.format}${input.sha256 === null ? '' : `, ${input.sha256}`})`,
    ],
    ...listSummaryFacts(record, formatCounts),
    ...(figures === null ? [] : [['rows', formatCounts(figures.rowsByStatus)] as [string, string]]),
    ...(formatRunCost(record) === '' ? [] : [['cost', formatRunCost(record)] as [string, string]]),
    ...(changes === null
      ? []
      : [
          ['changes', `since run ${changes.baseline}: ${formatCounts(changes.counts) || 'none'}`] as [
            string,
            string,
          ],
        ]),
    ...alarms.map((alarm): [string, string] => ['alarm', formatAlarm(alarm)]),
    ...(error === null ? [] : [['error', `${error.code}: ${error.message}`] as [string, string]]),
    ['settings', JSON.stringify(record.settings)],
  ]
}

function listSummaryFacts(
  record: RunRecord,
  countsOf: (counts: Readonly<Record<string, number>>) => string,
): [string, string][] {
  const { summary, service } = record
  const submitted = [
    formatSubmissions(getSubmissions(record)),
    ...(service === 'embedded' ? [] : [`${formatBilledCount(getBilled(record))} billed`]),
  ]
  if (summary === null) return getSubmissions(record).length === 0 ? [] : [['counts', submitted.join(' · ')]]
  const { rowCount, lookupCount, cachedCount, decidedCount, pollCount } = summary
  const numbers = [
    `${formatCount(rowCount)} rows`,
    `${formatCount(lookupCount)} lookups`,
    `${formatCount(cachedCount)} answered before`,
    ...(decidedCount > 0 ? [`${formatCount(decidedCount)} decided by reviewers`] : []),
    ...submitted,
    `${formatCount(pollCount)} polls`,
  ]
  const answers = countsOf(summary.outcomes)
  const { first } = summary
  const sample = first?.sample ?? null
  return [
    ['counts', numbers.join(' · ')],
    ...(first === undefined ? [] : [['registry', formatFirst(first)] as [string, string]]),
    ...(sample === null ? [] : [['sample', formatSample(sample)] as [string, string]]),
    ...(answers === '' ? [] : [['answers', answers] as [string, string]]),
  ]
}

const formatOutput = ({ baseline }: RememberedRun): string =>
  baseline === null ? 'stored, the first of its job' : `stored, compared with that of run ${baseline}`

/** A note about runs whose records cannot be read. */
function formatUnknown(runs: readonly RememberedRun[]): string {
  const unknown = runs.filter(({ record }) => record === null).map(({ number }) => String(number))
  if (unknown.length === 0) return ''
  return `The other facts of ${unknown.length === 1 ? 'run' : 'runs'} ${unknown.join(', ')} cannot be read: another version of enrich wrote them.\n`
}

/** Only one process writes a checkpoint in a file, so only the newest run can still be active. */
function formatEnd(run: RememberedRun, runs: readonly RememberedRun[]): string {
  const { number, endedAtMs, exitCode } = run
  if (endedAtMs !== null) return `exit ${exitCode ?? '?'}`
  const mayGoOn = run.isGoingOn ?? !runs.some((other) => other.number > number)
  return mayGoOn ? 'has not ended' : 'did not end'
}

const formatRunDuration = ({ startedAtMs, endedAtMs }: RememberedRun): string =>
  endedAtMs === null ? '' : formatDuration(Math.max(0, endedAtMs - startedAtMs))

function count(record: RunRecord | null, of: (record: RunRecord) => number | undefined): string {
  const number = record === null ? undefined : of(record)
  return number === undefined ? '' : formatCount(number)
}

function formatRunCost(record: RunRecord | null): string {
  const money = record?.money ?? null
  return money === null ? '' : formatCost(money)
}

function formatMatched(record: RunRecord | null): string {
  const figures = record?.figures ?? null
  if (figures === null || figures.rowCount === 0) return ''
  return `${(((figures.rowsByStatus['matched'] ?? 0) / figures.rowCount) * 100).toFixed(1)} %`
}

/** The name of the job, or the names of its files. */
function formatJobName(series: string): string {
  if (!series.startsWith('[')) return series.replace(/^job /, '')
  return (JSON.parse(series) as string[]).map((path) => basename(path)).join(', ')
}

const formatInstant = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 16)

type RunsFlags = ConfigFlags & { limit: number; run?: number; json?: boolean }

const limitUsual = 30

export function fillRunsCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint'])
  command
    .option('--limit <n>', 'list only the newest n runs', parseCount, limitUsual)
    .option('--run <n>', 'show one run in full', parseCount)
    .option('--json', 'print one JSON line for each run, then the totals')
    .action(async (flags: RunsFlags) => {
      const { path } = resolveSettings(readConfig([], flags, io.environment), io.environment).checkpoint
      const known = await withKnownHistory(path, io.environment, async (history) => ({
        runs: await history.runs(),
        submissions: await history.submissions(),
      }))
      showRuns(path, known, flags, io)
    })
}

interface KnownRuns {
  readonly runs: readonly RememberedRun[]
  readonly submissions: readonly ScopeSubmissions[]
}

function showRuns(path: string, { runs, submissions }: KnownRuns, flags: RunsFlags, io: CliIo): void {
  const chosen =
    flags.run === undefined ? runs.slice(0, flags.limit) : runs.filter(({ number }) => number === flags.run)
  if (flags.run !== undefined && chosen.length === 0) {
    throw new UserError('RUN_NOT_FOUND', `${path} has no run ${flags.run}`, {
      hint: 'enrich runs lists them',
    })
  }
  const totals = sumRuns(runs, submissions)
  if (flags.json === true) {
    for (const run of chosen) io.out(formatJsonLine('run', run))
    if (flags.run === undefined) io.out(formatJsonLine('totals', totals))
  } else if (flags.run !== undefined) for (const run of chosen) io.out(formatRun(run, runs))
  else if (chosen.length === 0) io.out(`${path}: no run is recorded yet.\n`)
  else io.out(formatRuns(chosen, getTerminalColumns(io)) + formatUnknown(chosen) + formatTotals(totals))
}

/** Unlimited without a terminal. */
const parseCount = (text: string): number => getParsedValue(parsePositive(text))
